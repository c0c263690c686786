"""The pictures of the start, sweeps, orbits, ensembles, resets; the film of the README: ``python docs/pictures.py``."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import jounce

IMAGES = Path(__file__).resolve().parent / "images"


def ball() -> jounce.System:
    """The system of all of them."""
    return jounce.compile_model(jounce.systems.ball_on_table())


def diagram() -> object:
    """What rises with the drive at e = 0.8, from two starts, up and down."""
    system, values = ball(), np.linspace(2.5, 5.0, 2501)
    starts = [system.state(y=1.0, d_y=4.0), (3.0, system.state(y=14.4, d_y=4.4))]
    found = jounce.sweep(
        system, "omega", values, "plane:d_y=0:-1", starts=starts, direction="both", e=0.8
    )
    return jounce.plot.plot_diagram(found, "y")


def basins() -> object:
    """The starts of a ball at omega = 3, e = 0.9, by where they end."""
    grid = {"y": np.linspace(0.0, 15.0, 300), "d_y": np.linspace(-10.0, 10.0, 300)}
    return jounce.plot.plot_basins(jounce.basins(ball(), grid, "phase:0", omega=3.0, e=0.9))


def exponents() -> object:
    """A chaotic ball."""
    system = ball()
    spectrum = jounce.lyapunov(
        system, system.state(y=1.86, d_y=-7.2), 2000.0, transient=100.0, omega=4.13, e=0.5
    )
    return jounce.plot.plot_lyapunov(spectrum, "ball_on_table: ω = 4.13 rad/s, e = 0.5")


def branches() -> object:
    """One bounce a period in a parameter, and the orbits of twice the period that branch off."""
    system = ball()
    orbit = jounce.find_orbit(system, system.state(t=1.5, y=6.4), omega=3.0, e=0.9)
    single = jounce.continue_orbit(orbit, "omega", (1.0, 6.0), step=0.05)
    begun = jounce.switch_branch(single, single.find("period_doubling")[0])
    doubled = jounce.continue_orbit(begun, "omega", (3.0, 3.6), step=0.01, max_points=60)
    return jounce.plot.plot_branch(
        [single, doubled], "y", names=["one bounce a period", "two in two periods"]
    )


def rods() -> object:
    """Ten thousand rods dropped at an angle that is known to half a degree: where they are as time goes by."""
    from matplotlib import pyplot as plt

    times = np.linspace(0.0, 12.0, 481)
    starts = {"y": 6.0, "theta": jounce.Normal(0.3, 0.01)}
    runs = jounce.ensemble(
        jounce.systems.slender_rod(), starts, 12.0, parameters={"A": 0.0}, runs=10_000, at=times
    )
    figure, axes = plt.subplots(2, sharex=True, layout="constrained", figsize=(7.0, 5.0))
    for axis, name, unit in zip(axes, ("y", "theta"), ("m", "rad"), strict=True):
        for inner in (0.01, 0.05, 0.25):
            low, high = runs[f"{name}_at"].quantile([inner, 1.0 - inner], dim="run")
            axis.fill_between(times, low, high, alpha=0.3, color="C0", linewidth=0.0)
        axis.plot(times, runs[f"{name}_at"].median(dim="run"), color="C0")
        axis.set_ylabel(f"{name} [{unit}]")
    axes[1].set_xlabel("t [s]")
    return figure


def example(name: str) -> Callable[[], object]:
    """An example of the gallery; films that it writes into the folder it runs in are taken from there."""
    return lambda: runpy.run_path(str(IMAGES.parents[1] / f"examples/{name}.py"))["figure"]


def start_page() -> None:
    """What the blocks of the ten-minute start write, as they stand there."""
    text = (IMAGES.parent / "start.md").read_text(encoding="utf-8")
    exec("\n".join(re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)), {})
    for written, kept in {
        "flap.gif": "flap.gif",
        "flap.png": "flap.png",
        "diagram.png": "cascade.png",
    }.items():
        shutil.copy(written, IMAGES / kept)
        print(f"images/{kept}")


#: Picture -> the film that an example of the gallery writes.
FILMS = {"box_downstairs": ("machines/box_downstairs", "stairs.gif")}


PICTURES = {
    **{
        "sweep": diagram,
        "basins": basins,
        "lyapunov": exponents,
        "branch": branches,
        "ensemble": rods,
    },
    "belt": example("machines/when_does_a_belt_slip"),
    "drawer": example("friction/when_does_a_drawer_jam"),
    "rolling": example("friction/how_far_does_a_wheel_roll"),
    "engine": example("machines/what_does_friction_cost_an_engine"),
    "walker": example("longterm/when_does_a_walker_limp"),
    "hopper": example("machines/how_high_does_a_hopper_hop"),
    "jerk": example("friction/when_does_a_pulled_block_jerk"),
    "relay": example("machines/does_a_relay_balance_a_broom"),
    "rope": example("machines/how_hard_does_a_rope_catch"),
    "rubbing": example("machines/where_does_a_rubbing_pendulum_stop"),
    "superball": example("impacts/does_a_superball_come_back"),
    "stick_slip": example("friction/how_long_does_a_block_stick"),
    "bristles": example("friction/how_far_does_a_body_give"),
    "yielding": example("impacts/how_often_does_a_soft_ball_bounce"),
    "cushion": example("impacts/how_does_a_cushion_save_an_egg"),
    "cam": example("machines/when_does_a_cam_lose_its_follower"),
    "observer": example("machines/what_does_an_observer_know"),
}


def main() -> None:
    """Make every picture anew."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, (script, film) in FILMS.items():
            example(script)()
            shutil.copy(film, IMAGES / f"{name}.gif")
            print(f"images/{name}.gif")
        start_page()
        draw_pictures()
        os.chdir(IMAGES.parent)  # Windows removes no folder that is in use


def draw_pictures() -> None:
    """Those that do not move."""
    for name, make in PICTURES.items():
        make().savefig(IMAGES / f"{name}.png", dpi=100)
        print(f"images/{name}.png")


if __name__ == "__main__":
    main()
