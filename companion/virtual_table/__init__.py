"""A camera over a drawn table, with players: what the companion sees where there is no camera and no game."""
