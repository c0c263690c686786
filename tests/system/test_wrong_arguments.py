"""Every argument of the public functions replaced in turn by what it cannot be: refused in words or taken."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sympy as sp

import jounce
from jounce import JounceError, plot

y, dy = jounce.coordinate("y", "m")
x, dx = jounce.coordinate("x", "m")
angle, _ = jounce.coordinate("angle", "rad")

WRONG: dict[str, Any] = {
    "nan": math.nan,
    "inf": math.inf,
    "negative": -1,
    "huge integer": 10**400,
    "text": "abc",
    "no text": "",
    "long text": 5000 * "a",
    "bytes": b"x",
    "truth": True,
    "complex": 1j,
    "symbol": sp.Symbol("zz"),
    "function": lambda *a, **k: None,
    "type": int,
    "object": object(),
    "list": [math.nan],
    "ragged": [[1], [2, 3]],
    "pair": (1, math.nan),
    "numbers by numbers": {1: 2},
    "array": np.array([math.nan, 1.0]),
    "no dimensions": np.array(1.0),
    "matrix": np.ones((2, 2)),
    "set": {1, 2},
    "table": pd.DataFrame({"a": [1]}),
    "none": None,
}


class Made:
    """What several of the calls work on; made once."""

    def __init__(self) -> None:
        self.ball = jounce.compile_model(jounce.systems.ball_on_table())
        self.start = self.ball.state(y=6.4, t=1.5)
        self.run = jounce.simulate(self.ball, self.start, 4.0, omega=3.0, e=0.9)
        self.orbit = jounce.find_orbit(self.ball, self.start, omega=3.0, e=0.9)
        self.branch = jounce.continue_orbit(self.orbit, "omega", (3.0, 3.3), step=0.1)
        self.flip = self.branch.find("period_doubling")[0]
        self.outcome = jounce.impact("energetic", 2.3, -0.7, 1.4, 1.0, -1.0, 0.9, 0.5)
        self.body, self.wall = jounce.PlanarBody(1.0, 1.0, (0.0, 1.0), (0.0, -1.0)), jounce.PlanarBody.wall()


@pytest.fixture(scope="module")
def made() -> Made:
    return Made()


#: Name -> function, its arguments by position, those by name. Arguments that would start long work are left out.
CALLS: dict[str, Callable[[Made], tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]] = {
    "simulate": lambda m: (jounce.simulate, (m.ball, m.start), {
        "t_end": 2.0, "tolerance": 1e-9, "options": None, "schedule": [(1.8, {"e": 0.5})], "on": None,
        "controller": None, "stop_at": None, "progress": None, "omega": 3.0,
    }),
    "Controller": lambda m: (jounce.Controller, (lambda t, s: {}, 0.1, 0.0), {}),
    "find_orbit": lambda m: (jounce.find_orbit, (m.ball, m.start), {
        "section": None, "period": 1, "nodes": "auto", "hold": (), "closes": None, "options": None, "omega": 3.0,
        "e": 0.9,
    }),
    "continue_orbit": lambda m: (jounce.continue_orbit, (m.orbit, "omega", (2.99, 3.01)), {
        "step": 0.02, "direction": "up", "max_points": 2, "progress": None, "checkpoint": None,
    }),
    "switch_branch": lambda m: (jounce.switch_branch, (m.branch, m.flip), {"side": 1, "options": None}),
    "flip_curve": lambda m: (jounce.flip_curve, (m.flip, {"omega": (3.1, 3.2), "e": (0.8, 0.9)}), {
        "max_points": 0,  # refused last
    }),
    "sweep": lambda m: (jounce.sweep, (m.ball, "omega", [2.5], "phase:0"), {
        "start": None, "transient": 2, "patience": 1, "keep": 1, "direction": "up", "starts": None, "random_starts": 0,
        "ranges": None, "seed": 0, "store": None, "options": None, "threads": 1, "progress": None, "recurrence": 1e-8,
    }),
    "draw": lambda m: (jounce.draw, (3, {"e": jounce.Uniform(0, 1)}), {
        "seed": 0, "method": "random", "correlation": None,
    }),
    "Uniform": lambda m: (jounce.Uniform, (0.0, 1.0), {}),
    "Normal": lambda m: (jounce.Normal, (0.0, 1.0), {}),
    "lyapunov": lambda m: (jounce.lyapunov, (m.ball, m.start), {
        "duration": 1.0, "transient": 0.0, "count": 1, "progress": None,
    }),
    "impact": lambda m: (jounce.impact, ("energetic", 2.3, -0.7, 1.4, 1.0, -1.0, 0.9, 0.5), {"e_t": 0.0}),
    "impact_many": lambda m: (jounce.impact_many, ("energetic", 2.3, -0.7, 1.4, 1.0, -1.0, 0.9, 0.5), {"e_t": 0.0}),
    "compare_laws": lambda m: (jounce.compare_laws, ("mu", [0.1]), {
        "laws": None, "A": 2.3, "B": -0.7, "C": 1.4, "v_t": 1.0, "v_n": -1.0, "e": 0.5, "e_t": 0.0,
    }),
    "PlanarBody": lambda m: (jounce.PlanarBody, (1.0, 1.0, (0.0, 0.0), (1.0, 0.0), 0.0), {}),
    "impact_bodies": lambda m: (jounce.impact_bodies, (m.body, m.wall, (0.0, 0.0), (0.0, 1.0), 0.3, 0.5), {
        "law": "energetic", "e_t": 0.0,
    }),
    "exact_restitution": lambda m: (jounce.exact_restitution, (jounce.HuntCrossley(1e5), 0.8), {"mass": 1.0}),
    "achieved_restitution": lambda m: (jounce.achieved_restitution, (jounce.HuntCrossley(1e5), 0.8), {
        "mass": 1.0, "speed": 1.0, "tolerance": 1e-9,
    }),
    "contact_periods": lambda m: (jounce.contact_periods, (m.run, None), {}),
    "load": lambda m: (jounce.load, ("nowhere.nc",), {}),
    "Section": lambda m: (jounce.Section, ("impact", 0.0, "", "table", 0.0, 0), {}),
    "Options": lambda m: (jounce.Options, (), {
        "tolerance": 1e-9, "law": "newton", "joint_gap": None, "chatter_speed": None, "largest_step": None,
        "scales": {},
    }),
    "coordinate": lambda m: (jounce.coordinate, ("q", "m", None), {}),
    "parameter": lambda m: (jounce.parameter, ("p", 1.0, "m", "text"), {}),
    "parameters": lambda m: (jounce.parameters, (), {"p": 1.0}),
    "table": lambda m: (jounce.table, (y, [0, 1, 2], [0, 1, 4], "monotone"), {}),
    "Model": lambda m: (jounce.Model, ("m", [y], [1], [-9.81]), {
        "contacts": [jounce.Contact("floor", gap=y)], "joints": {}, "guards": {}, "potential": 0, "parameters": (),
        "period": None, "start": {y: 1.0}, "drawing": (), "scales": {}, "resets": (), "states": {}, "switches": {},
    }),
    "from_lagrangian": lambda m: (jounce.Model.from_lagrangian, ("m",), {
        "coordinates": [y], "kinetic": dy**2 / 2, "potential": 9.81 * y, "start": {y: 1.0},
    }),
    "Material": lambda m: (jounce.Material, (2e11, 0.3), {}),
    "rope": lambda m: (jounce.rope, ("r", (0, 0), (x, y), 1.0), {"over": (), "stiffness": None}),
    "gear_pair": lambda m: (jounce.gear_pair, ("g", angle, x), {"radii": (1, 2), "backlash": 1e-3, "restitution": 0.5}),
    "run.at": lambda m: (m.run.at, (2.0,), {"side": "right"}),
    "run.states": lambda m: (m.run.states, ([2.0, 3.0],), {}),
    "run.mode_intervals": lambda m: (m.run.mode_intervals, ("table",), {}),
    "run.save": lambda m: (m.run.save, ("nowhere/run.nc",), {}),
    "state": lambda m: (m.ball.state, (), {"t": 0.0, "y": 1.0}),
    "replace": lambda m: (m.start.replace, (), {"y": 1.0}),
    "find": lambda m: (m.branch.find, ("fold",), {}),
    "plot_time_history": lambda m: (plot.plot_time_history, (m.run, None), {}),
    "plot_branch": lambda m: (plot.plot_branch, (m.branch, "y"), {"names": ()}),
    "plot_impact_path": lambda m: (plot.plot_impact_path, (m.outcome,), {}),
    "plot_restitution": lambda m: (plot.plot_restitution, (3,), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_wrong_arguments(name: str, made: Made, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    function, positional, named = CALLS[name](made)
    raw = []
    for place in (*range(len(positional)), *named):
        for kind, wrong in WRONG.items():
            places, names = list(positional), dict(named)
            if isinstance(place, int):
                places[place] = wrong
            else:
                names[place] = wrong
            try:
                function(*places, **names)
            except JounceError as error:
                raw += [] if str(error) else [f"{place}={kind}: no message"]
            except Exception as error:
                raw.append(f"{place}={kind}: {type(error).__name__}: {str(error)[:80]}")
    assert not raw, "\n".join(raw)
