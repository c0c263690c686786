"""The code of docs/mechanisms.md runs as it stands there, and prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce

PAGE = Path(__file__).parents[2] / "docs" / "mechanisms.md"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[str], Path]:
    """The names after all blocks ran in order, what they printed, and the folder with their files."""
    folder = tmp_path_factory.mktemp("page")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    printed: list[str] = []
    names: dict[str, Any] = {"print": printed.append}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for block in blocks:
            exec(compile(block, str(PAGE), "exec"), names)
    return names, printed, folder


def test_the_page_prints_what_it_says(page: tuple[dict[str, Any], list[str], Path]) -> None:
    said = re.findall(r"^    (.+)$", re.sub(r"```.*?```", "", PAGE.read_text(), flags=re.DOTALL), flags=re.MULTILINE)
    assert page[1] == said


def test_the_first_block_has_twenty_lines_or_so() -> None:
    block = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)[0]
    assert len([line for line in block.splitlines() if line.strip()]) <= 23


def test_pictures_and_forces_of_the_page(page: tuple[dict[str, Any], list[str], Path]) -> None:
    from PIL import Image

    names, _, folder = page
    assert (folder / "forces.png").stat().st_size > 10_000
    film = Image.open(folder / "engine.gif")
    assert film.n_frames == 126  # 0.25 s at a twentieth of the speed, 25 frames a second
    # the torque by virtual power: no gravity, so T omega is the rate of the kinetic energy
    run = names["run"]
    times = np.linspace(0.0, 0.25, 4001)
    states = run.states(times)
    masses = np.array([0.3, 0.3, 1e-4, 0.2, 0.2, 4e-4, 0.4, 0.4, 1e-4])
    energy = (states[:, 9:] ** 2 @ masses) / 2
    torque = np.gradient(energy, times, edge_order=2) / 50.0
    assert np.abs(run.joint_forces(times)["motor.angle"].values - torque)[5:-5].max() < 1e-4


def test_reduced_engine_of_the_page_turns_like_the_full_one(page: tuple[dict[str, Any], list[str], Path]) -> None:
    names, _, _ = page
    system = jounce.compile_model(names["reduced"])
    assert list(names["reduced"].joints) == ["motor.angle"]
    run = jounce.simulate(system, system.state(), t_end=0.25)
    times = np.linspace(0, 0.25, 50)
    short, full = (r.joint_forces(times)["motor.angle"].values for r in (run, names["run"]))
    assert np.abs(short - full).max() < 1e-9
