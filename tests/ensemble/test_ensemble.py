"""What goes into an ensemble, what is refused, and how it is interrupted and continued."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import jounce
from jounce.analysis.ensemble import ensemble as module
from jounce.analysis.ensemble.work import Work
from jounce.errors import OptionError
from tests.engine.models import watched_ball


@pytest.fixture(scope="module")
def ball():
    return jounce.compile_model(jounce.systems.bouncing_ball())


def test_columns_tables_and_numbers_are_broadcast(ball):
    y, e = np.array([1.0, 0.8, 1.2]), np.array([0.5, 0.6, 0.7])
    found = jounce.ensemble(ball, {"y": y, "d_y": 0.1}, 0.4, parameters={"e": e, "g": 9.0})
    table = jounce.ensemble(
        ball, pd.DataFrame({"y": y}).assign(d_y=0.1), 0.4, parameters=pd.DataFrame({"e": e}).assign(g=9.0)
    )
    assert found.sizes == {"run": 3}
    assert set(found.coords) == {"run", "y_start", "e"}
    np.testing.assert_array_equal(found["y"], table["y"])
    flights = np.sqrt(2 * y / 9.0) > 0.4  # thrown up at 0.1 they fly longer still
    falls = y + 0.1 * 0.4 - 4.5 * 0.4**2
    np.testing.assert_allclose(found["y"][flights], falls[flights], rtol=1e-13)


def test_ends_of_their_own(ball):
    ends = np.array([0.1, 0.2, 0.3])
    found = jounce.ensemble(ball, {"y": 1.0}, ends, at=[0.0, 0.15, 0.25])
    np.testing.assert_array_equal(found["t"], ends)
    np.testing.assert_array_equal(np.isnan(found["y_at"]), [[0, 1, 1], [0, 0, 1], [0, 0, 0]])


def test_a_pandas_view(ball):
    found = jounce.ensemble(ball, {"y": np.linspace(1, 2, 5)}, 0.5, at=[0.1], events=["impact"])
    table = found.drop_dims("time").to_dataframe()
    assert len(table) == 5
    assert {"y", "y_start", "status", "impact_count"} <= set(table.columns)


@pytest.mark.parametrize("method", ["random", "latin_hypercube", "sobol"])
def test_draws_have_their_distributions(method):
    asked = {"a": jounce.Normal(2.0, 0.5), "b": jounce.Uniform(-1.0, 3.0), "c": stats.gamma(2.0)}
    found = jounce.draw(4096, asked, seed=3, method=method)
    again = jounce.draw(4096, asked, seed=3, method=method)
    exact = {"a": stats.norm(2.0, 0.5), "b": stats.uniform(-1.0, 4.0), "c": stats.gamma(2.0)}
    for name, values in found.items():
        np.testing.assert_array_equal(values, again[name])
        assert stats.kstest(values, exact[name].cdf).pvalue > 1e-3
    assert not np.array_equal(found["a"], jounce.draw(4096, asked, seed=4, method=method)["a"])


def test_a_latin_hypercube_has_one_value_a_slice():
    values = jounce.draw(100, {"b": jounce.Uniform(0.0, 100.0)}, method="latin_hypercube")["b"]
    np.testing.assert_array_equal(np.sort(values.astype(int)), np.arange(100))


def test_correlated_normals():
    names = {name: jounce.Normal(0.0, 1.0) for name in "abc"}
    wanted = {("a", "b"): 0.6, ("b", "c"): -0.3}
    found = jounce.draw(2**15, names, method="sobol", correlation=wanted)
    matrix = np.corrcoef([found[name] for name in "abc"])
    np.testing.assert_allclose(matrix, [[1, 0.6, 0], [0.6, 1, -0.3], [0, -0.3, 1]], atol=2e-3)


def test_starts_and_parameters_are_drawn_together(ball):
    found = jounce.ensemble(
        ball, {"y": jounce.Normal(1.0, 0.01)}, 0.1, parameters={"e": jounce.Uniform(0.5, 0.6)}, runs=64, seed=5
    )
    drawn = jounce.draw(64, {"y": jounce.Normal(1.0, 0.01), "e": jounce.Uniform(0.5, 0.6)}, seed=5)
    np.testing.assert_array_equal(found["y_start"], drawn["y"])
    np.testing.assert_array_equal(found["e"], drawn["e"])


def test_runs_stop_at_guards():
    ball = watched_ball()
    found = jounce.ensemble(ball, {"y": [1.0, 2.0]}, 2.0, stop_at="passing", events=["user:passing"])
    assert list(found["status"].values) == ["STOPPED", "STOPPED"]
    np.testing.assert_allclose(found["user:passing_first"], np.sqrt([1.0 / 9.81, 3.0 / 9.81]), rtol=1e-12)
    np.testing.assert_array_equal(found["t"], found["user:passing_first"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"starts": {"z": 1.0}}, "unknown name 'z'"),
        ({"starts": {"y": [1.0, np.nan]}}, "starts: y must be a finite number"),
        ({"starts": {"y": [1.0, 2.0]}, "parameters": {"e": [0.1, 0.2, 0.3]}}, "different lengths"),
        ({"starts": {"y": [1.0, -0.5]}}, "run 1: contact 'floor': the gap is -0.5"),
        ({"parameters": {"e": [0.5, 0.6, 1.1]}}, r"run 2: contact 'floor': the restitution is 1.1"),
        ({"parameters": {"m": [1.0, -1.0]}}, "run 1: the mass matrix is not positive definite"),
        ({"parameters": {"e": jounce.Uniform(0.1, 0.2)}}, "runs says how many"),
        ({"parameters": {"x": 1.0}}, "unknown name 'x'"),
        ({"t_end": [1.0, -1.0]}, "run 1: t_end is -1"),
        ({"keep": ["finale"]}, "did you mean 'final'"),
        ({"events": ["impact:roof"]}, "valid contacts: floor"),
        ({"at": [0.2, 0.1]}, "at must be finite times"),
        ({"at": [0.2], "options": jounce.Options(record="events")}, "record='all'"),
        ({"starts": None, "correlation": {("y", "e"): 0.5}}, "none is given"),
    ],
)
def test_mistakes_have_words(ball, arguments, message):
    arguments = {"starts": {"y": 1.0}, "t_end": 1.0, **arguments}
    with pytest.raises(jounce.JounceError, match=message):
        jounce.ensemble(ball, arguments.pop("starts"), arguments.pop("t_end"), **arguments)


def test_an_interrupted_ensemble_keeps_what_is_whole(ball):
    def interrupt(fraction):
        raise KeyboardInterrupt

    with pytest.raises(jounce.Interrupted, match="of 50 runs") as caught:
        jounce.ensemble(ball, {"y": np.linspace(1, 2, 50)}, 1.0, progress=interrupt)
    partial = caught.value.partial
    assert set(partial["status"].values) <= {"FINISHED", "AT_REST"}


def test_a_store_is_continued(ball, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 10)
    starts, folder = {"y": np.linspace(1, 2, 35)}, tmp_path / "runs.zarr"
    whole = jounce.ensemble(ball, starts, 1.0, at=[0.5], events=["impact"])
    seen = []

    def interrupt(fraction):
        seen.append(fraction)
        if fraction > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(jounce.Interrupted):
        jounce.ensemble(ball, starts, 1.0, at=[0.5], events=["impact"], store=folder, progress=interrupt)
    parts = []
    run = Work.run
    monkeypatch.setattr(Work, "run", lambda self, part, *rest: (parts.append(part), run(self, part, *rest)))
    again = jounce.ensemble(ball, starts, 1.0, at=[0.5], events=["impact"], store=folder)
    assert again.identical(whole)
    assert 0 < len(parts) < 4  # the chunks that were whole are not run again
    parts.clear()
    assert jounce.ensemble(ball, starts, 1.0, at=[0.5], events=["impact"], store=folder).identical(whole)
    assert not parts
    with pytest.raises(jounce.StorageError, match="holds another computation"):
        jounce.ensemble(ball, {"y": np.linspace(1, 3, 35)}, 1.0, at=[0.5], events=["impact"], store=folder)
    with pytest.raises(jounce.StorageError, match="holds an ensemble"):
        jounce.load(folder)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: jounce.Normal(0.0, -1.0), "the deviation not negative"),
        (lambda: jounce.Uniform(2.0, 1.0), "low not above high"),
        (lambda: jounce.draw(4, {"a": jounce.Normal(0, 1)}, method="sobl"), "method is 'sobl'; did you mean 'sobol'"),
        (lambda: jounce.draw(4, {"a": 3.0}), r"'a' is 3.0; it must be jounce.Normal\(mean, deviation\)"),
        (lambda: jounce.draw(4, {"a": stats.norm(np.nan)}), "does not give 4 finite numbers"),
        (lambda: jounce.draw(4, {"a": jounce.Normal(0, 1)}, correlation={("a", "b"): 0.5}), "no pair of drawn columns"),
        (lambda: jounce.draw(4, _three(), correlation={("a", "b"): 1.5}), "it must lie between -1 and 1"),
        (lambda: jounce.draw(4, _three(), correlation=_impossible()), "have all these correlations together"),
    ],
)
def test_draws_that_cannot_be_made_say_why(make, message) -> None:
    with pytest.raises(OptionError, match=message):
        make()


def _three() -> dict[str, jounce.Normal]:
    return {name: jounce.Normal(0.0, 1.0) for name in "abc"}


def _impossible() -> dict[tuple[str, str], float]:
    return {("a", "b"): 0.9, ("b", "c"): 0.9, ("a", "c"): -0.9}
