"""A contact mode at one state: its forces, the modes that are consistent, projection onto it."""
