"""Models out of textbooks and papers against closed forms: in other units, cut in the middle, by all integrators."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.optimize import brentq
from sympy import Abs, cos, pi, sin

import jounce
from jounce import Contact, Model, coordinate, coordinates, parameters
from tests.families.family import factor

g = (9.81, "m/s^2")


class Case(NamedTuple):
    """A model, how it starts, and what a closed form says of its run."""

    model: Callable[[], Model]
    start: dict[str, float]
    t_end: float
    check: Callable[[Any], None]


def dry_oscillator() -> Model:
    """Den Hartog (1931): an oscillator with Coulomb friction under a harmonic force, here without stops."""
    x, dx = coordinate("x", "m")
    m, k, F, w, R = parameters(m=(1.0, "kg"), k=(1.0, "N/m"), F=(1.0, "N"), w=(1.4, "rad/s"), R=(0.4, "N"))
    pad = Contact("pad", slip=dx, friction=1, load=(), preload=R)
    return Model("dry", [x], [m], [-k * x + F * cos(w * jounce.time)], contacts=[pad], period=2 * pi / w)


def check_dry_oscillator(run: Any) -> None:
    w, R = 1.4, 0.4
    amplification = 1 / (1 - w**2)
    lag = math.sin(math.pi / w) / (w * (1 + math.cos(math.pi / w)))
    turns = [abs(state["x"]) for state in run.at(run.events.t.to_numpy()[-4:])]
    assert turns == pytest.approx([math.sqrt(amplification**2 - (R * lag) ** 2)] * 4, abs=1e-9)


def steady_dry_oscillator() -> dict[str, float]:
    """A turning point of the steady motion: x = A cos(w t) + R - R cos(t - t0) + b sin(t - t0) until the next one."""
    w, R = 1.4, 0.4
    lag = math.sin(math.pi / w) / (w * (1 + math.cos(math.pi / w)))
    x = math.sqrt((1 / (1 - w**2)) ** 2 - (R * lag) ** 2)
    # x' = 0 and x = -x(0) half a period on: b = -R w lag = A w sin(w t0), A cos(w t0) = x(0)
    sine, cosine = -R * lag * (1 - w**2), x * (1 - w**2)
    return {"x": x, "t": math.atan2(sine, cosine) / w % (2 * math.pi / w)}


def ladder() -> Model:
    """A ladder that slides down a wall without friction leaves it at two thirds of the height at which it began."""
    (x, dx), (y, dy), (q, w) = coordinate("x", "m"), coordinate("y", "m"), coordinate("q", "rad")
    m, L, gravity = parameters(m=(1.0, "kg"), L=(1.0, "m"), g=g)
    return Model.from_lagrangian(
        "ladder",
        coordinates=[x, y, q],
        kinetic=m * (dx**2 + dy**2) / 2 + m * L**2 / 3 * w**2 / 2,
        potential=m * gravity * y,
        contacts=[Contact("wall", gap=x - L * sin(q)), Contact("floor", gap=y - L * cos(q))],
    )


def check_ladder(run: Any) -> None:
    leaves = run.events[run.events.kind == "lift_off"]
    assert leaves.contact.tolist() == ["wall"]
    assert math.cos(run.at(float(leaves.t.iloc[0]))["q"]) == pytest.approx(2 / 3 * math.cos(0.3), abs=1e-10)


def bowling_ball() -> Model:
    """A ball that is thrown without spin slides, then rolls with 5/7 of its speed (Coriolis 1835)."""
    (x, dx), (y, dy), (q, w) = coordinate("x", "m"), coordinate("y", "m"), coordinate("q", "rad")
    m, R, gravity, mu = parameters(m=(1.0, "kg"), R=(0.1, "m"), g=g, mu=(0.2, ""))
    return Model.from_lagrangian(
        "bowling",
        coordinates=[x, y, q],
        kinetic=m * (dx**2 + dy**2) / 2 + m * R**2 * w**2 / 5,
        potential=m * gravity * y,
        contacts=[Contact("lane", gap=y - R, slip=dx - R * w, friction=mu)],
    )


def check_bowling_ball(run: Any) -> None:
    assert run.events.t.tolist() == pytest.approx([2 * 3.0 / (7 * 0.2 * 9.81)], rel=1e-12)
    assert run.final["d_x"] == pytest.approx(3.0 * 5 / 7, rel=1e-12)


def swing() -> Model:
    """A stone on a string that is thrown too slowly to pass the top: it goes slack, flies, and is caught."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, gravity, L = parameters(m=(1.0, "kg"), g=g, L=(1.0, "m"))
    return Model.from_lagrangian(
        "swing",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * gravity * y,
        contacts=[jounce.rope("string", (0, 0), (x, y), length=L)],
    )


