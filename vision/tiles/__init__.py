"""Which tile a cell shows, by comparison with the taught ones, and how far that can be trusted."""
