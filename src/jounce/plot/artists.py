"""What each shape of a drawing looks like, and how it is put in place for a frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jounce.model.drawing import Circle, Coil, Ground, Point, Polygon, Segment
from jounce.plot import style
from jounce.plot.shapes import Frames

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from jounce.model.model import Model

Floats = NDArray[np.float64]
#: The artists of one shape and the function that puts them in place for frame k.
Artist = tuple[list[Any], Callable[[int], None]]

#: Zigzags of a spring.
_TURNS = 7
#: The order of dots, above everything else, and of borders of the ground, below everything else.
_DOT, _BORDER = 5, -1
#: The colour of the ground.
_GROUND = "#DDDDDD"
#: Marks on the ground over the width of a picture whose camera moves.
_MARKS = 10
#: Diameters of dots, in points: as large as is seen well, unless they would hide a body; as small as is seen at all.
_LARGEST_DOT, _SMALLEST_DOT = 8.0, 2.5


def body_colours(model: Model) -> dict[str, str]:
    """Name of a body -> its colour, in the order of the drawing; one for all of many bodies; the ground is grey."""
    names = [getattr(shape, "body", None) for shape in model.drawing]
    bodies = list(dict.fromkeys(name for name in names if name and name != "ground"))
    palette = [colour for colour in style.LINES if colour != style.RED]  # red is the flash of an impact
    if len(bodies) > len(palette):
        palette = palette[:1]  # a colour that several bodies share does not tell them apart
    return {name: palette[k % len(palette)] for k, name in enumerate(bodies)} | {"ground": style.GREY}


def dot_diameter(frames: list[Frames], points: float) -> float:
    """The diameter of all dots, a third of the size of the smallest body; ``points`` are those of a unit of length."""
    sizes: dict[str, float] = {}
    for item in frames:
        body, size = getattr(item.shape, "body", None), _size(item)
        if body not in (None, "ground") and size > 0.0:
            sizes[body] = max(sizes.get(body, 0.0), size)  # of several shapes the largest shows the body
    return float(np.clip(points * min(sizes.values(), default=np.inf) / 3, _SMALLEST_DOT, _LARGEST_DOT))


def _size(item: Frames) -> float:
    """The length of a line, the side of a square of the same area as a polygon, the diameter of a disc; else 0."""
    first = item.values[0]
    match item.shape:
        case Segment():
            return float(np.hypot(first[2] - first[0], first[3] - first[1]))
        case Polygon():
            x, y = first[0::2], first[1::2]
            return float(np.sqrt(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2))
        case Circle():
            return float(2 * first[2])
    return 0.0


def artist_of(
    axes: Axes,
    item: Frames,
    offset: Floats,
    contact_colours: dict[str, list[str]],
    bodies: dict[str, str],
    reach: float,
    dots: float,
) -> Artist:
    """The artists of a shape; ``offset`` is the camera's path, ``reach`` longer than the picture, ``dots`` a size."""
    shape, values = item.shape, item.values.copy()
    if not isinstance(shape, Circle):
        values[:, 0::2] -= offset[:, None]
    else:
        values[:, 0] -= offset
    colour = bodies.get(getattr(shape, "body", None) or "", style.BLUE)
    match shape:
        case Segment():
            return _segment(axes, values, colour, thin=shape.body == "ground")
        case Coil():
            return _coil(axes, values)
        case Polygon():
            return _polygon(axes, values, colour) if shape.body != "ground" else _solid(axes, values)
        case Circle():
            return _circle(axes, values, colour, shape)
        case Ground():
            return _ground(axes, values, reach, marked=bool(np.any(offset)))
    return _dot(axes, values, shape, contact_colours, dots)


def _segment(axes: Axes, values: Floats, colour: str, thin: bool) -> Artist:
    width = 1.2 if thin else 4
    (line,) = axes.plot([], [], color=colour, linewidth=width, solid_capstyle="round")
    return [line], lambda k: line.set_data(values[k, 0::2], values[k, 1::2])


def _coil(axes: Axes, values: Floats) -> Artist:
    """A zigzag between two short straight ends; its width is a fixed share of its greatest length."""
    (line,) = axes.plot([], [], color=style.INK, linewidth=1.2, solid_joinstyle="round")
    lengths = np.hypot(values[:, 2] - values[:, 0], values[:, 3] - values[:, 1])
    width = 0.06 * float(lengths.max())
    along = np.concatenate(([0.0], np.linspace(0.15, 0.85, 2 * _TURNS + 1), [1.0]))
    across = np.concatenate(([0.0, 0.0], width * (-1.0) ** np.arange(2 * _TURNS - 1), [0.0, 0.0]))

    def place(k: int) -> None:
        x1, y1, x2, y2 = values[k]
        length = max(float(lengths[k]), 1e-300)
        n_x, n_y = -(y2 - y1) / length, (x2 - x1) / length
        line.set_data(x1 + along * (x2 - x1) + across * n_x, y1 + along * (y2 - y1) + across * n_y)

    return [line], place


