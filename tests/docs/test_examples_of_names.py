"""Every public name has an example in its description, which runs and shows what it says."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import jounce

#: Ready-made models are all used alike: the page about them and `jounce systems` say what each is.
HOMES = (jounce, jounce.plot, jounce.painleve)


def named(home: ModuleType) -> list[tuple[str, object]]:
    """The public functions and classes of a module."""
    things = [(f"{home.__name__}.{name}", getattr(home, name)) for name in home.__all__]
    return [(name, thing) for name, thing in things if inspect.isclass(thing) or inspect.isroutine(thing)]


NAMES = [entry for home in HOMES for entry in named(home)]


@pytest.mark.parametrize(("name", "thing"), NAMES, ids=[name for name, _ in NAMES])
def test_example(name: str, thing: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = doctest.DocTestParser().get_doctest(inspect.getdoc(thing) or "", {"jounce": jounce}, name, None, None)
    assert found.examples, "its description has no example"
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(found, out=said.append)
    assert not said, "".join(said)
