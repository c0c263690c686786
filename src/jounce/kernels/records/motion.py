"""What one run carries from step to step: its state, and beside it a record for each other purpose.

A kernel gets all of it as one address ``s``. A record within a record is an address too, known when the kernel is
compiled: ``s.settings.tolerance`` is one load, as ``s.t`` is.
"""

import numpy as np

from jounce.kernels.records.tolerances import TRIED_LIMIT
from jounce.kernels.records.workspace import (
    GUARD_ROWS,
    MAX_CONTACTS,
    MAX_COORDINATES,
    MAX_GUARDS,
    MAX_JOINTS,
    NEAR_WORDS,
    STATE,
    WORKS,
)
from jounce.toolchain.abi import record

MODE_STEPS = 16
UNTRIED = -1.0  # in pace.last_error: no step of this length has been taken in this mode

# What is asked for. The loop changes none of it.
SETTINGS = np.dtype(
    [
        ("t_end", "f8"),  # the run's time at which it ends
        ("period", "f8"),  # of everything that depends on time; 0: no turns are counted
        ("cycle", "i8", (MAX_COORDINATES,)),  # turns of 2 pi in which the mechanics repeats; 0: it does not
        ("autonomous", "i8"),
        ("has_applied_power", "i8"),
        ("variation", "i8"),  # address of the perturbations that are carried along (variation.py); 0: none
        ("roster", "i8"),  # address of the candidates of which s has those that are near (roster.py); 0: it has all
        ("user_stops", "i8", (MAX_GUARDS,)),
        ("user_direction", "i8", (MAX_GUARDS,)),  # +1 increasing, -1 decreasing, 0 both
        ("pair", "i8"),
        ("order", "i8"),  # of Taylor series; 0: the pair alone
        ("rows", "i8"),  # of the interpolant
        ("implicit", "i8"),  # 1: steps may be implicit where pressed contacts are stiff (flow/stiff.py)
        ("tolerance", "f8"),
        ("largest_step", "f8"),
        ("simultaneous", "i8"),
        ("indeterminate", "i8"),
        ("inconsistent", "i8"),
        ("stick_release", "i8"),
        ("plastic_release", "i8"),
        ("contact_detection", "i8"),
        ("chatter_limit", "f8"),  # chatter_speed of every contact; negative: minus a height, see set_chatter_speed
        ("joint_gap", "f8"),  # negative: minus its ratio to the size of the gap's terms
        ("penetration_tolerance", "f8"),  # negative: as joint_gap
        ("keep_ledger", "i8"),
        ("max_events", "i8"),
        ("max_steps", "i8"),
        ("pause_steps", "i8"),
        ("pause_effort", "i8"),
    ],
    align=True,
)

# What the start says beyond q and u: the user's scales, or those and the contacts of the run out of which it comes.
BROUGHT = np.dtype(
    [
        ("given", "f8", (STATE,)),  # how large |q| and |u| are; 0: nothing is known
        ("given_size", "f8", (2 * MAX_CONTACTS + MAX_JOINTS + MAX_GUARDS,)),  # of gaps, joints, guards, slips
        ("remembered", "i8"),  # 1: the start says which compliant contacts are pressed and how fast they closed
        ("known", "i8"),  # 1: the start says in which modes the rigid contacts are and how their guards begin
        ("sides", "i8", (MAX_GUARDS,)),  # of zero, on which each of the user's guards is: +-1, or SIDE_... of codes.py
        ("face", "i8", (MAX_CONTACTS,)),  # on which each contact is held, 0: none, or not known
    ],
    align=True,
)

# How long the next step may be.
PACE = np.dtype(
    [
        ("step_size", "f8"),  # what the error allows; 0: not known yet
        ("mode_code", "i8", (MODE_STEPS,)),  # modes of the system met so far, and the step the error allowed in each
        ("mode_step", "f8", (MODE_STEPS,)),
        ("last_error", "f8"),  # of the last step that the error limited, in units of the tolerance, or UNTRIED
        ("reach", "f8"),  # how long the guards stay resolved
        ("longest_time", "f8"),  # in which the motion may change, by what is known where the run begins
        ("smallest_step", "f8"),  # beside what is known of that time by now: flow/shortest.py
        ("woken", "f8"),  # when a force began to move what had not moved yet; -inf: it moves from the start, or rests
        ("stiff", "i8"),  # steps in a row that the fastest rate has kept short, and how long they were: flow/stiff.py
        ("explicit_step", "f8"),
        ("stage_known", "i8"),  # stage 0 holds the derivative at the present state
        ("paused", "i8"),  # the loop has returned between two steps and goes on as if it had not
        ("after_jump", "i8"),  # while it is paused: whether the step before ended in an event
    ],
    align=True,
)

