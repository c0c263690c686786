"""Imports stand at the top of files, unless there they would cost a start something or close a circle.

A name is imported inside a function for one of two reasons. What it brings is dear (other packages, the engine, or
parts of the standard library that nothing loads anyway) and the file can do without. Or it imports, through others, the
file itself. Both are read off the texts: no list is kept.
"""

import ast
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import jounce
import jounce.model

PACKAGE = Path(jounce.__file__).parent
ENGINE = "jounce.kernels"


def module_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_of(file): file for file in sorted(PACKAGE.rglob("*.py"))}

LAZY = {"jounce": jounce._HOMES, "jounce.model": jounce.model._HOMES}


def named(node: ast.Import | ast.ImportFrom) -> list[str]:
    """The modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    whole = node.module or ""
    homes = LAZY.get(whole, {})  # names that are looked for when they are imported
    inner = [homes.get(alias.name, f"{whole}.{alias.name}") for alias in node.names]
    return [whole, *(name for name in inner if name in FILES)]


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


@cache
def imports(module: str) -> tuple[tuple[str, ...], tuple[tuple[list[str], int], ...]]:
    """What a module imports as it is loaded, and (what, line) of statements inside its functions."""
    top: list[str] = []
    inside: list[tuple[list[str], int]] = []

    def walk(node: ast.AST, deep: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if is_for_types(child):
                continue
            if isinstance(child, ast.Import | ast.ImportFrom):
                found = named(child)
                top.extend([] if deep else found)
                inside.extend([(found, child.lineno)] if deep else [])
            walk(child, deep or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))

    walk(ast.parse(FILES[module].read_bytes()), False)
    return tuple(top), tuple(inside)


@cache
def loaded(module: str) -> frozenset[str]:
    """Everything that is loaded with a module: modules of ours, and of others by their first name."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in FILES:
            found.add(name.partition(".")[0])
            continue
        parents = [name.rsplit(".", k)[0] for k in range(1, name.count(".") + 1)]
        for one in (name, *parents):
            if one not in found:
                found.add(one)
                waiting += imports(one)[0]
    return frozenset(found)


@cache
def loaded_anyway(package: str) -> frozenset[str]:
    """What Python itself loads, and with it a package, by first names; not what measures the coverage of tests."""
    code = f"import sys, {package}; print(*sys.modules)"
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    start = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=plain)
    names = start.stdout.split()
    return frozenset(name.partition(".")[0] for name in names)


def dear(module: str, beside: str | None = None) -> frozenset[str]:
    """What of that costs a start something, beside what another module loads."""
    names = {room_of(name) for name in loaded(module)}
    given = loaded_anyway("numpy" if beside is not None and "numpy" in loaded(beside) else "sys")
    return frozenset(name for name in names - given if name.startswith(ENGINE) or not name.startswith("jounce"))


def room_of(name: str) -> str:
    """A kernel counts by its room: most of the engine is loaded room by room."""
    return ".".join(name.split(".")[:3]) if name.startswith(ENGINE) else name


def test_imports_inside_functions_have_a_reason():
    wrong = []
    for module, file in FILES.items():
        for names, line in imports(module)[1]:
            saves = any(not dear(name, beside=module) <= dear(module) for name in names)
            closes = any(module in loaded(name) for name in names)
            if not (saves or closes):
                wrong.append(f"{file.relative_to(PACKAGE.parent)}:{line}: {', '.join(names)}")
    assert not wrong, "these imports can stand at the top:\n" + "\n".join(wrong)
