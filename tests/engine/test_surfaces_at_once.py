"""Surfaces that start and stop at once, brakes that grip and let go: contacts are judged there, by closed forms."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from sympy import Heaviside, Max, Min, Piecewise

import jounce
from jounce import Contact, Model, coordinate, coordinates, parameters
from tests.families.family import factor

t = jounce.time
G = 9.81


class Case(NamedTuple):
    """A model, its start and end, the times of its rows behind the start, and one coordinate at its end."""

    model: Callable[[], Model]
    start: dict[str, float]
    t_end: float
    times: list[float]
    end: float


def carried(name: str, speed: Any, gap: bool, **numbers: Any) -> Model:
    """A parcel on a belt of this speed, by its weight or as a brake with a known load."""
    (x, dx), (y, _) = coordinates("x y", "m")
    m, mu, g = parameters(m=(1.0, "kg"), mu=(0.2, ""), g=(G, "m/s^2"))
    belt = {"gap": y} if gap else {"load": (), "preload": m * g}
    contact = Contact("belt", slip=dx - speed(x), friction=mu, **belt)
    hanging = {} if gap else {"joints": {"rail": y}}
    return Model("carried_" + name, [x, y], [m, m], [0, -m * g], contacts=[contact], **hanging, **numbers)


def run_up(gap: bool) -> Model:
    """Run up, driven steadily, stopped at once."""
    a, V, T = parameters(a=(4.0, "m/s^2"), V=(2.0, "m/s"), T=(3.0, "s"))
    return carried("up", lambda _: Piecewise((Min(a * t, V), t < T), (0, True)), gap)


def switched_on(gap: bool) -> Model:
    V, T = parameters(V=(2.0, "m/s"), T=(1.0, "s"))
    return carried("on", lambda _: V * Heaviside(t - T), gap)


def two_belts(gap: bool) -> Model:
    """From a belt onto a faster one."""
    V, W, L = parameters(V=(1.0, "m/s"), W=(2.5, "m/s"), L=(1.0, "m"))
    return carried("two", lambda x: Piecewise((V, x < L), (W, True)), gap)


def brake() -> Model:
    """A load on a brake that is let go for a second."""
    x, dx = coordinate("x", "m")
    m, a, N, T = parameters(m=(1.0, "kg"), a=(5.0, "m/s^2"), N=(20.0, "N"), T=(1.0, "s"))
    grip = N * (1 - Heaviside(t - T) + Heaviside(t - 2 * T))
    return Model("brake", [x], [m], [m * a], contacts=[Contact("brake", slip=dx, friction=1, load=(), preload=grip)])


def clutch() -> Model:
    """A clutch whose grip grows up to a limit: a slip that is a quadratic, then a linear function of time."""
    (p, w), (q, v) = coordinates("p q", "rad")
    J, K, T, L, ramp, most = parameters(
        J=(0.2, "kg m^2"), K=(1.5, "kg m^2"), T=(40.0, "N m"), L=(10.0, "N m"), ramp=(40.0, "N m/s"), most=(80.0, "N m")
    )
    plates = Contact("plates", slip=w - v, friction=1, load=(), preload=Min(ramp * t, most))
    return Model("clutch", [p, q], [J, K], [T, -L], contacts=[plates])


def table() -> Model:
    """A box on a table that rises and is stopped at once: it is thrown, and bounces no more."""
    y, _ = coordinate("y", "m")
    m, g, V, T = parameters(m=(1.0, "kg"), g=(G, "m/s^2"), V=(2.0, "m/s"), T=(1.0, "s"))
    rise = V * Max(0, Min(t - T, T))
    floor = Contact("floor", gap=y - rise)
    return Model("table", [y], [m], [-m * g], potential=m * g * y, contacts=[floor])


slow = 2.0 / (0.2 * G)  # s, in which friction gives 2 m/s
CASES = {
    f"{name}, {kind}": Case(lambda model=model, gap=gap: model(gap), *rest)
    for kind, gap in (("weight", True), ("load", False))
    for name, model, *rest in (
        ("run up", run_up, {}, 6.0, [slow, 3.0, 3.0 + slow], 2 * 3.0),
        ("switched on", switched_on, {}, 4.0, [1.0, 1.0 + slow], 2.0 * (3.0 - slow / 2)),
        (
            "two belts", two_belts, {"x": -1.0, "d_x": 1.0}, 4.0, [2.0, 2.0 + 0.75 * slow],
            1.0 + 1.75 * 0.75 * slow + 2.5 * (2.0 - 0.75 * slow),
        ),
    )
}  # fmt: skip
CASES |= {
    "brake": Case(brake, {}, 4.0, [1.0, 2 + 1 / 3], 2.5 + 25 / 30),
    # slip 100 + (40 t - 20 t^2)/0.2 - (20 t^2 - 10 t)/1.5 up to t = 2, then it falls with 740/3
    "clutch": Case(clutch, {"d_p": 100.0}, 3.0, [2 + 180 / 740], 305.0),
    "table": Case(table, {}, 4.0, [1.0, 2.0, 2.0 + 4.0 / G], 2.0),
}


@cache
def compiled(name: str) -> jounce.System:
    return jounce.compile_model(CASES[name].model())


def clutch_angle() -> float:
    """The first coordinate of the clutch at t = 3, by its polynomials."""
    lock = 2 + 180 / 740
    angle = 100 * 2 + (20 * 4 - 20 / 3 * 8) / 0.2
    speed = 100.0
    rest = lock - 2
    angle += speed * rest - 200 * rest**2 / 2
    speed -= 200 * rest
    left = 3 - lock
    return angle + speed * left + 30 / 1.7 * left**2 / 2


@pytest.mark.parametrize("tolerance", [1e-6, 1e-10])
@pytest.mark.parametrize("name", CASES)
def test_contacts_are_judged_where_surfaces_change(name: str, tolerance: float) -> None:
    case = CASES[name]
    run = jounce.simulate(
        compiled(name), case.start, case.t_end, options=jounce.Options(tolerance=tolerance, audit="dense")
    )
    assert run.status.ok, run.status
    assert run.events.t[run.events.t > 0].tolist() == pytest.approx(case.times, abs=1e-11)
    end = clutch_angle() if name == "clutch" else case.end
    assert run.final[run.system.coordinate_names[0]] == pytest.approx(end, rel=1e-9)


@pytest.mark.parametrize("scales", [(1e-6, 1e3, 1.0), (1e4, 1e-5, 1e3)], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_it_is_the_same_in_other_units_and_when_it_is_cut(name: str, scales: tuple[float, float, float]) -> None:
    """Cut in the middle, and at the very time of a change, which is a whole number."""
    case, system, by = CASES[name], compiled(name), np.array(scales)
    units = {"t": "s", **system.model.coordinates, **system.model.velocity_units}
    values = {key: entry.default * factor(entry.unit, by) for key, entry in system.outline.parameters.items()}
    start = {key: value * factor(units[key], by) for key, value in case.start.items()}
    run = jounce.simulate(system, case.start, case.t_end)
    key = system.coordinate_names[0]
    for cut in (0.37 * case.t_end, case.times[0], 1.0, 2.0, 3.0):
        first = jounce.simulate(system, start, cut * by[1], **values)
        second = jounce.simulate(system, first.final, 1.01 * case.t_end * by[1], **values)
        assert first.status.ok, first.status
        assert second.status.ok, second.status
        assert second.at(case.t_end * by[1])[key] / factor(units[key], by) == pytest.approx(run.final[key], rel=1e-9)


def test_a_box_collides_with_a_table_that_starts_and_flies_when_it_stops() -> None:
    run = jounce.simulate(compiled("table"), {}, 4.0)
    kinds = run.events[["kind", "v_n_before"]].to_numpy().tolist()
    assert [kind for kind, _ in kinds] == ["impact", "lift_off", "impact"]
    assert kinds[0][1] == pytest.approx(-2.0)
    assert float(abs(run.energy.residual).max()) < 1e-9
