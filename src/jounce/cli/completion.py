"""``jounce completion SHELL``: the script by which a shell completes the words of Jounce.

    jounce completion bash > ~/.local/share/bash-completion/completions/jounce
    jounce completion zsh > _jounce                                              in a folder of the fpath
    jounce completion fish > ~/.config/fish/completions/jounce.fish

The script is written from the parsers of the commands, so that completing starts no Python.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from jounce.cli.parser import options_of
from jounce.papers import NAMES

SHELLS = ("bash", "zsh", "fish")


def add_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    """Register the command; it has no result, so no --json."""
    parser = subparsers.add_parser(
        "completion",
        help="the script by which a shell completes commands, options and systems",
        epilog="example: jounce completion bash > ~/.local/share/bash-completion/completions/jounce",
    )
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    parser.set_defaults(run=run, subparsers=subparsers)


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    writers = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    print("\n".join(writers[arguments.shell](list(_commands(arguments.subparsers)))))
    return 0


@dataclass(frozen=True)
class Option:
    """A long option: its help, and what may follow it (None: nothing, (): any word or file)."""

    name: str
    help: str
    values: tuple[str, ...] | None


@dataclass(frozen=True)
class Command:
    """A command, its options, and the words that may follow it: these, and names of files where models are read."""

    name: str
    help: str
    options: tuple[Option, ...]
    words: tuple[str, ...]
    files: bool


def _commands(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> Iterator[Command]:
    from jounce.systems import SYSTEMS

    known = {"system": tuple(SYSTEMS), "paper": NAMES}
    helps = {action.dest: action.help or "" for action in subparsers._choices_actions}
    for name, parser in subparsers.choices.items():
        options = tuple(
            Option(option, _plain(action.help), _values(action)) for option, action in options_of(parser).items()
        )
        places = {action.dest: action.choices for action in parser._get_positional_actions()}
        words = [word for place, choices in places.items() for word in known.get(place, choices or ())]
        yield Command(name, _plain(helps.get(name)), options, tuple(words), "system" in places)


def _values(action: argparse.Action) -> tuple[str, ...] | None:
    if action.nargs == 0:
        return None
    return tuple(map(str, action.choices or ()))


def _plain(text: str | None) -> str:
    """A help text in one line that every shell can quote."""
    return " ".join((text or "").replace("%(default)s", "").translate(str.maketrans("'\"`$\\[]:", "        ")).split())


# ------------------------------------------------------------------------------------------------ scripts


def _bash(commands: list[Command]) -> Iterator[str]:
    yield "_jounce() {"
    yield "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}"
    yield "    local words= files="
    yield "    if (( COMP_CWORD == 1 )); then"
    yield f"        words='{' '.join(command.name for command in commands)} --help --version'"
    yield "    else"
    yield '        case "$command $before" in'
    for command in commands:
        for option in command.options:
            if option.values:
                yield f"            '{command.name} {option.name}') words='{' '.join(option.values)}' ;;"
        taking = [option.name for option in command.options if option.values == ()]
        if taking:
            yield f"            {'|'.join(repr(f'{command.name} {name}') for name in taking)}) files=yes ;;"
    for command in commands:
        words = [*(option.name for option in command.options), *command.words]
        yield f"            '{command.name} '*) words='{' '.join(words)}' files={'yes' * command.files} ;;"
    yield "        esac"
    yield "    fi"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$current"))'
    yield '    [[ -z $files || $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))'
    yield "}"
    yield "complete -o filenames -F _jounce jounce"


def _zsh(commands: list[Command]) -> Iterator[str]:
    yield "#compdef jounce"
    yield "_jounce() {"
    yield "    if (( CURRENT == 2 )); then"
    yield "        local -a commands=("
    yield from (f"            '{command.name}:{command.help}'" for command in commands)
    yield "        )"
    yield "        _describe command commands"
    yield "        return"
    yield "    fi"
    yield "    local command=$words[2]"
    yield "    shift words; (( CURRENT-- ))"
    yield "    case $command in"
    for command in commands:
        specs = [f"'*{option.name}{_zsh_option(option)}'" for option in command.options]
        names = f'"words:word:({" ".join(command.words)})"' + ' "files:file:_files"' * command.files
        yield f"        {command.name}) _arguments {' '.join(specs)} '*:word:{{_alternative {names}}}' ;;"
    yield "    esac"
    yield "}"
    # as a file named _jounce in the fpath the script is the function itself; evaluated, it registers it
    yield 'if [[ $funcstack[1] == _jounce ]]; then _jounce "$@"; else compdef _jounce jounce; fi'


def _zsh_option(option: Option) -> str:
    if option.values is None:
        return f"[{option.help}]"
    return f"=[{option.help}]:value:{'(' + ' '.join(option.values) + ')' if option.values else '_files'}"


def _fish(commands: list[Command]) -> Iterator[str]:
    for command in commands:
        yield f"complete -c jounce -f -n __fish_use_subcommand -a {command.name} -d '{command.help}'"
    for command in commands:
        here = f"complete -c jounce -n '__fish_seen_subcommand_from {command.name}'"
        yield f"{here}{'' if command.files else ' -f'} -a '{' '.join(command.words)}'"
        for option in command.options:
            values = "" if option.values is None else f" -x -a '{' '.join(option.values)}'" if option.values else " -r"
            yield f"{here} -l {option.name[2:]}{values} -d '{option.help}'"
