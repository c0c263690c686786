"""Switches: feedback that jumps with the sign of an expression, and the motions that slide on its surface."""
