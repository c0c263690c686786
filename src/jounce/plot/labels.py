"""Labels of marks that do not lie on one another: put next to their marks once everything is drawn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from jounce.plot import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

#: A mark is a line of one point whose gid begins so and goes on with its label.
NAMED = "named:"
ALIKE = 1e-6  # of the range of values: a distance of two that is no difference
#: Marks nearer than this share one label; labels further than this are tied to their mark by a line. Pixels.
_CLOSE, _TIED = 9.0, 20.0
_DISTANCES = (6.0, 14.0, 24.0, 36.0, 50.0, 66.0)  # points
_ANGLES = np.radians((45, 135, -45, -135, 90, -90, 0, 180))


def place_labels(axes: Axes) -> None:
    """Name every mark once, in the nearest free place around it."""
    axes.figure.draw_without_rendering()  # type: ignore[union-attr]  # limits and sizes are known from here on
    groups: list[tuple[np.ndarray, list[str]]] = []
    for line in axes.lines:
        label = line.get_gid() or ""
        if not label.startswith(NAMED):
            continue
        spot = np.asarray(axes.transData.transform(line.get_xydata()))[0]
        if not axes.bbox.padded(2.0).contains(*spot):
            continue  # beyond the limits of the picture
        names = next((names for other, names in groups if np.abs(other - spot).max() < _CLOSE), None)
        if names is None:
            groups.append((spot, names := []))
        if label.removeprefix(NAMED) not in names:
            names.append(label.removeprefix(NAMED))
    marks = [spot for spot, _ in groups]
    boxes: list[Bbox] = []
    for spot, names in sorted(groups, key=lambda group: (group[0][0], group[0][1])):
        boxes.append(_place(axes, spot, ", ".join(names), boxes, marks))


def _place(axes: Axes, spot: np.ndarray, words: str, boxes: list[Bbox], marks: list[np.ndarray]) -> Bbox:
    """One label, and the box it takes up."""
    across, up = axes.transData.inverted().transform(spot)
    text = axes.annotate(
        words, (across, up), xytext=(0, 0), fontsize=8, textcoords="offset points", zorder=5, color=style.INK
    )
    best, least = (0.0, 0.0), np.inf
    for distance in _DISTANCES:
        for angle in _ANGLES:
            offset = (distance * float(np.cos(angle)), distance * float(np.sin(angle)))
            cost = 0.01 * distance + _cost(axes, _moved(text, offset), boxes, marks)
            if cost < least:
                best, least = offset, cost
        if least < 1.0:
            break
    if np.hypot(*best) > _TIED:
        tie = {"arrowstyle": "-", "color": style.GREY, "linewidth": 0.5}
        axes.annotate("", (across, up), xytext=best, textcoords="offset points", arrowprops=tie, zorder=3)
    return _moved(text, best)


def _moved(text: Annotation, offset: tuple[float, float]) -> Bbox:
    """The box of the label at an offset from its mark, which it does not cover."""
    sides = {"ha": "left" if offset[0] > -1.0 else "right", "va": "bottom" if offset[1] > -1.0 else "top"}
    text.set(position=offset, **sides)
    return text.get_window_extent().padded(1.5)


def _cost(axes: Axes, box: Bbox, boxes: list[Bbox], marks: list[np.ndarray]) -> float:
    """What lies under a label: other labels, marks, the frame."""
    covered = sum(box.overlaps(other) for other in boxes) + sum(box.contains(*mark) for mark in marks)
    inside = axes.bbox.contains(box.x0, box.y0) and axes.bbox.contains(box.x1, box.y1)
    return 10.0 * covered + (0.0 if inside else 5.0)


def rounded_apart(values: np.ndarray) -> np.ndarray:
    """Values to a hundredth of their range, and to a tenth of the least distance of two, if that is less.

    Distances below a millionth of the range are no difference.
    """
    extent = float(np.ptp(values))
    apart = np.diff(np.sort(values))
    apart = apart[apart > ALIKE * extent]
    if not apart.size:
        return values
    unit = 10.0 ** (math.floor(math.log10(min(0.1 * extent, float(apart.min())))) - 1)
    return np.asarray(np.round(values / unit) * unit + 0.0)
