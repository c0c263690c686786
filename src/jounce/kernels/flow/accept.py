"""What a step leaves behind: the state at its end, its row, its work, and guards that have left their start."""

from jounce.kernels.contact.face_ends import release_opened
from jounce.kernels.contact.orders import begin_gap, encode_orders
from jounce.kernels.contact.projection import project
from jounce.kernels.events.guards import guard_at
from jounce.kernels.events.guards_at_contact import note_since_contact
from jounce.kernels.flow.powers import add_stage_powers, integrate_powers, resolve_powers
from jounce.kernels.flow.runge_kutta import DOP853
from jounce.kernels.flow.taylor import sum_series
from jounce.kernels.records.codes import GAP_HOVERING, GAP_WATCHED, GUARD_USER, SURFACE_LEAP
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.recording import add_step
from jounce.kernels.records.scales import note_landing, note_sizes, note_state
from jounce.kernels.records.tolerances import AT_CORNER, GAP_ROUNDING, NEAR_END, RATE_ROUNDING, TOUCH_TOLERANCE
from jounce.kernels.records.workspace import WORKS
from jounce.kernels.tangent.variation import call_propagate, variation_at
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Truth


@kernel
def load_state(m: Machine, s: Motion, source: Reals) -> None:
    """z, q and u from a state array."""
    for j in range(m.n):
        s.q[j] = s.z[j] = source[j]
        s.u[j] = s.z[m.n + j] = source[m.n + j]


@kernel
def store_state(m: Machine, s: Motion) -> None:
    """z follows q and u after an instant."""
    for j in range(m.n):
        s.z[j] = s.q[j]
        s.z[m.n + j] = s.u[j]


@kernel
def clear_fresh(m: Machine, w: Workspace, s: Motion) -> None:
    """A whole step has passed, to the state in w.new_state: no guard starts at its root any more.

    Except a gap that opens so slowly that it is still only rounding: it remains what its velocity makes it. Ballistic
    flights know that by themselves.
    """
    own_root = 1 if m.ballistic else 0
    rounded = False
    for i in range(m.nc):
        rounded = rounded or s.gap_fresh[i] > own_root or s.gap_watch[i] != GAP_WATCHED
    if rounded:
        keep_rounded_gaps(m, w, s)
    else:
        for i in range(m.nc):
            s.gap_fresh[i] = 0
    if m.faces != 0:
        release_opened(m, w, s)
    for i in range(m.nc):
        s.slip_fresh[i] = 0
    s.unguarded = 0
    for k in range(m.ng):
        s.user_fresh[k] = 0


@kernel
def keep_rounded_gaps(m: Machine, w: Workspace, s: Motion) -> None:
    """Gaps of rigid contacts that started at zero and are not yet larger than their rounding start there again.

    One that has fallen back again and again, and has no velocity either, lies on its surface without a force.
    """
    state = w.new_state
    call_state(m.gaps, s.t, address(state, 0), address(state, m.n), address(m.p, 0), address(w.gap, 0))
    for i in range(m.nc):
        gap, rate = w.gap[2 * i], w.gap[2 * i + 1]
        fresh, watch = s.gap_fresh[i], s.gap_watch[i]
        begin_gap(s, i, 0)
        if (fresh > 0 or watch != GAP_WATCHED) and not m.compliant[i]:
            near = GAP_ROUNDING if m.faces == 0 or watch != GAP_HOVERING else NEAR_END * AT_CORNER
            lies = abs(gap) <= near * w.size[i] and abs(rate) <= RATE_ROUNDING * s.memory.speed[2 * i]
            if watch != GAP_WATCHED and lies:
                s.gap_watch[i] = GAP_HOVERING
            elif gap <= TOUCH_TOLERANCE * w.size[i] and rate > 0.0:
                s.gap_fresh[i] = 1


@kernel
def surfaces_go_on(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether surfaces move at the end of the step, the state now, as they did on it.

    Where the velocity of one jumps, constraints with the velocities behind the jump hold only after what happens there.
    """
    for k in range(m.ng):
        if m.guard_kink[k] == SURFACE_LEAP and s.user_sign[k] != 0:
            value, _ = guard_at(m, w, GUARD_USER, k, s.user_sign[k], s.t, s.z, s.modes)
            if not value > 0.0:
                return False
    return True


@kernel
def note_between(m: Machine, w: Workspace, s: Motion, h: Real) -> None:
    """Affine motion goes from event to event in one step; how fast a slip from rest to rest is its middle shows."""
    sum_series(m, w, s, 0.5 * h / w.series_length, w.point)
    note_state(m, w, s, w.point)
    note_sizes(m, w, s.t + 0.5 * h, w.point)


@kernel
def accept(
    m: Machine,
    w: Workspace,
    s: Motion,
    h: Real,
    x: Real,
    by_stages: Truth,
    t_new: Real,
    closed: Integer,
    record: Record,
) -> Truth:
    """Keep the step up to x of its length: record it, book its work, move the state there and onto its constraints.

    ``by_stages``: the workspace still holds the stages of this very step.
    Returns True if the projection moved the state.
    """
    if t_new > s.t:
        rows = s.settings.rows
        if record.keep_steps:
            encode_orders(m, s, record.orders)
        add_step(record, s.t, h, s.modes, m.nc, m.n, s.z, w.interpolant, rows, s.ledger)
        if not (by_stages and s.settings.pair == DOP853):
            integrate_powers(m, w, s, s.t, h, x, closed)
        elif not add_stage_powers(m, w, s, h, closed):
            resolve_powers(m, w, s, h, closed)
        if s.settings.variation:
            call_propagate(variation_at(s.settings.variation).propagate, m, w, s, h, x, closed)
        if m.affine and w.by_series:
            note_between(m, w, s, t_new - s.t)
    if m.ng > 0:
        note_since_contact(m, w, s, t_new - s.t)
    load_state(m, s, w.new_state)
    moved, s.t, w.terms_known = t_new > s.t, t_new, 0
    if moved:
        note_state(m, w, s, s.z)
        if w.lands:
            note_landing(m, w, s.t, s.z)
        else:
            note_sizes(m, w, s.t, s.z)
        clear_fresh(m, w, s)
    if (
        closed + m.nj > 0
        and surfaces_go_on(m, w, s)
        and project(m, w, s.t, address(s.q, 0), address(s.u, 0), address(s.modes, 0))
    ):
        store_state(m, s)
        return True
    return False


@kernel
def keep_last_stage(m: Machine, w: Workspace, s: Motion) -> None:
    """The derivative at the end of a step is the one at the start of the next."""
    s.pace.stage_known = 1
    last = 12 if s.settings.pair == DOP853 else 6
    for k in range(2 * m.n + WORKS):
        w.stages[0, k] = w.stages[last, k]
    w.stage_determinant[0] = w.stage_determinant[last]
    for k in range(m.nj):
        w.stage_force[0, k] = w.stage_force[last, k]
