"""The records of one run and the conversation with the compiled loop."""

from __future__ import annotations

import ctypes
import time
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from jounce.errors import Interrupted, OptionError, SimulationError
from jounce.kernels.contact.orders import gap_digit
from jounce.kernels.contact.window import show_contacts
from jounce.kernels.engine.advance import change_now, run_machine
from jounce.kernels.records import codes, recording
from jounce.kernels.records import roster as rows
from jounce.kernels.records.workspace import MAX_CONTACTS
from jounce.kernels.tangent.variation import MAX_COLUMNS
from jounce.simulation.audit.report import audited
from jounce.simulation.collection import Collection, align_steps
from jounce.simulation.controller import Sampling
from jounce.simulation.endings import modes_dropped, status_of
from jounce.simulation.modes import code_of, codes_of, mode_code
from jounce.simulation.options import ConstraintStabilisation, ContactDetection, Options, Recording
from jounce.simulation.own_laws import energy_given
from jounce.simulation.records import (
    NO_SCHEDULE,
    VariationRecord,
    borrow_records,
    borrow_variation,
    return_records,
    return_variation,
)
from jounce.simulation.roster import Roster, keeps_list, needs_list
from jounce.simulation.run_data import RunData
from jounce.simulation.run_start import load_records, scales_of
from jounce.simulation.section import Section
from jounce.simulation.status import Status, StatusCode
from jounce.simulation.templates import PAIR_ROWS, own_loop
from jounce.simulation.trajectory import Trajectory
from jounce.simulation.watch import look
from jounce.system.state import State
from jounce.system.system import System
from jounce.toolchain.jit import python_function


