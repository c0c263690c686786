"""The record of a run that has not begun, from a template: as far as the model uses it.

The records have the largest sizes that the engine serves. Copied whole they would take longer than a short run; here
what belongs to coordinates, contacts, joints and guards is copied up to their number. The guards of a step, and the
modes that were tried at an instant, are written before they are read.
"""

from jounce.kernels.records.fields import Machine, Motion
from jounce.kernels.records.workspace import WORKS
from jounce.toolchain.jit import copy_record, kernel


@kernel
def begin_motion(m: Machine, s: Motion, fresh: Motion) -> None:
    """Let s be as ``fresh``."""
    s.t, s.turns, s.epoch, s.reset_work = fresh.t, fresh.turns, fresh.epoch, fresh.reset_work
    s.started, s.schedule_position, s.unguarded = fresh.started, fresh.schedule_position, fresh.unguarded
    s.shared, s.jam_sign = fresh.shared, fresh.jam_sign
    for j in range(m.n):
        s.q[j], s.u[j], s.cycles[j], s.turned[j] = fresh.q[j], fresh.u[j], fresh.cycles[j], fresh.turned[j]
    for j in range(2 * m.n):
        s.z[j], s.brought.given[j] = fresh.z[j], fresh.brought.given[j]
    for k in range(WORKS):
        s.ledger[k] = fresh.ledger[k]
    copy_record(s.settings, fresh.settings)
    copy_record(s.pace, fresh.pace)
    copy_record(s.report, fresh.report)
    begin_contacts(m, s, fresh)
    begin_guards(m, s, fresh)
    begin_memory(m, s, fresh)
    begin_instant(m, s, fresh)


@kernel
def begin_contacts(m: Machine, s: Motion, fresh: Motion) -> None:
    """How the contacts start."""
    for i in range(m.nc):
        s.modes[i], s.gap_fresh[i], s.gap_watch[i] = fresh.modes[i], fresh.gap_fresh[i], fresh.gap_watch[i]
        s.slip_fresh[i], s.turn_sign[i], s.released[i] = fresh.slip_fresh[i], fresh.turn_sign[i], fresh.released[i]
        s.inside[i], s.loss[i], s.open_force[i] = fresh.inside[i], fresh.loss[i], fresh.open_force[i]
        s.brought.face[i] = fresh.brought.face[i]
    for k in range(2 * m.nc + m.nj + m.ng):
        s.brought.given_size[k] = fresh.brought.given_size[k]
    s.brought.remembered, s.brought.known = fresh.brought.remembered, fresh.brought.known


@kernel
def begin_guards(m: Machine, s: Motion, fresh: Motion) -> None:
    """How the user's guards start."""
    own, before = s.memory, fresh.memory
    for k in range(m.ng):
        s.user_sign[k], s.user_fresh[k], s.user_meets[k] = fresh.user_sign[k], fresh.user_fresh[k], fresh.user_meets[k]
        own.user_time[k], own.user_wait[k] = before.user_time[k], before.user_wait[k]
        own.user_sooner[k], s.brought.sides[k] = before.user_sooner[k], fresh.brought.sides[k]


@kernel
def begin_memory(m: Machine, s: Motion, fresh: Motion) -> None:
    """What later decisions need to know."""
    own, before = s.memory, fresh.memory
    own.last_instant, own.repeats, own.rounds = before.last_instant, before.repeats, before.rounds
    own.crawl, own.crawl_time = before.crawl, before.crawl_time
    own.chatter_refusals, own.chatter_wait, own.effort = before.chatter_refusals, before.chatter_wait, before.effort
    own.rough_kind, own.rough_index, own.rough = before.rough_kind, before.rough_index, before.rough
    for k in range(2 * m.nc):
        own.own_speed[k], own.speed[k] = before.own_speed[k], before.speed[k]
    for i in range(m.nc):
        own.chatter_speed[i] = before.chatter_speed[i]


@kernel
def begin_instant(m: Machine, s: Motion, fresh: Motion) -> None:
    """The event and the choice of the first instant."""
    own, before = s.event, fresh.event
    own.event_x, own.guard_kind, own.guard_contact = before.event_x, before.guard_kind, before.guard_contact
    own.flight, own.singular, own.opens = before.flight, before.singular, before.opens
    own.triggered, own.applied = before.triggered, before.applied
    s.ahead.wanted, s.ahead.kept = fresh.ahead.wanted, fresh.ahead.kept
    choice, kept = s.choice, fresh.choice
    choice.least, choice.strict, choice.open_set = kept.least, kept.strict, kept.open_set
    choice.open_sets, choice.tried_count = kept.open_sets, kept.tried_count
    choice.broken, choice.determinate = kept.broken, kept.determinate
    choice.without_mode = kept.without_mode
    for i in range(m.nc):
        choice.touching[i], choice.struck[i], choice.resting[i] = kept.touching[i], kept.struck[i], kept.resting[i]
        choice.candidate[i], choice.cluster[i], choice.settled[i] = kept.candidate[i], kept.cluster[i], kept.settled[i]
        choice.trial[i], choice.chosen[i], choice.nearest[i] = kept.trial[i], kept.chosen[i], kept.nearest[i]
