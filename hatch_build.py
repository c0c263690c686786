"""Build hooks: the engine in machine code for the wheel of a platform, and the addresses of the project.

An editable installation compiles on first use. JOUNCE_PROCESSORS, a list with commas, names other processors than those
of a release: ``host`` for the machine that builds.

No address of the project is written in the tree. A package names the place from which it is built: the repository of
the workflow that builds it, or the web address that git knows as ``origin``; without either it names none.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

#: Below a repository's own address, where its host lays pages out as GitHub does.
_PAGES = {"Issues": "/issues", "Documentation": "/tree/HEAD/docs", "Changelog": "/blob/HEAD/CHANGELOG.md"}


class EngineHook(BuildHookInterface):
    """Compiles the engine and adds its files to the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before the wheel is put together."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root) / "src"))
        from jounce.toolchain import ship

        self.folder = Path(tempfile.mkdtemp(prefix="jounce-engine-"))
        chosen = os.environ.get("JOUNCE_PROCESSORS")
        names = chosen.split(",") if chosen else ship.processors()
        for file in ship.ship(self.folder, names):
            build_data["force_include"][str(file)] = f"jounce/shipped/{file.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """After the wheel is written."""
        if version != "editable":
            shutil.rmtree(self.folder, ignore_errors=True)


class AddressHook(MetadataHookInterface):
    """Fills ``urls`` of the package, and gives the links of its README the place they lead to."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Before metadata are written; no addresses and links as they are where none is known."""
        known = addresses(Path(self.root), os.environ)
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        if _PAGES.keys() <= known.keys():
            text = with_whole_links(text, known["Source"])
        metadata["urls"] = known
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def addresses(root: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Names and addresses for ``Project-URL``; those of a source archive hatchling itself takes from the archive."""
    server, repository = environment.get("GITHUB_SERVER_URL"), environment.get("GITHUB_REPOSITORY")
    if server and repository:
        home = f"{server}/{repository}"
        pages = _PAGES
    else:
        home = _origin(root)
        pages = _PAGES if urlsplit(home).hostname == "github.com" else {}
    if not home:
        return {}
    return {"Homepage": home, "Source": home} | {name: home + below for name, below in pages.items()}


def with_whole_links(text: str, home: str) -> str:
    """Markdown whose links and pictures do not depend on where it is shown: an index of packages has no docs/."""
    text = re.sub(r"(!\[[^]]*\])\((?![\w+]+:|#)", rf"\1({home}/raw/HEAD/", text)
    return re.sub(r"(?<!!)(\[[^]]*\])\((?![\w+]+:|#)", rf"\1({home}/blob/HEAD/", text)


def _origin(root: Path) -> str:
    """The web address of the repository that git knows as ``origin``, without a user's name or password, or nothing."""
    if not (root / ".git").exists():  # unpacked somewhere below another repository
        return ""
    command = ["git", "-C", str(root), "config", "--get", "remote.origin.url"]
    try:
        remote = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
    parts = urlsplit(remote)
    last = (parts.hostname or "").rpartition(".")
    if parts.scheme != "https" or not last[0] or not last[2].isalpha():  # a host of the public has a name with a dot
        return ""
    return f"https://{parts.hostname}{parts.path.rstrip('/').removesuffix('.git')}"


def _platform() -> str:
    """Object code calls nothing of the system but functions of mathematics: the oldest system of its kind will do."""
    machine = platform.machine().lower()
    if sys.platform == "linux" and platform.libc_ver()[0] == "glibc":
        return f"manylinux_2_17_{machine}"
    if sys.platform == "darwin":
        return f"macosx_11_0_{machine}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
