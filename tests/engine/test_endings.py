"""How runs end: every status with its message, and what is refused before a run begins."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import jounce
from jounce import OptionError, SimulationError
from jounce.kernels.engine import progress
from jounce.kernels.records.codes import GUARD_FORCE, GUARD_GAP, GUARD_USER
from jounce.kernels.records.tolerances import CRAWL, CRAWL_LIMIT
from jounce.toolchain.jit import python_function
from tests.engine.support import kinds, ready_made, simulate


def test_finished_and_at_rest():
    assert simulate("ball_on_table", 1.0, {"y": 2.0}).status.name == "FINISHED"
    run = simulate("bouncing_ball", 10.0, {"y": 1.0}, e=0.5)
    assert run.status.name == "AT_REST"
    assert run.status.ok
    assert run.t_end == 10.0
    assert f"t={run.events['t'].iloc[-1]:.6g}" in run.status.message
    assert run.at(9.0)["y"] == run.final["y"]


def test_a_run_of_no_duration():
    run = simulate("bouncing_ball", 0.0, {"y": 1.0})
    assert run.status.name == "FINISHED"
    assert run.final["y"] == 1.0


def test_too_many_events():
    run = simulate("ball_on_table", 1000.0, {"y": 2.0}, options=jounce.Options(max_events=50))
    assert run.status.name == "TOO_MANY_EVENTS"
    assert not run.status.ok
    assert "max_events" in run.status.message
    assert 50 <= len(run.events) <= 55
    assert run.at(run.t_end).t < 1000.0


def crawl(passed: float, kind: int, count: int) -> tuple[bool, int]:
    """Whether instants that follow one another after this time are given up, with a smallest step of 1; the counter."""
    memory = SimpleNamespace(crawl=0, crawl_time=0.0, last_instant=-np.inf)
    s = SimpleNamespace(t=0.0, memory=memory, pace=SimpleNamespace(smallest_step=1.0))
    ended = False
    for _ in range(count):
        ended = ended or python_function(progress.crawls)(None, None, s, kind, 0)
        memory.last_instant, s.t = s.t, s.t + passed
    return ended, memory.crawl


def test_instants_in_next_to_no_time_are_given_up(monkeypatch):
    """So many changes of mode within 1e-7 of the motion's own time each; fewer, slower or a guard's are not."""
    monkeypatch.setattr(progress, "closes_visibly", lambda m, w, s, kind, i: kind == GUARD_GAP)
    assert crawl(0.5 * CRAWL, GUARD_FORCE, CRAWL_LIMIT + 2)[0]
    assert not crawl(0.5 * CRAWL, GUARD_FORCE, CRAWL_LIMIT - 2)[0]
    assert not crawl(1.5 * CRAWL, GUARD_FORCE, 2 * CRAWL_LIMIT)[0]
    for kind in (GUARD_USER, GUARD_GAP):  # impacts that can be seen are a motion, however fast they follow
        assert crawl(0.5 * CRAWL, kind, CRAWL_LIMIT + 2) == (False, 0)


def test_interrupted_keeps_what_there_is():
    """Ctrl-C between two slices of the loop: a status, and a result up to there."""

    def press(fraction):
        if fraction > 0.001:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="interrupted at t=") as caught:
        simulate("ball_on_table", 1e6, {"y": 2.0}, A=1.0, omega=5.0, e=0.8, progress=press)
    assert isinstance(caught.value, jounce.Interrupted)
    run = caught.value.partial
    assert run.status.name == "INTERRUPTED"
    assert "kept" in run.status.message
    assert 1000.0 < run.t_end < 1e6
    assert len(run.events) > 100
    assert np.isfinite(run.at(run.t_end / 2).q).all()


def test_progress_runs_from_zero_to_one():
    seen: list[float] = []
    simulate("ball_on_table", 3000.0, {"y": 2.0}, A=1.0, omega=5.0, e=0.8, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert all(0.0 <= fraction <= 1.0 for fraction in seen)


PAINLEVE = {"y": float(np.sin(1.2)), "theta": 1.2}


def painleve(d_x, d_theta, **rest):
    """The rod of Painlevé with its tip on the ground, sliding with the velocity of its centre and its spin."""
    start = PAINLEVE | {"d_x": d_x, "d_theta": d_theta, "d_y": float(np.cos(1.2)) * d_theta}
    return simulate("painleve_rod", 2.0, start, **rest)


def coefficients(mu, d_x, d_theta):
    """A and B of g'' = A lambda_N + B for the tip, theta = 1.2, m = l = 1, I = 1/3, slipping with its sign."""
    sine, cosine = np.sin(1.2), np.cos(1.2)
    sign = np.sign(d_x + sine * d_theta)
    return 1 + 3 * cosine * (cosine + sign * mu * sine), -9.81 + sine * d_theta**2


def test_painleve_inconsistent_stops_or_jumps():
    """A < 0 and B < 0: no motion is consistent; by policy the run stops, or an impact without collision occurs."""
    A, B = coefficients(1.6, -2.0, 0.0)
    assert A < 0
    assert B < 0
    stopped = painleve(-2.0, 0.0, mu=1.6, options=jounce.Options(inconsistent="stop"))
    assert "inconsistent='stop'" in stopped.status.message
    assert stopped.status.name == "PARADOX"
    assert "inconsistent" in stopped.status.message
    assert stopped.t_end == 0.0
    jumped = painleve(-2.0, 0.0, mu=1.6)
    assert jumped.status.name in ("FINISHED", "AT_REST")
    assert "paradox" in kinds(jumped)
    impacts = jumped.events[(jumped.events["kind"] == "impact") & (jumped.events["t"] == 0.0)]
    assert len(impacts) >= 1
    # the slip is stopped by the impulse: nothing else can make the motion possible
    assert abs(impacts["v_t_after"].iloc[0]) < 1e-12
    assert impacts["energy_loss"].iloc[0] > 0


def test_a_law_without_impulse_ends_at_the_paradox():
    """Brach's law answers an approach only: the run ends at once, and its message names the law."""
    run = painleve(-2.0, 0.0, mu=1.6, options=jounce.Options(law="brach"))
    assert run.status.name == "PARADOX"
    assert "law='energetic'" in run.status.message
    assert kinds(run).count("paradox") == 1


