"""Models as TOML files: the same equations after a round trip, places in messages, and strangers' files."""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path

import pytest
import sympy as sp

import jounce
from jounce.cli import main
from jounce.errors import ModelError, StorageError
from jounce.model import Contact, Hertz, KelvinVoigt, Maxwell, Model
from jounce.model.definition import equations_hash, to_definition
from jounce.model.files.expression_text import tree_text
from jounce.model.parsing import parse_expression
from jounce.model.trees import to_tree
from jounce.systems import SYSTEMS
from tests.docs.pages import ROOT, run_page
from tests.model.test_definition import rich_model

MODELS = ROOT / "examples" / "models"

BALL = """\
name = "ball"

[coordinates]
y = "m"

[parameters]
g = [9.81, "m/s^2", "gravity"]
e = 0.5

[definitions]
floor = "0.1*sin(3*t)"

[energies]
kinetic = "d_y**2/2"
potential = "g*y"

[contacts.floor_contact]
gap = "y - floor"
restitution = "e"

[start]
y = 1
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "model.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_ready_made_system_survives_a_round_trip(name: str, tmp_path: Path) -> None:
    model = SYSTEMS[name]()
    again = Model.from_file(model.to_file(tmp_path / f"{name}.toml"))
    assert equations_hash(again) == equations_hash(model)
    assert to_definition(again) == to_definition(model)


@pytest.mark.parametrize("law", [KelvinVoigt(2.0, 0.5, adhesive=True), Maxwell("k", 3.0), Hertz(1e5, 2)])
def test_laws_of_compliance_and_piecewise_survive(law: object, tmp_path: Path) -> None:
    k = jounce.parameter("k", 2.0)
    if isinstance(law, Maxwell):
        law = Maxwell(k, 3.0)
    rich = rich_model()
    contact = Contact("wall", gap=3 - rich.q[0], compliance=law, restitution=0.5)
    resets = [reset for reset in rich.resets if reset.event != ("impact", "wall")]  # of the sign of a velocity
    own = {"guards": rich.guards, "resets": resets, "states": rich.states}
    model = Model("rich", rich.coordinates, [1], rich.h, contacts=[contact], parameters=[k], **own)
    again = Model.from_file(model.to_file(tmp_path / "rich.toml"))
    assert to_definition(again) == to_definition(model)
    stored = Model.from_file(again.to_file(tmp_path / "again.toml"))
    assert to_definition(stored) == to_definition(model)


def test_files_written_by_hand_are_the_ready_made_systems() -> None:
    for name in ("slender_rod", "slider_crank"):
        model = Model.from_file(MODELS / f"{name}.toml")
        assert to_definition(model) == to_definition(SYSTEMS[name]()), name


MACHINE = """\
name = "machine"
gravity = [0, "-g"]

[parameters]
g = 9.81
c = [0.3, "N s/m"]

[bodies.box]
mass = 2
inertia = "1/6"
center = [0, 1]
shapes = [{ shape = "Polygon", points = [[-0.5, -0.5], [0.5, -0.5], [0, 0.5]] }]

[bodies.arm]
mass = 1
inertia = 0.1
center = [0, 2]

[joints.pin]
type = "ClearanceJoint"
first = "box"
second = "arm"
at_first = [0, 0.5]
at_second = [0, -0.5]
bearing_radius = 0.02
journal_radius = 0.019
material = { E = 2e9, nu = 0.3 }
restitution = 0.8

[forces.spring]
type = "Spring"
first = "ground"
second = "arm"
stiffness = "100*g"
at_first = [0, 3]
damping = "c"

[forces.motor]
type = "Torque"
body = "arm"
torque = "sin(t) - c*d_arm_theta"

[forces.wind]
type = "Force"
body = "box"
force = [1, 0]
follows = true

[contacts.floor]
between = [
    { shape = "Corners", body = "box", corners = { left = [-0.5, -0.5], right = [0.5, -0.5] } },
    { shape = "Line", body = "ground", speed = 0.1 },
]
friction = 0.4
restitution = 0.1
law = "newton"

