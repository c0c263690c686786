"""System: a compiled model; State: where it is; evaluation and checks from Python."""

from jounce.system.state import State
from jounce.system.system import ModelFunctions, System, compile_model

__all__ = ["ModelFunctions", "State", "System", "compile_model"]
