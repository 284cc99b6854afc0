"""`strada` as a person types it: in this process for what it says, in its own process for what only that shows."""

import os
import subprocess
import sys
from collections.abc import Callable

#: Type a command; return its status, what it printed and what it complained of.
Strada = Callable[..., tuple[int, str, str]]
#: Type a command that must be refused, status 2 and nothing printed; return its one line.
Refused = Callable[..., str]


def process(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in its own process, in which only `environment` sets a language; its output is UTF-8."""
    quiet = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    return subprocess.run(
        [sys.executable, "-m", "companion", *map(str, arguments)],
        capture_output=True, encoding="utf-8", errors="replace", timeout=120, check=False,
        env=quiet | {"PYTHONIOENCODING": "utf-8"} | environment,
    )  # fmt: skip
