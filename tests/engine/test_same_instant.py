"""Contacts that close at one instant: which collides first is a rule, whatever rounding does to their times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import jounce
from jounce import Contact, Model, coordinates, parameters
from tests.families.check import failures_of, simulate
from tests.families.cornered import FAMILIES
from tests.families.family import in_units, state_factors


def _three_masses(bound: bool) -> jounce.System:
    """Equal masses on a line, free or each on a spring of its own; places far from zero, so that gaps are rounded."""
    (a, _), (b, _), (c, _) = coordinates("a b c", "m")
    m, k, r, e = parameters(m=(1.0, "kg"), k=(0.0, "N/m"), r=(0.77, "m"), e=0.5)
    forces = [-k * (x - r) for x in (a, b, c)] if bound else [0 * k * r, 0, 0]
    contacts = [Contact("slow", gap=c - b, restitution=e), Contact("fast", gap=b - a, restitution=e)]
    return jounce.compile_model(Model("three_masses", [a, b, c], [m, m, m], forces, contacts, parameters=[k, r]))


def _after(velocities: list[float], e: float) -> list[float]:
    """Velocities behind the instant: the pair that closes hardest first, until none closes."""
    v = list(velocities)
    while True:
        closing = [v[1] - v[0], v[2] - v[1]]
        pair = int(np.argmin(closing))
        if closing[pair] >= -1e-12:
            return v
        mean, half = (v[pair] + v[pair + 1]) / 2, e * closing[pair] / 2
        v[pair], v[pair + 1] = mean + half, mean - half


@pytest.mark.parametrize("bound", [False, True])
@pytest.mark.parametrize("slow", [1e-2, 1e-3, 1e-5])
def test_a_slow_contact_and_a_fast_one_close_together(bound: bool, slow: float) -> None:
    """One gap of 1 m closes with 1 m/s, the other of ``slow`` metres with as many m/s, at the same time in any units.

    Masses on springs of one frequency meet after a quarter of their period, at any amplitude.
    """
    system, place, common = _three_masses(bound), 0.77, 0.0 if bound else 0.3
    for trial in range(12):
        length, time = 10.0 ** np.random.default_rng(trial).uniform(-6, 6, 2)
        speed = length / time
        if bound:
            start = {"a": place - 1, "b": place, "c": place + slow, "d_a": 0.0, "d_b": 0.0, "d_c": 0.0}
            meeting, omega = np.pi / 2, 1.0
            before = [1.0, 0.0, -slow]
        else:
            before = [common + 1.0, common, common - slow]
            start = {"a": place - 1, "b": place, "c": place + slow}
            start |= dict(zip(["d_a", "d_b", "d_c"], before, strict=True))
            meeting, omega = 1.0, 0.0
        scaled = {name: x * (speed if name.startswith("d_") else length) for name, x in start.items()}
        end = meeting + 0.1
        run = jounce.simulate(system, scaled, end * time, k=(omega / time) ** 2, r=place * length, tolerance=1e-11)
        after = np.array(_after(before, 0.5))
        expected = after * np.cos(omega * 0.1)
        assert run.events.contact.iloc[0] == "fast", (length, time)
        assert run.final.u / speed == pytest.approx(expected, abs=1e-9), (length, time)


def test_a_box_that_turns_until_it_lies_flat() -> None:
    """It turns about a round corner of its support: one corner of the box beside it closes 300 times more slowly."""
    family = next(family for family in FAMILIES if family.name == "round_groove")
    draw = family.sample(191600277)
    finest = simulate(family, replace(draw, options={**draw.options, "tolerance": 1e-12}))
    for tolerance in (1e-6, 3e-9):
        run = simulate(family, replace(draw, options={**draw.options, "tolerance": tolerance}))
        assert run.final.q == pytest.approx(finest.final.q, rel=max(tolerance, 1e-8))
    scales = np.array([36.7, 5.23e-6, 1.6e-5])
    other = simulate(family, in_units(family, draw, scales))
    factors = state_factors(family, scales)
    assert other.final.q / factors[:3] == pytest.approx(finest.final.q, rel=1e-8)


def test_a_root_that_is_known_badly_is_not_passed_over_for_one_behind_it() -> None:
    """A box that turns about a corner in its groove lands on a side: its gap's polynomial was off by 1e-4 of the step.

    It put the landing behind another event, whose place had been sharpened already, and the box landed 2e-6 s late, by
    6e-8 within the side. From a cut the steps are others, and so are the errors of the polynomials.
    """
    family = next(family for family in FAMILIES if family.name == "groove")
    draw = family.sample(242500102)
    assert failures_of(family, 242500102) == []
    landings = []
    for cut in (0.662, 0.664, 0.6664, None):
        start = None if cut is None else simulate(family, draw, cut).final
        events = simulate(family, draw, 0.679, start).events
        lands = events[(events.contact == "left_a_2") & (events.kind == "impact")]
        landings.append(float(lands.t.iloc[-1]))
    assert max(landings) - min(landings) < 1e-9
