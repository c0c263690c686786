"""Models composed at random: bodies, couplings, surfaces, laws and automata that nobody chose to go together.

    python -m tests.families.composed --seed 0 --runs 20

A family of the others is one model with random numbers; here the equations are random too, written as a stranger
writes them, and each seed is compiled by itself. What is asked of a run is what is asked of every random run, and that
it is the same, bit for bit, in units that are powers of two, and the same with another integrator.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

import jounce
from jounce import Model, time
from tests.families.check import Failure, Twin, at_most, failures_of
from tests.families.composing.automata import controller, reset, wear
from tests.families.composing.bodies import BODIES
from tests.families.composing.loads import LOADS
from tests.families.composing.parts import Parts
from tests.families.composing.surfaces import stops, surface
from tests.families.family import Draw, Family, Numbers, compiled, in_units, state_factors
from tests.spoilt_scratch import spoil_scratch

#: ends that may be right: rigid friction has paradoxes, surfaces may close in on a body
MAY_END = ("FINISHED", "AT_REST", "PARADOX", "ENDLESS_RESETS")

#: Seconds that no model of these needs to be made and compiled.
SLOW_MODEL = 20.0


class Composed(Family):
    """A family of one model and one run, with any of the options."""

    def sample(self, seed: int) -> Draw:
        """The run of a seed."""
        draw = super().sample(seed)
        random = np.random.default_rng([seed, 13])
        options: dict[str, Any] = {"tolerance": float(10.0 ** random.uniform(-12, -5))}
        # gaps are lengths and angles here, which no one number can be
        options |= {"chatter_speed": None, "joint_gap": None}
        for share, name, choices in (
            (0.1, "indeterminate", ("contact",)), (0.1, "stick_release", ("free",)),
            (0.1, "largest_step", (0.01, 0.1)),
            (0.1, "chatter_rise", (0.0, 1e-10)), (0.1, "ledger", (False,)),
        ):  # fmt: skip
            if random.random() < share:
                options[name] = choices[int(random.integers(len(choices)))]
        return replace(draw, options={**draw.options, **options})


def composed(seed: int) -> Parts:
    """The parts of the model of a seed."""
    parts = Parts(np.random.default_rng([seed, 11]))
    for body in range(parts.one_of([1, 1, 2, 2, 3])):
        parts.one_of(BODIES)(parts, body)
    for share, add, most in LOADS:
        for _ in range(most):
            if parts.chance(share):
                add(parts)
    for share, add in ((0.08, wear), (0.1, controller)):
        if parts.chance(share):
            add(parts, 0)
    for k in range(parts.one_of([1, 1, 2, 2, 3])):
        surface(parts, k)
    if parts.chance(0.2):
        stops(parts, 0)
    for k in range(parts.one_of([0, 0, 0, 1, 2])):
        reset(parts, k)
    if parts.chance(0.2):
        parts.guards["apex"] = parts.one_of(list(parts.velocity.values()))
    return parts


def model_of(seed: int) -> Model:
    """The model of a seed."""
    parts = composed(seed)
    return Model.from_lagrangian(
        f"composed{seed}",
        coordinates=list(parts.velocity),
        kinetic=parts.kinetic,
        potential=parts.potential,
        forces=parts.forces,
        joints=parts.joints,
        contacts=parts.contacts,
        resets=parts.resets,
        guards=parts.guards,
        rates=parts.rates,
        period=2 * sp.pi / parts.frequency if parts.is_driven else None,
        parameters=[],
    )


def family_of(seed: int) -> Family:
    """A family of one run: it starts with every gap open, or is not made."""
    parts = composed(seed)
    initial = {symbol: symbol.state.default for each in parts.resets for symbol in each.map if hasattr(symbol, "state")}
    known = {**parts.values, **initial, time: 0.0}

    def draw(random: np.random.Generator) -> tuple[Numbers, Numbers, float]:
        parts.random = random
        gaps = [sp.sympify(contact.gap).subs(known) for contact in parts.contacts if contact.gap is not None]
        opened = sp.lambdify(list(parts.velocity), gaps)
        for _ in range(300):
            start = {name: value for part in parts.starts for name, value in part().items()}
            if not gaps or min(opened(*(start[q.name] for q in parts.velocity))) > 0.01:
                return {}, start, 3.0
        raise LookupError(seed)

    integrators = ("taylor", "taylor", "dop853", "dopri5")
    return Composed(f"composed{seed}", lambda: model_of(seed), draw, integrators=integrators, good=MAY_END)


def twins(family: Family, draw: Draw, seed: int) -> list[Twin]:
    """The same motion in powers of two of the units, to the bit, and with another integrator."""
    random = np.random.default_rng([seed, 17])
    scales = 4.0 ** random.integers(-10, 11, 3)
    scaled = in_units(family, draw, scales)
    others = [name for name in ("taylor", "dop853", "dopri5") if name != draw.options["integrator"]]
    options = {**draw.options, "integrator": str(random.choice(others))}
    return [
        Twin(f"twos {scales}", scaled, state_factors(family, scales), exact=True),
        Twin(f"integrator {options['integrator']} for {draw.options['integrator']}", replace(draw, options=options)),
    ]


def failures_of_model(seed: int) -> list[Failure] | None:
    """Everything that is wrong with the run of a seed; None where no start was found."""
    family = family_of(seed)
    try:
        family.sample(seed)
    except LookupError:
        return None
    try:
        with at_most(SLOW_MODEL):
            compiled(family)
        return failures_of(family, seed, twins=lambda draw: twins(family, draw, seed))
    except KeyboardInterrupt:
        return [Failure(family.name, seed, "slow", f"not compiled after {SLOW_MODEL:g} s")]
    except jounce.errors.JounceError as error:
        return [Failure(family.name, seed, type(error).__name__, str(error)[:200])]
    finally:
        compiled.cache_clear()


def main() -> int:
    """Run and report; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--runs", type=int, default=20, help="models")
    chosen = parser.parse_args()
    spoil_scratch()
    ends: Counter[str] = Counter()
    for seed in range(chosen.seed, chosen.seed + chosen.runs):
        found = failures_of_model(seed)
        for failure in found or ():
            print(f"{seed}: {failure.cause}: {failure.detail}", flush=True)
        ends["no start" if found is None else "failed" if found else "good"] += 1
    print(dict(ends))
    return 1 if ends["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
