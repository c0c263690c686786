"""ClearanceJoint: a pin with play, the journal of one body in the bearing of another.

With the eccentricity e = P_b - P_a of the journal's centre in the bearing and the clearance c = R_bearing - R_journal,

    gap           (c^2 - |e|^2)/(2 c)     vanishes where c - |e| does and with the same rate, smooth also at the centre
    penetration   |e| - c                 the true depth, where a compliant contact is pressed
    normal        n = -e/|e|, from the bearing's wall to the journal
    slip          t.(v_journal - v_bearing), t = (n_y, -n_x), of the material points that touch

(Flores & Ambrosio 2010, equation 18). The joint is a contact of the same name, not a constraint. At the start the
journal is centred and moves as in the machine with an ideal pin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jounce.errors import ModelError
from jounce.model.bodies.geometry import CircleOn
from jounce.model.bodies.joints import Pin
from jounce.model.bodies.touching import DrawnContact, contact_between
from jounce.model.compliance import ComplianceLaw, LankaraniNikravesh
from jounce.model.contact import Contact
from jounce.model.expressions import as_expression
from jounce.model.stiffness import Material, hertz_stiffness


class JournalContact(DrawnContact):
    """The contact of a journal in its bearing, drawn as a pin whose halves are apart by ``offset``."""

    def __init__(self, contact: DrawnContact, offset: tuple[Any, Any]) -> None:
        for attribute, value in {**vars(contact), "offset": offset}.items():
            object.__setattr__(self, attribute, value)


@dataclass(frozen=True, eq=False)
class ClearanceJoint(Pin):
    """A pin with play: ``first`` has the bearing around ``at_first``, ``second`` the journal around ``at_second``.

    bearing_radius, journal_radius   their difference is the clearance
    material       of both: the contact is compliant, Lankarani and Nikravesh's law with Hertz's stiffness
    compliance     another law of compliant contact; without it and without a material the contact is rigid
    restitution, friction, law       as in a Contact

    >>> bar = jounce.Body("bar", mass=1.0, inertia=0.1, center=(0.5, 0))
    >>> play = {"bearing_radius": 0.0101, "journal_radius": 0.01, "restitution": 0.5}
    >>> pin = jounce.ClearanceJoint("pin", jounce.ground, bar, (0, 0), (-0.5, 0), **play)
    >>> loose = jounce.Model.from_bodies("loose", bodies=[bar], joints=[pin], gravity=9.81)
    >>> [contact.name for contact in loose.contacts]
    ['pin']
    """

    bearing_radius: Any = None
    journal_radius: Any = None
    material: Material | None = None
    compliance: ComplianceLaw | None = None
    restitution: Any = 0
    friction: Any = 0
    law: str | None = None

    has_play = True

    def _check(self, where: str) -> None:
        super()._check(where)
        if self.bearing_radius is None or self.journal_radius is None:
            raise ModelError(f"{where} needs bearing_radius= and journal_radius=; without play use Revolute")
        for what in ("bearing_radius", "journal_radius"):
            radius = as_expression(getattr(self, what), f"{where}: {what}")
            if radius.is_number and not (radius.is_finite and radius > 0):
                raise ModelError(f"{where}: {what} is {float(radius):g}; it must be positive and finite")
        if as_expression(self.bearing_radius - self.journal_radius, where).is_nonpositive:
            raise ModelError(
                f"{where}: the bearing's radius {self.bearing_radius} must be larger than the journal's "
                f"{self.journal_radius}; without play use Revolute"
            )
        if self.material is not None and self.compliance is not None:
            raise ModelError(
                f"{where}: give material= (Hertz's stiffness) or compliance= (a law of your own), not both"
            )

    @property
    def eccentricity(self) -> tuple[Any, Any]:
        """(e_x, e_y), the journal's centre seen from the bearing's, along the ground's axes."""
        P_a, P_b = self.first.point(self.at_first), self.second.point(self.at_second)
        return P_b[0] - P_a[0], P_b[1] - P_a[1]

    def contact(self) -> Contact:
        """The contact that takes the place of the ideal pin's two equations."""
        law = self.compliance
        if self.material is not None:
            K = hertz_stiffness(self.journal_radius, self.bearing_radius, material=self.material, inside=True)
            law = LankaraniNikravesh(K)
        contact = contact_between(
            self.name,
            CircleOn(self.second, self.at_second, self.journal_radius),
            CircleOn(self.first, self.at_first, self.bearing_radius, inside=True),
            friction=None if self.friction == 0 else self.friction,
            restitution=self.restitution,
            law=self.law,
            compliance=law,
        )
        return JournalContact(contact, self.eccentricity)
