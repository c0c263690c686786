"""An event where a force vanishes is landed on: no contact opens with a force left, to close again at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

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