# What later decisions need to know of the run so far.
MEMORY = np.dtype(
    [
        ("last_instant", "f8"),
        ("repeats", "i8"),
        ("crawl", "i8"),  # instants of a stretch in which next to no time passes: engine/progress.py
        ("crawl_time", "f8"),  # what has passed in it
        ("rounds", "i8"),  # of resets at the last instant
        ("own_speed", "f8", (2 * MAX_CONTACTS,)),  # the largest normal and tangential velocity of each contact so far
        ("speed", "f8", (2 * MAX_CONTACTS,)),  # the same, not below what the other one is worth
        ("chatter_speed", "f8", (MAX_CONTACTS,)),  # rebounds of each contact that are slower are extrapolated
        ("chatter_refusals", "i8"),  # attempts to end a chatter that failed one after the other, at most MOST_REFUSALS
        ("chatter_wait", "i8"),  # impacts to be followed one by one before the next attempt
        ("user_time", "f8", (MAX_GUARDS,)),  # the run's time of the last event of each guard
        ("user_wait", "f8", (MAX_GUARDS,)),  # between its last two resets
        ("user_sooner", "i8", (MAX_GUARDS,)),  # how many of its resets, one after the other, came sooner than before
        ("effort", "i8"),  # evaluations of the model so far, about
        # the guard that was not resolved on the smallest piece last, and how often that has happened
        ("rough_kind", "i8"),
        ("rough_index", "i8"),
        ("rough", "i8"),
    ],
    align=True,
)

# The guards of the present step, and the one that ends it.
EVENT = np.dtype(
    [
        ("guards", "i8", (GUARD_ROWS, 4)),  # events/guards.py
        ("event_x", "f8"),  # where on the step the first guard vanishes
        ("guard_kind", "i8"),  # the guard that ended the mode, and its contact; -1 at a jump
        ("guard_contact", "i8"),
        ("flight", "f8"),  # duration of a ballistic flight
        ("opens", "i8"),  # 1: that guard is a force that fell through zero: the contact opens (events/series_guards.py)
        ("singular", "i8"),  # 1: a slide has just run into its singular point (flow/singular_point.py)
        ("triggered", "i8"),  # bit k: reset k may be due at this instant
        ("applied", "i8"),  # bit k: reset k happens in this round
    ],
    align=True,
)

# A ballistic flight that goes on behind the end of the run: flow/through.py.
AHEAD = np.dtype(
    [
        ("wanted", "i8"),  # 1: flights may do so
        ("kept", "i8"),  # 1: one is under way
        ("hit", "i8"),  # the contact with which it ends, NO_CONTACT where it has no end
        ("duration", "f8"),  # from its start
        ("t", "f8"),  # where it began: s.t, s.turns and s.z
        ("turns", "i8"),
        ("z", "f8", (STATE,)),
        ("acceleration", "f8", (MAX_COORDINATES,)),
        ("first", "f8"),  # from its start to the first section on it
        ("sections", "i8"),  # that it has met since
    ],
    align=True,
)

# Scratch of the choice of the next mode, at one instant.
CHOICE = np.dtype(
    [
        ("touching", "i8", (MAX_CONTACTS,)),
        ("fate", "i8", (MAX_CONTACTS,)),  # of a sharp corner at the end of its face: contact/faces.py
        ("struck", "i8", (MAX_CONTACTS,)),  # 1: it has had an impulse at this instant
        ("resting", "i8", (MAX_CONTACTS,)),
        ("candidate", "i8", (MAX_CONTACTS,)),  # it may last: of the cluster that is asked for (engine/clusters.py)
        ("cluster", "i8", (MAX_CONTACTS,)),  # of contacts that influence one another; 0: it is no candidate
        ("without_mode", "i8"),  # the cluster that has no mode
        ("settled", "i8", (MAX_CONTACTS,)),  # modes of the clusters that are not asked for
        ("trial", "i8", (MAX_CONTACTS,)),
        ("weak", "i8", (MAX_CONTACTS,)),  # its conditions that hold only as equalities: contact/modes.py
        ("chosen", "i8", (MAX_CONTACTS,)),
        ("nearest", "i8", (MAX_CONTACTS,)),  # the mode that breaks its conditions least, and by how much
        ("least", "f8"),
        ("strict", "i8"),  # all conditions of the mode weighed last hold clearly; the bit set of its open candidates
        ("open_set", "i8"),
        ("open_sets", "i8"),  # different sets of open contacts among the strictly consistent modes
        ("tried", "i8", (TRIED_LIMIT, NEAR_WORDS)),
        ("tried_count", "i8"),
        ("broken", "f8"),  # by how much the mode judged last breaks its conditions, relative to their terms
        ("determinate", "i8"),  # 0: the forces of the mode judged last are not unique
    ],
    align=True,
)

