"""Stiffness from materials and radii: the formulas by hand, the paper's numbers, the refusals."""

from __future__ import annotations

import math

import pytest

import jounce
from jounce import Material, ModelError, hertz_stiffness

STEEL = Material(E=207e9, nu=0.3)
BRONZE = Material(E=110e9, nu=0.34)


def test_two_spheres() -> None:
    sigma = (1 - 0.3**2) / 207e9 + (1 - 0.34**2) / 110e9
    expected = 4 / (3 * sigma) * math.sqrt(0.02 * 0.07 / 0.09)
    assert hertz_stiffness(0.02, 0.07, material=STEEL, other_material=BRONZE) == pytest.approx(expected, rel=1e-14)
    assert hertz_stiffness(0.07, 0.02, material=BRONZE, other_material=STEEL) == pytest.approx(expected, rel=1e-14)


def test_a_plane_is_a_sphere_without_end() -> None:
    plane = hertz_stiffness(0.05, material=STEEL)
    assert plane == pytest.approx(hertz_stiffness(0.05, 5e13, material=STEEL), rel=1e-12)
    # Flores & Ambrosio 2010, section 5.1: K = 3.39e10 N/m^1.5
    assert plane == pytest.approx(3.39e10, abs=0.005e10)


def test_a_journal_in_its_bearing() -> None:
    K = hertz_stiffness(0.0095, 0.01, material=STEEL, inside=True)
    assert pytest.approx(4 / (6 * STEEL.compliance) * math.sqrt(0.19), rel=1e-13) == K
    # section 5.2: 1.2 mm of penetration are about 3e6 N; with the sum of the radii it would be 0.4e6
    assert round(K * 0.0012**1.5 / 1e6) == 3


def test_parameters_stay_parameters() -> None:
    radius, modulus = jounce.parameters(R=(0.05, "m"), E=(207e9, "Pa"))
    K = hertz_stiffness(radius, material=Material(E=modulus, nu=0.3))
    assert {symbol.name for symbol in K.free_symbols} == {"R", "E"}
    assert float(K.subs({radius: 0.05, modulus: 207e9})) == pytest.approx(hertz_stiffness(0.05, material=STEEL))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Material(E=-1.0, nu=0.3), "Young's modulus is -1.0; it must be positive"),
        (lambda: Material(E=1.0, nu=0.7), r"Poisson's ratio is 0.7; it must lie in \(-1, 0.5\]"),
        (lambda: hertz_stiffness(0.0, material=STEEL), "radius is 0.0; it must be positive"),
        (lambda: hertz_stiffness(0.01, material=STEEL, inside=True), "needs the bearing's radius, other="),
        (lambda: hertz_stiffness(0.02, 0.01, material=STEEL, inside=True), "must be larger than the journal's 0.02"),
    ],
)
def test_what_makes_no_sense_is_refused(call: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        call()  # type: ignore[operator]
