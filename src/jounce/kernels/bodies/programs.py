"""Small expressions of parameters, time and state, as rows of instructions: each computes one value from others.

A machine in which a mass is a parameter, a length l/2, a motor's angle omega t needs no compiler for these. What does
not depend on the state is computed by the first instructions, forces by the next, guards by the last.
"""

import math

from jounce.kernels.bodies.layout import INSTRUCTION
from jounce.kernels.bodies.numbers import chained, cosine, inverse, root, sine, size
from jounce.kernels.records.arrays import integers_at, numbers_at
from jounce.kernels.records.fields import Tables
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Numbers, Reals, Scalar

(PARAMETER, TIME, POSITION, VELOCITY, ADD, MULTIPLY, INVERSE, WHOLE_POWER, POWER, ROOT) = range(10)
(SINE, COSINE, TANGENT, EXPONENTIAL, LOGARITHM, ABSOLUTE, SIGN, LARGER, SMALLER, LESS, LESS_OR_EQUAL) = range(10, 21)
(SELECT, ARCTANGENT, DIRECTION_OF, HYPERBOLIC_TANGENT, BOTH, EITHER, HELD, EQUAL, UNEQUAL, NEITHER) = range(21, 31)


@kernel
def number(constants: Reals, values: Numbers[Scalar], reference: Integer) -> Scalar:
    """The number behind a reference."""
    return constants[reference] if reference >= 0 else values[-1 - reference]


@kernel
def whole_power(x: Scalar, exponent: Integer) -> Scalar:
    """x^k of a whole k > 0."""
    result = x
    for _ in range(exponent - 1):
        result = result * x
    return result


@kernel
def power(x: Scalar, y: Scalar) -> Scalar:
    """x^y of any numbers."""
    a, b = x.real, y.real
    value = a**b
    slope_y = value * math.log(a) if a > 0.0 else 0.0
    return chained(y, chained(x, value, b * a ** (b - 1.0)), slope_y)


@kernel
def of_one(operation: Integer, x: Scalar) -> Scalar:
    """A function of one number."""
    a = x.real
    if operation == SINE:
        return sine(x)
    if operation == COSINE:
        return cosine(x)
    if operation == ROOT:
        return root(x)
    if operation == INVERSE:
        return inverse(x)
    if operation == ABSOLUTE:
        return size(x)
    if operation == SIGN:
        return 0.0 * x + ((1.0 if a > 0.0 else 0.0) - (1.0 if a < 0.0 else 0.0))
    if operation == NEITHER:
        return 0.0 * x + (1.0 if a == 0.0 else 0.0)
    if operation == TANGENT:
        return chained(x, math.tan(a), 1.0 + math.tan(a) ** 2)
    if operation == EXPONENTIAL:
        return chained(x, math.exp(a), math.exp(a))
    if operation == LOGARITHM:
        return chained(x, math.log(a), 1.0 / a)
    if operation == ARCTANGENT:
        return chained(x, math.atan(a), 1.0 / (1.0 + a * a))
    return chained(x, math.tanh(a), 1.0 - math.tanh(a) ** 2)


@kernel
def of_two(operation: Integer, x: Scalar, y: Scalar) -> Scalar:
    """A function of two numbers; conditions are 1 or 0."""
    a, b = x.real, y.real
    if operation == ADD:
        return x + y
    if operation == MULTIPLY:
        return x * y
    if operation == LARGER:
        return x if a >= b else y
    if operation == SMALLER:
        return x if a <= b else y
    if operation == POWER:
        return power(x, y)
    if operation == HELD:  # x is a border, y the side on which a step holds it, 0: on none
        return y if b != 0.0 else x
    if operation == DIRECTION_OF:
        square = a * a + b * b
        return chained(y, chained(x, math.atan2(a, b), b / square), -a / square)
    if operation == LESS:
        holds = a < b
    elif operation == LESS_OR_EQUAL:
        holds = a <= b
    elif operation == EQUAL:
        holds = a == b
    elif operation == UNEQUAL:
        holds = a != b
    elif operation == BOTH:
        holds = a != 0.0 and b != 0.0
    else:
        holds = a != 0.0 or b != 0.0
    return 0.0 * x + (1.0 if holds else 0.0)


@kernel
def run_program(
    tables: Tables,
    first: Integer,
    end: Integer,
    t: Scalar,
    q: Numbers[Scalar],
    u: Numbers[Scalar],
    p: Numbers[Scalar],
    values: Numbers[Scalar],
) -> None:
    """Compute the values of the instructions from ``first`` to ``end``."""
    constants, code = numbers_at(tables.constant).at, integers_at(tables.program).at
    for k in range(first, end):
        at = k * INSTRUCTION
        operation, target, operand = code[at], code[at + 1], code[at + 2]
        if operation == PARAMETER:
            values[target] = p[operand]
        elif operation == TIME:
            values[target] = t
        elif operation == POSITION:
            values[target] = q[operand]
        elif operation == VELOCITY:
            values[target] = u[operand]
        elif operation == WHOLE_POWER:
            values[target] = whole_power(number(constants, values, operand), code[at + 3])
        elif operation == SELECT:
            chosen = code[at + 3] if number(constants, values, operand).real != 0.0 else code[at + 4]
            values[target] = number(constants, values, chosen)
        elif operation in (
            ADD,
            MULTIPLY,
            LARGER,
            SMALLER,
            POWER,
            DIRECTION_OF,
            LESS,
            LESS_OR_EQUAL,
            EQUAL,
            UNEQUAL,
            BOTH,
            EITHER,
            HELD,
        ):
            other = number(constants, values, code[at + 3])
            values[target] = of_two(operation, number(constants, values, operand), other)
        else:
            values[target] = of_one(operation, number(constants, values, operand))