[guards]
high = "box_y - 1.5"
"""


def test_a_machine_from_all_kinds_of_parts(tmp_path: Path) -> None:
    g, c = jounce.parameters(g=9.81, c=(0.3, "N s/m"))
    outline = jounce.Polygon(((-0.5, -0.5), (0.5, -0.5), (0, 0.5)))
    box = jounce.Body("box", 2, Fraction(1, 6), center=(0, 1), shapes=[outline])
    arm = jounce.Body("arm", 1, 0.1, center=(0, 2))
    ground = jounce.ground
    corners = jounce.Corners(box, {"left": (-0.5, -0.5), "right": (0.5, -0.5)})
    pin = jounce.ClearanceJoint(
        "pin", box, arm, (0, 0.5), (0, -0.5), bearing_radius=0.02, journal_radius=0.019,
        material=jounce.Material(2e9, 0.3), restitution=0.8,
    )  # fmt: skip
    by_hand = Model.from_bodies(
        "machine",
        bodies=[box, arm],
        joints=[pin],
        forces=[
            jounce.Spring(ground, arm, 100 * g, at_first=(0, 3), damping=c),
            jounce.Torque(arm, sp.sin(jounce.time) - c * arm.d_theta),
            jounce.Force(box, (1, 0), follows=True),
        ],
        contacts=jounce.contact_between(
            "floor", corners, jounce.Line(ground, speed=0.1), friction=0.4, restitution=0.1, law="newton"
        ),
        gravity=(0, -g),
        guards={"high": box.y - 1.5},
    )
    assert to_definition(Model.from_file(written(tmp_path, MACHINE))) == to_definition(by_hand)


def test_a_machine_in_minimal_coordinates(tmp_path: Path) -> None:
    text = """\
name = "swing"
gravity = 9.81
coordinates = { phi = "rad" }

[bodies.bob]
mass = 1.5
inertia = 0.2

[joints]
pin = { type = "Revolute", first = "ground", second = "bob", at_second = [0, 0.7] }

[minimal]
bob = ["0.7*sin(phi)", "-0.7*cos(phi)", "phi"]

