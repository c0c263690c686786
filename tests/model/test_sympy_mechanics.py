"""Models from sympy.physics.mechanics against the same models written by hand."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp
from sympy.physics.mechanics import (
    KanesMethod,
    LagrangesMethod,
    Particle,
    Point,
    ReferenceFrame,
    System,
    dynamicsymbols,
)

import jounce
from jounce.errors import ModelError
from jounce.model import Contact, Model
from jounce.model import Point as Dot
from jounce.model.expressions import identically_zero

t = dynamicsymbols._t
m, L, g, e = sp.symbols("m L g e", positive=True)
NUMBERS = {"m": (1.5, "kg"), "L": (0.8, "m"), "g": 9.81}
theta, d_theta = jounce.coordinate("theta", "rad")
M_, L_, G_ = (jounce.parameter(name, 1.0) for name in ("m", "L", "g"))


def same(model: Model, other: Model) -> None:
    assert list(model.coordinates) == list(other.coordinates)
    for a, b in zip([*model.M, *model.h], [*other.M, *other.h], strict=True):
        assert identically_zero(a - b), (a, b)


def by_hand(**parts: Any) -> Model:
    return Model.from_lagrangian(
        "pendulum",
        coordinates=[theta],
        kinetic=M_ * L_**2 * d_theta**2 / 2,
        potential=-M_ * G_ * L_ * sp.cos(theta),
        **parts,
    )


def kane_pendulum(speed: str) -> KanesMethod:
    """The generalised speed is q', or the speed of the bob plus a drift."""
    q, u = dynamicsymbols("theta u")
    N, O, P = ReferenceFrame("N"), Point("O"), Point("P")  # noqa: E741
    A = N.orientnew("A", "Axis", [q, N.z])
    kinematics = [q.diff(t) - u] if speed == "rate" else [u - L * q.diff(t) * (2 + sp.sin(q)) - sp.cos(3 * t)]
    rate = sp.solve(kinematics[0], q.diff(t))[0]
    A.set_ang_vel(N, rate * N.z)
    O.set_vel(N, 0)
    P.set_pos(O, -L * A.y)
    P.v2pt_theory(O, N, A)
    method = KanesMethod(N, q_ind=[q], u_ind=[u], kd_eqs=kinematics)
    method.kanes_equations([Particle("bob", P, m)], [(P, -m * g * N.y)])
    return method


@pytest.mark.parametrize("speed", ["rate", "odd"])
def test_pendulum_by_kane(speed: str) -> None:
    model = Model.from_sympy_mechanics("pendulum", kane_pendulum(speed), parameters=NUMBERS, units={"theta": "rad"})
    same(model, by_hand())
    assert model.coordinates == {"theta": "rad"}
    assert model.parameters["m"].unit == "kg"


def test_pendulum_by_lagrange_with_a_contact_runs_as_by_hand() -> None:
    q = dynamicsymbols("theta")
    method = LagrangesMethod(m * L**2 * q.diff(t) ** 2 / 2 + m * g * L * sp.cos(q), [q])
    model = Model.from_sympy_mechanics(
        "pendulum",
        method,
        parameters=NUMBERS | {"e": 0.7},
        contacts=[Contact("wall", gap=q + sp.pi / 8, restitution=e)],
        potential=-m * g * L * sp.cos(q),
        guards={"turn": q.diff(t)},
        start={q: 0.9, q.diff(t): 0.1},
        drawing=[Dot((L * sp.sin(q), -L * sp.cos(q)))],
    )
    restitution = jounce.parameter("e", 0.7)
    other = by_hand(
        contacts=[Contact("wall", gap=theta + sp.pi / 8, restitution=restitution)],
        guards={"turn": d_theta},
        start={theta: 0.9, d_theta: 0.1},
    )
    same(model, other)
    assert model.applied_power == other.applied_power == 0
    values = {"m": 1.5, "L": 0.8, "g": 9.81, "e": 0.7}
    runs = [jounce.simulate(each, None, t_end=3.0, **values) for each in (model, other)]
    assert runs[0].final["theta"] == pytest.approx(runs[1].final["theta"], abs=1e-9)
    assert (runs[0].events["kind"] == "impact").sum() == (runs[1].events["kind"] == "impact").sum() > 1


