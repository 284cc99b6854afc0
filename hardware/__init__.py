"""Cameras, lamps, buzzer, button: the edge to the world. It imports nothing of ours but companion.system."""
