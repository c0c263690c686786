"""Sections: the flow as a map, attractors, exponents."""
