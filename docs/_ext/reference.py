"""Pages of the reference, written from what the package exports: every public name and every command.

A public name that no group below lists stops the build (and tests/docs/test_reference.py fails).
"""

from __future__ import annotations

import argparse
import inspect
import re
from pathlib import Path
from typing import Any

from columns import escaped

import jounce

#: Page -> (title, one sentence, names of ``jounce``).
GROUPS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "models": (
        "Models from symbols",
        "What moves, written as coordinates, parameters, energies or forces, and contacts.",
        (
            *(
                "Model",
                "Contact",
                "Reset",
                "Switch",
                "OwnImpact",
                "coordinate",
                "coordinates",
                "parameter",
                "parameters",
                "discrete",
                "internal",
                "sampled",
                "time",
            ),
            *("rope", "one_sided_spring", "preloaded_stop", "gear_pair", "belt"),
            *("dahl", "lugre", "elastoplastic", "rate_and_state"),
            *("table", "slip", "approach_speed", "penetration", "penetration_rate"),
        ),
    ),
    "bodies": (
        "Machines from bodies",
        "Bodies, joints, motors, forces and shapes that may touch; equations follow.",
        (
            *("Body", "ground", "Revolute", "Translational", "Rigid", "Driver", "ClearanceJoint"),
            *("Spring", "Damper", "TorsionSpring", "Force", "Torque", "contact_between"),
            *(
                "PointOn",
                "CircleOn",
                "Corners",
                "Line",
                "Edge",
                "PolygonOn",
                "CurveOn",
                "EllipseOn",
                "PathOn",
            ),
        ),
    ),
    "compliance": (
        "Compliant contact",
        "Laws of contacts with stiffness, and the restitution they reach.",
        (
            *(
                "Hertz",
                "HuntCrossley",
                "LankaraniNikravesh",
                "Flores2011",
                "KelvinVoigt",
                "Maxwell",
                "OwnCompliance",
            ),
            *("StandardLinearSolid", "Material", "hertz_stiffness"),
            *("achieved_restitution", "exact_restitution", "contact_periods"),
        ),
    ),
    "drawing": (
        "Drawings",
        "Shapes of films.",
        ("Circle", "Coil", "Ground", "Point", "Polygon", "Segment"),
    ),
    "running": (
        "Compile and simulate",
        "From a model to a run.",
        (
            "simulate",
            "Options",
            "Trajectory",
            "load",
            "compile_model",
            "System",
            "State",
            "Controller",
            "specialise",
        ),
    ),
    "ensembles": (
        "Many runs at once",
        "Arrays and distributions of starts and parameters.",
        ("ensemble", "draw", "Normal", "Uniform"),
    ),
    "impacts": (
        "Impacts",
        "One impact under any law.",
        ("Law", "impact", "impact_many", "impact_bodies", "PlanarBody", "compare_laws"),
    ),
    "attractors": (
        "Sections, sweeps, basins, exponents",
        "What a motion does in the long run.",
        ("Section", "SectionMap", "sweep", "Diagram", "basins", "Basins", "lyapunov"),
    ),
    "orbits": (
        "Orbits, equilibria, branches",
        "Periodic motions, their stability and their bifurcations.",
        (
            *(
                "find_orbit",
                "PeriodicOrbit",
                "continue_orbit",
                "Branch",
                "switch_branch",
                "fold_curve",
                "flip_curve",
            ),
            *("find_equilibrium", "Equilibrium", "continue_equilibrium"),
        ),
    ),
    "notebooks": ("Notebooks", "Results and systems as widgets.", ("show", "explore")),
    "errors": (
        "Errors",
        "What is raised on purpose.",
        (
            "JounceError",
            "ModelError",
            "SimulationError",
            "OptionError",
            "StorageError",
            "Interrupted",
        ),
    ),
}

#: Page -> title of a public module, all of whose names are listed.
MODULES = {
    "plot": "Pictures and films",
    "systems": "Ready-made systems",
    "painleve": "The Painlevé toolbox",
}

#: Exported by ``jounce`` and no object of its own to describe.
WITHOUT_ENTRY = frozenset({"__version__", "analysis", *MODULES})


def missing_names() -> list[str]:
    """Public names that no page describes."""
    listed = {name for _, _, names in GROUPS.values() for name in names}
    return sorted(set(jounce.__all__) - listed - WITHOUT_ENTRY)


def _entry(home: str, name: str) -> list[str]:
    thing = (
        getattr(jounce, name)
        if home == "jounce"
        else getattr(getattr(jounce, home.split(".")[1]), name)
    )
    if inspect.isclass(thing):
        foreign = any(base.__module__.startswith("sympy.") for base in thing.__mro__)
        inherited = (
            [] if foreign else ["   :inherited-members: Exception, tuple, int"]
        )  # SymPy describes its own
        return [
            f".. autoclass:: {home}.{name}",
            "   :members:",
            *inherited,
            "   :special-members: __call__",
            "",
        ]
    if inspect.isroutine(thing):
        return [f".. autofunction:: {home}.{name}", ""]
    return [f".. py:data:: {home}.{name}", "", f"   {_DATA[name]}", ""]


