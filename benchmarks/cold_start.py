"""What one waits for: a warm command, new models in an empty cache, and the engine's first compilation.

    python -m benchmarks.cold_start [--engine]

Each model in a process of its own, imports apart: processor time to make the model, to write its functions, to compile
them, and in all. The warm command is the least processor time of some, everything in the cache. With --engine also the
engine's first compilation, wall time and processor time of all processes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time

MODELS = {"bouncing_ball": 0.15, "wiper": 0.5, "quick_return": 2.0}
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
WARM = ("-m", "jounce", "simulate", "slender_rod", "--t-end", "5")
WARM_RUNS, WARM_MOST = 8, 0.7
ENGINE = "from jounce.kernels.engine.advance import run_machine; run_machine.address"


def run(code: str, *arguments: str) -> str:
    """What a new process with an empty cache prints."""
    with tempfile.TemporaryDirectory() as folder:
        variables = os.environ | {"JOUNCE_CACHE": folder}
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], env=variables, stdout=subprocess.PIPE, check=True
        )
    return done.stdout.decode()


def processor_time() -> float:
    """Of all processes that have been waited for."""
    spent = os.times()
    return spent.children_user + spent.children_system


def warm_command() -> float:
    """The least processor time of a command that finds everything in the cache."""
    times = []
    for _ in range(1 + WARM_RUNS):
        before = processor_time()
        subprocess.run([sys.executable, *WARM], stdout=subprocess.DEVNULL, check=True)
        times.append(processor_time() - before)
    return min(times[1:])


def main() -> None:
    """Print one line a model, and one for the engine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="store_true", help="compile the engine, too")
    print(f"warm command   {warm_command():.2f} s  (aim {WARM_MOST} s)")
    for name, most in MODELS.items():
        model, text, code = map(float, run(NEW_MODEL, name).split())
        total = model + text + code
        print(f"{name:14s} model {model:.2f}  text {text:.2f}  code {code:.2f}  in all {total:.2f} s  (aim {most} s)")
    if parser.parse_args().engine:
        began, before = time.perf_counter(), processor_time()
        run(ENGINE)
        spent = processor_time() - before
        print(f"engine         {time.perf_counter() - began:.0f} s, processor {spent:.0f} s  (aim 25 s on two cores)")


if __name__ == "__main__":
    main()
