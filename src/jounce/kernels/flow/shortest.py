"""The shortest step of a run: what a step is compared with before it is called too short.

A step is too short where it does not move the time, or where it is nothing beside the time T in which the motion
changes. The start gives a bound of T: sqrt(V/A) with the motion V and the acceleration A there, the period, or what is
left of the run. It may be too long by any factor: an oscillator that passes its middle has no acceleration, and a
force that grows out of nothing has none at its beginning. No trial of a step is evidence of a singular point while the
only measure of it is that bound. So T follows the motion:

    a step in a mode in which none has been accepted (UNTRIED) is a guess, and where its error refuses it T is no longer
    than the refused guess times the proportion that first steps have to T. So is a step where nothing has moved yet,
    whatever was accepted before: a rest says nothing of the motion that ends it;
    what the errors of accepted steps allow lengthens T again by the same proportion, up to the bound of the start.

A force that begins at t_0 where nothing has moved is known to the rounding of t_0 over the time since, and so is all
that it has moved. Nothing else has a size there yet, and no step can be more accurate than that part.

At a singular point steps shrink behind steps that were accepted. These hold T where it was, and the run ends there.
"""

import math

from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import UNTRIED
from jounce.kernels.records.tolerances import (
    FIRST_SPAN,
    FIRST_STEP,
    SHORTEST_STEP_PART,
    STEP_ROUNDING,
    TIME_ROUNDING,
    WAKING,
)
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Real, Truth

FIRST_PART = SHORTEST_STEP_PART / (FIRST_STEP * FIRST_SPAN)  # of a first step


@kernel
def too_short(s: Motion, h: Real) -> Truth:
    """Whether a step of length h does not move the time, or is nothing beside the time in which the motion changes."""
    return not h > max(STEP_ROUNDING * abs(s.t), s.pace.smallest_step)


@kernel
def at_rest_in_origin(m: Machine, s: Motion) -> Truth:
    """Whether nothing has moved yet, from coordinates that are all zero; whatever scales are given."""
    for k in range(2 * m.n):
        if s.z[k] != 0.0:
            return False
    return True


@kernel
def refuse_guess(m: Machine, w: Workspace, s: Motion, allowed: Real) -> None:
    """The error of the step just tried allows no more than this; where the step was a guess, the bound was too long.

    Not below the time sqrt(X/V) in which the motion moves what it is: a place has no digits for shorter steps.
    """
    if s.pace.last_error != UNTRIED and not at_rest_in_origin(m, s):
        return
    moves = math.sqrt(w.whole[0] / w.whole[1]) if w.whole[1] > 0.0 else 0.0
    s.pace.smallest_step = min(s.pace.smallest_step, max(FIRST_PART * allowed, SHORTEST_STEP_PART * moves))


@kernel
def learn_time(s: Motion) -> None:
    """A step has been accepted, and s.pace.step_size is what its error allows."""
    bound = SHORTEST_STEP_PART * s.pace.longest_time
    s.pace.smallest_step = min(bound, max(s.pace.smallest_step, FIRST_PART * s.pace.step_size))


@kernel
def known_since(s: Motion, h: Real) -> Real:
    """The factor on the error ratio of a step: below 1 where a motion has begun so late that its beginning counts."""
    since, rounding = s.settings.tolerance * (s.t + h - s.pace.woken), TIME_ROUNDING * abs(s.t)
    return since / rounding if since < rounding else 1.0


@kernel
def begins(m: Machine, s: Motion) -> Truth:
    """Whether nothing has moved, or not longer than shows: the first steps may lie to both sides of the beginning."""
    return at_rest_in_origin(m, s) or s.t - s.pace.woken <= WAKING * TIME_ROUNDING * abs(s.t)


@kernel
def wake(m: Machine, s: Motion, h: Real) -> Real:
    """Let a motion begin in the step of length h; returns its length, which moves the time."""
    if at_rest_in_origin(m, s):
        s.pace.woken = s.t
    return max(h, STEP_ROUNDING * abs(s.t))
