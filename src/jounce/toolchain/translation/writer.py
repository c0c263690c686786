"""The instructions of one function: numbered values, blocks, places on the stack."""

from __future__ import annotations

from jounce.toolchain.translation.types import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    Group,
    Number,
    Record,
    Rows,
    Type,
)
from jounce.toolchain.translation.values import UntranslatableError, Value, constant, real_text


class Writer:
    """LLVM's text of a function, instruction after instruction.

    head        places on the stack, which every function asks for where it begins
    lines       what follows
    ended       whether the present block has its end: nothing that follows in it is ever reached
    outside     declarations of what is called and of constants that are read, by name
    """

    def __init__(self) -> None:
        self.head: list[str] = []
        self.lines: list[str] = []
        self.ended = False
        self.outside: dict[str, str] = {}
        self._count = 0

    def new(self) -> str:
        """A number for a value or a block."""
        self._count += 1
        return str(self._count)

    def made(self, kind: Type, instruction: str) -> Value:
        """The value of an instruction."""
        name = f"%v{self.new()}"
        self.lines.append(f"  {name} = {instruction}")
        return Value(kind, name)

    def do(self, instruction: str) -> None:
        """An instruction without a value."""
        self.lines.append(f"  {instruction}")

    def begin(self, label: str) -> None:
        """The next block; what comes before goes on into it."""
        self.go(label)
        self.open(label)

    def open(self, label: str) -> None:
        """The next block, for whoever goes there."""
        self.lines.append(f"{label}:")
        self.ended = False

    def go(self, label: str) -> None:
        """Go on there."""
        self.end(f"br label %{label}")

    def choose(self, condition: Value, yes: str, no: str) -> None:
        """Go on here or there."""
        self.end(f"br i1 {condition.text}, label %{yes}, label %{no}")

    def end(self, instruction: str) -> None:
        """The end of a block."""
        if not self.ended:
            self.do(instruction)
        self.ended = True

    def place(self, name: str, kind: Type) -> str:
        """A place on the stack for a variable; before it is assigned it holds zero."""
        pointer = f'%"{name}.{self.new()}"'
        self.head.append(f"  {pointer} = alloca {kind.llvm}")
        self.head.append(f"  store {kind.llvm} zeroinitializer, ptr {pointer}")
        return pointer

    def call(self, result: Type, name: str, arguments: list[Value], attributes: str = "") -> Value:
        """Call a function of LLVM or of C by its name."""
        kinds = ", ".join(argument.type.llvm for argument in arguments)
        self.outside[name] = f'declare {result.llvm} @"{name}"({kinds}) {attributes}'.rstrip()
        return self.called(result, f'@"{name}"', arguments)

    def called(self, result: Type, function: str, arguments: list[Value]) -> Value:
        """Call a function that is there."""
        given = ", ".join(f"{argument.type.llvm} {argument.text}" for argument in arguments)
        if result.llvm == "void":
            self.do(f"call void {function}({given})")
            return Value(result, "")
        return self.made(result, f"call {result.llvm} {function}({given})")

    def part(self, whole: Value, index: int, kind: Type) -> Value:
        """A part of a structure."""
        return self.made(kind, f"extractvalue {whole.type.llvm} {whole.text}, {index}")

    def grouped(self, kind: Type, parts: list[Value]) -> Value:
        """A structure of these parts."""
        text = "undef"
        for index, part in enumerate(parts):
            made = f"insertvalue {kind.llvm} {text}, {part.type.llvm} {part.text}, {index}"
            text = self.made(kind, made).text
        return Value(kind, text)

    def load(self, kind: Type, pointer: str, alias: str = "") -> Value:
        """What lies behind a pointer; ``alias`` names what else can lie there (module.py)."""
        if kind == COMPLEX:
            parts = [self.load(FLOAT, pointer, alias), self.load(FLOAT, self.element(pointer, FLOAT, "1"), alias)]
            return self.grouped(COMPLEX, parts)
        return self.made(kind, f"load {kind.llvm}, ptr {pointer}{_tag(alias)}")

    def store(self, value: Value, pointer: str, alias: str = "") -> None:
        """Put a value behind a pointer."""
        if value.type == COMPLEX:
            self.store(self.part(value, 0, FLOAT), pointer, alias)
            self.store(self.part(value, 1, FLOAT), self.element(pointer, FLOAT, "1"), alias)
            return
        self.do(f"store {value.type.llvm} {value.text}, ptr {pointer}{_tag(alias)}")

    def element(self, pointer: str, number: Number, offset: str) -> str:
        """The pointer to an element of a row."""
        if offset == "0":
            return pointer
        return self.made(INT, f"getelementptr {number.llvm}, ptr {pointer}, i64 {offset}").text

    def pointer(self, rows: Value) -> str:
        """Where rows of numbers, or a record, begin."""
        if isinstance(rows.type, Rows) and rows.type.carried:
            return self.made(INT, f"extractvalue {rows.type.llvm} {rows.text}, 0").text
        return rows.text

    def converted(self, value: Value, to: Type) -> Value:
        """The value as one of another type; numbers only grow, but for what is asked whether it is zero."""
        if value.type == to:
            return value
        if isinstance(to, Number) and isinstance(value.type, Number):
            return self._number(value, to)
        if isinstance(to, Rows) and isinstance(value.type, Rows):
            alike = to.element == value.type.element and to.lengths[1:] == value.type.lengths[1:]
            if alike and not to.carried:
                return Value(to, self.pointer(value))
        if isinstance(to, Group) and isinstance(value.type, Group) and len(to.parts) == len(value.type.parts):
            parts = [self.part(value, k, kind) for k, kind in enumerate(value.type.parts)]
            return self.grouped(to, [self.converted(part, kind) for part, kind in zip(parts, to.parts, strict=True)])
        raise UntranslatableError(f"{describe(value.type)} where {describe(to)} is asked for")

    def _number(self, value: Value, to: Number) -> Value:
        text, kind = value.text, value.type
        if to == BOOL:
            return self.truth(value)
        if value.is_known and to != COMPLEX and not (kind == FLOAT and to == INT):
            return constant(int(value.known) if to == INT else float(value.known))
        if to == INT and kind == BOOL:
            return self.made(INT, f"zext i1 {text} to i64")
        if to == FLOAT and kind in (BOOL, INT):
            return self.made(FLOAT, f"{'uitofp i1' if kind == BOOL else 'sitofp i64'} {text} to double")
        if to == COMPLEX:
            return self.grouped(COMPLEX, [self.converted(value, FLOAT), Value(FLOAT, real_text(0.0))])
        raise UntranslatableError(f"{describe(kind)} where {describe(to)} is asked for")

    def truth(self, value: Value) -> Value:
        """Whether a number is not zero."""
        if value.type == BOOL:
            return value
        if value.type == INT:
            return self.made(BOOL, f"icmp ne i64 {value.text}, 0")
        if value.type == FLOAT:
            return self.made(BOOL, f"fcmp une double {value.text}, {real_text(0.0)}")
        raise UntranslatableError(f"{describe(value.type)} is neither true nor false")


