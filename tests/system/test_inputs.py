"""What people hand over: models for systems, dictionaries for states, named errors for everything that is neither."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce.errors import JounceError, ModelError, OptionError, SimulationError


@pytest.fixture(scope="module")
def ball():
    return jounce.compile_model(jounce.systems.ball_on_table())


@pytest.fixture(scope="module")
def run(ball):
    return jounce.simulate(ball, ball.state(y=1.0), t_end=2.0, omega=3.0, e=0.8)


def test_a_model_and_a_dictionary_are_enough(ball):
    short = jounce.simulate(jounce.systems.ball_on_table(), {"y": 1.0}, 2.0, tolerance=1e-8, e=0.8)
    options = jounce.Options(tolerance=1e-8)
    long = jounce.simulate(ball, ball.state(y=1.0), t_end=2.0, options=options, e=0.8)
    assert short.final == long.final
    assert short.options == options
    y = ball.model.q[0]
    assert jounce.simulate(ball, {y: 1.0, "d_y": -0.5, "t": 0.25}, 2.0).start == ball.state(t=0.25, y=1.0, d_y=-0.5)
    assert jounce.simulate(ball, None, 0.1).start == ball.state()


def test_a_dictionary_starts_a_machine_with_the_lengths_of_the_run():
    system = jounce.compile_model(jounce.systems.four_bar())
    name = next(name for name in system.parameter_names if system.defaults[system.parameter_names.index(name)] > 0.0)
    value = 1.01 * system.defaults[system.parameter_names.index(name)]
    run = jounce.simulate(system, {}, 0.01, **{name: value})
    assert run.status.ok
    assert run.start == system.assemble(**{name: value}) != system.state()


def test_models_serve_every_analysis():
    model, parameters = jounce.systems.ball_on_table(), {"omega": 3.0, "e": 0.2}
    orbit = jounce.find_orbit(model, {"y": 0.3, "d_y": 2.0}, **parameters)
    assert orbit.forcing_periods >= 1
    assert jounce.lyapunov(model, {"y": 1.0}, 5.0, **parameters).exponents.size == 2
    assert jounce.SectionMap(model, "phase:0", **parameters)(jounce.compile_model(model).state(y=1.0)).names == ("y",)
    assert jounce.sweep(model, "omega", [3.0], "phase:0", {"y": 1.0}, transient=5, keep=1).complete
    assert jounce.basins(model, {"y": [1.0]}, "phase:0", {"d_y": 0.1}, transient=5, keep=1).complete


HUGE = 10**9
WRONG_RUNS = {
    "options as a dictionary": ({"options": {"tolerance": 1e-8}}, r"jounce.Options\(tolerance=1e-08\)"),
    "options as text": ({"options": "fast"}, "options must be"),
    "a start as a tuple": ({"start": (1.0, 0.0)}, "start must be a state"),
    "a start as a number": ({"start": 1.0}, "start must be a state"),
    "a start with a wrong name": ({"start": {"z": 1.0}}, "unknown name 'z'"),
    "a start with text": ({"start": {"y": "1"}}, "finite number"),
    "a start of another system": ({"start": jounce.State(0.0, [1.0], [0.0], ("x",))}, "has the coordinates x"),
    "a function for a system": ({"system": jounce.systems.ball_on_table}, "call ball_on_table"),
    "a name for a system": ({"system": "ball_on_table"}, "needs a system or a model"),
    "text for a time": ({"t_end": "5"}, "t_end is '5'"),
    "no time": ({"t_end": None}, "t_end is None"),
    "nan for a time": ({"t_end": float("nan")}, "t_end is nan"),
    "a tolerance out of range": ({"tolerance": 1.0}, "tolerance is 1.0"),
    "a scheduled restitution above 1": ({"schedule": [(0.5, {"e": 1.5})]}, "schedule at t=0.5: .*restitution is 1.5"),
    "a scheduled nan": ({"schedule": [(0.5, {"e": float("nan")})]}, "must be finite"),
    "a schedule without pairs": ({"schedule": [0.5, {"e": 0.5}]}, "schedule must be"),
    "a schedule of triples": ({"schedule": [(0.5, "e", 0.5)]}, "no such pair"),
    "a schedule as a dictionary": ({"schedule": {0.5: {"e": 0.5}}}, "schedule must be"),
    "a schedule as a number": ({"schedule": 3.0}, "schedule must be"),
    "a schedule of unknown names": ({"schedule": [(0.5, {"a": 1.0})]}, "unknown parameter 'a'"),
    "a schedule at a time in words": ({"schedule": [("now", {"e": 0.5})]}, "must be finite numbers"),
    "a stop that is no name": ({"stop_at": 3}, "stop_at is 3"),
    "progress that is no function": ({"progress": 3}, "progress is 3"),
    "an unknown parameter": ({"omgea": 3.0}, "did you mean 'omega'"),
    "a parameter in words": ({"omega": "fast"}, "finite number"),
}


@pytest.mark.parametrize("what", WRONG_RUNS)
def test_a_run_that_cannot_be_meant(ball, what):
    changes, message = WRONG_RUNS[what]
    arguments = {"system": ball, "start": {"y": 1.0}, "t_end": 1.0} | changes
    with pytest.raises((SimulationError, OptionError), match=message):
        jounce.simulate(**arguments)


@pytest.mark.parametrize(
    "changes",
    [
        {"ledger": "no"},
        {"ledger": 1},
        {"max_events": 0},
        {"max_events": 1e6},
        {"tolerance": "1e-8"},
        {"tolerance": float("nan")},
        {"baumgarte": (1.0,)},
        {"baumgarte": 5.0},
        {"law": 7},
        {"record": None},
        {"largest_step": -1.0},
        {"chatter_speed": float("inf")},
    ],
    ids=str,
)
def test_options_that_cannot_be_meant(changes):
    with pytest.raises(OptionError, match=next(iter(changes)).replace("law", "law of impact")):
        jounce.Options(**changes)


WRONG_SEARCHES = {
    "threads": ({"threads": 10**6}, "threads is 1000000"),
    "no threads": ({"threads": 0}, "threads is 0"),
    "keep": ({"keep": HUGE}, "keep is 1000000000"),
    "transient": ({"transient": 10**30}, "transient is"),
    "recurrence": ({"recurrence": "small"}, "recurrence is 'small'"),
    "options": ({"options": {}}, "options must be"),
    "store": ({"store": 3}, "store is 3"),
    "progress": ({"progress": "yes"}, "progress is 'yes'"),
    "longest_return": ({"longest_return": "long"}, "longest_return is 'long'"),
    "section": ({"section": 3}, "section"),
}


@pytest.mark.parametrize("what", WRONG_SEARCHES)
def test_searches_that_cannot_be_meant(ball, what, monkeypatch):
    monkeypatch.setattr("jounce.analysis.attractors.work.Work.run", lambda *_: pytest.fail("work was begun"))
    changes, message = WRONG_SEARCHES[what]
    with pytest.raises(JounceError, match=message):
        jounce.sweep(ball, **({"parameter": "omega", "values": [3.0], "section": "phase:0"} | changes))
    with pytest.raises(JounceError, match=message):
        jounce.basins(ball, **({"grid": {"y": [1.0]}, "section": "phase:0"} | changes))


def test_a_basin_of_a_billion_starts_is_refused_before_memory_is_spent(ball):
    began = time.process_time()
    with pytest.raises(OptionError, match=r"a grid of 1e\+09 starts"):
        jounce.basins(ball, {"y": np.zeros(10**5), "d_y": np.zeros(10**4)}, "phase:0")
    with pytest.raises(OptionError, match="values: 1000000000 values"):
        jounce.sweep(ball, "omega", range(HUGE), "phase:0")
    with pytest.raises(OptionError, match="random_starts is 1000000000"):
        jounce.sweep(ball, "omega", [3.0], "phase:0", random_starts=HUGE, ranges={"y": (1, 2)})
    with pytest.raises(OptionError, match="count is 1000000000000"):
        jounce.SectionMap(ball, "phase:0").iterate(ball.state(), 10**12)
    assert time.process_time() - began < 5.0


@pytest.mark.parametrize("ranges", [{"y": (2, 1)}, {"y": 3}, {"y": (0, float("inf"))}, {"z": (0, 1)}, None, 3, {}])
def test_ranges_that_cannot_be_meant(ball, ranges):
    with pytest.raises((OptionError, SimulationError)):
        jounce.sweep(ball, "omega", [3.0], "phase:0", random_starts=2, ranges=ranges)


@pytest.mark.parametrize("parameter", [None, 3, "omgea", ["omega"], np.zeros(2), sp.Symbol("omega")])
def test_parameters_that_cannot_be_meant(ball, parameter):
    with pytest.raises(SimulationError, match="parameter"):
        jounce.sweep(ball, parameter, [3.0], "phase:0")


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), sp.oo, sp.nan, "1", None])
def test_directions_and_places_are_finite(bad):
    body = jounce.Body("B", mass=1.0, inertia=0.02, center=(0.0, 3.0))
    for make in (
        lambda: jounce.Line(jounce.ground, (0, 0), (bad, 1)),
        lambda: jounce.Line(jounce.ground, (bad, 0), (1, 0)),
        lambda: jounce.Edge(jounce.ground, (0, 0), (bad, 1)),
        lambda: jounce.PointOn(body, (bad, 0)),
        lambda: jounce.CircleOn(body, (0, 0), bad),
    ):
        with pytest.raises(ModelError, match="number"):
            make()


def test_a_coefficient_that_a_law_ignores_is_said(ball):
    (y, dy), (x, dx) = jounce.coordinate("y", "m"), jounce.coordinate("x", "m")
    e_t = jounce.parameter("e_t", 0.0)

    def simulate(given, law, **parameters):
        contact = jounce.Contact("floor", gap=y, slip=dx, friction=0.3, restitution=0.5, tangential_restitution=given)
        model = jounce.Model.from_lagrangian(
            "sliding", coordinates=[x, y], kinetic=(dx**2 + dy**2) / 2, potential=9.81 * y, contacts=[contact]
        )
        return jounce.simulate(model, {"y": 1.0, "d_x": 1.0}, 0.1, options=jounce.Options(law=law), **parameters)

    with pytest.warns(
        UserWarning, match=r"tangential_restitution = .* no part in the law 'energetic'.*chatterjee_ruina"
    ):
        simulate(0.5, "energetic")
    with pytest.warns(UserWarning, match="no part in the law 'newton'"):
        simulate(e_t, "newton", e_t=0.25)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(0.5, "chatterjee_ruina")
        simulate(e_t, "energetic")
        simulate(0, "energetic")


def test_states_at_many_times(run):
    times = [0.1, 0.2, 1.5]
    states = run.at(times)
    assert isinstance(states, list)
    assert [state.t for state in states] == times
    assert states == [run.at(t) for t in times]
    assert run.at(np.array([0.3])) == [run.at(0.3)]
    assert run.at([]) == []
    assert isinstance(run.at(np.float64(0.3)), jounce.State)
    with pytest.raises(SimulationError, match="outside"):
        run.at([0.1, 5.0])
    with pytest.raises(SimulationError, match="number"):
        run.at("now")


def test_columns_of_a_run(run):
    t, y, v = run["t"], run["y"], run["d_y"]
    assert t[0] == run.t_start
    assert t[-1] == run.t_end
    assert y.shape == v.shape == t.shape
    np.testing.assert_array_equal(y, run.states(t)[:, 0])
    assert (y[-1], v[-1]) == (run.final["y"], run.final["d_y"])
    for name in ("z", 3, None):
        with pytest.raises(SimulationError, match="a run has no"):
            run[name]


def test_states_with_other_values(ball):
    state = ball.state(y=1.0, d_y=2.0)
    assert state.replace(y=0.3) == ball.state(y=0.3, d_y=2.0)
    for bad in ("x", None, float("nan"), [1]):
        with pytest.raises(SimulationError, match="replace: y must be a finite number"):
            state.replace(y=bad)
    with pytest.raises(SimulationError, match="has no 'z'"):
        state.replace(z=1.0)


def test_pickled_symbols_keep_what_they_carry():
    y, dy = jounce.coordinate("y", "mm")
    k = jounce.parameter("k", 2.5, "N/mm", "stiffness")
    expression = k * y**2 - dy
    again = pickle.loads(pickle.dumps(expression))
    assert again == expression
    own = {symbol.name: symbol for symbol in again.free_symbols}
    assert own["y"].unit == "mm"
    assert own["k"].parameter == k.parameter
    assert pickle.loads(pickle.dumps(jounce.ground)) is jounce.ground
    body = jounce.Body("B", mass=k, inertia=1.0)
    line = pickle.loads(pickle.dumps(jounce.Line(jounce.ground)))
    assert line.body is jounce.ground
    assert pickle.loads(pickle.dumps(body)).mass == k


def test_symbols_from_another_process_are_told_apart():
    """Two parameters of one name and different defaults stay two, also where their numbers are taken here."""
    code = (
        "import pickle, sys, jounce; a, b = jounce.parameter('k', 1.0), jounce.parameter('k', 2.0); "
        "sys.stdout.buffer.write(pickle.dumps((a, b, a + b)))"
    )
    sent = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    a, b, total = pickle.loads(sent)
    assert (a.parameter.default, b.parameter.default) == (1.0, 2.0)
    assert a != b
    assert total == a + b
    assert pickle.loads(sent)[0] == a


CTRL_C = """
import os, signal, sys, threading, time
import numpy as np
import jounce
system = jounce.compile_model(jounce.systems.ball_on_table())
quiet = jounce.Options(record="nothing", ledger=False)
jounce.simulate(system, system.state(y=6.0), t_end=1.0, options=quiet)
work = {
    "simulate": lambda: jounce.simulate(system, {"y": 3.0}, 2e9, options=quiet, omega=4.5, e=0.8),
    "map": lambda: jounce.SectionMap(system, "phase:0", omega=4.5, e=0.8).iterate(system.state(y=3.0), 10**7),
    "lyapunov": lambda: jounce.lyapunov(system, {"y": 3.0}, 1e9, omega=4.5, e=0.8),
    "sweep": lambda: jounce.sweep(system, "omega", np.linspace(4, 5, 10**5), "phase:0", {"y": 3.0}, transient=10**5),
}[sys.argv[1]]
sent = []

