"""Impulses: laws of one contact, and all impulses of one instant."""
