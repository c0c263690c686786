"""What one waits for: the first run from a wheel and from a clone, new models, a warm command.

    python -m benchmarks.cold_start      two minutes; printed, and written to benchmarks/cold_start.md

Everything in processes of its own. Times are those of the processor, of all processes, the least of some trials where a
trial takes seconds: other work on the machine raises them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.toolchain.test_wheel import built, call, empty_environment, first_run, install, processor_time_of_children

PAGE = Path(__file__).parent / "cold_start.md"
TRIALS = 5
MODELS = {"bouncing_ball": 0.15, "wiper": 0.5, "quick_return": 2.0}  # and the most that they may take
NEW_MODEL = """
import sys, time
import jounce, jounce.system, jounce.systems
from jounce.codegen import cache, module_text
begin = time.process_time()
model = getattr(jounce.systems, sys.argv[1])()
made = time.process_time()
text = module_text.generate_module(model)
written = time.process_time()
cache.compiled(text, "cold.")
end = time.process_time()
print(made - begin, written - made, end - written)
"""
STRANGER = """
import sympy as sp
import jounce
(x, dx), (y, dy), (z, dz) = jounce.coordinates("x y z", "m")
k, mu = jounce.parameters(k=40.0, mu=0.2)
plate = jounce.Contact("plate", gap=y - z - sp.cos(3 * x) / 10, slip=dx, friction=mu, restitution=0.6)
kinetic, potential = (dx**2 + dy**2 + 3 * dz**2) / 2, 9.81 * y + k * z**2 / 2
own = jounce.Model.from_lagrangian("own", coordinates=[x, y, z], kinetic=kinetic, potential=potential, contacts=[plate])
assert jounce.simulate(own, {"x": 0.1, "y": 0.6, "d_x": 0.3}, t_end=2.0).status.ok
"""
WARM = ("simulate", "slender_rod", "--t-end", "5")
CLONE = ("simulate", "ball_on_table", "--t-end", "10")


@contextmanager
def empty_cache() -> Iterator[dict[str, str]]:
    """The variables of processes that find nothing compiled."""
    with tempfile.TemporaryDirectory() as folder:
        yield os.environ | {"JOUNCE_CACHE": folder}


def spent(work: Callable[[], object]) -> float:
    """Processor time of the processes that are started and waited for."""
    before = processor_time_of_children()
    work()
    return processor_time_of_children() - before


def command(arguments: tuple[str, ...], variables: dict[str, str]) -> None:
    """A command of this checkout."""
    started = [sys.executable, "-m", "jounce", *arguments]
    subprocess.run(started, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def from_the_wheel() -> tuple[float, float]:
    """To the end of the first run, pip included; and a model of a stranger's, from its text to the end of its run."""
    runs, strangers = [], []
    with tempfile.TemporaryDirectory() as folder:
        wheel = built(Path(folder))
        for trial in range(TRIALS):
            for name in (f"run{trial}", f"own{trial}"):
                (Path(folder) / name).mkdir()
            runs.append(first_run(Path(folder) / f"run{trial}", wheel))
            environment = empty_environment(Path(folder) / f"own{trial}")
            install(environment, wheel)
            call(environment, environment, "-c", "import jounce.cli.main")  # bytecode of Python
            strangers.append(spent(lambda python=environment: call(python, python, "-c", STRANGER)))  # type: ignore[misc]
    return min(runs), min(strangers)


def new_model(name: str) -> list[float]:
    """Seconds to make a model, to write its functions, to compile them, imports apart."""
    trials = []
    for _ in range(TRIALS):
        with empty_cache() as variables:
            started = [sys.executable, "-c", NEW_MODEL, name]
            done = subprocess.run(started, env=variables, stdout=subprocess.PIPE, check=True, text=True)
        trials.append(list(map(float, done.stdout.split())))
    return min(trials, key=sum)


def main() -> None:
    """Print the page and keep it."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    lines = [
        "# What one waits for",
        "",
        f"`python -m benchmarks.cold_start`; {os.cpu_count()} cores, load {load:.1f} at the start.",
        "Processor times of all processes.",
        "",
        "| | s | at most, as planned |",
        "|---|---|---|",
    ]
    run, stranger = from_the_wheel()
    with empty_cache() as variables:
        clone = spent(lambda: command(CLONE, variables))
        command(WARM, variables)
        warm = min(spent(lambda: command(WARM, variables)) for _ in range(TRIALS))
    lines += [
        f"| from the wheel to the end of the first run, in an empty environment, `pip` included | {run:.1f} | 3 |",
        f"| a new model, in the same: imports, equations, code, its first run | {stranger:.2f} | |",
        f"| from a clone with an empty cache to the end of the first run: the engine is compiled | {clone:.0f} | 50 |",
        f"| `jounce {' '.join(WARM)}`, everything in the cache | {warm:.2f} | 0.7 |",
        "",
        "| a new model, imports apart | model | functions | machine code | in all: s | at most, as planned |",
        "|---|---|---|---|---|---|",
    ]
    for name, most in MODELS.items():
        parts = new_model(name)
        lines.append(f"| {name} | {' | '.join(f'{part:.2f}' for part in [*parts, sum(parts)])} | {most:g} |")
    text = "\n".join(lines) + "\n"
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