class Driver:
    """One run: fill the records, call the loop until it ends, collect what it leaves."""

    def __init__(self, system: System, start: State, t_end: float, p: np.ndarray, options: Options) -> None:
        self.system, self.start, self.options, self.parameters = system, start, options, p.copy()
        self.records = borrow_records()
        load_records(self.records, system, start, t_end, p, options)
        self.machine, self.workspace = self.records.machine, self.records.workspace
        self.motion, self.record = self.records.motion, self.records.record
        self.variation: VariationRecord | None = None
        self.remembered: tuple[int, ...] = ()
        self.roster: Roster | None = None
        self.watched: Section | None = None
        self.schedule = NO_SCHEDULE
        self.sampling: Sampling | None = None
        self.records.r.keep_events = options.record is not Recording.NOTHING
        self.records.r.keep_steps = options.record is Recording.ALL
        self.collection = Collection(self.records, system)

    def release(self) -> None:
        """The run has ended and has been collected: its records may serve another one."""
        return_records(self.records)
        if self.variation is not None:
            return_variation(self.variation)

    def start_is_sound(self) -> bool:
        """Whether the start is surely one that ``check_start`` accepts; asked of the machine code, in a microsecond."""
        if self.system.nj or self.system.nc > MAX_CONTACTS or self.records.m.compliant_contacts:
            return False
        return bool(self.records.sound())

    def set_schedule(self, rows: np.ndarray) -> None:
        """Rows (time, parameter index, value), sorted by time."""
        self.schedule = np.ascontiguousarray(rows)

    def set_sampling(self, sampling: Sampling) -> None:
        """Let a controller set parameters at its samples."""
        self.sampling, self.schedule = sampling, sampling.schedule
        self.records.settings.t_end = sampling.next_stop

    def set_stops(self, stops: dict[int, int], watch: Section | None = None) -> None:
        """Guards at which the run ends, with their directions; or an event of a contact or a reset."""
        if watch is not None:
            self.watched = watch
            self.records.r.watch_kind, self.records.r.watch_contact = watch.watch(self.system)
        for index, direction in stops.items():
            self.records.settings.user_stops[index] = 1
            self.records.settings.user_direction[index] = int(direction)

    def carry(self, columns: np.ndarray, parameter: int | None = None, remembered: tuple[int, ...] = ()) -> None:
        """Carry perturbations along, one a column (dq, du, d of the real discrete states, d(1/v) of some contacts).

        With ``parameter`` a last one is the derivative by it, zero at the start; ``remembered`` numbers the contacts.

        Time is then not counted in turns: a period that depends on the parameter would be differentiated wrongly.
        """
        if needs_list(self.system):
            self._look_near()
        if self.records.m.compliant_contacts and self.options.contact_detection is not ContactDetection.LOCATED:
            raise OptionError("derivatives of the flow need each touch at its own time: contact_detection='located'")
        rows, count = columns.shape
        nz, width, extra = 2 * self.system.n, self.system.width, parameter is not None
        if rows != width + len(remembered) or count + extra > MAX_COLUMNS:
            wanted = f"{width + len(remembered)} rows and at most {MAX_COLUMNS - extra} columns"
            raise SimulationError(f"perturbations have the shape {columns.shape}; they need {wanted}")
        if self.options.constraint_stabilisation is ConstraintStabilisation.BAUMGARTE and self.system.nj:
            raise OptionError("perturbations need constraint_stabilisation='projection': Baumgarte lets joints drift")
        self.variation = borrow_variation(self.system)
        v, own = self.variation.v, self.variation.columns
        self.records.settings.variation = ctypes.addressof(v)
        self.records.settings.rows = min(self.records.settings.rows, PAIR_ROWS)  # no steps by series with columns
        own[: count + extra, :nz] = 0.0
        own[:count, :nz] = columns[:nz].T
        if self.system.state_names:
            self.variation.states[: count + extra, : len(self.system.state_names)] = 0.0
            self.variation.states[:count, self._real_places] = columns[nz:width].T
        if self.records.m.compliant_contacts:
            self.variation.remembered[: count + extra, : self.system.nc] = 0.0
            self.variation.remembered[:count, list(remembered)] = columns[width:].T
        self.remembered = remembered
        v.count = count + extra
        if parameter is not None:
            v.parameter, v.parameter_column = parameter, count
            self.records.settings.period = 0.0

    @property
    def columns(self) -> np.ndarray:
        """The perturbations at the present time, one a column."""
        if self.variation is None:
            return np.empty((self.system.width, 0))
        count = self.variation.v.count
        v = self.variation
        memories = v.remembered[:count, list(self.remembered)]
        return np.hstack([v.columns[:count, : 2 * self.system.n], v.states[:count, self._real_places], memories]).T

    @property
    def _real_places(self) -> list[int]:
        """Where the discrete states that are carried stand among all of them."""
        return [self.system.state_names.index(name) for name in self.system.real_states]

    def run(self, progress: Callable[[float], None] | None = None) -> Trajectory:
        """Advance to the end; Ctrl-C ends with an Interrupted that has what there is."""
        began = time.perf_counter()
        try:
            code = self._advance(progress)
        except KeyboardInterrupt:
            self.collection.empty_buffers()
            run = Trajectory(self._run_data(StatusCode.INTERRUPTED, time.perf_counter() - began))
            raise Interrupted(run.status.message, run) from None
        if self.records.counter[recording.DEEP_STARTS]:
            self._warn_of_penetration()
        run = Trajectory(self._run_data(StatusCode(code), time.perf_counter() - began))
        # the audit puts the parameters of every step into the machine
        own, size = self.records.p, self.system.vector_size
        kept = own[:size].copy()
        run = audited(run, self.records.m)
        own[:size] = kept
        return run

    def _advance(self, progress: Callable[[float], None] | None) -> int:
        """Call the loop until it ends; its code."""
        s, settings = self.records.s, self.records.settings
        end = self.sampling.t_end if self.sampling else settings.t_end
        span = end - self.start.t or 1.0
        records = (self.machine, self.workspace, self.motion, self.schedule, len(self.schedule), self.record)
        advance = run_machine.bound(*records) if len(self.schedule) else self.records.advance
        code = codes.PAUSED
        if self.roster is None and self.variation is None and keeps_list(self.system) and not s.started:
            self._look_near()
        while code < 0:
            code = advance()
            self.collection.empty_buffers()
            look()
            self._take_loop()
            if self.roster is not None:
                show_contacts.from_python(self.machine, self.workspace, self.motion)
            if code == codes.FINISHED and self.sampling is not None and self.sampling.sample(self.state):
                settings.t_end = self.sampling.next_stop
                code = change_now.from_python(*records) or codes.PAUSED
            if progress is not None:
                progress(min(1.0, (s.epoch + s.t - self.start.t) / span))
        return int(code)

    def _take_loop(self) -> None:
        """Go on in the loop of the system's own, where that has been compiled since the run began."""
        address = own_loop(self.system, self.options)
        if address != self.records.m.own_loop:
            self.records.m.own_loop = address
            self.records.forget_model()

    def _look_near(self) -> None:
        """Let the run, which has not begun, look at near contacts only."""
        self.roster = Roster(self.system, self.options)
        self.roster.attach(self.records, self.start)

    def status(self, code: StatusCode, rest: float | None = None) -> Status:
        """The status of the run as it stands; ``rest`` is when it came to rest."""
        return status_of(self, code, rest)

    @property
    def irregular(self) -> int:
        """Events at which the motion had no derivative."""
        return 0 if self.variation is None else int(self.variation.v.irregular)

    @property
    def time(self) -> float:
        """The run's time."""
        return float(self.records.s.epoch + self.records.s.t)

    @property
    def mode(self) -> int:
        """The mode of the system as one integer."""
        modes = self.records.s.modes[: self.system.nc] if self.roster is None else self.roster.modes
        return code_of(modes)

    @property
    def state(self) -> State:
        """The state now."""
        nc, u = self.system.nc, self.records.s.u[: self.system.n]
        carried = self._memory(), codes_of(self.mode, nc), codes_of(self._order(), nc), self._scales()
        names = self.system.coordinate_names
        return State(self.time, self._coordinates(), u, names, *carried, self.system.state_names, self._sides())

    def _coordinates(self) -> np.ndarray:
        """The coordinates now, angles with their whole turns."""
        s, n = self.records.s, self.system.n
        return np.array([q + turned for q, turned in zip(s.q[:n], s.turned[:n], strict=True)])

    def _scales(self) -> np.ndarray:
        """How large things have been so far: q and u; gaps, joints and guards; speeds of the contacts."""
        w, system = self.records.w, self.system
        if self.roster is not None:
            return np.concatenate([w.reference[: 2 * system.n], self.roster.scales(self.workspace)])
        return scales_of(system, w, self.records.s)

    def _sides(self) -> np.ndarray:
        """The side of zero on which each guard is, SIDE_PASSED where its own event has just happened."""
        s, named = self.records.s, len(self.system.guard_names)  # kinks of forces, which follow, have no events
        if named == 0:
            return np.empty(0)
        return np.where(s.user_fresh[:named], codes.SIDE_PASSED, s.user_sign[:named])

    def _memory(self) -> np.ndarray:
        """What compliant contacts remember now, then the discrete states."""
        place = len(self.system.parameter_names)
        return self.records.p[place : place + self.system.outline.memory].copy()

    def _order(self) -> int:
        """How the guards begin, as one integer: ``encode_orders`` of kernels/contact/orders.py."""
        s, nc = self.records.s, self.system.nc
        if self.roster is not None:
            return code_of(self.roster.orders)
        digit = python_function(gap_digit)
        fields = (s.modes, s.gap_fresh, s.gap_watch, s.slip_fresh, self.records.m.compliant)
        return code_of([
            codes.NO_ROOT + slip * (not compliant) if compliant or mode != codes.OPEN else digit(gap, watch)
            for mode, gap, watch, slip, compliant in zip(*(values[:nc] for values in fields), strict=True)
        ])  # fmt: skip

    def _faces(self) -> np.ndarray:
        """The face on which each contact of a sharp corner is held; nothing where there is none."""
        m, nc = self.records.m, self.system.nc
        if self.system.faces is None:
            return np.empty(0, dtype=np.int64)
        if self.roster is not None:
            return self.roster.integers[:, rows.FACE].copy()
        return self.records.p[m.faces_at : m.faces_at + nc].astype(np.int64)

    def _warn_of_penetration(self) -> None:
        """Procedure 2 accepts any penetration at its shortest step, and says so (Flores & Ambrosio 2010, step vii)."""
        deep = int(self.records.counter[recording.DEEP_STARTS])
        warnings.warn(
            f"{deep} contacts began deeper than penetration_tolerance allows: the step had reached 1e-7 of the "
            "motion's own time; raise the tolerance, or use contact_detection='located'",
            stacklevel=4,
        )

    def _run_data(self, code: StatusCode, wall_time: float) -> RunData:
        records, system, start, t = self.records, self.system, self.start, self.time
        s, n, nc = records.s, system.n, system.nc
        step_time, step_mode, step_order, coefficients, work, step_states = self.collection.step_rows()
        event_float, event_int = self.collection.event_rows()
        # before steps are aligned: the time at which rest began is that of its step
        rest = float(step_time[-1, 0]) if code is StatusCode.AT_REST and len(step_time) else t
        status = self.status(code, rest)
        if system.own_laws:
            remembered = self.records.p[: len(system.parameter_names) + system.outline.memory]
            given = energy_given(system, self.state, remembered, event_float, event_int, work)
            status = replace(status, message=status.message + given)
        if len(event_int):
            align_steps(step_time, event_float[:, recording.EVENT_T], event_int[:, recording.STEP], t - start.t)
        believed = records.brought.known and not s.report.dropped
        return RunData(
            system=system,
            parameters=self.parameters,
            t_start=start.t,
            q_start=start.q,
            u_start=start.u,
            t_end_reached=t,
            q_final=self._coordinates(),
            u_final=np.array(s.u[:n]),
            memory_start=self._start_memory(),
            memory_final=self._memory(),
            contact_speed=self._of_contacts(records.memory.own_speed[: 2 * nc : 2], rows.OWN_SPEED),
            chatter_speed=self._of_contacts(records.memory.chatter_speed[:nc], rows.CHATTER_SPEED),
            scales=self._scales(),
            scales_start=np.array(records.brought.given[: 2 * n]),
            mode_final=self.mode,
            mode_start=mode_code(start.modes) if believed else -1,
            order_start=mode_code(start.orders) if believed else -1,
            order_final=self._order(),
            sides_final=self._sides(),
            faces_start=start.faces if believed else np.empty(0, dtype=np.int64),
            faces_final=self._faces(),
            modes_dropped=modes_dropped(self),
            total_impact_loss=self._of_contacts(s.loss[:nc], rows.LOSS),
            total_reset_work=s.reset_work,
            step_states=step_states,
            status=status,
            options=self.options,
            record=self.options.record.value,  # type: ignore[union-attr]
            schedule=self._parameter_history(),
            step_t=step_time[:, 0].copy(),
            step_h=step_time[:, 1].copy(),
            step_mode=step_mode,
            step_order=step_order,
            step_coefficients=coefficients,
            step_work=_with_last(work, s.ledger[:]),
            event_float=event_float,
            event_int=event_int,
            wall_time=wall_time,
        )

    def _of_contacts(self, values: list[float], row: int) -> np.ndarray:
        """A number of every contact: from the motion, or from the rows of all of them."""
        return np.array(values if self.roster is None else self.roster.numbers[:, row])

    def _start_memory(self) -> np.ndarray:
        """What the start remembered; nothing where it did not know."""
        known = self.system.state_names or self.records.brought.remembered
        return self.system.memory_of(self.start).copy() if known else np.empty(0)

    def _parameter_history(self) -> list[tuple[float, np.ndarray]]:
        """(t, parameters in force from t on)."""
        history = [(self.start.t, self.parameters)]
        for t, index, value in self.schedule.tolist():
            if t > self.time:
                break
            p = history[-1][1].copy()
            p[int(index)] = value
            history.append((max(t, self.start.t), p))
        return history


def _with_last(rows: np.ndarray, last: list[float]) -> np.ndarray:
    """Rows with one more."""
    longer = np.empty((len(rows) + 1, len(last)))
    longer[:-1], longer[-1] = rows, last
    return longer
