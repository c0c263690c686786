"""Candidates that influence one another, and the problem of their forces and accelerations.

The candidates' accelerations are a = b + D x: b those without contact forces, D = W^T Y W (Y = M^-1 with the joints
projected out), x the forces, all in the order n1, t1, n2, t2, ... A cluster is a set of candidates that D joins, one
with the next. Clusters have no part in each other's conditions, so their modes are found apart: for blocks that stand
side by side the number of modes to be tried is a sum and not a product.

While one cluster is asked for, s.choice.candidate marks its members only; s.choice.cluster remembers all.
"""

from jounce.kernels.contact.forces import assemble_constraints, delassus_matrix
from jounce.kernels.contact.linear import solve_mass
from jounce.kernels.contact.unknowns import place_of
from jounce.kernels.records.codes import GUARD_CARRIED, GUARD_JAM, OPEN, SLIP_POSITIVE, STICK
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.tolerances import RANK_TOLERANCE, UNCOUPLED
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import i8
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Truth


@kernel
def first_candidate(m: Machine, s: Motion) -> Integer:
    """The first contact that may last, -1 if there is none."""
    for i in range(m.nc):
        if s.choice.candidate[i]:
            return i
    return -1


@kernel
def count_candidates(m: Machine, s: Motion) -> Integer:
    """How many contacts may last."""
    count = 0
    for i in range(m.nc):
        count += 1 if s.choice.candidate[i] else 0
    return count


@kernel
def list_members(m: Machine, w: Workspace, s: Motion) -> Integer:
    """w.members: the candidates in order; returns their number."""
    count = 0
    for i in range(m.nc):
        if s.choice.candidate[i]:
            w.members[count] = i
            count += 1
    return count


@kernel
def eliminate_joints(w: Workspace, nj: Integer, size: Integer) -> None:
    """Project the joints, the first ``nj`` rows, out of w.matrix and w.right; dependent ones say nothing."""
    for k in range(nj):
        pivot = w.matrix[k, k]
        if not pivot > RANK_TOLERANCE * w.mobility[k]:
            continue
        for i in range(k + 1, size):
            ratio = w.matrix[i, k] / pivot
            if ratio != 0.0:
                w.right[i] -= ratio * w.right[k]
                for j in range(k, size):
                    w.matrix[i, j] -= ratio * w.matrix[k, j]


@kernel
def problem_row(m: Machine, s: Motion, i: Integer, tangential: Integer) -> Integer:
    """The row of one direction of contact i in the mode s.choice.trial; -1: it has none there."""
    row = place_of(m, s.choice.trial, i)
    if not tangential:
        return -1 if m.load[i] else row
    return row + (0 if m.load[i] else 1) if m.has_slip[i] else -1


@block(i8(machine_record, workspace_record, motion_record))
def contact_problem(m: Machine, w: Workspace, s: Motion) -> Integer:
    """D and b of the candidates, to w.joint_delassus and w.joint_start, in the order of w.members; their number.

    A slip or a gap that a contact does not have has zeros. Needs ``evaluate_model``; s.choice.trial is scratch.
    """
    n, nj = m.n, m.nj
    count = list_members(m, w, s)
    for i in range(m.nc):
        s.choice.trial[i] = OPEN
        if s.choice.candidate[i]:
            s.choice.trial[i] = STICK if m.has_slip[i] else SLIP_POSITIVE
    for j in range(n):
        w.rows[0, j] = w.mass[m.force_place + j]
    solve_mass(w.factor, n, w.rows, 0, w.response, 0)
    for j in range(n):
        w.free[j] = w.response[0, j]
    size = assemble_constraints(m, w, address(s.choice.trial, 0))
    delassus_matrix(w, n, size)
    for k in range(nj):
        w.mobility[k] = w.matrix[k, k]
    eliminate_joints(w, nj, size)
    for a in range(count):
        for x in range(2):
            row = problem_row(m, s, w.members[a], x)
            w.joint_start[2 * a + x] = -w.right[row] if row >= 0 else 0.0
            for b in range(count):
                for y in range(2):
                    column = problem_row(m, s, w.members[b], y)
                    exists = row >= 0 and column >= 0
                    w.joint_delassus[2 * a + x, 2 * b + y] = w.matrix[row, column] if exists else 0.0
    return count


@kernel
def are_coupled(m: Machine, w: Workspace, a: Integer, b: Integer) -> Truth:
    """Whether a force at member a accelerates member b, or may load it."""
    if m.load[w.members[a]] or m.load[w.members[b]]:
        return True
    d = w.joint_delassus
    for x in range(2):
        for y in range(2):
            entry, limit = d[2 * a + x, 2 * b + y], d[2 * a + x, 2 * a + x] * d[2 * b + y, 2 * b + y]
            if entry * entry > UNCOUPLED * UNCOUPLED * limit:
                return True
    return False


@kernel
def find_clusters(m: Machine, w: Workspace, s: Motion) -> Integer:
    """Number the clusters of the candidates from 1 on, to s.choice.cluster; returns how many there are."""
    count = count_candidates(m, s)
    if count > 1:
        contact_problem(m, w, s)
    else:
        list_members(m, w, s)
    for i in range(m.nc):
        s.choice.cluster[i] = 0
    clusters = 0
    for first in range(count):
        if s.choice.cluster[w.members[first]] != 0:
            continue
        clusters += 1
        s.choice.cluster[w.members[first]] = clusters
        grown = True
        while grown:
            grown = False
            for a in range(count):
                if s.choice.cluster[w.members[a]] != clusters:
                    continue
                for b in range(count):
                    if s.choice.cluster[w.members[b]] == 0 and are_coupled(m, w, a, b):
                        s.choice.cluster[w.members[b]] = clusters
                        grown = True
    return clusters


@kernel
def ask_for(m: Machine, s: Motion, cluster: Integer) -> None:
    """Let only the members of one cluster be candidates; 0: all of them."""
    for i in range(m.nc):
        s.choice.candidate[i] = s.choice.cluster[i] == cluster if cluster > 0 else s.choice.cluster[i] > 0


@kernel
def is_concerned(s: Motion) -> Truth:
    """Whether the guard that ended the last mode may be one of this cluster."""
    if s.event.guard_kind < 0:
        return False
    return (
        s.event.guard_kind == GUARD_JAM
        or s.event.guard_kind == GUARD_CARRIED
        or s.choice.candidate[s.event.guard_contact] != 0
    )


@kernel
def is_undisturbed(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether nothing has happened to the members at this instant: closed as before, no guard, no impulse near them."""
    if is_concerned(s):
        return False
    for i in range(m.nc):
        if not s.choice.candidate[i]:
            continue
        if s.modes[i] == OPEN or (s.modes[i] == STICK and not s.choice.resting[i]):
            return False
        for k in range(m.nc):
            if not s.choice.struck[k]:
                continue
            if m.load[i]:
                return False
            for x in range(2):
                if w.delassus[2 * i + x, 2 * k] != 0.0 or w.delassus[2 * i + x, 2 * k + 1] != 0.0:
                    return False
    return True
