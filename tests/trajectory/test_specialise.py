"""A loop for one system alone does what the common one does, to the last bit."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import jounce
from jounce.simulation import specialise as module
from jounce.simulation.templates import templates_of
from tests.bodies.table_machines import shapes

CASES = {
    "slender_rod": ({"omega": 4.405, "mu": 0.05}, {"omega": 3.0, "mu": 0.3, "e": 0.5}),
    "wiper": ({"mu": 0.6}, {"mu": 0.5}),
}


def _numbers(run: jounce.Trajectory) -> list[np.ndarray]:
    data = run.data
    return [data.event_float, data.event_int, run.final.q, run.final.u, np.array(run.status.code)]


@pytest.fixture(scope="module", params=sorted(CASES))
def pair(request: pytest.FixtureRequest) -> tuple[str, jounce.System, jounce.System]:
    """A name, its system, and the same with a loop of its own."""
    common = jounce.compile_model(getattr(jounce.systems, request.param)())
    return request.param, common, jounce.specialise(dataclasses.replace(common))


def _machine(system: jounce.System, options: jounce.Options) -> np.ndarray:
    return np.frombuffer(templates_of(system, options).machine, module.MACHINE)[0]


def test_runs_are_the_same_to_the_last_bit(pair: tuple[str, jounce.System, jounce.System]) -> None:
    name, common, own = pair
    assert _machine(own, jounce.Options())["own_loop"] != 0
    assert _machine(common, jounce.Options())["own_loop"] == 0
    for parameters in CASES[name]:
        for tolerance in (1e-6, 1e-10):
            options = jounce.Options(tolerance=tolerance)
            runs = [jounce.simulate(system, None, 20.0, options=options, **parameters) for system in (common, own)]
            assert len(runs[0].events) > 2
            for a, b in zip(*map(_numbers, runs), strict=True):
                np.testing.assert_array_equal(a, b)
            assert runs[0].energy.identical(runs[1].energy)


def test_other_laws_take_the_common_loop(pair: tuple[str, jounce.System, jounce.System]) -> None:
    _, common, own = pair
    options = jounce.Options(law="newton")
    assert _machine(own, options)["own_loop"] == 0
    runs = [jounce.simulate(system, None, 5.0, options=options) for system in (common, own)]
    for a, b in zip(*map(_numbers, runs), strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_loop_is_kept(pair: tuple[str, jounce.System, jounce.System], monkeypatch: pytest.MonkeyPatch) -> None:
    _, common, own = pair
    monkeypatch.setattr(module, "specialised", None)  # calling it would fail
    again = jounce.specialise(dataclasses.replace(common))
    options = jounce.Options()
    assert _machine(again, options)["own_loop"] == _machine(own, options)["own_loop"]


def test_machines_from_tables_are_refused() -> None:
    with pytest.raises(jounce.SimulationError, match="from tables of its bodies"):
        jounce.specialise(jounce.compile_model(shapes(), bodies="tables"))
