"""One impact, or many, by any law: v+ = v- + K p with K = [[A, B], [B, C]]."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jounce.errors import OptionError, SimulationError
from jounce.kernels.impact.impulse import PHASE_COLUMNS, PHASE_ROWS
from jounce.kernels.impact.tables import apply_law_to_rows, coulomb_impulse_to, process_phases
from jounce.simulation.law import Law, region_name

# Energy gained beyond this fraction of the work done by the impulses is the law's doing, not rounding.
ENERGY_TOLERANCE = 1e-10
# det K may be this far below zero, as a fraction of A*C, before K counts as indefinite.
DEFINITENESS_TOLERANCE = 1e-12

_MOTIONS = {1: "slip+", 2: "slip-", 3: "stick"}
_INPUTS = ("A", "B", "C", "v_t", "v_n", "mu", "e", "e_t")


@dataclass(frozen=True)
class Phase:
    """A piece of an impact: what the contact does, the impulse it takes, the velocities at its end."""

    stage: str
    """compression, restitution, expansion, or "impact" for a law that knows only the two ends."""
    motion: str
    """slip+, slip-, stick; "straight" for a law that knows only the two ends."""
    p_n: float
    p_t: float
    v_t: float
    v_n: float

    @property
    def name(self) -> str:
        """Stage and motion in words."""
        return f"{self.motion} in {self.stage}"

    def __str__(self) -> str:
        return f"{self.name} (p_n = {self.p_n:.6g})"


@dataclass(frozen=True)
class ImpactOutcome:
    """What a law says of an impact. Velocities are those after it; energies are positive when lost."""

    law: Law
    v_t: float
    v_n: float
    p_t: float
    p_n: float
    region: int
    phases: list[Phase]
    work_compression: float
    work_restitution: float
    energy_loss: float
    added_energy: bool
    inputs: dict[str, float] = field(repr=False)

    @property
    def region_name(self) -> str:
        """The region in words."""
        return region_name(self.region)

    @property
    def path(self) -> NDArray[np.float64]:
        """Corners of the path in impulse space: rows of p_t, p_n, v_t, v_n, from zero impulse to the end."""
        rows = [(0.0, 0.0, self.inputs["v_t"], self.inputs["v_n"])]
        for phase in self.phases:
            rows.append((rows[-1][0] + phase.p_t, rows[-1][1] + phase.p_n, phase.v_t, phase.v_n))
        return np.array(rows)

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and words, for JSON."""
        return {
            "law": str(self.law),
            "inputs": dict(self.inputs),
            "v_t": self.v_t,
            "v_n": self.v_n,
            "p_t": self.p_t,
            "p_n": self.p_n,
            "region": self.region,
            "region_name": self.region_name,
            "phases": [{"name": phase.name, **phase.__dict__} for phase in self.phases],
            "work_compression": self.work_compression,
            "work_restitution": self.work_restitution,
            "energy_loss": self.energy_loss,
            "added_energy": self.added_energy,
        }


@dataclass(frozen=True)
class ImpactOutcomes:
    """``ImpactOutcome`` for many impacts: arrays of one shape; NaN where ``solved`` is False."""

    law: Law
    v_t: NDArray[np.float64]
    v_n: NDArray[np.float64]
    p_t: NDArray[np.float64]
    p_n: NDArray[np.float64]
    region: NDArray[np.int64]
    work_compression: NDArray[np.float64]
    work_restitution: NDArray[np.float64]
    energy_loss: NDArray[np.float64]
    added_energy: NDArray[np.bool_]
    solved: NDArray[np.bool_]


