"""Random runs of all families from the command line.

    python -m tests.families.run --seed 0 --runs 100 [--family belt] [--no-compare]

Prints every failure with its family, seed and cause, and a table of causes at the end. A failure is repeated with
--seed S --runs 1 --family F.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tests.families import automata, bristles, cornered, flying, jamming, jointed, mixed, rubbing, sliding, speeds
from tests.families.check import failures_of, simulate
from tests.families.family import Family
from tests.spoilt_scratch import spoil_scratch

FAMILIES: list[Family] = [
    *flying.FAMILIES, *sliding.FAMILIES, *jointed.FAMILIES, *speeds.FAMILIES, *automata.FAMILIES, *jamming.FAMILIES,
    *rubbing.FAMILIES, *mixed.FAMILIES, *bristles.FAMILIES, *cornered.FAMILIES,
]  # fmt: skip


def main() -> int:
    """Run and report; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--runs", type=int, default=20, help="runs of each family")
    parser.add_argument("--family", action="append", choices=[family.name for family in FAMILIES])
    parser.add_argument("--no-compare", action="store_true", help="do not cut runs and do not scale their units")
    chosen = parser.parse_args()
    families = [family for family in FAMILIES if not chosen.family or family.name in chosen.family]
    spoil_scratch()
    causes: Counter[tuple[str, str]] = Counter()
    failed = 0
    simulate(families[0], families[0].sample(chosen.seed))  # compiles what is missing, which is no part of any run
    for family in families:
        began, bad = time.perf_counter(), 0
        for seed in range(chosen.seed, chosen.seed + chosen.runs):
            found = failures_of(family, seed, compare=not chosen.no_compare)
            bad += bool(found)
            for failure in found:
                causes[failure.family, failure.cause] += 1
                print(f"{failure.family} seed {failure.seed}: {failure.cause}: {failure.detail}", flush=True)
        failed += bad
        spent = time.perf_counter() - began
        print(f"-- {family.name}: {bad} of {chosen.runs} runs fail, {spent:.1f} s", flush=True)
    for (name, cause), number in causes.most_common():
        print(f"{number:6} {name}: {cause}")
    print(f"{failed} of {len(families) * chosen.runs} runs fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
