"""S. J. Burns, doctoral thesis: laws of impact compared, a double pendulum on a belt."""
