"""Machines whose slip velocities are laid down by drivers and moving surfaces: friction reverses when they do.

In all of them the constraints leave the slip velocity no freedom: it is a function of time alone, known in closed form,
and so are its zeros, the normal force and the friction loss.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from sympy import cos, pi, sin

import jounce
from jounce import Body, Contact, Driver, Line, Model, PointOn, contact_between, coordinate, coordinates, ground, time
from jounce import parameters as named

SEEDS = range(6)


def zeros(velocity, t_end: float) -> np.ndarray:
    """All zeros of a velocity at which it changes its sign, by bisection on a fine grid."""
    t = np.linspace(1e-9, t_end, 20001)
    v = velocity(t)
    places = np.nonzero(np.sign(v[:-1]) * np.sign(v[1:]) < 0)[0]
    return np.array([brentq(velocity, t[i], t[i + 1], xtol=1e-15, rtol=1e-15) for i in places])


def check(run, contact: str, velocity, t_end: float, friction=None) -> None:
    """Reversals at the zeros of the slip velocity, modes that agree with it, friction that only takes energy.

    ``friction``: its size as a function of the sign of the slip, which gives the loss.
    """
    assert run.status.name == "FINISHED", run.status
    expected = zeros(velocity, t_end)
    rows = run.events[(run.events["contact"] == contact) & (run.events["kind"] == "reversal")]
    assert len(rows) == len(expected)
    np.testing.assert_allclose(rows["t"], expected, rtol=0, atol=1e-9 * t_end)
    t = np.linspace(0, t_end, 777)[1:-1]
    slip = velocity(t)
    clear = np.abs(slip) > 1e-6 * np.abs(slip).max()
    modes = run.modes(t).sel(contact=contact).values
    assert (modes[clear] == np.where(slip[clear] > 0, "SLIP+", "SLIP-")).all()
    forces = run.contact_forces(t).sel(contact=contact)
    assert (forces["lambda_T"].values * slip <= 1e-12 * np.abs(slip).max()).all()
    loss = run.energy["friction_loss"].values
    assert (np.diff(loss) >= -1e-12 * loss[-1]).all()
    if friction is not None:
        ways = [quad(velocity, a, b)[0] for a, b in pairwise([0.0, *expected, t_end])]
        assert loss[-1] == pytest.approx(sum(friction(np.sign(way)) * abs(way) for way in ways), rel=1e-8)
    assert np.abs(run.energy["residual"].values).max() <= 1e-9 * max(loss[-1], 1e-300)


def two_tones(rng, t_end: float):
    """Amplitudes, frequencies and phases of a motion with several zeros at odd places."""
    a, b = rng.uniform(0.5, 1.5), rng.uniform(0.1, 0.7)
    first = 2 * np.pi * rng.uniform(2.0, 4.0) / t_end
    second = first * rng.uniform(1.5, 2.5)
    return a, b, first, second, rng.uniform(0.2, 1.2)


def corner_disc() -> Model:
    """A disc that sticks to the floor and rubs against a wall that shakes along itself, in any units."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    angle, rate = coordinate("angle", "rad")
    m, r, g, push, mf, mw = named(m=1.0, r=0.1, g=9.81, push=5.0, mf=5.0, mw=0.2)
    a, b, w1, w2, phase = named(a=1.0, b=0.0, w1=5.0, w2=1.0, phase=0.0)
    wall = a * cos(w1 * time) + b * sin(w2 * time + phase)
    return Model.from_lagrangian(
        "corner_disc",
        coordinates=[x, y, angle],
        kinetic=m * (dx**2 + dy**2) / 2 + m * r**2 * rate**2 / 4,
        potential=m * g * y + m * push * x,
        contacts=[
            Contact("floor", gap=y - r, slip=dx + r * rate, friction=mf),
            Contact("wall", gap=x - r, slip=dy + r * rate - wall, friction=mw),
        ],
        start={x: 0.1, y: 0.1},
    )


