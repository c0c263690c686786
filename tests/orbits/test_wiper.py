"""The wiper of Lancioni, Lenci and Galvanetto (2009): equilibria, Hopf points, and the branch that leads to hopping."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import jounce
from jounce.errors import OptionError, SimulationError
from jounce.papers.lancioni2009 import motion as wiper_motion

LAW = jounce.Options(law="poisson_two_phase", tolerance=1e-12)


@cache
def wiper():
    return jounce.compile_model(jounce.systems.wiper())


def rest(**parameters):
    return jounce.find_equilibrium(wiper(), "tip:SLIP+", **parameters)


@pytest.mark.parametrize("parameters", [{"mu": 0.3}, {"mu": 0.4, "phi0": 0.2}, {"mu": 0.3, "m1": 0.4, "k_phi": 25.0}])
def test_sliding_equilibrium_against_the_symbolic_flow(parameters):
    found = rest(**parameters)
    phi = wiper_motion.equilibrium(**parameters)
    assert found.state["phi"] == pytest.approx(phi, abs=1e-12)
    trace, stiffness = (wiper_motion.evaluate(name, phi, **parameters) for name in ("trace", "stiffness"))
    assert np.sum(found.eigenvalues).real == pytest.approx(trace, rel=1e-9)
    assert np.prod(found.eigenvalues).real == pytest.approx(-stiffness, rel=1e-9)
    assert found.forces[0, 0] == pytest.approx(wiper_motion.evaluate("force", phi, **parameters), rel=1e-9)
    assert found.consistent
    assert found.mode == {"tip": "SLIP+"}


@pytest.mark.parametrize(
    ("parameter", "begin", "bounds", "fixed", "brackets"),
    [
        ("mu", 0.3, (0.2, 0.6), {}, [(0.3, 0.5)]),
        ("phi0", 0.2, (0.01, 0.6), {"mu": 0.4}, [(0.02, 0.1), (0.3, 0.42)]),
        ("mu", 0.3, (0.2, 0.5), {"m1": 0.4, "k_phi": 25.0}, [(0.3, 0.42)]),
        ("phi0", 0.3, (0.1, 0.55), {"mu": 0.4, "m1": 0.4, "k_phi": 25.0}, [(0.1, 0.3), (0.4, 0.5)]),
    ],
)
def test_hopf_points(parameter, begin, bounds, fixed, brackets):
    branch = jounce.continue_equilibrium(rest(**fixed, **{parameter: begin}), parameter, bounds)
    found = [special.parameter for special in branch.find("hopf")]
    expected = [wiper_motion.root_in(parameter, "trace", *bracket, **fixed) for bracket in brackets]
    assert found == pytest.approx(expected, abs=1e-9)


def test_equilibrium_branch_ends_where_the_force_vanishes():
    branch = jounce.continue_equilibrium(rest(mu=0.4, phi0=0.2), "phi0", (0.1, 0.6), direction="up")
    assert branch.specials[-1].kind == "boundary"
    lifts = wiper_motion.root_in("phi0", "force", 0.43, 0.5, mu=0.4)
    assert branch.specials[-1].parameter == pytest.approx(lifts, abs=1e-9)
    assert "normal force of tip" in branch.ends[1]
    assert branch.values[-1] == pytest.approx(lifts, abs=1e-9)


@cache
def hopping():
    """The branch from the Hopf point on, without restitution."""
    equilibria = jounce.continue_equilibrium(rest(mu=0.4), "mu", (0.38, 0.43))
    orbit = jounce.switch_branch(equilibria, equilibria.find("hopf")[0], options=LAW)
    return jounce.continue_orbit(orbit, "mu", (0.38, 0.5), step=0.005)


def test_slip_cycle_loses_contact_turns_and_begins_to_stick():
    """Fig. 2: the cycle of pure slip ends at 0.40983, hopping begins at 0.3896, the impact sticks from 0.3979 on."""
    branch = hopping()
    kinds = [special.kind for special in branch.specials]
    assert kinds == ["gain_of_flight", "fold", "gain_of_stick", "loss_of_slip"]
    flight, fold, stick, slip = (special.parameter for special in branch.specials)
    assert flight == pytest.approx(wiper_motion.slip_cycle_end(0.4097, 0.411), abs=1e-8)
    assert fold > flight
    assert stick == pytest.approx(0.3896, abs=1e-4)
    assert slip == pytest.approx(0.3979, abs=1e-4)
    assert "Hopf" in branch.ends[0]
    stable, values = branch.stable, branch.values
    turned = int(np.argmin(values))
    assert not stable[branch.specials[1].index + 1 : turned].any()  # what sweeps cannot show
    assert stable[turned + 1 :].all()


def test_stick_gives_zero_multipliers_and_the_trivial_one_is_told_apart():
    orbit = jounce.find_orbit(wiper(), hopping().points[-1].solution.state, options=LAW, mu=0.5)
    assert orbit.trivial.sum() == 1
    assert orbit.multipliers[orbit.trivial] == pytest.approx([1.0], abs=1e-12)
    assert np.abs(orbit.nontrivial).max() < 1e-9
    assert {step.mode_after for step in orbit.signature} == {"OPEN", "STICK", "SLIP+"}


def test_orbit_attracts_what_the_multipliers_say():
    """e = 0.2: distances to the orbit shrink by the leading multiplier in every period."""
    start = wiper().state(phi=0.35, y=math.cos(0.35) + 0.05)
    settled = jounce.simulate(wiper(), start, 20.0, options=LAW, mu=0.45, e=0.2).final
    orbit = jounce.find_orbit(wiper(), settled, "impact:tip", options=LAW, mu=0.45, e=0.2)
    values, vectors = np.linalg.eig(orbit.monodromy)
    leading = int(np.argmax(np.where(np.abs(values - 1.0) < 1e-6, 0.0, np.abs(values))))
    off = np.concatenate([orbit.state.q, orbit.state.u]) + 1e-5 * vectors[:, leading].real
    moved = jounce.State(0.0, off[:2], off[2:], wiper().coordinate_names)
    after = jounce.simulate(wiper(), moved, orbit.period, options=LAW, mu=0.45, e=0.2).final
    shrunk = np.concatenate([after.q - orbit.state.q, after.u - orbit.state.u])
    assert shrunk == pytest.approx(1e-5 * values[leading].real * vectors[:, leading].real, abs=2e-9)


def test_errors():
    with pytest.raises(OptionError, match="no contact 'tipp'"):
        jounce.find_equilibrium(wiper(), {"tipp": "SLIP+"})
    with pytest.raises(SimulationError, match="is forced"):
        jounce.find_equilibrium(wiper(), "SLIP+", v_amplitude=0.5)
    with pytest.raises(SimulationError, match="moves with its surface"):
        jounce.find_equilibrium(wiper(), "STICK")
    with pytest.raises(SimulationError, match="find_equilibrium"):
        jounce.find_orbit(wiper(), rest(mu=0.3).state, mu=0.3)
