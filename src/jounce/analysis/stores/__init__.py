"""Results on disk while they are computed."""
