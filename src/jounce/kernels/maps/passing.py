"""From one crossing of a section to the next, of a motion that goes on from each of them."""

from jounce.kernels.flow.through import back_to_start, meets_next
from jounce.kernels.maps.iterate import CANCELLED, PHASE, crossing, finish_return
from jounce.kernels.records.fields import Machine, Motion, Plan, Record, Workspace
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Truth


@kernel
def may_pass(m: Machine, s: Motion, plan: Plan, record: Record) -> Truth:
    """Whether all that a flight meets before its end are crossings of the section, which end it nowhere."""
    alone = m.ng == 0 and s.settings.roster == 0 and s.settings.variation == 0
    return plan.section == PHASE and m.ballistic != 0 and alone and not record.keep_steps


@kernel
def next_crossing(
    m: Machine, w: Workspace, s: Motion, plan: Plan, record: Record, cancel: Integers
) -> tuple[Integer, Real]:
    """``crossing`` where the motion goes on from there: a flight that meets the section is found once, to its end."""
    s.ahead.wanted = 1 if may_pass(m, s, plan, record) else 0
    if not s.ahead.kept:
        return crossing(m, w, s, plan, record, cancel)
    if meets_next(m, w, s, s.settings.period):
        return 0 if cancel[0] == 0 else CANCELLED, s.settings.period
    record.seen = 0
    back_to_start(m, s, record)
    began = plan.fraction * s.settings.period
    s.settings.t_end = began + s.settings.period
    return finish_return(m, w, s, plan, record, began, cancel)
