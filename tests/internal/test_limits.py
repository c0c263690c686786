"""Internal states that stop at a limit: sliders that give way, integrators that are clamped."""

from __future__ import annotations

from math import cos

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from sympy import Heaviside, Piecewise

import jounce
from jounce import Model, coordinate, internal, parameters

x, dx = coordinate("x", "m")
z = internal("z", "m")
k, R, w = parameters(k=(6.0, "N/m"), R=(0.5, "N"), w=(1.7, "1/s"))
FORMS = {
    "heaviside": dx * (1 - Heaviside(k * z - R) * Heaviside(dx) - Heaviside(-k * z - R) * Heaviside(-dx)),
    "nested": dx
    * Piecewise(
        (Piecewise((0, k * z >= R), (1, True)), dx > 0),
        (Piecewise((0, k * z <= -R), (1, True)), True),
    ),
    "cases": Piecewise((0, (k * z >= R) & (dx > 0)), (0, (k * z <= -R) & (dx < 0)), (dx, True)),
    "either": dx * Piecewise((0, ((k * z >= R) & (dx > 0)) | ((k * z <= -R) & (dx < 0))), (1, True)),
}


def jenkins(name: str) -> Model:
    """A mass on a spring and a Jenkins element, a spring in series with a slider (Griffin 1980: turbine blades)."""
    force = -4 * x - k * z + 2 * sp.cos(w * jounce.time)
    return Model(f"jenkins_{name}", [x], [1], [force], rates={z: FORMS[name]}, period=2 * sp.pi / w)


def reference(t_end: float) -> np.ndarray:
    """The same with its three modes: the slider holds, or gives way to either side."""
    t, state, mode = 0.0, np.zeros(3), 0
    while t < t_end:

        def rate(t: float, s: np.ndarray, mode: int = mode) -> list[float]:
            return [s[1], -4 * s[0] - 6 * s[2] + 2 * cos(1.7 * t), s[1] if mode == 0 else 0.0]

        def ends(t: float, s: np.ndarray, mode: int = mode) -> float:
            return float(1 / 12 - abs(s[2]) if mode == 0 else mode * s[1])

        ends.terminal, ends.direction = True, -1  # type: ignore[attr-defined]
        found = solve_ivp(rate, (t, t_end), state, "DOP853", rtol=1e-12, atol=1e-13, events=ends, max_step=0.05)
        t, state = float(found.t[-1]), found.y[:, -1]
        mode = int(np.sign(state[2])) if mode == 0 else 0
    return state


@pytest.mark.parametrize("integrator", ["taylor", "dop853", "dopri5"])
@pytest.mark.parametrize("name", FORMS)
def test_a_slider_that_gives_way(name: str, integrator: str) -> None:
    run = jounce.simulate(
        jenkins(name), None, 12.0, options=jounce.Options(integrator=integrator, audit="dense", max_steps=20_000)
    )
    assert run.status.name == "FINISHED", run.status
    assert [run.final[key] for key in ("x", "d_x", "z")] == pytest.approx(reference(12.0).tolist(), abs=1e-8)


def test_a_clamped_integrator() -> None:
    """I' = e unless I = I_max and e > 0, with e = cos t: it rises to the limit, waits there and leaves with e < 0."""
    held = internal("I")
    error = sp.cos(jounce.time)
    rate = error * (1 - Heaviside(held - sp.Rational(1, 2)) * Heaviside(error))
    run = jounce.simulate(Model("clamped", [x], [1], [held], rates={held: rate}), None, 6.0)
    assert run.status.ok, run.status
    times = np.array([0.4, 1.2, 3.0, 5.0])
    expected = [np.sin(0.4), 0.5, 0.5 + np.sin(3.0) - 1.0, 0.5 + np.sin(5.0) - 1.0]
    assert [state["I"] for state in run.at(times)] == pytest.approx(expected, abs=1e-9)
