"""The script and the command that make the picture on the screen with the public interface."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from jounce.studio.catalogue import Catalogue, Entry
from jounce.studio.motion import actions_of

Session = dict[str, Any]


def python_text(session: Session, catalogue: Catalogue) -> str:
    """A script that repeats what the session's panel shows."""
    entry = catalogue.entry(session["system"])
    lines = ["import jounce", *_model_lines(entry, catalogue)]
    makers = {"diagram": _diagram_lines, "basins": _basins_lines, "impact": _impact_lines}
    panel = session["panel"]
    chosen = makers[panel] if panel in makers and session[panel] else _motion_lines
    return "\n".join(chosen(session, entry, lines)) + "\n"


def _model_lines(entry: Entry, catalogue: Catalogue) -> list[str]:
    if entry.model is catalogue.own and catalogue.source is not None:
        path, _, function = catalogue.source.rpartition(":")
        if path.endswith(".py"):
            imported = f"from {Path(path).stem} import {function}  # in the folder of {Path(path).name}"
            return [imported, "", f"system = jounce.compile_model({function}())"]
        return ["", f"system = jounce.compile_model(jounce.Model.from_file({_quoted(catalogue.source)}))"]
    if entry.text is not None:
        return [
            "",
            f"model = jounce.Model.from_text({_text_block(entry.text)})",
            "system = jounce.compile_model(model)",
        ]
    if entry.model is catalogue.own:
        return ["", f"system = jounce.compile_model({entry.model.name})  # your model: no file can hold it"]
    return ["", f"system = jounce.compile_model(jounce.systems.{entry.model.name}())"]


def _text_block(text: str) -> str:
    """A text as Python writes it: readable where nothing in it means something to Python."""
    return repr(text) if "\\" in text or '"""' in text else f'"""\n{text}"""'


def _source(entry: Entry, catalogue: Catalogue) -> str:
    """What a command calls the system: the name of a ready-made one, or a file."""
    if entry.model is catalogue.own and catalogue.source is not None:
        return catalogue.source
    return entry.model.name if entry.text is None else f"{entry.name}.toml"


def _pairs(numbers: dict[str, float]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in numbers.items())


def _quoted(value: Any) -> str:
    """Text, numbers and lists of them as Python writes them, with double quotes."""
    return json.dumps(value, ensure_ascii=False)


def _options(session: Session) -> str:
    chosen = ", ".join(f"{name}={_quoted(value)}" for name, value in session["options"].items())
    return f"options=jounce.Options({chosen})" if chosen else ""


