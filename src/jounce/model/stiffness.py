"""Stiffness of elastic contact from materials and radii."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.expressions import as_expression


@dataclass(frozen=True)
class Material:
    """An elastic material; both values may be parameters.

    E    Young's modulus [Pa]
    nu   Poisson's ratio

    >>> steel = jounce.Material(E=207e9, nu=0.3)
    >>> f"{float(jounce.hertz_stiffness(0.025, material=steel)):.4g} N/m^1.5"
    '2.398e+10 N/m^1.5'
    """

    E: Any
    nu: Any

    def __post_init__(self) -> None:
        if as_expression(self.E, "Material: E").is_nonpositive:
            raise ModelError(f"Young's modulus is {self.E}; it must be positive [Pa], e.g. 207e9 for steel")
        ratio = as_expression(self.nu, "Material: nu")
        if ratio.is_number and not -1 < ratio <= sp.Rational(1, 2):
            raise ModelError(f"Poisson's ratio is {self.nu}; it must lie in (-1, 0.5], e.g. 0.3 for steel")

    @property
    def compliance(self) -> Any:
        """sigma = (1 - nu^2)/E (Flores & Ambrosio 2010, equation 3)."""
        return (1 - self.nu**2) / self.E


def hertz_stiffness(
    radius: Any, other: Any = None, *, material: Material, other_material: Material | None = None, inside: bool = False
) -> Any:
    """K of F = K delta^(3/2) between two bodies (Flores & Ambrosio 2010, equation 2):

        K = 4 sqrt(R) / (3 (sigma_i + sigma_j))

    radius          of the sphere, or of the journal
    other           radius of the other sphere, or of the bearing; None: a plane
    other_material  None: the same
    inside          the first body lies inside the second: a journal in its bearing

    R = R_i R_j/(R_i + R_j) for two spheres, R_i on a plane, and R_i R_j/(R_j - R_i) for a journal in a bearing: the
    paper's own number, 3e6 N at 1.2 mm, decides for bearing minus journal.

    >>> steel = jounce.Material(E=207e9, nu=0.3)
    >>> f"{float(jounce.hertz_stiffness(0.025, 0.025, material=steel)):.4g} N/m^1.5"
    '1.695e+10 N/m^1.5'
    """
    for name, value in (("radius", radius), ("other", other)):
        optional = name == "other" and value is None
        if not optional and as_expression(value, f"hertz_stiffness: {name}").is_nonpositive:
            raise ModelError(f"hertz_stiffness: {name} is {value}; it must be positive")
    for name, given in (
        ("material", material),
        ("other_material", material if other_material is None else other_material),
    ):
        if not isinstance(given, Material):
            raise ModelError(f"hertz_stiffness: {name} must be a Material, e.g. Material(207e9, 0.3), not {given!r}")
    if not isinstance(inside, bool):
        raise ModelError(f"hertz_stiffness: inside must be True or False, not {inside!r}")
    if inside and other is None:
        raise ModelError("hertz_stiffness: a journal inside a bearing needs the bearing's radius, other=")
    if inside and as_expression(other - radius, "hertz_stiffness: other").is_nonpositive:
        raise ModelError(f"hertz_stiffness: the bearing's radius {other} must be larger than the journal's {radius}")
    effective = radius if other is None else radius * other / (other - radius if inside else other + radius)
    second = material if other_material is None else other_material
    stiffness = 4 * sp.sqrt(effective) / (3 * (material.compliance + second.compliance))
    return float(stiffness) if stiffness.is_number else stiffness
