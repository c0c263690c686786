"""Build hook: the wheel of a platform holds the engine in machine code, so that users compile nothing.

An editable installation compiles on first use. JOUNCE_PROCESSORS, a list with commas, names other processors than those
of a release: ``host`` for the machine that builds.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


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


def _platform() -> str:
    """Object code calls nothing of the system but functions of mathematics: the oldest system of its kind will do."""
    machine = platform.machine().lower()
    if sys.platform == "linux" and platform.libc_ver()[0] == "glibc":
        return f"manylinux_2_17_{machine}"
    if sys.platform == "darwin":
        return f"macosx_11_0_{machine}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
