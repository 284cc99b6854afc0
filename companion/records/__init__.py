"""Game records (records/FORMAT.md): read, taken down at the table, replayed step by step, drawn, exported."""
