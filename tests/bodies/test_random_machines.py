"""Four-bars of random lengths, masses, springs and contact: the ledger, the joints and the balance of every body."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import jounce
from jounce import Body, Line, Model, PointOn, Revolute, Spring, TorsionSpring, contact_between, ground
from jounce.system.assembly import joint_rows
from jounce.system.evaluation import values_of

RANGES = {
    **{"a": (0.2, 0.35), "b": (0.6, 0.8), "c": (0.5, 0.7), "d": (0.7, 0.9), "floor": (-0.12, 0.0)},
    **dict.fromkeys(("m1", "m2", "m3"), (0.1, 3.0)),
    **dict.fromkeys(("J1", "J2", "J3"), (0.001, 0.1)),
    **{"k": (0.0, 300.0), "damping": (0.0, 3.0), "k_t": (0.0, 5.0), "K": (3e3, 1e7), "e": (0.05, 1.0)},
}


@cache
def four_bar() -> jounce.System:
    p = {name: jounce.parameter(name, sum(ends) / 2) for name, ends in RANGES.items()}
    crank, coupler, rocker = (
        Body(name, p[f"m{k}"], p[f"J{k}"], angle=angle)
        for k, (name, angle) in enumerate([("crank", 1.0), ("coupler", 0.3), ("rocker", 1.6)], start=1)
    )
    model = Model.from_bodies(
        "random_four_bar",
        bodies=[crank, coupler, rocker],
        joints=[
            Revolute("O", ground, crank, (0, 0), (-p["a"] / 2, 0)),
            Revolute("P", crank, coupler, (p["a"] / 2, 0), (-p["b"] / 2, 0)),
            Revolute("Q", coupler, rocker, (p["b"] / 2, 0), (p["c"] / 2, 0)),
            Revolute("R", ground, rocker, (p["d"], 0), (-p["c"] / 2, 0)),
        ],
        forces=[
            Spring(ground, coupler, p["k"], 0.3, damping=p["damping"], at_first=(0.2, -0.9)),
            TorsionSpring(crank, coupler, p["k_t"], 0.2, damping=0.05),
        ],
        contacts=[
            contact_between(
                "floor",
                PointOn(coupler, (0, -0.1)),
                Line(ground, (0, p["floor"]), (1, 0.1)),
                friction=0.2,
                restitution=p["e"],
                compliance=jounce.LankaraniNikravesh(p["K"]),
            )
        ],
        gravity=9.81,
    )
    return jounce.compile_model(model)


@pytest.mark.parametrize("seed", range(12))
def test_a_random_four_bar(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = {name: float(rng.uniform(*ends)) for name, ends in RANGES.items()}
    system = four_bar()
    run = jounce.simulate(system, system.assemble(**values), 0.5, **values)
    assert run.status.name == "FINISHED"
    energy = run.energy
    assert float(abs(energy["residual"]).max()) < 1e-8 * (1.0 + float(energy["kinetic"].max()))
    n, p = system.n, run.data.parameters
    fastest = np.abs(run.data.step_coefficients[:, 0, n:]).max()
    for t, z in zip(run.data.step_t, run.data.step_coefficients[:, 0], strict=True):
        places, rates = joint_rows(system, float(t), z[:n], z[n:], p)[:2]
        assert np.abs(places).max() <= 5e-14  # of lengths of about 1
        assert np.abs(rates).max() <= 2e-14 * fastest
    _check_balance(run, rng.uniform(0.01, 0.49, 20))


def _check_balance(run: jounce.Trajectory, times: np.ndarray) -> None:
    """m a = F of every body, with accelerations by differences of the velocities and the joint forces of the run."""
    system, n, step = run.system, run.system.n, 1e-5
    touched = run.events["t"].to_numpy()
    far = [abs(touched - t).min(initial=1.0) > 10 * step for t in times]
    times = times[np.array(far) & (run.mode_codes_at(times, "right")[:, 0] == 0)]
    around = [run.states(times + k * step)[:, n:] for k in (-2, -1, 1, 2)]
    accelerations = (around[0] - 8 * around[1] + 8 * around[2] - around[3]) / (12 * step)
    forces = run.contact_forces(times)["joint_force"].values
    for t, z, a, nu in zip(times, run.states(times), accelerations, forces, strict=True):
        values = values_of(system.functions.dynamics, n * n + n, t, z[:n], z[n:], run.data.parameters)
        J = joint_rows(system, float(t), z[:n], z[n:], run.data.parameters)[2]
        pull = values[n * n :] + J.T @ nu
        size = np.abs(values[n * n :]).max() + np.abs(J.T @ nu).max()
        assert values[: n * n].reshape(n, n) @ a == pytest.approx(pull, abs=1e-7 * size)