_ALIASES: dict[str, int] = {}


def _tag(alias: str) -> str:
    return f", !tbaa !{2 * _ALIASES.setdefault(alias, len(_ALIASES)) + 2}" if alias else ""


def alias_nodes() -> str:
    """What LLVM knows of aliases: memory under one name is never reached under another (its "TBAA").

    A number in a record has a name of its own. Numbers in rows have one name for each type, since pointers to them pass
    from function to function. So a size that is read from a record is known still after a number was stored in a row.
    """
    nodes = ['!0 = !{!"jounce"}']
    for alias, k in _ALIASES.items():
        nodes += [
            f'!{2 * k + 1} = !{{!"{alias}", !0, i64 0}}',
            f"!{2 * k + 2} = !{{!{2 * k + 1}, !{2 * k + 1}, i64 0}}",
        ]
    return "\n".join(nodes)


def describe(kind: Type) -> str:
    """A type for a message."""
    if isinstance(kind, Number):
        return f"a number of type {kind.name}"
    if isinstance(kind, Rows):
        return f"rows of {kind.element.name} of lengths {kind.lengths}"
    if isinstance(kind, Record):
        return f"a record of {', '.join(list(kind.fields)[:3])}, ..."
    return f"{len(kind.parts)} values" if isinstance(kind, Group) else "nothing"
