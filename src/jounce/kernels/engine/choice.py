"""The next mode: all that are consistent, and the choice among them.

Candidates that influence one another make a cluster (clusters.py), and clusters are asked apart. Of a small one all
combinations are tried: few contacts, and enumeration also counts. No consistent mode is an inconsistency (an impact
without collision follows); several with different open sets are an indeterminacy, decided by a named policy. Of a large
one the modes that pivoting proposes are tried (proposals.py, with rubbing joints exchanges.py). A cluster to which
nothing has happened keeps its mode.
"""

from jounce.kernels.contact.loads import always_closed
from jounce.kernels.engine.clusters import (
    ask_for,
    count_candidates,
    find_clusters,
    first_candidate,
    is_concerned,
    is_undisturbed,
)
from jounce.kernels.engine.exchanges import best_exchange
from jounce.kernels.engine.proposals import best_proposal, only_mode
from jounce.kernels.engine.trial_modes import NO_COST, SURE_COST, is_sure, keep_trial, next_option, was_tried, weigh
from jounce.kernels.records.codes import (
    GUARD_CONE_LOWER,
    GUARD_CONE_UPPER,
    INDETERMINATE,
    OPEN,
    PARADOX,
    SLIP_NEGATIVE,
    SLIP_POSITIVE,
    STICK,
    STOP_IF_INDETERMINATE,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import REGION, add_event
from jounce.kernels.records.tolerances import CLEARLY_DEFINITE, ENUMERATED_MODES, FEW_MODES, SLIGHTLY
from jounce.kernels.records.workspace import (
    FRICTION,
    FRICTION_AT_REST,
    FRICTION_BACK,
    STATIC_FRICTION,
    SURFACE_STRIDE,
    machine_record,
    workspace_record,
)
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import block, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Truth

NOTHING, EQUALITIES, SURE = 0, 1, 2  # what a search has found: see ``select_mode``
CHOSEN, NO_MODE, REFUSED = 0, 1, 2  # see ``choose_mode``


@kernel
def advance_trial(m: Machine, w: Workspace, s: Motion, trial: Integers) -> Truth:
    """The next combination, like a counter; False after the last."""
    for i in range(m.nc):
        option = next_option(m, w, s, i, trial[i])
        if option != -2:
            trial[i] = option
            return True
        trial[i] = next_option(m, w, s, i, -1)
    return False


@block(f8(machine_record, workspace_record, motion_record, i8, i8))
def best_mode(m: Machine, w: Workspace, s: Motion, tried_count: Integer, look: Integer) -> Real:
    """Search all modes but the first ``tried_count`` tried ones for the best, s.choice.chosen; its cost is returned.

    ``look``: look ahead where there are equalities. s.choice.open_sets receives the number of different sets of open
    contacts among the modes without any. s.choice.trial is scratch.
    """
    nc = m.nc
    for i in range(nc):
        s.choice.trial[i] = next_option(m, w, s, i, -1)
    best, s.choice.least, s.choice.open_sets, first_open_set = NO_COST, NO_COST, 0, -1
    while True:
        if not was_tried(s, nc, tried_count):
            cost = weigh(m, w, s, look)
            if s.choice.strict and s.choice.open_set != first_open_set:
                s.choice.open_sets += 1
                first_open_set = s.choice.open_set
            if cost < best:
                best = cost
                keep_trial(s, s.choice.chosen, nc)
        if not advance_trial(m, w, s, s.choice.trial):
            return best


@kernel
def count_modes(m: Machine, w: Workspace, s: Motion) -> Integer:
    """How many modes the candidates have; beyond ENUMERATED_MODES some number above it."""
    count = 1
    for i in range(m.nc):
        if s.choice.candidate[i] and count <= ENUMERATED_MODES:
            count *= (4 if m.has_slip[i] and s.choice.resting[i] else 2) - (1 if always_closed(m, i) else 0)
    return count


@kernel
def has_loads(m: Machine, s: Motion) -> Truth:
    """Whether a candidate is loaded by others: the problem of proposals.py knows no such forces."""
    for i in range(m.nc):
        if m.load[i] and s.choice.candidate[i]:
            return True
    return False


@kernel
def stays_closed(m: Machine, s: Motion) -> Truth:
    """Whether no candidate can open, so that there are no different sets of open contacts to be counted."""
    for i in range(m.nc):
        if s.choice.candidate[i] and not always_closed(m, i):
            return False
    return True


@kernel
def select_mode(m: Machine, w: Workspace, s: Motion, tried_count: Integer) -> Integer:
    """Choose among all consistent modes but the first ``tried_count`` tried: SURE, EQUALITIES or NOTHING.

    A mode whose conditions all hold clearly is SURE, here or a moment ahead. Where none is, one that has EQUALITIES
    ahead may do, or else here. Needs ``evaluate_model`` at the state.
    """
    count, loaded = count_modes(m, w, s), has_loads(m, s)
    if loaded and count > (FEW_MODES if stays_closed(m, s) else ENUMERATED_MODES):
        best = best_exchange(m, w, s, tried_count)
        if best < SURE_COST:
            return SURE
        # all modes are tried before it is said that there is none
        if count > ENUMERATED_MODES and (best < NO_COST or tried_count > 0):
            return NOTHING if best >= NO_COST else EQUALITIES
    elif count > ENUMERATED_MODES:
        best = best_proposal(m, w, s, tried_count)
        return NOTHING if best >= NO_COST else (SURE if best < SURE_COST else EQUALITIES)
    best = best_mode(m, w, s, tried_count, 0)
    if best >= NO_COST:
        return NOTHING
    if best < SURE_COST:
        return SURE
    open_sets = s.choice.open_sets
    ahead = best_mode(m, w, s, tried_count, 1)
    if ahead >= NO_COST:
        best_mode(m, w, s, tried_count, 0)
        return EQUALITIES
    s.choice.open_sets = open_sets
    return SURE if ahead < SURE_COST else EQUALITIES


@kernel
def consistent_mode(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Find s.choice.chosen for the candidates; False if there is no mode.

    The mode just left is asked last: it is the one that goes on where its guard has only touched zero. If all that is
    left is broken by rounding, the one that breaks its conditions least goes on.
    """
    tried_count = s.choice.tried_count if is_concerned(s) else 0
    fresh = select_mode(m, w, s, tried_count)
    if fresh == SURE:
        return True
    least = s.choice.least
    if tried_count > 0:
        any_mode = select_mode(m, w, s, 0)
        if any_mode == SURE or (any_mode == EQUALITIES and fresh == NOTHING):
            return True
        least = s.choice.least
    if fresh == EQUALITIES:
        select_mode(m, w, s, tried_count)
        return True
    if least > SLIGHTLY:
        return False
    for i in range(m.nc):
        s.choice.chosen[i] = s.choice.nearest[i]
    return True


@kernel
def keeps_mode(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether a cluster to which nothing has happened is still in its mode; then s.choice.chosen has it.

    Where bodies touch without a force several modes hold as equalities, one as good as another. To choose anew among
    them at every instant of other clusters changes what need not change, and asks all of them each time.
    """
    if not is_undisturbed(m, w, s):
        return False
    for i in range(m.nc):
        s.choice.trial[i] = s.modes[i] if s.choice.candidate[i] else next_option(m, w, s, i, -1)
    if is_sure(m, w, s):
        return True
    if weigh(m, w, s, 1) >= NO_COST:
        return False
    keep_trial(s, s.choice.chosen, m.nc)
    s.choice.open_sets = 1
    return True


@kernel
def closes_surely(w: Workspace, i: Integer) -> Truth:
    """Whether contact i has C > mu |B| with the largest of its coefficients: its force always decelerates its gap."""
    base = i * SURFACE_STRIDE
    mu = max(w.surface[base + FRICTION], w.surface[base + FRICTION_BACK], w.surface[base + STATIC_FRICTION])
    C, B = w.delassus[2 * i, 2 * i], w.delassus[2 * i, 2 * i + 1]
    return C - max(mu, w.surface[base + FRICTION_AT_REST]) * abs(B) > CLEARLY_DEFINITE * C


@kernel
def certain_mode(m: Machine, w: Workspace, s: Motion, tried_count: Integer) -> Truth:
    """Whether the mode that is to be expected of a single candidate holds clearly, and is the one to choose.

    With C > mu |B| a force lambda_N > 0 within the cone gives C lambda_N + B lambda_T > 0. Where a closed mode is
    consistent the gap would then close without a force: the contact does not stay open. Slides of both signs are never
    consistent together, since A C > B^2, and of a slide and a stick the stick is chosen. So there is nothing to compare
    a stick with, nor, where the stick has just been given up, a slide.
    """
    i = first_candidate(m, s)
    if count_candidates(m, s) != 1 or m.loaded > 0 or not m.has_slip[i] or not closes_surely(w, i):
        return False
    for k in range(m.nc):
        s.choice.trial[k] = next_option(m, w, s, k, -1)
    s.choice.trial[i] = STICK if s.choice.resting[i] else next_option(m, w, s, i, OPEN)
    if was_tried(s, m.nc, tried_count):
        if s.event.guard_kind != GUARD_CONE_UPPER and s.event.guard_kind != GUARD_CONE_LOWER:
            return False
        s.choice.trial[i] = SLIP_NEGATIVE if s.event.guard_kind == GUARD_CONE_UPPER else SLIP_POSITIVE
        if was_tried(s, m.nc, tried_count):
            return False
    return is_sure(m, w, s)


@kernel
def mode_of_cluster(m: Machine, w: Workspace, s: Motion, anew: Truth) -> Truth:
    """Find s.choice.chosen for the candidates of one cluster; False if there is no mode."""
    if not anew and keeps_mode(m, w, s):
        return True
    if certain_mode(m, w, s, s.choice.tried_count if is_concerned(s) else 0):
        return True
    if count_candidates(m, s) > 1 and not is_concerned(s) and not has_loads(m, s) and only_mode(m, w, s):
        return True
    return consistent_mode(m, w, s)


@kernel
def choose_mode(m: Machine, w: Workspace, s: Motion, anew: Truth, record: Record) -> Integer:
    """Select the next mode, to s.choice.chosen: CHOSEN, NO_MODE where none is consistent, REFUSED by the policy.

    ``anew``: nothing is known of the mode before, or parameters have changed since.
    """
    for i in range(m.nc):
        s.choice.settled[i] = s.modes[i] if m.compliant[i] or s.choice.candidate[i] else OPEN
        s.choice.cluster[i] = 0
    ambiguous, w.mode_known, s.choice.without_mode = -1, 0, 0
    clusters = find_clusters(m, w, s)
    for cluster in range(clusters):
        ask_for(m, s, cluster + 1)
        if not mode_of_cluster(m, w, s, anew):
            s.choice.without_mode = cluster + 1
            ask_for(m, s, 0)
            return NO_MODE
        for i in range(m.nc):
            if s.choice.candidate[i]:
                s.choice.settled[i] = s.choice.chosen[i]
        if s.choice.open_sets > 1 and ambiguous < 0:
            ambiguous = first_candidate(m, s)
    ask_for(m, s, 0)
    if clusters > 1:
        w.mode_known = 0
    for i in range(m.nc):
        s.choice.chosen[i] = s.choice.settled[i]
    if ambiguous >= 0:
        if s.memory.repeats == 0:
            # without progress in time it is still the one that has been written
            row = add_event(record, s.t, PARADOX, ambiguous, -1, -1)
            if row >= 0:
                record.event_integer[row, REGION] = INDETERMINATE
        if s.settings.indeterminate == STOP_IF_INDETERMINATE:
            return REFUSED
    return CHOSEN
