"""Addresses in the metadata of a package: those of the place where it is built, and none where none is known."""

from __future__ import annotations

import re
import shutil
import subprocess
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path

import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.metadata.spec import DEFAULT_METADATA_VERSION, get_core_metadata_constructors
from hatchling.plugin.manager import PluginManager

ROOT = Path(__file__).parents[2]
WORKFLOW = {"GITHUB_SERVER_URL": "https://forge.example", "GITHUB_REPOSITORY": "owner/name"}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What metadata are made of, away from this repository and from the workflow that may run this."""
    for name in WORKFLOW:
        monkeypatch.delenv(name, raising=False)
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def written(tree: Path) -> str:
    project = ProjectMetadata(str(tree), PluginManager())
    return get_core_metadata_constructors()[DEFAULT_METADATA_VERSION](project)


def metadata(tree: Path) -> Message:
    return HeaderParser().parsestr(written(tree))


def urls(tree: Path) -> list[str]:
    return metadata(tree).get_all("Project-URL", [])


def with_origin(tree: Path, address: str) -> Path:
    subprocess.run(["git", "init", "--quiet", str(tree)], check=True)
    subprocess.run(["git", "-C", str(tree), "remote", "add", "origin", address], check=True)
    return tree


def test_without_an_address_there_is_none(tree: Path) -> None:
    assert metadata(tree)["Name"] == "jounce"
    assert urls(tree) == []
    assert "Dynamic" not in metadata(tree)


def test_a_workflow_names_its_repository(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in WORKFLOW.items():
        monkeypatch.setenv(name, value)
    assert urls(tree) == [
        "Homepage, https://forge.example/owner/name",
        "Source, https://forge.example/owner/name",
        "Issues, https://forge.example/owner/name/issues",
        "Documentation, https://forge.example/owner/name/tree/HEAD/docs",
        "Changelog, https://forge.example/owner/name/blob/HEAD/CHANGELOG.md",
    ]


def test_links_of_the_readme_lead_somewhere_from_an_index_of_packages(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert metadata(tree).get_payload() == readme
    for name, value in WORKFLOW.items():
        monkeypatch.setenv(name, value)
    shown = metadata(tree).get_payload()
    assert metadata(tree)["Description-Content-Type"] == "text/markdown"
    pictures, links = (re.findall(rf"{mark}\[[^]]*\]\(([^)]+)\)", shown) for mark in ("!", "(?<!!)"))
    assert len(pictures) >= 3
    assert len(links) >= 20
    for kind, addresses in (("raw", pictures), ("blob", links)):
        places = [address.removeprefix(f"https://forge.example/owner/name/{kind}/HEAD/") for address in addresses]
        assert [place for place in places if not (ROOT / place).exists()] == []


def test_pages_below_the_address_exist() -> None:
    assert (ROOT / "docs").is_dir()
    assert (ROOT / "CHANGELOG.md").is_file()


@pytest.mark.parametrize(
    "address", ["https://forge.example/owner/name.git", "https://user:secret@forge.example/owner/name/"]
)
def test_the_origin_is_named_without_passwords(tree: Path, address: str) -> None:
    home = "https://forge.example/owner/name"
    assert urls(with_origin(tree, address)) == [f"Homepage, {home}", f"Source, {home}"]


def test_pages_of_a_known_host(tree: Path) -> None:
    assert "Issues, https://github.com/owner/name/issues" in urls(
        with_origin(tree, "https://github.com/owner/name.git")
    )


@pytest.mark.parametrize(
    "address",
    [
        "git@forge.example:owner/name.git",
        "/srv/name.git",
        "http://forge.example/name",
        "https://localhost/name",
        "https://10.0.0.1/name",
    ],
)
def test_an_origin_that_is_no_public_page_is_not_named(tree: Path, address: str) -> None:
    assert urls(with_origin(tree, address)) == []


def test_a_wheel_of_an_archive_names_what_the_archive_names(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in WORKFLOW.items():
        monkeypatch.setenv(name, value)
    archive = written(tree)
    (tree / "PKG-INFO").write_text(archive, encoding="utf-8")
    monkeypatch.setenv("GITHUB_REPOSITORY", "another/place")
    assert urls(tree) == HeaderParser().parsestr(archive).get_all("Project-URL")
    assert metadata(tree).get_payload() == HeaderParser().parsestr(archive).get_payload()
