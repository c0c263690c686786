"""Laws of one contact: small programs of a few numbers of it, such as its slip velocity or how deep it is.

Contacts with the same law share its instructions. They read what a law is given in place of the velocities of bodies;
coordinates, time and parameters are those of the machine.
"""

from jounce.kernels.bodies.layout import FIRST_INSTRUCTION, LAST_INSTRUCTION, LAW_ROW, SAYS
from jounce.kernels.bodies.programs import number, run_program
from jounce.kernels.records.arrays import integers_at, numbers_at
from jounce.kernels.records.fields import Tables
from jounce.toolchain.jit import address, kernel
from jounce.toolchain.kernel_types import Integer, Numbers, Scalar


@kernel
def obey(
    tables: Tables,
    law: Integer,
    t: Scalar,
    q: Numbers[Scalar],
    given: Numbers[Scalar],
    p: Numbers[Scalar],
    values: Numbers[Scalar],
) -> None:
    """Run a law, counted from 1 on, with what it is given."""
    row = address(integers_at(tables.law).at, (law - 1) * LAW_ROW)
    run_program(tables, row[FIRST_INSTRUCTION], row[LAST_INSTRUCTION], t, q, given, p, values)


@kernel
def said(tables: Tables, law: Integer, what: Integer, values: Numbers[Scalar]) -> Scalar:
    """One of the numbers that the law gave when it was run last."""
    reference = integers_at(tables.law).at[(law - 1) * LAW_ROW + SAYS + what]
    return number(numbers_at(tables.constant).at, values, reference)
