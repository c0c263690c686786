"""What a sweep finds, against closed forms of the ball on the table and against known attractors of other systems."""

from __future__ import annotations

import gc
import math
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.analysis.attractors.signature import signature_text
from jounce.analysis.sections.recurrence import FREE, state_periods
from jounce.errors import OptionError, SimulationError
from tests.sweeps.support import ball
from tests.sweeps.test_section import G, one_bounce


def flip(e: float, k: int) -> float:
    """The frequency at which one bounce in k periods doubles its period: trace = -(1 + e^2), A = 1."""
    sine = 2 * (1 + e * e) * G / (1 + e) ** 2
    cosine = k * math.pi * G * (1 - e) / (1 + e)
    return (sine**2 + cosine**2) ** 0.25


def fold(e: float, k: int) -> float:
    """The frequency at which one bounce in k periods is born: cos(phi) = 1."""
    return math.sqrt(k * math.pi * G * (1 - e) / (1 + e))


@pytest.mark.parametrize(("e", "k"), [(0.9, 1), (0.9, 2), (0.9, 3), (0.8, 1), (0.5, 1)])
def test_a_branch_is_followed_from_its_fold_to_its_flip(e: float, k: int) -> None:
    """Upwards to the period doubling, downwards to the birth, both where the closed form has them."""
    low, high = fold(e, k), flip(e, k)
    middle, step = (low + high) / 2, 2e-3
    values = np.arange(low - 10 * step, high + 10 * step, step)
    t, y, d_y = one_bounce(middle, e, k)
    diagram = jounce.sweep(
        ball(), "omega", values, "impact:table", (middle, ball().state(t=t, y=y, d_y=d_y)), direction="both",
        transient=3000, keep=8, e=e,
    )  # fmt: skip
    table = diagram.attractors.assign(periods=_periods_between_bounces(diagram))
    branch = table[(table["period"] == 1) & (np.abs(table["periods"] - k) < 1e-6)]
    up, down = (branch[branch["direction"] == way]["omega"] for way in ("up", "down"))
    # next to a bifurcation a transient outlasts any number of returns: one step
    assert high - 2 * step < up.max() < high + 1e-9
    assert low - 1e-9 < down.min() < low + 2 * step
    assert len(up) + len(down) == pytest.approx((high - low) / step, abs=3)  # and no gap in between
    assert set(branch["signature"]) == {"table impact"}
    doubled = diagram.attractors[
        (diagram.attractors["direction"] == "up") & (diagram.attractors["omega"] > high + step)
    ]
    assert set(doubled["period"]) == {2}
    # the points themselves: cos(phi) = k pi g (1 - e)/((1 + e) omega^2)
    samples = diagram.dataset["samples"].isel(lane=0, sample=0)
    for omega in up.to_numpy()[: len(up) // 2 : 20]:
        at = samples.sel(omega=omega)
        t, y, d_y = one_bounce(omega, e, k)
        assert float(at.sel(quantity="t")) == pytest.approx(t, abs=1e-6)
        assert float(at.sel(quantity="d_y")) == pytest.approx(d_y, abs=1e-6)
        assert float(at.sel(quantity="return_time")) == pytest.approx(2 * math.pi * k / omega, abs=1e-6)


def _periods_between_bounces(diagram: jounce.Diagram) -> np.ndarray:
    """The first return time of every row of the table of attractors, in periods of the table."""
    times = diagram.dataset["samples"].isel(sample=0).sel(quantity="return_time").to_numpy()
    rows = [times[lane, first:end] for lane, (first, end) in enumerate(diagram.store.ranges)]
    return np.concatenate(rows) * diagram.attractors["omega"].to_numpy() / (2 * math.pi)


def test_kinds_over_the_whole_range() -> None:
    """e = 0.8: the ball lies below sqrt(g/A), chatters above, is chaotic from about 3.8 on (Burns & Piiroinen)."""
    diagram = jounce.sweep(
        ball(),
        "omega",
        np.linspace(2.5, 4.6, 43),
        "phase:0",
        ball().state(y=0.0, d_y=2.5),
        transient=400,
        keep=60,
        e=0.8,
    )
    table = diagram.attractors.set_index("omega")
    assert (table[: math.sqrt(G)]["kind"] == "rest").all()
    just_above = table[math.sqrt(G) : 3.3]
    assert (just_above["kind"] == "periodic").all()
    assert set(just_above["signature"]) == {"table chatter → SLIP+, table lift_off"}
    chaotic = table[3.9:]
    assert (chaotic["kind"] == "chaotic").mean() > 0.8
    assert (chaotic.loc[chaotic["kind"] == "chaotic", "exponent"] > 0.02).all()
    # chatter forgets: the whole period is over after a handful of returns, not after 400
    assert just_above["returns"].max() < 20
    counts = diagram.dataset["count"].to_numpy()[0]
    assert (counts[table["kind"] == "chaotic"] == 60).all()
    assert (counts[table["kind"] == "rest"] == 1).all()


def test_the_exponent_is_that_of_the_closed_form() -> None:
    """Along the chaotic orbit the product of the exact Jacobians of the bounce map grows as the sweep says.

    With theta = omega t and v the velocity after a bounce relative to nothing, the map (theta, v) has the Jacobian of
    Holmes' ball without his approximation of a high bounce; its growth is computed here from the sampled bounces.
    """
    omega, e = 4.5, 0.9
    diagram = jounce.sweep(ball(), "omega", [omega], "impact:table", ball().state(y=3.0, d_y=4.0), transient=500,
                           keep=3000, patience=1, e=e)  # fmt: skip
    row = diagram.attractors.iloc[0]
    assert row.kind == "chaotic"
    samples = diagram.dataset["samples"][0, 0]
    t, v = samples.sel(quantity="t").to_numpy(), samples.sel(quantity="d_y").to_numpy()
    wait = samples.sel(quantity="return_time").to_numpy()[1:]
    vector, total = np.array([1.0, 0.3]), 0.0
    for k in range(len(wait)):
        # y(t+s) = sin(w t) + v s - g s^2/2 meets sin(w (t+s)):  implicit derivatives of s, then of the new velocity
        before = v[k] - G * wait[k]
        table = omega * math.cos(omega * (t[k] + wait[k]))
        slope = before - table
        ds = -np.array([omega * math.cos(omega * t[k]) - table, wait[k]]) / slope
        dt = np.array([1.0, 0.0]) + ds
        db = np.array([0.0, 1.0]) - G * ds
        dv = -e * db + (1 + e) * -(omega**2) * math.sin(omega * (t[k] + wait[k])) * dt
        vector = np.array([dt @ vector, dv @ vector])
        size = np.hypot(*vector)
        total += math.log(size)
        vector /= size
    assert row.exponent == pytest.approx(total / len(wait), abs=0.06)


def test_random_starts_find_coexisting_attractors() -> None:
    """At omega = 3, e = 0.9 the ball can lie, bounce once in 1, 2 and 3 periods, or three times in 3 and 6 periods."""
    ranges = {"y": (1.0, 60.0), "d_y": (-12.0, 12.0)}

    def run(threads: int) -> jounce.Diagram:
        return jounce.sweep(ball(), "omega", [2.99, 3.0, 3.01], "phase:0", random_starts=30, ranges=ranges, seed=3,
                            transient=1000, keep=8, threads=threads, e=0.9)  # fmt: skip

    diagram = run(2)
    table = diagram.attractors
    kinds = set(zip(table["period"], table["impacts"], strict=True))
    assert {(0, 0), (1, 1), (2, 1), (3, 1), (3, 3), (6, 3)} <= kinds
    again = run(1)
    assert again.attractors.equals(table)


def test_a_carried_start_is_moved_out_of_a_surface() -> None:
    """A table of growing amplitude would swallow the ball that rests on it: it is put back onto it."""
    phase = "phase:0.25"  # the table is at its highest
    diagram = jounce.sweep(ball(), "A", np.linspace(0.1, 1.0, 10), phase, ball().state(y=0.2), transient=60, keep=4,
                           omega=2.5)  # fmt: skip
    assert (diagram.attractors["kind"] == "rest").all()
    heights = diagram.dataset["samples"].sel(quantity="y").isel(lane=0, sample=0)
    np.testing.assert_allclose(heights, diagram.values, atol=1e-9)


def test_a_motion_that_stops_says_why_and_the_next_value_starts_again() -> None:
    """A section that only some values reach: NO_RETURN there, and no trace of it in the values after."""
    diagram = jounce.sweep(
        ball(), "omega", np.linspace(2.0, 3.1, 12), "plane:y=7:+1",
        ball().state(t=one_bounce(2.6, 0.9)[0], y=one_bounce(2.6, 0.9)[1] + 0.3, d_y=one_bounce(2.6, 0.9)[2]),
        transient=400, keep=4, e=0.9, longest_return=40.0,
    )  # fmt: skip
    table = diagram.attractors
    assert {"periodic"} <= set(table["kind"]) <= {"periodic", "stopped", "rest"}
    assert (table.loc[table["kind"].isin(["stopped", "rest"]), "status"] == "NO_RETURN").all()
    assert (table["kind"] != "periodic").any()


def test_cyclic_coordinates_and_angles_do_not_hide_a_period() -> None:
    rod = jounce.compile_model(jounce.systems.slender_rod())
    np.testing.assert_array_equal(state_periods(rod), [FREE, 0.0, 2 * math.pi, 0.0, 0.0, 0.0])
    bird = jounce.compile_model(jounce.systems.woodpecker())
    diagram = jounce.sweep(bird, "mu", [0.3], "impact:beak", transient=200, keep=4)
    row = diagram.attractors.iloc[0]
    assert (row.kind, row.period) == ("periodic", 1)
    assert row.signature.startswith("beak impact, ")
    heights = jounce.SectionMap(bird, "impact:beak", mu=0.3).iterate(bird.state(), 200)["y"]
    assert heights[-1] < heights[-2] - 1e-4  # it never comes back, and yet repeats


def test_a_forcing_of_zero_amplitude_is_no_forcing() -> None:
    """The wiper on a steady belt: cycles and equilibria, although the model could be driven (Hopf at mu = .40977)."""
    wiper = jounce.compile_model(jounce.systems.wiper())
    diagram = jounce.sweep(wiper, "mu", [0.36, 0.37, 0.44, 0.45], "plane:d_phi=0:-1", transient=400, keep=4, e=0.0)
    table = diagram.attractors
    assert list(table["kind"]) == ["rest", "rest", "periodic", "periodic"]
    assert set(table["signature"][2:]) == {"tip impact → STICK, tip slip → SLIP+, tip lift_off"}


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"parameter": "omga"}, SimulationError, "no parameter 'omga'.*omega"),
        ({"values": []}, OptionError, "at least one finite number"),
        ({"values": [3.0, math.nan]}, OptionError, "finite"),
        ({"section": "impact:floor"}, OptionError, "no contact 'floor'.*table"),
        ({"transient": -1}, OptionError, "transient is -1"),
        ({"keep": 0}, OptionError, "keep is 0"),
        ({"direction": "sideways"}, OptionError, "valid directions: up, down, both"),
        ({"omega": 3.0}, SimulationError, "omega varies"),
        ({"e": 1.5}, SimulationError, "restitution"),
        ({"ee": 0.5}, SimulationError, "unknown name 'ee'"),
        ({"start": 3.0}, SimulationError, "start must be a state"),
        ({"start": (9.0, (1.0, 2.0))}, SimulationError, "start must be a state"),
        ({"starts": []}, OptionError, "starts is empty"),
        ({"threads": 0}, OptionError, "threads is 0"),
        ({"random_starts": 2}, OptionError, "needs ranges"),
        ({"random_starts": 2, "ranges": {"z": (0, 1)}}, SimulationError, "unknown name 'z'"),
        ({"random_starts": 2, "ranges": {"y": (2, 1)}}, OptionError, r"must be \(low, high\)"),
        ({"recurrence": 0.5}, OptionError, "recurrence is 0.5"),
        ({"longest_return": -1.0}, OptionError, "longest_return"),
    ],
)
def test_wrong_input_is_named(changes: dict, error: type[Exception], message: str) -> None:
    choices = {"parameter": "omega", "values": [3.0, 3.1], "section": "phase:0", "transient": 5, "keep": 2} | changes
    with pytest.raises(error, match=message):
        jounce.sweep(ball(), choices.pop("parameter"), choices.pop("values"), choices.pop("section"), **choices)


