"""System: a compiled model; State: where it is; evaluation and checks from Python."""

from jounce.system.compilation import compile_model
from jounce.system.functions import ModelFunctions
from jounce.system.state import State
from jounce.system.system import System

__all__ = ["ModelFunctions", "State", "System", "compile_model"]
