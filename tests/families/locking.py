"""Where Newton's joint law of impact has no solution, shown by linear programming.

Each contact is open (p = 0, gamma_N+ >= -e gamma_N-) or closed (p_N >= 0, gamma_N+ = -e gamma_N-), and a closed one
sticks (gamma_T+ = 0, |p_T| <= mu p_N) or slips either way (p_T = -s mu p_N, s gamma_T+ >= 0). With
gamma+ = gamma- + D p each choice of states is a set of linear equations and inequalities; the law has a solution if
one of them has.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import linprog

from jounce.kernels.records.workspace import CONTACT_STRIDE, FRICTION, RESTITUTION, SURFACE_STRIDE
from jounce.system.evaluation import values_of

NEAR = 1e-6  # of the start's coordinates: contacts this near may collide together
OPEN, STICK, FORWARD, BACK = range(4)


def newton_has_no_solution(run: Any) -> bool:
    """Whether no impulses of the contacts that touch at the end of a run satisfy Newton's joint law."""
    D, before, mu, e = _problem(run)
    if not len(mu) or not np.isfinite(mu).all():  # a friction that depends on the slip is none of this proof
        return False
    speed, mobility = np.abs(before).max(), np.abs(D).max()
    states = product((OPEN, STICK, FORWARD, BACK), repeat=len(mu))
    return not any(_is_possible(choice, D / mobility, before / speed, mu, e) for choice in states)


def _problem(run: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """D, gamma-, mu and e of the contacts that touch or are about to."""
    system, state = run.system, run.at(run.t_end)
    n, q, u = system.n, np.asarray(state.q), np.asarray(state.u)
    p = run.data.parameters
    mass = values_of(system.functions.dynamics, n * n + n, state.t, q, u, p)[: n * n].reshape(n, n)
    contacts = values_of(system.functions.contacts, system.nc * (CONTACT_STRIDE + 2 * n), state.t, q, u, p)
    surfaces = values_of(system.functions.surfaces, system.nc * SURFACE_STRIDE, state.t, q, u, p)
    contacts, surfaces = contacts.reshape(system.nc, -1), surfaces.reshape(system.nc, -1)
    near = contacts[:, 0] <= NEAR * np.abs(run.data.q_start).max()
    W = contacts[near, CONTACT_STRIDE:].reshape(-1, n)
    return (
        W @ np.linalg.solve(mass, W.T),
        contacts[near, 1:3].ravel(),
        surfaces[near, FRICTION],
        surfaces[near, RESTITUTION],
    )


def _is_possible(choice: tuple[int, ...], D: np.ndarray, before: np.ndarray, mu: np.ndarray, e: np.ndarray) -> bool:
    """Whether impulses exist with which each contact is in its state."""
    equal, equal_to, least, least_of = [], [], [], []
    identity = np.eye(len(before))
    for i, state in enumerate(choice):
        normal, tangent = 2 * i, 2 * i + 1
        target = -e[i] * before[normal] - before[normal]
        if state == OPEN:
            equal += [identity[normal], identity[tangent]]
            equal_to += [0.0, 0.0]
            least.append(D[normal])
            least_of.append(target)
            continue
        least.append(identity[normal])
        least_of.append(0.0)
        equal.append(D[normal])
        equal_to.append(target)
        if state == STICK:
            equal.append(D[tangent])
            equal_to.append(-before[tangent])
            least += [mu[i] * identity[normal] - identity[tangent], mu[i] * identity[normal] + identity[tangent]]
            least_of += [0.0, 0.0]
        else:
            sign = 1.0 if state == FORWARD else -1.0
            equal.append(identity[tangent] + sign * mu[i] * identity[normal])
            equal_to.append(0.0)
            least.append(sign * D[tangent])
            least_of.append(-sign * before[tangent])
    found = linprog(
        np.zeros(len(before)), A_ub=-np.array(least), b_ub=-np.array(least_of), A_eq=np.array(equal),
        b_eq=np.array(equal_to), bounds=(None, None), method="highs",
    )  # fmt: skip
    return bool(found.status != 2)  # 2: infeasible
