"""Commands that need no engine, and what people mistype."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import jounce
from jounce import systems
from jounce.cli import main
from jounce.cli.arguments import parse_numbers, parse_schedule
from jounce.cli.output import check_writable, write_json
from jounce.errors import OptionError

SYSTEMS = [
    "bouncing_ball",
    "ball_on_table",
    "slender_rod",
    "impact_oscillator",
    "belt_oscillator",
    "wall_pendulum",
    "two_discs",
]

OWN_MODEL = '''
import jounce

def ball():
    """A ball."""
    y, dy = jounce.coordinate("y", "m")
    g = jounce.parameter("g", 9.81, "m/s^2")
    return jounce.Model.from_lagrangian("ball", coordinates=[y], kinetic=dy**2 / 2, potential=g * y,
                                        contacts=[jounce.Contact("floor", gap=y, restitution=0.5)], start={y: 1.0})

def not_a_model():
    return 42

def broken():
    return 1 / 0

def wrong_symbol():
    y, dy = jounce.coordinate("y", "m")
    z, dz = jounce.coordinate("z", "m")
    return jounce.Model.from_lagrangian("ball", coordinates=[y], kinetic=dy**2 / 2, potential=z)
'''


@pytest.fixture
def own_model(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(OWN_MODEL)
    return path


def fails(capsys, *arguments):
    """The paragraph on standard error of a command that must fail with exit code 2."""
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("jounce: error: ")
    assert "Traceback" not in captured.err
    assert "\n\n" not in captured.err, "one paragraph"
    return " ".join(captured.err.split())


def test_systems_lists_them_all(capsys):
    assert main(["systems"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in SYSTEMS)


def test_without_docstrings_commands_work_all_the_same(capsys, monkeypatch):
    """python -OO removes them."""
    for function in systems.SYSTEMS.values():
        monkeypatch.setattr(function, "__doc__", None)
    test_systems_lists_them_all(capsys)


def test_systems_json(tmp_path, capsys):
    assert main(["systems", "--json", str(tmp_path / "s.json")]) == 0
    listed = json.loads((tmp_path / "s.json").read_text())["systems"]
    assert {entry["name"] for entry in listed} >= set(SYSTEMS)
    assert all(entry["description"].endswith(".") for entry in listed)
    assert "slender_rod" in capsys.readouterr().out


@pytest.mark.parametrize("name", SYSTEMS)
def test_show_json_on_standard_output(name, capsys):
    assert main(["show", name, "--json", "-"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["name"] == name
    assert content["contacts"]
    assert content["source"], "every ready-made system cites its source"


def test_show_the_rod(capsys):
    assert main(["show", "slender_rod"]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = {line.split()[0]: line.split()[1:] for line in lines if line.startswith("  ")}
    assert table["theta"][:3] == ["[rad]", "start", "0.3"]
    assert table["g"][:2] == ["9.81", "[m/s^2]"]
    assert {"P1", "P2"} <= set(table)


def test_show_own_model(own_model, capsys):
    assert main(["show", f"{own_model}:ball"]) == 0
    assert "floor" in capsys.readouterr().out


def test_unknown_system(capsys):
    message = fails(capsys, "show", "slender_rot")
    assert "did you mean 'slender_rod'?" in message
    assert "bouncing_ball" in message


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("bal", "did you mean 'ball'?"),
        ("not_a_model", "must give a jounce.Model, not int"),
        ("broken", "ZeroDivisionError"),
        ("wrong_symbol", "'z'"),
    ],
)
def test_own_model_mistakes(own_model, capsys, function, expected):
    assert expected in fails(capsys, "show", f"{own_model}:{function}")


def test_own_model_files(tmp_path, capsys):
    assert "no file" in fails(capsys, "show", f"{tmp_path}/absent.py:ball")
    (tmp_path / "bad.py").write_text("def ball(:\n")
    assert "bad.py:1: could not be imported" in fails(capsys, "show", f"{tmp_path}/bad.py:ball")
    assert "which function" in fails(capsys, "show", f"{tmp_path}/bad.py")


def test_numbers_by_name():
    assert parse_numbers("y=6, theta=-3e-1", "--start") == {"y": 6.0, "theta": -0.3}
    assert parse_numbers(None, "--start") == {}
    for wrong in ("y", "y=", "y=six", "=3", "y=1,y=2", "y=nan", "y=inf", "a b=1"):
        with pytest.raises(OptionError, match="--start"):
            parse_numbers(wrong, "--start")


def test_schedules():
    assert parse_schedule(["t=5:mu=0.1", "t=3:mu=0.9,e=0.5"]) == [(3.0, {"mu": 0.9, "e": 0.5}), (5.0, {"mu": 0.1})]
    for wrong in ("3:mu=0.9", "t=3", "t=3:", "t=x:mu=1", "t=3:mu"):
        with pytest.raises(OptionError, match="--schedule"):
            parse_schedule([wrong])


def test_outputs_are_checked_first(tmp_path):
    check_writable(str(tmp_path / "new.png"), "--plot", (".png",))
    with pytest.raises(OptionError, match="does not exist"):
        check_writable(str(tmp_path / "absent" / "new.png"), "--plot")
    with pytest.raises(OptionError, match="is a folder"):
        check_writable(str(tmp_path), "--plot")
    with pytest.raises(OptionError, match=r"must end in \.png"):
        check_writable(str(tmp_path / "new.bmp"), "--plot", (".png",))


def test_protected_folder(tmp_path, monkeypatch):
    """The superuser may write everywhere, so the system's answer is put in its place."""
    (tmp_path / "old.png").touch()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OptionError, match="cannot be written"):
        check_writable(str(tmp_path / "old.png"), "--plot")


