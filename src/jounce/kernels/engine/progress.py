"""Whether the loop gets on: turns without progress, and when it must return to Python.

Instants may also follow one another in next to no time, each at the scale of rounding: a contact that opens and closes
at 1e-9 of its speeds, a slide that begins and ends, for as long as the machine lies as it does. At that pace no run
comes to its end, whatever its budget of steps. A stretch of instants is given up if CRAWL_LIMIT of them take less than
CRAWL smallest steps each on average, with none in which anything closes with a speed that could be seen: fast impacts
between near walls, however many, are a motion.
"""

from jounce.kernels.contact.unknowns import constrains, sliding_friction
from jounce.kernels.impact.resolve import prepare_impacts
from jounce.kernels.records.codes import (
    BUFFERS_FULL,
    ENDLESS_RESETS,
    GUARD_GAP,
    GUARD_JAM,
    GUARD_USER,
    NO_PROGRESS,
    PARADOX_STOP,
    PAUSED,
    TOO_MANY_EVENTS,
    TOO_MANY_STEPS,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.recording import (
    EVENT_CAPACITY,
    EVENTS_STORED,
    EVENTS_TOTAL,
    STEP_CAPACITY,
    STEPS_STORED,
    TURNS,
)
from jounce.kernels.records.tolerances import (
    CRAWL,
    CRAWL_LIMIT,
    GRAZING_RISE,
    GRAZING_SPEED,
    INSTANT_REACH,
    INSTANT_STEPS,
    PARADOX_LIMIT,
    PROGRESS,
    REPEAT_LIMIT,
    RETURN_TIME,
    SEQUENTIAL_LIMIT,
    SINGULAR_SLIDE,
    TRIED_LIMIT,
)
from jounce.kernels.records.workspace import MAX_CLOSED, MAX_CONTACTS
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Truth

# Rows kept free in the event buffer: more than an instant without resets can write. Each of its rounds of impacts may
# end with a joint one, and each contact may have a chatter or a grazing and a change of mode. Rounds of resets may
# write more; where rows are lost the run ends.
EVENT_MARGIN = PARADOX_LIMIT * (SEQUENTIAL_LIMIT + MAX_CLOSED) + 3 * MAX_CONTACTS


RETURN_FINISHED = 99


@kernel
def without_progress(m: Machine, w: Workspace, s: Motion, kind: Integer) -> Integer:
    """The status of a run whose events follow one another without time passing."""
    if s.memory.crawl >= CRAWL_LIMIT:
        return NO_PROGRESS
    if m.nr > 0 and s.memory.rounds > 0:
        return ENDLESS_RESETS
    return PARADOX_STOP if kind == GUARD_JAM or near_singular(m, w, s) else NO_PROGRESS


@kernel
def falls_back(m: Machine, w: Workspace, s: Motion, kind: Integer, i: Integer) -> Truth:
    """Whether contact i, which has left without velocity, closes again at once and without any: that is rounding."""
    if kind != GUARD_GAP or not s.released[i] or s.t - s.memory.last_instant > RETURN_TIME * s.pace.smallest_step:
        return False
    call_state(m.gaps, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.gap, 0))
    return w.gap[2 * i + 1] >= -GRAZING_SPEED * s.memory.speed[2 * i]


@kernel
def closes_visibly(m: Machine, w: Workspace, s: Motion, kind: Integer, i: Integer) -> Truth:
    """Whether the event is the end of a gap of contact i that closes with a part of its speeds that can be seen."""
    if kind != GUARD_GAP:
        return False
    call_state(m.gaps, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.gap, 0))
    return w.gap[2 * i + 1] < -GRAZING_RISE * s.memory.speed[2 * i]


@kernel
def crawls(m: Machine, w: Workspace, s: Motion, kind: Integer, i: Integer) -> Truth:
    """Count the instants of a stretch in which next to no time passes; True when there are too many."""
    pace, passed = CRAWL * s.pace.smallest_step, s.t - s.memory.last_instant
    s.memory.crawl += 1
    s.memory.crawl_time += passed
    honest = kind == GUARD_USER or (passed <= pace and closes_visibly(m, w, s, kind, i))
    if honest or not s.memory.crawl_time <= pace * CRAWL_LIMIT:
        s.memory.crawl, s.memory.crawl_time = 0, 0.0
    return s.memory.crawl >= CRAWL_LIMIT


@kernel
def note_progress(m: Machine, w: Workspace, s: Motion, kind: Integer, hit: Integer) -> Truth:
    """Count instants that follow one another without time passing, or hardly any; False when there are too many."""
    if crawls(m, w, s, kind, hit):
        return False
    shortest = PROGRESS * abs(s.t) + INSTANT_STEPS * s.pace.smallest_step + INSTANT_REACH * s.pace.reach
    if falls_back(m, w, s, kind, hit):
        s.memory.repeats += 1
    elif s.t - s.memory.last_instant > shortest:
        s.memory.repeats = 0
        s.choice.tried_count = 0
    else:
        s.memory.repeats += 1
    return s.memory.repeats < REPEAT_LIMIT and s.choice.tried_count < TRIED_LIMIT


@kernel
def must_return(s: Motion, record: Record, steps: Integer, pause: Integer) -> Integer:
    """0 to go on, else the status with which the loop returns to Python before the next step."""
    if s.t >= s.settings.t_end - s.epoch:
        return RETURN_FINISHED
    if record.lost:
        return NO_PROGRESS
    if record.keep_events and record.counter[EVENTS_STORED] > EVENT_CAPACITY - EVENT_MARGIN:
        return BUFFERS_FULL
    if record.keep_steps and record.counter[STEPS_STORED] >= STEP_CAPACITY - 2:
        return BUFFERS_FULL
    if record.counter[EVENTS_TOTAL] >= s.settings.max_events:
        return TOO_MANY_EVENTS
    if record.counter[TURNS] >= s.settings.max_steps:
        return TOO_MANY_STEPS
    return PAUSED if steps >= s.settings.pause_steps or s.memory.effort >= pause else 0


@kernel
def near_singular(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether a touching contact sits at C - s mu B = 0, the singular point of sliding (Génot & Brogliato 1999)."""
    if not prepare_impacts(m, w, s.t, address(s.q, 0), address(s.u, 0)):
        return False
    for i in range(m.nc):
        if m.has_slip[i] and (s.choice.touching[i] or constrains(s.modes[i])):
            sign = 1.0 if w.velocity[2 * i + 1] > 0.0 else -1.0
            mu = sliding_friction(w.surface, i, sign)
            value = w.delassus[2 * i, 2 * i] - sign * mu * w.delassus[2 * i, 2 * i + 1]
            if abs(value) < SINGULAR_SLIDE * w.delassus[2 * i, 2 * i]:
                return True
    return False
