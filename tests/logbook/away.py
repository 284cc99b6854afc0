"""What tests of copies off the machine share: a taught table, people who play on, and what is at a place."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.made_up import People
from companion.logbook import Logbook
from companion.logbook.away import Plan, copy_away
from tests.logbook.playing import Play

needs_age = pytest.mark.skipif(shutil.which("age") is None, reason="age is not there: apt install age")
needs_rclone = pytest.mark.skipif(shutil.which("rclone") is None, reason="rclone is not there: apt install rclone")

#: What a table was taught, as its files; and files beside it that are not part of that.
TAUGHT = {
    "tables/chosen": b"club-20261122-101500\n",
    "tables/club-20261122-101500/table.json": b'{"name": "Club"}',
    "tables/club-20261122-101500/examples.npz": b"examples of tiles",
    "tables/club-20261122-101500/setup/empty.jpg": b"a photograph",
    "tables/club-20261122-101500/setup/teach-2.json": b"{}",
}
BESIDE = {
    "tables/club-20261122-101500/games/evening/000.jpg": b"people",
    "tables/.new-x/table.json": b"half written",
    "keeper.key": b"secret",
}


def written(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def play_on(folder: Path, seed: int = 1, presses: int = 6) -> Play:
    play = Play(People(seed))
    with Logbook(folder, encode=bytes) as logbook:
        play.on(logbook, presses, is_pictured=True)
    return play


def copied(book: Path, to: Path, **plan: Any) -> Path:
    """Copy the logbook, in which something is new, to that folder; return the copy."""
    name = copy_away(book, Plan(str(to), **plan))
    assert name is not None
    return to / name


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def numbers(folder: Path) -> list[str]:
    return [name.split("-")[2] for name in names(folder)]
