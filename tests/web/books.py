"""Logbooks of games that were really played, with pictures in which every cell is where its centre is said to be."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from flask import Flask
from flask.testing import FlaskClient
from numpy.typing import NDArray

from bench.made_up import People
from companion.board import HexCell, Reading, Road, Terrain, Workshop
from companion.commands import Command, Done, EndGame, StartGame, Undo
from companion.games.contract import Player
from companion.logbook import Logbook
from companion.logbook.archive import Story, opened_archive, story_of
from companion.logbook.opening import FILE
from companion.session import Session
from companion.system.pictures import jpeg
from tests.once import filled
from tests.session.tabletop import BLACK, RED, Tabletop, at, black_builds
from tests.web.playing import game, showing

SIZE_PX, SIDE_PX = (640, 480), 18.0
GREEN = (40, 160, 60)


@dataclass(frozen=True)
class Shown:
    """A green picture of the table with a square in its own colour on each cell, and what was read in it."""

    reading: Reading

    @property
    def view(self) -> "Shown":
        return self

    @property
    def centres_px(self) -> Mapping[HexCell, tuple[float, float]]:
        return {cell: centre_px(cell) for cell in self.reading.board.cells}

    @property
    def image(self) -> NDArray[np.uint8]:
        width, height = SIZE_PX
        image = np.full((height, width, 3), GREEN, np.uint8)
        for cell in self.reading.board.cells:
            x, y = (round(part) for part in centre_px(cell))
            image[y - 6 : y + 7, x - 6 : x + 7] = colour_of(cell)
        return image


def centre_px(cell: HexCell) -> tuple[float, float]:
    x, y = cell.centre
    return SIZE_PX[0] / 2 + SIDE_PX * x, SIZE_PX[1] / 2 + SIDE_PX * y


def colour_of(cell: HexCell) -> tuple[int, int, int]:
    return 128 + 15 * cell.q, 128 + 15 * cell.r, 200


class Play:
    """People at a test table, with a logbook."""

    def __init__(self, folder: Path, place: str = "kitchen") -> None:
        self.folder, self.session, self.table = folder, Session(), Tabletop()
        self.logbook = Logbook(folder, place, encode=jpeg)

    def press(self, command: Command, reading: Reading | None = None, by: str = "button") -> None:
        shown = reading or self.table.seen()
        events = self.session.see(shown) + self.session.obey(command)
        self.logbook.record(events, self.session.state, Shown(shown), by)

    def begin(self, names: tuple[str, str] = ("Bea", "Rob"), rules: str = "standard") -> None:
        """Deal, and place both workshops."""
        self.table = Tabletop()
        self.press(StartGame((Player(names[0], BLACK), Player(names[1], RED)), rules))
        for color, cell in ((BLACK, at(1)), (RED, at(-2))):
            self.table.lay(cell, Workshop(color))
            self.press(Done())

    def refused(self) -> None:
        """Let Black lay a road of Red's that leads nowhere, and say done."""
        self.table.lay(at(2), Road(RED, Terrain.PLAIN, (0, 3)))
        self.press(Done())

    def built(self) -> None:
        """Let Black take their first turn, 2 days; it earns them a city's 5 gold, or less."""
        self.table.lay(at(2), None)
        black_builds(self.table)
        self.press(Done())

    def undone(self) -> None:
        self.press(Undo())

    def ended(self) -> None:
        self.press(EndGame())

    def closed(self) -> Path:
        self.logbook.close()
        assert self.logbook.trouble is None
        return self.folder


def played(folder: Path, *moves: str, names: tuple[str, str] = ("Bea", "Rob")) -> Path:
    """Play one game at a table: after it has begun, these moves, by the names that they have here."""

    def play(folder: Path) -> None:
        play = Play(folder)
        play.begin(names)
        for move in moves:
            getattr(play, move)()
        play.closed()

    filled(folder, ("played", names, *moves), play)
    return folder


def evening(folder: Path, presses: int = 70, seed: int = 8) -> Path:
    """Let made-up people play: Nick Danger's game to its end, then one that goes on."""

    def play(folder: Path) -> None:
        session = Session()
        with Logbook(folder, "kitchen", encode=jpeg) as logbook:
            for reading, command in People(seed, rules=("danger", "standard")).presses(session, presses):
                events = session.see(reading) + session.obey(command)
                logbook.record(events, session.state, Shown(reading))
            assert logbook.trouble is None

    filled(folder, ("evening", presses, seed), play)
    return folder


def pages(folder: Path | None) -> Flask:
    """Return the web application over that logbook."""
    return showing(game()).pages(logbook=lambda: folder)


def reader(folder: Path | None) -> FlaskClient:
    """Return the client of somebody who looks things up in that logbook."""
    return pages(folder).test_client()


def story(folder: Path, number: int = 1) -> Story:
    with opened_archive(folder) as archive:
        return story_of(archive, number)


def write(folder: Path, query: str, *values: object) -> None:
    """Change a row behind the logbook's back, as a fault of the disk would."""
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        connection.execute(query, values)


def notes_of(picture: Path) -> dict[str, object]:
    notes: dict[str, object] = json.loads(picture.with_suffix(".json").read_text())
    return notes
