"""argparse with the words that all of Jounce uses for a wrong name: the closest valid one, then all of them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from jounce.errors import suggestion

NEGATIVE = re.compile(r"^-(\d|\.\d)")  # argparse itself would take -1e-3 and -5mm for options


class Parser(argparse.ArgumentParser):
    """A parser of the command line or of one of its commands."""

    def __init__(self, *positional: Any, **named: Any) -> None:
        super().__init__(*positional, **named)
        self._negative_number_matcher = NEGATIVE

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            commands = isinstance(action, argparse._SubParsersAction)
            said = f"there is no command {value!r}" if commands else f"it is {value!r}"
            hint = suggestion(value, map(str, action.choices), "commands" if commands else "values")
            raise argparse.ArgumentError(None if commands else action, f"{said}; {hint}")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.option_strings and arg_strings == ["--"]:  # --start=--: before Python 3.13 it became an empty list
            raise argparse.ArgumentError(action, "expected one argument")
        return super()._get_values(action, arg_strings)

    def parse_whole(self, argv: Sequence[str], commands: dict[str, argparse.ArgumentParser]) -> argparse.Namespace:
        """What was typed; words that no option takes are an error of the command."""
        arguments, rest = self.parse_known_args(argv)
        if rest:
            _refuse(commands[arguments.command], rest)
        return arguments


def options_of(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """The long options of a command, --help among them."""
    return {name: action for name, action in parser._option_string_actions.items() if name.startswith("--")}


def _refuse(parser: argparse.ArgumentParser, rest: list[str]) -> NoReturn:
    typed = next((word for word in rest if word.startswith("-") and not NEGATIVE.match(word)), None)
    if typed is None:
        parser.error(f"{rest[0]!r} belongs to no option; a value with spaces needs quotes")
    name = typed.partition("=")[0]
    parser.error(f"there is no option {name}; {suggestion(name, options_of(parser), 'options')}")
