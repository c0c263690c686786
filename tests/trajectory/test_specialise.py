"""A loop for one system alone does what the common one does, to the last bit."""

from __future__ import annotations

import dataclasses
import gc
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.analysis.attractors.search import AttractorSearch, Engine
from jounce.simulation import specialise as module
from jounce.simulation import templates
from jounce.simulation.section import Section
from jounce.simulation.templates import templates_of
from jounce.toolchain import processes
from tests.bodies.table_machines import shapes

CASES = {
    "slender_rod": ({"omega": 4.405, "mu": 0.05}, {"omega": 3.0, "mu": 0.3, "e": 0.5}),
    "wiper": ({"mu": 0.6}, {"mu": 0.5}),
}

SECTIONS = {"slender_rod": "phase:0", "wiper": "impact"}


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


LATER = """
import jounce
table, rod = (jounce.compile_model(make()) for make in (jounce.systems.ball_on_table, jounce.systems.slender_rod))
jounce.simulate(table, None, 1.0)
jounce.specialise(rod)
print(*jounce.find_orbit(table, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9).multipliers)
"""


def test_code_that_is_linked_later_finds_the_common_blocks() -> None:
    """Blocks that carry perturbations call those of the engine by their names, which the loop's own have had, too."""
    expected = jounce.find_orbit(jounce.systems.ball_on_table(), {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9).multipliers
    later = subprocess.run([sys.executable, "-c", LATER], capture_output=True, text=True, check=True)
    np.testing.assert_array_equal([complex(number) for number in later.stdout.split()], expected)


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


def _waits(system: jounce.System) -> bool:
    return bool(templates._KEPT[system].awaited)


def test_another_process_compiles_it(pair: tuple[str, jounce.System, jounce.System]) -> None:
    """Runs take the common loop meanwhile. The code that the fixture has left is hidden until the process is there."""
    _, common, own = pair
    later, options = dataclasses.replace(common), jounce.Options()
    path = module._own_loop(templates_of(common, options).machine).path
    hidden = path.rename(path.with_suffix(".hidden"))
    try:
        jounce.specialise(later, background=True)
        assert _waits(later)
        assert _machine(later, options)["own_loop"] == 0
    finally:
        hidden.rename(path)
    end = time.monotonic() + 120.0
    while _waits(later) and time.monotonic() < end:
        time.sleep(0.1)
        loops = {int(_machine(later, options)["own_loop"])}
    assert loops == {int(_machine(own, options)["own_loop"])}


def test_a_long_run_goes_on_in_it(pair: tuple[str, jounce.System, jounce.System]) -> None:
    """It comes after some calls of the loop; the run, and the next one, are the same to the last bit."""
    name, common, own = pair
    later, options = dataclasses.replace(common), jounce.Options(max_events=10**9)
    own_loop = int(_machine(own, options)["own_loop"])
    answers = [None] * 2
    templates.await_loop(later, options, lambda: answers.pop() if answers else own_loop)
    expected = _numbers(jounce.simulate(common, None, 2000.0, options=options, **CASES[name][0]))
    for _ in range(2):
        run = jounce.simulate(later, None, 2000.0, options=options, **CASES[name][0])
        assert not _waits(later)
        for a, b in zip(expected, _numbers(run), strict=True):
            np.testing.assert_array_equal(a, b)
    assert _machine(later, options)["own_loop"] == own_loop


def test_an_analysis_goes_on_in_it(pair: tuple[str, jounce.System, jounce.System]) -> None:
    """The records of its threads, made before, take it at their next chunk."""
    name, common, own = pair
    later, address = dataclasses.replace(common), int(_machine(own, jounce.Options())["own_loop"])
    search = AttractorSearch(later, Section.parse(SECTIONS[name]), None, {}, 10, 5)
    engine = Engine(search)
    chunk = (
        np.zeros(1),
        search.periods(np.zeros(1)),
        search.point(later.state(), 1.0)[None, :],
        False,
        np.zeros(1, np.int64),
    )
    before = engine.run(*chunk)
    assert engine.machine[0]["own_loop"] == 0
    templates.give_loop(later, search.options, address)
    after = engine.run(*chunk)
    assert engine.machine[0]["own_loop"] == address
    assert before is not None
    assert after is not None
    for key, values in before.items():
        np.testing.assert_array_equal(values, after[key])


def test_a_process_that_fails_is_said(
    pair: tuple[str, jounce.System, jounce.System], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, common, _ = pair
    later, options = dataclasses.replace(common), jounce.Options(law="newton")
    monkeypatch.setattr(processes, "CALL", "raise SystemExit(3)")
    monkeypatch.setattr(module, "code_folder", lambda: Path("none"))
    jounce.specialise(later, options, background=True)
    templates._KEPT[later].awaited[templates._concerned(options)].__self__._process.wait()
    with pytest.warns(UserWarning, match="ended with code 3"):
        jounce.simulate(later, None, 1.0, options=options)
    assert not _waits(later)
    assert _machine(later, options)["own_loop"] == 0


def test_nothing_is_left_behind(
    pair: tuple[str, jounce.System, jounce.System], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A system that is not needed any more takes its process and its file with it."""
    monkeypatch.setattr(processes, "CALL", "import time; time.sleep(600.0)")
    monkeypatch.setattr(module, "code_folder", lambda: Path("none"))
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path))
    later = dataclasses.replace(pair[1])
    jounce.specialise(later, background=True)
    (arrived,) = templates._KEPT[later].awaited.values()
    process = arrived.__self__._process
    assert len(list(tmp_path.iterdir())) == 1
    del arrived, later
    gc.collect()
    assert process.poll() is not None
    assert not list(tmp_path.iterdir())


def test_machines_from_tables_are_refused() -> None:
    with pytest.raises(jounce.SimulationError, match="from tables of its bodies"):
        jounce.specialise(jounce.compile_model(shapes(), bodies="tables"))
