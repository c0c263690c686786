"""What work forces do along a step: powers at its stages, integrated with an error of their own."""

import math

import numpy as np

from jounce.kernels.contact.forces import sample_power, stage_power
from jounce.kernels.contact.modes import count_pressed
from jounce.kernels.flow.runge_kutta import (
    DOP853_STEP,
    DOP853_WEIGHTS,
    interpolate,
    make_interpolant,
    weighted_sums,
)
from jounce.kernels.flow.tableaus import DOP853_B, DOP853_C
from jounce.kernels.flow.taylor import sum_series_at, sum_series_powers
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.tolerances import (
    FINE_GAUSS_REST,
    GAUSS_REST,
    WORK_PIECES,
    WORK_SHARE,
    WORK_TOLERANCE,
)
from jounce.kernels.records.workspace import MAX_JOINTS, SMOOTH_ORDER, STATE, WORKS
from jounce.toolchain.jit import address, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals2, Truth


def _gauss(count: int) -> np.ndarray:
    """Points and weights of Gauss and Legendre on [0, 1]."""
    x, weight = np.polynomial.legendre.leggauss(count)
    return np.array([0.5 * (1.0 + x), 0.5 * weight])


def _edge_gauss(count: int) -> np.ndarray:
    """The same in y with x = y^2 (3 - 2 y): a power delta^(3/2) at either end of the step is smooth in y."""
    y, weight = _gauss(count)
    return np.array([y * y * (3.0 - 2.0 * y), 6.0 * y * (1.0 - y) * weight])


GAUSS = _gauss(8)
FINE_GAUSS = _gauss(12)


EDGE_GAUSS = _edge_gauss(16)


@kernel
def has_powers(m: Machine, s: Motion, closed: Integer) -> Integer:
    """Whether anything does work that the ledger asks for."""
    active = closed + m.nj + count_pressed(s.modes, m.nc)
    return s.settings.keep_ledger and (active > 0 or s.settings.has_applied_power)


@kernel
def work_error_allowed(m: Machine, w: Workspace, s: Motion, h: Real) -> Real:
    """By how much the works of the step just taken, whose sums are known, may be wrong.

    An error of the state that the tolerance allows, |q| and |u| times it, changes the energy by M u.u and M u'.q times
    it. The works may be about as wrong as the state of this step is, or as a hundredth of what the tolerance allows.
    """
    change = 0.0
    for j in range(m.n):
        change += w.start_mass[j] * (w.stages[0, m.n + j] * w.stages[0, m.n + j])
    energy = 0.5 * w.whole[1] + math.sqrt(change * w.whole[0])
    for j in range(2 * m.n, 2 * m.n + WORKS):
        energy += h * abs(w.stage_sums[0, j])
    return max(WORK_TOLERANCE, WORK_SHARE * s.pace.last_error) * s.settings.tolerance * energy


