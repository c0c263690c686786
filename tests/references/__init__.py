"""References for the tests: closed forms, 40-digit arithmetic, single-mode integrations, independent of the engine."""
