"""paper/paper.md to build/paper.pdf, by pandoc and Typst from Python packages: ``make paper``."""

from __future__ import annotations

from pathlib import Path

import pypandoc
import typst

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Markdown with citations to Typst, Typst to PDF."""
    target = ROOT / "build" / "paper.typ"
    target.parent.mkdir(exist_ok=True)
    options = ["--standalone", "--citeproc", f"--bibliography={ROOT / 'paper' / 'paper.bib'}", "-V", "papersize=a4"]
    pypandoc.convert_file(str(ROOT / "paper" / "paper.md"), "typst", outputfile=str(target), extra_args=options)
    typst.compile(str(target), output=str(target.with_suffix(".pdf")))
    print(target.with_suffix(".pdf").relative_to(ROOT))


if __name__ == "__main__":
    main()
