"""``--config run.toml``: options of a command from a file, as if they had been typed before the others.

    t-end = 50
    law = "poisson"
    set = { omega = 4.405, mu = 0.05 }      # --set omega=4.405,mu=0.05
    schedule = ["t=3:mu=0.9"]               # an option that may be repeated

What is typed wins; of a table only the names that are typed too. A model's file may have such options too, for each
command under its name, ``[commands.sweep]``; a --config file wins over them. A model may come from anybody: options
that name files, folders and addresses are refused there.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jounce.cli.parser import options_of
from jounce.errors import OptionError, suggestion

OPTION = "--config"
#: Beginnings of the values of options that name something outside of the command.
FOREIGN = ("FILE", "FOLDER", "DIR", "ADDRESS")


def add_config(parser: argparse.ArgumentParser) -> None:
    """The option itself; ``with_config`` has read it before the parser sees it."""
    parser.add_argument(OPTION, metavar="FILE.toml", help="options from a file; what is typed wins")


def with_config(argv: Sequence[str], commands: dict[str, argparse.ArgumentParser]) -> list[str]:
    """The command line with the options of its --config file in front of those that were typed."""
    words = list(argv)
    if not words or words[0] not in commands:
        return words
    path = _typed(words, OPTION)
    if path is not None:
        words = _with_options(words, commands[words[0]], _read(path), path)
    model = words[1] if len(words) > 1 else ""
    if model.endswith(".toml") and Path(model).is_file():
        tables = _read(model).get("commands", {})
        own = tables.get(words[0]) if isinstance(tables, dict) else None
        if isinstance(own, dict):  # else it is refused where the model is read
            _check_harmless(own, options_of(commands[words[0]]), f"{model}: commands.{words[0]}")
            words = _with_options(words, commands[words[0]], own, f"{model}: commands.{words[0]}")
    return words


def _read(path: str) -> dict[str, Any]:
    from jounce.model.files.source import Source

    return Source(path).data


def _with_options(words: list[str], parser: argparse.ArgumentParser, data: dict[str, Any], path: str) -> list[str]:
    """The words with those of a table of options in front."""
    known = options_of(parser)
    given: list[str] = []
    place = []
    for key, value in data.items():
        option = f"--{key.replace('_', '-')}"
        if key == "system" and isinstance(value, str):
            place = [] if len(words) > 1 and not words[1].startswith("-") else [value]
        elif option not in known or option in (OPTION, "--help"):
            valid = [text[2:] for text in known if text not in (OPTION, "--help")]
            raise OptionError(f"{path}: {words[0]} has no option {key!r}; {suggestion(key, ['system', *valid])}")
        else:
            given += _option(words, option, value, path)
    named = [] if place or len(words) < 2 or words[1].startswith("-") else [words[1]]
    return [words[0], *place, *named, *given, *words[1 + len(named) :]]


def _check_harmless(data: dict[str, Any], known: dict[str, argparse.Action], path: str) -> None:
    """Refuse what a model's file must not decide: where is written, what else is read, whom to ask."""
    for key, value in data.items():
        action = known.get(f"--{key.replace('_', '-')}")
        metavar = str(action.metavar) if action is not None and action.metavar is not None else ""
        texts = value if isinstance(value, list) else [value]
        if metavar.startswith(FOREIGN) or any(isinstance(text, str) and text.startswith("@") for text in texts):
            raise OptionError(
                f"{path}: a model's file may not name files: {key!r} is typed, or stands in a --config file"
            )


def _option(words: list[str], option: str, value: Any, path: str) -> list[str]:
    """One entry as words of the command line."""
    if isinstance(value, bool):
        return [option] if value else []
    if isinstance(value, list):
        return [word for part in value for word in _option(words, option, part, path)]
    if not isinstance(value, dict):
        return [f"{option}={_text(value, option, path)}"]
    items = {name: f"{name}={_text(part, option, path)}" for name, part in value.items()}
    typed = _typed(words, option, take=True)
    for item in (typed or "").split(","):
        items.pop(item.partition("=")[0].strip(), None)
    return [f"{option}={','.join([*items.values(), *([typed] if typed else [])])}"]


def _text(value: Any, option: str, path: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):  # low, high and the like
        return ":".join(_text(part, option, path) for part in value)
    if isinstance(value, int | float):
        return repr(value)
    raise OptionError(f"{path}: {option[2:]} takes numbers and texts, not {value!r}")


def _typed(words: list[str], option: str, *, take: bool = False) -> str | None:
    """What was typed for an option; with ``take`` it is taken out of the words."""
    for k, word in enumerate(words):
        if word.startswith(f"{option}="):
            length, value = 1, word.partition("=")[2]
        elif word == option and k + 1 < len(words):
            length, value = 2, words[k + 1]
        else:
            continue
        if take:
            del words[k : k + length]
        return value
    return None
