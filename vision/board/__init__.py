"""The bare board: what it looks like, how its six pieces are put together, and its day tracks."""
