"""The calls a user makes: names, errors, phases, arrays, tables."""

from __future__ import annotations

import json

import numpy as np
import pytest

from jounce.analysis.impacts.compare_laws import compare_laws
from jounce.analysis.impacts.impact import impact, impact_many
from jounce.errors import OptionError, SimulationError
from jounce.simulation.law import Law, region_name
from tests.impact.cases import random_rows

GOOD = {"A": 2.0, "B": 0.5, "C": 1.5, "v_t": 1.0, "v_n": -1.0, "mu": 0.3, "e": 0.5}


@pytest.mark.parametrize(("change", "words"), [
    ({"B": 2.0}, "positive semidefinite"),
    ({"A": -1.0, "B": 0.0}, "A = W_T"),
    ({"C": 0.0, "B": 0.0}, "C = W_N"),
    ({"mu": -0.1}, "mu must not be negative"),
    ({"e": 1.2}, "e must be between 0 and 1"),
    ({"e": -0.1}, "e must be between 0 and 1"),
    ({"v_n": 0.5}, "separates"),
    ({"v_t": float("nan")}, "finite"),
    ({"mu": float("inf")}, "finite"),
    ({"e_t": 0.5}, "no tangential restitution"),
    ({"mu": "rough"}, "real numbers"),
])  # fmt: skip
def test_inputs_that_make_no_sense(change, words):
    with pytest.raises(OptionError, match=words):
        impact("energetic", **{**GOOD, **change})


def test_errors_show_the_numbers_and_the_place():
    with pytest.raises(OptionError, match=r"mu=-0\.1"):
        impact("energetic", **{**GOOD, "mu": -0.1})
    with pytest.raises(OptionError, match="index 2"):
        impact_many("energetic", **{**GOOD, "e": [0.1, 0.2, 3.0]})


def test_tangential_restitution_range():
    for e_t in (-0.5, 1.0):
        impact("chatterjee_ruina", **GOOD, e_t=e_t)
    with pytest.raises(OptionError, match="between 0 and 1"):
        impact("poisson_two_phase", **GOOD, e_t=-0.5)


def test_law_names():
    assert Law.parse("poisson_two_phase") is Law.POISSON_TWO_PHASE
    assert Law.parse(Law.SMITH) is Law.SMITH
    assert str(Law.BRACH_EXTENDED) == "brach_extended"
    with pytest.raises(OptionError, match="did you mean 'energetic'") as error:
        impact("energetc", **GOOD)
    for name in Law.names():
        assert name in str(error.value)
    with pytest.raises(OptionError, match="unknown law"):
        Law.parse(3)  # type: ignore[arg-type]


def test_no_solution_says_what_to_try():
    with pytest.raises(SimulationError, match="smaller mu"):
        impact("energetic", 1.0, 1.0, 1.0, 0.5, -1.0, 2.0, 0.5)
    many = impact_many("energetic", 1.0, [1.0, 0.0], 1.0, 0.5, -1.0, 2.0, 0.5)
    assert many.solved.tolist() == [False, True]
    assert np.isnan(many.v_n[0])
    assert not many.added_energy[0]


@pytest.mark.parametrize("law", Law)
def test_phases_add_up_to_the_outcome(law):
    motions = set()
    for row in random_rows(400, seed=2):
        outcome = impact(law, *row[:7])
        path = outcome.path
        assert path[-1, :2] == pytest.approx((outcome.p_t, outcome.p_n), rel=1e-9, abs=1e-11 * outcome.p_n)
        assert path[-1, 2:] == pytest.approx((outcome.v_t, outcome.v_n), rel=1e-8, abs=1e-10)
        A, B, C, v_t, v_n = row[:5]
        for p_t, p_n, at_t, at_n in path:  # each corner satisfies v = v- + K p
            size = abs(v_t) + abs(v_n) + (A + C) * outcome.p_n * (1 + row[5])
            assert abs(v_t + A * p_t + B * p_n - at_t) < 1e-12 * size
            assert abs(v_n + B * p_t + C * p_n - at_n) < 1e-12 * size
        assert all(phase.p_n > 0 for phase in outcome.phases)
        motions.update(phase.name for phase in outcome.phases)
    if law.follows_process:
        assert motions == {f"{m} in {s}" for m in ("slip+", "slip-", "stick") for s in ("compression", "restitution")}


def test_outcome_of_a_jam():
    """k_N < 0: approach grows while it slips, then the contact sticks: three phases."""
    outcome = impact("energetic", 4.0, 1.8, 1.0, 1.0, -1.0, 0.9, 0.5)
    assert 1.0 - 0.9 * 1.8 < 0
    assert [phase.name for phase in outcome.phases] == [
        "slip+ in compression",
        "stick in compression",
        "stick in restitution",
    ]
    assert outcome.phases[0].v_n < -1.0
    assert outcome.region_name == "slip, stick in compression (+)"
    assert outcome.v_n > 0.0


