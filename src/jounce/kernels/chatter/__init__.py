"""Infinite runs of impacts and their end."""