def press():
    sent.append(time.process_time())  # of the clock it would be the load of the machine
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(1.0, press).start()
for attempt in range(3):
    try:
        work()
    except KeyboardInterrupt as interrupt:
        soon = time.process_time() - sent[0] < 5.0
        print("interrupted", attempt, soon, getattr(interrupt, "partial", None) is not None)
        break
    except Exception as error:
        print("swallowed:", type(error).__name__, error)
"""


@pytest.mark.parametrize("what", ["simulate", "map", "lyapunov", "sweep"])
def test_ctrl_c_reaches_the_user(what):
    done = subprocess.run(
        [sys.executable, "-c", CTRL_C, what], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout.startswith("interrupted 0 True"), done.stdout + done.stderr
    if what == "simulate":
        assert done.stdout.strip().endswith("True")


def test_ctrl_c_in_a_search_for_an_orbit_is_no_failed_step(ball, monkeypatch):
    """Newton's method shortens its steps where a motion fails; an interrupt is no such failure."""
    from jounce.simulation.records import RunRecords

    calls, load = [], RunRecords.load

    def interrupted(*records):
        calls.append(records)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return load(*records)

    monkeypatch.setattr(RunRecords, "load", interrupted)
    with pytest.raises(KeyboardInterrupt):
        jounce.find_orbit(ball, {"y": 0.3, "d_y": 2.0}, omega=3.0, e=0.2)
    assert len(calls) == 2


