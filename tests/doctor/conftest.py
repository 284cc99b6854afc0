"""A machine of its own for each test of the doctor."""

from pathlib import Path

import pytest

from tests.doctor.machines import Fake


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    root = tmp_path / "machine"
    root.mkdir()
    return Fake(root)
