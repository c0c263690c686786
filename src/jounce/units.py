"""Numbers with units: ``"5 mm"`` for a coordinate that is declared in m is 0.005.

A unit is a product of powers of symbols, "N s/m^1.5", "kg m^2", "1/s^2". Each symbol stands for a number times powers
of length, time, mass, angle, current and temperature. Conversion divides two such numbers, as fractions, so that what
is exact in decimals ("981 cm/s^2" -> 9.81) stays the nearest double; pi is kept apart.

The radian counts as 1 (N m/rad is N m), except where it would decide between two meanings: a rate per second may count
radians or turns, so that Hz and 1/s are never converted to rad/s, nor rpm to 1/s.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from jounce.errors import JounceError, suggestion

TIME = "s"  # the unit of every time: velocities are declared per second
LARGEST_POWER = 12  # of a symbol in a unit
LONGEST_TEXT = 200  # characters of a number with its unit

_NAMES = ("length", "time", "mass", "angle", "current", "temperature")
_ANGLE = 3
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?"
_QUANTITY = re.compile(rf"\s*({_NUMBER})(\s*[^\W\d_].*|\s*°.*|\s*%|\s+1\s*/.*)", re.DOTALL)
_POWER = r"(?:\*\*|\^)\s*([+-]?\d+(?:\.\d+)?|\(\s*[+-]?\d+(?:\.\d+|\s*/\s*\d+)?\s*\))"
_TOKEN = re.compile(rf"\s*(?:{_POWER}|([*/()])|(1(?![\d.])|%|[^\W\d_]+))")
_SUPERSCRIPTS = str.maketrans({"²": "^2", "³": "^3", "μ": "u", "µ": "u", "°": " deg ", "·": "*"})

_PREFIXES = {
    "": 0, "n": -9, "u": -6, "m": -3, "c": -2, "d": -1, "h": 2, "k": 3, "M": 6, "G": 9, "p": -12, "T": 12, "da": 1,
}  # fmt: skip


@dataclass(frozen=True)
class Unit:
    """factor * pi^turns * m^a s^b kg^c rad^d A^e K^f."""

    factor: Fraction
    pi: Fraction
    dimension: tuple[Fraction, ...]

    def __mul__(self, other: Unit) -> Unit:
        dimension = tuple(a + b for a, b in zip(self.dimension, other.dimension, strict=True))
        return Unit(self.factor * other.factor, self.pi + other.pi, dimension)

    def __pow__(self, power: Fraction) -> Unit:
        # a fractional power of a fraction is a float: the only inexact step
        return Unit(Fraction(self.factor**power), self.pi * power, tuple(a * power for a in self.dimension))

    def fits(self, other: Unit) -> bool:
        """Whether numbers of this unit can be converted to the other."""
        mechanical = [tuple(unit.dimension[:_ANGLE]) for unit in (self, other)]
        if mechanical[0] != mechanical[1] or self.dimension[_ANGLE + 1 :] != other.dimension[_ANGLE + 1 :]:
            return False
        is_rate = mechanical[0] == (0, -1, 0) and not any(self.dimension[_ANGLE + 1 :])
        return not is_rate or self.dimension[_ANGLE] == other.dimension[_ANGLE]


def _unit(factor: Any = 1, length: int = 0, time: int = 0, mass: int = 0, pi: int = 0, **others: int) -> Unit:
    powers = {"length": length, "time": time, "mass": mass, **others}
    return Unit(Fraction(factor), Fraction(pi), tuple(Fraction(powers.get(name, 0)) for name in _NAMES))


#: Symbols that take prefixes: mm, kN, MPa.
_PREFIXABLE = {
    "m": _unit(length=1),
    "s": _unit(time=1),
    "g": _unit("1/1000", mass=1),
    "rad": _unit(angle=1),
    "Hz": _unit(time=-1),
    "N": _unit(length=1, time=-2, mass=1),
    "Nm": _unit(length=2, time=-2, mass=1),
    "Ns": _unit(length=1, time=-1, mass=1),
    "J": _unit(length=2, time=-2, mass=1),
    "W": _unit(length=2, time=-3, mass=1),
    "Pa": _unit(length=-1, time=-2, mass=1),
    "bar": _unit(100_000, length=-1, time=-2, mass=1),
    "A": _unit(current=1),
    "V": _unit(length=2, time=-3, mass=1, current=-1),
    "K": _unit(temperature=1),
}
_WHOLE = {
    "1": _unit(),
    "%": _unit("1/100"),
    "min": _unit(60, time=1),
    "h": _unit(3600, time=1),
    "d": _unit(86400, time=1),
    "deg": _unit("1/180", angle=1, pi=1),
    "turn": _unit(2, angle=1, pi=1),
    "rev": _unit(2, angle=1, pi=1),
    "rpm": _unit("1/30", angle=1, time=-1, pi=1),
    "t": _unit(1000, mass=1),
    "in": _unit("0.0254", length=1),
    "ft": _unit("0.3048", length=1),
    "lb": _unit("0.45359237", mass=1),
    "lbf": _unit("4.4482216152605", length=1, time=-2, mass=1),
}
#: What a message offers, in this order.
_COMMON = (
    "mm", "cm", "m", "km", "in", "ft", "ms", "s", "min", "h", "g", "kg", "t", "lb", "mN", "N", "kN", "N m", "J", "kJ",
    "W", "kW", "Pa", "MPa", "bar", "rad", "deg", "turn", "rad/s", "deg/s", "rpm", "Hz", "kHz", "1/s", "m/s", "mm/s",
    "km/h", "m/s^2", "cm/s^2", "N/m", "N/mm", "N s/m", "kg m^2", "g cm^2", "N m/rad", "1", "%",
)  # fmt: skip
#: The coherent symbols by which a unit is written that was declared by nothing but a number: "5 kN/mm" is in N/m.
_COHERENT = {
    "g": "kg", "t": "kg", "lb": "kg", "min": "s", "h": "s", "d": "s", "in": "m", "ft": "m", "deg": "rad", "turn": "rad",
    "rev": "rad", "rpm": "rad/s", "lbf": "N", "bar": "Pa", "Nm": "N m", "Ns": "N s", "%": "1",
}  # fmt: skip


class UnitError(JounceError):
    """A text that is no unit."""


def is_quantity(value: Any) -> bool:
    """Whether something is a text of a number and a unit, right or wrong; numbers alone are none."""
    return _split(value) is not None


def in_unit(value: Any, unit: str, what: str, error: type[JounceError]) -> Any:
    """A text with a unit as a number in the declared ``unit``; whatever else as it is.

    what    names the number in messages, e.g. "state: y"
    error   the class of the error of a wrong unit
    """
    parts = _split(value)
    if parts is None:
        return value
    number, written = parts
    try:
        given = parse_unit(written)
    except UnitError as problem:
        raise error(f"{what} is {value!r}: {problem}") from None
    try:
        declared = parse_unit(unit)
    except UnitError:
        raise error(
            f"{what} is {value!r}, but it is declared in {unit!r}, which is no unit that can be converted; give the "
            "number alone"
        ) from None
    if not given.fits(declared):
        raise error(f"{what} is {value!r}; {_misfit(given, declared, written, unit)}")
    return _converted(number, given, declared, f"{what} is {value!r}", error)


def in_units(values: Any, unit: str, what: str, error: type[JounceError]) -> Any:
    """The same for a list of values."""
    if isinstance(values, list | tuple):
        return [in_unit(value, unit, what, error) for value in values]
    return in_unit(values, unit, what, error)


def in_seconds(value: Any, what: str, error: type[JounceError]) -> Any:
    """A text like "2 min", or a number of another library such as ``sympy.pi``, in seconds; whatever else as it is."""
    value = in_unit(value, TIME, what, error)
    scalar = hasattr(value, "__float__") and getattr(value, "ndim", 0) == 0
    if isinstance(value, float | int | str | bytes) or not scalar:
        return value
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return value


def coherent(value: str, what: str, error: type[JounceError]) -> tuple[float, str]:
    """A text with a unit where none is declared: the number in the SI unit without prefixes, and that unit."""
    parts = _split(value)
    if parts is None:
        raise error(f"{what} is {value!r}; it must be a number, or a text of a number and a unit such as '5 mm'")
    try:
        unit = _coherent_text(parts[1])
    except UnitError as problem:
        raise error(f"{what} is {value!r}: {problem}") from None
    return in_unit(value, unit, what, error), unit


@lru_cache(maxsize=1024)
def parse_unit(text: str) -> Unit:
    """The unit of a text such as "kg m^2/s^2"; a UnitError says what is wrong with it."""
    unit = _WHOLE["1"]
    for symbol, power in _factors(text):
        unit = unit * _symbol(symbol) ** power
    return unit


def counts_in_si(unit: str) -> bool:
    """Whether a unit measures length and mass in metres and kilograms, if it measures them at all.

    Angles, times and texts that are no unit say nothing of either: "deg", "rpm" and "" count.
    """
    try:
        parsed = parse_unit(unit)
    except UnitError:
        return True
    holds = any(parsed.dimension[_NAMES.index(name)] for name in ("length", "mass"))
    return not holds or (parsed.factor == 1 and not parsed.pi)


def _split(value: Any) -> tuple[Fraction, str] | None:
    """(number, unit) of a text that is both."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        return None
    try:
        float(value)
        return None
    except ValueError:
        found = _QUANTITY.fullmatch(value.rstrip())
    return (Fraction(found[1]), found[2].strip()) if found else None


