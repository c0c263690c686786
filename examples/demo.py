"""A slender rod dropped onto a shaker: the whole of Jounce in one run. ``make demo`` calls this.

The rod (half length 1 m) falls onto a floor that moves as sin(omega t) and hits it with either end; parameters after
Burns and Piiroinen (2015). At t = 25 s a schedule takes the restitution away: the rod lands, slides, sticks and is
thrown again. The time history is the picture of the README.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import jounce
from jounce.cli.summary import summary_text


def simulate_rod(t_end: float = 50.0) -> jounce.Trajectory:
    """The run of the demo."""
    system = jounce.compile_model(jounce.systems.slender_rod())
    start = system.state(y=6.0, theta=0.3)
    inelastic = [(25.0, {"e": 0.0})]
    return jounce.simulate(system, start, t_end=t_end, schedule=inelastic, omega=4.405, mu=0.05, e=0.8)


def write_pictures(run: jounce.Trajectory, folder: Path) -> list[Path]:
    """Time history, phase portrait, energy ledger and animation."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = {
        "time_history.png": jounce.plot.plot_time_history(run),
        "phase_portrait.png": jounce.plot.plot_phase_portrait(run, "theta"),
        "energy.png": jounce.plot.plot_energy(run),
    }
    for name, figure in figures.items():
        figure.savefig(folder / name)
    jounce.plot.animate(run, folder / "rod.gif", fps=20, t_from=22.0, t_to=34.0)
    return [folder / name for name in (*figures, "rod.gif")]


def main(folder: str = "demo") -> None:
    """Simulate, summarise, draw."""
    begin = time.perf_counter()
    print("Loading the engine (compiled once per machine, which takes up to a minute) ...", flush=True)
    run = simulate_rod()
    print(summary_text(run))
    print("Drawing ...", flush=True)
    files = write_pictures(run, Path(folder))
    run.save(Path(folder) / "run.nc")
    print("Written:", ", ".join(str(file) for file in [*files, Path(folder) / "run.nc"]))
    print(f"Done in {time.perf_counter() - begin:.1f} s. Next: `.venv/bin/jounce systems`.")


if __name__ == "__main__":
    main(*sys.argv[1:2])
