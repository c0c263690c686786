"""A run that is cut anywhere and continued agrees with the uncut one: its events, its modes and its end."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import jounce
from jounce.analysis.sections.section_map import SectionMap
from jounce.model import Contact, Model, coordinates, parameters
from jounce.system import System
from tests.engine.more_models import MORE_CASES
from tests.engine.small_models import CASES
from tests.engine.support import MODES_THAT_LAST, ready_made

OPTIONS = jounce.Options(tolerance=1e-11)
# the whole run is audited; a piece of it from the last bounces of a chatter has no scale to measure errors by
PIECE = jounce.Options(tolerance=1e-11, audit="off")
SAME = 1e-8  # relative: two integrations at a tolerance of 1e-11, over two events that magnify their difference
ACCUMULATION = (
    1e-3  # s before the end of a chatter: how its bounces are told apart depends on where one begins to count
)
SLOW = 1e-9  # of the fastest impact: rounding
NESTED = 1e-6  # s behind it: the chatters of two contacts that disturb each other end in turns, ever faster
EVERY_CASE = {**CASES, **MORE_CASES}
READY_MADE = {
    "slender_rod": ({"y": 2.0, "theta": 0.3}, 20.0, {"omega": 4.405, "mu": 0.3, "e": 0.6}),
    "wiper": ({}, 40.0, {"mu": 1.0}),
    "woodpecker": ({}, 1.0, {}),
    "belt_oscillator": ({}, 30.0, {}),
    "double_pendulum": ({}, 3.0, {}),
    "two_discs": ({}, 3.0, {}),
    "ball_on_table": ({}, 20.0, {}),
    "wall_pendulum": ({}, 10.0, {}),
    "compliant_wall_pendulum": ({}, 10.0, {}),
    "slider_crank": ({}, 0.1, {}),
}


@cache
def compiled(name: str) -> System:
    return jounce.compile_model(EVERY_CASE[name].model())


def chatter_times(run) -> np.ndarray:
    """The ends of accumulations: of those that were summed, and of those that went down to rounding."""
    table = run.events
    speed = table["v_n_before"].abs()
    fastest = speed[table["kind"] == "impact"].max()
    rounding = (table["kind"] == "impact") & (speed < SLOW * fastest)
    return table["t"].to_numpy()[(table["kind"] == "chatter") | rounding]


def told_apart(run, whole, ends: np.ndarray, begin: float, end: float, strictly: bool) -> list[tuple]:
    """The times, kinds, contacts and modes of the events in an interval, without accumulations, which have these ends.

    Without grazings too, from which nothing follows: bodies that move side by side have them by rounding.
    """
    table = run.events
    t = table["t"].to_numpy()
    ahead = np.append(ends, np.inf)[np.searchsorted(ends, t)] - t
    behind = t - np.append(-np.inf, ends)[np.searchsorted(ends, t)]
    kept = table[((t > begin) if strictly else (t >= begin)) & (t <= end) & (ahead > ACCUMULATION) & (behind > NESTED)]
    kept = kept[(kept["kind"] != "grazing") | (kept["mode_after"] != "OPEN")]
    names = ("kind", "contact", "mode_before", "mode_after")
    # a contact that closes without velocity is a touch where another event is, and a grazing where nothing else happens
    kept = kept.assign(kind=kept["kind"].replace("grazing", "touch"))
    rows = [(row["t"], *(str(row[name]) for name in names)) for _, row in kept.iterrows() if carries(whole, row)]
    return joined(rows)


def carries(run, row) -> bool:
    """Whether a change of mode is one of a contact that carries a force: bodies side by side may have any mode."""
    if row["kind"] in ("impact", "chatter"):
        return True
    near = np.clip([row["t"] - 1e-5, row["t"] + 1e-5], run.t_start, run.t_end)
    return bool(np.abs(run.contact_forces(near).sel(contact=row["contact"])["lambda_N"].values).max() > 1e-9)


def joined(rows: list[tuple]) -> list[tuple]:
    """Changes of one contact's mode within the rounding of time are one: a force that vanishes may end stick first."""
    found: list[tuple] = []
    for t, kind, contact, before, after in rows:
        last = next((row for row in reversed(found) if row[2] == contact), None)
        if last and kind != "impact" and last[1] != "impact" and t - last[0] < NESTED:
            found[found.index(last)] = (t, kind, contact, last[3], after)
        else:
            found.append((t, kind, contact, before, after))
    return found


