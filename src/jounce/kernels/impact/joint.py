"""Joint impact of any number of contacts by complementarity.

    gamma+ = gamma- + D p,   order (n1, t1, n2, t2, ...),   D = W^T M^-1 W (Delassus, symmetric, >= 0)

Few contacts: every combination of their states is tried, likeliest first. Redundant contacts (the two ends of a flat
rod share one tangential velocity) only make some of the small systems rank deficient, and those are solved with least
norm, so equal contacts share equally. More contacts: Lemke's method (joint_pivoting.py) proposes velocities; the states
that belong to them give a system with least norm as before, and where its solution leaves the cones the proposal itself
is taken. Whatever the way, an answer counts only if it satisfies every condition of the law (joint_conditions.py).
"""

from __future__ import annotations

from jounce.kernels.impact.impulse import NO_SOLUTION, OK
from jounce.kernels.impact.joint_conditions import (
    CLOSED_STATES,
    LEAST,
    STORED,
    TARGET_N,
    TARGET_T,
    is_consistent,
    set_state,
    solve_trial,
)
from jounce.kernels.impact.joint_pivoting import solve_by_pivoting
from jounce.kernels.records.fields import Workspace
from jounce.kernels.records.tolerances import ENUMERATED_CONTACTS
from jounce.kernels.records.words import combinations
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Reals, Reals2, Truth

JOINT_NEWTON = 0
JOINT_POISSON = 1
_NEWTON_STATES = 4  # + OPEN, which has no impulse
_EXPANSION_STATES = 6  # the three with p_n = e p_nC, then the three with gamma_n+ = 0


@kernel
def _enumerate(expansion: Truth, k: Integer, D: Reals2, start: Reals, mu: Reals, w: Workspace) -> Integer:
    """Try every combination of states; leave the first consistent one in the trial and return OK."""
    base = _EXPANSION_STATES if expansion else _NEWTON_STATES
    for number in range(combinations(base, k)):
        rest = number
        m = 0
        for j in range(k):
            state = rest % base
            rest //= base
            closed = state >= CLOSED_STATES if expansion else state < CLOSED_STATES
            m = set_state(j, m, closed, state % CLOSED_STATES if expansion else state, mu, w)
        solve_trial(k, D, start, m, w)
        if is_consistent(k, D, start, mu, w):
            return OK
    return NO_SOLUTION


@kernel
def _complementarity(expansion: Truth, k: Integer, D: Reals2, start: Reals, mu: Reals, w: Workspace) -> Integer:
    """The impulse of one phase into the trial; OK or NO_SOLUTION."""
    if k <= ENUMERATED_CONTACTS:
        return _enumerate(expansion, k, D, start, mu, w)
    return solve_by_pivoting(k, D, start, mu, w)


# Newton:  gamma_n+ + e min(gamma_n-, 0) >= 0 complementary to p_n >= 0, Coulomb's law with gamma_t+ + e_t gamma_t-.
# Poisson: compression: gamma_nC >= 0 complementary to p_nC >= 0, Coulomb's law on p_C with gamma_tC;
#          expansion:   gamma_n+ >= 0 complementary to p_nE - e p_nC >= 0, Coulomb's law on p_E with gamma_t+ (and e_t).
@kernel
def joint_impact(
    kind: Integer, k: Integer, D: Reals2, v: Reals, mu: Reals, e: Reals, e_t: Reals, p: Reals, w: Workspace
) -> Integer:
    """Impulses p of k contacts at once; return 0, or NO_SOLUTION when no combination of states is consistent.

    D is (2k, 2k), v and p have 2k entries, mu, e and e_t have k; w is a workspace, for its scratch.
    """
    question, start = w.joint_question, w.joint_start
    for j in range(k):
        question[LEAST, j] = question[STORED, j] = 0.0
        question[TARGET_N, j] = -e[j] * min(v[2 * j], 0.0) if kind == JOINT_NEWTON else 0.0
        question[TARGET_T, j] = -e_t[j] * v[2 * j + 1] if kind == JOINT_NEWTON else 0.0
    for a in range(2 * k):
        p[a] = 0.0
        start[a] = v[a]
    for phase in range(2):
        code = _complementarity(phase == 1, k, D, start, mu, w)
        if code != OK:
            for a in range(2 * k):
                p[a] = 0.0
            return code
        for a in range(2 * k):
            p[a] += w.joint_trial[a]
            start[a] = w.joint_after[a]
        if kind == JOINT_NEWTON or phase == 1:
            break
        bounces = False
        for j in range(k):
            question[LEAST, j] = e[j] * max(p[2 * j], 0.0)
            if e_t[j] > 0.0:
                question[STORED, j] = e[j] * e_t[j] * p[2 * j + 1]
            bounces = bounces or question[LEAST, j] > 0.0
        if not bounces:
            break
    return OK
