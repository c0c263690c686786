"""The engine, compiled before the first test that needs it, so that no test is charged for it.

Processes of pytest-xdist that start together wait for the one that compiles (jounce/toolchain/build.py).
"""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
WITHOUT_ENGINE = frozenset({"model", "references"})


def _needs_engine(item: pytest.Item) -> bool:
    relative = item.path.relative_to(HERE) if item.path.is_relative_to(HERE) else Path("elsewhere")
    return relative.parts[0] not in WITHOUT_ENGINE


@pytest.fixture(scope="session", autouse=True)
def compiled_engine(request: pytest.FixtureRequest) -> None:
    """The engine, compiled or loaded, before the first test of this process that may need it."""
    if not any(_needs_engine(item) for item in request.session.items):
        return
    from jounce.kernels.engine.advance import run_machine

    assert run_machine.address
