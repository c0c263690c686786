"""Friction with a memory: forces whose internal states remember how far the surfaces have been sheared.

    dahl             F' = sigma v |1 - F sign(v)/F_c|^i sign(1 - F sign(v)/F_c)             Dahl 1968
    lugre            z' = v - sigma_0 |v| z/g(v),  F = sigma_0 z + sigma_1 z' + sigma_2 v,  Canudas de Wit et al. 1995
                     g(v) = F_c + (F_s - F_c) exp(-(v/v_s)^2)
    elastoplastic    z' = v (1 - alpha(z, v) sigma_0 z sign(v)/g(v)),  F as above           Dupont et al. 2002
    rate_and_state   F = N a asinh(v/(2 v_0) exp((mu_0 + b psi)/a)),  psi = ln(v_0 theta/L) Dieterich 1979, Ruina 1983
                     aging law theta' = 1 - |v| theta/L, slip law theta' = -|v| theta/L ln(|v| theta/L)

Each returns the force on the body, against its velocity, and the rates of its internal states:

    F, rates = jounce.lugre(dx, stiffness=1e5, damping=300, coulomb=1.0, static=1.5, stribeck=1e-3)
    jounce.Model(..., forces={x: F}, rates=rates)

None of them sticks: a body under a force below the limit creeps by elastic shear and no more (dahl, lugre: a little
more with every oscillation of the force; elastoplastic: not at all below its breakaway). For true stick see Contact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model.cases import Abs, Piecewise
from jounce.model.expressions import as_expression
from jounce.model.symbols import internal

STATE_LAWS = ("aging", "slip")


class FrictionForce(NamedTuple):
    """The force on the body, and the rate of each internal state."""

    force: sp.Expr
    rates: dict[sp.Symbol, sp.Expr]


def dahl(velocity: Any, *, stiffness: Any, limit: Any, shape: Any = 1, name: str = "dahl") -> FrictionForce:
    """Dahl's friction: a spring of ``stiffness`` that yields towards ``limit``; its force is the state ``name`` [N].

    shape    i of Dahl: 1 for the exponential curve, 0.5 for ductile, 1.5 for brittle materials

    >>> x, dx = jounce.coordinate("x", "m")
    >>> friction = jounce.dahl(dx, stiffness=1e3, limit=2.0)
    >>> block = jounce.Model("block", [x], [1], [1 + friction.force], rates=friction.rates)
    >>> round(jounce.simulate(block, None, t_end=1.0).final["x"], 4)
    0.0061
    """
    v, sigma, most = _settled("dahl", velocity, stiffness, limit)
    F, i = internal(name, "N"), as_expression(shape, "dahl: shape")
    if i == 1:
        rate = sigma * v - sigma * Abs(v) * F / most
    else:
        left = 1 - F * sp.sign(v) / most
        rate = sigma * v * Abs(left) ** i * sp.sign(left)
    return FrictionForce(-F, {F: rate})


def lugre(
    velocity: Any,
    *,
    stiffness: Any,
    coulomb: Any,
    damping: Any = 0,
    viscous: Any = 0,
    static: Any = None,
    stribeck: Any = None,
    name: str = "bristle",
) -> FrictionForce:
    """The LuGre model; its state ``name`` is the mean deflection z of the bristles [m].

    stiffness, damping    sigma_0 [N/m] and sigma_1 [N s/m] of the bristles
    viscous               sigma_2 [N s/m]
    coulomb, static       F_c and F_s [N]; without ``static`` there is no Stribeck effect
    stribeck              v_s [m/s], with ``static``

    >>> x, dx = jounce.coordinate("x", "m")
    >>> friction = jounce.lugre(dx, stiffness=1e3, coulomb=2.0, damping=10.0)
    >>> block = jounce.Model("block", [x], [1], [1 + friction.force], rates=friction.rates)
    >>> round(jounce.simulate(block, None, t_end=5.0).final["x"], 4)
    0.003
    """
    v, sigma, g = *_settled("lugre", velocity, stiffness), _stribeck("lugre", velocity, coulomb, static, stribeck)
    z = internal(name, "m")
    return _bristles(z, v - sigma * Abs(v) * z / g, v, sigma, damping, viscous)


def elastoplastic(
    velocity: Any,
    *,
    stiffness: Any,
    coulomb: Any,
    breakaway: Any = 0.7,
    damping: Any = 0,
    viscous: Any = 0,
    static: Any = None,
    stribeck: Any = None,
    name: str = "bristle",
) -> FrictionForce:
    """LuGre without drift: bristles below ``breakaway`` times their steady deflection g/sigma_0 are elastic.

    breakaway    z_ba sigma_0/g, below 1: where plastic sliding begins

    >>> x, dx = jounce.coordinate("x", "m")
    >>> friction = jounce.elastoplastic(dx, stiffness=1e3, coulomb=2.0, damping=10.0)
    >>> block = jounce.Model("block", [x], [1], [1 + friction.force], rates=friction.rates)
    >>> round(jounce.simulate(block, None, t_end=5.0).final["x"], 4)
    0.001
    """
    v, sigma, part = _settled("elastoplastic", velocity, stiffness, breakaway)
    if part.is_number and not 0 <= part < 1:
        raise ModelError(f"elastoplastic: breakaway is {breakaway!r}; it must lie between 0 and 1")
    g = _stribeck("elastoplastic", velocity, coulomb, static, stribeck)
    z = internal(name, "m")
    share = sigma * z * sp.sign(v) / g  # 1 in steady sliding, negative while the bristles bend back
    rising = (1 + sp.sin(sp.pi * (share - (1 + part) / 2) / (1 - part))) / 2
    alpha = Piecewise((sp.Integer(0), share <= part), (rising, share < 1), (sp.Integer(1), sp.true))
    return _bristles(z, v * (1 - alpha * share), v, sigma, damping, viscous)


def rate_and_state(
    velocity: Any,
    *,
    normal: Any,
    mu: Any,
    a: Any,
    b: Any,
    length: Any,
    reference: Any,
    law: str = "aging",
    name: str = "psi",
) -> FrictionForce:
    """Rate-and-state friction, regularised at v = 0; its state ``name`` is psi = ln(v_0 theta/L), 0 at steady v_0.

    normal               N [N], the normal force
    mu, a, b             friction at the reference velocity, direct effect, evolution
    length, reference    L [m] and v_0 [m/s]
    law                  "aging" (Dieterich) or "slip" (Ruina)

    In steady sliding the friction is mu + (a - b) ln(v/v_0), to (v_0/v exp(-mu/a))^2.

    >>> x, dx = jounce.coordinate("x", "m")
    >>> rock = jounce.rate_and_state(dx, normal=10.0, mu=0.6, a=0.02, b=0.01, length=1e-3, reference=0.1)
    >>> block = jounce.Model("block", [x], [1], [6.0 + rock.force], rates=rock.rates)
    >>> round(jounce.simulate(block, {"d_x": 0.1}, t_end=1.0).final["d_x"], 4)
    0.1
    """
    if law not in STATE_LAWS:
        raise ModelError(f"rate_and_state: {law!r} is no law; {suggestion(str(law), STATE_LAWS, 'laws')}")
    v, N, mu0, direct, evolution, L, v0 = _settled("rate_and_state", velocity, normal, mu, a, b, length, reference)
    psi = internal(name)
    speed = Abs(v)
    if law == "aging":
        rate = (v0 * sp.exp(-psi) - speed) / L
    else:
        steady = sp.log(sp.Max(speed, sp.Float(1e-300), evaluate=False) / v0)  # v ln v is 0 at rest
        rate = -speed * (psi + steady) / L
    force = N * direct * sp.asinh(v / (2 * v0) * sp.exp((mu0 + evolution * psi) / direct))
    return FrictionForce(-force, {psi: rate})


def _settled(what: str, *values: Any) -> tuple[sp.Expr, ...]:
    return tuple(as_expression(value, what) for value in values)


def _stribeck(what: str, velocity: Any, coulomb: Any, static: Any, stribeck: Any) -> sp.Expr:
    """g(v), the friction of steady sliding without its viscous part."""
    if (static is None) != (stribeck is None):
        raise ModelError(f"{what}: static and stribeck (the velocity over which it falls to coulomb) belong together")
    v, least = _settled(what, velocity, coulomb)
    if static is None:
        return least
    most, width = _settled(what, static, stribeck)
    return least + (most - least) * sp.exp(-((v / width) ** 2))


def _bristles(z: sp.Symbol, rate: sp.Expr, v: sp.Expr, sigma: sp.Expr, damping: Any, viscous: Any) -> FrictionForce:
    inner, outer = _settled("bristles", damping, viscous)
    return FrictionForce(-(sigma * z + inner * rate + outer * v), {z: rate})
