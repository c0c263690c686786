"""One pre-impact quantity swept through several laws, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from jounce.analysis.impacts.impact import impact_many
from jounce.errors import OptionError, is_one_of, suggestion
from jounce.simulation.law import Law, region_name

if TYPE_CHECKING:
    import pandas as pd

SWEEPABLE = ("A", "B", "C", "v_t", "v_n", "mu", "e", "e_t")


def compare_laws(
    sweep: str,
    values: ArrayLike,
    *,
    laws: Sequence[Law | str] | None = None,
    A: ArrayLike,
    B: ArrayLike,
    C: ArrayLike,
    v_t: ArrayLike = 0.0,
    v_n: ArrayLike = -1.0,
    mu: ArrayLike = 0.0,
    e: ArrayLike = 0.0,
    e_t: ArrayLike = 0.0,
) -> pd.DataFrame:
    """Sweep one of A, B, C, v_t, v_n, mu, e, e_t through the laws (all of them, if none are named).

    One row a value and law: the swept quantity, law, v_t_after, v_n_after, p_t, p_n, energy_loss, added_energy, region,
    region_name, work_compression, work_restitution, solved. Other quantities may be arrays that follow the sweep. e_t
    goes to the laws that have one. The table remembers the sweep: ``table.attrs["sweep"]``.

    >>> table = jounce.compare_laws("mu", [0.0, 0.3], A=2.3, B=-0.7, C=1.4, v_t=1.0, v_n=-1.0, e=0.5)
    >>> table[table["law"] == "newton"][["mu", "v_n_after"]].values.tolist()
    [[0.0, 0.5], [0.3, 0.5]]
    """
    import pandas as pd

    points = _checked_points(sweep, values, laws)
    given: dict[str, ArrayLike] = {"A": A, "B": B, "C": C, "v_t": v_t, "v_n": v_n, "mu": mu, "e": e, "e_t": e_t}
    given[sweep] = points
    for name, value in given.items():
        try:
            shape = np.shape(np.asarray(value, dtype=np.float64))
        except (TypeError, ValueError, OverflowError):
            raise OptionError(f"{name} is {value!r}; it must be numbers") from None
        if shape not in ((), points.shape):
            raise OptionError(f"{name} must be a number or follow the {points.size} values of {sweep}")
    inputs = {name: np.broadcast_to(np.asarray(value, dtype=np.float64), points.shape) for name, value in given.items()}
    chosen = [Law.parse(law) for law in (laws if laws is not None else list(Law))]
    tables = [pd.DataFrame({sweep: points, **_columns(law, inputs)}) for law in chosen]
    table = pd.concat(tables, ignore_index=True)
    table.attrs["sweep"] = sweep
    return table


def _checked_points(sweep: str, values: ArrayLike, laws: Any) -> np.ndarray:
    """The values of the quantity that is swept."""
    if not is_one_of(sweep, SWEEPABLE):
        raise OptionError(f"cannot sweep {sweep!r}: {suggestion(sweep, SWEEPABLE, 'quantities')}")
    try:
        points = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError, MemoryError):
        raise OptionError(f"the values of {sweep} must be a list of numbers, not {type(values).__name__}") from None
    if not isinstance(laws, list | tuple | None) or (laws is not None and not laws):
        raise OptionError(f"laws is {laws!r}; it must be a list of names of laws, or None for all")
    if points.ndim != 1 or points.size == 0:
        raise OptionError(f"the values of {sweep} must be a list of numbers, got shape {points.shape}")
    return points


def _columns(law: Law, inputs: dict[str, np.ndarray]) -> dict[str, Any]:
    """What a law makes of the impacts."""
    if law.tangential_range == (0.0, 0.0):
        inputs = {**inputs, "e_t": np.zeros(inputs["e_t"].shape)}
    outcome = impact_many(law, **inputs)
    return {
        "law": str(law),
        "v_t_after": outcome.v_t,
        "v_n_after": outcome.v_n,
        "p_t": outcome.p_t,
        "p_n": outcome.p_n,
        "energy_loss": outcome.energy_loss,
        "added_energy": outcome.added_energy,
        "region": outcome.region,
        "region_name": [region_name(int(region)) for region in outcome.region],
        "work_compression": outcome.work_compression,
        "work_restitution": outcome.work_restitution,
        "solved": outcome.solved,
    }
