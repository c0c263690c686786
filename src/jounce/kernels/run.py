"""The entry into the engine from Python: one record each for the model, the scratch, the motion and the buffers."""

from jounce.kernels.advance import run_machine
from jounce.kernels.jit import address, entry, f8_2d, i8
from jounce.kernels.motion import MOTION
from jounce.kernels.recording import RECORD
from jounce.kernels.workspace import MACHINE, WORKSPACE, record_array


@entry(i8(record_array(MACHINE), record_array(WORKSPACE), record_array(MOTION), f8_2d, record_array(RECORD)))
def run(machine, workspace, motion, schedule, record):
    """Advance a run; returns a status code of codes.py. ``schedule`` has sorted rows (time, parameter, value)."""
    return run_machine(machine[0], workspace[0], motion[0], address(schedule, 0), schedule.shape[0], record[0])
