"""The machinery of `jounce reproduce`, and the claims: each verdict is the one found independently."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from jounce.cli import main
from jounce.cli.reproduce import _print_table
from jounce.errors import OptionError
from jounce.papers import NAMES, find_paper, reproduce
from jounce.papers.framework import branch_claims
from jounce.papers.framework.claim import Claim, Paper, Result, Verdict, unit_of_last_digit
from jounce.papers.framework.orbits import _rotated, threshold
from jounce.papers.framework.page import page

#: These take a second or more each; the quick ones already cover every kind of computation.
SLOW = {
    "slip_cycle_end", "hopping_elastic", "hopping_plastic", "phi0_flight", "phi0_stick_after_impact",
    "phi0_e_slip_after_chatter", "phi0_e_stick_after_chatter", "phi0_e_hopping_end", "two_stick", "two_phi0_stick_lost",
    "phi0_e_slip_lost", "sine_phi0_flight", "phi0_hopf_low",
}  # fmt: skip
#: Whole branches, minutes of work that `jounce reproduce` does; tests/orbits follows those of the ball and of Fig. 2.
BRANCHES = {claim.name for claim in (*branch_claims.BURNS, *branch_claims.WIPER) if "_13_" not in claim.name}
CLAIMS = [(paper, claim.name) for paper in NAMES for claim in find_paper(paper).claims if claim.name not in BRANCHES]


@pytest.mark.parametrize(("paper", "name"), [entry for entry in CLAIMS if entry[1] not in SLOW])
def test_claims(paper: str, name: str) -> None:
    (result,) = reproduce(find_paper(paper), [name], use_cache=False)
    assert result.verdict is result.claim.expected, f"ours {result.ours}, printed {result.claim.printed}"


@pytest.mark.slow
@pytest.mark.parametrize(("paper", "name"), [entry for entry in CLAIMS if entry[1] in SLOW])
def test_slow_claims(paper: str, name: str) -> None:
    (result,) = reproduce(find_paper(paper), [name], use_cache=False)
    assert result.verdict is result.claim.expected, f"ours {result.ours}, printed {result.claim.printed}"


# Where papers.md and an independent study give ours to more digits than the paper prints.
OURS = {
    ("lancioni2009", "slip_phase_lost"): (0.6468, 5e-5),
    ("lancioni2009", "phi0_hopf_high"): (0.3842, 5e-5),
    ("lancioni2009", "two_flight"): (0.4499, 5e-5),
    ("lancioni2009", "two_phi0_hopf_high"): (0.4399, 5e-5),
    ("lancioni2009", "sine_mu_flight"): (0.4126, 5e-5),
    ("lancioni2009", "sine_angle_back"): (0.3892, 5e-5),
    ("lancioni2009", "sine_phi0_flight_lost"): (0.3787, 5e-5),
    ("lancioni2009", "sine_phi0_flight_again"): (0.4230, 5e-5),
    ("liu2006", "aligned_friction"): (0.6633, 5e-5),
}


@pytest.mark.parametrize(("paper", "name"), OURS)
def test_where_the_paper_is_wrong_ours_is_the_independent_value(paper: str, name: str) -> None:
    value, tolerance = OURS[paper, name]
    assert find_paper(paper).claim(name).compute() == pytest.approx(value, abs=tolerance)


def claim(printed: str, ours: float | str, **rest) -> Claim:
    return Claim("toy", "a statement", "Fig. 1", "none", printed, lambda: ours, **rest)


def test_verdicts() -> None:
    assert unit_of_last_digit("0.390") == pytest.approx(1e-3)
    assert unit_of_last_digit("22") == 1.0
    assert claim("0.390", 0.3909).judge(0.3909) is Verdict.HOLDS
    assert claim("0.390", 0.3911).judge(0.3911) is Verdict.WRONG
    assert claim("0.390", 0.5, expected=Verdict.UNFINISHED).judge(0.5) is Verdict.UNFINISHED
    assert claim("stick-slip", "x").judge("stick-slip") is Verdict.HOLDS
    assert claim("stick-slip", "x").judge("slip") is Verdict.WRONG


def test_threshold_and_rotation() -> None:
    assert threshold(lambda x: x > 0.123456789, 0.0, 1.0, 1e-9) == pytest.approx(0.123456789, abs=1e-9)
    with pytest.raises(ValueError, match="no threshold"):
        threshold(lambda x: True, 0.0, 1.0)
    assert _rotated(["slip", "flight", "stick"]) == ("flight", "stick", "slip")


def test_results_are_cached_until_the_code_changes(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("JOUNCE_CACHE", str(tmp_path))
    calls = []
    toy = Paper(
        "toy_paper", "A. Uthor (1999)", "toy", (Claim("a", "s", "w", "p", "1.0", lambda: calls.append(1) or 1.0),)
    )
    first, second = list(reproduce(toy)), list(reproduce(toy))
    assert len(calls) == 1
    assert not first[0].cached
    assert second[0].cached
    assert second[0].ours == 1.0
    (path,) = tmp_path.rglob("toy_paper.json")
    stored = json.loads(path.read_text())
    path.write_text(json.dumps(stored | {"code": "another"}))
    assert not next(iter(reproduce(toy))).cached


def test_command_lists_computes_and_writes(tmp_path, capsys) -> None:
    assert main(["reproduce"]) == 0
    listing = capsys.readouterr().out
    assert all(name in listing for name in NAMES)
    out = tmp_path / "figures"
    assert (
        main(["reproduce", "liu2006", "case_5", "case_4_B", "--out", str(out), "--json", str(tmp_path / "r.json")]) == 0
    )
    printed = capsys.readouterr().out
    assert "1 hold, 1 wrong" in printed
    results = json.loads((tmp_path / "r.json").read_text())["results"]
    assert [result["verdict"] for result in results] == ["holds", "WRONG"]
    assert sorted(path.name for path in (out / "liu2006").iterdir()) == ["case_4_B.png", "case_5.png"]
    text = (out / "liu2006.md").read_text()
    assert "## Misprints" in text
    assert "liu2006/case_5.png" in text


def test_shared_figures_are_drawn_once(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setattr("jounce.cli.reproduce.LINE_EVERY", 0.0)
    claims = ["case_5_impacts", "case_5", "case_4_B", "case_4_A"]
    assert main(["reproduce", "liu2006", *claims, "--out", str(tmp_path)]) == 0
    assert sorted(path.name for path in (tmp_path / "liu2006").iterdir()) == ["case_4_B.png", "case_5_impacts.png"]
    text = (tmp_path / "liu2006.md").read_text()
    assert text.count("![") == 2
    assert "- case_5: Case 5 begins with" in text
    captured = capsys.readouterr()
    assert "2 figures in" in captured.out
    assert "liu2006: 3 of 4, case_4_B" in captured.err  # no terminal here: lines instead of a bar


def test_pages_have_every_figure_once() -> None:
    for name in NAMES:
        folder = Path(__file__).parents[2] / "docs" / "papers" / name
        hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.png")]
        assert len(hashes) == len(set(hashes)), name
        page_text = (folder.parent / f"{name}.md").read_text()
        assert {path.name for path in folder.glob("*.png")} == set(re.findall(rf"\({name}/([\w.]+)\)", page_text))


def test_verdicts_are_explained(capsys) -> None:
    paper = find_paper("lancioni2009")
    unfinished = next(claim for claim in paper.claims if claim.expected is Verdict.UNFINISHED)
    results = [Result(paper.name, unfinished, 1.0, Verdict.UNFINISHED, 0.1)]
    _print_table(paper, results)
    assert "unfinished: what is printed belongs to a motion that had not settled yet" in capsys.readouterr().out
    assert "had not settled yet" in page(paper, results, {})
    assert "had not settled yet" in (Path(__file__).parents[2] / "docs/papers/lancioni2009.md").read_text()


def test_wrong_names(capsys) -> None:
    with pytest.raises(OptionError, match="did you mean 'liu2006'"):
        find_paper("liu2007")
    assert main(["reproduce", "liu2006", "case_7"]) == 2
    assert "case_6" in capsys.readouterr().err
    assert main(["reproduce", "liu2006", "--all"]) == 2


def test_page_marks_what_is_wrong() -> None:
    paper = find_paper("liu2006")
    results = list(reproduce(paper, ["case_4_A", "case_4_B"], use_cache=False))
    text = page(paper, results, {})
    assert "**WRONG**" in text
    assert "-2.914" in text
