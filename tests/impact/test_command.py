"""``jounce impact``."""

from __future__ import annotations

import json

import pytest

import jounce
from jounce.cli import main

NUMBERS = {"--A": 2.3, "--B": -0.7, "--C": 1.4, "--v-t": 1.0, "--v-n": -1.0, "--mu": 0.9, "--e": 0.5}
VALUES = list(NUMBERS.values())


def command(*extra: str, **changed: str) -> list[str]:
    numbers = {key: str(value) for key, value in NUMBERS.items()}
    numbers |= {f"--{key.replace('_', '-')}": value for key, value in changed.items()}
    return ["impact", *(part for pair in numbers.items() for part in pair), *extra]


def test_one_law(capsys, tmp_path) -> None:
    path = tmp_path / "impact.json"
    picture = tmp_path / "path.png"
    assert main(command("--law", "poisson", "--json", str(path), "--plot", str(picture))) == 0
    content = json.loads(path.read_text())
    outcome = jounce.impact("poisson", *VALUES)
    assert content["v_n"] == outcome.v_n
    assert [phase["name"] for phase in content["phases"]] == [phase.name for phase in outcome.phases]
    assert content["files"] == {"plot": str(picture)}
    assert picture.stat().st_size > 5_000
    text = capsys.readouterr().out
    assert text.startswith("poisson: slip, stick in compression (+)")
    assert f"{outcome.p_n:.6g}" in text
    for phase in outcome.phases:
        assert phase.name in text


def test_energetic_is_the_default(capsys) -> None:
    assert main(command("--json", "-")) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["law"] == "energetic"
    assert content["energy_loss"] == jounce.impact("energetic", *VALUES).energy_loss


def test_every_law(capsys, tmp_path) -> None:
    path, picture = tmp_path / "all.json", tmp_path / "all.png"
    assert main(command("--compare", "--json", str(path), "--plot", str(picture))) == 0
    content = json.loads(path.read_text())
    assert [outcome["law"] for outcome in content["outcomes"]] == jounce.Law.names()
    assert content["failures"] == {}
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:10]] == jounce.Law.names()
    for line, outcome in zip(lines[1:10], content["outcomes"], strict=True):
        assert float(line.split()[2]) == pytest.approx(outcome["v_n"], rel=1e-5, abs=1e-12)
    assert picture.stat().st_size > 20_000


def test_added_energy_is_said(capsys) -> None:
    """Laws that gain energy are marked in the table and on the page."""
    numbers = {"A": 1 + 3 * 0.8, "B": 1.2, "C": 1 + 3 * 0.2, "v_t": -2.0, "v_n": -1.5, "mu": 1.0, "e": 0.9}
    gains = [law for law in jounce.Law if jounce.impact(law, **numbers).added_energy]
    assert gains
    assert main(command("--compare", **{key: str(value) for key, value in numbers.items()})) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.endswith("ADDED ENERGY")] == [str(law) for law in gains]
    assert main(command("--law", str(gains[0]), **{key: str(value) for key, value in numbers.items()})) == 0
    assert "THE LAW ADDED ENERGY" in capsys.readouterr().out


def test_tangential_restitution_goes_to_the_laws_that_have_one(capsys) -> None:
    assert main(command("--compare", "--e-t", "0.4", "--json", "-")) == 0
    outcomes = json.loads(capsys.readouterr().out)["outcomes"]
    given = {outcome["law"]: outcome["inputs"]["e_t"] for outcome in outcomes}
    assert {law for law, value in given.items() if value} == {"poisson_two_phase", "chatterjee_ruina", "whittaker"}


def test_a_law_without_solution(capsys) -> None:
    """A wedged contact of rank one: an error for one law, a line in the comparison."""
    wedged = {"A": "1.0", "B": "-1.0", "C": "1.0", "v_t": "-1.0", "v_n": "-2.0", "mu": "2.0", "e": "0.5"}
    solved = set()
    for law in jounce.Law:
        try:
            jounce.impact(law, *(float(value) for value in wedged.values()))
            solved.add(str(law))
        except jounce.SimulationError:
            pass
    assert solved < set(jounce.Law.names())
    failing = sorted(set(jounce.Law.names()) - solved)
    assert main(command("--law", failing[0], **wedged)) == 2
    assert "has no solution" in " ".join(capsys.readouterr().err.split())
    assert main(command("--compare", **wedged)) == (0 if solved else 2)
    if solved:
        lines = capsys.readouterr().out.splitlines()
        assert sorted(line.split()[0] for line in lines if line.endswith("no solution")) == failing


@pytest.mark.parametrize("value", ["-1e-3", "-.5", "-2"])
def test_negative_numbers_need_no_equals_sign(value, capsys) -> None:
    assert main(command("--json", "-", v_n=value)) == 0
    assert json.loads(capsys.readouterr().out)["inputs"]["v_n"] == float(value)


@pytest.mark.parametrize(
    ("extra", "changed", "words"),
    [
        (["--law", "energitic"], {}, "did you mean 'energetic'?"),
        ([], {"v_n": "1"}, "v_n > 0 separates"),
        ([], {"B": "9"}, "positive semidefinite"),
        ([], {"mu": "nan"}, "finite numbers"),
        (["--plot", "path.txt"], {}, "must end in"),
        (["--e-t", "0.3"], {}, "has no tangential restitution"),
    ],
)
def test_mistakes(extra, changed, words, capsys) -> None:
    assert main(command(*extra, **changed)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in " ".join(captured.err.split())


@pytest.mark.parametrize("arguments", [["impact", "--A", "1"], command("--law", "newton", "--compare"), command(e="x")])
def test_what_argparse_refuses(arguments, capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "jounce impact: error" in capsys.readouterr().err
