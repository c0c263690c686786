"""Which restitution a law gives: simulated against closed forms and other programs, any mass, stiffness and speed."""

from __future__ import annotations

import math

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jounce
from jounce.analysis.impacts.restitution import damping_ratio, exact_restitution, hysteretic_restitution
from tests.compliant.references import collide, linear_solid

HYSTERETIC = (jounce.HuntCrossley, jounce.LankaraniNikravesh, jounce.Flores2011)


@pytest.mark.parametrize("law", HYSTERETIC)
@pytest.mark.parametrize("asked", [0.05, 0.3, 0.6, 0.9, 0.99])
def test_hysteretic_laws_against_the_closed_form(law: type, asked: float) -> None:
    a = float(law(1.0).factor(asked))
    with mp.workdps(30):  # the equation of the module, solved by another program
        a = mp.mpf(a)
        ends = (mp.mpf("1e-6"), min(mp.mpf(1), 1 / mp.mpf(a)) * (1 - mp.mpf("1e-28")))
        root = mp.findroot(lambda e: a * (1 + e) - mp.log((1 + a) / (1 - a * e)), ends, solver="anderson", tol=1e-40)
        e = float(root)
    assert exact_restitution(law(1.0), asked) == pytest.approx(e, abs=1e-13)
    assert jounce.achieved_restitution(law(1e9), asked) == pytest.approx(e, abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(
    which=st.sampled_from(HYSTERETIC),
    asked=st.floats(0.1, 0.999),
    exponent=st.sampled_from([1.0, 1.5, 2.0]),
    stiffness=st.floats(3, 11),
    mass=st.floats(-3, 3),
    speed=st.floats(-2, 1),
)
def test_the_rebound_depends_on_the_asked_one_alone(
    which: type, asked: float, exponent: float, stiffness: float, mass: float, speed: float
) -> None:
    law = which(10**stiffness, exponent)
    achieved = jounce.achieved_restitution(law, asked, mass=10**mass, speed=10**speed)
    assert achieved == pytest.approx(exact_restitution(law, asked), abs=1e-9)


def test_hertz_gives_everything_back() -> None:
    assert jounce.achieved_restitution(jounce.Hertz(3e8)) == pytest.approx(1.0, abs=1e-11)


@pytest.mark.parametrize("zeta", [0.01, 0.15, 0.5, 0.9, 1.0, 1.7])
@pytest.mark.parametrize("adhesive", [False, True])
def test_kelvin_voigt(zeta: float, adhesive: bool) -> None:
    """Until F = 0 or until g = 0; from critical damping on the second has no rebound."""
    k, m, v = 4e5, 2.5, 0.8
    law = jounce.KelvinVoigt(k, 2 * zeta * math.sqrt(k * m), adhesive=adhesive)
    exact = exact_restitution(law, mass=m)
    assert jounce.achieved_restitution(law, mass=m, speed=v) == pytest.approx(exact, abs=1e-9)
    if not adhesive and zeta < 1:  # the time at which F = 0 by another program
        w = math.sqrt(k / m)
        wd = w * math.sqrt(1 - zeta**2)
        end = mp.findroot(
            lambda t: mp.sin(wd * t) * (1 - 2 * zeta**2) * w / wd + 2 * zeta * mp.cos(wd * t),
            (0, mp.pi / wd),
            solver="anderson",
        )
        velocity = mp.exp(-zeta * w * end) * (mp.cos(wd * end) - zeta * w / wd * mp.sin(wd * end))
        assert exact == pytest.approx(-float(velocity), abs=1e-12)
    if adhesive and zeta < 1:
        duration, departure = collide(lambda d, r, _: k * d + 2 * zeta * math.sqrt(k * m) * r, m, v)
        assert exact == pytest.approx(departure / v, abs=1e-9)
        assert duration == pytest.approx(math.pi / math.sqrt(k / m * (1 - zeta**2)), rel=1e-9)


@pytest.mark.parametrize("asked", [0.1, 0.5, 0.95])
def test_maxwell_gives_what_its_damping_ratio_asks_for(asked: float) -> None:
    k, m, v = 4e5, 2.5, 0.8
    law = jounce.Maxwell(k, math.sqrt(k * m) / (2 * damping_ratio(asked)))
    assert exact_restitution(law, mass=m) == pytest.approx(asked, abs=1e-12)
    assert jounce.achieved_restitution(law, mass=m, speed=v) == pytest.approx(asked, abs=1e-9)


@pytest.mark.parametrize(("k0", "k", "c"), [(1e5, 3e5, 200.0), (3e5, 1e5, 50.0), (1e4, 1e6, 4000.0)])
def test_standard_linear_solid(k0: float, k: float, c: float) -> None:
    _, expected = linear_solid(k0, k, c, m=1.5, v=0.6)
    achieved = jounce.achieved_restitution(jounce.StandardLinearSolid(k0, k, c), mass=1.5, speed=0.6)
    assert achieved == pytest.approx(expected, abs=1e-9)
    with pytest.raises(jounce.ModelError, match="StandardLinearSolid has no closed form"):
        exact_restitution(jounce.StandardLinearSolid(k0, k, c))


def test_the_closed_form_near_no_damping() -> None:
    """Where the logarithm cancels: 1 - 2a/3 + O(a^2)."""
    assert hysteretic_restitution(0.0) == 1.0
    assert hysteretic_restitution(1e-7) == pytest.approx(1 - 2e-7 / 3, abs=1e-13)
    with pytest.raises(jounce.ModelError, match="must not be negative"):
        hysteretic_restitution(-0.1)


def test_wrong_arguments() -> None:
    with pytest.raises(jounce.ModelError, match="mass is 0"):
        jounce.achieved_restitution(jounce.Hertz(1e6), mass=0)
    with pytest.raises(jounce.ModelError, match=r"values in \(0, 1\]"):
        damping_ratio(0.0)
    with pytest.raises(jounce.SimulationError, match="Flores2011 divides by the restitution"):
        jounce.achieved_restitution(jounce.Flores2011(1e6), 0.0)
