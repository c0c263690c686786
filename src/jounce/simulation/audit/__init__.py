"""The audit of a finished run: is what was recorded a motion of the model? See docs/guarantees.md."""
