"""The audit of a run as a table, and as the status of a run that fails it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.simulation.audit.findings import Finding, no_findings, place_name
from jounce.simulation.audit.laws import law_findings
from jounce.simulation.audit.ledger import ledger_findings
from jounce.simulation.audit.motion import motion_findings
from jounce.simulation.audit.resets import reset_findings
from jounce.simulation.kinks import kink_advice
from jounce.simulation.options import Audit
from jounce.simulation.run_start import machine_record
from jounce.simulation.status import Status, StatusCode

if TYPE_CHECKING:
    import pandas as pd

    from jounce.simulation.trajectory import Trajectory


_USUAL_ADVICE = (
    "Try a smaller Options.tolerance, and units in which lengths and times are near 1; if that does not help it is an "
    "error of Jounce worth reporting"
)
#: Of what is no error of Jounce, but beyond what the model can say.
_ADVICE = {
    Finding.NEGATIVE_FRICTION: (
        "Friction brakes, so its coefficient and preload must not be negative: write Max(0, ...) where it vanishes, or "
        "end the run there with a guard"
    ),
    Finding.SWITCH: (
        "The value that holds a switch on its surface is found from the forces of the model alone. A force that acts "
        "along the velocity by which it switches is Contact(slip=..., load=(), preload=...), which contacts may push; "
        "let other switches act over a small width, tanh(s/width)"
    ),
}


def audit_table(run: Trajectory, audit: Audit) -> pd.DataFrame:
    """One row a finding: t, contact (or joint; NaN: the whole system), what, amount and limit in model units."""
    import pandas as pd

    rows = findings(run, audit)
    names = [place_name(int(code), run.contacts, run.system.joint_names) for code in rows[:, 1]]
    return pd.DataFrame(
        {
            "t": rows[:, 0],
            "contact": pd.Series(names, dtype="str"),
            "what": pd.Series([str(Finding(int(code))) for code in rows[:, 2]], dtype="str"),
            "amount": rows[:, 3],
            "limit": rows[:, 4],
        }
    )


def findings(run: Trajectory, audit: Audit, machine: Any = None) -> np.ndarray:
    """The rows of findings of a run, in the order of time."""
    if audit is Audit.OFF or (not len(run.data.step_t) and run.data.record != "all"):
        return no_findings()
    if machine is None:
        machine = machine_record(run.system, run.data.parameters, run.options)
    rows = motion_findings(run, audit, machine)
    if run.outline.states:
        from jounce.simulation.audit.switches import switch_findings

        rows = np.vstack([switch_findings(run), rows])  # it says why sides are wrong behind it
    if audit is Audit.DENSE:
        rows = np.vstack([rows, ledger_findings(run), law_findings(run), reset_findings(run)])
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
    return rows


def audited(run: Trajectory, machine: Any) -> Trajectory:
    """The run itself if it passes the audit of its options; else the same motion with the status AUDIT_FAILED."""
    audit = run.options.audit
    if audit is Audit.OFF or not run.status.ok:
        return run
    rows = findings(run, audit, machine)  # type: ignore[arg-type]
    if not len(rows):
        return run
    return type(run)(replace(run.data, status=_failed(run, rows)), run.model)


def _failed(run: Trajectory, rows: np.ndarray) -> Status:
    """What failed first, and what to try."""
    t, code, what, amount, limit = rows[0].tolist()
    place = place_name(int(code), run.contacts, run.system.joint_names)
    finding = Finding(int(what))
    unit = f" ({finding.unit})" if finding.unit else ""
    where = f" at {place!r}" if place else ""
    much = f", by {amount:.3g} where {limit:.1g} is rounding{unit}" if finding is not Finding.NOT_FINITE else ""
    return Status(
        StatusCode.AUDIT_FAILED,
        f"the recorded motion fails its audit at t={t:.9g}: {finding}{where}{much}; "
        f"{len(rows)} findings in all, see run.audit(). The motion is not to be trusted from there on. "
        f"{kink_advice(run.model, run.contacts)}{_ADVICE.get(finding, _USUAL_ADVICE)}",
    )
