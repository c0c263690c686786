"""``jounce systems``: the ready-made systems."""

from __future__ import annotations

import argparse

from jounce.cli.output import check_writable, write_json


def add_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    """Register the command."""
    parser = subparsers.add_parser("systems", parents=[shared], help="list the ready-made systems")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print name and one line about each system."""
    check_writable(arguments.json, "--json")
    from jounce import systems

    described = systems.descriptions()
    if arguments.json != "-":
        width = max(map(len, described))
        for name, description in described.items():
            print(f"{name:<{width}}  {description}")
        print("\n`jounce show NAME` tells more; `jounce simulate NAME` runs it.")
    write_json({"systems": [{"name": name, "description": text} for name, text in described.items()]}, arguments.json)
    return 0
