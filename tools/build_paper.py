"""paper/paper.md to build/paper.pdf, by pandoc and Typst from Python packages: ``make paper``."""

from __future__ import annotations

import re
from pathlib import Path

import pypandoc
import typst

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Markdown with citations to Typst, Typst to PDF."""
    source = ROOT / "paper" / "paper.md"
    target = ROOT / "build" / "paper.typ"
    target.parent.mkdir(exist_ok=True)
    options = ["--standalone", "--citeproc", f"--bibliography={ROOT / 'paper' / 'paper.bib'}", "-V", "papersize=a4"]
    people = re.search(r"^authors:\n(.*?)^affiliations:", source.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert people is not None, "paper.md names no authors"
    for name in re.findall(r"- name: (.+)", people[1]):  # JOSS asks for ``authors``, pandoc for ``author``
        options += ["-M", f"author={name}"]
    pypandoc.convert_file(str(source), "typst", outputfile=str(target), extra_args=options)
    typst.compile(str(target), output=str(target.with_suffix(".pdf")))
    print(target.with_suffix(".pdf").relative_to(ROOT))


if __name__ == "__main__":
    main()
