"""An event where a force vanishes is landed on: no contact opens with a force left, to close again at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce
from jounce import Options, simulate
from jounce.papers.liu2006.model import HEIGHT, manipulator_system


@pytest.mark.parametrize("tolerance", [1e-6, 1e-7, 1e-8, 1e-9, 1e-11])
@pytest.mark.parametrize("damping", [-0.1, 0.1])
def test_no_flight_of_a_nanosecond(tolerance, damping):
    """The manipulator of Liu et al., Case 5, with the damper as printed and as meant: the same events at all."""
    system = manipulator_system()
    theta1 = -0.2
    theta2 = math.acos(HEIGHT - math.cos(theta1))
    run = simulate(
        system, system.state(theta1=theta1, theta2=theta2), 6.0,
        options=Options(law="poisson", stick_release="free", tolerance=tolerance),
        H=HEIGHT, d0=theta1 - theta2, Kr=100.0, C1=0.1, C2=damping, v_t=0.1, e=0.0,
    )  # fmt: skip
    flights = 9 if damping < 0 else 2
    assert run.status.name == "FINISHED"
    assert run.events["kind"].value_counts().to_dict() == {
        "lift_off": flights,
        "impact": flights,
        "stick": 1,
        "slip": 1,
    }
    assert np.diff(run.events["t"]).min() > 1e-3


def test_rows_do_not_depend_on_the_tolerance():
    """Liu, Zhao & Chen's case 5 with the damper as printed, which pumps energy: releases were followed by touches."""
    system = jounce.compile_model(jounce.systems.manipulator())
    given = {"Kr": 100.0, "C1": 0.1, "C2": -0.1, "v_t": 0.1, "e": 0.0, "d0": 0.7 - 0.4467}
    start = jounce.painleve.closed_state(system, system.state(theta1=0.7, theta2=0.4467), solve_for="theta2", **given)
    rows = []
    for tolerance in (1e-7, 1e-8, 1e-9, 1e-10, 1e-11):
        options = jounce.Options(law="poisson", stick_release="free", tolerance=tolerance)
        run = jounce.simulate(system, start, 3.0, options=options, **given)
        assert run.status.ok, run.status
        rows.append(run.events["kind"].tolist())
    assert len(rows[0]) > 5
    assert "touch" not in rows[0]
    assert all(found == rows[0] for found in rows)
