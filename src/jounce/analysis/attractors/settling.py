"""Motions that have not settled are followed on: a long transient is no attractor, and chaos may be one.

A motion that does not repeat within its first returns may be slow to settle (small deviations shrink), or wander
chaotically for thousands of returns before it falls onto an orbit. Each round follows what is undecided for as many
returns as it has had already, until it repeats or its budget of returns is used up. Chaos is tested once more in the
first round; as long as some of the chaotic motions computed together settle, the others are followed on too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from jounce.kernels.records import attractor_codes as codes

Results = dict[str, np.ndarray]
#: (items, starts, returns before the attractor is looked at) -> what is found, or None if it was cancelled.
Pass = Callable[[np.ndarray, np.ndarray, int], Results | None]


def settle(found: Results, run: Pass, transient: int, keep: int, patience: int) -> Results | None:
    """The results with undecided motions followed on, and ``sure``; None if it was cancelled."""
    facts = found["facts"]
    rounds = np.where(_of(facts, codes.CHAOTIC), 1, 0)
    had, budget = transient + keep, patience * (transient + keep)
    chaos_leaks = True
    while 2 * had <= budget:
        chaotic, unsettled = _of(facts, codes.CHAOTIC), _of(facts, codes.UNSETTLED)
        chosen = np.flatnonzero(unsettled | (chaotic & chaos_leaks))
        if not len(chosen):
            break
        more = run(chosen, found["end"][chosen], had - keep)
        if more is None:
            return None
        chaos_leaks = bool(np.any(chaotic[chosen] & ~_of(more["facts"], codes.CHAOTIC)))
        both = chaotic[chosen] & _of(more["facts"], codes.CHAOTIC)
        # the growth of deviations is a mean: over all tests that found chaos
        old = found["exponent"][chosen] * rounds[chosen]
        more["exponent"] = np.where(both, (old + more["exponent"]) / (rounds[chosen] + 1), more["exponent"])
        rounds[chosen] = np.where(_of(more["facts"], codes.CHAOTIC), rounds[chosen] + 1, 0)
        for column in (codes.RETURNS, codes.TOTAL_IMPACTS):
            more["facts"][:, column] += facts[chosen, column]
        for name, values in more.items():
            found[name][chosen] = values
        had *= 2
    found["sure"] = sureness(facts, rounds)
    return found


def sureness(facts: np.ndarray, rounds: np.ndarray) -> np.ndarray:
    """How sure every verdict is, from 0 to 1.

    1 for what repeats, rests or has ended. A motion that was found chaotic in k rounds, each as long as all before it,
    is so in the next one with the probability (k + 1)/(k + 2) (Laplace's rule of succession). 0 for what is unsettled.
    """
    sure = np.ones(len(facts))
    sure[_of(facts, codes.UNSETTLED)] = 0.0
    chaotic = _of(facts, codes.CHAOTIC)
    sure[chaotic] = (rounds[chaotic] + 1.0) / (rounds[chaotic] + 2.0)
    return sure


def _of(facts: np.ndarray, kind: int) -> np.ndarray:
    return np.asarray(facts[:, codes.KIND] == kind)
