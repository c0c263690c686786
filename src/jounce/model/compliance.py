"""Laws of compliant contact: the normal force as a function of penetration, its rate and the speed of approach.

    delta = -g >= 0,   ddelta = -gamma_N,   v = ddelta at touch

    Hertz                 F = K delta^n                                        Hertz 1882
    HuntCrossley          F = K delta^n (1 + a ddelta/v),  a = 3(1 - e)/2       Hunt & Crossley 1975
    LankaraniNikravesh    F = K delta^n (1 + a ddelta/v),  a = 3(1 - e^2)/4     Lankarani & Nikravesh 1990
    Flores2011            F = K delta^n (1 + a ddelta/v),  a = 8(1 - e)/(5 e)   Flores, Machado, Silva & Martins 2011
    KelvinVoigt           F = k delta + c ddelta
    Maxwell               F = s,            s'/k = ddelta - s/c
    StandardLinearSolid   F = k0 delta + s, s'/k = ddelta - s/c
    OwnCompliance         F = elastic(delta) + damping(delta, ddelta)           expressions of the user

e is the restitution of the contact, so that a rigid contact becomes compliant by one argument. It is asked for, not
reached: see docs/compliant-contact.md. A contact never pulls: it ends where the gap opens or, in the last three laws,
already where the force vanishes; unless it is told to (``adhesive``), or its damping is stronger than its spring on the
way out. Friction is Coulomb's, regularised: F_T = -mu |F| gamma_T/sqrt(gamma_T^2 + v_s^2) with the small speed
v_s = friction_speed, so a contact at rest creeps and does not stick. It takes energy whether F pushes or pulls. Unless
v_s is given it is a hundredth of the speed of the contact's own motion, that of a free oscillation in its spring E,

    v_s = 0.01 sqrt(gamma_N^2 + 2 E sum_j W_j^2/M_jj) ,

about the speed of approach in a blow, and where the contact rests that of a fall through its depth: the same motion in
any units.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import sympy as sp

from jounce.errors import ModelError
from jounce.model.curves import Curve
from jounce.model.expressions import as_expression, multiplied_out
from jounce.model.names import ADHERES, NEVER_PULLS, RETURNS_WITH_FORCE, RETURNS_WITH_RATE
from jounce.model.symbols import penetration, penetration_rate


class State(NamedTuple):
    """What a law may use: symbols or expressions of the model."""

    delta: sp.Expr  # penetration, not negative
    rate: sp.Expr  # its rate
    inverse_approach: sp.Expr  # 1/v
    restitution: sp.Expr
    branch: sp.Expr  # s, the force of the Maxwell branch


class Response(NamedTuple):
    """What a law answers.

    force      F
    elastic    energy in the springs
    loss       dissipated power, F ddelta - d(elastic)/dt
    pulls      one of NEVER_PULLS, RETURNS_WITH_RATE, RETURNS_WITH_FORCE, ADHERES (pulls until the gap opens)
    branch     (mass, drive) of the first-order equation mass s' = drive; mass s^2/2 is energy in the branch's spring
    """

    force: sp.Expr
    elastic: sp.Expr
    loss: sp.Expr
    pulls: int = NEVER_PULLS
    branch: tuple[sp.Expr, sp.Expr] | None = None


@dataclass(frozen=True, kw_only=True)
class ComplianceLaw:
    """The base of all laws; ``friction_speed`` is the slip velocity at which friction is developed to 71 %.

    None: a hundredth of the speed of the contact's own motion.
    """

    friction_speed: Any = None

    needs_restitution = False
    has_branch = False

    def coefficients(self) -> dict[str, Any]:
        """Name -> value of everything that is given as a number or an expression; numbers must be positive."""
        given = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "adhesive"}
        return {name: value for name, value in given.items() if value is not None}

    def _numbers(self, *names: str) -> list[sp.Expr]:
        return [as_expression(getattr(self, name), f"{type(self).__name__}: {name}") for name in names]

    def respond(self, state: State) -> Response:
        """The law itself."""
        raise NotImplementedError


@dataclass(frozen=True)
class Hertz(ComplianceLaw):
    """F = K delta^n, elastic; n = 3/2 for spheres and other parabolic contacts.

    >>> y, dy = jounce.coordinate("y", "m")
    >>> floor = jounce.Contact("floor", gap=y, compliance=jounce.Hertz(1e6))
    >>> model = jounce.Model("ball", [y], [1], [-9.81], contacts=[floor], start={y: 1.0})
    >>> run = jounce.simulate(model, None, t_end=0.6)
    >>> round(float(jounce.contact_periods(run)["restitution"].iloc[0]), 6)
    1.0
    """

    stiffness: Any
    exponent: Any = 1.5

    def respond(self, state: State) -> Response:
        """Elastic: nothing is lost."""
        elastic, energy = _power_law(self, state.delta)
        return Response(elastic, energy, sp.Integer(0))


@dataclass(frozen=True)
class _Hysteretic(ComplianceLaw):
    """F = K delta^n (1 + a ddelta/v)."""

    stiffness: Any
    exponent: Any = 1.5

    needs_restitution = True

    def factor(self, e: Any) -> Any:
        """a as a function of the restitution asked for."""
        raise NotImplementedError

    def respond(self, state: State) -> Response:
        """The damping is proportional to the elastic force, so the force starts and ends at zero."""
        elastic, energy = _power_law(self, state.delta)
        damping = elastic * self.factor(state.restitution) * state.inverse_approach
        return Response(elastic + damping * state.rate, energy, damping * state.rate**2)


@dataclass(frozen=True)
class HuntCrossley(_Hysteretic):
    """a = 3 (1 - e)/2 (Hunt & Crossley 1975).

    >>> y, dy = jounce.coordinate("y", "m")
    >>> floor = jounce.Contact("floor", gap=y, restitution=0.8, compliance=jounce.HuntCrossley(1e6))
    >>> model = jounce.Model("ball", [y], [1], [-9.81], contacts=[floor], start={y: 1.0})
    >>> run = jounce.simulate(model, None, t_end=0.6)
    >>> round(float(jounce.contact_periods(run)["restitution"].iloc[0]), 4)
    0.8301
    """

    def factor(self, e: Any) -> Any:
        """a(e)."""
        return 3 * (1 - e) / 2


@dataclass(frozen=True)
class LankaraniNikravesh(_Hysteretic):
    """a = 3 (1 - e^2)/4 (Lankarani & Nikravesh 1990; Flores & Ambrosio 2010, equation 6 with its ratio corrected).

    >>> law = jounce.LankaraniNikravesh(1e6)
    >>> round(jounce.exact_restitution(law, 0.8), 4)
    0.8471
    """

    def factor(self, e: Any) -> Any:
        """a(e)."""
        return 3 * (1 - e**2) / 4


@dataclass(frozen=True)
class Flores2011(_Hysteretic):
    """a = 8 (1 - e)/(5 e) (Flores, Machado, Silva & Martins 2011); e must be positive.

    >>> law = jounce.Flores2011(1e6)
    >>> round(jounce.exact_restitution(law, 0.8), 4)
    0.7885
    """

    def factor(self, e: Any) -> Any:
        """a(e)."""
        return 8 * (1 - e) / (5 * e)


@dataclass(frozen=True)
class KelvinVoigt(ComplianceLaw):
    """F = k delta + c ddelta: spring and damper side by side; the force jumps to c v at touch.

    adhesive   False: the contact ends where its force vanishes; True: where the gap opens, having pulled at the end

    >>> law = jounce.KelvinVoigt(1e4, 20.0)
    >>> round(jounce.exact_restitution(law), 4)
    0.7441
    """

    stiffness: Any
    damping: Any
    adhesive: bool = False

    def respond(self, state: State) -> Response:
        """Where the force vanishes the gap is still closed: there the surface is left behind."""
        k, c = self._numbers("stiffness", "damping")
        return Response(
            k * state.delta + c * state.rate,
            k * state.delta**2 / 2,
            c * state.rate**2,
            pulls=ADHERES if self.adhesive else RETURNS_WITH_FORCE,
        )


@dataclass(frozen=True)
class Maxwell(ComplianceLaw):
    """s'/k = ddelta - s/c, F = s: spring and damper in a row; the damper keeps its indentation.

    >>> law = jounce.Maxwell(1e4, 500.0)
    >>> round(jounce.exact_restitution(law), 4)
    0.7292
    """

    stiffness: Any
    damping: Any

    has_branch = True

    def respond(self, state: State) -> Response:
        """A free mass m on it is a damped oscillator with zeta = sqrt(k m)/(2 c)."""
        k, c = self._numbers("stiffness", "damping")
        s = state.branch
        return Response(s, s**2 / (2 * k), s**2 / c, pulls=RETURNS_WITH_RATE, branch=(1 / k, state.rate - s / c))


@dataclass(frozen=True)
class StandardLinearSolid(ComplianceLaw):
    """F = k0 delta + s, s'/k = ddelta - s/c: a spring beside a Maxwell element.

    >>> law = jounce.StandardLinearSolid(1e4, 5e3, 100.0)
    >>> round(jounce.achieved_restitution(law), 4)
    0.8603
    """

    stiffness: Any
    branch_stiffness: Any
    damping: Any

    has_branch = True

    def respond(self, state: State) -> Response:
        """Instantaneous stiffness k0 + k, slow stiffness k0."""
        k0, k, c = self._numbers("stiffness", "branch_stiffness", "damping")
        s = state.branch
        return Response(
            k0 * state.delta + s,
            k0 * state.delta**2 / 2 + s**2 / (2 * k),
            s**2 / c,
            pulls=RETURNS_WITH_RATE,
            branch=(1 / k, state.rate - s / c),
        )


@dataclass(frozen=True)
class OwnCompliance(ComplianceLaw):
    """F = elastic + damping, expressions of ``jounce.penetration`` and ``jounce.penetration_rate``.

    elastic    the force of the spring, of the penetration alone
    damping    the rest of the force; it takes the power damping times rate
    energy     what the spring holds, the integral of ``elastic``; None: integrated here
    adhesive   False: the contact ends where its force vanishes; True: where the gap opens

    >>> law = jounce.OwnCompliance(1e4 * jounce.penetration, damping=20 * jounce.penetration_rate)
    >>> y, dy = jounce.coordinate("y", "m")
    >>> floor = jounce.Contact("floor", gap=y, compliance=law)
    >>> model = jounce.Model("ball", [y], [1], [-9.81], contacts=[floor], start={y: 1.0})
    >>> jounce.simulate(model, None, t_end=0.6).events["kind"].tolist()
    ['touch', 'separate']
    """

    elastic: Any
    damping: Any = 0
    energy: Any = None
    adhesive: bool = False

    def respond(self, state: State) -> Response:
        """The user's expressions at the contact's own penetration and rate."""
        where = type(self).__name__
        elastic, damping = self._numbers("elastic", "damping")
        if penetration_rate in elastic.free_symbols:
            raise ModelError(f"{where}: elastic depends on penetration_rate; put that part of the force into damping")
        energy = _integral(elastic, where) if self.energy is None else as_expression(self.energy, f"{where}: energy")
        own = {penetration: state.delta, penetration_rate: state.rate}
        elastic, damping, energy = (part.xreplace(own) for part in (elastic, damping, energy))
        pulls = ADHERES if self.adhesive else RETURNS_WITH_FORCE
        return Response(elastic + damping, energy, damping * state.rate, pulls=pulls)


def pulls_of(law: ComplianceLaw) -> int:
    """Whether and how the force of a law may vanish before its gap opens."""
    symbols = (sp.Symbol(name, real=True) for name in State._fields)
    return law.respond(State(*symbols)).pulls


def _integral(elastic: sp.Expr, where: str) -> sp.Expr:
    """The energy of a spring from zero penetration on: the integral of powers and tables of the penetration."""
    energy = sp.Integer(0)
    for term in sp.Add.make_args(multiplied_out(elastic)):
        factor, power = term.as_independent(penetration, as_Add=False)
        if isinstance(power, Curve) and power.args[0] == penetration and not power.args[1].repeats:
            energy += factor * Curve(penetration, power.args[1].integral())
            continue
        base, exponent = power.as_base_exp()
        whole = power == 1 or (base == penetration and penetration not in exponent.free_symbols)
        exponent = sp.Integer(0) if power == 1 else exponent
        if not whole or exponent == -1:
            raise ModelError(f"{where}: the integral of {term} is not known here; give energy=, what the spring holds")
        energy += factor * penetration ** (exponent + 1) / (exponent + 1)
    return energy


def _power_law(law: Any, delta: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """K delta^n and K delta^(n+1)/(n+1)."""
    K, exponent = law._numbers("stiffness", "exponent")
    n = sp.nsimplify(exponent, rational=True)
    return K * delta**n, K * delta ** (n + 1) / (n + 1)


@dataclass(frozen=True)
class Compliance:
    """A law applied to one contact of one model, as expressions of the model's symbols.

    normal, tangential   F_N and F_T while pressed
    loss, surface        dissipated power, and work rate of a moving surface
    elastic              energy in the springs
    back                 what turns positive when a contact that was let go inside its gap is pressed again
    pulls                see NEVER_PULLS; branch: the coordinate whose velocity is the force of the Maxwell branch
    coefficients         what the law was made of, by name
    """

    law: str
    normal: Any
    tangential: Any
    loss: Any
    surface: Any
    elastic: Any
    back: Any
    pulls: int = NEVER_PULLS
    branch: str | None = None
    coefficients: dict[str, Any] = field(default_factory=dict)

    #: whether it is known that the force has no kinks while the contact is pressed; expressions have to be looked at
    is_smooth: ClassVar[bool] = False

    @property
    def rows(self) -> list[Any]:
        """The expressions in the order in which the engine reads them."""
        return [self.normal, self.tangential, self.loss, self.surface, self.elastic, self.back]


LAWS: dict[str, type[ComplianceLaw]] = {
    law.__name__: law
    for law in (
        *(Hertz, KelvinVoigt, Maxwell, StandardLinearSolid, HuntCrossley, LankaraniNikravesh, Flores2011),
        OwnCompliance,
    )
}
