"""Models as TOML files: read by type and grammar, never executed; written so that reading gives the same equations."""

from jounce.model.files.reader import model_from_file, model_from_text
from jounce.model.files.writer import model_text, model_to_file

__all__ = ["model_from_file", "model_from_text", "model_text", "model_to_file"]
