"""Branches of orbits along a parameter."""