def _converted(number: Fraction, given: Unit, declared: Unit, said: str, error: type[JounceError]) -> float:
    try:
        return float(number * given.factor / declared.factor) * math.pi ** float(given.pi - declared.pi)
    except OverflowError:
        raise error(f"{said}: the number is too large") from None


def _factors(text: str) -> list[tuple[str, Fraction]]:
    """The symbols of a unit with their powers. A slash divides by the next symbol, or by those in parentheses."""
    text = text.translate(_SUPERSCRIPTS).strip()
    found: list[tuple[str, Fraction]] = []
    sign, inside, divided, joined, at = 1, False, False, True, 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise UnitError(f"{text[at:].strip()!r} in the unit {text!r} cannot be read; write it like 'N s/m^1.5'")
        at = token.end()
        power, mark, symbol = token.groups()
        if symbol is not None:
            if divided and not joined and not inside:
                raise UnitError(f"{text!r} can be read in two ways; write 'N s/m', or 'N/(m s)'")
            found.append((symbol, Fraction(sign)))
            divided, joined = divided or sign < 0, False
            sign = sign if inside else 1
        elif power is not None:
            if joined:
                raise UnitError(f"a power without a symbol in the unit {text!r}")
            found[-1] = (found[-1][0], found[-1][1] * _power(power, text))
        elif mark == "/":
            sign, joined = -1, True
        elif mark == "*":
            joined = True
        elif (mark == "(") == inside or (mark == "(") != joined:
            raise UnitError(f"the parentheses of the unit {text!r} cannot be read; write it like 'N/(m s)'")
        else:
            inside, sign = not inside, sign if mark == "(" else 1
    if inside or (joined and text):
        raise UnitError(f"the unit {text!r} is not complete; write it like 'N s/m^1.5'")
    return found


