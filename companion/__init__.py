"""The companion: what the game is, what happened, what people see."""