NOT_MEANT = {
    "an impact of arrays": lambda: jounce.impact("energetic", [], 0.1, 1.0, 0.1, -1.0, 0.3, 0.5),
    "a body of text": lambda: jounce.PlanarBody("1", 1.0, (0.0, 0.0)),
    "a spin of text": lambda: jounce.PlanarBody(1.0, 1.0, (0.0, 0.0), spin="fast"),
    "a collision of numbers": lambda: jounce.impact_bodies(1.0, 2.0, (0, 0), (0, 1), 0.1, 0.5),
    "laws in a text": lambda: jounce.compare_laws("mu", [0.1], laws="newton", A=1.0, B=0.1, C=1.0),
    "values in a text": lambda: jounce.compare_laws("mu", "many", A=1.0, B=0.1, C=1.0),
    "a stiffness without material": lambda: jounce.hertz_stiffness(1.0, material=207e9),
    "a stiffness without radius": lambda: jounce.hertz_stiffness(None, material=jounce.Material(207e9, 0.3)),
    "coordinates in a list": lambda: jounce.coordinates(["x", "y"]),
    "parameters in a number": lambda: jounce.Model("m", ["y"], mass=1, forces=[0], parameters=3),
    "corners in a number": lambda: jounce.contact_between(
        "c", jounce.Corners(jounce.Body("B", 1.0, 1.0), 3), jounce.Line(jounce.ground)
    ),
    "a restitution of text": lambda: jounce.exact_restitution(jounce.HuntCrossley(1e5), "0.8"),
    "a direction of two": lambda: jounce.Section.plane("y", 0.0, np.zeros(2)),
}


@pytest.mark.parametrize("what", NOT_MEANT)
def test_other_things_that_cannot_be_meant(what):
    with pytest.raises(JounceError):
        NOT_MEANT[what]()


@pytest.mark.parametrize(
    "what",
    [
        lambda system: jounce.simulate(system, {"y": 10**400}, 1.0),
        lambda system: jounce.simulate(system, {"y": 1.0}, 10**400),
        lambda system: jounce.simulate(system, {"y": 1.0}, 1.0, g=10**400),
        lambda system: system.state().replace(y=10**400),
        lambda system: jounce.sweep(system, "g", [1.0, 10**400], "impact:floor", {"y": 1.0}),
    ],
)
def test_whole_numbers_beyond_all_floats_are_refused_by_name(ball, what):
    with pytest.raises(JounceError, match="finite"):
        what(ball)


@pytest.mark.parametrize("end", [sp.pi, sp.Rational(3, 2), np.float32(1.5), np.array(1.5), np.int64(2)])
def test_the_end_of_a_run_may_be_a_number_of_any_library(ball, end):
    assert jounce.simulate(ball, {"y": 1.0}, end).t_end == float(end)
