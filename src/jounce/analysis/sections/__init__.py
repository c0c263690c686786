"""Where a motion is looked at: sections, their maps, when two states are the same."""
