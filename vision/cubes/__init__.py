"""Merchants: wooden cubes, their taught colours, and crowds too large to count."""
