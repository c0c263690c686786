"""Why a run has taken more steps than it may: in words, with names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.kernels.records import codes, recording
from jounce.simulation.kinks import kink_advice
from jounce.system.evaluation import rows_of

if TYPE_CHECKING:
    from jounce.simulation.driver import Driver

OFTEN = 0.25  # of the steps: what happens as often as this is the cause
JUMP = 0.1  # change of an acceleration over a few steps, relative to itself, that no smooth force has
NEIGHBOURS = 200  # states around the last one that are looked at
NEAR = 8.0  # how far around it, in lengths of the last step

_GUARDS = {
    codes.GUARD_GAP: "the gap of contact {!r}",
    codes.GUARD_FORCE: "the normal force of contact {!r}",
    codes.GUARD_SLIP: "the slip velocity of contact {!r}",
    codes.GUARD_CONE_UPPER: "the friction force of contact {!r}",
    codes.GUARD_CONE_LOWER: "the friction force of contact {!r}",
    codes.GUARD_FREE: "the free acceleration of contact {!r}",
    codes.GUARD_PULL: "the force of contact {!r}",
    codes.GUARD_RETURN: "the force of contact {!r}",
    codes.GUARD_USER: "the guard {!r}",
}


def slow_cause(driver: Driver) -> str:
    """What keeps the steps of a run short, and what to try."""
    s, counter = driver.motion[0], driver.record[0]["counter"]
    steps = max(int(counter[recording.STEPS_TOTAL]), 1)
    if s["memory"]["rough"] > OFTEN * steps:
        return f"{_guard_name(driver)} is not smooth there; its zeros are looked for on ever shorter pieces: check it"
    if counter[recording.REJECTED] > OFTEN * steps:
        jumping = _jumping_coordinates(driver)
        if jumping:
            names = ", ".join(jumping)
            return (
                f"the acceleration of {names} jumps there, back and forth across a discontinuity of a force (a sign, "
                "a Piecewise): write it with jounce.Switch, which finds the modes in which it slides, or make it a "
                "contact with friction, which may stick"
            )
    modes = s["modes"] if driver.roster is None else driver.roster.modes
    closed = [name for name, mode in zip(driver.system.contact_names, modes, strict=False) if mode]
    advice = kink_advice(driver.system.model, closed)
    if advice:
        return advice.rstrip(". ")
    return (
        f"the steps are short, {float(s['pace']['step_size']):.3g} s now, because the motion is fast or stiff: raise "
        "the tolerance or max_steps, or keep fewer results (record='events')"
    )


def _guard_name(driver: Driver) -> str:
    """The guard that was resolved worst, in words."""
    kind, index = int(driver.motion[0]["memory"]["rough_kind"]), int(driver.motion[0]["memory"]["rough_index"])
    if kind == codes.GUARD_JAM:
        return "the determinant of the sliding contacts"
    names = driver.system.guard_names if kind == codes.GUARD_USER else driver.system.contact_names
    if driver.roster is not None and kind != codes.GUARD_USER:
        index = driver.roster.name(index)
    return _GUARDS[kind].format(names[index])


def _jumping_coordinates(driver: Driver) -> list[str]:
    """The coordinates whose accelerations jump within a few steps of the present state, largest jump first."""
    s, n = driver.motion[0], driver.system.n
    q, u, p = s["q"][:n].copy(), s["u"][:n].copy(), driver.machine[0]["p"][: driver.parameters.size]
    function = driver.system.functions.free_acceleration
    t = np.full(NEIGHBOURS + 1, float(s["t"]))
    a = rows_of(function, n, t[:1], q[None, :], u[None, :], p)[0]
    rng = np.random.default_rng(0)
    moves = rng.uniform(-1.0, 1.0, (NEIGHBOURS + 1, 2 * n)) * NEAR * abs(float(s["pace"]["step_size"]))
    moves[0] = 0.0
    around = rows_of(function, n, t, q + moves[:, :n] * np.abs(u), u + moves[:, n:] * np.abs(a), p)
    low, high = around.min(axis=0), around.max(axis=0)
    jumps = (high - low) / np.maximum(np.maximum(np.abs(low), np.abs(high)), np.finfo(float).tiny)
    order = np.argsort(-jumps)
    return [driver.system.coordinate_names[k] for k in order if jumps[k] > JUMP]
