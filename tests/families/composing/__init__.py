"""The parts of which composed models are made: numbers and symbols, bodies, loads, surfaces and automata."""
