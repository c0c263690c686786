"""Options of a run, validated when they are made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cache
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeVar

from jounce.errors import OptionError, named_arguments, suggestion
from jounce.kernels.records import codes
from jounce.simulation.law import Law
from jounce.units import in_seconds

if TYPE_CHECKING:
    from jounce.system.system import System

Choice = TypeVar("Choice", bound=Enum)
SMALLEST_NUMBER = 1e-300  # of what must be positive: any unit is allowed

KEPT_STEPS = 3_000_000  # a gigabyte for a model with two coordinates


class Integrator(Enum):
    """Taylor series, or an explicit Runge-Kutta pair with dense output; the value is what the kernels call it.

    With TAYLOR stiff contacts that stay pressed take implicit steps; a pair that is asked for takes all steps.
    """

    TAYLOR = 0
    DOP853 = 8
    DOPRI5 = 5


class Simultaneous(Enum):
    """What happens when several contacts collide at one instant."""

    SEQUENTIAL = codes.SEQUENTIAL  # each by its own law as if alone, the hardest (v_n^2/C) first, until none closes
    JOINT = codes.JOINT  # all at once, by complementarity of velocities (Newton) or impulses (Poisson)


class Indeterminate(Enum):
    """What happens when both detachment and contact are consistent (Painlevé)."""

    SEPARATE = codes.SEPARATE_IF_POSSIBLE
    CONTACT = codes.KEEP_CONTACT
    STOP = codes.STOP_IF_INDETERMINATE


class Inconsistent(Enum):
    """What happens when no mode is consistent (Painlevé)."""

    IMPACT = codes.IMPACT_IF_INCONSISTENT  # an impact without collision
    STOP = codes.STOP_IF_INCONSISTENT


class StickRelease(Enum):
    """When a sticking contact lets go."""

    CONE = codes.RELEASE_AT_CONE  # when its force leaves the friction cone or its normal force vanishes
    FREE = codes.RELEASE_WHEN_FREE  # already when its gap would open without any contact force (Liu, Zhao & Chen 2006)


class PlasticRelease(Enum):
    """What follows an impact without rebound after which the gap would open again."""

    CONTINUE = codes.CONTINUE_AFTER_PLASTIC  # flight with zero normal velocity
    STOP = codes.STOP_AFTER_PLASTIC  # the run ends, as in Lancioni et al. 2009


class ContactDetection(Enum):
    """How the start and the end of compliant contact are found; all but the first repeat a published comparison."""

    LOCATED = codes.LOCATED  # events like all others
    # at the end of steps, then restart from a linear interpolation (Flores & Ambrosio 2010, procedure 1)
    INTERPOLATE = codes.INTERPOLATE
    REJECT = codes.REJECT  # at the end of steps, which are repeated shorter while they penetrate too deep (procedure 2)
    NONE = 3  # at the end of steps, whatever the penetration


class ConstraintStabilisation(Enum):
    """How joints are kept closed although only their accelerations are solved for."""

    PROJECTION = 0  # positions and velocities are put back onto the joints after every step
    BAUMGARTE = 1  # g'' + 2 alpha g' + beta^2 g = 0 in place of g'' = 0: errors decay, they do not vanish


class Recording(Enum):
    """What a run keeps."""

    ALL = "all"  # every step and every event: dense everywhere
    EVENTS = "events"
    NOTHING = "nothing"  # the end only


class Audit(Enum):
    """How closely a run is checked when it has ended."""

    OFF = 0
    EVENTS = 1  # both sides of every event and the start of every step; gaps in between where their ends allow doubt
    DENSE = 2  # also inside every step, the ledger, and every impact against its law


@named_arguments(OptionError)
@dataclass(frozen=True)
class Options:
    """How to run: accuracy, policies, what is kept.

    tolerance       error of one step, relative to the scales of the run; also how finely guards are resolved
    integrator      "taylor" (series where the model and its mode have them, "dop853" elsewhere; of order 10 to 16, of
                    affine motion 16 to 28),
                    "dop853" (order 8) or "dopri5" (order 5)
    law             the law of impact of contacts that do not name their own
    simultaneous    "sequential" or "joint"
    scales          how large coordinates and velocities are, by name, where the motion itself does not show it; what it
                    shows is never made smaller
    joint_gap       with "joint": contacts with gaps below this collide together (model's length unit);
                    None: 1e-9 of the lengths of which the gap is the difference
    chatter_rise    rebounds that rise less than this part of the lengths of which the gap is the difference are
                    extrapolated to their accumulation point; the error falls with it
    chatter_speed   the same as a velocity (model's unit): rebounds that are slower
    indeterminate   "separate", "contact" or "stop"
    inconsistent    "impact" or "stop"
    stick_release   "cone" or "free"
    plastic_release "continue" or "stop"
    contact_detection      of compliant contacts: "located", "interpolate", "reject" or "none"
    penetration_tolerance  with "reject": the deepest a contact may begin (model's length unit); None: as joint_gap
    largest_step    no step is longer than this [s]; None: as long as accuracy allows, which loses no event
    constraint_stabilisation  "projection" or "baumgarte", for joints
    baumgarte       (alpha, beta) in 1/s, with constraint_stabilisation="baumgarte" (Baumgarte 1972)
    record          "all", "events" or "nothing"
    ledger          whether work is integrated along the run
    max_events      a run with more ends with the status TOO_MANY_EVENTS
    max_steps       a run with more ends with the status TOO_MANY_STEPS, which names the cause; None: 3 million where
                    every step is kept (record="all"), 300 million elsewhere
    audit           "events", "dense" or "off": how closely the record is checked when the run has ended

    >>> ball = jounce.systems.bouncing_ball()
    >>> options = jounce.Options(tolerance=1e-12, law="newton", record="events")
    >>> len(jounce.simulate(ball, {"y": 1.0}, t_end=1.0, options=options).events)
    1
    """

    tolerance: float = 1e-10
    integrator: Integrator | str = Integrator.TAYLOR
    law: Law | str = Law.ENERGETIC
    simultaneous: Simultaneous | str = Simultaneous.SEQUENTIAL
    scales: Mapping[str, float] = field(default_factory=dict, hash=False)
    joint_gap: float | None = None
    chatter_rise: float = 3e-14
    chatter_speed: float | None = None
    indeterminate: Indeterminate | str = Indeterminate.SEPARATE
    inconsistent: Inconsistent | str = Inconsistent.IMPACT
    stick_release: StickRelease | str = StickRelease.CONE
    plastic_release: PlasticRelease | str = PlasticRelease.CONTINUE
    contact_detection: ContactDetection | str = ContactDetection.LOCATED
    penetration_tolerance: float | None = None
    largest_step: float | None = None
    constraint_stabilisation: ConstraintStabilisation | str = ConstraintStabilisation.PROJECTION
    baumgarte: tuple[float, float] = (5.0, 5.0)
    record: Recording | str = Recording.ALL
    ledger: bool = True
    max_events: int = 10_000_000
    max_steps: int | None = None
    audit: Audit | str = Audit.EVENTS

    def __post_init__(self) -> None:
        choose = object.__setattr__
        choose(self, "integrator", parse_choice(Integrator, self.integrator, "integrator"))
        choose(self, "law", Law.parse(self.law))
        choose(self, "simultaneous", parse_choice(Simultaneous, self.simultaneous, "simultaneous"))
        choose(self, "indeterminate", parse_choice(Indeterminate, self.indeterminate, "indeterminate"))
        choose(self, "inconsistent", parse_choice(Inconsistent, self.inconsistent, "inconsistent"))
        choose(self, "stick_release", parse_choice(StickRelease, self.stick_release, "stick_release"))
        choose(self, "plastic_release", parse_choice(PlasticRelease, self.plastic_release, "plastic_release"))
        detection = parse_choice(ContactDetection, self.contact_detection, "contact_detection")
        choose(self, "contact_detection", detection)
        for name in ("penetration_tolerance", "joint_gap", "chatter_speed"):
            if getattr(self, name) is not None:
                check_range(name, getattr(self, name), 0.0, math.inf)
        check_range("chatter_rise", self.chatter_rise, 0.0, 1e-4)
        choose(self, "scales", _checked_scales(self.scales))
        choose(self, "largest_step", in_seconds(self.largest_step, "largest_step", OptionError))
        if self.largest_step is not None:
            check_range("largest_step", self.largest_step, SMALLEST_NUMBER, math.inf)
        stabilisation = parse_choice(ConstraintStabilisation, self.constraint_stabilisation, "constraint_stabilisation")
        choose(self, "constraint_stabilisation", stabilisation)
        if not isinstance(self.baumgarte, (tuple, list)) or len(self.baumgarte) != 2:
            raise OptionError(f"baumgarte is {self.baumgarte!r}; it must be a pair (alpha, beta) in 1/s")
        for name, value in zip(("alpha", "beta"), self.baumgarte, strict=True):
            check_range(f"baumgarte: {name}", value, SMALLEST_NUMBER if name == "alpha" else 0.0, math.inf)
        choose(self, "baumgarte", (float(self.baumgarte[0]), float(self.baumgarte[1])))
        choose(self, "audit", parse_choice(Audit, self.audit, "audit"))
        choose(self, "record", parse_choice(Recording, self.record, "record"))
        check_range("tolerance", self.tolerance, 1e-14, 1e-2)
        if not isinstance(self.ledger, bool):
            raise OptionError(f"ledger is {self.ledger!r}; it must be True or False")
        check_whole("max_events", self.max_events, 1, 2**62)
        if self.max_steps is not None:
            check_whole("max_steps", self.max_steps, 1, 2**62)

    @classmethod
    @cache
    def default(cls) -> Options:
        """The options of a run that is given none."""
        return cls()

    @property
    def step_budget(self) -> int:
        """How many steps a run may take."""
        if self.max_steps is not None:
            return self.max_steps
        return KEPT_STEPS if self.record is Recording.ALL else 100 * KEPT_STEPS

    def as_dict(self) -> dict[str, Any]:
        """The options as text and numbers, ready for JSON and for Options(**...)."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value.name.lower() if isinstance(value, Enum) else value for name, value in values.items()}


def as_options(value: Any, tolerance: float | None = None) -> Options:
    """Options as they were given, the default ones for None; with another tolerance where that is given."""
    if value is None:
        value = Options.default()
    if not isinstance(value, Options):
        example = ", ".join(f"{name}={setting!r}" for name, setting in value.items()) if isinstance(value, dict) else ""
        raise OptionError(f"options must be jounce.Options({example or 'tolerance=1e-10, ...'}), not {value!r}")
    return value if tolerance is None else replace(value, tolerance=tolerance)


def refuse_options(parameters: Mapping[str, Any], system: System) -> None:
    """An error for an option that stands among the parameters of a model, which are given by keywords."""
    for name, value in parameters.items():
        if name in Options.__dataclass_fields__ and name not in system.parameter_names:
            raise OptionError(
                f"{name!r} is an option, no parameter of {system.outline.name}: options=Options({name}={value!r})"
            )
        if name in ("parameters", "params") and name not in system.parameter_names:
            example = f"{system.parameter_names[0]}=..." if system.parameter_names else "**values"
            raise OptionError(f"parameters are given one by one, {example}; a dictionary of them as **{name}")


def check_whole(option: str, value: Any, least: int, most: int) -> int:
    """A whole number between two bounds, or an OptionError that says so."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        raise OptionError(f"{option} is {value!r}; it must be a whole number from {least} to {most}")
    return int(value)


def _checked_scales(scales: Any) -> dict[str, float]:
    if not isinstance(scales, Mapping):
        raise OptionError(f"scales is {scales!r}; it must be a dictionary such as {{'y': 1e-6, 'd_y': 2.0}}")
    for name, value in scales.items():
        check_range(f"scales: {name}", value, SMALLEST_NUMBER, math.inf)
    return {str(name): float(value) for name, value in scales.items()}


def parse_choice(kind: type[Choice], value: Any, option: str) -> Choice:
    """A member of an enum by its name in lower case; a wrong one lists the valid ones."""
    if isinstance(value, kind):
        return value
    names = [member.name.lower() for member in kind]
    if isinstance(value, str) and value.lower() in names:
        return kind[value.upper()]
    raise OptionError(f"{option} is {value!r}; {suggestion(str(value), names, 'values')}")


def check_range(option: str, value: Any, low: float, high: float) -> None:
    """A finite number between two bounds, or an OptionError that says so."""
    if not (isinstance(value, int | float) and is_finite(value) and low <= value <= high):
        wanted = f"between {low:g} and {high:g}" if math.isfinite(high) else f"finite and at least {low:g}"
        raise OptionError(f"{option} is {value!r}; it must be a number {wanted}")


def is_finite(value: Any) -> bool:
    """Whether a value is a finite number."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False


def check_names(option: str, value: Any) -> tuple[str, ...]:
    """Some names, or one."""
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise OptionError(f"{option} is {value!r}; it must be a list of names, like ['x', 'd_x']")
    return tuple(names)


def check_callable(option: str, value: Any) -> None:
    """A function, or None."""
    if value is not None and not callable(value):
        raise OptionError(f"{option} is {value!r}; it must be a function, or None")
