"""Sweeps and basins: which motions last, over a parameter or over starts."""
