"""What an impulse does to all velocities: the answers M^-1 W with joints projected out, and the Delassus matrix."""

from jounce.kernels.contact.linear import (
    diagonal_mobilities,
    factor_definite,
    solve_factored,
    solve_mass,
    solve_ranked,
)
from jounce.kernels.impact.rubbing_rates import keep_answers, own_mobility
from jounce.kernels.records.fields import Machine, Workspace
from jounce.kernels.records.rows import column, normal_place, spread
from jounce.kernels.records.workspace import (
    JOINT_STRIDE,
    PAIR,
)
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2, Truth


@kernel
def prepare_joints(m: Machine, w: Workspace) -> Truth:
    """J, M^-1 J^T and J M^-1 J^T of the joints in w.rows, w.response and w.matrix, for ``project_joints``.

    True if the matrix has been factored: where its equations do not depend on one another.
    """
    n, nj = m.n, m.nj
    for k in range(nj):
        base = k * (JOINT_STRIDE + n) + JOINT_STRIDE
        for j in range(n):
            w.rows[k, j] = w.joint[base + j]
        solve_mass(w.factor, n, w.rows, k, w.response, k)
        for i in range(nj):
            w.matrix[k, i] = 0.0
    # most directions have few entries
    for k in range(nj):
        for j in range(n):
            entry = w.rows[k, j]
            if entry != 0.0:
                for i in range(nj):
                    w.matrix[k, i] += entry * w.response[i, j]
    diagonal_mobilities(w, nj)
    return factor_definite(w, nj)


@kernel
def project_joints(m: Machine, w: Workspace, response: Reals2, row: Integer, factored: Truth) -> None:
    """Make M^-1 f the answer of the jointed system: subtract M^-1 J^T (J M^-1 J^T)^+ J M^-1 f.

    ``factored`` is what ``prepare_joints`` says.
    """
    n, nj = m.n, m.nj
    for k in range(nj):
        total = 0.0
        for j in range(n):
            total += w.rows[k, j] * response[row, j]
        w.right[k] = total
    if factored:
        solve_factored(w, nj)
    else:
        solve_ranked(w, nj)
    for k in range(nj):
        for j in range(n):
            response[row, j] -= w.response[k, j] * w.unknown[k]


@kernel
def joint_drift(m: Machine, w: Workspace, u: Reals) -> Real:
    """Work that moving joints do for a unit impulse of the contact whose response was projected last.

    Their impulses -x answer it (x: the unknowns of ``project_joints``) and work against g_t = -J.u: in all x.g_t.
    """
    work = 0.0
    for k in range(m.nj):
        for j in range(m.n):
            work -= w.unknown[k] * w.rows[k, j] * u[j]
    return work


@kernel
def answers_alone(m: Machine) -> Integer:
    """Whether every body answers an impulse by itself: no joints, no contacts that others load, and M is diagonal."""
    return m.paired and m.diagonal and m.nj == 0 and m.loaded == 0


@kernel
def fill_responses(m: Machine, w: Workspace, u: Reals) -> None:
    """Y W_N and Y W_T of every contact."""
    n = m.n
    factored = m.nj > 0 and prepare_joints(m, w)
    for i in range(m.nc):
        normal = normal_place(m, i)
        spread(m, w.contact, i, normal, w.columns, 0)
        solve_mass(w.factor, n, w.columns, 0, w.response_n, i)
        if m.nj > 0:
            project_joints(m, w, w.response_n, i, factored)
            w.joint_drift[2 * i] = joint_drift(m, w, u)
        if m.loaded > 0:
            keep_answers(m, w, 2 * i)
        for j in range(n):
            w.response_t[i, j] = 0.0
        if m.has_slip[i]:
            spread(m, w.contact, i, normal + m.width, w.columns, 0)
            solve_mass(w.factor, n, w.columns, 0, w.response_t, i)
            if m.loaded > 0:
                w.slip_mobility[i] = own_mobility(m, w, i)
            if m.nj > 0:
                project_joints(m, w, w.response_t, i, factored)
                w.joint_drift[2 * i + 1] = joint_drift(m, w, u)
            if m.loaded > 0:
                keep_answers(m, w, 2 * i + 1)