_DATA = {
    "time": "The time t, a symbol for expressions.",
    "slip": "In the friction of a contact: its slip speed, a symbol for expressions.",
    "approach_speed": "In the restitution of a contact: the speed at which it closes, a symbol for expressions.",
    "penetration": "In an own law of compliance: how deep the surfaces are in each other.",
    "penetration_rate": "In an own law of compliance: the rate of the penetration.",
    "ground": "What does not move, in place of a body.",
    "SYSTEMS": "Name -> function, of all ready-made models.",
}


def _titled(title: str, sign: str = "=") -> list[str]:
    return [title, sign * max(len(title), 4), ""]


def name_pages() -> dict[str, str]:
    """File name -> text of the pages of names."""
    pages = {}
    for page, (title, sentence, names) in GROUPS.items():
        lines = [*_titled(title), sentence, ""]
        for name in names:
            lines += _entry("jounce", name)
        pages[f"{page}.rst"] = "\n".join(lines)
    for page, title in MODULES.items():
        module = getattr(jounce, page)
        lines = [*_titled(title), f"Names of ``jounce.{page}``.", ""]
        for name in module.__all__:
            lines += _entry(f"jounce.{page}", name)
        pages[f"{page}.rst"] = "\n".join(lines)
    return pages


def _option_rows(parser: argparse.ArgumentParser) -> list[str]:
    lines = []
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        metavar = action.metavar or ("" if action.nargs == 0 else action.dest.upper())
        shown = [f"{option} {metavar}".strip() for option in action.option_strings] or [
            str(metavar)
        ]
        text = (
            _quoted(action.help or "")
            .replace("%(default)s", str(action.default))
            .replace("%%", "%")
        )
        choices = f" One of: {', '.join(map(str, action.choices))}." if action.choices else ""
        lines += [
            ", ".join(f"``{option}``" for option in shown),
            f"   {escaped(text)}{escaped(choices)}",
            "",
        ]
    return lines


def _quoted(text: str) -> str:
    """What stands between backquotes in a terminal is code on a page."""
    return re.sub(r"`([^`]+)`", r"``\1``", text)


def _epilog(text: str) -> list[str]:
    """Examples as a block that can be copied."""
    word, _, command = text.partition(": ")
    if not command.startswith("jounce "):
        return [escaped(_quoted(text)), ""]
    return [
        f"{word.capitalize()}:",
        "",
        ".. code-block:: sh",
        "",
        *(f"   {line}" for line in command.splitlines()),
        "",
    ]


def command_page() -> str:
    """Every command with its usage and its options, read from the parsers."""
    from jounce.cli.main import build_parser

    commands = next(
        action
        for action in build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    helps = {choice.dest: choice.help or "" for choice in commands._choices_actions}
    lines = [*_titled("Commands"), "What ``jounce COMMAND --help`` prints, for every command.", ""]
    for name, parser in commands.choices.items():
        usage = parser.format_usage().removeprefix("usage: ").rstrip().splitlines()
        lines += [
            *_titled(f"jounce {name}", "-"),
            escaped(_quoted(parser.description or helps.get(name, ""))),
            "",
        ]
        lines += [".. code-block:: text", "", *(f"   {line}" for line in usage), ""]
        lines += _option_rows(parser)
        if parser.epilog:
            lines += _epilog(parser.epilog)
    return "\n".join(lines)


def index_page() -> str:
    """The list of all pages of the reference."""
    names = [*GROUPS, *MODULES, "commands"]
    head = [
        *_titled("Reference"),
        "Every public name and every command, generated from the package.",
        "",
    ]
    head += [
        "In signatures a ``SystemLike`` is a ``System``, or a ``Model``, which is compiled; a ``StateLike`` is a"
    ]
    head += ["``State`` or a dictionary from names to numbers, such as ``{'y': 1.0}``.", ""]
    return "\n".join(
        [*head, ".. toctree::", "   :maxdepth: 2", "", *(f"   {name}" for name in names), ""]
    )


def write_pages(folder: Path) -> None:
    """Write what has changed, so that Sphinx reads no page anew without need."""
    missing = missing_names()
    if missing:
        raise ValueError(f"docs/_ext/reference.py: no group lists {', '.join(missing)}")
    folder.mkdir(exist_ok=True)
    pages = {**name_pages(), "commands.rst": command_page(), "index.rst": index_page()}
    for name, text in pages.items():
        file = folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


#: Results: users read them and never make them, so that their arguments would only be in the way.
MADE_BY_FUNCTIONS = frozenset(
    {
        *(
            "System",
            "State",
            "Trajectory",
            "Diagram",
            "Basins",
            "PeriodicOrbit",
            "Branch",
            "Equilibrium",
        ),
        *(
            "Coefficients",
            "CriticalFriction",
            "MinimalFriction",
            "ModeMap",
            "SingularPoint",
            "Law",
            "ScalarMode",
        ),
        "Interrupted",
    }
)


def shorten_signature(
    app: Any,
    what: str,
    name: str,
    thing: Any,
    options: Any,
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None] | None:
    """No arguments for classes that only functions make."""
    shortened = signature and what == "class" and name.split(".")[-1] in MADE_BY_FUNCTIONS
    return ("", None) if shortened else None


def setup(app: Any) -> dict[str, Any]:
    """Write the pages before Sphinx looks for sources."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-signature", shorten_signature)
    app.connect(
        "builder-inited", lambda app: write_pages(Path(app.srcdir) / "reference"), priority=100
    )
    return {"parallel_read_safe": True, "version": "1"}
