"""The rules of each game, pure: a position and a change become a verdict."""
