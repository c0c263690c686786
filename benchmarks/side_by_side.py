"""The same problems in several programs, each against its closed form: ``python -m benchmarks.side_by_side``.

Problems are those of the gallery. Programs that are not installed (``pip install exudyn heyoka mujoco pymunk``; for
Siconos see siconos_peer.py) have the answers that they gave last, which side_by_side.json keeps. Engines with fixed
steps run at 1e-3 and 1e-4 s. SciPy and heyoka locate events of smooth motions; what follows an event is written by hand
here, for each problem anew.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ellipk

from benchmarks import pairs

G = 9.81
HERE = Path(__file__).parent
STEPS = (1e-3, 1e-4)
KEPT = HERE / "side_by_side.json"

NEAR = 1e-3  # m: a ball that stays nearer to the floor counts as lying


def lies_from() -> float:
    """When a ball of e = 0.5, dropped from 1 m, comes nearer than that for good: at the end of its fourth flight."""
    fall = math.sqrt(2 * G)
    fourth = fall * 0.5**4
    impacts = fall / G * (1 + 2 * (0.5 + 0.25 + 0.125))
    return impacts + (fourth + math.sqrt(fourth**2 - 2 * G * NEAR)) / G


#: Problem -> (exact answer, unit)
PROBLEMS = {
    "fifth bounce": (math.sqrt(2 / G) * (1 + 2 * math.fsum(0.8**k for k in range(1, 5))), "s"),
    "lies within a millimetre": (lies_from(), "s"),
    "stopping distance": (4.0 / (2 * 0.3 * G), "m"),
    "begins to roll": (6.0 / (3 * 0.1 * G), "s"),
    "cradle": (math.sqrt(G / 0.25 * (0.1**2 - 4 * 1e-4**2)), "m/s"),  # four balls cross a hair of 0.1 mm each
}


def two_balls_exact() -> float:
    """The speed of the upper ball after its first impact: the lower one has turned a millimetre below it."""
    fall, M, m, d = math.sqrt(2 * G), 0.6, 0.06, 1e-3
    wait = d / (2 * fall)  # relative speed of the balls after the lower one has turned
    lower, upper = fall - G * wait, -fall - G * wait
    return (2 * M * lower + (m - M) * upper) / (M + m)


PROBLEMS["two balls"] = (two_balls_exact(), "m/s")


def pendulum_exact() -> float:
    """Quarter periods sqrt(l/g) K(sin(a/2)); after n impacts 1 - cos a = e^2n."""
    quarters = [math.sqrt(1 / G) * float(ellipk(0.7 ** (2 * n) / 2)) for n in range(3)]
    return quarters[0] + 2 * quarters[1] + 2 * quarters[2]


PROBLEMS["pendulum on a wall"] = (pendulum_exact(), "s")
PROBLEMS["bounce with spin"] = (0.2 * 1.6 * math.sqrt(2 * G), "m/s")  # it slides throughout: 60 r > 3 mu (1 + e) v_n
PROBLEMS["carried by a belt"] = (0.03 * G + 0.2 / math.sqrt(10.0), "m")  # lets go at mu m g/k, with the belt's speed
PROBLEMS["bounces in pairs"] = (pairs.EXACT, "rad/s")


# ------------------------------------------------------------------------------------------------------------- Jounce
def jounce_answers() -> dict[str, float]:
    """Through the scripts of the gallery and the ready-made ball."""
    import runpy

    from scipy.optimize import brentq

    import jounce

    def example(name: str) -> dict[str, Any]:
        jounce.plot.animate = lambda *_, **__: None  # type: ignore[attr-defined]
        return runpy.run_path(str(HERE.parent / "examples" / f"{name}.py"))

    ball = jounce.compile_model(jounce.systems.bouncing_ball())
    bounces = jounce.simulate(ball, {"y": 1.0}, 6.0, e=0.8).events["t"]
    lying = jounce.simulate(ball, {"y": 1.0}, 6.0, e=0.5)
    t_five = lying.events["t"][4]
    (x, dx), (y, dy) = jounce.coordinates("x y", "m")
    block = jounce.Model.from_lagrangian(
        "sliding_block",
        coordinates=[x, y],
        kinetic=(dx**2 + dy**2) / 2,
        potential=G * y,
        contacts=[jounce.Contact("floor", gap=y, slip=dx, friction=0.3)],
    )
    cradle = example("impacts/newtons_cradle")["elastic"]
    last = cradle.events[cradle.events["contact"] == "pair4"].iloc[0]["t"]
    return {
        "fifth bounce": float(bounces[4]),
        "lies within a millimetre": brentq(lambda t: lying.at(t)["y"] - NEAR, lying.events["t"][3] + 0.02, t_five),
        "stopping distance": jounce.simulate(block, {"d_x": 2.0}, 2.0).final["x"],
        "begins to roll": float(example("friction/when_does_a_ball_roll")["rolls"]),
        "two balls": example("impacts/how_high_does_the_small_ball_jump")["speed"],
        "cradle": cradle.at(last)["d_x5"],
        **jounce_ready_made(),
    }


def jounce_ready_made() -> dict[str, float]:
    """Ready-made systems at other parameters."""
    from scipy.optimize import brentq

    import jounce

    wall = jounce.simulate(jounce.systems.wall_pendulum(), {"x": 1.0}, 6.0, wall=0.0, mu=0.0, e=0.7).events
    disc = jounce.systems.falling_ball(compliance=None)
    landed = jounce.simulate(disc, {"d_x": 0.0, "d_theta": 60.0}, 0.6, I=0.005, mu=0.2, e=0.6)
    belt = jounce.simulate(jounce.systems.belt_oscillator(), {}, 3.0, mu=0.3, mu_s=0.3)
    table = jounce.compile_model(jounce.systems.ball_on_table())
    orbit = jounce.find_orbit(table, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9)
    flip = jounce.continue_orbit(orbit, "omega", (2.9, 3.3), step=0.1).find("period_doubling")[0]
    let_go = belt.events[belt.events["kind"] == "slip"]["t"].iloc[-1]
    return {
        "bounces in pairs": flip.parameter,
        "pendulum on a wall": float(wall[wall["kind"] == "impact"]["t"].iloc[2]),
        "bounce with spin": abs(landed.final["d_x"]),
        "carried by a belt": belt.at(brentq(lambda t: belt.at(t)["d_x"], let_go + 0.1, let_go + 0.9))["x"],
    }


# -------------------------------------------------------------------------------------------------------------- SciPy
def scipy_answers() -> dict[str, float]:
    """One smooth motion and one event at a time; everything between is by hand."""
    from scipy.integrate import solve_ivp

    def until(motion: Callable, state: list[float], gap: Callable, t: float = 0.0, max_step: float = 0.1) -> Any:
        def event(time: float, z: np.ndarray) -> float:
            return gap(z)

        event.terminal, event.direction = True, -1  # type: ignore[attr-defined]
        return solve_ivp(motion, (t, t + 10), state, events=event, rtol=1e-10, atol=1e-12, max_step=max_step)

    def bounces(e: float, number: int, near: float = 0.0) -> float:
        t, y, v = 0.0, 1.0, 0.0
        for count in range(1, number + 1):
            height = near if count == number else 0.0
            flight = until(lambda _, z: [z[1], -G], [y, v], lambda z, at=height: z[0] - at, t)
            t, y, v = flight.t[-1], 0.0, -e * flight.y[1, -1]
        return float(t)

    slide = until(lambda _, z: [z[1], -0.3 * G], [0.0, 2.0], lambda z: z[1])
    roll = until(lambda _, z: [-0.1 * G, 2 * 0.1 * G], [6.0, 0.0], lambda z: z[0] - z[1])
    t, state = 0.0, [math.pi / 2, 0.0]
    for _ in range(3):
        swing = until(lambda _, z: [z[1], -G * np.sin(z[0])], state, lambda z: z[0], t)
        t, state = float(swing.t[-1]), [0.0, -0.7 * swing.y[1, -1]]
    landing = until(lambda _, z: [z[1], -G], [1.0, 0.0], lambda z: z[0])
    return {
        "fifth bounce": bounces(0.8, 5),
        "lies within a millimetre": bounces(0.5, 5, NEAR),
        "stopping distance": float(slide.y[0, -1]),
        "begins to roll": float(roll.t[-1]),
        "pendulum on a wall": t,
        "cradle": _cradle(until),
        "two balls": _two_balls(until),
        "bounce with spin": 0.2 * 1.6 * abs(float(landing.y[1, -1])),
        "carried by a belt": _belt(until),
        "bounces in pairs": pairs.by_orbit(_impact_on_table),
    }


def _impact_on_table(t: float, speed: float, omega: float) -> tuple[float, float]:
    """One flight over a table that moves as sin(omega t)."""
    from scipy.integrate import solve_ivp

    def gap(time: float, z: np.ndarray) -> float:
        return float(z[0] - math.sin(omega * time))

    gap.terminal, gap.direction = True, -1  # type: ignore[attr-defined]
    start = [math.sin(omega * t), speed]
    found = solve_ivp(lambda _, z: [z[1], -G], (t, t + 9), start, events=gap, rtol=1e-10, atol=1e-12, max_step=0.1)
    after = (1 + pairs.E) * omega * math.cos(omega * found.t[-1]) - pairs.E * found.y[1, -1]
    return float(found.t[-1]), float(after)


def _cradle(until: Callable) -> float:
    """Equal balls hand on their speed: each crosses the hair of 0.1 mm before it meets the next at rest."""
    state = [-0.1, 0.0]
    for _ in range(4):
        swing = until(lambda _, z: [z[1], -G / 0.25 * z[0]], state, lambda z: 1e-4 - z[0], max_step=0.01)
        state = [0.0, swing.y[1, -1]]
    return float(state[1])


def _two_balls(until: Callable) -> float:
    """The lower one turns at the floor, then they meet."""
    falls = until(lambda _, z: [z[1], -G], [1.0, 0.0], lambda z: z[0])
    v, t = float(falls.y[1, -1]), float(falls.t[-1])
    upper = 1.001 + falls.y[0, -1] - 1.0
    meet = until(lambda _, z: [z[1], -G, z[3], -G], [0.0, -v, upper, v], lambda z: z[2] - z[0], t, max_step=1e-4)
    lower, fallen = meet.y[1, -1], meet.y[3, -1]
    return float((2 * 0.6 * lower + (0.06 - 0.6) * fallen) / 0.66)


def _belt(until: Callable) -> float:
    """Slip, stick, slip."""
    x = until(lambda _, z: [z[1], 0.3 * G - 10 * z[0]], [0.0, 0.0], lambda z: 0.2 - z[1]).y[0, -1]
    x = until(lambda *_: [0.2, 0.0], [x, 0.2], lambda z: 0.3 * G - 10 * z[0]).y[0, -1]
    return float(until(lambda _, z: [z[1], 0.3 * G - 10 * z[0]], [x, 0.2], lambda z: z[1]).y[0, -1])


# ------------------------------------------------------------------------------------------------------------- heyoka
def heyoka_answers() -> dict[str, float]:
    """As with SciPy, everything that follows an event is by hand."""
    from benchmarks import heyoka_problems as peer

    return {
        "fifth bounce": peer.bounces(0.8, 5),
        "lies within a millimetre": peer.bounces(0.5, 5, NEAR),
        "stopping distance": peer.stopping_distance(),
        "begins to roll": peer.begins_to_roll(),
        "two balls": peer.two_balls(),
        "cradle": peer.cradle(),
        "pendulum on a wall": peer.pendulum(),
        "bounce with spin": peer.spin(),
        "carried by a belt": peer.belt(),
        "bounces in pairs": peer.pairs(),
    }


# ------------------------------------------------------------------------------------------- engines of fixed steps
def stepping_answers(peer: Any, dt: float) -> dict[str, float]:
    """Those of pymunk or MuJoCo."""
    fifth, lies = peer.bounces(dt, 0.8, NEAR)[0], peer.bounces(dt, 0.5, NEAR)[1]
    return {
        "fifth bounce": fifth[4] if len(fifth) > 4 else math.nan,
        "lies within a millimetre": lies,
        "stopping distance": peer.stopping_distance(dt),
        "begins to roll": peer.begins_to_roll(dt),
        "two balls": peer.two_balls(dt),
        "cradle": peer.cradle(dt),
        "pendulum on a wall": peer.pendulum(dt),
        "bounce with spin": peer.spin(dt),
        "carried by a belt": peer.belt(dt),
        "bounces in pairs": _pairs_by_trying(lambda omega: peer.alternates(dt, omega)),
    }


def _pairs_by_trying(alternates: Callable[[float], bool]) -> float:
    """NaN where the program gives up."""
    try:
        return pairs.by_trying(alternates)
    except ArithmeticError:
        return math.nan


def all_answers(kept: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Program and setting -> its answers; those of programs that are not installed are as they were."""
    found = dict(kept)
    found |= {"Jounce": jounce_answers(), "SciPy, events": scipy_answers()}
    if importlib.util.find_spec("heyoka"):
        found["heyoka, events"] = heyoka_answers()
    for shown in ("Exudyn", "pymunk", "MuJoCo"):
        if importlib.util.find_spec(package := shown.lower()):
            peer = importlib.import_module(f"benchmarks.{package}_peer")
            found |= {f"{shown}, {dt:g} s": stepping_answers(peer, dt) for dt in STEPS}
    return {name: found[name] for name in sorted(found, key=_place)}


