"""Status and options for runs written by hand."""

from __future__ import annotations

from jounce.simulation.options import Options
from jounce.simulation.status import Status, StatusCode


def finished(t: float) -> Status:
    return Status(StatusCode.FINISHED, f"reached t={t:.6g}")


def options() -> Options:
    return Options(tolerance=1e-9, law="poisson")
