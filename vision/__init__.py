"""An image becomes a reading of what is on the board. Knows no rules."""
