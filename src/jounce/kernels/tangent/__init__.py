"""Derivatives of the motion along with it: variations, saltation, linearised modes."""
