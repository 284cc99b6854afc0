"""One of systemd's units as text, and what systemd itself says of it; scripts of this folder as modules."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "systemd"
INSTALLER = (FOLDER / "install.sh").read_text()

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not there: apt install systemd"
)


def told(unit: str, name: str) -> list[str]:
    """Return what the unit assigns to that name, in order."""
    return re.findall(rf"^{name}=(.*)$", (FOLDER / unit).read_text(), re.MULTILINE)


def analyzed(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Return what systemd-analyze says."""
    command = ["systemd-analyze", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def loaded(script: Path) -> Any:
    """Return a script as a module."""
    found = importlib.util.spec_from_file_location(script.stem, script)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def assigned(name: str) -> str:
    """Return what the installer assigns to that name."""
    (value,) = re.findall(rf"^{name}=(.*)$", INSTALLER, re.MULTILINE)
    return str(value)
