"""Dry friction that is written as a force, where contacts push along it: the same motion as that of a Contact."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import jounce
from jounce import Contact, Model, Options, coordinates, parameters, time

#: Units of length, time and mass.
UNITS = [(1.0, 1.0, 1.0), (1e-6, 1e-3, 1e-9), (1e6, 1e2, 1e3), (2.0**-20, 2.0**7, 2.0**30)]
m, F, G, A, w, g, L, v_0 = parameters(
    m=(1.0, "kg"), F=(1.0, "N"), G=(0.3, "N"), A=(4.0, "N"), w=(1.3, "rad/s"), g=(9.81, "m/s^2"), L=(0.1, "m"),
    v_0=(0.2, "m/s"),
)  # fmt: skip
#: The force as people write it, and the same as (slip velocity, friction, preload, what is left of the force).
WRITTEN: dict[str, Any] = {
    "sign": lambda x, v: (-F * sp.sign(v), (v, 1, F, 0)),
    "quotient": lambda x, v: (-F * v / sp.Abs(v), (v, 1, F, 0)),
    "step": lambda x, v: (F - 2 * F * sp.Heaviside(v), (v, 1, F, 0)),
    "cases": lambda x, v: (sp.Piecewise((-F, v > 0), (F, v < 0), (0, True)), (v, 1, F, 0)),
    "other_way": lambda x, v: (F * sp.sign(-2 * v), (v, 1, F, 0)),
    "unequal": lambda x, v: (sp.Piecewise((-F, v > 0), (G, True)), (v, 1, (F + G) / 2, (G - F) / 2)),
    "belt": lambda x, v: (-F * sp.sign(v - v_0 * sp.sin(w * time)), (v - v_0 * sp.sin(w * time), 1, F, 0)),
    "relay": lambda x, v: (-F * sp.sign(x / 2 + v * L / v_0), (v + x * v_0 / (2 * L), 1, F, 0)),
    "two": lambda x, v: (-F * sp.sign(v) - G * sp.sign(v), (v, 1, F + G, 0)),
    "falling": lambda x, v: (
        -(F + G * sp.exp(-((v / v_0) ** 2))) * sp.sign(v),
        (v, F + G * sp.exp(-((jounce.slip / v_0) ** 2)), 1, 0),
    ),
    "with_drag": lambda x, v: (-(F + G * sp.Abs(v) / v_0) * sp.sign(v), (v, F + G * jounce.slip / v_0, 1, 0)),
    "swinging": lambda x, v: (
        -F * (1 + sp.sin(3 * w * time) / 2) * sp.sign(v),
        (v, 1, F * (1 + sp.sin(3 * w * time) / 2), 0),
    ),
    "along_the_way": lambda x, v: (-F * (2 - x / L / 40) * sp.sign(v), (v, 1, F * (2 - x / L / 40), 0)),
    "on_a_part": lambda x, v: (-F * sp.Heaviside(x - L) * sp.sign(v), (v, 1, F * sp.Heaviside(x - L), 0)),
    "let_go": lambda x, v: (
        -F * sp.Heaviside(sp.sin(2 * w * time)) * sp.sign(v),
        (v, 1, F * sp.Heaviside(sp.sin(2 * w * time)), 0),
    ),
}


@cache
def block(written: str, by_hand: bool) -> Any:
    """A block on a rough floor under a force that swings, with one more friction."""
    (x, dx), (y, _) = coordinates("x y", "m")
    force, (slip, friction, preload, rest) = WRITTEN[written](x, dx)
    contacts = [Contact("floor", gap=y, slip=dx, friction=0.1)]
    if not by_hand:
        contacts.append(Contact("brake", slip=slip, friction=friction, load=(), preload=preload))
        force = rest
    forces = [A * sp.sin(w * time) + force, -m * g]
    return jounce.compile_model(Model("block", [x, y], [m, m], forces, contacts=contacts))


def in_units(system: Any, units: tuple[float, float, float]) -> dict[str, float]:
    """The default parameters in other units."""
    length, duration, mass = units
    of = {"m": (0, 0, 1), "F": (1, -2, 1), "G": (1, -2, 1), "A": (1, -2, 1), "w": (0, -1, 0), "g": (1, -2, 0)}
    of |= {"L": (1, 0, 0), "v_0": (1, -1, 0)}
    sizes = {name: length**a * duration**b * mass**c for name, (a, b, c) in of.items()}
    return {name: entry.default * sizes[name] for name, entry in system.model.parameters.items()}


def motion(system: Any, units: tuple[float, float, float]) -> tuple[Any, np.ndarray]:
    """A run of a block in these units, and where it is at fifty times."""
    length, duration, _ = units
    options = Options(audit="dense", tolerance=1e-10, scales={"x": length, "d_x": length / duration})
    start, end = {"d_x": 0.7 * length / duration}, 14.0 * duration
    run = jounce.simulate(system, start, end, options=options, **in_units(system, units))
    assert run.status.ok, run.status.message
    return run, np.array([state["x"] for state in run.at(np.linspace(0.0, end, 50))]) / length


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("written", WRITTEN)
def test_friction_by_hand_on_a_rough_floor_is_that_of_a_contact(
    written: str, units: tuple[float, float, float]
) -> None:
    (ours, places), (theirs, others) = (motion(block(written, by_hand), units) for by_hand in (True, False))
    assert ours.events.kind.tolist() == theirs.events.kind.tolist()
    assert len(ours.events) >= 4
    assert ours.events.t.to_numpy() == pytest.approx(theirs.events.t.to_numpy(), abs=1e-8 * units[1])
    assert places == pytest.approx(others, abs=1e-8)


@pytest.mark.parametrize("units", UNITS)
def test_two_frictions_on_one_block_add_up(units: tuple[float, float, float]) -> None:
    """F and mu m g together are one friction F + mu m g of a block without a floor."""
    (x, dx) = jounce.coordinate("x", "m")
    whole = Model("whole", [x], [m], [A * sp.sin(w * time) - (F + m * g / 10) * sp.sign(dx)])
    (_, places), (_, others) = (motion(which, units) for which in (block("sign", True), jounce.compile_model(whole)))
    assert places == pytest.approx(others, abs=1e-8)


@cache
def cart(by_hand: bool) -> Any:
    """A cart whose pendulum rests on the ground, which is rough: its force moves the cart while that is held."""
    (x, dx), (phi, spin) = jounce.coordinate("x", "m"), jounce.coordinate("phi", "rad")
    bob = (dx + sp.cos(phi) * spin) ** 2 + (sp.sin(phi) * spin) ** 2
    contacts = [Contact("ground", gap=0.8 - sp.cos(phi), slip=dx + sp.cos(phi) * spin, friction=0.2, restitution=0.3)]
    if not by_hand:
        contacts.append(Contact("brake", slip=dx, friction=1, load=(), preload=F))
    return jounce.compile_model(
        Model.from_lagrangian(
            "cart", coordinates=[x, phi], kinetic=dx**2 / 2 + m * bob / 5, potential=-m * g * sp.cos(phi) / 5,
            forces={x: A * sp.sin(w * time) / 2 - (F * sp.sign(dx) if by_hand else 0)}, contacts=contacts,
            start={phi: 1.0},
        )
    )  # fmt: skip


def test_a_cart_is_held_while_its_pendulum_rests_on_the_ground() -> None:
    runs = [
        jounce.simulate(cart(by_hand), {"d_x": 0.5}, 20.0, options=Options(audit="dense", tolerance=1e-9))
        for by_hand in (True, False)
    ]
    ours, theirs = runs
    assert ours.status.ok, ours.status.message
    assert ours.final["x"] == pytest.approx(theirs.final["x"], abs=1e-8)
    assert ours.events.t.to_numpy() == pytest.approx(theirs.events.t.to_numpy(), abs=1e-7)
    assert len(ours.events) > 20
    assert ours.energy.friction_loss[-1] == pytest.approx(float(theirs.energy.friction_loss[-1]), rel=1e-8)
    assert abs(float(ours.energy.residual[-1])) < 1e-8


def slider(friction: float) -> Any:
    """A slider with dry friction, whose link is pressed on a soft wall."""
    (x, dx), (y, _) = coordinates("x y", "m")
    wall = Contact("wall", gap=1 - x - y / 2, compliance=jounce.KelvinVoigt(stiffness=50.0, damping=1.0))
    forces = [2 * sp.sin(time) + 1 - 3 * (x - y) - friction * sp.sign(dx), sp.cos(time) + 3 * (x - y)]
    return Model("slider", [x, y], [1, 0.5], forces, contacts=[wall])


def test_a_soft_wall_pushes_a_slider_that_friction_holds() -> None:
    """Against friction that is smoothed over a velocity, tanh(v/width), as the width falls."""

    def rates(t: float, z: np.ndarray, width: float) -> list[float]:
        x, y, u, v = z
        depth = x + y / 2 - 1
        wall = max(50.0 * depth + u + v / 2, 0.0) if depth > 0 else 0.0
        hold = 1.5 * np.tanh(u / width)
        return [u, v, 2 * np.sin(t) + 1 - 3 * (x - y) - hold - wall, (np.cos(t) + 3 * (x - y) - wall / 2) / 0.5]

    run = jounce.simulate(slider(1.5), {"d_x": 1.0}, 12.0, options=Options(audit="dense", tolerance=1e-10))
    assert run.status.ok, run.status.message
    assert {"stick", "slip", "touch", "separate"} <= set(run.events.kind)
    misses = []
    for width in (1e-3, 1e-4, 1e-5):
        found = solve_ivp(rates, (0, 12), [0, 0, 1, 0], args=(width,), method="Radau", rtol=1e-9, atol=1e-12)
        misses.append(np.abs(found.y[:2, -1] - [run.final["x"], run.final["y"]]).max())
    assert misses[2] < misses[1] / 3 < misses[0] / 9
    assert misses[2] < 1e-5


def arm(links: int, by_hand: bool) -> Any:
    """A chain of links with dry friction in its joints."""
    pairs = [jounce.coordinate(f"a{k}", "rad") for k in range(links)]
    place, kinetic, height = (sp.Integer(0), sp.Integer(0)), sp.Integer(0), sp.Integer(0)
    for angle, rate in pairs:
        place = place[0] + sp.cos(angle) * rate, place[1] + sp.sin(angle) * rate
        kinetic += (place[0] ** 2 + place[1] ** 2) / 2
        height -= (links - pairs.index((angle, rate))) * sp.cos(angle)
    slips = [pairs[0][1], *(pairs[k][1] - pairs[k - 1][1] for k in range(1, links))]
    torques = [12 - 2 * k for k in range(links)]
    forces = {
        angle: -sum(torque * sp.sign(slip) * sp.diff(slip, rate) for torque, slip in zip(torques, slips, strict=True))
        for angle, rate in pairs
    }
    brakes = [
        Contact(f"brake_{k}", slip=slip, friction=1, load=(), preload=torque)
        for k, (torque, slip) in enumerate(zip(torques, slips, strict=True))
    ]
    return Model.from_lagrangian(
        "arm", coordinates=[angle for angle, _ in pairs], kinetic=kinetic, potential=sp.Rational(981, 100) * height,
        forces=forces if by_hand else {}, contacts=[] if by_hand else brakes, start={"a0": 1.0, "a1": 2.0},
    )  # fmt: skip


@pytest.mark.parametrize("links", [2, 3, 4])
def test_arms_with_friction_by_hand_in_all_joints(links: int) -> None:
    """The values of switches hold the inverse of the mass matrix: with three links a model took minutes to be made."""
    options = Options(audit="dense", tolerance=1e-10)
    ours, theirs = (jounce.simulate(arm(links, by_hand), None, 3.0, options=options) for by_hand in (True, False))
    assert ours.status.ok, ours.status.message
    for k in range(links):
        assert ours.final[f"a{k}"] == pytest.approx(theirs.final[f"a{k}"], abs=1e-8)
    assert bool(ours.model.states) == (links == 2)


def test_friction_by_hand_is_cut_and_continued() -> None:
    system = block("falling", True)
    whole = jounce.simulate(system, {"d_x": 0.7}, 14.0, tolerance=1e-10)
    for cut in (0.5, *whole.events.t.iloc[1:4].tolist(), 9.0):
        first = jounce.simulate(system, {"d_x": 0.7}, cut, tolerance=1e-10)
        second = jounce.simulate(system, first.final, 14.0, tolerance=1e-10)
        assert second.final["x"] == pytest.approx(whole.final["x"], abs=1e-8)


def test_friction_by_hand_survives_files(tmp_path: Path) -> None:
    for written in ("unequal", "falling", "on_a_part"):
        model = block(written, True).model
        again = Model.from_file(model.to_file(tmp_path / f"{written}.toml"))
        finals = [jounce.simulate(which, {"d_x": 0.7}, 9.0).final["x"] for which in (model, again)]
        assert finals[0] == finals[1]


def test_orbits_exponents_and_diagrams_of_friction_by_hand() -> None:
    """A block on a spring and a rough floor: held twice a period, and all perturbations die there."""
    results = []
    for by_hand in (True, False):
        (x, dx), (y, _) = coordinates("x y", "m")
        contacts = [Contact("floor", gap=y, slip=dx, friction=0.05)]
        if not by_hand:
            contacts.append(Contact("brake", slip=dx, friction=1, load=(), preload=F))
        force = A * sp.sin(w * time) - 2 * x - (F * sp.sign(dx) if by_hand else 0)
        model = Model("sprung", [x, y], [m, m], [force, -m * g], contacts=contacts, period=2 * sp.pi / w)
        system = jounce.compile_model(model)
        settled = jounce.simulate(system, {"x": 0.3}, 100.0)
        orbit = jounce.find_orbit(system, settled.final, "phase:0")
        exponents = jounce.lyapunov(system, settled.final, 60.0, count=2).exponents
        sweep = jounce.sweep(system, "A", [2.0, 3.0, 4.0], "phase:0", transient=10, keep=2)
        places = np.concatenate([np.asarray(points.quantity) for points in sweep.points("x")])
        results.append((orbit.state["x"], np.sort(np.abs(orbit.multipliers)), exponents, np.sort(places)))
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-7)


def test_what_becomes_a_contact() -> None:
    """Where contacts push along the surface; not where none does, nor where the force drives."""
    (x, dx), (y, dy) = coordinates("x y", "m")

    def made(force: Any, *contacts: Contact) -> Model:
        return Model("made", [x, y], [1, 1], {x: force}, contacts=contacts)

    rough = Contact("floor", gap=y, slip=dx, friction=0.1)
    assert made(-sp.sign(dx), rough).contacts[1].name == "sign_d_x"
    assert not made(-sp.sign(dx), rough).states
    for kept in (
        made(-sp.sign(dx), Contact("floor", gap=y)),
        made(-sp.sign(dx), Contact("wall", gap=x)),
        made(sp.sign(dx), rough),
        made(-sp.sign(dx + dy), rough),
        made(-(2 + sp.tanh(dx)) * sp.sign(dx), rough),
    ):
        assert len(kept.contacts) == 1
        assert list(kept.states) in (["sign_d_x"], ["sign_1"])
    named = made(-jounce.Switch("held", 2 * dx - 1), rough)
    assert [contact.name for contact in named.contacts] == ["floor", "held"]
    both = Model(
        "both", [x, y], [1, 1], [-sp.sign(x + dx), -sp.sign(y + dy)],
        contacts=[Contact("rail", gap=x + y + 1, slip=dx - dy, friction=0.1)],
    )  # fmt: skip
    assert [contact.name for contact in both.contacts] == ["rail", "sign_1", "sign_2"]


@pytest.mark.audit_finds("friction or preload below zero")
@pytest.mark.parametrize("units", UNITS)
def test_friction_that_turns_negative_is_found(units: tuple[float, float, float]) -> None:
    """A normal force that is written as m g - k x, behind x = m g/k; and coefficients of contacts."""
    length, duration, _ = units
    (x, dx), (y, _) = coordinates("x y", "m")
    normal = m * g - m * g * x / L / 4
    floor = Contact("floor", gap=y, slip=dx, friction=0.1)
    models = [
        Model("raised", [x, y], [m, m], [A + F - normal * sp.sign(dx) / 10, -m * g], contacts=[floor]),
        Model("brake", [x], [m], [A], contacts=[Contact("b", slip=dx, friction=1, load=(), preload=normal / 10)]),
        Model(
            "belt", [x, y], [m, m], [A, -m * g], contacts=[Contact("b", gap=y, slip=dx, friction=normal / m / g / 9)]
        ),
    ]
    for model in models:
        system = jounce.compile_model(model)
        scales = Options(scales={"x": length, "d_x": length / duration})
        for t_end, name in ((0.4, None), (1.5, "AUDIT_FAILED")):
            run = jounce.simulate(system, None, t_end * duration, options=scales, **in_units(system, units))
            assert run.final["x"] < 0.4 * length if name is None else run.final["x"] > 0.4 * length
            assert run.status.ok if name is None else run.status.name == name, run.status.message
        assert "friction or preload below zero" in run.status.message
        assert "Max(0, ...)" in run.status.message
