"""From annotated Python functions to LLVM's text (docs/decisions/0048-a-translator-of-kernels.md).

types        what a value in a kernel can be, and what LLVM calls it
values       a value, and how it becomes one of another type
arithmetic   operators and functions of numbers
function     one function: its variables, blocks and instructions
expressions  what has a value
calls        of kernels, blocks and functions of numbers
statements   what has none
module       a function with everything below it, as one text
"""