def impact(
    law: Law | str,
    A: float,
    B: float,
    C: float,
    v_t: float,
    v_n: float,
    mu: float,
    e: float,
    *,
    e_t: float = 0.0,
) -> ImpactOutcome:
    """The impact of one contact by a law.

    A = W_T.M^-1.W_T, B = W_T.M^-1.W_N, C = W_N.M^-1.W_N; v_t, v_n the relative velocities before, v_n < 0 approaching
    (v_n = 0: a tangential impact if friction is large enough, else nothing happens); friction mu, restitution e.

    >>> outcome = jounce.impact("energetic", A=2.3, B=-0.7, C=1.4, v_t=1.0, v_n=-1.0, mu=0.9, e=0.5)
    >>> outcome.region_name, round(outcome.v_n, 4)
    ('slip, stick in compression (+)', 0.3919)
    """
    chosen = Law.parse(law)
    values = _checked(chosen, A, B, C, v_t, v_n, mu, e, e_t)
    if len(values) != 1:
        raise OptionError(f"an impact has one number each for {', '.join(_INPUTS)}; for arrays there is impact_many")
    row = [float(value[0]) for value in values.T]
    out, codes = np.zeros(8), np.zeros(1, dtype=np.int64)
    apply_law_to_rows(int(chosen), values, out[None, :], codes)
    if codes[0]:
        raise SimulationError(_no_solution(chosen, row))
    p_t, p_n, region, w_c, w_r, loss, v_t_plus, v_n_plus = (float(value) for value in out)
    return ImpactOutcome(
        law=chosen,
        v_t=v_t_plus,
        v_n=v_n_plus,
        p_t=p_t,
        p_n=p_n,
        region=int(region),
        phases=_phases(chosen, row, out),
        work_compression=w_c,
        work_restitution=w_r,
        energy_loss=loss,
        added_energy=bool(_added(out[None, :], values)[0]),
        inputs=dict(zip(_INPUTS, row, strict=True)),
    )


def impact_many(
    law: Law | str,
    A: ArrayLike,
    B: ArrayLike,
    C: ArrayLike,
    v_t: ArrayLike,
    v_n: ArrayLike,
    mu: ArrayLike,
    e: ArrayLike,
    *,
    e_t: ArrayLike = 0.0,
) -> ImpactOutcomes:
    """``impact`` for arrays that broadcast together; an impact without solution is NaN with ``solved`` False.

    >>> outcomes = jounce.impact_many("newton", A=1.0, B=0.0, C=1.0, v_t=[0.0, 5.0], v_n=-1.0, mu=0.3, e=0.5)
    >>> outcomes.v_n
    array([0.5, 0.5])
    """
    chosen = Law.parse(law)
    rows = _checked(chosen, A, B, C, v_t, v_n, mu, e, e_t)
    shape = np.broadcast_shapes(*(np.shape(value) for value in (A, B, C, v_t, v_n, mu, e, e_t)))
    out = np.zeros((len(rows), 8))
    codes = np.zeros(len(rows), dtype=np.int64)
    apply_law_to_rows(int(chosen), rows, out, codes)
    solved = codes == 0
    added = _added(out, rows)
    region = out[:, 2].astype(np.int64)
    out[~solved] = np.nan
    columns = {name: out[:, i].reshape(shape) for name, i in _COLUMNS.items()}
    return ImpactOutcomes(
        law=chosen,
        region=region.reshape(shape),
        added_energy=(added & solved).reshape(shape),
        solved=solved.reshape(shape),
        **columns,
    )


_COLUMNS = {
    "p_t": 0,
    "p_n": 1,
    "work_compression": 3,
    "work_restitution": 4,
    "energy_loss": 5,
    "v_t": 6,
    "v_n": 7,
}


