"""A page per paper in Markdown, and the listing of papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jounce.papers.framework.claim import Paper, Result


def page(paper: Paper, results: Sequence[Result], figures: Mapping[str, str]) -> str:
    """The page of a paper: the claims with their verdicts, the figures, the misprints.

    figures   claim -> path of its picture, relative to the page
    """
    lines = [f"# {paper.citation}", "", paper.summary, ""]
    lines += [
        f"Written by `jounce reproduce {paper.name}`; every value in the column *ours* is computed. A number "
        "holds within one unit of its last printed digit.",
        "",
    ]
    lines += _table(results)
    notes = [result for result in results if result.claim.note]
    if notes:
        lines += ["", "## Notes", ""]
        lines += [f"- **{result.claim.name}**: {result.claim.note}" for result in notes]
    if paper.choices:
        lines += ["", "## What the text leaves open", "", *(f"- {choice}" for choice in paper.choices)]
    if paper.misprints:
        lines += ["", "## Misprints", "", *(f"- {misprint}" for misprint in paper.misprints)]
    if figures:
        lines += ["", "## Figures", ""]
        for result in results:
            path = figures.get(result.claim.name)
            if path:
                claim = result.claim
                lines += [f"### {claim.name}", "", f"{claim.statement} ({claim.where}; {claim.parameters})", ""]
                lines += [f"![{claim.statement}]({path})", ""]
    return "\n".join(lines).rstrip() + "\n"


def _table(results: Sequence[Result]) -> list[str]:
    head = ["| claim | where | parameters | paper | ours | verdict |", "|---|---|---|---|---|---|"]
    rows = [
        f"| {claim.statement} | {claim.where} | {claim.parameters} | {claim.printed} | {result.ours_text()} "
        f"| {'**' + str(result.verdict) + '**' if str(result.verdict) != 'holds' else 'holds'} |"
        for result in results
        for claim in (result.claim,)
    ]
    return head + rows
