"""Generated Taylor series, against SciPy at tight tolerance and against the functions that they come from."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import jounce
from jounce.model import Contact, Model, coordinate, parameters, time
from tests.engine.support import ready_made

ORDER = 20
X, V = coordinate("x", "m")
K, W, E = parameters(k=1.3, w=2.0, e=0.7)
ANALYTIC = {
    "polynomial": -K * X**3 - X**5 / 7 + V**2,
    "quotient": X / (1 + X**2) - K / (3 + V),
    "sine and cosine": sp.sin(K * X + V) - sp.cos(X * V),
    "forcing": sp.sin(W * time + K) * X - time**2 / 3 + sp.cos(1 - time),
    "tangent": sp.tan(X / 3) - sp.tan(time / 7),
    "logarithm": sp.log(2 + X + time),
    "root": sp.sqrt(1 + X**2 + V**2) - sp.sqrt(2 + time),
    "power": (2 + X) ** sp.Rational(5, 3) - (3 + V) ** K - (2 + X) ** sp.Rational(-3, 2),
    "arc tangent": sp.atan(X + V**2),
}
ROUGH = {
    "flat before it rises": sp.exp(-((time - 5) ** 2)),
    "constant before it switches": sp.tanh(V),
    "absolute value": -sp.Abs(X) * V,
    "larger of two": sp.Max(X, V),
    "sign": -sp.sign(V),
    "angle": sp.atan2(X, 1 + V),
}


def oscillator(force: sp.Expr) -> jounce.System:
    """M = 2 + cos(x), a force, and a wall far away."""
    kinetic = (2 + sp.cos(X)) * V**2 / 2
    contact = Contact("wall", gap=X + 50, restitution=E)
    return jounce.compile_model(
        Model.from_lagrangian(
            "series",
            coordinates=[X],
            kinetic=kinetic,
            potential=0,
            forces={X: force - X},
            contacts=[contact],
            start={X: 0.0},
        )
    )


def series(system, name, t, h, q, u, sign=1.0):
    """C_k of (q, u), row by row, and the powers."""
    n, stride = system.n, system.series_stride
    out = np.zeros((ORDER + 1) * stride)
    p = np.append(system.parameters(), np.zeros(8))
    arrays = [np.array([t, h, sign]), np.array(q, float), np.array(u, float), p, out]
    system.series[name].at_addresses(ORDER, *(array.ctypes.data for array in arrays))
    rows = out.reshape(ORDER + 1, stride)
    return rows[:, : 2 * n], rows[:, 2 * n : 2 * n + 4], rows[0, 2 * n + 4]


def exact(function, system, t, h, q, u, sign=1.0):
    """The state after h, and the works, by SciPy."""
    n, p = system.n, np.append(system.parameters(), np.zeros(8))

    def rate(now, z):
        out = np.zeros(n + 12)
        out[0] = sign
        point = np.array(z[: 2 * n])
        function.at_addresses(now, point.ctypes.data, point[n:].ctypes.data, p.ctypes.data, out.ctypes.data)
        return np.concatenate([point[n:], out[: n + 4]])

    start = np.concatenate([q, u, np.zeros(4)])
    return solve_ivp(rate, (t, t + h), start, "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]


def check(system, name, function, t, h, q, u, sign=1.0):
    state, powers, sound = series(system, name, t, h, q, u, sign)
    end = exact(function, system, t, h, np.array(q, float), np.array(u, float), sign)
    works = h * (powers[:-1] / np.arange(1, ORDER + 1)[:, None]).sum(axis=0)
    assert sound == 1.0
    np.testing.assert_allclose(np.concatenate([state.sum(axis=0), works]), end, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("name", ANALYTIC)
def test_series_of_elementary_functions(name):
    system = oscillator(ANALYTIC[name])
    for t, q, u in ((0.3, 0.2, -0.4), (1.1, -0.5, 0.3), (0.0, 0.0, 0.0)):
        check(system, "free", system.free_flow or system.functions.free_acceleration, t, 0.1, [q], [u])


@pytest.mark.parametrize("name", ROUGH)
def test_what_is_not_analytic_or_hides_what_is_ahead_has_no_series(name):
    system = oscillator(ROUGH[name])
    assert not system.series
    assert system.series_stride == 0


def test_cases_have_series_since_steps_hold_one_side_of_each_border():
    system = oscillator(sp.Piecewise((-X, X > 0), (-4 * X - V / 9, True)))
    assert system.series_stride > 0
    ends = [
        jounce.simulate(system, {"x": 0.7}, 20.0, tolerance=1e-11, options=jounce.Options(integrator=name)).final
        for name in ("taylor", "dop853")
    ]
    np.testing.assert_allclose(ends[0].q, ends[1].q, atol=1e-9)
    np.testing.assert_allclose(ends[0].u, ends[1].u, atol=1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("name", ["wiper", "double_pendulum", "belt_oscillator"])
def test_series_of_a_closed_contact(name, sign):
    """Sliding in both directions, sticking, and free, from places near which nothing is singular."""
    system = ready_made(name)
    random = np.random.default_rng(3)
    for _ in range(3):
        q, u = random.uniform(0.1, 0.4, system.n), random.uniform(-0.3, 0.3, system.n)
        slide, stick = system.contact_flows[0]
        check(system, "free", system.free_flow, 0.2, 1e-2, q, u)
        check(system, "slide_0", slide, 0.2, 1e-3, q, u, sign)
        check(system, "stick_0", stick, 0.2, 1e-3, q, u)


def test_joints_and_compliant_contacts_keep_to_the_pair():
    systems = [ready_made(name) for name in jounce.systems.SYSTEMS]
    without = [s for s in systems if s.nj > 0 or any(contact.compliance is not None for contact in s.model.contacts)]
    assert without
    assert all(not system.series for system in without)


@pytest.mark.parametrize("name", ["wiper", "double_pendulum", "belt_oscillator", "impact_oscillator"])
def test_series_of_guards(name):
    """Gaps in flight; forces, slip and limit while one contact slides: against the functions along the motion."""
    system = ready_made(name)
    assert system.series_guards
    n, first = system.n, 2 * system.n + 5
    q, u, h, order = np.full(n, 0.3), np.full(n, -0.2), 0.002, 14
    p = np.append(system.parameters(), np.zeros(8))
    for mode, function in (("free", None), *(((f"slide_{i}", f) for i, (f, _) in enumerate(system.contact_flows)))):
        out = np.zeros((order + 2) * system.series_stride)
        arrays = [np.array([0.1, h, 1.0]), q, u, p, out]
        system.series[mode].at_addresses(order, *(array.ctypes.data for array in arrays))
        rows = out.reshape(order + 2, -1)
        end, t = rows[: order + 1, : 2 * n].sum(axis=0), 0.1 + h
        guards = rows[:order, first:].sum(axis=0)
        if function is None:
            gaps = np.zeros(2 * system.nc)
            system.functions.gaps.at_addresses(t, *(a.ctypes.data for a in (end[:n].copy(), end[n:].copy(), p, gaps)))
            np.testing.assert_allclose(guards[5 : 5 + system.nc], gaps[::2], rtol=1e-12, atol=1e-12)
        else:
            flow = np.zeros(n + 12)
            flow[0] = 1.0
            function.at_addresses(t, *(a.ctypes.data for a in (end[:n].copy(), end[n:].copy(), p, flow)))
            np.testing.assert_allclose(guards[:5], flow[n + np.array([4, 5, 6, 8, 9])], rtol=1e-11, atol=1e-11)
