"""What is measured: each module prints its figures, the last line as JSON."""

import os

# As the command `strada` has it (companion.cli), and before numpy is loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")
