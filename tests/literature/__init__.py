"""Machines of the literature against closed forms and SciPy, each in three systems of units."""
