"""Runs share templates and buffers; none may see another one."""

import numpy as np
import pytest

import jounce
from tests.audit.test_touches import ball as hertz_ball


def same(a, b):
    """Whether two runs are the same in every number."""
    arrays = ("q_final", "u_final", "scales", "step_t", "step_coefficients", "step_work", "event_float", "event_int")
    return all(np.array_equal(getattr(a.data, name), getattr(b.data, name), equal_nan=True) for name in arrays)


@pytest.fixture(scope="module")
def systems():
    return [jounce.compile_model(getattr(jounce.systems, name)()) for name in ("slender_rod", "bouncing_ball", "wiper")]


def test_a_run_does_not_depend_on_those_before_it(systems):
    first = [jounce.simulate(system, None, 2.0) for system in systems]
    again = [jounce.simulate(system, None, 2.0) for system in reversed(systems)][::-1]
    assert all(same(a, b) for a, b in zip(first, again, strict=True))


def test_a_run_within_the_progress_of_another(systems):
    rod, ball, _ = systems
    alone, inner = jounce.simulate(rod, None, 30.0), []
    outer = jounce.simulate(rod, None, 30.0, progress=lambda _: inner.append(jounce.simulate(ball, None, 2.0)))
    assert inner
    assert same(outer, alone)
    assert all(same(run, inner[0]) for run in inner)


def test_a_result_is_not_overwritten_by_the_next_run(systems):
    run = jounce.simulate(systems[1], None, 2.0)
    copy = {name: np.array(getattr(run.data, name)) for name in ("step_coefficients", "event_float", "step_work")}
    jounce.simulate(systems[1], {"y": 0.3}, 2.0)
    for name, values in copy.items():
        np.testing.assert_array_equal(getattr(run.data, name), values)


def test_options_and_parameters_of_a_run_are_its_own(systems):
    ball = systems[1]
    soft = jounce.simulate(ball, None, 2.0, e=0.3, options=jounce.Options(integrator="dopri5"))
    hard = jounce.simulate(ball, None, 2.0)
    assert not same(soft, hard)
    assert same(soft, jounce.simulate(ball, None, 2.0, e=0.3, options=jounce.Options(integrator="dopri5")))


def test_a_refused_start_is_refused_with_words(systems):
    ball = systems[1]
    for start, parameters, message in (
        ({"y": -1.0}, {}, "the gap is -1"),
        ({"y": 1.0}, {"e": 1.5}, "the restitution is 1.5"),
        ({"y": 1.0}, {"m": -1.0}, "not positive definite"),
        (jounce.State(0.0, [np.nan], [0.0], ("y",)), {}, "'y' is nan"),
    ):
        with pytest.raises(jounce.SimulationError, match=message):
            jounce.simulate(ball, start, 1.0, **parameters)


def test_a_model_without_powers_has_none_of_the_run_before():
    """A ball on a spring has no function for powers: nothing may be read where the wiper's stood."""
    ball = hertz_ball()
    start = ball.state(x=1.0, d_x=-10.0)
    wiper = jounce.compile_model(jounce.systems.wiper())
    runs = []
    for _ in range(2):
        runs.append(jounce.simulate(ball, start, 0.2, m=0.5, K=2e10))
        jounce.simulate(wiper, None, 1.0)
    np.testing.assert_array_equal(runs[0].data.step_work, runs[1].data.step_work)
    assert runs[1].audit().empty