def check_swing(run: Any) -> None:
    slack, caught = run.events.t.iloc[:2]
    assert run.events.kind.tolist()[:2] == ["lift_off", "impact"]
    assert run.at(slack)["y"] == pytest.approx((3.5 - 2) / 3, abs=1e-9)  # g L = v^2/3.5: tension m v^2/L - m g cos
    state = run.at(slack)
    # a parabola meets the circle which it leaves osculating at 4 v_y/g (three roots are the beginning)
    assert caught - slack == pytest.approx(4 * state["d_y"] / 9.81, rel=1e-6)


def pivot() -> Model:
    """A pendulum with Coulomb friction in its pivot: g (cos b - cos a) = C (a + b) from turn to turn."""
    q, w = coordinate("q", "rad")
    m, L, gravity, C = parameters(m=(1.0, "kg"), L=(1.0, "m"), g=g, C=(0.5, "N m"))
    return Model.from_lagrangian(
        "pivot",
        coordinates=[q],
        kinetic=m * L**2 * w**2 / 2,
        potential=-m * gravity * L * cos(q),
        contacts=[Contact("pivot", slip=w, friction=1, load=(), preload=C)],
    )


def check_pivot(run: Any) -> None:
    turns = [2.5]
    for _ in range(6):
        a = turns[-1]
        turns.append(float(brentq(lambda b, a=a: 9.81 * (math.cos(b) - math.cos(a)) - 0.5 * (a + b), 0.0, 0.999 * a)))
    found = [abs(state["q"]) for state in run.at(run.events.t.to_numpy()[:6])]
    assert found == pytest.approx(turns[1:], abs=1e-9)


def yo_yo() -> Model:
    """A yo-yo that is unwound to its end goes on turning and climbs; its string is left and right of its axle."""
    (y, dy), (q, w) = coordinate("y", "m"), coordinate("q", "rad")
    m, J, R, gravity, L = parameters(m=(0.1, "kg"), J=(1e-4, "kg m^2"), R=(0.01, "m"), g=g, L=(1.0, "m"))
    return Model.from_lagrangian(
        "yo_yo",
        coordinates=[y, q],
        kinetic=m * dy**2 / 2 + J * w**2 / 2,
        potential=m * gravity * y,
        contacts=[Contact("left", gap=y + L - R * q), Contact("right", gap=y + L + R * q)],
    )


def check_yo_yo(run: Any) -> None:
    """The weight jerks by 2 m v at the bottom; the axle keeps (J - m R^2)/(J + m R^2) of its rate."""
    a, kept = 9.81 * 0.1 / (0.1 + 1.0), (1.0 - 0.1) / (1.0 + 0.1)
    bottom = math.sqrt(2 / a)
    assert run.events.t.iloc[0] == pytest.approx(bottom, rel=1e-10)
    assert run.at(bottom + 0.5)["d_q"] == pytest.approx(-(kept * a * bottom - a * 0.5) / 0.01, rel=1e-9)
    assert run.events.t.iloc[-1] == pytest.approx(bottom * (1 + 2 * kept), rel=1e-9)


def wedge() -> Model:
    """Ferri and Heck (1992): a damper whose grip grows with the displacement."""
    x, dx = coordinate("x", "m")
    m, k, mu = parameters(m=(1.0, "kg"), k=(1.0, "N/m"), mu=(0.2, ""))
    pad = Contact("pad", slip=dx, friction=mu, load=(), preload=k * Abs(x))
    return Model("wedge", [x], [m], [-k * x], contacts=[pad], potential=k * x**2 / 2)


