"""Attractors as rows of a table: what a store keeps as numbers, in words."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.attractors.signature import signature_text
from jounce.kernels.records import attractor_codes as codes
from jounce.simulation.status import StatusCode

if TYPE_CHECKING:
    import pandas as pd

    from jounce.model.model import Model


class AttractorKind(IntEnum):
    """What a motion ends in; the numbers are those of kernels/records/attractor_codes.py."""

    NONE = -1  # not computed
    REST = codes.REST
    PERIODIC = codes.PERIODIC
    CHAOTIC = codes.CHAOTIC
    UNSETTLED = codes.UNSETTLED
    STOPPED = codes.STOPPED_MOTION

    def __str__(self) -> str:
        return self.name.lower()


def attractor_table(facts: dict[str, np.ndarray], model: Model) -> pd.DataFrame:
    """One row an attractor: kind, period, signature, impacts and events in a period, status, exponent, returns."""
    import pandas as pd

    contacts = tuple(contact.name for contact in model.contacts)
    resets = tuple(reset.name for reset in model.resets)
    kinds = [AttractorKind(int(kind)) for kind in facts["kind"]]
    periodic = np.isin(facts["kind"], (codes.PERIODIC, codes.REST))
    table: dict[str, Any] = {
        "kind": [str(kind) for kind in kinds],
        "period": np.where(facts["kind"] == codes.PERIODIC, facts["period"], 0),
        "signature": [
            signature_text(tuple(entries), int(length), contacts, resets) if kind is AttractorKind.PERIODIC else ""
            for kind, entries, length in zip(kinds, facts["signature"].tolist(), facts["entries"], strict=True)
        ],
        "impacts": np.where(periodic, facts["impacts"], 0),
        "events": np.where(periodic, facts["events"], 0),
        "status": [
            StatusCode(int(status)).name if kind in (AttractorKind.STOPPED, AttractorKind.REST) and status > 0 else ""
            for kind, status in zip(kinds, facts["status"], strict=True)
        ],
        "exponent": facts["exponent"],
        "returns": facts["returns"],
    }
    return pd.DataFrame(table)
