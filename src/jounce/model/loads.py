"""What loads a contact without a gap of its own: names of joints or of a contact, and a preload.

two joints               N = preload + the length of both forces      a pin
one joint                N = preload + |its force|                    a guide
two joints and a lever   N = preload + max(|force|, lever |couple|)   a guide held at its ends, 2/lever apart
a contact                N = preload + its normal force               a disc that resists rolling
nothing                  N = preload                                  a brake
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model.contact import Contact
from jounce.model.names import CONTACT, FIXED, GUIDE, PIN
from jounce.model.vocabulary import Vocabulary


def with_load(words: Vocabulary, contact: Contact) -> Contact:
    """The contact with its load in the model's own symbols; its gap, which it does not have, is zero."""
    where = f"contact {contact.name!r}"
    if contact.load is None:
        if contact.gap is None:
            raise ModelError(f"{where} needs a gap=, or load= where others load it")
        for what, default in (("preload", 0), ("lever", None)):
            if getattr(contact, what) != default:
                raise ModelError(f"{where}: {what}= belongs to a contact with load=, which has no gap of its own")
        return contact
    names = (contact.load,) if isinstance(contact.load, str) else contact.load
    if not isinstance(names, tuple | list) or len(names) > 2 or not all(isinstance(name, str) for name in names):
        raise ModelError(
            f"{where}: load must be the name of a contact or of a joint, two names of joints, or (), not "
            f"{contact.load!r}"
        )
    if contact.gap not in (None, 0):
        raise ModelError(f"{where} has a gap and a load; its own normal force loads a contact with a gap")
    if contact.slip is None:
        raise ModelError(f"{where} has a load but no slip velocity; give slip=, e.g. radius times angular velocity")
    for what in ("compliance", "penetration", "law"):
        if getattr(contact, what) is not None:
            raise ModelError(f"{where}: {what}= belongs to a contact with a gap, not to one with load=")
    if contact.restitution != 0 or contact.tangential_restitution != 0:
        raise ModelError(f"{where}: restitution belongs to a contact with a gap, not to one with load=")
    if contact.lever is not None and len(names) != 2:
        raise ModelError(f"{where}: lever= asks for two joints in load=, the force across the guide and its couple")
    return replace(
        contact,
        gap=sp.Integer(0),
        load=tuple(names),
        preload=words.expression(contact.preload, f"{where}: preload", velocities=False),
        lever=None if contact.lever is None else words.expression(contact.lever, f"{where}: lever", velocities=False),
    )


def check_loads(contacts: Sequence[Contact], joints: Mapping[str, Any]) -> None:
    """Raise a ModelError where a load names nothing that could load a contact."""
    bearers = [contact.name for contact in contacts if contact.load is None and contact.compliance is None]
    for contact in contacts:
        names = contact.load or ()
        valid = joints if len(names) == 2 else (*joints, *bearers)
        for name in names:
            if name not in valid:
                noun = "joints" if len(names) == 2 else "joints and rigid contacts"
                raise ModelError(
                    f"contact {contact.name!r}: load {name!r} does not exist; {suggestion(name, valid, noun)}"
                )


def kind_of_load(contact: Contact, joints: Mapping[str, Any]) -> str | None:
    """PIN, GUIDE, CONTACT or FIXED; None for a contact of its own gap."""
    if contact.load is None:
        return None
    if not contact.load:
        return FIXED
    if len(contact.load) == 2 and contact.lever is None:
        return PIN
    return GUIDE if contact.load[0] in joints else CONTACT