@pytest.fixture(scope="module")
def disc():
    return jounce.compile_model(corner_disc())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_disc_in_a_corner_against_a_shaken_wall(disc, seed):
    rng = np.random.default_rng(1000 + seed)
    length, period = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-2, 2)
    t_end = 5.0 * period
    a, b, w1, w2, phase = two_tones(rng, t_end)
    speed = rng.uniform(0.1, 3.0) * length / period
    a, b = a * speed, b * speed
    r, mass = 0.1 * length, 10.0 ** rng.uniform(-2, 2)
    g, push, mw = 9.81 * length / period**2, rng.uniform(2, 9) * length / period**2, rng.uniform(0.05, 0.3)
    run = jounce.simulate(
        disc, disc.state(x=r, y=r), t_end,
        m=mass, r=r, g=g, push=push, mf=5.0, mw=mw, a=a, b=b, w1=w1, w2=w2, phase=phase,
    )  # fmt: skip

    def friction(sign):
        """Moments: T_floor = -T_wall; along the floor N + T_floor = m push, so N (1 + sign mu) = m push."""
        return mw * mass * push / (1 + sign * mw)

    check(run, "wall", lambda t: -a * np.cos(w1 * t) - b * np.sin(w2 * t + phase), t_end, friction)
    assert (run.modes(np.linspace(0, t_end, 50)).sel(contact="floor") == "STICK").all()


def driven_block() -> Model:
    a, b, w1, w2, phase, mu, g = named(a=0.1, b=0.0, w1=5.0, w2=1.0, phase=0.0, mu=0.5, g=9.81)
    block = Body("block", mass=1.0, inertia=1.0, center=(0, 0))
    place = a * sin(w1 * time) / w1 + b * (sin(w2 * time + phase) - sin(phase)) / w2 + 1000
    return Model.from_bodies(
        "driven_block",
        bodies=[block],
        joints=[
            Driver("motor", ground, block, length=place, axis=(1, 0), at_first=(-1000, 0)),
            Driver("upright", ground, block, angle=0 * time),
        ],
        contacts=[contact_between("floor", PointOn(block, (0, 0)), Line(ground), friction=mu)],
        gravity=g,
    )


