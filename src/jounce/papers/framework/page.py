"""A page per paper in Markdown, and the listing of papers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jounce.papers.framework.claim import Claim, Paper, Result, Verdict


def page(paper: Paper, results: Sequence[Result], figures: Mapping[str, str]) -> str:
    """The page of a paper: the claims with their verdicts, the figures, the misprints.

    figures   claim -> path of its picture, relative to the page
    """
    lines = [f"# {paper.citation}", "", paper.summary, ""]
    lines += [
        f"Written by `jounce reproduce {paper.name}`; every value in the column *ours* is computed. A number "
        "holds within one unit of its last printed digit.",
        "",
        *unfinished_line(result.verdict for result in results),
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
        lines += ["", "## Figures", "", *figure_lines([result.claim for result in results], figures)]
    return "\n".join(lines).rstrip() + "\n"


def unfinished_line(verdicts: Iterable[Verdict]) -> list[str]:
    """What "unfinished" means, on pages where it is said."""
    return [f"*Unfinished*: {Verdict.UNFINISHED.meaning}.", ""] if Verdict.UNFINISHED in verdicts else []


def figure_lines(claims: Sequence[Claim], figures: Mapping[str, str]) -> list[str]:
    """Every figure once, under the claims that it shows."""
    shown: dict[str, list[Claim]] = {}
    for claim in claims:
        if claim.name in figures:
            shown.setdefault(figures[claim.name], []).append(claim)
    lines = []
    for path, together in shown.items():
        texts = [f"{claim.statement} ({claim.where}; {claim.parameters})" for claim in together]
        listed = (
            texts
            if len(texts) == 1
            else [f"- {claim.name}: {text}" for claim, text in zip(together, texts, strict=True)]
        )
        lines += [f"### {together[0].name}", "", *listed, "", f"![{together[0].statement}]({path})", ""]
    return lines


def _table(results: Sequence[Result]) -> list[str]:
    head = ["| claim | where | parameters | paper | ours | verdict |", "|---|---|---|---|---|---|"]
    rows = [
        f"| {claim.statement} | {claim.where} | {claim.parameters} | {claim.printed} | {result.ours_text()} "
        f"| {'**' + str(result.verdict) + '**' if str(result.verdict) != 'holds' else 'holds'} |"
        for result in results
        for claim in (result.claim,)
    ]
    return head + rows