def _checked(law: Law, *values: ArrayLike) -> NDArray[np.float64]:
    """The inputs as rows of A, B, C, v_t, v_n, mu, e, e_t; an error names the first that makes no sense."""
    try:
        arrays = [np.asarray(value, dtype=np.float64) for value in values]
    except (TypeError, ValueError, OverflowError, MemoryError) as error:
        raise OptionError(f"an impact needs real numbers for {', '.join(_INPUTS)}: {error}") from error
    try:
        columns = np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise OptionError(f"{', '.join(_INPUTS)} of the shapes {shapes} do not broadcast together") from None
    rows = np.ascontiguousarray(np.stack([array.ravel() for array in columns], axis=1))
    A, B, C, v_t, v_n, mu, e, e_t = rows.T
    low, high = law.tangential_range
    tangential = (
        f"e_t must be between {low:g} and {high:g} for the law {law}"
        if high > low
        else f"the law {law} has no tangential restitution: leave it 0, or take poisson_two_phase or chatterjee_ruina"
    )
    with np.errstate(all="ignore"):
        energies = (np.abs(v_t) + np.abs(v_n)) ** 2 * (1.0 + 1.0 / C)
    for bad, message in (
        (~np.isfinite(rows).all(axis=1), "A, B, C, v_t, v_n, mu, e and e_t must be finite numbers"),
        (C <= 0.0, "C = W_N.M^-1.W_N must be positive: it is the mobility along the normal"),
        (A < 0.0, "A = W_T.M^-1.W_T must not be negative"),
        (
            np.abs(B) > math.sqrt(1.0 + DEFINITENESS_TOLERANCE) * np.sqrt(np.abs(A)) * np.sqrt(np.abs(C)),
            "K = [[A, B], [B, C]] must be positive semidefinite, A*C >= B^2; check the order and the sign of A, B, C",
        ),
        (mu < 0.0, "the friction mu must not be negative; its direction follows from v_t"),
        ((e < 0.0) | (e > 1.0), "the restitution e must be between 0 and 1"),
        ((e_t < low) | (e_t > high), tangential),
        (
            v_n > 0.0,
            "v_n > 0 separates: nothing hits. Approaching velocities are negative; check the normal's direction",
        ),
        (
            ~np.isfinite(energies),
            "the energy of the impact is too large for double precision; choose units in which velocities and masses "
            "are nearer to 1",
        ),
    ):
        if bad.any():
            i = int(np.argmax(bad))
            numbers = ", ".join(f"{name}={value:g}" for name, value in zip(_INPUTS, rows[i], strict=True))
            where = f" at index {i}" if len(rows) > 1 else ""
            raise OptionError(f"{message} (got {numbers}{where})")
    return rows


def _added(out: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each row gained kinetic energy beyond rounding."""
    with np.errstate(over="ignore"):  # nothing is gained beside work without bounds
        work = np.abs(out[:, 0]) * (np.abs(rows[:, 3]) + np.abs(out[:, 6]))
        work += out[:, 1] * (np.abs(rows[:, 4]) + np.abs(out[:, 7]))
    return out[:, 5] < -ENERGY_TOLERANCE * work


def _no_solution(law: Law, row: list[float]) -> str:
    numbers = ", ".join(f"{name}={value:g}" for name, value in zip(_INPUTS, row, strict=True))
    return (
        f"the law {law} has no solution for {numbers}: the contact sticks while it approaches and K has rank one, "
        "so no finite impulse stops it. Give the contact a second degree of freedom, or try a smaller mu."
    )


def _phases(law: Law, row: list[float], out: NDArray[np.float64]) -> list[Phase]:
    """The pieces of the path in impulse space."""
    A, B, C, v_t, v_n, mu, e, _ = row
    p_t, p_n, _, _, _, _, v_t_plus, v_n_plus = (float(value) for value in out)
    if p_n == 0.0:
        return []
    if law.follows_process:
        return _process_phases(law, row)
    if law is Law.POISSON_TWO_PHASE and mu > 0.0 and A > 0.0:
        impulse = np.zeros(2)
        motion = coulomb_impulse_to(A, B, C, v_t, -v_n, mu, impulse)
        p_tC, p_nC = impulse.tolist()
        v_tC = 0.0 if _MOTIONS[motion] == "stick" else v_t + A * p_tC + B * p_nC
        phases = [Phase("compression", _MOTIONS[motion], p_nC, p_tC, v_tC, 0.0)]
        if e > 0.0:
            motion = int(out[2]) % 10
            phases.append(Phase("expansion", _MOTIONS[motion], p_n - p_nC, p_t - p_tC, v_t_plus, v_n_plus))
        return phases
    return [Phase("impact", "straight", p_n, p_t, v_t_plus, v_n_plus)]


def _process_phases(law: Law, row: list[float]) -> list[Phase]:
    table = np.zeros((PHASE_ROWS, PHASE_COLUMNS))
    count = process_phases(int(law), np.array(row[:7]), np.zeros(8), table)
    stages = ("compression", "restitution")
    return [
        Phase(stages[int(stage)], _MOTIONS[int(motion)], p_n, p_t, v_t, v_n)
        for motion, stage, p_n, p_t, v_t, v_n in table[:count].tolist()
    ]
