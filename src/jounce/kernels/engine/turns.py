"""Whole periods of the forcing and whole turns of angles are counted apart.

What the model sees stays small, so that its rounding does not grow with the run: at t = 1e5 a time is only known to
1e-11, after a thousand turns an angle to 1e-12, which would drown the last bounces of a chatter and the force that
tells stick from slip. See docs/decisions/0005 and 0012.

An angle is left alone within (-2 pi L, 2 pi L) and set back to the cycle around zero when it leaves: a motion that
never makes a turn is not touched, and one that hovers around any angle is set back once, not again and again. The cycle
C = 2 pi L is subtracted in three parts, C k = P1 k + P2 k + P3 k. P1 and P2 have 25 bits each, so their products with
k < 2^28 are exact, and so is q - P1 k where the two are close (Sterbenz); what is lost is one rounding of the rest.
"""

import math

from jounce.kernels.records.fields import Machine, Motion, Record
from jounce.kernels.records.tolerances import MOST_TURNED
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer

TWO_PI = 6.283185307179586
# 2 pi = PART_1 + PART_2 + PART_3 to 6e-33
PART_1 = 6.283185243606567
PART_2 = 6.357301884918343e-08
PART_3 = 2.4492935982947064e-16


@kernel
def turn_time(s: Motion, record: Record) -> None:
    """Take whole periods off the time."""
    if s.settings.period > 0.0 and not 0.0 <= s.t < s.settings.period:
        # mostly one, which needs no division
        whole = 1.0 if s.settings.period <= s.t < 2.0 * s.settings.period else math.floor(s.t / s.settings.period)
        s.turns += int(whole)
        s.t -= whole * s.settings.period
        s.memory.last_instant -= whole * s.settings.period
        s.pace.woken -= whole * s.settings.period
        s.epoch = s.turns * s.settings.period
        record.epoch = s.epoch


@kernel
def publish_turns(m: Machine, s: Motion, record: Record, j: Integer) -> None:
    """Let everything that looks at whole angles know the turns of coordinate j."""
    s.turned[j] = float(s.cycles[j] * s.settings.cycle[j]) * TWO_PI
    record.turned[j] = s.turned[j]
    if m.whole_angle[j] >= 0:
        m.p[m.whole_angle[j]] = s.turned[j]


@kernel
def turn_angles(m: Machine, s: Motion, record: Record) -> None:
    """Take whole turns off the angles that have left their cycle."""
    for j in range(m.n):
        if s.settings.cycle[j] > 0:
            length = float(s.settings.cycle[j]) * TWO_PI
            if length < abs(s.q[j]) < MOST_TURNED * length:
                whole = math.floor(s.q[j] / length + 0.5)
                k = whole * float(s.settings.cycle[j])
                s.q[j] = ((s.q[j] - PART_1 * k) - PART_2 * k) - PART_3 * k
                s.z[j] = s.q[j]
                s.cycles[j] += int(whole)
                publish_turns(m, s, record, j)


@kernel
def start_turns(m: Machine, s: Motion, record: Record) -> None:
    """Every angle of a start within its cycle, and nothing left of the turns of a run before."""
    for j in range(m.n):
        publish_turns(m, s, record, j)
    turn_angles(m, s, record)
