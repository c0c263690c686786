"""What a run amounts to, in a few lines for people and as JSON for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.simulation.energy import ledger_columns
from jounce.simulation.events import EventKind, event_columns
from jounce.simulation.modes import Mode, mode_codes

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory


def summary_content(run: Trajectory) -> dict[str, Any]:
    """The facts of a run, ready for JSON."""
    ledger = ledger_columns(run.data, run.system)  # without xarray, whose import would cost a short run half its time
    last = {
        name: float(values[-1]) for name, values in ledger.items() if values.ndim == 1 and name not in ("time", "jump")
    }
    kinds = run.data.event_int[:, 0]
    return {
        "model": run.outline.name,
        "parameters": run.parameters,
        "status": {"name": run.status.name, "message": run.status.message},
        "t_start": run.t_start,
        "t_end": run.t_end,
        "start": run.start.as_dict(),
        "final": run.final.as_dict(),
        "steps": len(run.data.step_t),
        "events": {str(kind): int(np.sum(kinds == kind)) for kind in EventKind if np.any(kinds == kind)},
        "impacts": _impacts(run),
        "time_in_mode": _time_in_mode(run),
        "energy": {**last, "largest_residual": float(np.max(np.abs(ledger["residual"])))},
        "energy_exchanged": energy_exchanged(ledger),
        "wall_time": run.data.wall_time,
    }


def event_rows(run: Trajectory) -> list[dict[str, Any]]:
    """The events, one dictionary each, without what has no meaning for their kind."""
    if run.data.record == "nothing":
        return []
    # not run.events: a command does without pandas
    columns = event_columns(
        run.data, run.contacts, list(run.outline.guards), [reset.name for reset in run.outline.resets]
    )
    lists = [column if isinstance(column, list) else column.tolist() for column in columns.values()]
    rows = (zip(columns, values, strict=True) for values in zip(*lists, strict=True))
    # NaN is not itself
    return [{name: value for name, value in row if value is not None and value == value} for row in rows]


def summary_text(run: Trajectory) -> str:
    """The facts of a run for people."""
    facts = summary_content(run)
    energy = facts["energy"]
    lines = [
        f"{facts['model']}: {facts['status']['name']} at t = {facts['t_end']:.6g} s "
        f"(computed in {facts['wall_time']:.3g} s, {facts['steps']} steps)",
        f"  {facts['status']['message']}",
    ]
    if facts["events"]:
        lines.append("  events     " + ", ".join(f"{kind} {count}" for kind, count in facts["events"].items()))
    if facts["impacts"]:
        lines.append("  impacts    " + ", ".join(f"{name} {count}" for name, count in facts["impacts"].items()))
    for contact, shares in facts["time_in_mode"].items():
        total = sum(shares.values())
        spread = ", ".join(f"{mode} {100 * share / total:.3g} %" for mode, share in shares.items()) if total else "-"
        lines.append(f"  {contact:<10} {spread}")
    lines.append("  final      " + ", ".join(f"{name} = {value:.6g}" for name, value in facts["final"].items()))
    work = ["impact_loss", "friction_loss", "surface_work", "applied_work"]
    if any(contact.compliance is not None for contact in run.outline.contacts):
        work.insert(1, "contact_loss")
    if run.outline.resets:
        work.append("reset_work")
    unit = f" {run.outline.energy_unit}".rstrip()
    lines.append("  energy     " + ", ".join(f"{name.replace('_', ' ')} {energy[name]:.6g}{unit}" for name in work))
    exchanged = f"{facts['energy_exchanged']:.4g}{unit} exchanged"
    lines.append(f"  ledger     closes to {energy['largest_residual']:.2g}{unit} of {exchanged}")
    return "\n".join(lines)


def energy_exchanged(ledger: dict[str, Any]) -> float:
    """The largest of what entered, left or was stored: the scale against which a residual is judged."""
    total = ledger["kinetic"] + ledger["potential"] + ledger["elastic"]
    names = ("applied_work", "surface_work", "friction_loss", "impact_loss", "contact_loss", "reset_work")
    flows = [np.max(np.abs(ledger[name])) for name in names]
    return float(max(np.max(np.abs(total - total[0])), *flows))


def _impacts(run: Trajectory) -> dict[str, int]:
    if run.data.record == "nothing":
        return {}
    hits = run.data.event_int[run.data.event_int[:, 0] == EventKind.IMPACT, 1]
    return {name: int(np.sum(hits == i)) for i, name in enumerate(run.contacts)}


def _time_in_mode(run: Trajectory) -> dict[str, dict[str, float]]:
    """Seconds each contact spent in each mode it was in."""
    if len(run.data.step_t) == 0:
        return {}
    lengths = np.diff(np.append(run.data.step_t, run.t_end))
    codes = mode_codes(run.data.step_mode, len(run.contacts))
    return {
        contact: {str(mode): float(lengths[codes[:, i] == mode].sum()) for mode in Mode if np.any(codes[:, i] == mode)}
        for i, contact in enumerate(run.contacts)
    }
