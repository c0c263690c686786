"""Columns along one smooth step: the linearised flow  d(dz)/dt = (du, du')  along the step's own interpolant.

The pair of order 8 takes the step that the state has taken; on a ballistic flight, where the answer is a polynomial of
degree two, four stages give it exactly.
"""

import numpy as np

from jounce.kernels.flow.runge_kutta import interpolate
from jounce.kernels.flow.tableaus import DOP853_A, DOP853_B, DOP853_C
from jounce.kernels.records.workspace import STATE
from jounce.kernels.tangent.mode_tangent import along, enter_point, project_columns
from jounce.kernels.tangent.variation import PROPAGATE, TANGENT_STAGES, variation_at
from jounce.toolchain.jit import address, block, kernel

RK4_A = np.array([[0.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
RK4_B = np.array([1.0, 2.0, 2.0, 1.0]) / 6.0
RK4_C = np.array([0.0, 0.5, 0.5, 1.0])


@kernel
def integrate_columns(m, w, s, v, h, x, count, a, b, c):
    """An explicit Runge-Kutta step of all columns over [0, x] of the step of length h."""
    n = m.n
    rows = s.settings.rows
    length = h * x
    for i in range(count):
        interpolate(s.z, w.interpolant, rows, c[i] * x, 2 * n, v.point)
        t = s.t + c[i] * length
        enter_point(m, w, v, t, address(v.point, 0), address(s.modes, 0))
        for column in range(v.count):
            for k in range(2 * n):
                total = 0.0
                for j in range(i):
                    total += a[i, j] * v.stages[j, column, k]
                v.shifted[column, k] = v.columns[column, k] + length * total
            along(m, w, v, t, 0.0, address(v.shifted, column * STATE), column, address(s.modes, 0))
            for j in range(n):
                v.stages[i, column, j] = v.shifted[column, n + j]
                v.stages[i, column, n + j] = v.rate[j]
    for column in range(v.count):
        for k in range(2 * n):
            total = 0.0
            for i in range(count):
                total += b[i] * v.stages[i, column, k]
            v.columns[column, k] += length * total


@block(PROPAGATE)
def propagate(m, w, s, h, x, closed):
    """Carry the columns over the step that starts at s.t, s.z and is kept up to x of its length h."""
    v = variation_at(s.settings.variation)
    if m.ballistic and closed == 0:
        integrate_columns(m, w, s, v, h, x, 4, RK4_A, RK4_B, RK4_C)
        return
    integrate_columns(m, w, s, v, h, x, TANGENT_STAGES, DOP853_A, DOP853_B, DOP853_C)
    if closed + m.nj > 0:
        project_columns(m, w, v, s.t + h * x, address(w.new_state, 0), address(s.modes, 0))
