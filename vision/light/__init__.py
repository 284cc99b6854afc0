"""A photograph seen flat, the light on it, and where it differs from what was expected."""
