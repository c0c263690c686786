"""Every command that the README and the pages show is one that the command line understands; the quick ones run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from jounce.cli.main import build_parser, main
from tests.docs.pages import ROOT, blocks

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_FENCED = re.compile(r"^```\w*\n.*?^```$", flags=re.DOTALL | re.MULTILINE)

#: Shown at full size: their arguments are parsed here, and smaller ones run in the tests of each command.
LONG = ("sweep", "basins", "continue", "lyapunov", "reproduce", "studio")


def commands(page: Path) -> list[str]:
    """The lines of a page that call jounce, indented or in blocks of a shell, continued lines joined, comments off."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8")).replace("\\\n", " ")
    found = re.findall(r"^    (jounce .*)$", text, flags=re.MULTILINE)
    found += [line for block in blocks(page, "bash", "sh") for line in block.splitlines() if line.startswith("jounce ")]
    return [re.sub(r"\s+#.*$", "", line) for line in found]


SHOWN = [(page.stem, line) for page in PAGES for line in commands(page)]


def test_there_are_some() -> None:
    assert len(SHOWN) >= 15
    assert any("\\" not in line and "--animate run.gif" in line for _, line in SHOWN)


@pytest.mark.parametrize(("page", "line"), SHOWN, ids=[f"{page}-{line.split()[1]}" for page, line in SHOWN])
def test_command(
    page: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = shlex.split(line)[1:]
    if words == ["--version"]:
        with pytest.raises(SystemExit, match="0"):
            main(words)
        return
    if "--config" not in words:  # what such a file says is put in before the rest is parsed
        arguments = build_parser().parse_args(words)
        if arguments.command in LONG or page == "architecture":
            return
    if "--animate" in words:  # films have tests of their own, and take ten seconds
        for option in ("--animate", "--speed"):
            if option in words:
                del words[words.index(option) : words.index(option) + 2]
    monkeypatch.chdir(tmp_path)
    for text in blocks(ROOT / "docs" / f"{page}.md", "toml", "ini") if page != "README" else ():
        name = re.match(r"# (\w+\.toml)\n", text)  # a file says its name; the settings of a run are those of run.toml
        (tmp_path / (name[1] if name else "run.toml")).write_text(text)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    assert main(words) == 0, capsys.readouterr().err
