"""The outline of a model: everything by which it is run, read off its expressions once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jounce.model.compliance import OwnCompliance
from jounce.model.contact import Contact
from jounce.model.loads import kind_of_load
from jounce.model.outline import ComplianceOutline, ContactOutline, Outline, ResetOutline
from jounce.model.real_states import real_states
from jounce.model.resets import Reset, unread_states
from jounce.model.speeds import depends_on_speed
from jounce.model.switching.switch import surface_guard

if TYPE_CHECKING:
    from jounce.model.model import Model


def outline_of(model: Model) -> Outline:
    """A model without its expressions."""
    return Outline(
        name=model.name,
        coordinates=dict(model.coordinates),
        parameters=dict(model.parameters),
        states=dict(model.states),
        start=dict(model.start),
        scales=dict(model.scales),
        contacts=tuple(_contact(model, contact) for contact in model.contacts),
        joints=tuple(model.joints),
        guards=tuple(model.guards),
        resets=tuple(_reset(reset) for reset in model.resets),
        compliant_memory=len(model.memory) - len(model.states),
        real_states=real_states(model),
        unread_states=unread_states(model) if model.states else (),
        has_period=model.period is not None,
        ranges=dict(entry for contact in model.contacts for entry in contact.curve_ranges.items()),
    )


def _contact(model: Model, contact: Contact) -> ContactOutline:
    law = contact.compliance
    return ContactOutline(
        name=contact.name,
        has_friction=contact.has_friction,
        law=contact.law,
        compliance=None if law is None else ComplianceOutline(law.pulls, law.branch, law.law == OwnCompliance.__name__),
        load=contact.load,
        kind_of_load=kind_of_load(contact, model.joints),
        depends_on_speed=depends_on_speed(contact),
        tangential_restitution=contact.tangential_restitution != 0,
    )


def _reset(reset: Reset) -> ResetOutline:
    return ResetOutline(
        reset.name, str(reset.guard), reset.direction, reset.event, tuple(reset.map), surface_guard(reset)
    )
