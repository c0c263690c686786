"""The files of a release agree with one another: version, Python versions, dependencies, what the wheel must hold."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from operator import attrgetter
from pathlib import Path

import yaml

import jounce
from tools.lower_bounds import lowest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version_everywhere() -> None:
    assert PROJECT["version"] == jounce.__version__
    assert yaml.safe_load(text("CITATION.cff"))["version"] == jounce.__version__
    assert f'set version = "{jounce.__version__}"' in text("conda/meta.yaml")


def test_the_recipe_has_the_dependencies_of_the_wheel() -> None:
    recipe = set(re.findall(r"^    - (\S+ >=\S+)$", text("conda/meta.yaml").split("  run:")[1], flags=re.MULTILINE))
    wheel = {dependency.replace(">=", " >=", 1) for dependency in PROJECT["dependencies"]}
    renamed = {dependency.replace("matplotlib >=", "matplotlib-base >=") for dependency in wheel}
    assert recipe - {"python " + PROJECT["requires-python"]} == renamed


def test_every_python_that_is_promised_is_tried() -> None:
    promised = {
        classifier.rsplit(" ", 1)[1]
        for classifier in PROJECT["classifiers"]
        if re.search(r"Python :: 3\.\d+$", classifier)
    }
    matrix = yaml.safe_load(text(".github/workflows/tests.yml"))["jobs"]["tests"]["strategy"]["matrix"]
    assert promised == set(matrix["python"])
    assert PROJECT["requires-python"] == f">={min(promised, key=lambda version: int(version[2:]))}"


def test_every_dependency_has_one_lower_bound() -> None:
    """What tools/lower_bounds.py installs are the bounds of the dependencies, and no extra promises another one."""
    extras = PROJECT["optional-dependencies"]
    everything = lowest(*extras)
    assert len({line.split("==")[0] for line in everything}) == len(everything)
    for dependency in [*PROJECT["dependencies"], *(each for extra in extras.values() for each in extra)]:
        assert re.sub(r">=([\w.]+).*", r"==\1", dependency) in everything


def test_workflows_and_templates_are_yaml() -> None:
    for file in sorted((ROOT / ".github").rglob("*.yml")):
        assert yaml.safe_load(file.read_text(encoding="utf-8")), file


def test_what_a_wheel_must_hold_lies_in_the_package() -> None:
    package = resources.files("jounce")
    assert (package / "py.typed").is_file()
    assert {"index.html", "studio.js"} <= {file.name for file in (package / "studio" / "static").iterdir()}


def test_the_readme_begins_with_the_installation() -> None:
    readme = text("README.md")
    assert "pip install jounce" in readme.split("##")[0] + readme.split("##")[1]


def test_no_result_of_a_page_was_left_at_the_root() -> None:
    """Blocks of the pages write pictures and runs into the folder they are tried in; none belongs to the tree."""
    results = (".png", ".gif", ".mp4", ".webm", ".html", ".nc", ".csv", ".json", ".zarr", ".toml")
    left = [path.name for path in ROOT.iterdir() if path.suffix in results and path.name != "pyproject.toml"]
    assert not left, "remove what a page or a script has written here: run it in a folder of its own"


def test_the_list_of_public_names_is_complete() -> None:
    """docs/stability.md promises them: none is gone, and what the reference shows is listed."""
    listed = (Path(__file__).parent / "public_names.txt").read_text(encoding="utf-8").splitlines()
    for line in listed:
        assert attrgetter(line.removeprefix("jounce."))(jounce) is not None, line
    for place in ("", "plot.", "systems.", "painleve."):
        module = attrgetter(place[:-1])(jounce) if place else jounce
        assert {f"jounce.{place}{name}" for name in module.__all__ if not name.startswith("_")} <= set(listed)
