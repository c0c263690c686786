"""Smooth motion: one step, one flight, to the next event."""
