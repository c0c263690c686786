"""The audit of a recorded run: nothing here is used by the engine, and it uses nothing of the engine's decisions."""