def double_pendulum_by_hand() -> Model:
    (a, da), (b, db) = jounce.coordinates("a b", "rad")
    cross = L_**2 * da * db * sp.cos(a - b)
    return Model.from_lagrangian(
        "double",
        coordinates=[a, b],
        kinetic=M_ * (2 * L_**2 * da**2 + L_**2 * db**2 + 2 * cross) / 2,
        potential=-M_ * G_ * L_ * (2 * sp.cos(a) + sp.cos(b)),
    )


def test_double_pendulum_by_kane_and_system() -> None:
    a, b, u, w = dynamicsymbols("a b u w")
    N, O, P, Q = ReferenceFrame("N"), Point("O"), Point("P"), Point("Q")  # noqa: E741
    frames = [N.orientnew(name, "Axis", [angle, N.z]) for name, angle in (("A", a), ("B", b))]
    # u is the rate of the first angle, w the rate of the second against the first
    for frame, rate in zip(frames, (u, u + w), strict=True):
        frame.set_ang_vel(N, rate * N.z)
    O.set_vel(N, 0)
    for start, end, frame in ((O, P, frames[0]), (P, Q, frames[1])):
        end.set_pos(start, -L * frame.y)
        end.v2pt_theory(start, N, frame)
    bodies = [Particle("p", P, m), Particle("q", Q, m)]
    loads = [(point, -m * g * N.y) for point in (P, Q)]
    kinematics = [a.diff(t) - u, b.diff(t) - u - w]
    method = KanesMethod(N, [a, b], [u, w], kd_eqs=kinematics)
    method.kanes_equations(bodies, loads)
    same(Model.from_sympy_mechanics("double", method, parameters=NUMBERS), double_pendulum_by_hand())

    system = System(N, O)
    system.add_bodies(*bodies)
    system.add_loads(*loads)
    system.add_coordinates(a, b)
    system.add_speeds(u, w)
    system.add_kdes(*kinematics)
    same(Model.from_sympy_mechanics("double", system, parameters=NUMBERS), double_pendulum_by_hand())
    system.form_eoms()
    same(Model.from_sympy_mechanics("double", system, parameters=NUMBERS), double_pendulum_by_hand())


def closed_chain(a: sp.Expr, b: sp.Expr, c: sp.Expr, length: sp.Expr) -> list[sp.Expr]:
    """Crank of one length, coupler of three, rocker of three, pivots four lengths apart."""
    return [
        length * (sp.cos(a) + 3 * sp.cos(b) - 3 * sp.cos(c) - 4),
        length * (sp.sin(a) + 3 * sp.sin(b) - 3 * sp.sin(c)),
    ]


START = {"a": 0.0, "b": sp.pi / 3, "c": 2 * sp.pi / 3}  # cos 0 + 3/2 + 3/2 = 4, and the sines cancel


def four_bar_by_hand() -> Model:
    (a, da), (b, db), (c, dc) = jounce.coordinates("a b c", "rad")
    # point masses at the two moving pins and in the middle of the coupler
    x, y = L_ * (sp.cos(a) + 1.5 * sp.cos(b)), L_ * (sp.sin(a) + 1.5 * sp.sin(b))
    dx, dy = (sp.diff(part, a) * da + sp.diff(part, b) * db for part in (x, y))
    return Model.from_lagrangian(
        "four_bar",
        coordinates=[a, b, c],
        kinetic=M_ * (L_**2 * da**2 + dx**2 + dy**2 + 9 * L_**2 * dc**2) / 2,
        potential=M_ * G_ * (L_ * sp.sin(a) + y + 3 * L_ * sp.sin(c)),
        joints=dict(zip(("loop.x", "loop.y"), closed_chain(a, b, c, L_), strict=True)),
        start={a: 0.0, b: sp.pi / 3, c: 2 * sp.pi / 3},
    )


