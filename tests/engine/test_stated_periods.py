"""A period that a model states is used only where the model can be seen to have it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from sympy import cos, pi, sin

import jounce
from jounce import Body, Force, Model, coordinate, parameters, time
from jounce.simulation.period import turn_length

w, v, a, late, k = parameters(w=(3.0, "rad/s"), v=(6.0, "rad/s"), a=1.0, late=(11.0, "s"), k=(2.0, "1/s^2"))
x, dx = coordinate("x", "m")

#: forces beside a shaker of frequency w, and whether the whole repeats after 2 pi/w
BESIDE = {
    "a push that ends": (sp.Piecewise((1, time < late), (0, True)), False),
    "a narrow push": (sp.exp(-100 * (time / late - 1) ** 2), False),
    "a ramp": (sp.tanh(time / late), False),
    "a chirp": (cos(w * time * (1 + time / late / 9)), False),
    "another frequency": (cos(v * time + 1), True),
    "the same with another number": (cos(v * time * sp.Rational(3, 4)), False),
    "a narrow wave": (sp.exp(-100 * (1 - cos(v * time * sp.Rational(3, 4)))), False),
    "a modulated wave": (sin(2 * w * time + sin(w * time)), True),
    "a wave along the way": (cos(w * time - x), True),
    "half a period": (sin(w * time / 2) ** 2 + sp.Abs(cos(w * time / 2)), True),
    "a square wave": (sp.sign(sin(w * time)), True),
    "a speed times time": (cos(dx * time), False),
}


def model(beside):
    """A shaken oscillator with another force."""
    force = a * beside + cos(w * time) - k * x - dx / 5
    return Model("shaken", [x], [1], [force], period=2 * pi / w)


def by_scipy(beside, t_end, frequency=6.0):
    """x at the end; square waves and the push jump where one integration ends and the next begins."""
    numbers = {w: 3.0, v: frequency, a: 1.0, late: 11.0, k: 2.0}
    force = sp.lambdify([time, x, dx], (a * beside + cos(w * time) - k * x - dx / 5).subs(numbers), "numpy")
    jumps = np.sort(np.append(np.arange(1, 40) * np.pi / 3.0, 11.0))
    ends, state = [0.0, *jumps[jumps < t_end], t_end], [0.3, 0.0]
    for begin, end in itertools.pairwise(ends):
        just = 1e-13 * (end - begin)
        state = solve_ivp(
            lambda t, z: [z[1], float(force(t, z[0], z[1]))],
            (begin + just, end - just),
            state,
            method="DOP853",
            rtol=1e-11,
            atol=1e-11,
            max_step=0.05,
        ).y[:, -1]
    return state[0]


@pytest.mark.parametrize("name", BESIDE)
def test_runs_that_are_cut_know_the_time(name):
    """What depends on time in another way goes on behind a cut as without it, long after the stated period."""
    beside, repeats = BESIDE[name]
    system = jounce.compile_model(model(beside))
    assert turn_length(system, system.defaults) == (system.period() if repeats else 0.0)
    whole = jounce.simulate(system, {"x": 0.3}, 14.0)
    first = jounce.simulate(system, {"x": 0.3}, 12.5)
    second = jounce.simulate(system, first.final, 14.0)
    assert whole.status.name == second.status.name == "FINISHED"
    exact = by_scipy(beside, 14.0)
    assert whole.final["x"] == pytest.approx(exact, abs=1e-7)
    assert second.final["x"] == pytest.approx(exact, abs=1e-7)
    assert not len(second.audit())


def test_frequencies_are_compared_at_the_parameters_of_a_run():
    """v is twice w at the defaults and not elsewhere: in ensembles and sections every run is asked."""
    beside = BESIDE["another frequency"][0]
    system = jounce.compile_model(model(beside))
    values = np.array([6.0, 7.3, 9.0, 1.7])
    turns = [turn_length(system, system.parameters(v=value)) for value in values]
    assert [turn > 0.0 for turn in turns] == [True, False, True, False]
    found = jounce.ensemble(system, {"x": 0.3}, 14.0, parameters={"v": values})
    np.testing.assert_allclose(found["x"], [by_scipy(beside, 14.0, value) for value in values], atol=1e-7)
    with pytest.raises(jounce.JounceError, match="does not repeat itself"):
        jounce.SectionMap(system, "phase:0", v=7.3).iterate({"x": 0.3}, 3)
    with pytest.raises(jounce.SimulationError, match="does not repeat itself after its period"):
        jounce.find_orbit(system, {"x": 0.3}, v=7.3)
    assert jounce.find_orbit(system, {"x": 0.3}, v=9.0).period == pytest.approx(2 * np.pi / 3)


def test_a_sweep_asks_at_every_value():
    """A linear oscillator with two drives, from a value at which they share a period to one at which they do not.

    Its steady motion is known. Counted in turns of the first drive the second would be another force.
    """
    system = jounce.compile_model(model(BESIDE["another frequency"][0]))
    diagram = jounce.sweep(system, "v", [6.0, 7.5], "plane:d_x=0:-1", {"x": 0.3}, transient=400, keep=40)
    (found,) = diagram.points("x")
    for value in (6.0, 7.5):
        t = np.linspace(0.0, 4 * np.pi / 3.0, 200_001)  # two periods of the first, four or five of the second drive
        drives = [(3.0, 0.0), (value, 1.0)]
        steady = sum((np.exp(1j * (f * t + phase)) / (2.0 - f**2 + 0.2j * f)).real for f, phase in drives)
        tops = steady[1:-1][(steady[1:-1] > steady[:-2]) & (steady[1:-1] > steady[2:])]
        places = found.quantity[found.parameter == value]
        assert np.abs(places[:, None] - tops).min(axis=1).max() < 1e-6
        assert np.abs(places - tops[:, None]).min(axis=1).max() < 1e-6


def test_parts_that_vanish_do_not_count():
    """A push of no size is none: its model repeats, and has orbits."""
    system = jounce.compile_model(model(BESIDE["a push that ends"][0]))
    p = system.parameters(a=0.0)
    assert turn_length(system, p) == pytest.approx(2 * np.pi / 3)
    orbit = jounce.find_orbit(system, {"x": 0.3}, a=0.0)
    amplitude = 1 / abs(2.0 - 9.0 + 1j * 3.0 / 5)
    assert np.abs(orbit.run["x"]).max() == pytest.approx(amplitude, rel=1e-2)


def test_periodic_tables_of_time_repeat():
    """A table that begins again after its last point, with the period of the model, and with another one."""
    wave = jounce.table(time, [0.0, 0.5, 1.0, 2.0], [0.0, 1.0, -1.0, 0.0], kind="periodic")
    for period, repeats in ((2.0, True), (4.0, True), (3.0, False)):
        system = jounce.compile_model(Model("measured", [x], [1], [wave - x], period=period))
        assert (turn_length(system, system.defaults) > 0.0) == repeats


@pytest.mark.parametrize("name", ["a push that ends", "another frequency"])
def test_machines_of_tables_are_asked_too(name):
    """The same forces on a body, from tables and compiled."""
    beside, repeats = BESIDE[name]
    body = Body("cart", mass=1.0, inertia=1.0, center=(0.3, 0.0))
    force = Force(body, (a * beside + cos(w * time), 0))
    machine = Model.from_bodies("pushed", bodies=[body], forces=[force], gravity=0.0, period=2 * pi / w)
    ends = []
    for way in ("tables", "compiled"):
        system = jounce.compile_model(machine, way)
        assert (turn_length(system, system.defaults) > 0.0) == repeats
        first = jounce.simulate(system, None, 12.5)
        ends.append(jounce.simulate(system, first.final, 14.0).final.q)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)
