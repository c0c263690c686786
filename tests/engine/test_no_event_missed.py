"""No impact is lost: 1,000 random flights against a brute-force scan, and every flight of long runs."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from tests.engine.support import of_kind, ready_made, simulate
from tests.references import rod_scan

FLOORS = ((1.0, 3.0), (0.3, 10.0), (0.05, 30.0), (2.0, 1.0))


@pytest.mark.parametrize(("A", "omega"), FLOORS)
def test_first_impacts_of_random_flights(A, omega):
    """250 random starts a floor, in turn anything, fast spin, near-flat landings, low starts: the same end, 1e-9."""
    starts = rod_scan.random_starts(250, seed=int(10 * omega), A=A, omega=omega)
    times, ends, codes = rod_scan.first_crossings(starts, A=A, omega=omega)
    system = ready_made("slender_rod")
    options = jounce.Options(record="events")
    compared = 0
    for row, t, end, code in zip(starts, times, ends, codes, strict=True):
        assert code != rod_scan.NONE
        state = system.state(t=row[0], x=row[1], y=row[2], theta=row[3], d_x=row[4], d_y=row[5], d_theta=row[6])
        run = jounce.simulate(system, state, t + 1e-6, options=options, A=A, omega=omega, mu=0.1, e=0.8)
        hits = of_kind(run, "impact", "grazing", "chatter")
        if code == rod_scan.UNDECIDED:  # a grazing that double precision cannot decide: either answer is right
            continue
        assert len(hits), (row, t)
        # a gap is known to its rounding, so a slow approach has no sharper time than that divided by its speed
        sharpness = 1e-9 + 1e-14 / abs(hits["v_n_before"].iloc[0])
        assert hits["t"].iloc[0] == pytest.approx(t, abs=sharpness), row
        if abs(hits["t"].iloc[0] - t) < 1e-12 and len(hits) > 1 and hits["t"].iloc[1] == hits["t"].iloc[0]:
            continue  # both ends at once
        assert hits["contact"].iloc[0] == ("P1", "P2")[end], row
        compared += 1
    assert compared > 240


def states_after_impacts(run):
    """Rows (t, q, u) just after every impact, the end that was hit, and the time to the next event."""
    rows, touching, durations = [], [], []
    events = run.events
    times = np.append(events["t"].to_numpy(), run.t_end)
    for k, (t, kind, contact, after) in enumerate(
        zip(events["t"], events["kind"], events["contact"], events["mode_after"], strict=True)
    ):
        if kind == "impact" and after == "OPEN" and times[k + 1] > t:
            state = run.at(t)
            rows.append([t, *state.q, *state.u])
            touching.append(("P1", "P2").index(contact))
            durations.append(times[k + 1] - t)
    return np.array(rows), np.array(touching), np.array(durations)


@pytest.mark.parametrize("spin", [0.0, 20.0, -19.0])
def test_no_impact_between_the_recorded_ones(spin):
    """Every free flight of a run of 100 s, scanned up to just before its recorded end: nothing there."""
    parameters = {"A": 1.0, "omega": 4.405}
    run = simulate("slender_rod", 100.0, {"y": 6.0, "theta": 0.3, "d_theta": spin}, mu=0.05, e=0.8, **parameters)
    assert run.status.name == "FINISHED"
    rows, touching, durations = states_after_impacts(run)
    closed = run.modes(rows[:, 0]).to_numpy() != "OPEN"
    free = ~closed.any(axis=1)
    rows, touching, durations = rows[free], touching[free], durations[free]
    assert len(rows) > 50
    margin = 1e-9 * (1 + np.abs(durations))
    early = durations > 1e-6
    _, _, codes = rod_scan.first_crossings(
        rows[early], duration=(durations - margin)[early], touching=touching[early], **parameters
    )
    missed = rows[early][codes == rod_scan.CROSSING]
    assert len(missed) == 0, missed
