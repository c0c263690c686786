"""A moving picture of a run: the model's drawing, its surfaces, its contact points coloured by mode."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jounce.errors import OptionError
from jounce.model.drawing import Circle, Ground, Point
from jounce.plot import style
from jounce.plot.artists import Artist, artist_of, body_colours, dot_diameter, dot_rank
from jounce.plot.drawn import drawn_from
from jounce.plot.film_files import check_film, write_film
from jounce.plot.shapes import Frames, length_unit, shape_frames
from jounce.plot.touching import shown_contacts
from jounce.simulation.dense_output import step_index
from jounce.simulation.events import EventKind
from jounce.simulation.modes import Mode, mode_codes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from jounce.simulation.trajectory import Trajectory

Floats = NDArray[np.float64]

#: The width to which letters and lines are laid out, whatever the number of pixels.
_INCHES = 4.6
#: An impact is shown for this long, in seconds of film: one frame would be missed by the eye.
FLASH = 0.12


@drawn_from("Trajectory")
def animate(
    run: Trajectory,
    path: str | PathLike[str],
    *,
    fps: int = 25,
    t_from: float | None = None,
    t_to: float | None = None,
    speed: float = 1.0,
    max_frames: int = 300,
    width: int = 414,
) -> None:
    """Write a film of the run: in real time, or ``speed`` times as fast; faster where it would exceed ``max_frames``.

    The name says the format: .gif, or .mp4 and .webm where the program ffmpeg is installed. ``width`` is in pixels.

    >>> ball = jounce.systems.bouncing_ball()
    >>> run = jounce.simulate(ball, {"y": 1.0}, t_end=1.0)
    >>> jounce.plot.animate(run, "ball.gif", speed=0.5, max_frames=4)
    """
    _check(run, path, fps, speed, max_frames, width)
    first = run.t_start if t_from is None else max(t_from, run.t_start)
    last = run.t_end if t_to is None else min(t_to, run.t_end)
    if not last > first:
        raise OptionError(f"nothing to animate between t = {first:g} and t = {last:g} s")
    count = int(np.clip(np.floor((last - first) * fps / speed * (1 + 1e-12)) + 1, 2, max_frames))
    shown = max(speed, (last - first) * fps / (count - 1)) if count > 2 else (last - first) * fps
    if shown < speed * (1.0 + 1.0 / count):
        shown = speed  # the last frame may miss the end by less than a frame
    times = np.minimum(first + np.arange(count) * (shown / fps), last)
    stage = _Stage(run, times, shown, FLASH * shown, width)
    write_film(stage.draw, count, Path(path), fps, list(body_colours(run.model).values()))


class _Stage:
    """A figure drawn once; each frame restores it and draws only what moves."""

    def __init__(self, run: Trajectory, times: Floats, speed: float, flash: float, width: int) -> None:
        self.times, self.speed = times, speed
        touching = shown_contacts(run)
        frames = [
            item
            for item in shape_frames(run, times)
            if not isinstance(item.shape, Point) or item.shape.contact is None or item.shape.contact in touching
        ]
        xlim, ylim, follow = _view(frames)
        self.figure = _new_stage(xlim, ylim, width, legend=_shows_modes(run))
        self.axes = self.figure.axes[0]
        _label_axes(self.axes, run, follow is not None)
        colours = _contact_colours(run, times, flash)
        offset = follow if follow is not None else np.zeros(len(times))
        reach = 4.0 * (xlim[1] - xlim[0] + ylim[1] - ylim[0])
        bodies = body_colours(run.model)
        self.figure.draw_without_rendering()  # places the axes
        wide = self.axes.get_window_extent().width * 72 / self.figure.dpi
        dots = dot_diameter(frames, wide / (xlim[1] - xlim[0]))
        self.movers: list[Artist] = [
            artist_of(self.axes, item, offset, colours, bodies, reach, dots) for item in frames
        ]
        self.clock = self.axes.text(0.0, 1.02, self._time(0), transform=self.axes.transAxes, fontsize=9)
        self.figure.canvas.draw()
        for artist in [*(a for artists, _ in self.movers for a in artists), self.clock]:
            artist.set_animated(True)
        self.figure.canvas.draw()
        self.background = self.figure.canvas.copy_from_bbox(self.figure.bbox)  # type: ignore[attr-defined]

    def draw(self, k: int) -> Any:
        """Frame k as a Pillow image."""
        from PIL import Image

        canvas: Any = self.figure.canvas
        canvas.restore_region(self.background)
        for _, place in self.movers:
            place(k)
        # shapes in the order of the drawing; dots above them, those of open contacts below the others at their place
        for artist in sorted((a for artists, _ in self.movers for a in artists), key=dot_rank):
            self.axes.draw_artist(artist)
        self.clock.set_text(self._time(k))
        self.axes.draw_artist(self.clock)
        return Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())

    def _time(self, k: int) -> str:
        """What stands above the picture."""
        fast = "" if abs(self.speed - 1.0) < 0.01 else f"   speed {self.speed:.3g}x"
        digits = max(2, int(np.ceil(-np.log10(self.times[1] - self.times[0]))))  # each frame has a time of its own
        return f"t = {self.times[k]:6.{digits}f} s{fast}"


def _check(run: Trajectory, path: str | PathLike[str], fps: int, speed: float, max_frames: int, width: int) -> None:
    if not run.model.drawing:
        raise OptionError(
            f"{run.model.name} has no drawing; give its Model drawing=[...] made of Ground, Segment, Circle, Point"
        )
    check_film(path)
    check_speed(speed)
    if not 100 <= width <= 4000:
        raise OptionError(f"the width of a film is {width!r} pixels; it must lie between 100 and 4000")
    if fps < 1 or fps > 50 or max_frames < 2:
        raise OptionError(
            f"an animation needs 1 <= fps <= 50 and at least 2 frames, not fps={fps}, {max_frames} frames"
        )


def check_speed(speed: float) -> None:
    """Whether a film may be shown so fast."""
    if not (np.isfinite(speed) and speed > 0.0):
        raise OptionError(f"speed is {speed!r}; it must be a positive number: 1 is real time, 0.1 ten times slower")


def _view(frames: list[Frames]) -> tuple[tuple[float, float], tuple[float, float], Floats | None]:
    """Limits that hold the whole motion; where it wanders far sideways, the camera's path as well."""
    xs, ys = [], []
    for item in frames:
        match item.shape:
            case Circle():
                radius = item.values[:, 2:3]
                xs.append(item.values[:, 0:1] + radius * [-1, 1])
                ys.append(item.values[:, 1:2] + radius * [-1, 1])
            case Point():
                xs.append(item.values[:, 0:1])
                ys.append(item.values[:, 1:2])
            case Ground():
                level = np.ptp(item.values[:, 1::2], axis=1).max() == 0
                (ys if level else xs).append(item.values[:, 1::2] if level else item.values[:, 0::2])
            case _:
                xs.append(item.values[:, 0::2])
                ys.append(item.values[:, 1::2])
    x, y = np.hstack(xs) if xs else np.zeros((1, 1)), np.hstack(ys) if ys else np.zeros((1, 1))
    height, body = np.ptp(y), np.ptp(x, axis=1).max()
    follow = None
    if np.ptp(x) > 2.0 * max(height, body) > 0.0 and len(x) > 1:
        follow = x.mean(axis=1)
        x = x - follow[:, None]
    size = 1.15 * max(height, np.ptp(x)) or 1.0  # of a single point that stays where it is anything will do
    centre = 0.5 * (x.min() + x.max())
    middle = 0.5 * (y.min() + y.max())
    half_height = 0.5 * max(1.15 * height, 0.3 * size)
    half_width = 0.5 * max(1.15 * np.ptp(x), 0.9 * half_height * 2)
    return (centre - half_width, centre + half_width), (middle - half_height, middle + half_height), follow


