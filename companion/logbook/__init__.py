"""The logbook: every event and position of every game in SQLite, and the pictures of what was ruled."""