@kernel
def add_stage_powers(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> Truth:
    """Add the work over the step just taken; False if that is not good enough.

    The works are integrated as the state is, by the weights of DOP853: the stages have the powers behind them, but for
    those of joints, whose forces are known. The pair's own estimate says how good this is; the step was chosen for the
    state, which may be smoother than the work.
    """
    if not has_powers(m, s, closed):
        return True
    n, sums = m.n, w.stage_sums
    if w.by_radau:
        return False
    if w.by_series:
        return add_series_powers(m, w, s, h, closed)
    for j in range(2 * n, 2 * n + WORKS):
        sums[0, j] = sums[1, j] = sums[2, j] = 0.0
    if closed > 0 or m.free_flow != 0:
        weighted_sums(w.stages, DOP853_WEIGHTS, 3, 2 * n, 2 * n + WORKS, sums)
    if m.nj > 0:
        add_joint_powers(m, w, s, h)
    allowed = work_error_allowed(m, w, s, h)
    for j in range(2 * n, 2 * n + WORKS):
        error5, error3 = abs(sums[1, j]), abs(sums[2, j])
        if h * error5 * error5 > allowed * max(error5, 0.1 * error3):
            return False
    for j in range(WORKS):
        s.ledger[j] += h * sums[0, 2 * n + j]
    return True


@kernel
def add_series_powers(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> Truth:
    """The same by the series of the powers: their last terms say how good that is.

    The product of two harmonic motions is twice as fast as these, and its series ends too early. Eight points of Gauss
    integrate all that it has to order 15, and most of what it has not. Series of affine motion have more orders: twelve
    points leave (h W)^24 1e-38 of a power e^(iWt), far less than FINE_GAUSS_REST of what the series leaves out.
    """
    sum_series_powers(m, w, s, h)
    sums, n = w.stage_sums, m.n
    allowed = work_error_allowed(m, w, s, h)
    left_out = 0.0
    for j in range(2 * n, 2 * n + WORKS):
        left_out = max(left_out, h * sums[1, j])
    if left_out <= allowed:
        for j in range(WORKS):
            s.ledger[j] += h * sums[0, 2 * n + j]
        return True
    if w.series_order <= SMOOTH_ORDER:
        if not GAUSS_REST * left_out <= allowed:
            return False
        add_gauss_powers(m, w, s, h, closed, GAUSS, 8)
    else:
        if not FINE_GAUSS_REST * left_out <= allowed:
            return False
        add_gauss_powers(m, w, s, h, closed, FINE_GAUSS, 12)
    return True


@kernel
def add_gauss_powers(
    m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer, points: Reals2, count: Integer
) -> None:
    """Add the powers at points of the step just taken by series, each with its weight."""
    n = m.n
    sum_series_at(m, w, s, h / w.series_length, points[0], count, w.node_q, w.node_u)
    for k in range(count):
        q, u = address(w.node_q, k * n), address(w.node_u, k * n)
        sample_power(m, w, s.t + points[0, k] * h, q, u, address(s.modes, 0), closed)
        for j in range(WORKS):
            s.ledger[j] += points[1, k] * h * w.power[j]


@kernel
def add_joint_powers(m: Machine, w: Workspace, s: Motion, h: Real) -> None:
    """Add the powers of h and of the joints at the stages of the step just taken to their weighted sums."""
    sums, n = w.stage_sums, m.n
    for i in range(12):
        if DOP853_B[i] == 0.0:
            continue
        q = address(s.z, 0) if i == 0 else address(w.stage_state, i * STATE)
        u = address(s.z, n) if i == 0 else address(w.stage_state, i * STATE + n)
        stage_power(m, w, s.t + DOP853_C[i] * h, q, u, address(w.stage_force, i * MAX_JOINTS))
        for j in range(WORKS):
            for row in range(3):
                sums[row, 2 * n + j] += DOP853_STEP[row, i] * w.power[j]


@kernel
def integrate_piece(
    m: Machine, w: Workspace, s: Motion, t: Real, h: Real, start: Real, width: Real, closed: Integer
) -> None:
    """Add the work over a piece of the interpolant to the ledger."""
    rows = s.settings.rows
    edges = count_pressed(s.modes, m.nc) > 0
    for k in range(16 if edges else 8):
        x, weight = (EDGE_GAUSS[0, k], EDGE_GAUSS[1, k]) if edges else (GAUSS[0, k], GAUSS[1, k])
        place = start + x * width
        interpolate(s.z, w.interpolant, rows, place, 2 * m.n, w.point)
        point, now = w.point, t + place * h
        sample_power(m, w, now, address(point, 0), address(point, m.n), address(s.modes, 0), closed)
        for j in range(WORKS):
            s.ledger[j] += weight * width * h * w.power[j]


@kernel
def integrate_powers(m: Machine, w: Workspace, s: Motion, t: Real, h: Real, x_end: Real, closed: Integer) -> None:
    """Add the work of applied forces, friction, surfaces and compliant losses over [0, x_end] of the interpolant."""
    if has_powers(m, s, closed):
        integrate_piece(m, w, s, t, h, 0.0, x_end, closed)


@kernel
def resolve_powers(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> None:
    """The same over a whole step that was chosen for a state much smoother than the work: a motor that turns steadily,
    a body that friction holds against a force that changes.

    Twice as many pieces until the sums agree, the first with that of the stages. The ledger at the start of the step is
    in the fourth row of sums, the last work in the third.
    """
    if not w.interpolated:
        make_interpolant(m, w, s, h, closed)
    before, last = w.stage_sums[3], w.stage_sums[2]
    staged = not (w.by_radau or w.by_series)
    for j in range(WORKS):
        before[j] = s.ledger[j]
        last[j] = h * w.stage_sums[0, 2 * m.n + j]
    energy = 0.5 * w.whole[1]
    pieces = 1
    while pieces <= WORK_PIECES:
        for j in range(WORKS):
            s.ledger[j] = before[j]
        for piece in range(pieces):
            integrate_piece(m, w, s, s.t, h, piece / pieces, 1.0 / pieces, closed)
        agree = staged or pieces > 1
        for j in range(WORKS):
            work = s.ledger[j] - before[j]
            agree = agree and abs(work - last[j]) <= s.settings.tolerance * (energy + abs(work))
            last[j] = work
        if agree:
            return
        pieces *= 2