def test_a_start_outside_the_range_or_inside_the_table() -> None:
    with pytest.raises(OptionError, match="begins at 9, outside"):
        jounce.sweep(ball(), "omega", [3.0, 3.1], "phase:0", (9.0, ball().state()))
    with pytest.raises(SimulationError, match="gap is -1"):
        jounce.sweep(ball(), "omega", [3.0, 3.1], "phase:0", ball().state(y=-1.0))


def test_signatures_do_not_depend_on_where_they_begin() -> None:
    from jounce.kernels.records.attractor_codes import REPEATS

    def entry(kind: int, after: int, times: int) -> int:
        return ((kind * 16 + 1) * 16 + after + 1) * REPEATS + times

    impact, chatter, lift = (0, 0), (1, 1), (2, 0)
    whole = (entry(*impact, 3), entry(*chatter, 1), entry(*lift, 1))
    turned = (entry(*impact, 1), entry(*chatter, 1), entry(*lift, 1), entry(*impact, 2))
    assert signature_text(whole, 3, ("table",)) == signature_text(turned, 4, ("table",))
    assert signature_text(whole, 3, ("table",)) == "table impact ×3, table chatter → SLIP+, table lift_off"
    assert signature_text((), 0, ("table",)) == "no event"
    assert signature_text(whole * 20, 60, ("table",)).endswith("…")


def test_a_dataset_outlives_its_diagram() -> None:
    """What is read later is still there, though nobody holds the diagram that was computed into a temporary folder."""
    later = (
        jounce.sweep(ball(), "omega", np.linspace(3.2, 3.4, 3), "impact:table", keep=2, transient=5, e=0.5)
        .dataset["samples"]
        .isel(lane=0)
    )
    gc.collect()
    assert np.isfinite(later.to_numpy()).any()


def test_a_temporary_folder_goes_with_its_diagram_without_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    diagram = jounce.sweep(ball(), "omega", np.linspace(3.2, 3.4, 2), "impact:table", keep=2, transient=5, e=0.5)
    assert [each.name.startswith("jounce-sweep-") for each in tmp_path.iterdir()] == [True]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        del diagram
        gc.collect()
    assert not [each for each in caught if "jounce-" in str(each.message)]
    assert not list(tmp_path.iterdir())
