"""Jounce's tests: a package, so that every module has one name, whoever imports it (Numba's caches keep it)."""