def check_cut(run, t: float, side: str, values: dict[str, float]) -> None:
    """Continue a run from one of its states, over the next two events or so, and compare."""
    times = run.events["t"].to_numpy()
    later = times[times > t + ACCUMULATION]
    end = min(run.t_end, later[min(1, len(later) - 1)] + 1e-4 if len(later) else t + 0.2 * (run.t_end - run.t_start))
    cut = jounce.simulate(run.system, run.at(t, side), end, options=PIECE, **values)
    assert cut.modes_dropped == ""
    assert cut.status.name in MODES_THAT_LAST
    there, here = run.at(end), cut.final
    for a, b in ((there.q, here.q), (there.u, here.u)):
        assert np.abs(a - b).max() <= SAME * (1.0 + np.abs(a).max()), (t, side)
    ends = np.unique(np.concatenate([chatter_times(run), chatter_times(cut)]))
    uncut, continued = told_apart(run, run, ends, t, end, side == "right"), told_apart(cut, run, ends, t, end, False)
    assert [row[1:] for row in uncut] == [row[1:] for row in continued], (t, side)
    for a, b in zip(uncut, continued, strict=True):
        assert abs(a[0] - b[0]) <= SAME * (1.0 + abs(t)), (t, side)


def cuts(run, random: np.random.Generator) -> list[tuple[float, str]]:
    """Times anywhere, just before and behind events and at events, with their sides."""
    events = run.events["t"].to_numpy()
    events = events[(events > run.t_start) & (events < run.t_end)]
    places = [(float(t), "right") for t in random.uniform(run.t_start, run.t_end, 3)]
    if len(events):
        places += [(float(random.choice(events)), side) for side in ("left", "right", "left", "right")]
        places += [(float(random.choice(events)) + dt, "right") for dt in (-1e-7, 1e-7)]
    return [(t, side) for t, side in places if run.t_start <= t <= run.t_end]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", EVERY_CASE)
def test_small_models(name, seed):
    random = np.random.default_rng([seed, 17])
    system, case = compiled(name), EVERY_CASE[name]
    start, values = case.draw(random)
    run = jounce.simulate(system, system.state(**start), case.t_end, options=OPTIONS, **values)
    if run.status.name not in MODES_THAT_LAST:
        return
    for t, side in cuts(run, random):
        check_cut(run, t, side, values)


@pytest.mark.parametrize("name", READY_MADE)
def test_ready_made_systems(name):
    start, t_end, values = READY_MADE[name]
    system = ready_made(name)
    run = jounce.simulate(system, system.state(**start), t_end, options=OPTIONS, **values)
    random = np.random.default_rng(3)
    for t, side in cuts(run, random) + cuts(run, random):
        check_cut(run, t, side, values)


# ------------------------------------------------------------------------------------------------ what a state carries


def rough_corner() -> Model:
    """A point mass on a floor with friction, pulled along it."""
    (x, dx), (y, _) = coordinates("x y", "m")
    F, mu, e = parameters(F=2.0, mu=0.5, e=0.4)
    return Model(
        "pulled_mass",
        coordinates=[x, y],
        mass=[1, 1],
        forces=[F, -10],
        contacts=[Contact("floor", gap=y, slip=dx, friction=mu, restitution=e)],
    )


@cache
def pulled_mass() -> System:
    return jounce.compile_model(rough_corner())


