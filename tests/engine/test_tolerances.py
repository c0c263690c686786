"""Thresholds of the engine stand in one place, with their unit, their reason and the tests that pin them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import jounce.kernels

ROOT = Path(__file__).parents[2]
KERNELS = Path(jounce.kernels.__file__).parent
FAMILIES = KERNELS / "records" / "tolerances"
NAMES = ("rounding", "consistency", "accuracy", "budgets", "heuristics")
SMALL, LARGE, MANY = 1e-2, 1e3, 6

# Files of numbers that are not chosen: tables of methods, layouts of records, codes of columns and events.
TABLES = {
    "bodies/layout.py",
    "flow/radau_table.py",
    "flow/tableaus.py",
    "records/attractor_codes.py",
    "records/codes.py",
    "records/fields.py",
    "records/recording.py",
    "records/workspace.py",
}

# Mathematics: what no choice could change without being wrong, and numbers that stand for a word.
MATHEMATICS = {
    "chatter/frozen.py": {"BOUNCING", "HELD"},  # words in a row of numbers
    "engine/trial_modes.py": {"SURE_COST"},  # half of what one equality costs
    "engine/turns.py": {"TWO_PI", "PART_1", "PART_2", "PART_3"},  # 2 pi, and its parts
    "events/guard_polynomial.py": {"NO_ROOT"},  # a place beyond the piece
    "events/pieces.py": {"SHRINK"},  # the order in which a tail falls
    "flow/parabola.py": {"SPLITTER", "LEAST", "MOST", "LEAST_SQUARE", "MOST_SQUARE"},  # where squares are doubles
    "flow/passing_by.py": {"DOUBLED"},  # log 2
    "flow/runge_kutta.py": {"LAST_TERM_DOPRI5", "LAST_TERM_DOP853"},  # of the methods
    "flow/stiff.py": {"ORDER"},  # of the method
    "maps/iterate.py": {"WORD_SIZE"},  # of a word of modes
    "records/motion.py": {"UNTRIED"},  # a word
    "tangent/jump_derivative.py": {"STENCIL"},  # of the differences
    "tangent/propagation.py": {"RK4_A", "RK4_B", "RK4_C"},  # of the method
}

# Large integers in functions: codes of words, and a mixture of bits.
WORDS = {"events/guard_noise.py": {1103}, "maps/orbit_signature.py": {4096}}


def kernels() -> list[Path]:
    """The files of kernels that may have no threshold."""
    files = sorted(KERNELS.rglob("*.py"))
    return [file for file in files if FAMILIES not in file.parents and name_of(file) not in TABLES]


def name_of(file: Path) -> str:
    return file.relative_to(KERNELS).as_posix()


def is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def thresholds_in(tree: ast.Module, mathematics: set[str], words: set[int]) -> Iterator[str]:
    """What looks like a threshold: a constant of the module with a real number, or a number of unusual size."""
    known: set[ast.AST] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
            inside = list(ast.walk(node.value))
            if names <= mathematics:
                known |= set(inside)
            elif not any(isinstance(each, ast.Call | ast.ListComp) for each in inside):  # records, tables that are made
                for each in inside:
                    if isinstance(each, ast.Constant) and isinstance(each.value, float):
                        yield f"line {node.lineno}: {', '.join(sorted(names))} has the number {each.value}"
    for node in ast.walk(tree):
        if node in known:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value != 0.0:
            if not SMALL <= abs(node.value) <= LARGE:
                yield f"line {node.lineno}: {node.value}"
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            if abs(node.value) > LARGE and node.value not in words:
                yield f"line {node.lineno}: {node.value}"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            if is_number(node.left) and isinstance(node.right, ast.Name) and node.right.id == "EPSILON":
                yield f"line {node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            if is_number(node.left) and isinstance(node.right, ast.UnaryOp) and is_number(node.right.operand):
                yield f"line {node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.For) and ast.unparse(node.target) == "_" and isinstance(node.iter, ast.Call):
            budget = node.iter.args[-1]
            if is_number(budget) and budget.value > MANY:
                yield f"line {node.lineno}: {ast.unparse(node.iter)}"


@pytest.mark.parametrize("file", kernels(), ids=name_of)
def test_no_threshold_stands_elsewhere(file: Path) -> None:
    """If this fails: name the number in records/tolerances, in its family, with its unit, its reason and a test."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = list(thresholds_in(tree, MATHEMATICS.get(name_of(file), set()), WORDS.get(name_of(file), set())))
    assert not found, found


@pytest.mark.parametrize(
    "code",
    [
        "SMALL = 0.3",
        "A, B = 1, 2.0**-20",
        "def f(x):\n    return x < 1e-9",
        "def f(x):\n    return x < -1e4",
        "def f(x):\n    return x < 8.0 * EPSILON",
        "def f(x):\n    return x < 2.0**-30",
        "def f(x):\n    return x > 5000",
        "def f(x):\n    for _ in range(50):\n        x *= 2.0",
    ],
)
def test_a_threshold_is_found(code: str) -> None:
    assert list(thresholds_in(ast.parse(code), set(), set()))


def test_what_is_excused_is_there() -> None:
    for name, names in MATHEMATICS.items():
        tree = ast.parse((KERNELS / name).read_text(encoding="utf-8"))
        assigned = {
            each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        assert names <= assigned, name
    assert all((KERNELS / name).is_file() for name in TABLES | WORDS.keys())


Entry = tuple[str, str, list[str]]


def entries(family: str) -> list[Entry]:
    """(name, what stands beside it, the tests that pin it) of one family."""
    found: list[Entry] = []
    header, comment, pins = "", "", [""]
    for line in (FAMILIES / f"{family}.py").read_text(encoding="utf-8").splitlines():
        if header or line.startswith("# -- "):  # of a group: it ends with the last test
            header += line
            if line.endswith(".py."):
                header, pins = "", re.findall(r"tests/[\w/]+\.py", header)
        elif line.startswith("#"):
            comment += line[1:]
        elif match := re.match(r"([A-Z][A-Z0-9_]*) = [^#]*(?:#(.*))?$", line):
            found.append((match[1], comment + (match[2] or ""), pins))
            comment = ""
    return found


@pytest.mark.parametrize("family", NAMES)
def test_every_threshold_says_what_it_is_and_what_pins_it(family: str) -> None:
    found = entries(family)
    tree = ast.parse((FAMILIES / f"{family}.py").read_text(encoding="utf-8"))
    assert [name for name, _, _ in found] == [ast.unparse(n.targets[0]) for n in tree.body if isinstance(n, ast.Assign)]
    for name, reason, pins in found:
        assert len(reason.split()) >= 3, f"{name} has neither unit nor reason"
        assert pins, f"{name} is pinned by no test"
        for path in pins:
            assert "def test_" in (ROOT / path).read_text(encoding="utf-8"), f"{name}: {path} has no test"


def test_every_threshold_is_used_and_has_one_family() -> None:
    names = [name for family in NAMES for name, _, _ in entries(family)]
    assert len(names) == len(set(names))
    used = " ".join(file.read_text(encoding="utf-8") for file in (ROOT / "src" / "jounce").rglob("*.py"))
    words = re.findall(r"\b[A-Z][A-Z0-9_]+\b", used)
    for name in names:
        assert words.count(name) >= 3, f"{name} is not used"  # its definition, an import and a use
