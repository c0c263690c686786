"""Bodies that dry friction holds and blows drive: a pile under a hammer."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce import Contact, Model, Reset, coordinates, parameters


@pytest.fixture(scope="module")
def driver() -> jounce.System:
    """A hammer falls on a pile, rides on it until friction stops both, and is lifted again."""
    (h, dh), (p, dp) = coordinates("h p", "m")
    m, M, g, R, H = parameters(m=(1e2, "kg"), M=(2e2, "kg"), g=(9.81, "m/s^2"), R=(2e4, "N"), H=(1.0, "m"))
    return jounce.compile_model(
        Model(
            "pile_driver",
            [h, p],
            [m, M],
            [-m * g, -M * g],
            contacts=[Contact("head", gap=h - p), Contact("soil", slip=dp, friction=1, load=(), preload=R)],
            potential=m * g * h + M * g * p,
            resets=[Reset("stick:soil", {h: p + H, dh: 0}, name="lift")],
        )
    )


@pytest.mark.parametrize("seed", range(25))
def test_each_blow_drives_the_pile_by_its_set(driver: jounce.System, seed: int) -> None:
    """v = sqrt(2 g H) m/(m + M), stopped by R - (m + M) g: five rows a blow, whatever rounding is left at the stop."""
    rng = np.random.default_rng(seed)
    m, M, R, H = (float(value) for value in rng.uniform((50, 50, 8e3, 0.2), (200, 300, 4e4, 3.0)))
    run = jounce.simulate(driver, {"h": H}, 5.0, tolerance=10 ** rng.uniform(-12, -6), m=m, M=M, R=R, H=H)
    assert run.status.ok, run.status
    blows = run.events.reset.eq("lift").sum()
    assert run.events.kind.tolist()[: 5 * blows] == ["impact", "slip", "stick", "reset", "lift_off"] * blows
    drop = 9.81 * H * (m / (m + M)) ** 2 * (m + M) / (R - (m + M) * 9.81)
    assert run.at(float(run.events.t[run.events.reset.eq("lift")].iloc[-1]))["p"] == pytest.approx(-blows * drop)
