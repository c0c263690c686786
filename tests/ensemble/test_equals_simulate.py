"""Every run of an ensemble is the run of simulate, bit for bit, whoever runs it and in whatever order."""

import numpy as np
import pytest

import jounce
from jounce.simulation.dense_output import states_at
from jounce.system.state import MODE_NAMES

RUNS = 7
EVERYTHING = ("status", "final", "counts", "ledger", "extrema")


def spread(low, high):
    """RUNS numbers in no order."""
    return low + (high - low) * ((0.37 + 0.618 * np.arange(RUNS)) % 1.0)


#: system -> (starts, parameters, t_end, kinds of events)
CASES = {
    "bouncing_ball": ({"y": spread(0.5, 1.5)}, {"e": spread(0.3, 0.9)}, 3.0, ("impact", "chatter:floor")),
    "slender_rod": (
        {"y": spread(6.0, 7.0), "theta": 0.3},
        {"omega": spread(3.5, 5.0)},
        spread(20.0, 40.0),
        ("impact",),
    ),
    "impact_oscillator": ({}, {"omega": spread(2.0, 3.0)}, 30.0, ("impact",)),
    "belt_oscillator": ({"d_x": spread(-1.0, 1.0)}, {}, 15.0, ("stick", "slip")),
    "falling_ball": ({"y": spread(1.0, 1.5)}, {}, 2.0, ("touch", "separate")),
    "slider_crank": ({}, {"omega": spread(15.0, 25.0)}, spread(0.1, 0.3), ()),
    "rocking_block": ({}, {"omega": spread(3.0, 6.0)}, 3.0, ("impact",)),
}


def sampled(system, found, run):
    """[time, q and u] of one run."""
    names = (*system.coordinate_names, *system.velocity_names)
    return np.column_stack([found[f"{name}_at"][run] for name in names])


@pytest.fixture(scope="module", params=CASES)
def case(request):
    starts, parameters, t_end, events = CASES[request.param]
    system = jounce.compile_model(getattr(jounce.systems, request.param)())
    times = np.linspace(0.0, float(np.min(t_end)), 13)
    found = jounce.ensemble(
        system, starts, t_end, parameters=parameters, keep=EVERYTHING, events=events, at=times, threads=1
    )
    runs = [
        jounce.simulate(
            system,
            {name: float(np.broadcast_to(value, RUNS)[k]) for name, value in starts.items()},
            float(np.broadcast_to(t_end, RUNS)[k]),
            **{name: float(np.broadcast_to(value, RUNS)[k]) for name, value in parameters.items()},
        )
        for k in range(RUNS)
    ]
    return system, found, runs, (starts, parameters, t_end, events, times)


def test_ends(case):
    system, found, runs, _ = case
    assert found.sizes["run"] == RUNS
    for k, run in enumerate(runs):
        row = found.isel(run=k)
        assert row.status.item() == run.status.name
        for name in ("t", *system.coordinate_names, *system.velocity_names):
            assert row[name].item() == run.final[name]
        for name, mode in zip(system.contact_names, run.final.mode_names, strict=True):
            assert row[f"{name}_mode"].item() == mode
            assert mode in MODE_NAMES


def test_events_and_ledger(case):
    _, found, runs, (*_, events, _) = case
    for k, run in enumerate(runs):
        row, table = found.isel(run=k), run.events
        assert row["events"].item() == len(table)
        assert row["impacts"].item() >= (table.kind == "impact").sum()
        assert row["steps"].item() == len(run.data.step_t)
        for name in events:
            kind, _, contact = name.partition(":")
            times = table.t[(table.kind == kind) & ((table.contact == contact) | (contact == ""))].to_numpy()
            assert row[f"{name}_count"].item() == len(times)
            ends = [times[0], times[-1]] if len(times) else [np.nan, np.nan]
            np.testing.assert_array_equal([row[f"{name}_first"], row[f"{name}_last"]], ends)
        assert row.impact_loss.item() == run.data.total_impact_loss.sum()
        works = [row[name].item() for name in ("applied_work", "friction_loss", "surface_work", "contact_loss")]
        np.testing.assert_array_equal(works, run.data.step_work[-1])


def test_states_at_times(case):
    system, found, runs, (*_, times) = case
    for k, run in enumerate(runs):
        np.testing.assert_array_equal(sampled(system, found, k), states_at(run.data, times, "right"))


def test_extrema_against_a_fine_grid(case):
    """The dense output on a fine grid never leaves the extrema, and comes as near as its spacing allows."""
    system, found, runs, _ = case
    for k, run in enumerate(runs):
        start, end = run.data.t_start, run.data.t_end_reached
        grid = np.unique(np.concatenate([np.linspace(start, end, 20_001), run.data.step_t, run.events.t]))
        states = np.concatenate([states_at(run.data, grid, side) for side in ("left", "right")])
        for name, values in zip((*system.coordinate_names, *system.velocity_names), states.T, strict=True):
            low, high = found[f"{name}_min"][k].item(), found[f"{name}_max"][k].item()
            rounding = 1e-14 * np.abs(values).max()
            assert low <= values.min() + rounding
            assert values.max() - rounding <= high
            near = 1e-3 * (high - low) + rounding
            assert values.min() - low <= near
            assert high - values.max() <= near


def test_threads_and_order_change_nothing(case):
    system, found, _, (starts, parameters, t_end, events, times) = case
    order = np.argsort(spread(0.0, 1.0))[::-1]

    def shuffled(value):
        return value[order] if np.ndim(value) else value

    again = jounce.ensemble(
        system,
        {name: shuffled(value) for name, value in starts.items()},
        shuffled(t_end),
        parameters={name: shuffled(value) for name, value in parameters.items()},
        keep=EVERYTHING,
        events=events,
        at=times,
        runs=RUNS,
        threads=2,
    )
    assert found.isel(run=order).drop_vars("run").identical(again.drop_vars("run"))


def test_states_of_a_run_go_on_as_in_simulate():
    """A start out of another run brings modes, memory and scales."""
    for name in ("slender_rod", "falling_ball", "belt_oscillator"):
        system = jounce.compile_model(getattr(jounce.systems, name)())
        first = jounce.simulate(system, None, 2.0)
        starts = [first.at(t) for t in (0.4, 0.9, 1.7)] + [first.final]
        found = jounce.ensemble(system, starts, 3.0)
        for k, start in enumerate(starts):
            run = jounce.simulate(system, start, 3.0)
            assert found.status[k].item() == run.status.name
            assert [found[key][k].item() for key in run.final] == [run.final[key] for key in run.final]


def test_runs_longer_than_the_buffers():
    """Steps beyond the room of the buffers: the reader carries the step that is not over from one to the next."""
    system = jounce.compile_model(jounce.systems.belt_oscillator())
    times = np.linspace(0.0, 1600.0, 401)
    run = jounce.simulate(system, None, 1600.0)
    assert len(run.data.step_t) > 1024
    found = jounce.ensemble(system, None, 1600.0, at=times, keep=("final", "counts"), events=["stick"])
    np.testing.assert_array_equal(sampled(system, found, 0), states_at(run.data, times, "right"))
    for name in (*system.coordinate_names, *system.velocity_names):
        assert found[name][0].item() == run.final[name]
    assert found["stick_count"][0].item() == (run.events.kind == "stick").sum()
