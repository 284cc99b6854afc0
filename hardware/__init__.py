"""Cameras, lamps, buzzer, button: the edge to the world. Knows nothing of ours."""
