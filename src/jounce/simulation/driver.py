"""The records of one run and the conversation with the compiled loop."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from jounce.errors import Interrupted, OptionError, SimulationError
from jounce.kernels.contact.orders import gap_beginning, gap_digit
from jounce.kernels.engine.advance import run_machine
from jounce.kernels.engine.sound import sound_start
from jounce.kernels.engine.start import change_now
from jounce.kernels.records import codes, recording
from jounce.kernels.records.motion import MOTION
from jounce.kernels.records.workspace import WORKS
from jounce.kernels.tangent.variation import MAX_COLUMNS
from jounce.model.arithmetic import value_at
from jounce.model.contact import Contact
from jounce.model.resets import real_states
from jounce.simulation.audit.report import audited
from jounce.simulation.controller import Sampling
from jounce.simulation.law import Law
from jounce.simulation.modes import join_words, mode_code, mode_codes, word_count
from jounce.simulation.options import ConstraintStabilisation, Options, Recording
from jounce.simulation.period import turn_length
from jounce.simulation.run_data import RunData
from jounce.simulation.section import Section
from jounce.simulation.slow_runs import slow_cause
from jounce.simulation.status import Status, StatusCode, describe
from jounce.simulation.templates import (
    borrow_records,
    borrow_variation,
    copy_of,
    machine_template,
    motion_template,
    return_records,
    return_variation,
)
from jounce.simulation.trajectory import Trajectory
from jounce.system.assembly import joint_rows, singularity
from jounce.system.state import State
from jounce.system.system import System

DEAD_POINT = 1e-3  # smallest singular value of the joints' directions where an underflow of the step size means a lock
BARELY = 1e-6  # of the way that the speed would make since the start: a motion that has moved less has just begun
DROPPED = {
    codes.DROPPED_AWAY: "its gap is open",
    codes.DROPPED_INSIDE: "its gap is negative",
    codes.DROPPED_MOVING: "it has a normal velocity",
    codes.DROPPED_SLIDING: "it slides",
    codes.DROPPED_BACKWARDS: "it slides the other way",
}


def machine_record(system: System, p: np.ndarray, options: Options) -> np.ndarray:
    """The model as the kernels see it."""
    machine = copy_of(machine_template(system, options))
    machine[0]["p"][: p.size] = p
    for contact in system.model.contacts:
        _warn_of_tangential_restitution(system, contact, Law.parse(contact.law or options.law), p)
    return machine


def _warn_of_tangential_restitution(system: System, contact: Contact, law: Law, p: np.ndarray) -> None:
    """Say that a coefficient which was given changes nothing."""
    given = contact.tangential_restitution
    if given == 0 or contact.compliance is not None or law.tangential_range != (0.0, 0.0):
        return
    values = dict(zip(system.model.p, p.tolist(), strict=False))  # discrete states may stand behind the parameters
    if given.free_symbols <= values.keys() and value_at(given, values) == 0.0:
        return
    users = ", ".join(str(other) for other in Law if other.tangential_range != (0.0, 0.0))
    warnings.warn(
        f"contact {contact.name!r}: tangential_restitution = {given} has no part in the law {str(law)!r}; laws that "
        f"use one: {users}",
        stacklevel=5,
    )


def variation_record(system: System) -> np.ndarray:
    """No perturbations yet, but the functions to carry them."""
    variation = borrow_variation()
    v = variation[0]
    for name, function in system.tangents._asdict().items():
        v[name] = function.address
    from jounce.kernels.tangent import (
        propagation,  # a run without perturbations needs none of them
        saltation,  # a run without perturbations needs none of them
    )

    passing = (saltation.shift_to_event, saltation.pass_instant, saltation.pass_reset, saltation.glue)
    for block in (*passing, propagation.propagate):
        v[block.__name__] = block.address
    v["parameters"] = system.vector_size
    v["parameter"] = v["parameter_column"] = -1
    return variation


def start_motion(
    system: System, start: State, t_end: float, p: np.ndarray, options: Options, machine: np.ndarray | None = None
) -> np.ndarray:
    """The motion record of a run that has not begun; ``machine``: the model with these parameters, if there is one."""
    motion = copy_of(motion_template(system, options))
    s, n = motion[0], system.n
    s["t"], s["settings"]["t_end"] = start.t, t_end
    s["q"][:n] = s["z"][:n] = start.q
    s["u"][:n] = s["z"][n : 2 * n] = start.u
    take_scales(s, system, start)
    s["settings"]["period"] = turn_length(system, start, p, machine)
    if system.knows_modes(start):
        s["brought"]["known"] = 1
        for i, contact in enumerate(system.model.contacts):
            if contact.compliance is None:
                take_up(s, i, int(start.modes[i]), int(start.orders[i]))
    return motion


def take_up(s: Any, i: int, mode: int, digit: int) -> None:
    """Contact i as a start brings it: ``set_contact`` of kernels/contact/orders.py."""
    s["modes"][i] = mode
    if mode == codes.OPEN:
        s["gap_fresh"][i], s["gap_watch"][i] = gap_beginning.py_func(digit)
    else:
        s["slip_fresh"][i] = max(digit, codes.NO_ROOT) - codes.NO_ROOT
    s["released"][i] = mode == codes.OPEN and digit == codes.DOUBLE_ROOT


def take_scales(s: Any, system: System, start: State) -> None:
    """Let the scales begin with those of the run out of which the start comes, where it is one of this system."""
    n, nc, sizes = system.n, system.nc, 2 * system.nc + system.nj + system.ng
    if start.scales.size == 2 * n + sizes + 2 * nc:
        s["brought"]["given"][: 2 * n] = np.maximum(s["brought"]["given"][: 2 * n], start.scales[: 2 * n])
        s["brought"]["given_size"][:sizes] = start.scales[2 * n : 2 * n + sizes]
        s["memory"]["own_speed"][: 2 * nc] = start.scales[2 * n + sizes :]


def remember(machine: np.ndarray, motion: np.ndarray, system: System, start: State) -> None:
    """Give the engine the discrete states of a start and what it remembers of compliant contacts.

    A memory of another size is that of another model: nothing is known, discrete states have their initial values.
    """
    if not system.model.memory:
        return
    memory, place = system.memory_of(start), len(system.parameter_names)
    known = not np.isnan(memory).any()
    machine[0]["p"][place : place + memory.size] = np.nan_to_num(memory)
    motion[0]["brought"]["remembered"] = known and memory.size > len(system.state_names)


class Driver:
    """One run: fill the records, call the loop until it ends, collect what it leaves."""

    def __init__(self, system: System, start: State, t_end: float, p: np.ndarray, options: Options) -> None:
        self.system, self.start, self.options, self.parameters = system, start, options, p.copy()
        self.machine = machine_record(system, p, options)
        self.workspace, self.record = borrow_records()
        self.motion = start_motion(system, start, t_end, p, options, self.machine)
        remember(self.machine, self.motion, system, start)
        self.words = word_count(system.nc)
        self.variation: np.ndarray | None = None
        self.watched: Section | None = None
        self.schedule = np.zeros((0, 3))
        self.sampling: Sampling | None = None
        self.record[0]["keep_events"] = options.record is not Recording.NOTHING
        self.record[0]["keep_steps"] = options.record is Recording.ALL
        self.chunks: dict[str, list[np.ndarray]] = {}

    def release(self) -> None:
        """The run has ended and has been collected: its largest records may serve another one."""
        return_records(self.workspace, self.record)
        if self.variation is not None:
            return_variation(self.variation)

    def start_is_sound(self) -> bool:
        """Whether the start is surely one that ``check_start`` accepts; asked of the machine code, in a microsecond."""
        if self.system.nj or self.machine[0]["compliant_contacts"]:
            return False
        return bool(sound_start(self.machine, self.workspace, self.motion))

    def set_schedule(self, rows: np.ndarray) -> None:
        """Rows (time, parameter index, value), sorted by time."""
        self.schedule = np.ascontiguousarray(rows)

    def set_sampling(self, sampling: Sampling) -> None:
        """Let a controller set parameters at its samples."""
        self.sampling, self.schedule = sampling, sampling.schedule
        self.motion[0]["settings"]["t_end"] = sampling.next_stop

    def set_stops(self, stops: dict[int, int], watch: Section | None = None) -> None:
        """Guards at which the run ends, with their directions; or an event of a contact or a reset."""
        if watch is not None:
            self.watched = watch
            self.record[0]["watch_kind"], self.record[0]["watch_contact"] = watch.watch(self.system)
        for index, direction in stops.items():
            self.motion[0]["settings"]["user_stops"][index] = 1
            self.motion[0]["settings"]["user_direction"][index] = direction

    def carry(self, columns: np.ndarray, parameter: int | None = None) -> None:
        """Carry perturbations dz along, one a column; with ``parameter`` a last one d z/d parameter, zero at the start.

        Time is then not counted in turns: a period that depends on the parameter would be differentiated wrongly.
        """
        compliant = [contact.name for contact in self.system.model.contacts if contact.compliance is not None]
        if compliant:
            raise SimulationError(
                f"contact {compliant[0]!r} is compliant; derivatives of the flow are computed for rigid contacts only. "
                "Make it rigid (compliance=None), or follow neighbouring motions with simulate"
            )
        real = real_states(self.system.model)
        if real:
            raise SimulationError(
                f"the discrete state {real[0]!r} takes values that change with the motion; derivatives of the flow are "
                "computed for flags and counters only. Follow neighbouring motions with simulate"
            )
        nz, count = columns.shape
        extra = parameter is not None
        if nz != 2 * self.system.n or count + extra > MAX_COLUMNS:
            wanted = f"{2 * self.system.n} rows and at most {MAX_COLUMNS - extra} columns"
            raise SimulationError(f"perturbations have the shape {columns.shape}; they need {wanted}")
        if self.options.constraint_stabilisation is ConstraintStabilisation.BAUMGARTE and self.system.nj:
            raise OptionError("perturbations need constraint_stabilisation='projection': Baumgarte lets joints drift")
        self.variation = variation_record(self.system)
        self._spare = np.zeros(2, MOTION)
        self.motion[0]["settings"]["variation"] = self.variation.ctypes.data
        v = self.variation[0]
        v["before"], v["trial"] = (self._spare[k : k + 1].ctypes.data for k in range(2))
        v["columns"][: count + extra, :nz] = 0.0
        v["columns"][:count, :nz] = columns.T
        v["count"] = count + extra
        if parameter is not None:
            v["parameter"], v["parameter_column"] = parameter, count
            self.motion[0]["settings"]["period"] = 0.0

    @property
    def columns(self) -> np.ndarray:
        """The perturbations at the present time, one a column."""
        if self.variation is None:
            return np.empty((2 * self.system.n, 0))
        v = self.variation[0]
        return v["columns"][: v["count"], : 2 * self.system.n].T.copy()

    def run(self, progress: Callable[[float], None] | None = None) -> Trajectory:
        """Advance to the end; Ctrl-C ends with an Interrupted that has what there is."""
        began = time.perf_counter()
        s = self.motion[0]
        end = self.sampling.t_end if self.sampling else float(s["settings"]["t_end"])
        span = end - self.start.t or 1.0
        code = codes.PAUSED
        records = (self.machine, self.workspace, self.motion, self.schedule, len(self.schedule), self.record)
        try:
            while code < 0:
                code = run_machine(*records)
                self._empty_buffers()
                if code == codes.FINISHED and self.sampling is not None and self.sampling.sample(self.state):
                    s["settings"]["t_end"] = self.sampling.next_stop
                    code = change_now(*records) or codes.PAUSED
                if progress is not None:
                    progress(min(1.0, (self._time() - self.start.t) / span))
        except KeyboardInterrupt:
            self._empty_buffers()
            run = Trajectory(self._run_data(StatusCode.INTERRUPTED, time.perf_counter() - began))
            raise Interrupted(run.status.message, run) from None
        self._warn_of_penetration()
        run = Trajectory(self._run_data(StatusCode(code), time.perf_counter() - began))
        return audited(run, copy_of(self.machine))

    def status(self, code: StatusCode, rest: float | None = None) -> Status:
        """The status of the run as it stands; ``rest`` is when it came to rest."""
        stopped_by = self.motion[0]["report"]["stopped_by"]
        code, joints = self._explained(code)
        return describe(
            code,
            self._time(),
            self.system.mode_names(self._mode()),
            rest=self._time() if rest is None else rest,
            events=int(self.record[0]["counter"][recording.EVENTS_TOTAL]),
            stop=f"the guard {self.system.guard_names[stopped_by]!r}" if stopped_by >= 0 else str(self.watched or ""),
            joints=joints,
            refusal=int(self.motion[0]["report"]["refusal"]),
            open_forces=bool(self.motion[0]["report"]["open_forces"]),
            options=self.options,
            steps=int(self.record[0]["counter"][recording.STEPS_TOTAL]),
            cause=slow_cause(self)
            if code is StatusCode.TOO_MANY_STEPS
            else self._barely_begun(code) or self._reset_failure(code),
        )

    def _barely_begun(self, code: StatusCode) -> str:
        """What to try where steps become too small because a motion out of rest in the origin has no size yet."""
        s, n = self.motion[0], self.system.n
        known = self.start.q.any() or self.start.u.any() or s["brought"]["given"].any()
        if code is not StatusCode.STEP_UNDERFLOW or known:
            return ""
        way, speed = self.workspace[0]["reference"][:n], self.workspace[0]["reference"][n : 2 * n]
        if (way > BARELY * speed * (self._time() - self.start.t)).any():
            return ""
        return (
            ". Or the motion has only just begun, out of rest in the origin, and nothing says how large it will be: "
            "give Options(scales={...}) or coordinate(..., scale=...)"
        )

    def _reset_failure(self, code: StatusCode) -> str:
        """The reset with which the run ended, and what is wrong behind it."""
        report, system = self.motion[0]["report"], self.system
        if code not in (StatusCode.ENDLESS_RESETS, StatusCode.RESET_REFUSED):
            return ""
        name = f"reset {system.reset_names[int(report['failed_reset'])]!r}"
        match int(report["reset_refusal"]):
            case codes.REFUSED_NOT_FINITE:
                return f"{name} gives a value that is not finite"
            case codes.REFUSED_INSIDE:
                return f"{name} puts contact {system.contact_names[int(report['failed_place'])]!r} inside its surface"
            case codes.REFUSED_JOINT:
                return f"{name} opens joint {system.joint_names[int(report['failed_place'])]!r}, or gives it a velocity"
        return name

    @property
    def irregular(self) -> int:
        """Events at which the motion had no derivative."""
        return 0 if self.variation is None else int(self.variation[0]["irregular"])

    @property
    def state(self) -> State:
        """The state now."""
        u = self.motion[0]["u"][: self.system.n]
        nc = self.system.nc
        modes, orders = (mode_codes(code, nc) for code in (self._mode(), self._order()))
        carried = self._memory(), modes, orders, self._scales()
        return State(
            self._time(), self._coordinates(), u, self.system.coordinate_names, *carried, self.system.state_names
        )

    def _coordinates(self) -> np.ndarray:
        """The coordinates now, angles with their whole turns."""
        s, n = self.motion[0], self.system.n
        return np.asarray(s["q"][:n] + s["turned"][:n])

    def _scales(self) -> np.ndarray:
        """How large things have been so far: q and u; gaps, joints and guards; speeds of the contacts."""
        w, system = self.workspace[0], self.system
        sizes = w["size"][: 2 * system.nc + system.nj + system.ng]
        speeds = self.motion[0]["memory"]["own_speed"][: 2 * system.nc]
        return np.concatenate([w["reference"][: 2 * system.n], sizes, speeds])

    def _memory(self) -> np.ndarray:
        """What compliant contacts remember now, then the discrete states."""
        place = len(self.system.parameter_names)
        return self.machine[0]["p"][place : place + len(self.system.model.memory)].copy()

    def _mode(self) -> int:
        """The mode of the system as one integer."""
        modes = self.motion[0]["modes"][: self.system.nc].tolist()
        return sum(mode * codes.MODE_BASE**i for i, mode in enumerate(modes))

    def _order(self) -> int:
        """How the guards begin, as one integer: ``encode_orders`` of kernels/contact/orders.py."""
        s, nc = self.motion[0], self.system.nc
        fields = (s["modes"], s["gap_fresh"], s["gap_watch"], s["slip_fresh"], self.machine[0]["compliant"])
        digits = [
            codes.NO_ROOT + slip * (not compliant) if compliant or mode != codes.OPEN else gap_digit.py_func(gap, watch)
            for mode, gap, watch, slip, compliant in zip(*(values[:nc].tolist() for values in fields), strict=True)
        ]
        return sum(digit * codes.MODE_BASE**i for i, digit in enumerate(digits))

    def _modes_dropped(self) -> str:
        """Why the modes of the start were not believed; "" if they were, or there were none."""
        s = self.motion[0]
        if not s["report"]["dropped"]:
            return ""
        i = int(s["report"]["dropped_contact"])
        name, mode, found = self.system.contact_names[i], self.start.mode_names[i], DROPPED[int(s["report"]["dropped"])]
        return f"contact {name!r} is {mode} in the start, but {found} there: the modes were chosen anew"

    def _warn_of_penetration(self) -> None:
        """Procedure 2 accepts any penetration at its shortest step, and says so (Flores & Ambrosio 2010, step vii)."""
        deep = int(self.record[0]["counter"][recording.DEEP_STARTS])
        if deep:
            warnings.warn(
                f"{deep} contacts began deeper than penetration_tolerance allows: the step had reached 1e-7 of the "
                "motion's own time; raise the tolerance, or use contact_detection='located'",
                stacklevel=4,
            )

    def _time(self) -> float:
        """The run's time."""
        return float(self.motion[0]["epoch"] + self.motion[0]["t"])

    def _empty_buffers(self) -> None:
        r, n = self.record[0], self.system.n
        events, steps = r["counter"][recording.EVENTS_STORED], r["counter"][recording.STEPS_STORED]
        if events:
            self._keep("event_float", r["event_float"][:events])
            self._keep("event_int", r["event_integer"][:events])
        if steps:
            rows = 1 + int(self.motion[0]["settings"]["rows"])
            self._keep("step_time", r["step_time"][:steps])
            self._keep("step_mode", r["step_mode"][:steps, : self.words])
            self._keep("step_order", r["step_order"][:steps, : self.words])
            self._keep("step_coefficients", r["step_data"][:steps, : rows * 2 * n].reshape(steps, rows, 2 * n))
            self._keep("step_work", r["step_work"][:steps])
            if self.system.state_names:
                self._keep("step_states", r["step_states"][:steps, : len(self.system.state_names)])
        r["counter"][recording.EVENTS_STORED] = r["counter"][recording.STEPS_STORED] = 0

    def _keep(self, name: str, rows: np.ndarray) -> None:
        self.chunks.setdefault(name, []).append(rows.copy())

    def _joined(self, name: str, empty: np.ndarray) -> np.ndarray:
        chunks = self.chunks.get(name)
        if not chunks:
            return empty
        return chunks[0] if len(chunks) == 1 else np.concatenate(chunks)

    def _run_data(self, code: StatusCode, wall_time: float) -> RunData:
        s, n, nc = self.motion[0], self.system.n, self.system.nc
        step_time = self._joined("step_time", np.empty((0, 2)))
        rest = float(step_time[-1, 0]) if code is StatusCode.AT_REST and len(step_time) else self._time()
        status = self.status(code, rest)
        work = self._joined("step_work", np.empty((0, WORKS)))
        self._align_steps(step_time)
        return RunData(
            system=self.system,
            parameters=self.parameters,
            t_start=self.start.t,
            q_start=np.array(self.start.q),
            u_start=np.array(self.start.u),
            t_end_reached=self._time(),
            q_final=self._coordinates(),
            u_final=s["u"][:n].copy(),
            memory_start=self._start_memory(),
            memory_final=self._memory(),
            contact_speed=s["memory"]["own_speed"][: 2 * nc : 2].copy(),
            chatter_speed=s["memory"]["chatter_speed"][:nc].copy(),
            scales=self._scales(),
            scales_start=s["brought"]["given"][: 2 * n].copy(),
            mode_final=self._mode(),
            mode_start=mode_code(self.start.modes) if s["brought"]["known"] and not s["report"]["dropped"] else -1,
            order_start=mode_code(self.start.orders) if s["brought"]["known"] and not s["report"]["dropped"] else -1,
            order_final=self._order(),
            modes_dropped=self._modes_dropped(),
            total_impact_loss=s["loss"][:nc].copy(),
            total_reset_work=float(s["reset_work"]),
            step_states=self._joined("step_states", np.empty((0, len(self.system.state_names)))),
            status=status,
            options=self.options,
            record=self.options.record.value,  # type: ignore[union-attr]
            schedule=self._parameter_history(),
            step_t=step_time[:, 0].copy(),
            step_h=step_time[:, 1].copy(),
            step_mode=join_words(self._joined("step_mode", np.empty((0, self.words), dtype=np.int64))),
            step_order=join_words(self._joined("step_order", np.empty((0, self.words), dtype=np.int64))),
            step_coefficients=self._joined("step_coefficients", np.empty((0, 1, 2 * n))),
            step_work=np.concatenate([work, s["ledger"][None, :]]),
            event_float=self._joined("event_float", np.empty((0, recording.EVENT_FLOATS))),
            event_int=self._joined("event_int", np.empty((0, recording.EVENT_INTEGERS), dtype=np.int64)),
            wall_time=wall_time,
        )

    def _start_memory(self) -> np.ndarray:
        """What the start remembered; nothing where it did not know."""
        known = self.system.state_names or self.motion[0]["brought"]["remembered"]
        return self.system.memory_of(self.start).copy() if known else np.empty(0)

    def _explained(self, code: StatusCode) -> tuple[StatusCode, str]:
        """A step size that underflows where joints become dependent is a machine that locks; and which joints."""
        if code is not StatusCode.STEP_UNDERFLOW or not self.system.nj:
            return code, ""
        s, n = self.motion[0], self.system.n
        p = self.machine[0]["p"][: self.parameters.size]
        J = joint_rows(self.system, float(s["t"]), s["q"][:n], s["u"][:n], p)[2]
        smallest, joints = singularity(J, self.system.joint_names)
        return (StatusCode.LOCKED, ", ".join(joints)) if smallest < DEAD_POINT else (code, "")

    def _align_steps(self, step_time: np.ndarray) -> None:
        """A step that starts at an event starts at exactly its time: turns may make them differ in the last bit."""
        if "event_int" not in self.chunks:
            return
        events = self._joined("event_int", np.empty((0, recording.EVENT_INTEGERS), dtype=np.int64))
        times = self._joined("event_float", np.empty((0, recording.EVENT_FLOATS)))[:, recording.EVENT_T]
        steps = events[:, recording.STEP]
        known = steps < len(step_time)
        span = self._time() - self.start.t
        close = np.zeros_like(known)
        close[known] = np.abs(step_time[steps[known], 0] - times[known]) <= 1e-12 * (span + np.abs(times[known]))
        step_time[steps[close], 0] = times[close]

    def _parameter_history(self) -> list[tuple[float, np.ndarray]]:
        """(t, parameters in force from t on)."""
        history: list[tuple[float, Any]] = [(self.start.t, self.parameters.copy())]
        for t, index, value in self.schedule:
            if t > self._time():
                break
            p = history[-1][1].copy()
            p[int(index)] = value
            history.append((max(float(t), self.start.t), p))
        return history