def test_json_is_strict(tmp_path):
    write_json({"a": float("nan"), "b": [1.5, float("inf")]}, str(tmp_path / "x.json"))
    assert json.loads((tmp_path / "x.json").read_text()) == {"a": None, "b": [1.5, None]}


def test_interrupt_exits_130(monkeypatch, capsys):
    from jounce.cli import systems

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(systems, "check_writable", interrupted)
    assert main(["systems"]) == 130
    assert capsys.readouterr().err == "jounce: interrupted\n"


def test_a_defect_is_no_traceback(monkeypatch, capsys):
    from jounce.cli import systems

    def defective(*_):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(systems, "check_writable", defective)
    monkeypatch.delenv("JOUNCE_DEBUG", raising=False)
    assert "oops" in fails(capsys, "systems")


def test_importing_jounce_imports_nothing_heavy():
    """``import jounce`` and the command line's parser stay light; heavy packages come with the first use."""
    code = (
        "import sys, jounce, jounce.cli; jounce.cli.main.__module__; "
        "heavy = {'llvmlite', 'sympy', 'pandas', 'xarray', 'scipy', 'matplotlib', 'h5py', 'rich'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_public_names_resolve():
    import jounce

    for name in ("Model", "Contact", "compile_model", "load", "systems", "plot", "State", "time"):
        assert getattr(jounce, name) is not None
    with pytest.raises(AttributeError, match=r"(?i)public names"):
        _ = jounce.nonsense


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("return undefined", "own.py:6: ball failed with NameError"),
        ("return jounce.Model('m', [y], [1], [jounce.coordinate('z')[0]])", "own.py:6: force on 'y'"),
    ],
)
def test_errors_in_an_own_model_have_their_line(capsys, tmp_path, line: str, words: str) -> None:
    lines = ["import jounce", "", "", "def ball():", "    y, dy = jounce.coordinate('y', 'm')", f"    {line}", ""]
    (tmp_path / "own.py").write_text("\n".join(lines))
    assert words in " ".join(fails(capsys, "show", f"{tmp_path}/own.py:ball").split())


def test_a_run_that_ends_early_says_so_to_scripts(tmp_path, capsys):
    """The exit code is 1; what the run has come to is written all the same."""
    x, _ = jounce.coordinate("x", "m")
    model = jounce.Model("falls_into_a_pole", [x], [1], [-1 / x**3], start={x: 1.0}).to_file(tmp_path / "pole.toml")
    kept = tmp_path / "run.nc"
    assert main(["simulate", str(model), "--t-end", "5", "--out", str(kept)]) == 1
    assert "STEP_UNDERFLOW" in capsys.readouterr().out
    assert jounce.load(kept).t_end == pytest.approx(1.0, abs=1e-6)
    assert main(["simulate", str(model), "--t-end", "0.5"]) == 0
