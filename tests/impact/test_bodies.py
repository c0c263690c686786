"""Two planar bodies: conservation, frames, limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jounce.analysis.impacts.bodies import PlanarBody, contact_matrix, impact_bodies
from jounce.analysis.impacts.impact import impact
from jounce.errors import OptionError
from jounce.simulation.law import Law
from tests.docs.pages import ROOT, run_page
from tests.impact.cases import Rod


def random_collision(seed: int):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi)
    normal = np.array([np.cos(angle), np.sin(angle)])
    point = rng.standard_normal(2)
    bodies = [
        PlanarBody(*rng.uniform(0.2, 3.0, 2), tuple(point + rng.standard_normal(2)), tuple(rng.standard_normal(2)), v)
        for v in rng.standard_normal(2)
    ]
    gap = np.subtract(bodies[0].velocity_at(point), bodies[1].velocity_at(point)) @ normal
    if gap > 0.0:
        normal = -normal
    return bodies, tuple(point), tuple(normal), rng.uniform(0, 1.2), rng.uniform(0, 1)


def momentum(bodies):
    """Linear momentum and angular momentum about the origin."""
    total = np.zeros(3)
    for b in bodies:
        p = b.mass * np.array(b.velocity)
        total += (*p, b.centre[0] * p[1] - b.centre[1] * p[0] + b.inertia * b.spin)
    return total


def turned(body, c, s):
    def turn(vector):
        return (c * vector[0] - s * vector[1], s * vector[0] + c * vector[1])

    return PlanarBody(body.mass, body.inertia, turn(body.centre), turn(body.velocity), body.spin), turn


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(list(Law)))
def test_momentum_is_conserved(seed, law):
    (one, two), point, normal, mu, e = random_collision(seed)
    out = impact_bodies(one, two, point, normal, mu, e, law=law)
    before, after = momentum((one, two)), momentum((out.first, out.second))
    size = 1.0 + math.hypot(*out.impulse) * (1 + math.hypot(*point))
    np.testing.assert_allclose(after, before, atol=1e-12 * size, rtol=0)
    loss = sum(b.kinetic_energy for b in (one, two)) - sum(b.kinetic_energy for b in (out.first, out.second))
    assert out.energy_loss == pytest.approx(loss, abs=1e-11 * (1 + size**2))
    n = np.array(normal)
    v = np.subtract(out.first.velocity_at(point), out.second.velocity_at(point))
    assert v @ n == pytest.approx(out.contact.v_n, abs=1e-11 * size)
    assert v @ (n[1], -n[0]) == pytest.approx(out.contact.v_t, abs=1e-11 * size)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 6.28), st.sampled_from(list(Law)))
def test_the_frame_does_not_matter(seed, angle, law):
    """Everything turned by an angle gives the outcome turned by it."""
    (one, two), point, normal, mu, e = random_collision(seed)
    c, s = math.cos(angle), math.sin(angle)
    out = impact_bodies(one, two, point, normal, mu, e, law=law)
    (one_t, turn), (two_t, _) = turned(one, c, s), turned(two, c, s)
    other = impact_bodies(one_t, two_t, turn(point), turn(normal), mu, e, law=law)
    size = 1.0 + math.hypot(*out.impulse)
    if other.contact.region == out.contact.region:  # rounding may move a case across a boundary of Brach's
        np.testing.assert_allclose(other.impulse, turn(out.impulse), atol=1e-10 * size)
        assert other.first.spin == pytest.approx(out.first.spin, abs=1e-10 * size)
    else:
        assert law in (Law.BRACH, Law.BRACH_EXTENDED)


def test_energetic_frame_invariance_to_1e_12():
    for seed in range(400):
        (one, two), point, normal, mu, e = random_collision(seed)
        out = impact_bodies(one, two, point, normal, mu, e)
        (one_t, turn), (two_t, _) = turned(one, 0.6, 0.8), turned(two, 0.6, 0.8)
        other = impact_bodies(one_t, two_t, turn(point), turn(normal), mu, e)
        size = 1.0 + math.hypot(*out.impulse) + math.hypot(*out.first.velocity)
        np.testing.assert_allclose(other.impulse, turn(out.impulse), atol=1e-12 * size)


def test_which_body_is_first_does_not_matter():
    (one, two), point, normal, mu, e = random_collision(3)
    out = impact_bodies(one, two, point, normal, mu, e)
    other = impact_bodies(two, one, point, (-normal[0], -normal[1]), mu, e)
    np.testing.assert_allclose(other.impulse, np.negative(out.impulse), rtol=1e-13)


def test_a_wall_is_an_infinite_mass():
    (one, two), point, normal, mu, e = random_collision(5)
    wall = PlanarBody.wall()
    normal = normal if np.dot(one.velocity_at(point), normal) < 0 else (-normal[0], -normal[1])
    out = impact_bodies(one, wall, point, normal, mu, e)
    heavy = impact_bodies(one, PlanarBody(1e15, 1e15, (0, 0)), point, normal, mu, e)
    assert out.second == wall
    np.testing.assert_allclose(out.impulse, heavy.impulse, rtol=1e-12)
    pivot = PlanarBody(math.inf, 0.5, two.centre, two.velocity, two.spin)  # turns about a driven pivot
    if np.dot(np.subtract(one.velocity_at(point), pivot.velocity_at(point)), normal) < 0:
        assert impact_bodies(one, pivot, point, normal, mu, e).second.velocity == pivot.velocity


def test_matrix_of_the_rod():
    """The rod of the thesis; the distance L to the contact enters B squared too (misprint: B lacks L^2)."""
    theta = 0.7
    rod = Rod(theta)
    for length in (1.0, 2.5):
        body = PlanarBody(1.0, 1.0 / 3.0, (length * np.cos(theta), length * np.sin(theta)))
        matrix = contact_matrix(body, PlanarBody.wall(), (0.0, 0.0), (0.0, 1.0))
        expected = (1 + (rod.A - 1) * length**2, rod.B * length**2, 1 + (rod.C - 1) * length**2)
        assert matrix == pytest.approx(expected, rel=1e-14)
    body = PlanarBody(1.0, 1.0 / 3.0, (rod.x, rod.y), (0.4, -1.0), 0.3)
    out = impact_bodies(body, PlanarBody.wall(), (0.0, 0.0), math.pi / 2, 0.3, 0.5)
    v_t, v_n = rod.contact_velocity(0.4, -1.0, 0.3)
    alone = impact("energetic", **rod.matrix, v_t=v_t, v_n=v_n, mu=0.3, e=0.5)
    assert out.contact.p_n == pytest.approx(alone.p_n, rel=1e-12)
    assert out.first.velocity[0] == pytest.approx(0.4 + alone.p_t, rel=1e-12)


def test_head_on_collision_of_equal_discs():
    """The textbook: equal masses, central, e = 1 exchange their velocities."""
    one = PlanarBody(1.0, 0.5, (-1.0, 0.0), (2.0, 0.0))
    two = PlanarBody(1.0, 0.5, (1.0, 0.0), (-1.0, 0.0))
    out = impact_bodies(one, two, (0.0, 0.0), (-1.0, 0.0), 0.3, 1.0)
    assert out.first.velocity == pytest.approx((-1.0, 0.0), abs=1e-15)
    assert out.second.velocity == pytest.approx((2.0, 0.0), abs=1e-15)


@pytest.mark.parametrize(("change", "word"), [
    ({"mass": -1.0}, "mass"), ({"inertia": 0.0}, "inertia"), ({"centre": (1.0,)}, "centre"),
    ({"velocity": (float("nan"), 0.0)}, "velocity"), ({"spin": float("inf")}, "spin"),
])  # fmt: skip
def test_bodies_that_make_no_sense(change, word):
    values = {"mass": 1.0, "inertia": 1.0, "centre": (0.0, 0.0), **change}
    with pytest.raises(OptionError, match=word):
        PlanarBody(**values)


def test_collisions_that_make_no_sense():
    wall, body = PlanarBody.wall(), PlanarBody(1.0, 1.0, (0.0, 1.0), (0.0, -1.0))
    with pytest.raises(OptionError, match="infinitely heavy"):
        impact_bodies(wall, wall, (0, 0), (0, 1), 0.1, 0.5)
    with pytest.raises(OptionError, match="normal must not be zero"):
        impact_bodies(body, wall, (0, 0), (0, 0), 0.1, 0.5)
    with pytest.raises(OptionError, match="check the normal"):
        impact_bodies(body, wall, (0, 0), (0, -1), 0.1, 0.5)


def test_example_of_the_documentation(tmp_path, monkeypatch):
    after = run_page(ROOT / "docs" / "impact-laws.md", tmp_path, monkeypatch)["after"]
    assert after.energy_loss > 0.0
    assert after.first.velocity[0] < 14.0
    assert after.contact.phases
