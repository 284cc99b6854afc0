"""Where the shared tables and records lie; tests that use them skip, saying so, where they are missing."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / "shared"


def _shared(folder: str) -> Path:
    path = SHARED / folder
    if not path.is_dir():
        pytest.skip(f"no {path}: the shared {folder} are not beside this checkout")
    return path


@pytest.fixture(scope="session")
def tables() -> Path:
    return _shared("tables")


@pytest.fixture(scope="session")
def records() -> Path:
    return _shared("records")
