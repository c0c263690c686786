"""Rest of models with internal states, its eigenvalues and Hopf points, against closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import jounce

A, B, LENGTH, REFERENCE = 0.01, 0.015, 1e-3, 1e-3


def slider(law: str, length: float = 1.0, time: float = 1.0, mass: float = 1.0) -> jounce.System:
    """A block that a spring pulls at V over a surface with rate-and-state friction; xi is the spring's extension."""
    force = mass * length / time**2
    xi, rate = jounce.coordinate("xi", "m")
    k, V, m, N = jounce.parameters(
        k=(400.0 * force / length, "N/m"), V=(1e-3 * length / time, "m/s"), m=(mass, "kg"), N=(100.0 * force, "N")
    )
    friction = jounce.rate_and_state(
        V - rate, normal=N, mu=0.6, a=A, b=B, length=LENGTH * length, reference=REFERENCE * length / time, law=law
    )
    return jounce.compile_model(jounce.Model("slider", [xi], [m], [-k * xi - friction.force], rates=friction.rates))


@pytest.mark.parametrize("law", ["aging", "slip"])
@pytest.mark.parametrize("units", [(1.0, 1.0, 1.0), (1e6, 1e3, 1e-3)])
def test_steady_sliding_loses_its_stability_at_the_critical_stiffness(law: str, units: tuple[float, ...]) -> None:
    """Rice and Ruina (1983): k = N (b - a)/L (1 + m V^2/(N a L)), where perturbations turn at V/L sqrt((b - a)/a)."""
    length, time, mass = units
    stiffness = mass / time**2
    rest = jounce.find_equilibrium(slider(law, *units), "", {"xi": 0.1 * length})
    assert rest.state["xi"] == pytest.approx(0.6 * 100.0 / 400.0 * length, rel=1e-12)
    assert abs(rest.state["psi"]) < 1e-12
    branch = jounce.continue_equilibrium(rest, "k", (300.0 * stiffness, 800.0 * stiffness), step=50.0 * stiffness)
    (hopf,) = branch.specials
    critical = 100.0 * (B - A) / LENGTH * (1.0 + 1.0 * 1e-3**2 / (100.0 * A * LENGTH))
    assert hopf.kind == "hopf"
    assert hopf.parameter == pytest.approx(critical * stiffness, rel=1e-10)
    turning = max(hopf.solution.eigenvalues, key=lambda value: value.imag)
    assert turning.imag == pytest.approx(1.0 / time * np.sqrt((B - A) / A), rel=1e-9)


def lag() -> jounce.System:
    """A mass on a spring, pushed by an internal state that follows it; at its start the forces balance."""
    x, dx = jounce.coordinate("x", "m")
    z = jounce.internal("z", "m")
    return jounce.compile_model(
        jounce.Model("lag", [x], [1], [1 - x - dx / 5 + z / 10], rates={z: 3 * (x - z)}, start={x: 1.0})
    )


def test_rest_is_found_from_where_forces_balance_or_vanish() -> None:
    """Terms of a force that cancel have a size: at (1, 0) the mass is in balance, at (10/9, 10/9) all is."""
    system = lag()
    places = [0.0, 1.0, 10.0, 10 / 9, 10 / 9 * (1 + 1e-15), -1 / 3, 1e6, 1e-6, 1e-300]
    for x in places:
        for z in places:
            rest = jounce.find_equilibrium(system, "", {"x": x, "z": z})
            assert [rest.state["x"], rest.state["z"]] == pytest.approx([10 / 9, 10 / 9], rel=1e-14), (x, z)


def test_the_motion_near_rest_has_its_eigenvalues() -> None:
    """A mass, a spring and a lag: (s^2 + c s + 1)(s + r) - r/10 = 0."""
    rest = jounce.find_equilibrium(lag(), "", None)
    assert rest.state["x"] == pytest.approx(10 / 9, rel=1e-12)
    assert rest.state["z"] == pytest.approx(10 / 9, rel=1e-12)
    expected = np.roots([1.0, 3.2, 1.6, 2.7])
    assert np.sort_complex(rest.nontrivial) == pytest.approx(np.sort_complex(expected), rel=1e-10)


def test_a_hopf_point_of_a_lag_is_the_start_of_its_cycle(tmp_path: Path) -> None:
    """x'' + c x' + x + x^3 = -g z, z' = x' - z: by Routh, (c + 1)(1 + c + g) = 1 at the point."""
    x, dx = jounce.coordinate("x", "m")
    z = jounce.internal("z", "m/s")
    c, g = jounce.parameters(c=(0.1, "1/s"), g=(-1.0, "1/s"))
    system = jounce.compile_model(jounce.Model("late", [x], [1], [-x - x**3 - c * dx - g * z], rates={z: dx - z}))
    branch = jounce.continue_equilibrium(jounce.find_equilibrium(system, "", g=0.3), "g", (-1.0, 0.5), step=0.1)
    (hopf,) = branch.find("hopf")
    assert hopf.parameter == pytest.approx(1 / 1.1 - 1.1, rel=1e-10)
    orbit = jounce.switch_branch(branch, hopf)
    w = sp.sqrt(1.1 + hopf.parameter)
    assert orbit.period == pytest.approx(float(2 * sp.pi / w), rel=0.05)
    hopf.solution.save(tmp_path / "rest.nc")
    again = jounce.load(tmp_path / "rest.nc")
    assert np.array_equal(again.eigenvalues, hopf.solution.eigenvalues)
    assert again.state["z"] == hopf.solution.state["z"]
