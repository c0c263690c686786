"""The sides of switches: each has the sign of its surface, which is zero while it slides, and slides within its limits.

They are asked for in the middle of a step, and compared with the largest sum of the terms of the surface, that of the
largest velocities of the run: one that is held all along is rounding of what moves beside it.
"""

from jounce.kernels.audit.gaps import interpolate
from jounce.kernels.audit.record import LIMIT, SIDE, audit_record, report
from jounce.kernels.audit.sizes import find_sizes
from jounce.kernels.records.codes import SWITCH_SLIDES, SWITCH_UNKNOWN
from jounce.kernels.records.fields import Audit, Machine
from jounce.kernels.records.tolerances import LEAST_SIZE, SIDE_KNOWN
from jounce.kernels.records.workspace import machine_record
from jounce.toolchain.abi import f8, f8_2d, void
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2, Reals3, Truth

GUARD, STATE_OF, LIMIT_GUARD = 0, 1, 2  # of a switch: its surface among the guards, its side, its limits or -1


@kernel
def side_of(m: Machine, a: Audit, k: Integer) -> Real:
    """The side of switch k on the step whose discrete states are in force."""
    return a.side[a.switch[k, STATE_OF]]


@kernel
def take_sides(m: Machine, a: Audit) -> Truth:
    """Let a.side be the discrete states in force; True if a switch slides."""
    slides = False
    for k in range(m.nd):
        a.side[k] = m.p[m.states + k]
        slides = slides or a.side[k] == SWITCH_SLIDES
    return slides


@kernel
def put_beside(m: Machine, a: Audit) -> None:
    """Put every switch that is on no side onto one: its own surface does not depend on it, and others are not held."""
    for k in range(a.switches):
        if abs(side_of(m, a, k)) != 1.0:
            m.p[m.states + a.switch[k, STATE_OF]] = 1.0


@kernel
def put_back(m: Machine, a: Audit) -> None:
    """Let the discrete states be those of the step again."""
    for k in range(m.nd):
        m.p[m.states + k] = a.side[k]


@kernel
def terms_at(m: Machine, a: Audit, t: Real, z: Reals) -> None:
    """The sums of the terms of all guards at a place, in a.term from the place of the guards on."""
    call_state(m.sizes, t, address(z, 0), address(z, m.n), address(m.p, 0), address(a.term, 0))


@kernel
def find_side_limits(m: Machine, a: Audit, coefficients: Reals3) -> None:
    """By how much each surface may be off its side, a.side_limit, where all is as large as it was in this run."""
    find_sizes(m, a, coefficients)
    take_sides(m, a)
    put_beside(m, a)
    terms_at(m, a, a.first[2 * m.n], a.size)
    put_back(m, a)
    for k in range(a.switches):
        now = a.term[m.nc + m.nj + a.switch[k, GUARD]]
        # a sum that is not finite says nothing
        largest = max(a.side_scale[k], now if now - now == 0.0 else 0.0)
        a.side_limit[k] = max(max(SIDE_KNOWN, a.accuracy) * largest, LEAST_SIZE)


@block(void(machine_record, audit_record, f8_2d, f8, f8, f8))
def check_sides(m: Machine, a: Audit, rows: Reals2, start: Real, h: Real, last: Real) -> None:
    """The sides of all switches in the middle of a step up to x = last."""
    p, z = address(m.p, 0), a.ahead
    interpolate(m, rows, 0.5 * last, z)
    t, slides = start + 0.5 * last * h, take_sides(m, a)
    put_beside(m, a)
    call_state(m.guards, t, address(z, 0), address(z, m.n), p, address(a.surface_value, 0))
    put_back(m, a)
    for k in range(a.switches):
        side, surface = side_of(m, a, k), a.surface_value[a.switch[k, GUARD]]
        away = abs(surface) if side == SWITCH_SLIDES else -side * surface
        if not away <= a.side_limit[k] or side == SWITCH_UNKNOWN:
            report(a, start, -1, SIDE, away, a.side_limit[k])
    if not slides:
        return
    call_state(m.guards, t, address(z, 0), address(z, m.n), p, address(a.surface_value, 0))
    terms_at(m, a, t, z)
    for k in range(a.switches):
        guard = a.switch[k, LIMIT_GUARD]
        if guard >= 0 and side_of(m, a, k) == SWITCH_SLIDES:
            beyond, least = -a.surface_value[guard], a.accuracy * a.term[m.nc + m.nj + guard]
            if beyond > least:
                report(a, start, -1, LIMIT, beyond, least)
