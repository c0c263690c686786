"""By how much friction can carry a mode whose forces statics leaves open.

Constraints that depend on one another (two feet that stick, a mass in a corner, three feet of a sliding block) have
forces x = x0 + Z a that are not unique; the motion is the same for all of them if F Z = 0, otherwise it is that of one
of them (contact/statics.py). Such a mode lasts as long as one distribution keeps all limits G x >= 0 (lambda_N >= 0
where a contact slides, mu lambda_N +- lambda_T >= 0 where it sticks). How well the best one does is a number that
changes continuously with the motion, and whose zero ends the mode:

    tau = max over a of min over i of  g_i.(x0 + Z a)/s_i ,      s_i the size of the terms of limit i.

It is a linear programme with as many free variables as directions in Z and tau. The simplex method works on its
dictionary, slack_i = c_i + sum_j A_ij a_j - tau, in which at first a = 0 and tau = min c_i. Bland's rule keeps it from
cycling. The multipliers y_i of the limits that are active at the end say which mechanism gives way: sum y_i = 1 and
d tau = sum y_i d(g_i.x)/s_i along any change of the motion.
"""

import math

from jounce.kernels.contact.least_norm import first_mobility, scaled
from jounce.kernels.contact.loads import load_term, preload, turn_pins
from jounce.kernels.contact.store_forces import store_forces
from jounce.kernels.contact.unknowns import constrains, count_constraints, own_unknowns, place_of
from jounce.kernels.records.codes import GUIDE_LOAD, PIN_LOAD, STICK
from jounce.kernels.records.fields import Machine, Workspace
from jounce.kernels.records.tolerances import (
    BALANCES,
    CAPACITY_GAIN,
    CAPACITY_PIVOTS,
    FLAT,
    NO_PART,
    RANK_TOLERANCE,
    SHIFTS,
    UNMOVED,
)
from jounce.kernels.records.workspace import STATIC_FRICTION, SURFACE_STRIDE, machine_record, workspace_record
from jounce.toolchain.abi import f8, i8, integer_pointer
from jounce.toolchain.jit import block, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Truth

FREE = -1  # variables of the dictionary without a sign: direction c of Z is FREE - columns + c, tau the last


@kernel
def limit_form(m: Machine, w: Workspace, modes: Integers, limit: Integer) -> tuple[Integer, Real]:
    """(number of unknowns, constant) of one limit as a linear form, to w.form_place and w.form_factor; -1: no limit.

    Limits 2i and 2i + 1 belong to contact i; one that slides has one, of its normal force, unless others load it.
    """
    i = limit // 2
    place, factor = w.form_place, w.form_factor
    if not constrains(modes[i]) or (modes[i] != STICK and (limit % 2 == 1 or m.load[i] != 0)):
        return -1, 0.0
    k = place_of(m, modes, i)
    if modes[i] != STICK:
        place[0], factor[0] = k, 1.0
        return 1, 0.0
    mu, sign = w.surface[i * SURFACE_STRIDE + STATIC_FRICTION], 1.0 if limit % 2 == 0 else -1.0
    if not m.load[i]:
        place[0], factor[0] = k, mu
        place[1], factor[1] = k + 1, sign
        return 2, 0.0
    place[0], factor[0] = k, sign
    count = 1
    for part in range(2):
        bearer, share = load_term(m, w, modes, i, part)
        if bearer >= 0:
            place[count], factor[count] = bearer, mu * share
            count += 1
    return count, mu * preload(w, i)


@kernel
def limit_size(m: Machine, w: Workspace, modes: Integers, limit: Integer) -> Real:
    """The size of the terms of one limit; needs ``measure_terms``."""
    i = limit // 2
    if modes[i] != STICK:
        return w.force_size[i, 0]
    return w.surface[i * SURFACE_STRIDE + STATIC_FRICTION] * w.force_size[i, 0] + w.force_size[i, 1]


