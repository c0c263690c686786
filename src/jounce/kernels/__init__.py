"""The hot loop: Numba on plain records, nothing else of ours. Notation: docs/notation.md."""
