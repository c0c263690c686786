"""What every random run must do: end well and in time, pass its audit, be the same when cut and in other units."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

import jounce
from tests.families.family import Draw, Family, compiled, in_units, sizes, state_factors
from tests.families.locking import newton_has_no_solution

SLOW = 10.0  # seconds that no run of these families needs
#: A difference beyond this share of the state is another motion, if the motion does not amplify rounding more.
SAME = 1e-6
#: Perturbation whose growth says how much a motion amplifies.
NUDGE = 1e-10
#: Tolerances above this leave errors that may be larger than SAME.
LOOSE = 1e-9
#: Tolerances by which the steps up to the cut may have moved each coordinate.
COORDINATES = 10.0


class Failure(NamedTuple):
    """What a run did wrong."""

    family: str
    seed: int
    cause: str
    detail: str


class Twin(NamedTuple):
    """The same run in another way, which must be the same motion: to the bit, or as far as it amplifies errors."""

    how: str
    draw: Draw
    factors: np.ndarray | float = 1.0  # of its [q, u]
    exact: bool = False


Twins = Callable[[Draw], list[Twin]]


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Interrupt what takes more processor time: others may use the machine, too."""

    def ring(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def simulate(family: Family, draw: Draw, t_end: float | None = None, start: Any = None) -> Any:
    """One run of a draw."""
    system = compiled(family)
    begin = system.state(**draw.start) if start is None else start
    options = jounce.Options(**draw.options)
    return jounce.simulate(system, begin, draw.t_end if t_end is None else t_end, options=options, **draw.parameters)


def failures_of(family: Family, seed: int, *, compare: bool = True, twins: Twins | None = None) -> list[Failure]:
    """Everything that is wrong with the run of a seed, and with its twins."""
    draw = family.sample(seed)
    compiled(family)
    began = time.process_time()
    try:
        with at_most(SLOW):
            run = simulate(family, draw)
    except KeyboardInterrupt:
        return [Failure(family.name, seed, "slow", f"not done after {SLOW:g} s")]
    except Exception as error:
        return [Failure(family.name, seed, type(error).__name__, str(error)[:200])]
    spent = time.process_time() - began
    found = _ending(family, seed, run, spent)
    if not found and compare:
        others = twins(draw) if twins else []
        found = _exactly(family, seed, run, [twin for twin in others if twin.exact])
        found += _differences(family, seed, draw, run, [twin for twin in others if not twin.exact])
    return found


def _ending(family: Family, seed: int, run: Any, spent: float) -> list[Failure]:
    found = []
    if run.status.name not in family.good and not _must_fail(run):
        found.append(Failure(family.name, seed, run.status.name, run.status.message[:160]))
    if spent > SLOW / 2:
        found.append(Failure(family.name, seed, "slow", f"{spent:.1f} s, {len(run.data.step_t)} steps"))
    table = run.audit()
    for what, rows in table.groupby("what"):
        first = rows.iloc[0]
        detail = f"t={first['t']:.9g} {first['contact']} amount {first['amount']:.3g} limit {first['limit']:.2g}"
        detail += f" ({len(rows)} rows)"
        found.append(Failure(family.name, seed, f"audit: {what}", detail))
    return found


def _must_fail(run: Any) -> bool:
    """Whether the law of impact can be shown to have no solution."""
    return run.status.name == "LAW_FAILED" and newton_has_no_solution(run)


def _exactly(family: Family, seed: int, run: Any, twins: list[Twin]) -> list[Failure]:
    """Twins that must be the same to the last bit, however much the motion amplifies."""
    found = []
    for twin in twins:
        try:
            with at_most(SLOW):
                other = simulate(family, twin.draw)
        except KeyboardInterrupt:
            found.append(Failure(family.name, seed, "slow", twin.how))
            continue
        except Exception as error:
            found.append(Failure(family.name, seed, f"{twin.how.split()[0]}: {type(error).__name__}", str(error)[:200]))
            continue
        found += _judged(family, seed, twin.how, run, other, np.ones(2 * run.final.q.size), 0.0, twin.factors)
    return found


def _differences(family: Family, seed: int, draw: Draw, run: Any, twins: list[Twin]) -> list[Failure]:
    """The run cut and continued, and in other units, against itself; as far as it does not amplify rounding."""
    random = np.random.default_rng([seed, 7])
    size = sizes(family, run)
    nudged_start = {name: value * (1.0 + NUDGE) for name, value in draw.start.items() if name.startswith("d_")}
    found = []
    try:
        with at_most(4 * SLOW):
            nudged = simulate(family, Draw(draw.parameters, {**draw.start, **nudged_start}, draw.t_end, draw.options))
            growth = _distance(run, nudged, size) / NUDGE
            if _allowed(draw, growth) > 1e-2 or _kinds(run) != _kinds(nudged):
                return []
            cut = draw.t_end * float(random.uniform(0.1, 0.9))
            first = simulate(family, draw, cut)
            second = simulate(family, draw, None, first.final) if first.status.ok else first
            moved = 0.0
            if first.status.ok:
                growth = max(growth, _growth_behind(family, draw, first, second, size, compiled(family).velocity_names))
                if not any(first.final.modes):  # what closed contacts hold cannot be moved by itself
                    moved = _growth_behind(family, draw, first, second, size, first.final.names)
            allowed = max(_allowed(draw, growth), COORDINATES * moved * draw.options["tolerance"])
            if allowed > 1e-2:
                return []
            if draw.options["tolerance"] > LOOSE:
                allowed = max(allowed, _own_error(family, draw, run, size))
            found += _judged(family, seed, f"cut at {cut:.6g}", run, second, size, allowed)
            scales = 10.0 ** random.uniform(-6, 6, 3)
            other = simulate(family, in_units(family, draw, scales))
            factors = state_factors(family, scales)
            found += _judged(family, seed, f"units {scales}", run, other, size, allowed, factors)
            for twin in twins:
                found += _judged(
                    family, seed, twin.how, run, simulate(family, twin.draw), size, 10 * allowed, twin.factors
                )
    except KeyboardInterrupt:
        found.append(Failure(family.name, seed, "slow", "cut or in other units"))
    except Exception as error:
        found.append(Failure(family.name, seed, f"cut or scaled: {type(error).__name__}", str(error)[:200]))
    return found


def _allowed(draw: Draw, growth: float) -> float:
    """By how much runs may differ that amplify perturbations by ``growth``."""
    return max(SAME, 1e3 * growth * max(draw.options["tolerance"], 1e-12))


def _growth_behind(
    family: Family, draw: Draw, first: Any, second: Any, size: np.ndarray, names: Iterable[str]
) -> float:
    """By how much the motion behind a cut amplifies; 0 where the perturbed one has other events, and shows nothing.

    Perturbed velocities at the start do not say it: an impact in the first instant takes them away, and the errors of
    the steps behind it are amplified all the same. Nor do velocities say what becomes of errors of coordinates: an arm
    that hits when it is all but stretched amplified those by 5e4, and its velocities by 14.
    """
    end = first.final
    nudged = end.replace(**{name: end[name] * (1.0 + NUDGE) for name in names})
    other = simulate(family, draw, None, nudged)
    return _distance(second, other, size) / NUDGE if _kinds(second) == _kinds(other) else 0.0


def _own_error(family: Family, draw: Draw, run: Any, size: np.ndarray) -> float:
    """Twice by how much a run is wrong, where a run with a tenth of its tolerance shows that; as far as that is little.

    Two runs with other steps are both wrong by as much. One with other events is another motion, and shows nothing.
    """
    tolerance = draw.options["tolerance"]
    finer = simulate(family, replace(draw, options={**draw.options, "tolerance": tolerance / 10}))
    return 2.0 * min(_distance(run, finer, size), 1e3 * tolerance) if _kinds(run) == _kinds(finer) else 0.0


def _kinds(run: Any) -> list[Any]:
    """Which events happened in which order."""
    return run.data.event_int[:, :2].tolist()


def _distance(a: Any, b: Any, size: np.ndarray, factors: np.ndarray | float = 1.0) -> float:
    """How far apart two runs end, in units of ``size``.

    Where resets change velocities at each impact of an accumulation (ENDLESS_RESETS) the velocities have no limit at
    its end, and the positions have.
    """
    ends = [np.concatenate([run.final.q, run.final.u]) for run in (a, b)]
    apart = np.abs(ends[0] - ends[1] / factors) / size
    return float(np.max(apart[: a.final.q.size] if a.status.name == "ENDLESS_RESETS" else apart))


def _judged(
    family: Family, seed: int, how: str, run: Any, other: Any, size: np.ndarray, allowed: float,
    factors: np.ndarray | float = 1.0,
) -> list[Failure]:  # fmt: skip
    word = how.split()[0]
    if other.status.name != run.status.name:
        return [
            Failure(family.name, seed, f"{word}: other status", f"{how}: {other.status.name} for {run.status.name}")
        ]
    distance = _distance(run, other, size, factors)
    if not distance <= allowed:
        return [
            Failure(
                family.name, seed, f"{word}: other motion", f"{how}: differs by {distance:.3g}, allowed {allowed:.2g}"
            )
        ]
    return []