@kernel
def force_entry(w: Workspace, common: Real, i: Integer, j: Integer) -> Real:
    """Entry i of the force along column j of Z, times sqrt(common): ``least_norm`` works with sqrt(C_i) x_i."""
    return scaled(w.svd[2][i, j] * common, w.mobility[i] * common)


@kernel
def mark_null(w: Workspace, size: Integer) -> Integer:
    """Mark the columns of V that span the null space; returns their number. Needs the factors of ``least_norm``."""
    u = w.svd[1]
    largest = 0.0
    for j in range(size):
        w.column_square[j] = 0.0
        for i in range(size):
            w.column_square[j] += u[i, j] * u[i, j]
        largest = max(largest, w.column_square[j])
    count = 0
    for j in range(size):
        w.is_null[j] = w.column_square[j] <= (RANK_TOLERANCE * RANK_TOLERANCE) * largest
        count += w.is_null[j]
    return count


@block(i8(machine_record, workspace_record, integer_pointer))
def forces_are_open(m: Machine, w: Workspace, modes: Integers) -> Integer:
    """Whether the mode just solved, which is rank deficient, has one motion and many distributions of its forces."""
    size = count_constraints(m, modes)
    common = first_mobility(w.mobility, size)
    mark_null(w, size)
    for j in range(size):
        if not w.is_null[j]:
            continue
        for k in range(m.n):
            w.forward[k] = 0.0
        for i in range(size):
            entry = force_entry(w, common, i, j)
            if entry == 0.0:
                continue  # most bodies stand apart from those whose forces are open
            for k in range(m.n):
                w.forward[k] += w.response[i, k] * entry
        square = 0.0
        for k in range(m.n):
            square += w.mass[k * m.mass_step] * (w.forward[k] * w.forward[k])
        if square > UNMOVED * UNMOVED * common:
            return 0
    return 1


@kernel
def are_asked_together(m: Machine, w: Workspace, modes: Integers) -> Truth:
    """Whether the limits of the mode just solved, which is rank deficient, are one condition, with tau its value.

    Forces at rubbing joints that change the motion are taken as they are (contact/statics.py), each with its limits.
    """
    return m.loaded == 0 or forces_are_open(m, w, modes) != 0


@kernel
def has_open_forces(m: Machine, w: Workspace, modes: Integers, i: Integer) -> Truth:
    """Whether forces of contact i are among those that the mode leaves open; needs ``mark_null``.

    What carries other contacts is nothing to it: a body that has just begun to lean on a wall beside a block on two
    feet. Loads of rubbing joints are all asked together.
    """
    if m.loaded > 0:
        return constrains(modes[i])
    place, size = place_of(m, modes, i), count_constraints(m, modes)
    for k in range(place, place + own_unknowns(m, modes, i)):
        for j in range(size):
            if w.is_null[j] and abs(w.svd[2][k, j]) > NO_PART:
                return True
    return False


