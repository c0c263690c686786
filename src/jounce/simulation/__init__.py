"""The driver: options in, Trajectory out."""
