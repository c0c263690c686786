"""Compiled models that are on disk already, which need no SymPy to be loaded."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, NamedTuple

from jounce.toolchain import emission, machine_code
from jounce.toolchain.abi import BATCH_SIGNATURE, STATE_SIGNATURE, Signature
from jounce.toolchain.c_function import CFunction
from jounce.toolchain.folders import cache_root, usable

#: One thread at a time: none translates what another has under way.
LOADING = threading.RLock()


class ModelFunction(CFunction):
    """One function of a model."""

    def __init__(self, name: str, signature: Signature, address: int) -> None:
        self.__name__, self.signature, self.address = name, signature, address


class ModelCode(NamedTuple):
    """The functions of a model and the constants beside them (module_text.py), by name."""

    functions: dict[str, ModelFunction]
    constants: dict[str, Any]


def models_folder() -> Path:
    """Where compiled models are kept."""
    return usable(cache_root() / "models")


def kept_path(name: str) -> Path:
    """The file of the code of this name."""
    return models_folder() / f"{name}_{emission.toolchain()}.code"


def translation_path(name: str) -> Path:
    """The file of the intermediate code of this name, beside that of the machine code."""
    return kept_path(name).with_suffix(".translation")


def kept_code(name: str) -> ModelCode | None:
    """The code of this name; None where there is none, or it is damaged."""
    with LOADING:
        code = machine_code.read(kept_path(name))
        return None if code is None else linked(name, code)


def linked(name: str, code: emission.Code) -> ModelCode:
    """The functions of a file, ready to be called."""
    addresses = machine_code.link(code)
    functions = {}
    for symbol, is_batch in zip(code.symbols, code.facts["batch"], strict=True):
        function = symbol.removeprefix(f"{name}.")
        signature = BATCH_SIGNATURE if is_batch else STATE_SIGNATURE
        functions[function] = ModelFunction(function, signature, addresses[symbol])
    return ModelCode(functions, code.facts["constants"])
