"""Equilibria of a contact mode and their branches."""
