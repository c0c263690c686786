"""Jounce."""