# What Python asks when the run has ended.
REPORT = np.dtype(
    [
        ("stopped_by", "i8"),
        ("refusal", "i8"),  # the option that ended the run with a paradox: REFUSED_... of codes.py
        ("open_forces", "i8"),  # 1: at rest, with forces that statics does not determine
        ("dropped", "i8"),  # why the modes of the start were not believed: DROPPED_... of codes.py, 0: they were
        ("dropped_contact", "i8"),
        ("failed_reset", "i8"),  # a reset with which the run ended, and why: REFUSED_... of codes.py
        ("reset_refusal", "i8"),
        ("failed_place", "i8"),  # the contact or joint that does not fit
    ],
    align=True,
)

# The state: where the run is, in which mode, how the guards of that mode begin, and the accounts of energy.
MOTION = np.dtype(
    [
        ("t", "f8"),  # time within the present turn: the model sees only this one
        ("turns", "i8"),  # whole periods gone by
        ("epoch", "f8"),  # turns * period: the run's time is epoch + t
        ("q", "f8", (MAX_COORDINATES,)),  # angles within a turn: the whole coordinates are q + turned
        ("u", "f8", (MAX_COORDINATES,)),
        ("z", "f8", (STATE,)),
        ("cycles", "i8", (MAX_COORDINATES,)),  # cycles of each angle gone by
        ("turned", "f8", (MAX_COORDINATES,)),  # the same as an angle
        ("started", "i8"),
        ("schedule_position", "i8"),
        ("modes", "i8", (MAX_CONTACTS,)),
        ("shared", "i8"),  # 1: statics leaves forces of the mode open, and these have one guard together
        ("open_force", "i8", (MAX_CONTACTS,)),  # 1: those of this contact are among them
        ("jam_sign", "i8"),  # sign with which the determinant of the sliding problem started
        ("gap_fresh", "i8", (MAX_CONTACTS,)),  # order of the root at which an open gap starts; 0: at none
        ("gap_watch", "i8", (MAX_CONTACTS,)),  # how that gap is watched: GAP_... of codes.py
        # order of the root of a slip velocity or of the force that ends or begins a compliant contact
        ("slip_fresh", "i8", (MAX_CONTACTS,)),
        ("unguarded", "i8"),  # 1: forces and slips have no guards on the next step, which is short
        ("turn_sign", "i8", (MAX_CONTACTS,)),  # of the force of an adhesive contact with friction
        ("released", "i8", (MAX_CONTACTS,)),  # 1: an open contact that has left with no velocity
        ("inside", "i8", (MAX_CONTACTS,)),  # 1: a compliant contact without force whose gap is still closed
        ("user_sign", "i8", (MAX_GUARDS,)),
        ("user_fresh", "i8", (MAX_GUARDS,)),
        ("user_meets", "i8", (MAX_GUARDS,)),  # it is zero at the instant of a contact's event: guards_at_contact.py
        ("ledger", "f8", (WORKS,)),  # applied work, friction loss, surface work, loss in compliant contacts
        ("loss", "f8", (MAX_CONTACTS,)),  # impact loss of each contact
        ("reset_work", "f8"),  # energy that resets have given
        ("settings", SETTINGS),
        ("brought", BROUGHT),
        ("pace", PACE),
        ("memory", MEMORY),
        ("event", EVENT),
        ("ahead", AHEAD),
        ("choice", CHOICE),
        ("report", REPORT),
    ],
    align=True,
)
motion_record = record(MOTION)
