"""Symbols -> the text of functions that the engine calls."""