def test_nothing_happens():
    outcome = impact("energetic", **{**GOOD, "v_n": 0.0})
    assert outcome.phases == []
    assert outcome.region_name == "no impulse"
    assert outcome.path.shape == (1, 4)


def test_added_energy_is_said():
    """Newton's end of a process adds energy when slip stops during the impact."""
    A, B, C = 4.0, 1.9, 1.0
    outcome = impact("newton", A, B, C, 1.0, -0.2, 0.9, 0.95)
    calm = impact("energetic", A, B, C, 1.0, -0.2, 0.9, 0.95)
    assert not calm.added_energy
    gains = impact_many("newton", A, -B, C, np.linspace(0.0, 2.0, 200), -1.0, np.linspace(0, 1, 50)[:, None], 1.0)
    assert gains.added_energy.any()
    assert (gains.energy_loss[gains.added_energy] < 0).all()
    assert outcome.added_energy == (outcome.energy_loss < 0)


def test_many_equals_one():
    rows = random_rows(200, seed=6)
    for law in Law:
        many = impact_many(law, *rows[:, :7].T)
        for i in range(0, 200, 17):
            one = impact(law, *rows[i, :7])
            assert (one.v_t, one.v_n, one.p_t, one.p_n) == (many.v_t[i], many.v_n[i], many.p_t[i], many.p_n[i])
            assert one.region == many.region[i]
            assert one.energy_loss == many.energy_loss[i]
    grid = impact_many("energetic", 2.0, 0.5, 1.5, np.linspace(-1, 1, 5), -1.0, np.array([[0.1], [0.5]]), 0.5)
    assert grid.v_t.shape == (2, 5)


def test_outcome_as_json():
    text = json.dumps(impact("energetic", **GOOD).as_dict())
    assert json.loads(text)["law"] == "energetic"
    assert json.loads(text)["phases"][0]["name"] == "slip+ in compression"


def test_comparison_table():
    values = np.linspace(-1.0, 1.0, 21)
    table = compare_laws("v_t", values, A=2.0, B=-0.8, C=1.5, mu=0.4, e=0.7, e_t=0.3)
    assert list(table["law"].unique()) == Law.names()
    assert len(table) == 21 * len(Law)
    part = table[table["law"] == "chatterjee_ruina"].reset_index()
    one = impact("chatterjee_ruina", 2.0, -0.8, 1.5, values[3], -1.0, 0.4, 0.7, e_t=0.3)
    assert part.loc[3, "v_t_after"] == one.v_t
    assert part.loc[3, "region_name"] == one.region_name
    assert table.attrs["sweep"] == "v_t"
    chosen = compare_laws("mu", [0.0, 0.5], laws=["newton", Law.SMITH], A=2.0, B=-0.8, C=1.5, v_t=[1.0, 2.0], e=0.7)
    assert list(chosen["law"]) == ["newton", "newton", "smith", "smith"]
    with pytest.raises(OptionError, match="cannot sweep 'speed'"):
        compare_laws("speed", values, A=2.0, B=0.0, C=1.0)
    with pytest.raises(OptionError, match="follow the 21 values"):
        compare_laws("v_t", values, A=2.0, B=0.0, C=1.0, mu=[0.1, 0.2])
    with pytest.raises(OptionError, match="list of numbers"):
        compare_laws("v_t", 1.0, A=2.0, B=0.0, C=1.0)


def test_every_region_has_a_name():
    rows = random_rows(3_000, seed=15)
    for law in Law:
        for region in np.unique(impact_many(law, *rows[:, :7].T).region):
            assert "region" not in region_name(int(region))
    assert region_name(999) == "region 999"


@pytest.mark.parametrize("law", list(Law))
@pytest.mark.parametrize("velocities", [(1.0, -1e308), (1e308, -1e308), (1e200, -1.0), (1e308, -1.0)])
def test_an_impact_that_no_number_can_hold(law, velocities) -> None:
    """Every law gives numbers, or says that it cannot; it never warns of its own arithmetic."""
    arguments = (law, 2.3, -0.7, 1.4, *velocities, 0.9, 0.5)
    for compute in (impact, impact_many):
        said, outcome = "", None
        try:
            outcome = compute(*arguments)
        except OptionError as error:
            said = str(error)
        if outcome is None:
            assert "too large for double precision" in said
        else:
            assert np.isfinite([outcome.v_t, outcome.v_n, outcome.p_t, outcome.p_n, outcome.energy_loss]).all()
