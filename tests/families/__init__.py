"""Random models of many families, each compiled once: see run.py."""
