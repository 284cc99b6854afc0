"""The benches: each module prints its figures, and its last line is JSON."""

import os

# As in the command `strada` (companion.cli); it must be set before numpy is loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")
