"""Which shipped engine is used: one that fits sources, system and processor, of these the most demanding."""

from __future__ import annotations

from pathlib import Path

import pytest

from jounce.toolchain import ship, shipped
from jounce.toolchain.emission import Code

BLOCKS = [Code(("first",), ("sqrt", "second"), b"\x7fELF 1\n", {}), Code(("second",), (), b"\x7fELF 22", {})]
BEST = frozenset({"avx", "avx2", "fma"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Engines for two processors, told apart by their code."""
    shipped.write(tmp_path / "plain.code", [], BLOCKS)
    better = [code._replace(content=code.content + b"avx") for code in BLOCKS]
    shipped.write(tmp_path / "better.code", ["avx", "avx2"], better)
    return tmp_path


def test_what_was_written_is_read(folder: Path) -> None:
    engine = shipped.read(folder / "plain.code")
    assert engine is not None
    assert list(engine.blocks.values()) == BLOCKS


def test_the_best_that_the_processor_can_run(folder: Path) -> None:
    assert shipped.fitting(folder, BEST)["second"].content == b"\x7fELF 22avx"
    assert shipped.fitting(folder, frozenset({"avx"}))["second"].content == b"\x7fELF 22"
    (folder / "plain.code").unlink()
    assert shipped.fitting(folder, frozenset({"avx"})) == {}


@pytest.mark.parametrize("what", ["sources", "machine"])
def test_another_engine_is_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setattr(shipped, what, lambda: "another")
    assert shipped.fitting(folder, BEST) == {}


def test_every_text_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "PACKAGE", tmp_path)
    hashes = set()
    for name, text in (("kernels/a.py", "1"), ("kernels/b/c.py", ""), ("kernels/a.py", "2"), ("toolchain/d.py", "")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        hashes.add(shipped.sources.__wrapped__())
    assert len(hashes) == 4


def test_damage(folder: Path) -> None:
    path = folder / "better.code"
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        path.write_bytes(damaged)
        assert shipped.read(path) is None
    path.write_bytes(whole[:-1])
    assert shipped.fitting(folder, BEST)["second"].content == b"\x7fELF 22"


def test_v3_is_what_llvm_takes_it_for() -> None:
    """Every processor of this kind must be able to do what the code may use."""
    from llvmlite import binding as llvm

    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    text = """
        declare i64 @llvm.ctpop.i64(i64)
        declare i64 @llvm.ctlz.i64(i64, i1)
        declare i64 @llvm.cttz.i64(i64, i1)
        declare i64 @llvm.bswap.i64(i64)
        declare double @llvm.fma.f64(double, double, double)
        declare double @llvm.floor.f64(double)
        define <4 x double> @vectors(<4 x double> %a) { %c = fadd <4 x double> %a, %a ret <4 x double> %c }
        define <4 x i64> @integers(<4 x i64> %a, <4 x i64> %b) { %c = add <4 x i64> %a, %b ret <4 x i64> %c }
        define i64 @bits(i64 %a) { %c = call i64 @llvm.ctpop.i64(i64 %a) ret i64 %c }
        define i64 @leading(i64 %a) { %c = call i64 @llvm.ctlz.i64(i64 %a, i1 false) ret i64 %c }
        define i64 @trailing(i64 %a) { %c = call i64 @llvm.cttz.i64(i64 %a, i1 false) ret i64 %c }
        define i64 @turned(ptr %a) { %b = load i64, ptr %a %c = call i64 @llvm.bswap.i64(i64 %b) ret i64 %c }
        define i64 @shifted(i64 %a, i64 %b) { %c = shl i64 %a, %b ret i64 %c }
        define float @half(half %a) { %c = fpext half %a to float ret float %c }
        define double @fused(double %a) {
            %c = call double @llvm.fma.f64(double %a, double %a, double %a) ret double %c }
        define double @whole(double %a) { %c = call double @llvm.floor.f64(double %a) ret double %c }
    """
    listed = ",".join(f"+{name}" for name in ship.PROCESSORS["x86_64"]["x86-64-v3"])
    codes = {
        target.create_target_machine(cpu=cpu, features=features).emit_assembly(llvm.parse_assembly(text))
        for cpu, features in (("x86-64-v3", ""), ("x86-64", listed))
    }
    assert len(codes) == 1


def test_all_modules_of_kernels_are_compiled() -> None:
    modules = ship.all_modules()
    assert {"jounce.kernels.engine.advance", "jounce.kernels.audit.run", "jounce.toolchain.call_rows"} <= set(modules)
