"""What sweeps and basins have in common: a result that lives in a store of chunks."""

from __future__ import annotations

import os
import shutil
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from jounce.analysis.stores.chunk_store import ChunkStore, read_description
from jounce.errors import StorageError
from jounce.model.definition import from_definition

if TYPE_CHECKING:
    from jounce.model.model import Model


_EVERY: dict[str, type] = {"model": dict, "section": str, "parameters": dict, "options": dict}


class StoredResult:
    """A result in a folder; ``kind`` is what the folder calls it, ``entries`` what its description must have."""

    kind: ClassVar[str]
    entries: ClassVar[dict[str, type]]

    def __init__(self, store: ChunkStore) -> None:
        self.store = store

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The result from its folder."""
        description = read_description(path)
        if description.get("kind") != cls.kind:
            raise StorageError(f"{path} holds {description.get('kind')!r}, not {cls.kind!r}; use jounce.load")
        for key, kind in {**_EVERY, **cls.entries}.items():
            if not isinstance(description.get(key), kind):
                raise StorageError(f"{path} is no store of Jounce: its description has no sound {key!r}")
        return cls(ChunkStore(Path(path), description))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Copy the result into a folder of its own."""
        copy_store(self.store, path)

    @property
    def description(self) -> dict[str, Any]:
        """What was computed: model, section, parameters, options."""
        return self.store.description

    @property
    def section(self) -> str:
        """The section, as text."""
        return str(self.description["section"])

    @property
    def complete(self) -> bool:
        """Whether all of it is there."""
        return self.store.complete

    @cached_property
    def model(self) -> Model:
        """The model, from the store."""
        definition = self.description["model"]
        if "tables" in definition:
            raise StorageError(
                f"the store knows the machine {definition['name']!r} by the digest of its tables only, for it has too "
                "many contacts to be written out; the script that makes it, run again with this store, gives its result"
            )
        return from_definition(definition)

    def know(self, model: Model) -> None:
        """The model itself, where the store has been made or opened with it: nothing is read from the store."""
        self.__dict__["model"] = model


def copy_store(store: ChunkStore, path: str | os.PathLike[str]) -> None:
    """A copy of a store in a folder that does not exist yet."""
    target = Path(path)
    if target.exists():
        if target.resolve() == store.path.resolve():
            return
        raise StorageError(f"{target} exists already; give another name")
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        shutil.copytree(store.path, temporary)
        os.rename(temporary, target)
    except OSError as error:
        raise StorageError(f"{target} cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