def _power(text: str, unit: str) -> Fraction:
    power = Fraction("".join(text.strip("() ").split()))
    if abs(power) > LARGEST_POWER:
        raise UnitError(f"the power {text} in the unit {unit!r} is beyond {LARGEST_POWER}")
    return power


def _symbol(symbol: str) -> Unit:
    parts = _prefix(symbol)
    if parts is None:
        known = [*_WHOLE, *_PREFIXABLE, "mm", "cm", "km", "kg", "ms", "kN", "MPa", "kHz"]
        raise UnitError(f"there is no unit {symbol!r}; {suggestion(symbol, known, 'units')}")
    power, base = parts
    return _unit(Fraction(10) ** power) * (_WHOLE.get(base) or _PREFIXABLE[base])


def _prefix(symbol: str) -> tuple[int, str] | None:
    """(power of ten, symbol without prefix)."""
    if symbol in _WHOLE:
        return 0, symbol
    for prefix, power in _PREFIXES.items():
        if symbol.startswith(prefix) and symbol[len(prefix) :] in _PREFIXABLE:
            return power, symbol[len(prefix) :]
    return None


def _coherent_text(text: str) -> str:
    """The same unit without prefixes, minutes, degrees."""
    powers: dict[str, Fraction] = {}
    for symbol, power in _factors(text):
        _symbol(symbol)
        base = (_prefix(symbol) or (0, symbol))[1]
        for part, inner in _factors(_COHERENT.get(base, base)):
            powers[part] = powers.get(part, Fraction(0)) + power * inner
    powers.pop("1", None)
    above = [_written(name, power) for name, power in powers.items() if power > 0]
    below = [_written(name, -power) for name, power in powers.items() if power < 0]
    under = f"/({' '.join(below)})" if len(below) > 1 else f"/{below[0]}" if below else ""
    return (" ".join(above) or ("1" if below else "")) + under


def _written(name: str, power: Fraction) -> str:
    return name if power == 1 else f"{name}^{float(power):g}"


def _misfit(given: Unit, declared: Unit, written: str, unit: str) -> str:
    """Why two units do not fit, and which would."""
    fitting = [name for name in _offered(unit) if parse_unit(name).fits(declared)]
    rate = given.dimension[:_ANGLE] == declared.dimension[:_ANGLE] == (0, -1, 0)
    reason = "one counts radians or turns, the other does not say which" if rate else "these are different dimensions"
    said = f"declared in {unit!r}" if unit else "declared without a unit"
    return f"it is {said}, and {written!r} does not fit ({reason}). Units that fit: {', '.join(fitting)}"


def _offered(unit: str) -> Iterable[str]:
    return dict.fromkeys([*([unit] if unit else []), *_COMMON])