def _version(program: str) -> str | None:
    """Of what is installed as a package of Python."""
    try:
        return importlib.metadata.version(program.lower())
    except importlib.metadata.PackageNotFoundError:
        return None


def _place(column: str) -> tuple[int, int]:
    """Programs that locate events first; of the steps the larger first."""
    order = ("Jounce", "SciPy", "heyoka", "Siconos", "Exudyn", "MuJoCo", "pymunk")
    return next(k for k, name in enumerate(order) if column.startswith(name)), len(column)


#: Program that cannot be run here -> problems that its literature solves; "none" stands where it has nothing to ask.
CITED = {"COCO": {"bounces in pairs": "[cited](https://doi.org/10.1115/1.4002684)"}}


def table(answers: dict[str, dict[str, float]]) -> str:
    """Errors as Markdown; a dash where a program was not given the problem, "fails" where it gave up."""
    programs = [*answers, *CITED]
    lines = [f"| problem | exact | {' | '.join(programs)} |", "|---|---|" + "---|" * len(programs)]
    for problem, (exact, unit) in PROBLEMS.items():
        errors = [abs(found[problem] - exact) if problem in found else None for found in answers.values()]
        cells = ["-" if error is None else "fails" if math.isnan(error) else f"{error:.1e}" for error in errors]
        cells += [said.get(problem, "none") for said in CITED.values()]
        lines.append(f"| {problem} | {exact:.6f}&nbsp;{unit} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, keep."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    answers = all_answers(kept["answers"])
    versions = {name: _version(name) or version for name, version in kept["versions"].items()}
    KEPT.write_text(json.dumps({"versions": versions, "answers": answers}, indent=1) + "\n", encoding="utf-8")
    text = table(answers)
    (HERE / "side_by_side.md").write_text(f"# Errors of the same problems, side by side\n\n{text}\n", encoding="utf-8")
    print(text)
    from benchmarks import quoted  # which imports this module

    quoted.write()


if __name__ == "__main__":
    main()