@kernel
def fill_blocks(m: Machine, w: Workspace) -> None:
    """W^T M^-1 W where bodies answer alone, with the responses M^-1 W in the places of the entries of W.

    Two contacts see each other through a body that both touch; blocks of others are zero and stay so.
    """
    for i in range(m.nc):
        w.joint_drift[2 * i] = w.joint_drift[2 * i + 1] = 0.0
        normal = normal_place(m, i)
        for k in range(PAIR):
            inverse = 1.0 / w.mass[column(m, i, k)]
            w.response_n[i, k] = w.contact[normal + k] * inverse
            w.response_t[i, k] = w.contact[normal + PAIR + k] * inverse if m.has_slip[i] else 0.0
    if w.blocks_of != m.nc:
        for i in range(2 * m.nc):
            for k in range(2 * m.nc):
                w.delassus[i, k] = 0.0
        w.blocks_of = m.nc
    list_sides(m, w)
    for adding in range(2):
        for i in range(m.nc):
            for side in range(2):
                place = w.first_side[column(m, i, 3 * side) // 3]
                while place >= 0:
                    set_block(m, w, i, 3 * side, place // 2, 3 * (place % 2), adding)
                    place = w.next_side[place]


@kernel
def list_sides(m: Machine, w: Workspace) -> None:
    """The sides (contact 2 times, plus 0 or 1) of all contacts by body: a chain from w.first_side through w.next_side.

    A side that is the ground's has the column of the other one, and zeros.
    """
    for k in range(m.n // 3):
        w.first_side[k] = -1
    for place in range(2 * m.nc):
        body = column(m, place // 2, 3 * (place % 2)) // 3
        w.next_side[place] = w.first_side[body]
        w.first_side[body] = place


@kernel
def set_block(m: Machine, w: Workspace, i: Integer, own: Integer, k: Integer, other: Integer, adding: Integer) -> None:
    """What contacts i and k see of each other through the body of entries ``own`` of i and ``other`` of k; or zero."""
    normal, d = normal_place(m, i), w.delassus
    if not adding:
        d[2 * i, 2 * k] = d[2 * i, 2 * k + 1] = d[2 * i + 1, 2 * k] = d[2 * i + 1, 2 * k + 1] = 0.0
        return
    for j in range(3):
        along, across = w.contact[normal + own + j], w.contact[normal + PAIR + own + j]
        d[2 * i, 2 * k] += along * w.response_n[k, other + j]
        d[2 * i, 2 * k + 1] += along * w.response_t[k, other + j]
        d[2 * i + 1, 2 * k] += across * w.response_n[k, other + j]
        d[2 * i + 1, 2 * k + 1] += across * w.response_t[k, other + j]


@kernel
def fill_delassus(m: Machine, w: Workspace) -> None:
    """W^T Y W; a direction has entries at two bodies only."""
    for i in range(m.nc):
        normal = normal_place(m, i)
        for k in range(2 * m.nc):
            w.delassus[2 * i, k] = w.delassus[2 * i + 1, k] = 0.0
        for entry in range(m.width):
            along, across = w.contact[normal + entry], w.contact[normal + m.width + entry]
            j = column(m, i, entry)
            if along == 0.0 and across == 0.0:
                continue
            for k in range(m.nc):
                w.delassus[2 * i, 2 * k] += along * w.response_n[k, j]
                w.delassus[2 * i, 2 * k + 1] += along * w.response_t[k, j]
                w.delassus[2 * i + 1, 2 * k] += across * w.response_n[k, j]
                w.delassus[2 * i + 1, 2 * k + 1] += across * w.response_t[k, j]


@kernel
def apply_impulse(m: Machine, w: Workspace, i: Integer, p_n: Real, p_t: Real, u: Reals) -> None:
    """Let contact i give its impulse: all contact velocities and u change."""
    add_velocities(m, w, i, p_n, p_t)
    add_response(m, w, i, p_n, p_t, u)


@kernel
def add_velocities(m: Machine, w: Workspace, i: Integer, p_n: Real, p_t: Real) -> None:
    """v += D p of contact i. D is symmetric; where it is large its rows lie together in memory."""
    if answers_alone(m):
        for k in range(2 * m.nc):
            w.velocity[k] += w.delassus[2 * i, k] * p_n + w.delassus[2 * i + 1, k] * p_t
    else:
        for k in range(2 * m.nc):
            w.velocity[k] += w.delassus[k, 2 * i] * p_n + w.delassus[k, 2 * i + 1] * p_t


@kernel
def add_response(m: Machine, w: Workspace, i: Integer, p_n: Real, p_t: Real, u: Reals) -> None:
    """u += Y W p of contact i."""
    if answers_alone(m):
        for k in range(PAIR):
            u[column(m, i, k)] += w.response_n[i, k] * p_n + w.response_t[i, k] * p_t
    else:
        for j in range(m.n):
            u[j] += w.response_n[i, j] * p_n + w.response_t[i, j] * p_t
