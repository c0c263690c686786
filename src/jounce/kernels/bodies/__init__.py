"""Machines whose bodies, joints, forces and contacts are tables: what the engine asks of a model, written once."""