def test_painleve_indeterminate_follows_its_policy():
    """A < 0 and B > 0: flight and contact are both consistent; the policy decides and the event is recorded."""
    A, B = coefficients(1.6, -8.0, 4.0)
    assert A < 0
    assert B > 0
    stopped = painleve(-8.0, 4.0, mu=1.6, options=jounce.Options(indeterminate="stop"))
    assert "indeterminate='stop'" in stopped.status.message
    assert stopped.status.name == "PARADOX"
    flying = painleve(-8.0, 4.0, mu=1.6, options=jounce.Options(indeterminate="separate"))
    assert "paradox" in kinds(flying)
    assert flying.modes([1e-3]).sel(contact="tip").item() == "OPEN"
    held = painleve(-8.0, 4.0, mu=1.6, options=jounce.Options(indeterminate="contact"))
    assert held.modes([1e-4]).sel(contact="tip").item() != "OPEN"


def test_without_a_paradox_there_is_none():
    run = painleve(-2.0, 0.0, mu=0.5)
    assert "paradox" not in kinds(run)
    assert run.status.name in ("FINISHED", "AT_REST")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": 0.0}, "tolerance is 0.0; it must be a number between"),
        ({"tolerance": "small"}, "tolerance"),
        ({"tolerance": float("nan")}, "tolerance"),
        ({"integrator": "rk4"}, "integrator is 'rk4'.*dop853"),
        ({"law": "stronge"}, "energetic"),
        ({"simultaneous": "parallel"}, "sequential"),
        ({"indeterminate": "guess"}, "separate"),
        ({"inconsistent": "ignore"}, "impact"),
        ({"record": "some"}, "all"),
        ({"chatter_speed": -1.0}, "chatter_speed"),
        ({"joint_gap": float("inf")}, "joint_gap"),
        ({"max_events": 0}, "max_events is 0"),
        ({"max_events": 2.5}, "max_events"),
        ({"max_events": True}, "max_events"),
    ],
)
def test_wrong_options_are_refused_when_made(options, message):
    with pytest.raises(OptionError, match=message):
        jounce.Options(**options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"t_end": -1.0}, "t_end is -1.0"),
        ({"t_end": float("nan")}, "t_end"),
        ({"t_end": float("inf")}, "t_end"),
        ({"start": {"y": -0.5}}, "gap"),
        ({"start": {"z": 1.0}}, "z"),
        ({"start": {"y": float("nan")}}, "y"),
        ({"e": 1.5}, "restitution"),
        ({"m": -1.0}, "mass matrix"),
        ({"gravity": 1.0}, "gravity"),
        ({"g": float("nan")}, "g"),
    ],
)
def test_wrong_input_is_refused_before_the_run(arguments, message):
    arguments = {"t_end": 1.0, "start": {"y": 1.0}} | arguments
    with pytest.raises(SimulationError, match=message):
        simulate("bouncing_ball", arguments.pop("t_end"), arguments.pop("start"), **arguments)


def test_a_start_that_leaves_its_joint_is_refused():
    with pytest.raises(SimulationError, match="joint 'arm'"):
        simulate("wall_pendulum", 1.0, {"x": 1.2, "y": 0.0})
    with pytest.raises(SimulationError, match="joint 'arm'"):
        simulate("wall_pendulum", 1.0, {"x": 1.0, "y": 0.0, "d_x": 1.0})


@pytest.mark.parametrize("integrator", ["dop853", "dopri5"])
def test_a_force_that_blows_up_ends_with_a_status(integrator):
    """x'' = x^3 reaches infinity in finite time; from x = 1, x' = 1/sqrt(2) it does at t = sqrt(2)."""
    x, _dx = jounce.coordinate("x", "m")
    model = jounce.Model("explosion", coordinates=[x], mass=[1], forces=[x**3], start={x: 1.0})
    system = jounce.compile_model(model)
    options = jounce.Options(integrator=integrator, record="events")
    run = simulate(system, 5.0, {"x": 1.0, "d_x": 1 / np.sqrt(2)}, options=options)
    assert run.status.name in ("STEP_UNDERFLOW", "NOT_FINITE")
    assert run.t_end == pytest.approx(np.sqrt(2), abs=1e-3)
    assert "t=1.41" in run.status.message


def test_a_model_that_leaves_its_domain_ends_with_a_status():
    """sqrt(1 - t): not a number from t = 1 on."""
    from sympy import sqrt

    x, _ = jounce.coordinate("x", "m")
    model = jounce.Model("domain", coordinates=[x], mass=[1], forces=[sqrt(1 - jounce.time)], start={x: 1.0})
    run = simulate(jounce.compile_model(model), 3.0)
    assert run.status.name in ("NOT_FINITE", "STEP_UNDERFLOW")
    assert run.t_end == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("law", ["energetic", "poisson", "newton"])
def test_the_law_of_the_options_is_used(law):
    run = simulate("slender_rod", 3.0, {"y": 4, "theta": 0.5}, options=jounce.Options(law=law))
    assert set(run.events["law"].dropna()) == {law}
    assert ready_made("slender_rod").nc == 2
