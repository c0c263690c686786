"""The entry into the engine from Python: one record each for the model, the scratch, the motion and the buffers."""

from jounce.kernels.advance import run_machine
from jounce.kernels.jit import entry, f8_2d, i8
from jounce.kernels.motion import MOTION
from jounce.kernels.recording import RECORD
from jounce.kernels.variation import VARIATION
from jounce.kernels.workspace import MACHINE, WORKSPACE, record_array


@entry(
    i8(
        record_array(MACHINE),
        record_array(WORKSPACE),
        record_array(MOTION),
        record_array(VARIATION),
        f8_2d,
        record_array(RECORD),
    )
)
def run(machine, workspace, motion, variation, schedule, record):
    """Advance a run; returns a status code of codes.py. ``schedule`` has sorted rows (time, parameter, value).

    ``motion`` has three records: the run's, and two for the perturbed instants of its variation.
    """
    v = variation[0]
    return run_machine(machine[0], workspace[0], motion[0], v, motion[1], motion[2], schedule, record[0])
