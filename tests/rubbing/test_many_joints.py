"""Many joints that rub together: the mode in which they begin to move, against all modes tried in NumPy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import jounce
from jounce import Body, Model, Revolute, Torque, ground
from tests.bodies.test_resets_in_tables import UNITS

G, LENGTH, INERTIA, RADIUS, MU = 9.81, 0.2, 0.01, 0.01, 0.5


def _chain(angles: np.ndarray, torques: np.ndarray, units: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Model:
    """Links at rest at given angles, each turned by a torque, all pins rubbing."""
    L, T, M = units
    force = M * L / T**2
    links, joints, end, before = [], [], np.zeros(2), ground
    for k, angle in enumerate(angles):
        along = LENGTH * L * np.array([np.cos(angle), np.sin(angle)])
        link = Body(f"link{k}", M, INERTIA * M * L**2, center=tuple(end + along / 2), angle=float(angle))
        first = (0, 0) if before is ground else (LENGTH * L / 2, 0)
        joints.append(
            Revolute(f"pin{k}", before, link, first, (-LENGTH * L / 2, 0), radius=RADIUS * L, friction=MU)
        )  # fmt: skip
        links.append(link)
        end, before = end + along, link
    forces = [Torque(link, float(torque) * force * L) for link, torque in zip(links, torques, strict=True)]
    return Model.from_bodies("chain", bodies=links, joints=joints, forces=forces, gravity=G * L / T**2)


def _balance(angles: np.ndarray, torques: np.ndarray, mode: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """(torques of friction, loads of pins) of one mode if it is consistent; else nothing.

    0: the pin sticks; +1, -1: it begins to turn that way. Unknown are accelerations, forces and frictions; loads by
    substitution, which converges quickly where friction is small beside the arms of the links.
    """
    n = len(angles)
    arms = LENGTH / 2 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    J, turn = np.zeros((2 * n, 3 * n)), np.zeros((n, 3 * n))
    for k in range(n):  # the pin at the beginning of link k: P_k - P_before
        J[2 * k : 2 * k + 2, 3 * k : 3 * k + 3] = [[1, 0, arms[k, 1]], [0, 1, -arms[k, 0]]]
        turn[k, 3 * k + 2] = 1.0
        if k > 0:
            J[2 * k : 2 * k + 2, 3 * k - 3 : 3 * k] = [[-1, 0, arms[k - 1, 1]], [0, -1, -arms[k - 1, 0]]]
            turn[k, 3 * k - 1] = -1.0
    mass, given = np.tile([1.0, 1.0, INERTIA], n), np.zeros(3 * n)
    given[1::3], given[2::3] = -G, torques
    size = 6 * n
    A, right = np.zeros((size, size)), np.zeros(size)
    A[: 3 * n, : 3 * n], A[: 3 * n, 3 * n : 5 * n], A[: 3 * n, 5 * n :] = np.diag(mass), -J.T, -turn.T
    A[3 * n : 5 * n, : 3 * n], right[: 3 * n] = J, given
    loads = np.zeros(n)
    for k, slides in enumerate(mode):
        if slides:
            A[5 * n + k, 5 * n + k] = 1.0
        else:
            A[5 * n + k, : 3 * n] = turn[k]
    for _ in range(60):
        right[5 * n :] = [-slides * MU * RADIUS * load for slides, load in zip(mode, loads, strict=True)]
        solved = np.linalg.solve(A, right)
        loads = np.hypot(*solved[3 * n : 5 * n].reshape(n, 2).T)
    rub, spin = solved[5 * n :], turn @ solved[: 3 * n]
    holds = [abs(rub[k]) <= MU * RADIUS * loads[k] if not s else s * spin[k] > 0 for k, s in enumerate(mode)]
    return (rub, loads) if all(holds) else (np.empty(0), np.empty(0))


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("seed", range(4))
def test_pins_begin_to_turn_in_the_only_mode_there_is(seed: int, units: tuple[float, float, float]) -> None:
    random = np.random.default_rng(seed)
    angles = random.uniform(-3, 3, 5)
    torques = random.uniform(-0.3, 0.3, 5) * random.integers(0, 2, 5)
    balances = [_balance(angles, torques, mode) for mode in product((0, 1, -1), repeat=5)]
    found = [balance for balance in balances if balance[0].size]
    assert len(found) == 1
    L, T, M = units
    run = jounce.simulate(_chain(angles, torques, units), None, 1e-3 * T)
    forces = run.contact_forces(np.array([0.0])) / (M * L / T**2)
    assert forces.lambda_N.values.ravel() == pytest.approx(found[0][1], rel=1e-8)
    assert forces.lambda_T.values.ravel() * RADIUS == pytest.approx(found[0][0], rel=1e-7, abs=1e-10)
    assert run.audit("dense").empty


def test_more_joints_than_could_be_tried() -> None:
    """Fourteen pins have 3^14 modes; some hold, some turn, and every condition passes the audit."""
    random = np.random.default_rng(5)
    model = _chain(random.uniform(-3, 3, 14), random.uniform(-0.3, 0.3, 14))
    run = jounce.simulate(jounce.compile_model(model), None, 1e-3)
    assert run.status.name == "FINISHED"
    assert run.audit("dense").empty
    assert run.energy.friction_loss.values[-1] > 0.0
    assert abs(run.energy.residual.values).max() < 1e-9
