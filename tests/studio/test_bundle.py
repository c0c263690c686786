"""The bundle that the package ships was made from the sources beside it."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "studio"
BUNDLE = ROOT / "src" / "jounce" / "studio" / "static" / "studio.js"


def test_bundle_and_sources_agree() -> None:
    digest = hashlib.sha256()
    for path in sorted((SOURCES / "src").iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    digest.update((SOURCES / "package-lock.json").read_bytes())
    recorded = re.match(r"// sources sha256:([0-9a-f]{64})\n", BUNDLE.read_text(encoding="utf-8"))
    assert recorded is not None
    assert recorded[1] == digest.hexdigest(), "run `npm ci && npm run build` in studio/ and commit the bundle"


def test_the_bundle_names_no_other_server() -> None:
    """Nothing is fetched from a network at run time; names of standards and licences are no fetches."""
    addresses = set(re.findall(r"https?://[\w.-]+", BUNDLE.read_text(encoding="utf-8")))
    assert addresses <= {"http://www.w3.org", "https://github.com"}, addresses


@pytest.mark.skipif(
    not (SOURCES / "node_modules" / ".bin" / "tsc").exists() or shutil.which("node") is None,
    reason="no node_modules in studio/: run `npm ci` there to check the types of the page's sources",
)
def test_the_sources_have_sound_types() -> None:
    result = subprocess.run(["node_modules/.bin/tsc", "--noEmit"], cwd=SOURCES, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
