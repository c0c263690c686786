"""Rest on compliant contacts: depths, forces and eigenvalues against closed forms; Hopf points and boundaries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import jounce

M, G = 2.0, 9.81


def ball(law: jounce.ComplianceLaw, restitution: float = 0.6) -> jounce.System:
    """A ball above a floor, with a load that adds to its weight."""
    y, _dy = jounce.coordinate("y", "m")
    load = jounce.parameters(load=(0.0, "N"))[0]
    floor = jounce.Contact("floor", gap=y, restitution=restitution, compliance=law)
    return jounce.compile_model(jounce.Model("ball", [y], [M], [-M * G - load], contacts=[floor], start={y: 0.1}))


def sorted_values(values: np.ndarray) -> np.ndarray:
    return np.array(sorted(np.asarray(values, dtype=complex), key=lambda value: (round(value.real, 6), value.imag)))


def test_hertz() -> None:
    K = 1e6
    found = jounce.find_equilibrium(ball(jounce.Hertz(K)), "PRESSED", {"y": -1e-4})
    depth = (M * G / K) ** (2 / 3)
    assert found.state["y"] == pytest.approx(-depth, rel=1e-11)
    assert found.forces[0, 0] == pytest.approx(M * G, rel=1e-11)
    rate = np.sqrt(1.5 * K * np.sqrt(depth) / M)
    np.testing.assert_allclose(sorted_values(found.eigenvalues), [-1j * rate, 1j * rate], atol=1e-9 * rate)
    assert found.consistent
    assert not found.stable  # nothing is damped
    assert found.mode == {"floor": "PRESSED"}
    # a run from there stays there
    run = jounce.simulate(found.system, found.state, 1.0)
    assert run.final["y"] == pytest.approx(-depth, rel=1e-9)


def test_kelvin_voigt() -> None:
    k, c = 5e3, 12.0
    found = jounce.find_equilibrium(ball(jounce.KelvinVoigt(k, c)), {"floor": "PRESSED"})
    assert found.state["y"] == pytest.approx(-M * G / k, rel=1e-12)
    np.testing.assert_allclose(sorted_values(found.eigenvalues), sorted_values(np.roots([M, c, k])), rtol=1e-10)
    assert found.stable


def test_a_branch_of_springs_and_dampers() -> None:
    """The standard linear solid rests without force in its branch; its three eigenvalues are those of the cubic."""
    k0, k, c = 4e3, 3e3, 50.0
    found = jounce.find_equilibrium(ball(jounce.StandardLinearSolid(k0, k, c)), "PRESSED", {"y": -1e-3})
    assert found.state["y"] == pytest.approx(-M * G / k0, rel=1e-11)
    assert found.state["d_floor_branch"] == pytest.approx(0.0, abs=1e-10 * M * G)
    expected = np.roots([M / k, M / c, k0 / k + 1, k0 / c])
    np.testing.assert_allclose(sorted_values(found.nontrivial), sorted_values(expected), rtol=1e-9)
    assert found.stable


def test_maxwell_cannot_carry_a_weight() -> None:
    with pytest.raises(jounce.SimulationError, match="no equilibrium"):
        jounce.find_equilibrium(ball(jounce.Maxwell(4e3, 50.0)), "PRESSED", {"y": -1e-3})


def test_damping_by_the_touch_that_a_state_remembers() -> None:
    """Hunt and Crossley: F = K d^n (1 + a d'/v) with v of the touch; around rest c = a m g/v."""
    K, e = 1e6, 0.6
    system = ball(jounce.HuntCrossley(K), e)
    run = jounce.simulate(system, {"y": 1e-9}, 4.0)
    speed = -float(run.events[run.events.kind == "touch"].v_n_after.iloc[-1])
    found = jounce.find_equilibrium(system, "PRESSED", run.final)
    depth = (M * G / K) ** (2 / 3)
    assert found.state["y"] == pytest.approx(-depth, rel=1e-10)
    expected = np.roots([M, 1.5 * (1 - e) * M * G / speed, 1.5 * K * np.sqrt(depth)])
    np.testing.assert_allclose(sorted_values(found.eigenvalues), sorted_values(expected), rtol=1e-8)
    assert found.stable
    # without a touch the law has no damping
    undamped = jounce.find_equilibrium(system, "PRESSED", {"y": -depth})
    np.testing.assert_allclose(undamped.eigenvalues.real, 0.0, atol=1e-6)


def test_a_branch_ends_where_the_contact_opens(tmp_path: Path) -> None:
    """A floor that hangs below a spring is unloaded: depth (m g + load)/k, at zero the contact opens."""
    y, _dy = jounce.coordinate("y", "m")
    load, k, s = jounce.parameters(load=(0.0, "N"), k=(5e3, "N/m"), s=(100.0, "N/m"))
    floor = jounce.Contact("floor", gap=y, compliance=jounce.KelvinVoigt(k, 12.0))
    model = jounce.Model("lifted", [y], [M], [-M * G - load - s * (y + 0.01)], contacts=[floor])
    system = jounce.compile_model(model)
    branch = jounce.continue_equilibrium(jounce.find_equilibrium(system, "PRESSED"), "load", (-40.0, 10.0))
    boundary = next(special for special in branch.specials if special.kind == "boundary")
    assert boundary.parameter == pytest.approx(-M * G - 1.0, rel=1e-9)
    values = branch.table["load"].to_numpy()
    np.testing.assert_allclose(branch.table["y"], -(M * G + values + 1.0) / 5.1e3, atol=1e-12)
    branch.save(tmp_path / "rest.nc")
    again = jounce.load(tmp_path / "rest.nc")
    assert again.points[0].solution.forces == pytest.approx(branch.points[0].solution.forces)


def test_hopf_point_of_a_block_on_a_belt_that_is_pressed_softly() -> None:
    """Falling friction mu(v) = a exp(-v/b) under a compliant floor: damping vanishes at c = -N mu'(v) (v_s -> 0).

    The cycle that begins there has the frequency sqrt(k/m) and is found from the Hopf point.
    """
    x, dx = jounce.coordinate("x", "m")
    y, _dy = jounce.coordinate("y", "m")
    c, v = jounce.parameters(c=(3.0, "N s/m"), v=(0.5, "m/s"))
    slip = jounce.slip
    mu = sp.Rational(2, 5) * sp.exp(-2 * sp.Abs(slip))
    floor = jounce.Contact(
        "belt", gap=y, slip=dx - v, friction=mu, compliance=jounce.KelvinVoigt(1e5, 300.0, friction_speed=1e-6)
    )
    model = jounce.Model("belt", [x, y], [M, M], [-50 * x - c * dx, -M * G], contacts=[floor])
    system = jounce.compile_model(model)
    rest = jounce.find_equilibrium(system, "PRESSED", {"y": -1e-4}, c=9.0)
    assert rest.stable
    friction = 0.4 * np.exp(-1.0)
    assert rest.state["x"] == pytest.approx(M * G * friction / 50, rel=1e-9)
    branch = jounce.continue_equilibrium(rest, "c", (0.5, 9.0))
    hopf = next(special for special in branch.specials if special.kind == "hopf")
    assert hopf.parameter == pytest.approx(2 * friction * M * G, rel=1e-9)
    cycle = jounce.switch_branch(branch, hopf)
    assert cycle.period == pytest.approx(2 * np.pi * np.sqrt(M / 50), rel=1e-3)


def test_modes_are_those_of_the_contact() -> None:
    with pytest.raises(jounce.OptionError, match="its modes are OPEN, PRESSED"):
        jounce.find_equilibrium(ball(jounce.Hertz(1e6)), "STICK")
    with pytest.raises(jounce.OptionError, match="cannot be PRESSED"):
        jounce.find_equilibrium(jounce.systems.bouncing_ball(), "PRESSED")


def test_discrete_states_are_those_of_the_guess() -> None:
    """A relay that holds a weight: where it rests depends on its side, which used to count as zero."""
    x, dx = jounce.coordinate("x", "m")
    side = jounce.discrete("side", 1)
    model = jounce.Model("held", [x], [1], [-10 * x - dx + side], resets=[jounce.Reset(x - 5, {side: -side})])
    assert jounce.find_equilibrium(model, {}).state["x"] == pytest.approx(0.1, rel=1e-12)
    assert jounce.find_equilibrium(model, {}, {"side": -1}).state["x"] == pytest.approx(-0.1, rel=1e-12)
