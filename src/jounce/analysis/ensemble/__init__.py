"""Many runs at once: arrays of starts and parameters, drawn or given; only what is asked for is kept."""
