"""Workflows run only on their host; here every step is held against the tree and against the steps before it."""

from __future__ import annotations

import fnmatch
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.release.test_release_files import PROJECT, ROOT

FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOWS = {file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in FILES}
TARGETS = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
OWNERS = ("actions/", "pypa/")  # whose code may run in them
COMES_WITH_PYTHON = {"pip", "venv"}


JOBS = [
    pytest.param(job, id=f"{workflow}-{name}")
    for workflow, content in WORKFLOWS.items()
    for name, job in content["jobs"].items()
]


def commands(job: dict[str, Any]) -> list[tuple[list[str], Path]]:
    """Words of each command, with the folder it runs in; what an environment or a matrix fills in stays as it is."""
    return [
        (shlex.split(line, comments=True), ROOT / step.get("working-directory", "."))
        for step in job["steps"]
        for line in step.get("run", "").splitlines()
    ]


def uses(job: dict[str, Any], action: str) -> list[dict[str, Any]]:
    return [step for step in job["steps"] if step.get("uses", "").startswith(f"{action}@")]


@pytest.mark.parametrize("job", JOBS)
def test_every_command_can_be_called(job: dict[str, Any]) -> None:
    installed = set(COMES_WITH_PYTHON)
    for words, folder in commands(job):
        match words:
            case ["make", target]:
                assert target in TARGETS
            case ["npm", "ci", *_]:
                assert (folder / "package-lock.json").is_file()
            case ["npm", "run", script]:
                assert f'"{script}":' in (folder / "package.json").read_text(encoding="utf-8")
            case ["python", "-m", "pip", "install", *what]:
                installed |= added_by(what)
            case ["python", "-m", module, *rest]:
                assert module in installed, f"{module} is not installed before it is called"
                for path in rest:
                    assert not path.startswith(("tests", "tools")) or (folder / path).exists(), path
            case ["python", script, *_]:
                assert (folder / script).is_file(), script
                assert uses(job, "actions/checkout"), f"{script} is not there without a checkout"
            case [program, *_]:
                assert program in installed, f"{program} is not installed before it is called"


def added_by(arguments: list[str]) -> set[str]:
    """Packages that pip installs; an extra of the tree must exist, and a file of constraints must have been written."""
    names = set()
    for argument in arguments:
        if extra := re.fullmatch(r"\.\[(\w+)\]", argument):
            names |= {re.split("[>=<]", each)[0] for each in PROJECT["optional-dependencies"][extra[1]]}
        elif re.fullmatch(r"[\w-]+", argument):
            names.add(argument)
    return names


@pytest.mark.parametrize("job", JOBS)
def test_jobs_end_by_themselves_and_run_code_of_known_owners(job: dict[str, Any]) -> None:
    assert 0 < job["timeout-minutes"] <= 120, "without it a job that hangs runs for six hours"
    for step in job["steps"]:
        if "uses" in step:
            owner, _, version = step["uses"].partition("@")
            assert owner.startswith(OWNERS)
            assert version
    for step in uses(job, "actions/checkout"):
        assert step["with"]["persist-credentials"] is False, "later steps could read the token from .git/config"


def test_jobs_wait_for_jobs_that_exist_and_for_what_they_download() -> None:
    jobs_of_release = WORKFLOWS["release"]["jobs"]
    for content in WORKFLOWS.values():
        for job in content["jobs"].values():
            needed = [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", [])
            assert set(needed) <= set(content["jobs"])
            before = [content["jobs"][name] for name in needed]
            made = [step["with"]["name"] for each in before for step in uses(each, "actions/upload-artifact")]
            for step in uses(job, "actions/download-artifact"):
                wanted = step["with"].get("pattern") or step["with"]["name"]
                assert [name for name in made if fnmatch.fnmatchcase(name, wanted)], wanted
    systems = [jobs_of_release[name]["strategy"]["matrix"]["os"] for name in ("wheel", "try")]
    assert systems[0] == systems[1], "every wheel that is built is tried"
    archives = [name for name, job in jobs_of_release.items() if any("--sdist" in words for words, _ in commands(job))]
    assert archives == ["source"], (
        "one source archive: artifacts are merged, and files of one name overwrite one another"
    )
    assert "strategy" not in jobs_of_release["source"]


def test_rights_beyond_reading_are_those_of_the_last_jobs() -> None:
    for content in WORKFLOWS.values():
        assert content["permissions"] == {"contents": "read"}
        with_more = {name: job["permissions"] for name, job in content["jobs"].items() if "permissions" in job}
        for name, rights in with_more.items():
            assert name == "publish"
            assert set(rights) <= {"id-token", "pages"}
            assert content["jobs"][name]["environment"], "an environment is where the owner can ask for an approval"
            assert not commands(content["jobs"][name]), "a job with rights runs no command of the tree"


def test_a_tag_names_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    for tag, code in ((f"v{version}", 0), (version, 1), ("v0.0.1", 1)):
        call = [sys.executable, str(ROOT / "tools" / "check_tag.py"), tag]
        ended = subprocess.run(call, capture_output=True, text=True)
        assert ended.returncode == code
        assert not code or f"tag v{version}" in ended.stderr