[start]
phi = "pi/8"
"""
    bob = jounce.Body("bob", 1.5, 0.2)
    phi, _ = jounce.coordinate("phi", "rad")
    by_hand = Model.from_bodies(
        "swing",
        bodies=[bob],
        joints=[jounce.Revolute("pin", jounce.ground, bob, (0, 0), (0, 0.7))],
        gravity=9.81,
        minimal={bob: (0.7 * sp.sin(phi), -0.7 * sp.cos(phi), phi)},
        coordinates=[phi],
        start={phi: sp.pi / 8},
    )
    read = Model.from_file(written(tmp_path, text))
    assert to_definition(read) == to_definition(by_hand)
    assert not read.joints
    with pytest.raises(ModelError, match=r"model.toml:10:\d+: joints.pin.second: no body 'bop'; did you mean 'bob'"):
        Model.from_file(written(tmp_path, text.replace('second = "bob"', 'second = "bop"')))
    with pytest.raises(ModelError, match=r"model.toml:10:\d+: joints.pin.type: is 'Revolut'; did you mean 'Revolute'"):
        Model.from_file(written(tmp_path, text.replace('"Revolute"', '"Revolut"')))


def test_a_symbol_may_be_called_as_a_constant() -> None:
    text = "pi**(-3/2)*E - acos(-1)*exp(1) - 2.5*pi/(E + 1)"
    names = {"pi": jounce.coordinate("pi")[0], "E": jounce.coordinate("E")[0]}
    expression = parse_expression(text, names, "it")
    assert parse_expression(tree_text(to_tree(expression), names), names, "it") == expression


@pytest.mark.parametrize(
    "text",
    [
        "-x**2 - (x - y)**-2/3",
        "-(x + y)*(x - y)/(x*y)/sqrt(x)",
        "1/sqrt(x**2 + 1) - 1/(3*x) + 0.5**x - x**0.5",
        "2**(-x) - (-x)**3 + (-2.0)**x*(1/3 - x)",
        "Piecewise((x, (x > 0) and not (y == 2) or x <= -1), (-1, True)) + Heaviside(y) + Max(x, y, 3)",
        "x*(y + 1)*(-1e-300) - -x + atan2(x, -y)",
        "-(x + y)*exp(x)/14",
        "Piecewise((x, Piecewise((y, x > 1), (2*y, True)) > x), (3, True))",
    ],
)
def test_text_of_expressions_reads_back(text: str) -> None:
    names = {name: jounce.coordinate(name)[0] for name in ("x", "y")}
    expression = parse_expression(text, names, "it")
    assert to_tree(parse_expression(tree_text(to_tree(expression)), names, "it")) == to_tree(expression)


def test_commands_take_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, BALL)
    assert main(["show", str(path)]) == 0
    assert "floor_contact" in capsys.readouterr().out
    assert main(["simulate", str(path), "--t-end", "1", "--set", "e=0.4"]) == 0
    assert "FINISHED" in capsys.readouterr().out


MISTAKES = {
    "an unknown name in an expression": ('"y - floor"', '"y - flor"', "18:12", "did you mean 'floor'"),
    "no expression": ('"y - floor"', '"y - * floor"', "18:12", "is not an expression"),
    "an unknown function": ('"0.1*sin(3*t)"', '"0.1*sine(3*t)"', "11:14", "did you mean 'sin'"),
    "an unknown table": ("[start]", "[strat]", "21:1", "did you mean 'start'"),
    "an unknown entry": ("restitution", "restituton", "19:14", "did you mean 'restitution'"),
    "an unknown coordinate": ("y = 1\n", "z = 1\n", "22:5", "'z' is no coordinate or velocity"),
    "no TOML": ("y = 1\n", "y = = 1\n", "22:5", "Invalid value"),
    "a wrong value": ("e = 0.5", "e = true", "8:5", "expected a finite number"),
    "a gap of velocities": ('"y - floor"', '"d_y - floor"', "18:7", "depends on the velocity"),
    "a start below the floor": ("y = 1\n", "y = -1\n", "17:1", "must not be negative"),
    "two meanings": ("floor = ", "y = ", "11:5", "rename it"),
    "no kinetic energy": ("kinetic", "cinetic", "14:11", "did you mean 'kinetic'"),
    "a power too large": ('"d_y**2/2"', '"d_y**20000/2"', "14:11", "beyond"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_have_a_place(case: str, tmp_path: Path) -> None:
    old, new, place, message = MISTAKES[case]
    path = written(tmp_path, BALL.replace(old, new, 1))
    with pytest.raises(ModelError) as caught:
        Model.from_file(path)
    assert str(caught.value).startswith(f"{path}:{place}: "), caught.value
    assert message in str(caught.value)


def test_one_way_of_stating_the_equations(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"\[energies\] and \[equations\]"):
        Model.from_file(written(tmp_path, BALL + "[equations]\nmass = [1]\nforces = [0]\n"))
    with pytest.raises(ModelError, match="none of them"):
        Model.from_file(written(tmp_path, '[coordinates]\ny = "m"\n'))
    with pytest.raises(ModelError, match="no meaning beside"):
        Model.from_file(written(tmp_path, "gravity = 9.81\n" + BALL))


def expression_file(expression: str) -> str:
    return BALL.replace('"d_y**2/2"', f'"d_y**2/2 + {expression}"')


LAUGHS = "\n".join(f'l{k + 1} = "l{k}*l{k}"' for k in range(60))
HOSTILE = {
    "nested lists": "x = " + "[" * 500_000,
    "nested tables": "x = " + "{a=" * 300_000,
    "a long key": "a." * 400_000 + "a = 1",
    "a long key in an inline table": "x = {" + "a . " * 100_000 + "a = 1}",
    "many quotes": "x = " + "'\"" * 400_000,
    "a long word": "a" * 999_999,
    "a long number": "x = " + "9" * 900_000,
    "an infinite number": BALL.replace("e = 0.5", "e = 1e999999999"),
    "nested parentheses": expression_file("(" * 20_000 + "y" + ")" * 20_000),
    "nested functions": expression_file("sin(" * 150 + "sin(" * 100 + "y" + ")" * 250),
    "a long sum": expression_file("+".join(["y"] * 40_000)),
    "a tower of powers": expression_file("9**9**9**9"),
    "many digits": expression_file("sin(exp(exp(25)))"),
    "a tower by definitions": BALL.replace("floor =", 'n = "9**9"\nm = "9**n"\nfloor ='),
    "a billion laughs": BALL.replace("floor =", f'l0 = "y + 1"\n{LAUGHS}\nfloor ='),
    "a builtin": expression_file("__import__('os').system('touch executed')"),
    "an opened file": expression_file("open('executed', 'w')"),
    "an evaluated text": expression_file("eval('1')"),
    "a lambda": expression_file("(lambda: 1)()"),
    "a comprehension": expression_file("[y for y in ().__class__.__bases__]"),
    "an attribute": expression_file("y.__class__"),
    "a format": expression_file("f'{y}'"),
    "an assignment": expression_file("(executed := 1)"),
    "a name that is Python": BALL.replace('y = "m"', '"open(1)" = "m"'),
    "a keyword": BALL.replace('y = "m"', 'lambda = "m"'),
    "many contacts": BALL + "".join(f'\n[contacts.c{k}]\ngap = "y + {k}"' for k in range(20_000)),
    "many tables": "".join(f"[t{k}]\n" for k in range(100_000)),
    "many numbers": "x = [" + "1," * 490_000 + "1]",
    "many inline tables": "x = [" + "{}," * 320_000 + "1]",
    "many definitions": BALL.replace(
        "floor =", "".join(f'q{k} = "sin(y)*cos(y) + exp(y*{k})**2"\n' for k in range(3000)) + "floor ="
    ),
    "bytes": "\udcff",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_file_is_refused_within_a_second(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.toml"
    path.write_bytes(HOSTILE[case].encode("utf-8", "surrogateescape"))
    begun = time.process_time()
    with pytest.raises(ModelError) as caught:
        Model.from_file(path)
    assert time.process_time() - begun < 1.0
    assert len(str(caught.value)) < 3000
    assert not (tmp_path / "executed").exists()


def test_a_file_of_100_megabytes_is_not_read(tmp_path: Path) -> None:
    path = written(tmp_path, BALL)
    with path.open("r+b") as stream:
        stream.truncate(100_000_000)
    begun = time.process_time()
    with pytest.raises(ModelError, match="larger than 1000000 bytes"):
        Model.from_file(path)
    assert time.process_time() - begun < 0.1


def test_names_of_builtins_are_only_names(tmp_path: Path) -> None:
    text = BALL.replace("y", "eval").replace("g = [", "__import__ = [").replace("g*eval", "__import__*eval")
    model = Model.from_file(written(tmp_path, text))
    assert list(model.coordinates) == ["eval"]
    assert model.h[0] == -model.symbols["__import__"]


def test_what_is_no_file_is_said(tmp_path: Path) -> None:
    for path, message in ((tmp_path, "is a folder"), (tmp_path / "none.toml", "no file"), ("/dev/zero", "no file")):
        with pytest.raises(ModelError, match=message):
            Model.from_file(path)
    with pytest.raises(StorageError, match="cannot be written"):
        rich_model().to_file(tmp_path / "nowhere" / "m.toml")


def test_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = ROOT / "docs" / "model-files.md"
    blocks = page.read_text(encoding="utf-8").split("```toml\n# ")[1:]
    for block in blocks:
        name, _, text = block.partition("\n")
        (tmp_path / name).write_text(text.partition("```")[0], encoding="utf-8")
    run_page(page, tmp_path, monkeypatch)


CONTACT = '[contacts.floor_contact]\ngap = "y - floor"\nrestitution = "e"\n'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('gap = "y - floor"', "gap = true", "contacts.floor_contact.gap: expected a number or an expression in quotes"),
        (CONTACT, '[contacts]\nfloor_contact = "none"\n', "contacts.floor_contact: expected a table of named entries"),
        ('name = "ball"', "name = 5", "name: expected a text"),
        ('gap = "y - floor"\n', "", "needs the entry 'gap'|needs a gap"),
        ("y = 1\n", 'y = 1\n[drawing]\nshape = "Ground"\n', r"drawing: expected a list of shapes: \[\[drawing\]\]"),
    ],
)
def test_entries_of_another_kind_are_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in BALL
    with pytest.raises(ModelError, match=message):
        Model.from_file(written(tmp_path, BALL.replace(old, new)))
