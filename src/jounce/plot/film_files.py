"""Frames as a file: GIF by Pillow, MP4 and WebM by ffmpeg, chosen by the file's name."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterable
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from jounce.errors import OptionError
from jounce.plot import style

#: Suffix -> how ffmpeg encodes it. Both codecs need even sizes, and players want colours at half resolution.
_CODECS = {
    ".mp4": ("-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart"),
    ".webm": ("-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-pix_fmt", "yuv420p"),
}
SUFFIXES = (".gif", *_CODECS)


def check_film(path: str | PathLike[str]) -> None:
    """Whether a film of this name can be written here: before a long run, not after it."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise OptionError(
            f"animations are written as GIF, MP4 or WebM; name the file *.gif, *.mp4 or *.webm, not {Path(path).name!r}"
        )
    if suffix in _CODECS and _ffmpeg() is None:
        raise OptionError(
            f"{Path(path).name}: {suffix} is encoded by the program ffmpeg, which is not found; install it (Debian: "
            "apt install ffmpeg, conda: conda install ffmpeg), or write a .gif"
        )


def write_film(draw: Callable[[int], Any], count: int, path: Path, fps: int, bodies: list[str]) -> None:
    """Write the film that the name asks for from the Pillow images draw(0) to draw(count - 1).

    ``bodies`` are colours that a palette must have.
    """
    if path.suffix.lower() == ".gif":
        _write_gif(draw, count, path, fps, bodies)
    else:
        _write_video(map(draw, range(count)), path, fps)


def _ffmpeg() -> str | None:
    """The program that matplotlib would use."""
    from matplotlib import rcParams

    return shutil.which(rcParams["animation.ffmpeg_path"])


def _write_video(images: Iterable[Any], path: Path, fps: int) -> None:
    """One frame after the other through a pipe, as plain bytes."""
    frames = iter(images)
    first = next(frames)
    process = _start_ffmpeg(first.size, path, fps)
    try:
        for image in chain((first,), frames):
            process.stdin.write(image.tobytes())
    except BrokenPipeError:
        pass  # ffmpeg has ended: it says why
    finally:
        said = process.communicate()[1].decode(errors="replace").strip()
    if process.returncode != 0:
        reason = said.splitlines()[-1] if said else "it gave no reason"
        raise OptionError(f"ffmpeg could not write {path.name}: {reason}")


def _start_ffmpeg(size: tuple[int, int], path: Path, fps: int) -> Any:
    source = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", str(fps), "-i", "-")
    even = ("-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white")
    quiet = ("-hide_banner", "-loglevel", "error", "-y")
    command = (_ffmpeg() or "ffmpeg", *quiet, *source, "-an", *even, *_CODECS[path.suffix.lower()], str(path))
    return subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)


def _write_gif(draw: Callable[[int], Any], count: int, path: Path, fps: int, bodies: list[str]) -> None:
    """All frames share one palette, which keeps colours steady and the file small."""
    from PIL import Image

    samples = [draw(k) for k in (0, count // 2, count - 1)]
    width, height = samples[0].size
    reference = Image.new("RGB", (width, 3 * height))
    for row, image in enumerate(samples):
        reference.paste(image, (0, row * height))
    colours = list(
        dict.fromkeys([*style.MODE_COLOURS.values(), *bodies, style.RED, style.BLUE, style.INK, "#DDDDDD", "#FFFFFF"])
    )
    for k, colour in enumerate(colours):  # rare colours must be in the palette even if these frames lack them
        reference.paste(colour, (12 * k, 0, 12 * k + 12, 12))
    palette = _exact_palette(reference.quantize(64, dither=Image.Dither.NONE), colours)
    frames = [draw(k).quantize(palette=palette, dither=Image.Dither.NONE) for k in range(count)]
    # GIF counts time in hundredths of a second.
    duration = round(100 / fps) * 10
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=duration, loop=0, optimize=False)


def _exact_palette(image: Any, colours: list[str]) -> Any:
    """Replace the palette entry nearest to each colour by the colour itself: white stays white."""
    from matplotlib.colors import to_rgb

    entries = np.array(image.getpalette(), dtype=float).reshape(-1, 3)
    taken: set[int] = set()
    for colour in colours:
        exact = 255.0 * np.array(to_rgb(colour))
        for nearest in np.argsort(((entries - exact) ** 2).sum(axis=1)):
            if int(nearest) not in taken:
                break
        taken.add(int(nearest))
        entries[nearest] = exact
        # Pillow looks colours up coarsely: a close neighbour would be taken for this one
        entries[np.abs(entries - exact).max(axis=1) < 8] = exact
    image.putpalette(np.rint(entries).astype(int).ravel().tolist())
    return image