@kernel
def fill_dictionary(m: Machine, w: Workspace, modes: Integers) -> tuple[Integer, Integer, Truth]:
    """c and A of the limits of open forces; (number of rows, of directions in Z, whether every limit has a size)."""
    size, table = count_constraints(m, modes), w.limit_table
    directions, rows, common = mark_null(w, size), 0, first_mobility(w.mobility, size)
    for limit in range(2 * m.nc):
        w.limit_multiplier[limit] = 0.0
        parts, value = limit_form(m, w, modes, limit)
        if parts < 0 or not has_open_forces(m, w, modes, limit // 2):
            continue
        scale = limit_size(m, w, modes, limit)
        if not scale > 0.0:
            return 0, 0, False
        possible = 0.0
        for part in range(parts):
            place, factor = w.form_place[part], w.form_factor[part]
            value += factor * w.unknown[place]
            possible += abs(factor) * scaled(common, w.mobility[place] * common)
        table[rows, 0] = value / scale
        columns = 0
        for j in range(size):
            if w.is_null[j]:
                entry = 0.0
                for part in range(parts):
                    entry += w.form_factor[part] * force_entry(w, common, w.form_place[part], j)
                columns += 1
                table[rows, columns] = entry / scale if abs(entry) > NO_PART * possible else 0.0
        table[rows, columns + 1] = -1.0
        w.limit_basis[rows] = limit
        rows += 1
    return rows, directions, True


@kernel
def scale_columns(w: Workspace, rows: Integer, columns: Integer) -> None:
    """Let the largest entry of every direction be 1: it is measured in forces, of whatever unit."""
    for c in range(1, columns + 1):
        largest = 0.0
        for r in range(rows):
            largest = max(largest, abs(w.limit_table[r, c]))
        w.column_scale[c] = largest if largest > 0.0 else 1.0
        for r in range(rows):
            w.limit_table[r, c] /= w.column_scale[c]


@kernel
def exchange(w: Workspace, rows: Integer, columns: Integer, r: Integer, c: Integer) -> None:
    """Pivot: the variable of column c enters the basis, that of row r leaves it. Row ``rows`` is the objective."""
    table = w.limit_table
    pivot = table[r, c]
    for k in range(columns + 1):
        table[r, k] = -table[r, k] / pivot
    table[r, c] = 1.0 / pivot
    for i in range(rows + 1):
        factor = table[i, c]
        if i == r or factor == 0.0:
            continue
        table[i, c] = 0.0
        for k in range(columns + 1):
            table[i, k] += factor * table[r, k]
    w.limit_basis[r], w.limit_outside[c] = w.limit_outside[c], w.limit_basis[r]


@kernel
def entering(w: Workspace, rows: Integer, columns: Integer) -> Integer:
    """The column that improves the objective and whose variable comes first; -1: none. Free ones come before all."""
    best = -1
    for c in range(1, columns + 1):
        gain = w.limit_table[rows, c]
        free = w.limit_outside[c] <= FREE
        if (abs(gain) if free else gain) > FLAT and (best < 0 or w.limit_outside[c] < w.limit_outside[best]):
            best = c
    return best


@kernel
def leaving(w: Workspace, rows: Integer, c: Integer) -> Integer:
    """The row of the slack that vanishes first along column c; -1: none ever does."""
    table = w.limit_table
    sign = -1.0 if table[rows, c] < 0.0 else 1.0
    best, shortest = -1, math.inf
    for r in range(rows):
        slope = sign * table[r, c]
        if w.limit_basis[r] <= FREE or not slope < -FLAT:
            continue
        length = max(table[r, 0], 0.0) / -slope
        if length < shortest or (length == shortest and w.limit_basis[r] < w.limit_basis[best]):
            best, shortest = r, length
    return best


@kernel
def best_distribution(m: Machine, w: Workspace, modes: Integers) -> tuple[Real, Integer, Integer]:
    """(tau of the limits as they are, with pins loaded along the directions they have; rows, or 0: no answer)."""
    rows, directions, loaded = fill_dictionary(m, w, modes)
    if not loaded or rows == 0:
        return 0.0, 0, 0
    scale_columns(w, rows, directions)
    columns = directions + 1
    table = w.limit_table
    first = 0
    for r in range(rows):
        if table[r, 0] < table[first, 0]:
            first = r
    for c in range(columns + 1):
        table[rows, c] = 0.0
        w.limit_outside[c] = FREE - columns + c
    table[rows, columns] = 1.0
    exchange(w, rows, columns, first, columns)
    for _ in range(CAPACITY_PIVOTS):
        c = entering(w, rows, columns)
        if c < 0:
            break
        r = leaving(w, rows, c)
        if r < 0:
            return 1.0, 0, 0  # forces that hold one another: the limits are kept by as much as one likes
        exchange(w, rows, columns, r, c)
    return table[rows, 0], rows, columns


@kernel
def take_distribution(m: Machine, w: Workspace, modes: Integers, rows: Integer, columns: Integer) -> None:
    """Let the forces be those of the best distribution, and pins be loaded along them."""
    size = count_constraints(m, modes)
    common = first_mobility(w.mobility, size)
    for r in range(rows):
        c = w.limit_basis[r] - FREE + columns
        if not 1 <= c < columns:
            continue
        amount, number = w.limit_table[r, 0] / w.column_scale[c], 0
        for j in range(size):
            if w.is_null[j]:
                number += 1
                if number == c:
                    for i in range(size):
                        w.unknown[i] += amount * force_entry(w, common, i, j)
    turn_pins(m, w, modes)


@kernel
def guides_stick(m: Machine, modes: Integers) -> Truth:
    """Whether the load of a sticking contact is the largest of several parts."""
    for i in range(m.nc):
        if m.load[i] == GUIDE_LOAD and modes[i] == STICK:
            return True
    return False


@kernel
def pins_stick(m: Machine, modes: Integers) -> Truth:
    """Whether the load of a sticking contact depends on the direction of a force."""
    for i in range(m.nc):
        if m.load[i] == PIN_LOAD and modes[i] == STICK:
            return True
    return False


@kernel
def improved(m: Machine, w: Workspace, modes: Integers) -> tuple[Real, Integer, Integer]:
    """(tau, rows, columns) of the best distribution, with pins loaded along the forces that it leads to."""
    tau, rows, columns = best_distribution(m, w, modes)
    if rows > 0 and pins_stick(m, modes):
        for _ in range(BALANCES):
            before = tau
            take_distribution(m, w, modes, rows, columns)
            tau, rows, columns = best_distribution(m, w, modes)
            if rows == 0 or not tau > before + CAPACITY_GAIN:
                break
    return tau, rows, columns


@kernel
def turn_guides(m: Machine, w: Workspace, modes: Integers, tau: Real) -> Real:
    """Let guides that stick be loaded by other parts where that carries more than tau; the tau that is reached."""
    for i in range(m.nc):
        if m.load[i] != GUIDE_LOAD or modes[i] != STICK:
            continue
        best = w.load_branch[i]
        for branch in range(4 if m.load_of[2 * i + 1] >= 0 else 2):
            w.load_branch[i] = branch
            other, _, _ = improved(m, w, modes)
            if other > tau + CAPACITY_GAIN:
                tau, best = other, branch
        w.load_branch[i] = best
    return tau


@block(f8(machine_record, workspace_record, integer_pointer))
def capacity(m: Machine, w: Workspace, modes: Integers) -> Real:
    """tau of the mode just solved, which is rank deficient; at most 1. Needs ``measure_terms``.

    0 where no force acts at all. w.limit_multiplier receives y_i/s_i. The load of a pin |nu| is not less than d.nu for
    any direction d: with the d of one distribution the programme finds a better one, whose d find a still better one,
    and so on to the best. Guides are asked for each of their parts, until no other one carries more.
    """
    tau, rows, columns = improved(m, w, modes)
    if rows > 0 and guides_stick(m, modes):
        for _ in range(SHIFTS):
            before = tau
            tau = turn_guides(m, w, modes, tau)
            if not tau > before:
                break
        tau, rows, columns = improved(m, w, modes)
    if rows > 0 and (pins_stick(m, modes) or guides_stick(m, modes)):
        take_distribution(m, w, modes, rows, columns)
        store_forces(m, w, modes)
        tau, rows, columns = best_distribution(m, w, modes)
    table = w.limit_table
    if rows == 0:
        return tau
    for c in range(1, columns + 1):
        limit = w.limit_outside[c]
        if limit > FREE:
            w.limit_multiplier[limit] = -table[rows, c] / limit_size(m, w, modes, limit)
    return min(tau, 1.0)
