"""Expressions that contain everything a model may use, and points at which they have a real value."""

from __future__ import annotations

import sympy as sp

x, y = sp.symbols("x y", real=True)

EXPRESSIONS = [
    x**2,
    x**3 * y**-2,
    1 / x**2 + 2 / (3 * x),
    (x + y) ** 2 / (x - y) ** 3,
    x / (y**2),
    x / y / (x**2 * y**3),
    -((x - y) ** 2),
    -(x**2) * y,
    x**-1 / (x + 1),
    sp.sqrt(x**2 + y**2),
    1 / sp.sqrt(x**2 + y**2),
    (x**2 + 1) ** sp.Rational(3, 2),
    (x**2 + 1) ** sp.Rational(-5, 2),
    sp.Abs(x) ** sp.Rational(1, 3),
    sp.Abs(x) ** y,
    sp.Abs(x) ** 0.7,
    sp.Rational(1, 3) * x - sp.Rational(-2, 7),
    sp.pi * x + sp.E,
    sp.Float(0.1) * x,
    x**9,
    sp.sin(x) ** 2 * sp.cos(y) / sp.tan(x),
    sp.exp(-x) + sp.log(sp.Abs(y)),
    sp.asin(x / 10) + sp.acos(y / 10) + sp.atan(x) + sp.atan2(y, x),
    sp.sinh(x) + sp.cosh(y) + sp.tanh(x) + sp.asinh(x) + sp.acosh(2 + x**2) + sp.atanh(x / 10),
    sp.sign(x - y) * 2 + sp.sign(-x),
    sp.Heaviside(x) + 2 * sp.Heaviside(x - y, 1),
    sp.Max(x, y, 0) - sp.Min(x, 2 * y),
    sp.Abs(x - y) * sp.Abs(x) ** 3 + x**2 * y**17,
    sp.Abs(x) ** sp.Rational(5, 3) + sp.exp(x * sp.log(2)),
    sp.Piecewise((x, x < 0), (x**2, x < 1), (y, True)),
    2 * sp.Piecewise((1, sp.And(x > 0, y > 0)), (2, sp.Or(x > 0, sp.Not(sp.Eq(y, x)))), (3, True)) + 1,
    sp.Piecewise((sp.sin(x) / y, sp.Or(x <= 0, y >= 1)), (sp.Piecewise((x, sp.Ne(x, y)), (y, True)), True)),
    sp.Piecewise((1, sp.Xor(x > 0, y > 1)), (sp.Max(x, -y), True))
    * sp.Piecewise((x, sp.ITE(x > 0, y > 0, y < 0)), (y, True)),
]
POINTS = [(0.7, 1.3), (-0.4, 0.9), (1.6, -2.1), (-1.1, -0.3)]