def _polygon(axes: Axes, values: Floats, colour: str) -> Artist:
    from matplotlib.patches import Polygon as Outline

    outline = Outline([(0, 0)] * 3, facecolor=_light(colour), edgecolor=colour, linewidth=1.8, joinstyle="round")
    axes.add_patch(outline)
    return [outline], lambda k: outline.set_xy(values[k].reshape(-1, 2))


def _solid(axes: Axes, values: Floats) -> Artist:
    """A polygon of the ground, its outline below all areas: of several that overlap only the outer border is seen."""
    from matplotlib.patches import Polygon as Outline

    border = Outline([(0, 0)] * 3, facecolor="none", edgecolor=style.INK, linewidth=2.0, zorder=_BORDER)
    area = Outline([(0, 0)] * 3, facecolor=_GROUND, edgecolor="none")
    for outline in (border, area):
        axes.add_patch(outline)

    def place(k: int) -> None:
        for outline in (border, area):
            outline.set_xy(values[k].reshape(-1, 2))

    return [border, area], place


def _circle(axes: Axes, values: Floats, colour: str, shape: Circle) -> Artist:
    from matplotlib.patches import Circle as Disc

    face = _light(colour) if shape.filled else "none"
    disc = Disc((0, 0), 1, facecolor=face, edgecolor=colour, linewidth=1.6)
    axes.add_patch(disc)
    (spoke,) = axes.plot([], [], color=colour, linewidth=1.6)

    def place(k: int) -> None:
        x, y, radius, angle = values[k]
        disc.set_center((x, y))
        disc.set_radius(radius)
        if shape.angle is not None:
            spoke.set_data([x, x + radius * np.cos(angle)], [y, y + radius * np.sin(angle)])

    return [disc, spoke], place


def _ground(axes: Axes, values: Floats, reach: float, marked: bool) -> Artist:
    """A half plane; ``marked`` where the camera moves: without marks a body would seem to stay where it is."""
    from matplotlib.patches import Polygon as Outline

    solid = Outline([(0, 0)] * 4, facecolor=_GROUND, edgecolor=style.INK, linewidth=1.0)
    axes.add_patch(solid)
    (x_from, x_to), (y_from, y_to) = axes.get_xlim(), axes.get_ylim()
    centre = np.array([(x_from + x_to) / 2, (y_from + y_to) / 2])
    (marks,) = axes.plot([], [], color=style.INK, linewidth=1.0)
    pitch = (x_to - x_from) / _MARKS

    def place(k: int) -> None:
        start, end = values[k, :2], values[k, 2:]
        along = (end - start) / np.hypot(*(end - start))
        below = np.array([along[1], -along[0]])  # the free side is on the left
        foot = start + along * ((centre - start) @ along)
        a, b = foot - reach * along, foot + reach * along
        solid.set_xy([a, b, b + reach * below, a + reach * below])
        if marked:
            numbers = np.round((foot - start) @ along / pitch) + np.arange(-_MARKS, _MARKS + 1)
            tops = start + pitch * numbers[:, None] * along
            ends = tops + 0.3 * pitch * (below - along)
            marks.set_data(*np.stack([tops, ends, np.full_like(tops, np.nan)], axis=1).reshape(-1, 2).T)

    return [solid, marks], place


def _dot(axes: Axes, values: Floats, shape: Point, contact_colours: dict[str, list[str]], size: float) -> Artist:
    artists = []
    if shape.fixed:
        (support,) = axes.plot([], [], marker="^", color=style.GREY, markersize=1.9 * size, linestyle="none", zorder=1)
        artists.append(support)
        size *= 1.0 if shape.contact else 0.9
    (dot,) = axes.plot([], [], "o", color=style.INK, markersize=size, markeredgecolor="white", zorder=_DOT)
    dot.set_markeredgewidth(size / _LARGEST_DOT)
    artists.append(dot)

    def place(k: int) -> None:
        for artist in artists:
            artist.set_data([values[k, 0]], [values[k, 1]])
        if shape.contact is not None:
            colour = contact_colours[shape.contact][k]
            dot.set_color(colour)
            dot.set_markeredgecolor("white")
            dot.set_zorder(_DOT + {style.GREY: 0, style.RED: 2}.get(colour, 1))  # many contacts may be at one place

    return artists, place


def dot_rank(artist: Any) -> float:
    """Where an artist comes among those drawn one over the other: only dots and borders have an order of their own."""
    order = float(artist.get_zorder())
    return order if order >= _DOT or order == _BORDER else 0.0


def _light(colour: str) -> str:
    """A pale tone of a colour, for areas."""
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = (1.0 - 0.2 * (1.0 - part) for part in to_rgb(colour))
    return to_hex((red, green, blue))