def test_a_state_says_its_modes(tmp_path):
    system = pulled_mass()
    run = jounce.simulate(system, system.state(d_x=-1.0), 1.0)
    assert system.state().mode_names == ()
    assert run.start.mode_names == ()
    assert run.at(0.05).mode_names == ("SLIP-",)
    assert run.final.mode_names == ("STICK",)
    assert run.final.replace().mode_names == ()
    assert run.final.replace() != run.final
    run.save(tmp_path / "run.nc")
    loaded = jounce.load(tmp_path / "run.nc")
    for t in (0.05, 1.0):
        assert loaded.at(t) == run.at(t)
    assert loaded.final == run.final
    cut = jounce.simulate(system, loaded.final, 1.5)
    assert cut.start == run.final
    assert len(cut.events) == 0


def test_both_sides_of_an_impact():
    system = pulled_mass()
    run = jounce.simulate(system, system.state(y=1.0), 0.6)
    t = float(run.events["t"][0])
    before, after = run.at(t, "left"), run.at(t, "right")
    assert (before.mode_names, before.orders.tolist()) == (("OPEN",), [1])
    assert (after.mode_names, after.orders.tolist()) == (("OPEN",), [2])
    assert before["d_y"] < 0 < after["d_y"]
    assert jounce.simulate(system, before, 0.6).events["kind"].tolist() == ["impact"]
    assert jounce.simulate(system, after, 0.6).events["kind"].tolist() == []


def test_modes_that_contradict_the_state_are_dropped_with_a_reason():
    system = pulled_mass()
    stick = jounce.simulate(system, system.state(), 0.1).final
    assert stick.mode_names == ("STICK",)

    def moved(q=(0.0, 0.0), u=(0.0, 0.0), modes=stick.modes):
        return jounce.State(stick.t, q, u, stick.names, (), modes, stick.orders)

    cases = {
        "its gap is open": moved(q=(0.0, 0.1)),
        "it has a normal velocity": moved(u=(0.0, 3.0)),
        "it slides there": moved(u=(1.0, 0.0)),
        "the other way": moved(u=(1.0, 0.0), modes=[2]),
    }
    for reason, state in cases.items():
        run = jounce.simulate(system, state, 0.2)
        assert reason in run.modes_dropped
        assert "'floor'" in run.modes_dropped
        alone = jounce.simulate(system, state.replace(), 0.2)
        assert np.array_equal(run.final.q, alone.final.q)
        assert run.start.mode_names == ()
    assert jounce.simulate(system, moved(modes=[4]), 0.2).status.name in MODES_THAT_LAST  # no mode of this contact


def test_other_parameters_end_a_mode_at_the_start():
    system = pulled_mass()
    stick = jounce.simulate(system, system.state(), 0.1).final
    run = jounce.simulate(system, stick, 1.1, mu=0.1)
    assert run.modes_dropped == ""
    assert run.events["kind"].tolist() == ["slip"]
    assert run.events["t"][0] == pytest.approx(0.1, abs=1e-9)
    assert run.final["d_x"] == pytest.approx(1.0, rel=1e-9)


def test_section_maps_go_on_where_they_were():
    for name, section, values in (
        ("wiper", "phase:0.3", {"mu": 1.0}),
        ("slender_rod", "impact:P1", {"omega": 4.405, "mu": 0.05, "e": 0.8}),
        ("ball_on_table", "phase:0.0", {}),
    ):
        system = ready_made(name)
        section_map = SectionMap(system, section, options=OPTIONS, **values)
        whole = section_map.iterate(system.state(), 6)
        part = section_map.iterate(whole.state(2), 3)
        assert len(whole.state(2).modes) == system.nc
        assert np.array_equal(part["mode"], whole["mode"][3:])
        assert part["impacts"] == pytest.approx(whole["impacts"][3:], abs=3)  # of a chatter's run-up
        columns = [*system.coordinate_names, *system.velocity_names]
        for column in columns:
            assert part[column] == pytest.approx(whole[column][3:], abs=1e-6)
