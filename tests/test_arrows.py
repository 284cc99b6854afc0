"""Which room may import which. The picture is in CONTRIBUTING.md; this dict is what counts."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

#: Room -> the rooms of ours that it may import. A room is the longest prefix listed here.
ARROWS: dict[str, set[str]] = {
    "companion.board": set(),
    "companion.games": {"companion.board"},
    "companion.commands": {"companion.board", "companion.games"},
    "companion.events": {"companion.board", "companion.games", "companion.commands"},
    "companion.keeping": {"companion.board", "companion.commands"},
    "companion.verdicts": {"companion.board", "companion.games", "companion.events"},
    "companion.plain": {"companion.board", "companion.games", "companion.events"},
    "companion.session": {
        "companion.board", "companion.games", "companion.events", "companion.commands", "companion.plain",
    },
    "companion.logbook": {
        "companion.board", "companion.games", "companion.events", "companion.commands", "companion.plain",
        "companion.session", "companion.verdicts", "companion.system",
    },
    "companion.words": {"companion.board", "companion.games", "companion.events"},
    "companion.scoreboard": {
        "companion.events", "companion.commands", "companion.board", "companion.games", "companion.words",
        "hardware.cues",
    },
    "simulator": {"companion.board", "companion.games", "companion.system"},
    "companion.evening": {
        "companion.board", "companion.games", "companion.session", "companion.events", "companion.commands",
        "companion.verdicts", "companion.system",
    },
    "companion.service": {
        "companion.board", "companion.games", "companion.session", "companion.scoreboard",
        "companion.logbook", "companion.events", "companion.commands", "companion.words", "companion.verdicts",
        "hardware.cues",
    },
    "companion.web": {
        "companion.board", "companion.games", "companion.scoreboard", "companion.commands", "companion.events",
        "companion.logbook", "companion.records", "companion.drawing", "companion.words",
        "companion.setup", "companion.system", "companion.keeping",
    },
    "companion.setup": {
        "companion.board", "companion.games", "companion.commands", "companion.events", "companion.session",
        "companion.system", "vision", "calibration", "hardware", "hardware.cues",
    },
    "companion.drawing": {"companion.board", "companion.games"},
    "companion.terminal": {"companion.board", "companion.drawing"},
    "companion.records": {
        "companion.board", "companion.games", "companion.commands", "companion.events", "companion.plain",
        "companion.logbook", "companion.words", "companion.drawing", "companion.terminal", "companion.system",
    },
    "companion.doctor": {
        "companion.board", "companion.logbook", "companion.settings", "companion.system", "companion.updates",
    },
    "companion.updates": {"companion.board", "companion.system"},
    "companion.settings": {"companion.board", "companion.system"},
    "companion.network": set(),
    "companion.certificates": {"companion.board", "companion.system"},
    "companion.system": set(),
    "companion.outbox": {
        "companion.board", "companion.events", "companion.logbook", "companion.plain", "companion.scoreboard",
        "companion.system",
    },
    "hub": {
        "companion.board", "companion.games", "companion.events", "companion.plain", "companion.verdicts",
        "companion.words", "companion.drawing", "companion.scoreboard", "companion.system", "companion.web",
        "companion.outbox", "companion.settings", "companion.cli", "companion.certificates", "companion.logbook",
        "companion.commands",
    },
    "companion.wiring": {"*"},
    "companion.cli": {"*"},
    "companion.__main__": {"companion.cli"},
    "companion": set(),
    "calibration": {"companion.board", "companion.system"},
    "vision": {"companion.board", "calibration"},
    "hardware": {"hardware.cues", "companion.system"},
    "hardware.cues": set(),
}  # fmt: skip

#: Rooms that must stay free of everything heavy: standard library only.
STANDARD_LIBRARY_ONLY = ("companion.board", "companion.games", "companion.plain", "companion.session")
HEAVY = {"cv2", "numpy", "flask", "gpiozero", "waitress", "picamera2"}

PACKAGES = ("companion", "hub", "simulator", "vision", "calibration", "hardware")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    return max((room for room in ARROWS if module == room or module.startswith(room + ".")), key=len)


def statements_of(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements of a node, and those inside them. Expressions are left out: they import nothing."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for each in getattr(node, part, ()):
            yield each
            yield from statements_of(each)


@cache
def imports_of(path: Path) -> set[str]:
    found = set()
    for node in statements_of(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the arrow"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_module_imports_only_along_the_arrows(path: Path) -> None:
    room = room_of(module_name(path))
    for imported in imports_of(path):
        if imported.split(".")[0] not in PACKAGES:
            continue
        target = room_of(imported)
        allowed = ARROWS[room]
        assert target == room or "*" in allowed or target in allowed, f"{module_name(path)} may not import {imported}"


@pytest.mark.parametrize(
    "path", [p for p in MODULES if room_of(module_name(p)) in STANDARD_LIBRARY_ONLY], ids=module_name
)
def test_pure_rooms_use_the_standard_library_only(path: Path) -> None:
    assert not {name.split(".")[0] for name in imports_of(path)} & HEAVY


@pytest.mark.long
def test_a_hub_loads_nothing_of_cameras_and_no_solvers_until_it_seats_somebody() -> None:
    code = "import hub.command, hub.running, sys; print(*{name.partition('.')[0] for name in sys.modules})"
    words = [sys.executable, "-c", code]
    loaded = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout.split()
    assert not {"cv2", "vision", "calibration", "simulator", "gpiozero", "picamera2"} & set(loaded)
    assert not {"ortools", "pandas", "scipy"} & set(loaded)
