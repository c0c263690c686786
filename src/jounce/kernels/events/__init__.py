"""Guards of a mode and where they vanish."""
