"""The result of a run: dense everywhere, both sides of every jump, every event, the energy ledger."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jounce import __version__
from jounce.errors import SimulationError, is_one_of, suggestion
from jounce.model.names import is_integral
from jounce.simulation.dense_output import contacts_at, faces_at, states_at, step_index
from jounce.simulation.energy import energy_ledger
from jounce.simulation.events import TABLE_COLUMNS, EventKind, event_table
from jounce.simulation.guard_sides import sides_at
from jounce.simulation.joint_impulses import joint_impulses
from jounce.simulation.modes import Mode, codes_of, describe_mode, mode_codes
from jounce.simulation.options import Audit, parse_choice
from jounce.simulation.run_data import RunData
from jounce.system.compilation import compile_model
from jounce.system.state import State

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from jounce.model.model import Model
    from jounce.simulation.options import Options
    from jounce.simulation.status import Status
    from jounce.system.system import System

Side = Literal["left", "right"]


class Trajectory:
    """One run of a system, made by ``simulate`` or ``load``.

    Time is hybrid: at an event the state has a left and a right side, and both are kept.

    >>> ball = jounce.systems.bouncing_ball()
    >>> run = jounce.simulate(ball, {"y": 1.0}, t_end=1.0)
    >>> run.events[["t", "kind", "v_n_before"]].round(6)
              t    kind  v_n_before
    0  0.451524  impact   -4.429447
    >>> round(run.at(0.2)["y"], 6)
    0.8038
    """

    def __init__(self, data: RunData, model: Model | None = None) -> None:
        source = model or data.system
        if source is None:
            raise SimulationError("a Trajectory needs its system or its model; give model=...")
        self.data = data
        self.outline = source.outline
        self.coordinates: list[str] = list(self.outline.coordinates)
        self.contacts: list[str] = [contact.name for contact in self.outline.contacts]
        self._given_model = model

    @cached_property
    def model(self) -> Model:
        """The model, with its expressions."""
        return self._given_model if self.data.system is None else self.data.system.model  # type: ignore[return-value]

    # ------------------------------------------------------------------ what the run was

    @property
    def status(self) -> Status:
        """How the run ended: ``.name`` and ``.message``."""
        return self.data.status

    @property
    def options(self) -> Options:
        """The options of the run."""
        return self.data.options

    @property
    def t_start(self) -> float:
        """The time of the start."""
        return self.data.t_start

    @property
    def t_end(self) -> float:
        """The time reached, which is the time asked for only if the status says so."""
        return self.data.t_end_reached

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters at the start, by name; a schedule may have changed them later."""
        return dict(zip(self.outline.parameters, self.data.parameters.tolist(), strict=True))

    @cached_property
    def system(self) -> System:
        """The compiled system; a loaded run compiles it on first use."""
        if self.data.system is not None:
            return self.data.system
        return compile_model(self.model)

    # ------------------------------------------------------------------ states

    @cached_property
    def start(self) -> State:
        """The state at the start."""
        d = self.data
        return self._state(
            d.t_start, d.q_start, d.u_start, d.memory_start, d.mode_start, d.order_start, (), d.faces_start
        )

    @cached_property
    def final(self) -> State:
        """The state at the end, after any event there."""
        d = self.data
        known = d.memory_final, d.mode_final, d.order_final, d.sides_final, d.faces_final
        return self._state(d.t_end_reached, d.q_final, d.u_final, *known)

    @property
    def modes_dropped(self) -> str:
        """Why the modes that the start brought were not believed; "" if they were, or it brought none."""
        return self.data.modes_dropped

    @overload
    def at(self, t: float, side: Side = "right") -> State: ...
    @overload
    def at(self, t: Sequence[float] | NDArray[np.float64], side: Side = "right") -> list[State]: ...
    def at(self, t: ArrayLike, side: Side = "right") -> State | list[State]:
        """The state at time t, or a list of the states at several times.

        At a jump it is the state before it (side="left") or after it (side="right"). For many times ``states`` is
        faster: it gives one array.
        """
        times = self._checked_times(t, side)
        z, n = self._dense(times, side), len(self.coordinates)
        memories = self._memory(times, side)
        modes, orders = contacts_at(self.data, times, side)
        sides, faces = sides_at(self, times, side), faces_at(self.data, times, side, modes)
        states = [
            self._state(
                now,
                z[k, :n],
                z[k, n:],
                memories[k] if len(memories) else memories,
                modes[k],
                orders[k],
                sides[k],
                faces[k],
            )
            for k, now in enumerate(times.tolist())
        ]
        return states[0] if np.ndim(t) == 0 else states

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """A coordinate, velocity, discrete state or "t" at the beginning of every step and at the end: run["theta"].

        These are the times at which the run was computed, ``run["t"]``; at an event there is one row, that after it.
        """
        names = ("t", *self.variables())
        if not isinstance(name, str) or name not in (*names, *self.outline.states):
            shown = [known for known in (*names, *self.outline.states) if not is_integral(known)]
            raise SimulationError(f"a run has no {name!r}; {suggestion(str(name), shown)}")
        times = np.append(self.data.step_t, self.data.t_end_reached)
        self._need_steps()
        if name in self.outline.states:
            return self._memory(times, "right")[:, list(self.outline.states).index(name) - len(self.outline.states)]
        return times if name == "t" else self._dense(times, "right")[:, names.index(name) - 1]

    def states(self, times: ArrayLike, side: Side = "right") -> NDArray[np.float64]:
        """z = [q, u] at many times, shape (len(times), 2n): ``at`` without names, at array speed."""
        return self._dense(self._checked_times(times, side), side)

    def all_states(self, times: ArrayLike, side: Side = "right") -> NDArray[np.float64]:
        """``states`` with the discrete states behind them, shape (len(times), 2n + number of discrete states)."""
        checked = self._checked_times(times, side)
        return np.hstack([self._dense(checked, side), self._discrete(checked, side)])

    def modes(self, times: ArrayLike, side: Side = "right") -> xr.DataArray:
        """The mode of every contact at the given times, as words, with dimensions (time, contact)."""
        import xarray as xr

        checked = self._checked_times(times, side)
        labels = np.array([str(mode) for mode in Mode])
        return xr.DataArray(
            labels[self.mode_codes_at(checked, side)],
            coords={"time": checked, "contact": self.contacts},
            dims=("time", "contact"),
            name="mode",
        )

    def dataset(self, times: ArrayLike, side: Side = "right") -> xr.Dataset:
        """Coordinates, velocities and modes at the given times, with names, units and where they come from."""
        import xarray as xr

        checked = self._checked_times(times, side)
        z = self._dense(checked, side)
        variables: dict[str, Any] = {}
        for k, (name, unit) in enumerate(self.variables().items()):
            if is_integral(name):
                continue
            variables[name] = ("time", z[:, k], {"units": unit})
        states = self._discrete(checked, side)
        for k, state in enumerate(self.outline.states.values()):
            variables[state.name] = ("time", states[:, k], {"units": state.unit})
        variables["mode"] = (
            ("time", "contact"),
            self.mode_codes_at(checked, side).astype(np.int8),
            {"flag_values": np.arange(len(Mode), dtype=np.int8), "flag_meanings": " ".join(map(str, Mode))},
        )
        coords = {"time": ("time", checked, {"units": "s"}), "contact": self.contacts}
        return xr.Dataset(variables, coords, attrs=self.attributes())

    def variables(self) -> dict[str, str]:
        """Name -> unit of every coordinate, then every velocity; the columns of ``states``."""
        return {**self.outline.coordinates, **self.outline.velocity_units}

    def attributes(self) -> dict[str, str]:
        """Where this run comes from, as text that every file format can hold."""
        return {
            "model": self.outline.name,
            "parameters": json.dumps(self.parameters),
            "status": self.status.name,
            "status_message": self.status.message,
            "version": __version__,
        }

    # ------------------------------------------------------------------ events, energy, forces

    @cached_property
    def events(self) -> pd.DataFrame:
        """Every event in order, one row each: see docs/notation.md for the columns."""
        resets = [reset.name for reset in self.outline.resets]
        return event_table(self.data, self.contacts, list(self.outline.guards), resets)

    @cached_property
    def energy(self) -> xr.Dataset:
        """The energy ledger at the step boundaries: see ``jounce.simulation.energy.energy_ledger``."""
        return energy_ledger(self.data, self.system)

    def contact_forces(self, times: ArrayLike) -> xr.Dataset:
        """Normal and tangential force of every contact, and the joint forces, at the given times."""
        from jounce.simulation.forces import contact_forces

        return contact_forces(self, times)

    def joint_forces(self, times: ArrayLike | None = None) -> xr.Dataset:
        """The force of every joint equation by its name, with its unit: see ``jounce.simulation.forces``."""
        from jounce.simulation.forces import joint_forces

        return joint_forces(self, times)

    def joint_impulses(self) -> pd.DataFrame:
        """What every joint transmits in every impact: see ``jounce.simulation.joint_impulses``."""
        return joint_impulses(self)

    def audit(self, level: str = "dense") -> pd.DataFrame:
        """What is wrong with the recorded motion, one row a finding: t, contact, what, amount; empty when clean.

        level   "dense" looks inside every step, "events" at the start of every step and both sides of every event, as
                a run does by itself at its end. Only recorded steps can be audited (record="all").
        """
        from jounce.simulation.audit.report import audit_table

        self._need_steps()
        return audit_table(self, parse_choice(Audit, level, "level"))

    def mode_intervals(self, contact: str) -> list[tuple[float, float, Mode]]:
        """The spans (t_from, t_to, mode) of one contact, in order, equal neighbours joined."""
        self._need_steps()
        if not is_one_of(contact, self.contacts):
            raise SimulationError(
                f"no contact {contact!r} in {self.outline.name}; contacts: {', '.join(self.contacts)}"
            )
        codes = mode_codes(self.data.step_mode, len(self.contacts))[:, self.contacts.index(contact)]
        first = np.flatnonzero(np.diff(codes, prepend=-1))
        starts = self.data.step_t[first]
        ends = np.append(starts[1:], self.data.t_end_reached)
        return [(float(a), float(b), Mode(int(codes[k]))) for a, b, k in zip(starts, ends, first, strict=True) if b > a]

    # ------------------------------------------------------------------ files

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything to one file, which ``jounce.load`` reads back."""
        from jounce.storage import save

        save(self, path)

    def _repr_html_(self) -> str:
        """For notebooks: what the run was, how it ended, what happened; ``jounce.show(run)`` plays it."""
        from jounce.html_summary import summary, table

        kinds = self.events["kind"].value_counts()
        facts = {
            "time": f"{self.t_start:g} to {self.t_end:g} s",
            "status": f"{self.status.name}: {self.status.message}",
            "parameters": ", ".join(f"{name} = {value:g}" for name, value in self.parameters.items()),
            "events": ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "none",
        }
        start, final = self.start.as_dict(), self.final.as_dict()
        rows = [(name, start[name], final[name]) for name in start]
        return summary(f"Run of {self.outline.name}", facts, table(("", "start", "end"), rows))

    def __repr__(self) -> str:
        d = self.data
        mode = describe_mode(d.mode_final, self.contacts) if self.contacts else "no contacts"
        return (
            f"<Trajectory of {self.outline.name}: t = {d.t_start:g} .. {d.t_end_reached:g} s, {self.status.name}, "
            f"{len(d.event_int)} events, {len(d.step_t)} steps, ends in {mode}>"
        )

    # ------------------------------------------------------------------ inside

    def _state(
        self,
        t: float,
        q: np.ndarray,
        u: np.ndarray,
        memory: np.ndarray,
        mode: int,
        order: int,
        sides: np.ndarray | tuple[()] = (),
        faces: np.ndarray | tuple[()] = (),
    ) -> State:
        """A state; without modes where how their guards begin is not known, as in files of format 4 and below."""
        known = len(self.contacts) if order >= 0 else 0
        codes = codes_of(int(mode), known), codes_of(int(order), known)
        states = tuple(self.outline.states) if len(memory) else ()
        return State(t, q, u, tuple(self.coordinates), memory, *codes, self.data.scales, states, sides, faces)

    def _memory(self, times: NDArray[np.float64], side: Side) -> np.ndarray:
        """What compliant contacts remember at checked times and the discrete states, one row each; empty without."""
        if not self.outline.memory:
            return np.empty(0)
        from jounce.simulation.forces import memory_at

        return memory_at(self, times, self.mode_codes_at(times, side), side)

    def _discrete(self, times: NDArray[np.float64], side: Side) -> NDArray[np.float64]:
        """The discrete states at checked times, one column each."""
        count = len(self.outline.states)
        return self._memory(times, side)[:, -count:] if count else np.empty((len(times), 0))

    def _dense(self, times: NDArray[np.float64], side: Side) -> NDArray[np.float64]:
        """z at checked times; between steps a polynomial leaves the joints by its own error, so it is put back."""
        z = states_at(self.data, times, side)
        if self.outline.joints and len(self.data.step_t):
            from jounce.simulation.forces import put_on_joints

            put_on_joints(self, times, side, z)
        return z

    def mode_codes_at(self, times: NDArray[np.float64], side: Side) -> NDArray[np.int64]:
        """The mode of every contact at the given times, as numbers, shape (len(times), nc)."""
        if len(self.data.step_t) == 0:
            return mode_codes(np.full(len(times), self.data.mode_final), len(self.contacts))
        modes = self.data.step_mode[step_index(self.data, times, side)]
        if side == "right":
            modes[times >= self.data.t_end_reached] = self.data.mode_final
        return mode_codes(modes, len(self.contacts))

    def _need_steps(self) -> None:
        if len(self.data.step_t) == 0 and self.data.record != "all":
            raise SimulationError(
                f"this run kept record={self.data.record!r}, so only its start and its final state exist; "
                f"run again with record='all' for the motion in between"
            )

    def _checked_times(self, times: ArrayLike, side: str) -> NDArray[np.float64]:
        if not is_one_of(side, ("left", "right")):
            raise SimulationError(f"side must be 'left' or 'right', not {side!r}")
        self._need_steps()
        try:
            # a copy: columns of tables are read-only, which the kernels do not take
            checked = np.atleast_1d(np.array(times, dtype=np.float64))
        except (TypeError, ValueError, OverflowError):
            raise SimulationError(f"times must be a number or a list of numbers, not {times!r}") from None
        if checked.ndim != 1:
            raise SimulationError(f"times must be a number or a list of numbers, not an array of shape {checked.shape}")
        first, last = self.data.t_start, self.data.t_end_reached
        outside = ~((checked >= first) & (checked <= last))
        if outside.any():
            raise SimulationError(
                f"t = {float(checked[outside][0])!r} lies outside this run, which covers {first!r} to {last!r} s "
                f"(status {self.status.name})"
            )
        return checked


__all__ = ["TABLE_COLUMNS", "EventKind", "Mode", "Trajectory"]
