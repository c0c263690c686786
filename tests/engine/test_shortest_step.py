"""What a short step is where the start does not say how fast things happen: no force acts there, or next to none.

The time in which a motion changes is learnt as it goes on. Motions are compared with those of SciPy without units, to
a long end that the run need not reach, and singular points still end them.
"""

from functools import cache
from math import pi, sqrt
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import jounce
from jounce import Model, SectionMap

t = jounce.time
x, dx = jounce.coordinate("x", "m")
L, T = jounce.parameter("L", 1.0, "m"), jounce.parameter("T", 1.0, "s")
INTEGRATORS = ["taylor", "dop853", "dopri5"]
#: T^2 x''/L of x/L and t/T: out of rest in the origin, or with the velocity L/T from one of the STARTS.
FORCES: dict[str, Any] = {
    "spring": lambda x, t: -x,
    "cubic": lambda x, t: -(x**3),
    "constant": lambda x, t: 1 - x,
    "linear": lambda x, t: t - x,
    "square": lambda x, t: t**2 - x,
    "root": lambda x, t: t**0.5 - x,
    "flat": lambda x, t: sp.exp(-1 / (t + 0.01)) - x,
    "wakes": lambda x, t: sp.Max(0, t - 1) ** 2 - x,
}
STARTS = {"spring": [0.0, 1e-300, 1e-20, 1e-13, -1e-13], "cubic": [0.0, 1e-7]}
CASES = [(name, start) for name in FORCES for start in STARTS.get(name, [0.0])]
PLACES = np.array([0.25, 0.9, 1.5, 2.75, 7.0])


@cache
def pushed(name: str) -> jounce.System:
    return jounce.compile_model(Model(f"pushed_{name}", [x], [1], [L / T**2 * FORCES[name](x / L, t / T)]))


@cache
def expected(name: str, start: float) -> np.ndarray:
    """x and x' at the PLACES, without units."""
    a, b = sp.symbols("a b")
    force = sp.lambdify((a, b), FORCES[name](a, b), "math")
    begin, known = 0.0, np.array([start, 1.0 if name in STARTS else 0.0])
    states = []
    for end in sorted({1.0, *PLACES}):  # a kink may be at 1
        part = solve_ivp(lambda t, z: [z[1], force(z[0], t)], (begin, end), known, "DOP853", rtol=1e-12, atol=1e-14)
        begin, known = end, part.y[:, -1]
        states += [known] if end in PLACES else []
    return np.array(states)


def states(name: str, start: float, span: float, integrator: str, length: float = 1.0, time: float = 1.0) -> Any:
    """x/L and T x'/L at the PLACES before the end, in the first steps of a run over ``span`` times T."""
    known = {"x": start * length, "d_x": length / time} if name in STARTS else {}
    most = 20000 if name == "root" else 4000
    options = jounce.Options(integrator=integrator, tolerance=1e-10, max_steps=most)
    system, units = pushed(name), {"L": length, "T": time}
    units = {unit: units[unit] for unit in system.parameter_names}
    run = jounce.simulate(system, known, span * time, options=options, **units)
    assert run.status.name in ("FINISHED", "TOO_MANY_STEPS"), run.status
    assert run.t_end >= min(span, PLACES[-1]) * time
    return run.states(PLACES[span >= PLACES] * time) / [length, length / time]


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(("name", "start"), CASES)
def test_forces_that_vanish_at_the_start(name: str, start: float, integrator: str) -> None:
    for span in (1e-3, 3.0, 1e3, 1e9, 1e15):
        found = states(name, start, span, integrator)
        np.testing.assert_allclose(found, expected(name, start)[span >= PLACES], rtol=0, atol=1e-8)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(("name", "start"), [("spring", 0.0), ("spring", 1e-13), ("square", 0.0), ("wakes", 0.0)])
def test_the_same_in_other_units(name: str, start: float, integrator: str) -> None:
    known = states(name, start, 1e15, integrator)
    for length, time in ((2.0**-30, 2.0**20), (2.0**21, 2.0**-33)):
        assert np.array_equal(states(name, start, 1e15, integrator, length, time), known)
    for length, time in ((1e-6, 1e6), (1e6, 1e-6), (1e-6, 1e-6)):
        np.testing.assert_allclose(states(name, start, 1e15, integrator, length, time), known, rtol=0, atol=1e-8)


@pytest.mark.parametrize("start", [0.0, 1e-20, 1e-15, 1e-13, 1e-12])
def test_returns_that_begin_beside_the_centre(start: float) -> None:
    """An oscillator whose stiffness changes at each return to x = 0, where it has no acceleration."""
    side, k = jounce.discrete("side", 1), jounce.parameter("k", 1.0)
    flip = jounce.Reset(x, {side: -side, dx: 1}, direction=+1, name="flip")
    model = Model("beside", [x], [1], [-k * x * (1 + side / 4)], resets=[flip], start={dx: 1.0})
    system = jounce.compile_model(model)
    found = SectionMap(system, "reset:flip", k=1.1).iterate(system.state(x=start, d_x=1, side=1), 6)
    turns = [2 * pi / sqrt(1.1 * (1 + side / 4)) for side in (1, -1)]
    assert found.status.ok
    assert found["return_time"] == pytest.approx(3 * turns, rel=1e-9)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("span", [3.0, 1e9, 1e15])
def test_singular_points_still_end_a_run(span: float, integrator: str) -> None:
    """Falls into 1/x, out of rest and from a place without any force; a force that ends where the run begins."""
    options = jounce.Options(integrator=integrator)
    fall = jounce.compile_model(Model("fall", [x], [1], [-1 / x**2]))
    for height in (1.0, 1e-9):
        run = jounce.simulate(fall, {"x": height}, span, options=options)
        assert run.status.name == "STEP_UNDERFLOW"
        assert run.t_end == pytest.approx(pi / sqrt(8) * height**1.5, rel=1e-9)
    late = jounce.compile_model(Model("late_fall", [x], [1], [-x / (1 - x**2) ** 2]))
    run = jounce.simulate(late, {"x": 0.0, "d_x": 2.0}, span, options=options)
    short = jounce.simulate(late, {"x": 0.5, "d_x": 2.0}, span, options=options)
    assert run.status.name == short.status.name
    edge = jounce.compile_model(Model("edge", [x], [1], [sp.sqrt(1 - x)]))
    run = jounce.simulate(edge, {"x": 1.0, "d_x": 1.0}, span, options=options)
    assert run.status.name == "NOT_FINITE"
    assert run.t_end == 0.0
