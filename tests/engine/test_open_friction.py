"""Forces that statics leaves open and that friction makes a motion of; contacts that jam together."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from benchmarks.scenes import G
from jounce import Body, CircleOn, Force, Line, Model, contact_between, ground, parameters

COUNT = 3


def row() -> Model:
    """Three discs of radius 1 side by side on a floor, pushed together; the outer ones roll, the middle one slides."""
    mu, push, back, weight = parameters(mu=(0.5, ""), push=(3.0, "N"), back=(3.0, "N"), weight=(0.0, "N"))
    discs = [
        Body(f"d{k}", 1.0, 0.5, center=(2.0 * k, 1.0), velocity=(1.0, 0), spin=1.0 if k == 1 else -1.0)
        for k in range(COUNT)
    ]
    rims = [CircleOn(disc, (0, 0), 1.0) for disc in discs]
    contacts = [contact_between(f"floor{k}", rim, Line(ground), friction=mu) for k, rim in enumerate(rims)]
    contacts += [contact_between(f"pair{k}", rims[k], rims[k + 1], friction=mu) for k in range(COUNT - 1)]
    forces = [Force(discs[0], (push, 0)), Force(discs[1], (0, -weight)), Force(discs[-1], (-back, 0))]
    return Model.from_bodies("rolling_row", bodies=discs, gravity=G, contacts=contacts, forces=forces)


def acceleration(mu: float, push: float, back: float, weight: float) -> tuple[float, bool] | None:
    """(x'', whether a limit has chosen it) of the least forces within the limits; None where there are none."""
    n = 3 * COUNT
    inverse = np.tile([1.0, 1.0, 2.0], COUNT)
    h = np.zeros(n)
    h[1::3], h[0], h[n - 3] = -G, push, -back
    h[4] -= weight
    rows, columns, limits, unknown = [], [], [], 0

    def direction(parts: dict[int, float]) -> np.ndarray:
        out = np.zeros(n)
        for place, value in parts.items():
            out[place] = value
        return out

    for k in range(COUNT):
        normal, tangent = direction({3 * k + 1: 1.0}), direction({3 * k: 1.0, 3 * k + 2: 1.0})
        if k == 1:  # it slides forwards
            rows.append(normal)
            columns.append(normal - mu * tangent)
            limits.append({unknown: 1.0})
            unknown += 1
            continue
        rows += [normal, tangent]
        columns += [normal, tangent]
        limits += [{unknown: mu, unknown + 1: 1.0}, {unknown: mu, unknown + 1: -1.0}]
        unknown += 2
    for k in range(COUNT - 1):
        a, b = 3 * k, 3 * k + 3
        normal = direction({a: -1.0, b: 1.0})
        tangent = direction({a + 1: 1.0, b + 1: -1.0, a + 2: 1.0, b + 2: 1.0})
        rows += [normal, tangent]
        columns += [normal, tangent]
        limits += [{unknown: mu, unknown + 1: 1.0}, {unknown: mu, unknown + 1: -1.0}]
        unknown += 2
    R, F = np.array(rows), np.array(columns).T
    unit = np.sqrt(np.einsum("kj,j,kj->k", R, inverse, R))
    matrix = (R * inverse) @ F / np.outer(unit, unit)
    u, values, v = np.linalg.svd(matrix)
    assert values[-1] < 1e-12 < values[-2]
    right = -(R @ (inverse * h)) / unit
    x0 = v[:-1].T @ ((u.T @ right)[:-1] / values[:-1]) / unit
    z = v[-1] / unit
    G_ = np.array([[limit.get(k, 0.0) for k in range(unknown)] for limit in limits])
    low, high = -np.inf, np.inf
    for c, a in zip(G_ @ x0, G_ @ z, strict=True):
        if abs(a) < 1e-12:
            if c < 0:
                return None
        elif a > 0:
            low = max(low, -c / a)
        else:
            high = min(high, -c / a)
    if low > high:
        return None
    chosen = float(np.clip(0.0, low, high))
    return float((inverse * (h + F @ (x0 + chosen * z)))[0]), chosen != 0.0


def test_of_many_motions_the_one_with_the_least_forces_within_the_limits() -> None:
    """x'' against an independent solution, also where the least forces of all leave a cone: that was a paradox."""
    system = jounce.compile_model(row())
    random = np.random.default_rng(45)
    limited = free = 0
    for _ in range(60):
        p = {
            "mu": random.uniform(0.1, 0.8), "push": random.uniform(1, 40), "back": random.uniform(1, 40),
            "weight": random.uniform(-9, 30),
        }  # fmt: skip
        expected = acceleration(**p)
        run = jounce.simulate(system, None, 0.02, **p)
        assert run.status.name == "FINISHED", (p, run.status)
        assert run.audit().empty
        modes = dict(zip(system.contact_names, run.final.mode_names, strict=True))
        if (
            set(modes.values()) != {"STICK", "SLIP+"}
            or modes["floor1"] != "SLIP+"
            or list(modes.values()).count("STICK") != 4
        ):
            continue
        assert expected is not None, p
        assert run.final["d_d0_x"] == pytest.approx(1.0 + 0.02 * expected[0], abs=1e-9)
        limited, free = limited + expected[1], free + (not expected[1])
    assert limited > 3, (limited, free)
    assert free > 3, (limited, free)
