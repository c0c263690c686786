"""Films: the name says the format; videos go through ffmpeg, whose absence is said before the run."""

from __future__ import annotations

import os
import shutil
import sys

import matplotlib as mpl
import numpy as np
import pytest

import jounce
from jounce.cli.main import main
from jounce.errors import OptionError

#: Stands for ffmpeg: keeps its arguments and counts the bytes of the frames.
RECORDER = """#!{python}
import sys
size = len(sys.stdin.buffer.read())
open(sys.argv[-1], "w").write(" ".join(sys.argv[1:]) + f" bytes={{size}}")
"""
BROKEN = "#!{python}\nimport sys\nsys.stderr.write('first line\\nUnknown encoder libx264\\n')\nsys.exit(1)\n"


@pytest.fixture(scope="module")
def run():
    return jounce.simulate(jounce.systems.bouncing_ball(), {"y": 1.0}, 1.0)


def _use(monkeypatch, tmp_path, text):
    program = tmp_path / "encoder"
    program.write_text(text.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setitem(mpl.rcParams, "animation.ffmpeg_path", str(program))


@pytest.mark.parametrize(("suffix", "codec"), [(".mp4", "libx264"), (".webm", "libvpx-vp9")])
def test_every_frame_reaches_the_encoder(run, suffix, codec, tmp_path, monkeypatch):
    _use(monkeypatch, tmp_path, RECORDER)
    jounce.plot.animate(run, tmp_path / f"film{suffix}", fps=10)
    words = (tmp_path / f"film{suffix}").read_text().split()
    width, height = map(int, words[words.index("-s") + 1].split("x"))
    assert codec in words
    assert words[words.index("-r") + 1] == "10"
    assert words[-1] == f"bytes={11 * width * height * 3}"  # a second at ten frames, both ends


def test_what_the_encoder_says_is_passed_on(run, tmp_path, monkeypatch):
    _use(monkeypatch, tmp_path, BROKEN)
    with pytest.raises(OptionError, match=r"ffmpeg could not write film.mp4: Unknown encoder libx264"):
        jounce.plot.animate(run, tmp_path / "film.mp4")


def test_a_missing_encoder_is_said_before_the_run(run, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(mpl.rcParams, "animation.ffmpeg_path", "no-such-program")
    with pytest.raises(OptionError, match=r"film.webm: .webm is encoded by the program ffmpeg, which is not found"):
        jounce.plot.animate(run, tmp_path / "film.webm")
    monkeypatch.setattr("jounce.simulate", lambda *_, **__: pytest.fail("ran before the check"))
    assert main(["simulate", "bouncing_ball", "--animate", str(tmp_path / "film.mp4")]) == 2
    assert "ffmpeg" in capsys.readouterr().err
    assert not (tmp_path / "film.mp4").exists()


def test_other_names_are_refused(run, tmp_path):
    with pytest.raises(OptionError, match=r"\*\.gif, \*\.mp4 or \*\.webm, not 'film.avi'"):
        jounce.plot.animate(run, tmp_path / "film.avi")


@pytest.mark.parametrize(("suffix", "mark"), [(".mp4", b"ftyp"), (".webm", b"\x1aE\xdf\xa3")])
def test_real_films(run, suffix, mark, tmp_path):
    """Where ffmpeg is installed, the files are what their names say."""
    path = tmp_path / f"film{suffix}"
    if shutil.which(mpl.rcParams["animation.ffmpeg_path"]) is None:
        with pytest.raises(OptionError, match="not found"):
            jounce.plot.animate(run, path)
        return
    jounce.plot.animate(run, path, fps=10)
    assert mark in path.read_bytes()[:12]
    assert os.path.getsize(path) > 1000


def test_a_film_is_as_wide_and_as_fast_as_asked(run, tmp_path, capsys):
    from PIL import Image

    for width in (300, 801):
        jounce.plot.animate(run, tmp_path / "film.gif", speed=2.0, max_frames=5, width=width)
        with Image.open(tmp_path / "film.gif") as film:
            assert abs(film.width - width) <= 1
    with pytest.raises(OptionError, match="between 100 and 4000"):
        jounce.plot.animate(run, tmp_path / "film.gif", width=20)
    film, ball = str(tmp_path / "slow.gif"), ["simulate", "bouncing_ball", "--t-end", "0.1"]
    assert main([*ball, "--animate", film, "--speed", "0.25"]) == 0
    with Image.open(film) as slow:
        assert slow.n_frames == 11  # a tenth of a second at a quarter of its speed, 25 frames a second, both ends
    assert main([*ball, "--animate", film, "--speed", "-1"]) == 2
    assert main([*ball, "--speed", "0.1"]) == 2
    assert "--animate FILE.gif" in capsys.readouterr().err


def test_what_moves_is_seen(run, tmp_path):
    """Dots of contacts that do something lie above those that do not; a camera that moves sees marks on the ground."""
    from jounce.plot.animation import _Stage
    from jounce.plot.artists import dot_rank

    x, _ = jounce.coordinate("x", "m")
    y, _ = jounce.coordinate("y", "m")
    model = jounce.Model(
        "two",
        [x, y],
        [1, 1],
        [0, -9.81],
        contacts=[jounce.Contact("near", gap=y), jounce.Contact("far", gap=y + 9)],
        drawing=[
            jounce.Ground(0),
            jounce.Point((x, y), contact="near"),
            jounce.Point((x, y), contact="far"),
            jounce.Point((x, 1)),
        ],
    )
    moved = jounce.simulate(model, {"y": 0.0, "d_x": 5.0}, 2.0)
    stage = _Stage(moved, moved.t_start + np.array([0.0, 0.03, 2.0]), 1.0, 0.1, 414)
    stage.draw(1)
    (ground, marks), (near,), (far,), _ = (artists for artists, _ in stage.movers)
    assert dot_rank(near) > dot_rank(far) > dot_rank(ground)
    first = marks.get_xdata().copy()
    stage.draw(2)
    pitch = np.diff(first[::3])[0]
    shift = (marks.get_xdata()[0] - first[0] + 5.0 * (2.0 - 0.03)) / pitch
    assert shift == pytest.approx(round(shift), abs=1e-9)  # they stand still in the world