def check_wedge(run: Any) -> None:
    """Outwards the stiffness is k (1 + mu), inwards k (1 - mu): x^2 falls by their ratio from turn to turn."""
    turns = run.events.t[run.events.t > 0].to_numpy()
    half = math.pi / 2 * (1 / math.sqrt(0.8) + 1 / math.sqrt(1.2))
    assert turns.tolist() == pytest.approx([half * k for k in range(1, len(turns) + 1)], rel=1e-9)
    ratios = [abs(state["x"]) for state in run.at(turns)]
    assert ratios == pytest.approx([math.sqrt(0.8 / 1.2) ** k for k in range(1, len(turns) + 1)], rel=1e-8)


def atwood() -> Model:
    """Atwood's machine whose heavy weight lands, and is jerked up by its rope again and again."""
    (a, _), (b, _) = coordinates("a b", "m")
    m, M, gravity, h = parameters(m=(1.0, "kg"), M=(2.0, "kg"), g=g, h=(0.5, "m"))
    contacts = [Contact("rope", gap=a + b - h), Contact("floor", gap=a)]
    forces = [-M * gravity, -m * gravity]
    return Model("atwood", [a, b], [M, m], forces, contacts=contacts, potential=gravity * (M * a + m * b))


def check_atwood(run: Any) -> None:
    """A jerk leaves m/(m + M) of the speed: the light weight flies 2 v/g, the heavy one is up 2 v'/(g/3)."""
    a, v = 9.81 / 3, math.sqrt(2 * 9.81 / 3 * 0.5)
    expected = [math.sqrt(2 * 0.5 / a)]
    for _ in range(4):
        expected.append(expected[-1] + 2 * v / 9.81)
        v /= 3
        expected.append(expected[-1] + 2 * v / a)
    assert run.events.t[run.events.kind == "impact"].tolist()[:9] == pytest.approx(expected, rel=1e-10)
    speed = math.sqrt(a)
    assert run.events.t.iloc[-1] == pytest.approx(math.sqrt(1 / a) + 1.5 * (2 * speed / 9.81 + 2 * speed / (3 * a)))