@pytest.fixture(scope="module")
def block():
    return jounce.compile_model(driven_block())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_block_moved_by_a_motor(block, seed):
    """The motor's force is that of the closed form too: m x'' + mu m g sign(x')."""
    rng = np.random.default_rng(2000 + seed)
    t_end = rng.uniform(2.0, 6.0)
    a, b, w1, w2, phase = two_tones(rng, t_end)
    mu = rng.uniform(0.05, 1.5)
    values = {"a": a, "b": b, "w1": w1, "w2": w2, "phase": phase, "mu": mu}
    run = jounce.simulate(block, block.state(d_block_x=a + b * np.cos(phase)), t_end, **values)
    check(run, "floor", lambda t: a * np.cos(w1 * t) + b * np.cos(w2 * t + phase), t_end, lambda _: mu * 9.81)
    t = np.linspace(0, t_end, 400)[1:-1]
    v = a * np.cos(w1 * t) + b * np.cos(w2 * t + phase)
    expected = -a * w1 * np.sin(w1 * t) - b * w2 * np.sin(w2 * t + phase) + mu * 9.81 * np.sign(v)
    clear = np.abs(v) > 1e-4
    force = run.joint_forces(t)["motor.length"].values
    np.testing.assert_allclose(force[clear], expected[clear], rtol=0, atol=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_block_that_a_motor_moves_lands(seed):
    """Bounces accumulate while the motor moves it: it slides as the motor goes, whatever the impulses have been."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    a, w, g, mu, e = named(a=0.4, w=9.0, g=9.81, mu=0.8, e=0.4)
    model = Model.from_lagrangian(
        "landing_block",
        coordinates=[x, y],
        kinetic=(dx**2 + dy**2) / 2,
        potential=g * y,
        joints={"motor": x - a * sin(w * time)},
        contacts=[Contact("floor", gap=y, slip=dx, friction=mu, restitution=e)],
        start={y: 0.1},
    )
    system = jounce.compile_model(model)
    rng = np.random.default_rng(2500 + seed)
    amplitude, rate = rng.uniform(0.1, 1.0), rng.uniform(2.0, 15.0)
    values = {"a": amplitude, "w": rate, "mu": rng.uniform(0.1, 1.5), "e": rng.uniform(0.0, 0.8)}
    height = float(10.0 ** rng.uniform(-9, -1))
    run = jounce.simulate(system, system.state(y=height, d_x=amplitude * rate), 4.0, **values)
    assert run.status.name == "FINISHED", run.status
    landed = float(run.events.t[run.events.kind.isin(["chatter", "impact"])].iloc[-1])
    t = np.linspace(landed, 4.0, 500)[1:-1]
    v = amplitude * rate * np.cos(rate * t)
    clear = np.abs(v) > 1e-6 * amplitude * rate
    modes = run.modes(t).sel(contact="floor").values
    assert (modes[clear] == np.where(v[clear] > 0, "SLIP+", "SLIP-")).all()


def guided_block() -> Model:
    """A block in a groove across two belts, one below and one beside it, each with its own motion."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    g, push, mu, nu = named(g=9.81, push=5.0, mu=0.1, nu=0.1)
    a, w1, b, w2, phase = named(a=1.0, w1=5.0, b=1.0, w2=3.0, phase=0.0)
    return Model.from_lagrangian(
        "guided_block",
        coordinates=[x, y],
        kinetic=(dx**2 + dy**2) / 2,
        potential=g * y + push * x,
        contacts=[
            Contact("below", gap=y, slip=dx - a * cos(w1 * time), friction=mu),
            Contact("beside", gap=x, slip=dy - b * sin(w2 * time + phase), friction=nu),
        ],
        start={},
    )


@pytest.fixture(scope="module")
def groove():
    return jounce.compile_model(guided_block())


@pytest.mark.parametrize("seed", SEEDS)
def test_two_belts_at_one_block(groove, seed):
    """Both slips are those of the belts; the forces follow from two equations."""
    rng = np.random.default_rng(3000 + seed)
    t_end = rng.uniform(1.0, 5.0)
    a, b, w1, w2, phase = two_tones(rng, t_end)
    mu, nu = rng.uniform(0.02, 0.3, 2)
    run = jounce.simulate(
        groove, groove.state(), t_end, a=a, b=b, w1=w1, w2=w2, phase=phase, mu=mu, nu=nu, g=9.81, push=rng.uniform(4, 9)
    )
    check(run, "below", lambda t: -a * np.cos(w1 * t), t_end)
    check(run, "beside", lambda t: -b * np.sin(w2 * t + phase), t_end)


def test_a_surface_that_begins_to_move_while_everything_sticks(disc):
    """A wall whose speed grows like t^3: from sticking on both sides to slip, with no acceleration to show it."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    g, push, mu = named(g=9.81, push=5.0, mu=0.2)
    system = jounce.compile_model(
        Model.from_lagrangian(
            "starting_belt",
            coordinates=[x, y],
            kinetic=(dx**2 + dy**2) / 2,
            potential=g * y + push * x,
            contacts=[
                Contact("floor", gap=y, slip=dx, friction=0.1),
                Contact("wall", gap=x, slip=dy + (1 - cos(2 * pi * time)) * sin(2 * pi * time) / 5, friction=mu),
            ],
            period=1,
            start={},
        )
    )
    run = jounce.simulate(system, system.state(), 3.2)
    t = np.linspace(0, 3.2, 999)[1:-1]
    slip = (1 - np.cos(2 * np.pi * t)) * np.sin(2 * np.pi * t) / 5
    modes = run.modes(t).sel(contact="wall").values
    clear = np.abs(slip) > 1e-6
    assert (modes[clear] == np.where(slip[clear] > 0, "SLIP+", "SLIP-")).all()
    assert (run.contact_forces(t).sel(contact="wall")["lambda_T"].values * slip <= 1e-9).all()
