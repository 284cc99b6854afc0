"""What is measured: each module prints its figures, the last line as JSON."""