def _arguments(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _state(numbers: dict[str, float], t: float = 0.0) -> str:
    numbers = {"t": t, **numbers} if t else numbers
    return f"system.state({_pairs(numbers)})"


def _motion_lines(session: Session, entry: Entry, lines: list[str]) -> list[str]:
    parameters = session["parameters"]
    lines = [*lines, f"start = {_state(session['start'], session['t_start'])}"]
    if entry.system.nj and parameters:
        held = [name for name in session["start"] if name in entry.variables]
        hold = f"hold={_quoted(held)}" if held else ""
        lines.append(f"start = system.assemble({_arguments('start', hold, _pairs(parameters))})")
    on = f"on={_quoted(actions_of(session['on']))}" if session["on"] else ""
    arguments = _arguments("system", "start", f"t_end={session['t_end']!r}", on, _options(session), _pairs(parameters))
    names = _quoted(session["variables"]) if session["variables"] else ""
    view = [f"figure.axes[-1].set_xlim({session['view'][0]!r}, {session['view'][1]!r})"] if session["view"] else []
    return [
        *lines,
        f"run = jounce.simulate({arguments})",
        "print(run.status.message)",
        "print(run.final)",
        f"figure = jounce.plot.plot_time_history({_arguments('run', names)})",
        *view,
        'figure.savefig("motion.png")',
    ]


def _fixed(session: Session, varied: str) -> dict[str, float]:
    return {name: value for name, value in session["parameters"].items() if name != varied}


def _diagram_lines(session: Session, entry: Entry, lines: list[str]) -> list[str]:
    d = session["diagram"]
    common = _arguments(
        f"transient={d['transient']}",
        "patience=1",
        f"keep={d['keep']}",
        _options(session),
        _pairs(_fixed(session, d["parameter"])),
    )
    head = f'system, "{d["parameter"]}", values, {_quoted(d["section"])}'
    lines = ["import numpy", "", *lines, f"values = numpy.linspace({d['from']!r}, {d['to']!r}, {d['values'] or 600})"]
    show = f'jounce.plot.plot_diagram(diagram, {_quoted(d["quantity"])}, colour="{_colour(d)}"'
    if d["lanes"]:
        lanes = [f'    ("{one["direction"]}", {one["value"]!r}, {_state(one["state"])}),' for one in d["lanes"]]
        lines += ["lanes = [", *lanes, "]", "axes = None", "for direction, value, state in lanes:"]
        lines += [f"    diagram = jounce.sweep({head}, (value, state), direction=direction, {common})"]
        lines += ["    print(diagram.branches)", f"    figure = {show}, axes=axes)", "    axes = figure.axes[0]"]
    else:
        states = [_state(start, session["t_start"]) for start in (session["start"], *_more_starts(d))]
        start = states[0] if len(states) == 1 else f"starts=[{', '.join(states)}]"
        lines += [f'diagram = jounce.sweep({head}, {start}, direction="{d["direction"]}", {common})']
        lines += ["print(diagram.branches)", f"figure = {show})", "axes = figure.axes[0]"]
    if d["low"] is not None and d["high"] is not None:
        lines.append(f"axes.set_ylim({d['low']!r}, {d['high']!r})")
    return [*lines, *_branch_lines(session, d), 'figure.savefig("diagram.png")']


def _colour(diagram: dict[str, Any]) -> str:
    """What the pictures of jounce.plot call a colouring of the page."""
    return "start" if diagram["colour"] == "lane" else str(diagram["colour"])


def _branch_lines(session: Session, d: dict[str, Any]) -> list[str]:
    """The branches over a diagram: the quantity at each crossing of the section, hollow where unstable."""
    if not d["branches"]:
        return []
    seeds = [f"    ({seed['value']!r}, {seed['period']}, {_state(seed['state'])})," for seed in d["branches"]]
    section, parameter = _quoted(d["section"]), d["parameter"]
    fixed = _pairs(_fixed(session, parameter))
    sought = _arguments(f"system, state, {section}, period=period, {parameter}=value", fixed)
    return [
        "orbits = [",
        *seeds,
        "]",
        "for value, period, state in orbits:",
        f"    orbit = jounce.find_orbit({sought})",
        f'    branch = jounce.continue_orbit(orbit, "{parameter}", ({d["from"]!r}, {d["to"]!r}), max_points=400)',
        "    print(branch)",
        "    for value, point in zip(branch.values, branch.points):",
        "        orbit = point.solution",
        f"        returns = jounce.SectionMap(system, {section}, **orbit.parameters).iterate(orbit.state, period)",
        f"        heights = returns[{_quoted(d['quantity'])}]",
        '        fill = "C1" if orbit.stable else "none"',
        '        axes.plot([value] * len(heights), heights, "o", color="C1", ms=3, mfc=fill, zorder=3)',
        "    for special in branch.specials:",
        '        axes.axvline(special.parameter, color="C1", linewidth=0.8, label=special.kind)',
        "axes.legend()",
    ]


def _more_starts(diagram: dict[str, Any]) -> list[dict[str, float]]:
    """The starts that are followed beside the one of the knobs."""
    return [more["start"] for more in diagram.get("starts", [])]


def _basins_lines(session: Session, entry: Entry, lines: list[str]) -> list[str]:
    b = session["basins"]
    grid = ", ".join(
        f'"{b[axis]}": numpy.linspace({b[axis + "From"]!r}, {b[axis + "To"]!r}, {b["size"]})' for axis in ("x", "y")
    )
    start = _state(session["start"], session["t_start"])
    arguments = _arguments(
        "system", "grid", _quoted(b["section"]), start, f"transient={b['transient']}", "keep=32", _options(session),
        _pairs(session["parameters"]),
    )  # fmt: skip
    return [
        "import numpy",
        "",
        *lines,
        f"grid = {{{grid}}}",
        f"basins = jounce.basins({arguments})",
        "print(basins.attractors)",
        'jounce.plot.plot_basins(basins).savefig("basins.png")',
    ]


def _impact_lines(session: Session, entry: Entry, lines: list[str]) -> list[str]:
    numbers = session["impact"]
    values = ", ".join(repr(numbers[name]) for name in ("A", "B", "C", "v_t", "v_n", "mu", "e"))
    laws = [
        'figure = Figure(figsize=(17, 13), layout="constrained")',
        "for axes, law in zip(figure.subplots(3, 3).ravel(), jounce.Law):",
        "    try:",
        f"        outcome = jounce.impact(law, {values})  # A, B, C, v_t, v_n, mu, e",
        "    except jounce.JounceError as error:",
        "        print(law, error)",
        "        continue",
        "    print(law, outcome.v_t, outcome.v_n, outcome.region_name)",
        "    jounce.plot.plot_impact_path(outcome, axes)",
        'figure.savefig("impact.png")',
    ]
    head = ["from matplotlib.figure import Figure", "", "import jounce", ""]
    if numbers["map"] is None:
        return [*head, *laws]
    return [*head[:2], *lines, *laws, "", *_map_lines(session, numbers["map"])]


def _map_lines(session: Session, painleve: dict[str, Any]) -> list[str]:
    over = ", ".join(
        f'"{painleve[axis]}": ({painleve[axis + "From"]!r}, {painleve[axis + "To"]!r})' for axis in ("x", "y")
    )
    common = _arguments(_quoted(painleve["contact"]), "state=state", _pairs(session["parameters"]))
    return [
        f"state = {_state(session['start'], session['t_start'])}",
        f"over = {{{over}}}",
        f"modes = jounce.painleve.mode_map(system, over, {common}, points=160)",
        f"points = jounce.painleve.singular_points(system, over, {common})",
        'jounce.plot.plot_mode_map(modes, singular=points).savefig("painleve.png")',
    ]


def command_text(session: Session, catalogue: Catalogue) -> str:
    """The command that repeats what the session's panel shows; two lines where it shows two computations."""
    makers = {"diagram": _diagram_command, "basins": _basins_command, "impact": _impact_command}
    panel = session["panel"]
    chosen = makers[panel] if panel in makers and session[panel] else _motion_command
    entry = catalogue.entry(session["system"])
    source = _source(entry, catalogue)
    commands = chosen(session, source)
    return "".join(" ".join(shlex.quote(word) for word in ["jounce", *words]) + "\n" for words in commands)


def _list(numbers: dict[str, float]) -> str:
    return ",".join(f"{name}={value!r}" for name, value in numbers.items())


def _given(option: str, numbers: dict[str, float]) -> list[str]:
    return [option, _list(numbers)] if numbers else []


def _chosen(session: Session) -> list[str]:
    return [word for name, value in session["options"].items() for word in (f"--{name}", str(value))]


def _motion_command(session: Session, source: str) -> list[list[str]]:
    words = ["simulate", source, *_given("--start", session["start"]), *_given("--set", session["parameters"])]
    words += ["--t-start", repr(session["t_start"])] if session["t_start"] else []
    for event, changes in actions_of(session["on"]).items():
        words += ["--on", f"{event}:{','.join(f'{name}={value}' for name, value in changes.items())}"]
    return [[*words, "--t-end", repr(session["t_end"]), *_chosen(session), "--plot", "motion.png"]]


def _diagram_command(session: Session, source: str) -> list[list[str]]:
    d = session["diagram"]
    words = ["sweep", source, "--parameter", d["parameter"], "--from", repr(d["from"]), "--to", repr(d["to"])]
    words += ["--number", str(d["values"] or 600), "--section", d["section"], "--quantity", d["quantity"]]
    words += ["--transient", str(d["transient"]), "--patience", "1", "--keep", str(d["keep"]), *_chosen(session)]
    words += _given("--set", _fixed(session, d["parameter"]))
    if not d["lanes"]:
        start = {"t": session["t_start"], **session["start"]} if session["t_start"] else session["start"]
        starts = [word for one in (start, *_more_starts(d)) for word in _given("--start", one)]
        return [[*words, *starts, "--direction", d["direction"], "--colour", _colour(d), "--out", "diagram"]]
    commands = []
    for way in sorted({lane["direction"] for lane in d["lanes"]}):
        lanes = [{d["parameter"]: one["value"], **one["state"]} for one in d["lanes"] if one["direction"] == way]
        starts = [word for lane in lanes for word in _given("--start", lane)]
        commands.append([*words, *starts, "--direction", way, "--colour", _colour(d), "--out", f"diagram_{way}"])
    return commands


def _basins_command(session: Session, source: str) -> list[list[str]]:
    b = session["basins"]
    grid = ",".join(f"{b[axis]}={b[axis + 'From']!r}:{b[axis + 'To']!r}:{b['size']}" for axis in ("x", "y"))
    words = ["basins", source, "--grid", grid, "--section", b["section"], "--transient", str(b["transient"])]
    words += ["--keep", "32", *_given("--start", session["start"]), *_given("--set", session["parameters"])]
    words += ["--t-start", repr(session["t_start"])] if session["t_start"] else []
    return [[*words, *_chosen(session), "--out", "basins"]]


def _impact_command(session: Session, source: str) -> list[list[str]]:
    numbers = session["impact"]
    words = ["impact", "--compare"]
    for name in ("A", "B", "C", "v_t", "v_n", "mu", "e"):
        words += [f"--{name.replace('_', '-')}={numbers[name]!r}"]
    commands = [[*words, "--plot", "impact.png"]]
    if numbers["map"] is None:
        return commands
    painleve = numbers["map"]
    over = ",".join(f"{painleve[axis]}={painleve[axis + 'From']!r}:{painleve[axis + 'To']!r}" for axis in ("x", "y"))
    drawn = ["painleve", source, f"--over={over}", "--contact", painleve["contact"], "--points", "160"]
    drawn += ["--t-start", repr(session["t_start"])] if session["t_start"] else []
    drawn += [*_given("--start", session["start"]), *_given("--set", session["parameters"])]
    return [*commands, [*drawn, "--plot", "painleve.png"]]
