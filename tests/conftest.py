"""The engine, compiled before the first test that needs it, so that no test is charged for it; audits of all runs.

Every run audits itself as users' runs do. With --audit=dense each run of each test passes the whole audit as well.

Scratch of the engine is spoilt before every run (spoilt_scratch.py).

Processes of pytest-xdist that start together wait for the one that compiles (jounce/toolchain/build.py).
"""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
WITHOUT_ENGINE = frozenset({"model", "references"})
# files that make wrong records on purpose, or measure the calls and the time of runs with their own audit
OWN_AUDIT = frozenset({"test_corruptions.py", "test_call_cost.py", "test_cancelling.py"})


def pytest_configure() -> None:
    """Let Ctrl-C reach tests and the processes they start, also where a shell runs the tests in the background."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Let Python look for cycles less often than after every 700 new objects: SymPy makes many, which mostly stay."""
    gc.set_threshold(20_000, 10, 10)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The level at which runs of tests are audited beyond their own options."""
    parser.addoption("--audit", choices=["own", "dense"], default="own", help="audit every run densely")


@pytest.fixture(autouse=True)
def densely_audited(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """With --audit=dense: a test fails if a run in it that ended well has findings.

    Findings that a test makes on purpose it names: ``@pytest.mark.audit_finds("penetration", ...)``.
    """
    if request.config.getoption("--audit") != "dense" or request.path.name in OWN_AUDIT:
        yield
        return
    from jounce.simulation import driver

    found: list[str] = []
    marker = request.node.get_closest_marker("audit_finds")
    meant = set(marker.args) if marker else set()
    own = driver.audited

    def audited(run: Any, machine: Any) -> Any:
        ended = own(run, machine)
        if ended.status.ok and len(run.data.step_t):
            table = run.audit("dense")
            table = table[~table["what"].isin(meant)]
            found.extend([f"{run}\n{table.head(5).to_string()}"] if len(table) else [])
        return ended

    monkeypatch.setattr(driver, "audited", audited)
    yield
    assert not found, f"{len(found)} runs have findings, first:\n{found[0]}"


def _needs_engine(item: pytest.Item) -> bool:
    relative = item.path.relative_to(HERE) if item.path.is_relative_to(HERE) else Path("elsewhere")
    return relative.parts[0] not in WITHOUT_ENGINE


@pytest.fixture(scope="session", autouse=True)
def compiled_engine(request: pytest.FixtureRequest) -> None:
    """The engine, compiled or loaded, before the first test of this process that may need it."""
    if not any(_needs_engine(item) for item in request.session.items):
        return
    from jounce.kernels.engine.advance import run_machine
    from jounce.toolchain import build, python_mode, ship
    from jounce.toolchain.jit import code_folder
    from tests.spoilt_scratch import spoil_scratch

    spoil_scratch()
    if not python_mode.CHOSEN:
        build.prepare(code_folder(), ship.all_modules())  # the tests need every block: one round of compiling
    assert run_machine.address
