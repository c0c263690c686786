"""What kernels do with addresses, as instructions for Numba; imported only where something is compiled."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from jounce.toolchain.numba_private import ExternalFunctionDescriptor, make_array, raw_memcpy


@intrinsic
def address(typing_context, array, offset):  # type: ignore[no-untyped-def]
    """The pointer to element ``offset`` of a contiguous array or of a pointer, counted flat."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        if isinstance(signature.args[0], types.CPointer):
            data = arguments[0]
        else:
            data = make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.gep(data, [arguments[1]])

    return types.CPointer(array.dtype)(array, types.int64), generate


@intrinsic
def copy_record(typing_context, target, source):  # type: ignore[no-untyped-def]
    """Overwrite one record by another of the same type."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        byte = ir.IntType(8).as_pointer()
        to, origin = (builder.bitcast(argument, byte) for argument in arguments)
        raw_memcpy(builder, to, origin, ir.Constant(ir.IntType(64), signature.args[0].size), 1)
        return context.get_dummy_value()

    return types.void(target, source), generate


def record_at(record: types.Record) -> Any:
    """A function of kernels: the record of this type at an address."""

    @intrinsic
    def at(typing_context, location):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return builder.inttoptr(arguments[0], context.get_value_type(record))

        return record(types.int64), generate

    return at


def call_at(signature: Any) -> Any:
    """A function of kernels: calls the C function of this signature at the address that is its first argument."""

    def generate(context, builder, _, arguments):  # type: ignore[no-untyped-def]
        description = ExternalFunctionDescriptor("block", signature.return_type, signature.args)
        function = builder.inttoptr(arguments[0], context.get_external_function_type(description).as_pointer())
        return context.call_external_function(builder, function, signature.args, arguments[1:])

    # Numba wants the number of arguments from the function itself
    names = ", ".join(f"a{k}" for k in range(len(signature.args)))
    text = f"def call(typing_context, location, {names}):\n    return typed, generate\n"
    space = {"typed": signature.return_type(types.int64, *signature.args), "generate": generate}
    exec(text, space)
    return intrinsic(space["call"])
