"""G. Lancioni, S. Lenci and U. Galvanetto (2009): the frictional impact oscillator, or windscreen wiper."""
