"""Cameras, lamps, buzzer, button: the edge to the world. It imports nothing of Strada's but companion.system."""