def turning_rod() -> Model:
    """A bead on a rod that turns steadily, rubbed by Coriolis' force: x'' = w^2 x - 2 mu w x'."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, w, mu = parameters(m=(0.1, "kg"), w=(1.0, "1/s"), mu=(0.3, ""))
    return Model.from_lagrangian(
        "turning_rod",
        coordinates=[x, y],
        kinetic=m * ((dx - w * y) ** 2 + (dy + w * x) ** 2) / 2,
        potential=0,
        joints={"rod": y},
        contacts=[Contact("rub", slip=dx, friction=mu, load="rod")],
    )


def check_turning_rod(run: Any) -> None:
    grows, falls = -0.3 + math.sqrt(1.09), -0.3 - math.sqrt(1.09)
    part = (0.01 - grows * 0.01) / (falls - grows)
    expected = (0.01 - part) * math.exp(5 * grows) + part * math.exp(5 * falls)
    assert run.final["x"] == pytest.approx(expected, rel=1e-8)


def pencil() -> Model:
    """A pencil that falls over: its tip slips backwards where friction is below 0.371 (Cross 2006)."""
    (x, dx), (y, dy), (q, w) = coordinate("x", "m"), coordinate("y", "m"), coordinate("q", "rad")
    m, L, gravity, mu = parameters(m=(1.0, "kg"), L=(1.0, "m"), g=g, mu=(0.25, ""))
    return Model.from_lagrangian(
        "pencil",
        coordinates=[x, y, q],
        kinetic=m * (dx**2 + dy**2) / 2 + m * L**2 / 24 * w**2,
        potential=m * gravity * y,
        contacts=[Contact("tip", gap=y - L / 2 * cos(q), slip=dx - L / 2 * cos(q) * w, friction=mu)],
    )


def check_pencil(run: Any) -> None:
    """In stick w^2 = 3 g (cos q0 - cos q); it ends where the force along the floor is mu times the load."""

    def excess(q: float) -> float:
        w2, turn = 3 * 9.81 * (math.cos(0.05) - math.cos(q)), 1.5 * 9.81 * math.sin(q)
        along = (math.cos(q) * turn - math.sin(q) * w2) / 2
        return along - 0.25 * (9.81 - (math.sin(q) * turn + math.cos(q) * w2) / 2)

    slip = run.events.iloc[0]
    assert (slip.kind, slip.mode_after) == ("slip", "SLIP-")
    assert run.at(float(slip.t))["q"] == pytest.approx(float(brentq(excess, 0.06, 0.6)), rel=1e-9)


CASES = {
    "dry oscillator": Case(dry_oscillator, steady_dry_oscillator(), 40.0, check_dry_oscillator),
    "ladder": Case(ladder, {"x": math.sin(0.3), "y": math.cos(0.3), "q": 0.3}, 0.9, check_ladder),
    "bowling ball": Case(bowling_ball, {"y": 0.1, "d_x": 3.0}, 2.0, check_bowling_ball),
    "swing": Case(swing, {"y": -1.0, "d_x": math.sqrt(3.5 * 9.81)}, 1.6, check_swing),
    "pivot": Case(pivot, {"q": 2.5}, 9.0, check_pivot),
    "yo-yo": Case(yo_yo, {"q": 100.0}, 4.0, check_yo_yo),
    "wedge": Case(wedge, {"x": 1.0}, 20.0, check_wedge),
    "atwood": Case(atwood, {"a": 0.5}, 3.0, check_atwood),
    "turning rod": Case(turning_rod, {"x": 0.01, "d_x": 0.01}, 5.0, check_turning_rod),
    "pencil": Case(pencil, {"x": math.sin(0.05) / 2, "y": math.cos(0.05) / 2, "q": 0.05}, 0.8, check_pencil),
}


@cache
def compiled(name: str) -> jounce.System:
    return jounce.compile_model(CASES[name].model())


@pytest.mark.parametrize("integrator", ["taylor", "dop853", "dopri5"])
@pytest.mark.parametrize("name", CASES)
def test_a_model_of_the_literature(name: str, integrator: str) -> None:
    case = CASES[name]
    run = jounce.simulate(compiled(name), case.start, case.t_end, options=jounce.Options(integrator=integrator))
    assert run.status.ok, run.status
    case.check(run)
    assert run.audit().empty
    largest = max(float(abs(run.energy[part]).max()) for part in ("kinetic", "potential"))
    assert float(abs(run.energy.residual).max()) < 1e-9 * largest


@pytest.mark.parametrize("scales", [(1e-6, 1.0, 1.0), (1.0, 1e6, 1e-6), (1e5, 1e-5, 1e3)], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_it_is_the_same_in_other_units_and_when_it_is_cut(name: str, scales: tuple[float, float, float]) -> None:
    case, system, by = CASES[name], compiled(name), np.array(scales)
    units = {"t": "s", **system.model.coordinates, **system.model.velocity_units}
    values = {key: entry.default * factor(entry.unit, by) for key, entry in system.outline.parameters.items()}
    start = {key: value * factor(units[key], by) for key, value in case.start.items()}
    run = jounce.simulate(system, case.start, case.t_end)
    cut = jounce.simulate(system, start, 0.37 * case.t_end * by[1], **values)
    other = jounce.simulate(system, cut.final, case.t_end * by[1], **values)
    assert (other.status.name, len(cut.events) + len(other.events)) == (run.status.name, len(run.events))
    names = (*system.coordinate_names, *system.velocity_names)
    sizes = np.abs(run.states(run["t"])).max(axis=0)
    found = np.array([other.final[key] / factor(units[key], by) for key in names])
    assert (np.abs(found - np.array([run.final[key] for key in names])) <= 1e-7 * np.maximum(sizes, 1e-6)).all()
