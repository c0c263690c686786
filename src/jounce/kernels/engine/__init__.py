"""The loop: start, flow, event, instant, next mode."""
