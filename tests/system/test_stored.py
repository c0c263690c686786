"""Ready-made systems out of the cache: the same system, without SymPy, and never out of a damaged file."""

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.codegen import kept
from jounce.model.outline import Outline
from jounce.system.stored import ready_made
from jounce.toolchain.c_function import CFunction

SYSTEMS = ("slender_rod", "woodpecker", "compliant_wall_pendulum", "slider_crank")
COMMAND = """
import sys
from jounce.cli import main
status = main(["simulate", *sys.argv[1:]])
heavy = ("sympy", "jounce.toolchain.compiler", "pandas", "scipy", "matplotlib")
print(status, *(name for name in heavy if name in sys.modules))
"""


def command(*arguments: str) -> str:
    """What a command of its own process has loaded when it ends."""
    done = subprocess.run([sys.executable, "-c", COMMAND, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def never() -> jounce.Model:
    raise AssertionError("the model was asked for")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for models; the engine stays where it is."""
    monkeypatch.setattr(kept, "cache_root", lambda: tmp_path)
    return tmp_path / "models"


@pytest.mark.parametrize("arguments", [("slender_rod", "--start", "y=3", "--set", "mu=0.3"), ("belt_oscillator",)])
def test_a_warm_command_imports_no_sympy(arguments):
    command(*arguments, "--t-end", "0.5")
    assert command(*arguments, "--t-end", "0.5") == "0"


@pytest.mark.parametrize("name", SYSTEMS)
def test_an_outline_is_text_and_back(name):
    outline = getattr(jounce.systems, name)().outline
    assert Outline.from_data(json.loads(json.dumps(outline.to_data()))) == outline


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_stored_system_is_the_compiled_one(name, cache):
    make = getattr(jounce.systems, name)
    made: list[str] = []
    compiled = ready_made(name, make)
    warm = ready_made(name, lambda: made.append(name) or make())
    assert not made
    for field in fields(compiled):
        one, other = getattr(compiled, field.name), getattr(warm, field.name)
        if isinstance(one, np.ndarray):
            assert np.array_equal(one, other)
        elif field.name == "functions":
            assert [function.address for function in one] == [function.address for function in other]
        elif not isinstance(one, CFunction) and field.name not in ("source", "series", "contact_flows"):
            assert one == other
    start = compiled.state()
    one, other = (jounce.simulate(system, start, 0.02) for system in (compiled, warm))
    assert np.array_equal(one.final.q, other.final.q)
    assert np.array_equal(one.energy["residual"], other.energy["residual"])


def test_a_model_is_made_when_its_expressions_are_asked_for(cache):
    ready_made("bouncing_ball", jounce.systems.bouncing_ball)
    warm = ready_made("bouncing_ball", jounce.systems.bouncing_ball)
    assert warm.model.kinetic.free_symbols
    assert warm.model.outline == warm.outline


@pytest.mark.parametrize("damage", [lambda text: text[:-9], lambda text: text.replace("9.81", "1.62"), lambda text: ""])
def test_a_damaged_file_is_named_and_made_anew(cache, damage):
    ready_made("bouncing_ball", jounce.systems.bouncing_ball)
    (file,) = cache.glob("*.system")
    whole = file.read_text()
    file.write_text(damage(whole))
    with pytest.warns(UserWarning, match=f"{file.name} is damaged"):
        again = ready_made("bouncing_ball", jounce.systems.bouncing_ball)
    assert again.defaults.tolist() == jounce.compile_model(again.model).defaults.tolist()
    assert file.read_text() == whole


def test_a_file_without_its_machine_code_is_no_system(cache):
    ready_made("bouncing_ball", jounce.systems.bouncing_ball)
    for code in cache.glob("*.code"):
        code.unlink()
    with pytest.raises(AssertionError, match="was asked for"):
        ready_made("bouncing_ball", never)