def _new_stage(xlim: tuple[float, float], ylim: tuple[float, float], width: int, legend: bool) -> Figure:
    aspect = (ylim[1] - ylim[0]) / (xlim[1] - xlim[0])
    # 0.88 of the width is inside the axes; the labels and the clock take half an inch of height, and so does a legend
    around = 0.55 + (0.2 if legend else 0.0)
    figure = style.new_figure(_INCHES, float(np.clip(0.88 * _INCHES * aspect, 1.3, 5.0)) + around)
    figure.set_dpi(width / _INCHES)
    axes = figure.subplots()
    style.tidy(axes)
    axes.set_aspect("equal")
    axes.set_xlim(*xlim)
    axes.set_ylim(*ylim)
    return figure


def _shows_modes(run: Trajectory) -> bool:
    """Whether dots of the drawing have the colours of modes."""
    return any(isinstance(shape, Point) and shape.contact for shape in run.model.drawing)


def _label_axes(axes: Axes, run: Trajectory, follows: bool) -> None:
    from matplotlib.lines import Line2D

    unit = length_unit(run.model)
    axes.set_xlabel("camera follows sideways" if follows else f"[{unit}]", fontsize=9)
    axes.set_ylabel(f"[{unit}]", fontsize=9)
    if follows:
        axes.set_xticks([])
    if not _shows_modes(run):
        return
    seen = [Mode(int(code)) for code in np.unique(mode_codes(run.data.step_mode, len(run.contacts)))]
    handles = [
        Line2D([], [], marker="o", linestyle="none", color=style.MODE_COLOURS[mode], label=str(mode)) for mode in seen
    ]
    handles.append(Line2D([], [], marker="o", linestyle="none", color=style.RED, label="impact"))
    axes.figure.legend(
        handles=handles, loc="outside upper center", ncols=5, fontsize=8, frameon=False, handletextpad=0.1
    )


def _contact_colours(run: Trajectory, times: Floats, flash: float) -> dict[str, list[str]]:
    """The colour of every contact at every frame: its mode, and a flash just after an impact."""
    codes = mode_codes(run.data.step_mode[step_index(run.data, times, "right")], len(run.contacts))
    events = run.data.event_int
    colours = {}
    for i, contact in enumerate(run.contacts):
        hits = run.data.event_float[(events[:, 1] == i) & (events[:, 0] == EventKind.IMPACT), 0]
        since = np.full(len(times), np.inf)
        if len(hits):
            last = np.searchsorted(hits, times, side="right") - 1
            since = np.where(last >= 0, times - hits[np.maximum(last, 0)], np.inf)
        names = [style.MODE_COLOURS[Mode(int(code))] for code in codes[:, i]]
        colours[contact] = [style.RED if fresh else name for fresh, name in zip(since <= flash, names, strict=True)]
    return colours