def test_four_bar_by_kane_lagrange_and_system() -> None:
    q, u = dynamicsymbols("a b c"), dynamicsymbols("u1 u2 u3")
    N, O, R = ReferenceFrame("N"), Point("O"), Point("R")  # noqa: E741
    crank, coupler, rocker = (N.orientnew(f"F{k}", "Axis", [q[k], N.z]) for k in range(3))
    for frame, rate in zip((crank, coupler, rocker), u, strict=True):
        frame.set_ang_vel(N, rate * N.z)
    O.set_vel(N, 0)
    R.set_pos(O, 4 * L * N.x)
    R.set_vel(N, 0)
    pin, middle, end = Point("pin"), Point("middle"), Point("end")
    for start, point, frame, length in ((O, pin, crank, L), (pin, middle, coupler, 1.5 * L), (R, end, rocker, 3 * L)):
        point.set_pos(start, length * frame.x)
        point.v2pt_theory(start, N, frame)
    bodies = [Particle(point.name, point, m) for point in (pin, middle, end)]
    loads = [(point, -m * g * N.y) for point in (pin, middle, end)]
    loop = closed_chain(*q, L)
    kinematics = [q_i.diff(t) - u_i for q_i, u_i in zip(q, u, strict=True)]
    kane = KanesMethod(
        N,
        q_ind=q[:1],
        u_ind=u[:1],
        kd_eqs=kinematics,
        q_dependent=q[1:],
        u_dependent=u[1:],
        configuration_constraints=loop,
        velocity_constraints=[sp.diff(equation, t) for equation in loop],
    )
    kane.kanes_equations(bodies, loads)
    rates = dict(zip(u, (q_i.diff(t) for q_i in q), strict=True))
    kinetic = sum(body.kinetic_energy(N) for body in bodies).xreplace(rates)
    height = sum(point.pos_from(O).dot(N.y) for point in (pin, middle, end))
    lagrange = LagrangesMethod(kinetic - m * g * height, q, hol_coneqs=loop)
    system = System(N, O)
    system.add_bodies(*bodies)
    system.add_loads(*loads)
    system.add_coordinates(*q)
    system.add_speeds(*u)
    system.add_kdes(*kinematics)
    system.add_holonomic_constraints(*loop)
    other = four_bar_by_hand()
    for method in (kane, lagrange, system):
        model = Model.from_sympy_mechanics(
            "four_bar", method, parameters=NUMBERS, joint_names=("loop.x", "loop.y"), start=START
        )
        same(model, other)
        assert model.joints.keys() == other.joints.keys()
        assert all(identically_zero(model.joints[name] - other.joints[name]) for name in other.joints)


def test_what_cannot_be_taken_is_said() -> None:
    q, s = dynamicsymbols("q s")
    rolling = LagrangesMethod(
        m * q.diff(t) ** 2 / 2 + m * s.diff(t) ** 2, [q, s], nonhol_coneqs=[q.diff(t) - s.diff(t) * q]
    )
    with pytest.raises(ModelError, match="nonholonomic"):
        Model.from_sympy_mechanics("rolling", rolling, parameters=NUMBERS)
    plain = LagrangesMethod(m * q.diff(t) ** 2 / 2, [q])
    with pytest.raises(ModelError, match="takes a KanesMethod, a LagrangesMethod or a System, not int"):
        Model.from_sympy_mechanics("x", 3)
    with pytest.raises(ModelError, match="'m' is no coordinate, velocity, parameter or t"):
        Model.from_sympy_mechanics("x", plain)
    with pytest.raises(ModelError, match="did you mean 'contacts'"):
        Model.from_sympy_mechanics("x", plain, parameters=NUMBERS, contact=[])
    with pytest.raises(ModelError, match="2 names for 0 holonomic constraints"):
        Model.from_sympy_mechanics("x", plain, parameters=NUMBERS, joint_names=("a", "b"))
    with pytest.raises(ModelError, match="no coordinate 'z'"):
        Model.from_sympy_mechanics("x", plain, parameters=NUMBERS, units={"z": "m"})
    forced = LagrangesMethod(m * q.diff(t) ** 2 / 2 + q * dynamicsymbols("f"), [q])
    with pytest.raises(ModelError, match="f cannot be computed"):
        Model.from_sympy_mechanics("x", forced, parameters=NUMBERS)
    with pytest.raises(ModelError, match="no bodies yet"):
        Model.from_sympy_mechanics("x", KanesMethod(ReferenceFrame("N"), [q], [s], kd_eqs=[q.diff(t) - s]))
