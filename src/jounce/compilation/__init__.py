"""Symbols -> machine code."""

from jounce.compilation.state import State
from jounce.compilation.system import ModelFunctions, System, compile_model

__all__ = ["ModelFunctions", "State", "System", "compile_model"]
