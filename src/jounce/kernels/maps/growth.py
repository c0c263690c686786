"""How a deviation grows along a motion that does not repeat, and whether the motion is at rest (attractor.py)."""

import math

from jounce.kernels.contact.forces import derivative
from jounce.kernels.contact.modes import count_closed
from jounce.kernels.contact.unknowns import own_unknowns
from jounce.kernels.maps.iterate import PHASE, clear_counts, crossing
from jounce.kernels.maps.section_point import begin, copy_point, first_state, separation, write_point
from jounce.kernels.records.attractor_codes import TOTAL_IMPACTS
from jounce.kernels.records.codes import OPEN
from jounce.kernels.records.fields import Machine, Motion, Plan, Record, Workspace
from jounce.kernels.records.recording import IMPACTS_TOTAL
from jounce.kernels.records.tolerances import DEVIATION, FORGOTTEN, LEAST_DEVIATION, SETTLING, STILL
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integers, Real, Reals2, Truth

# rows of the scratch; SIZES: of discrete states that hold values of the motion
REFERENCE, NOW, IMAGE, TWIN, TWIN_IMAGE, FIRST, SIZES, BEFORE, ANCHOR = 0, 1, 2, 3, 4, 5, 6, 7, 8
SCRATCH_ROWS = 9


@kernel
def is_held(m: Machine, s: Motion) -> Truth:
    """Whether contacts and joints leave no freedom."""
    held = m.nj
    for i in range(m.nc):
        if s.modes[i] != OPEN and not m.compliant[i]:
            held += own_unknowns(m, s.modes, i)
    return held >= m.n


@kernel
def is_still(m: Machine, w: Workspace, s: Motion, duration: Real) -> Truth:
    """Whether a motion without time has all but come to rest, although it crosses the section for ever.

    A focus is approached in ever smaller turns: with r = duration/2 pi they reach as far as u r and u' r^2.
    """
    if not s.settings.autonomous:
        return False
    r = duration / (2.0 * math.pi)
    derivative(m, w, s.t, s.z, s.modes, count_closed(s.modes, m.nc), 0)
    for j in range(m.n):
        reach = max(abs(s.u[j]) * r, abs(w.stages[0, m.n + j]) * r * r)
        if not reach <= STILL * w.scale[j]:
            return False
    return True


@kernel
def deviate(m: Machine, s: Motion, plan: Plan, scratch: Reals2, scale: Real) -> None:
    """The next twin: the present image plus its deviation, scaled."""
    image, twin_image, now, twin = scratch[IMAGE], scratch[TWIN_IMAGE], scratch[NOW], scratch[TWIN]
    copy_point(m, image, now)
    copy_point(m, image, twin)
    if plan.section != PHASE and not s.settings.autonomous:
        d = twin_image[0] - image[0]
        if s.settings.period > 0.0:
            d -= math.floor(d + 0.5)
        twin[0] = image[0] + scale * d
    for k in range(1, 1 + 2 * m.n):
        wrap = plan.wrap[k - 1]
        d = twin_image[k] - image[k]
        if wrap > 0.0:
            d -= wrap * math.floor(d / wrap + 0.5)
        if wrap >= 0.0:
            twin[k] = image[k] + scale * d
    for k in range(1 + 2 * m.n, min(twin.shape[0], 1 + 2 * m.n + 2 * m.compliant_contacts)):
        twin[k] = image[k]
        if k % 2 == 0:  # 1/v; before it stands whether the contact is pressed
            twin[k] += scale * (twin_image[k] - image[k])
    for k in range(m.nd):
        at = first_state(m) + k
        if m.state_real[k] and at < twin.shape[0]:
            twin[at] = image[at] + scale * (twin_image[at] - image[at])


@kernel
def perturb(m: Machine, w: Workspace, scratch: Reals2) -> None:
    """A first deviation, of the velocities only: no constraint on the positions is touched."""
    now, twin = scratch[NOW], scratch[TWIN]
    copy_point(m, now, twin)
    for k in range(1 + m.n, 1 + 2 * m.n):
        twin[k] += DEVIATION * w.scale[k - 1] * math.cos(1.0 + k)


@kernel
def growth_rate(
    m: Machine,
    w: Workspace,
    s: Motion,
    fresh: Motion,
    period: Real,
    plan: Plan,
    record: Record,
    scratch: Reals2,
    facts: Integers,
    cancel: Integers,
) -> Real:
    """The mean logarithm by which a small deviation grows in one return (Benettin, with a twin); NaN if a run ends.

    Both start afresh at each return, so that they differ by the deviation alone.
    """
    total, counted = 0.0, 0
    perturb(m, w, scratch)
    for k in range(plan.twin_returns):
        before = separation(m, w, plan, s, scratch[SIZES], scratch[TWIN], scratch[NOW])
        for row in (IMAGE, TWIN_IMAGE):
            begin(m, w, s, fresh, period, scratch[NOW if row == IMAGE else TWIN])
            clear_counts(record)
            status, _ = crossing(m, w, s, plan, record, cancel)
            facts[TOTAL_IMPACTS] += record.counter[IMPACTS_TOTAL]
            if status != 0:
                return math.nan
            write_point(m, s, plan, scratch[row])
        after = max(separation(m, w, plan, s, scratch[SIZES], scratch[TWIN_IMAGE], scratch[IMAGE]), LEAST_DEVIATION)
        if k * SETTLING >= plan.twin_returns:
            total += math.log(after / before)
            counted += 1
        if after > FORGOTTEN * LEAST_DEVIATION:
            deviate(m, s, plan, scratch, DEVIATION / after)
        else:
            copy_point(m, scratch[IMAGE], scratch[NOW])
            perturb(m, w, scratch)
    return total / max(counted, 1)
