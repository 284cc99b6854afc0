"""Square boards: their light, their taught prints, their reader."""
