"""Generated modules on disk: reused, repaired, and safe for processes that compile at once."""

from __future__ import annotations

import errno
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sympy as sp

import jounce
from jounce.codegen import cache
from jounce.system import compile_model
from jounce.toolchain import machine_code

COMPILE = """
import jounce, sys
from jounce.codegen import cache
if "warm" in sys.argv:
    def refuse(model):
        raise SystemExit("code was generated again")
    cache.generate_module = refuse
system = jounce.compile_model(jounce.systems.bouncing_ball())
print(system.key, "jounce.toolchain.compiler" in sys.modules)
"""


def run(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = os.environ | {"JOUNCE_CACHE": str(folder)}
    return subprocess.Popen(
        [sys.executable, "-c", COMPILE, *arguments], env=environment, stdout=subprocess.PIPE, text=True
    )


def test_two_processes_at_once_then_a_warm_start(tmp_path: Path) -> None:
    both = [run(tmp_path) for _ in range(2)]
    keys = {process.communicate()[0].split()[0] for process in both}
    assert [process.returncode for process in both] == [0, 0]
    assert len(keys) == 1
    warm = run(tmp_path, "warm")
    key, compiler = warm.communicate()[0].split()
    assert warm.returncode == 0
    assert {key} == keys
    assert compiler == "False"  # nothing was compiled
    assert sorted(file.suffix for file in (tmp_path / "models").iterdir()) == [".code", ".translation"]


def test_a_damaged_file_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOUNCE_CACHE", str(tmp_path))
    model = jounce.systems.bouncing_ball()
    system = compile_model(model)
    (path,) = (tmp_path / "models").glob("*.code")
    content = path.read_bytes()
    changed = bytearray(content)
    changed[-100] ^= 1
    for damage in (content[: len(content) // 2], b"", bytes(changed)):
        path.write_bytes(damage)
        assert compile_model(model).key == system.key
        assert path.read_bytes() == content


def test_where_nothing_can_be_written_a_model_is_compiled_for_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("JOUNCE_CACHE", str(blocked))
    system = compile_model(jounce.systems.bouncing_ball())
    assert jounce.simulate(system, {"y": 1.0}, 10.0, e=0.5).status.name == "AT_REST"
    assert blocked.read_text() == ""


def test_on_a_full_disk_a_model_serves_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(path: Path, code: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setenv("JOUNCE_CACHE", str(tmp_path))
    monkeypatch.setattr(machine_code, "write", full)
    assert jounce.simulate(jounce.systems.bouncing_ball(), {"y": 1.0}, 10.0, e=0.5).status.name == "AT_REST"
    assert capsys.readouterr().err.count("No space left on device") == 1


def test_the_key_follows_the_equations_only() -> None:
    first, second = jounce.systems.bouncing_ball(), jounce.systems.bouncing_ball()
    assert cache.model_key(first) == cache.model_key(second)
    assert cache.model_key(first) != cache.model_key(jounce.systems.ball_on_table())


def test_models_are_made_without_the_translator_of_kernels() -> None:
    code = (
        "import sys, jounce; jounce.systems.slender_rod(); jounce.systems.descriptions()\n"
        "from jounce.system import State, System\n"
        "print('jounce.toolchain.compiler' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_models_that_differ_in_their_period_alone_have_code_of_their_own() -> None:
    """The period is a function of the generated module like all others."""
    y, dy = jounce.coordinate("y", "m")
    w, A = jounce.parameters(w=20.0, A=0.1)

    def system(period: sp.Expr | None) -> jounce.System:
        gap = y - A * sp.sin(w * jounce.time)
        floor = jounce.Contact("floor", gap=gap)
        return compile_model(
            jounce.Model.from_lagrangian(
                "period_alone",
                coordinates=[y],
                kinetic=dy**2 / 2,
                potential=y,
                contacts=[floor],
                period=period,
                start={y: 1.0},
            )
        )

    periods = [system(period).period() for period in (None, 2 * sp.pi / w, 4 * sp.pi / w)]
    assert periods == [None, pytest.approx(math.pi / 10), pytest.approx(math.pi / 5)]
