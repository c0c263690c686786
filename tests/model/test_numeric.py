"""Expressions as functions of arrays: the same numbers as SymPy's own, without NumPy's rarely used parts."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce.model.numeric import numpy_function

x, y = sp.symbols("x y", real=True)
EXPRESSIONS = {
    "functions": sp.sin(x) * sp.exp(-(y**2)) + sp.atan2(y, x) + sp.sqrt(x**2 + 1) + sp.log(2 + sp.Abs(y)),
    "arcs": sp.asin(x / 9) + sp.acos(y / 9) + sp.sinh(x) - sp.tanh(y) + sp.pi + sp.asinh(x),
    "kinks": sp.Max(x, y, 1) + sp.Min(x, -y) + sp.sign(x) + sp.Heaviside(y),
    "cases": sp.Piecewise((x**2, x < 0), (sp.sin(y), y > 1), (x * y, True)),
    "number": sp.Rational(1, 3),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_values_are_those_of_sympy(name):
    points = np.random.default_rng(1).uniform(-3.0, 3.0, (2, 50))
    ours = np.broadcast_to(numpy_function([x, y], EXPRESSIONS[name])(*points), 50)
    exact = [float(EXPRESSIONS[name].subs({x: a, y: b}, simultaneous=True).evalf(30)) for a, b in points.T]
    np.testing.assert_allclose(ours, exact, rtol=1e-14, atol=1e-15)


def test_lists_and_nested_arguments():
    first, second = numpy_function([[x, y]], [x + y, sp.cos(x)])(np.array([1.0, 2.0]))
    assert (first, second) == (3.0, np.cos(1.0))


def test_a_short_run_loads_nothing_that_it_does_not_need():
    jounce.compile_model(jounce.systems.bouncing_ball())
    code = (
        "import sys; from jounce.cli.main import main; main(['simulate', 'bouncing_ball', '--t-end', '1']); "
        "names = ('numpy.f2py', 'pandas', 'xarray', 'matplotlib', 'scipy', 'jounce.toolchain.compiler', 'rich'); "
        "print([name for name in names if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
