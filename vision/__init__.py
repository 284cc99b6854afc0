"""An image becomes a reading of what lies on the board. Knows no rules."""
