"""Snapshots and applications for the pages' tests."""

import json
from dataclasses import dataclass, field
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from companion.board import (
    BARE,
    Color,
    Contents,
    HexBoard,
    Merchants,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Workshop,
)
from companion.commands import Command
from companion.scoreboard import Eye, Lamps, Notice, PlayerLine, Scoreboard, Snapshot
from companion.web import Backend, Download, Picture, Server, create_app
from hardware.cues import LEGAL

#: The headers of one of our own pages.
OWN = {"Origin": "http://localhost", "X-Strada": "1"}

#: Somebody who is not at this machine.
PHONE = "192.168.1.20"
ELSEWHERE = {"REMOTE_ADDR": PHONE}

BOARD = HexBoard(6)
TILES = {Terrain.PLAIN: 18, Terrain.FOREST: 8, Terrain.HILL: 5}


def player(name: str, color: Color, is_next: bool = False, has_won: bool = False) -> PlayerLine:
    return PlayerLine(name, color, 4, 17, 9, TILES, is_next, has_won)


def game(name: str = "Ada") -> Snapshot:
    """Return a game in which Ada has built from G7 to G9 and Bo is in turn."""
    cell = BOARD.cell
    return Snapshot(
        phase="turn",
        board=BOARD,
        terrain=dict.fromkeys(BOARD.cells, Terrain.PLAIN),
        contents={
            cell("G7"): Contents(Workshop(Color.BLACK)),
            cell("G8"): Contents(Road(Color.BLACK, Terrain.PLAIN, (0, 3))),
            cell("G9"): Contents(Settlement(SettlementType.CITY), Merchants(black=1)),
        },
        laid={cell("C4"): Contents(Road(Color.RED, Terrain.PLAIN, (1, 3))), cell("D4"): BARE},
        players=(player(name, Color.BLACK), player("Bo", Color.RED, is_next=True)),
        next=Color.RED,
        notice=Notice("legal", f"{name}: that move is legal", ("it cost 2 days, 4 are left",), frozenset({cell("G8")})),
        lamps=Lamps(Color.RED, LEGAL, 3),
        eye=Eye("", 7, 88.0),
    )


@dataclass
class Table:
    """A table that plays by itself, what it was asked, and its pages, which take more of Backend's keywords."""

    scoreboard: Scoreboard = field(default_factory=Scoreboard)
    asked: list[Command] = field(default_factory=list)
    asked_by: list[str] = field(default_factory=list)
    is_busy: bool = False
    is_paused: bool = False
    speed: float = 1.0
    shown: Picture | None = None
    game: Download | None = None

    def pages(self, **ports: Any) -> Flask:
        return create_app(Backend(self.scoreboard, self.submit, self.picture, record=self.record, **ports))

    def client(self, **ports: Any) -> FlaskClient:
        return self.pages(**ports).test_client()

    def server(self, streams: int = 20, port: int = 0, **ports: Any) -> Server:
        return Server(self.pages(**ports), self.scoreboard, streams, "127.0.0.1", port)

    def submit(self, command: Command, by: str) -> bool:
        if not self.is_busy:
            self.asked.append(command)
            self.asked_by.append(by)
        return not self.is_busy

    def picture(self) -> Picture | None:
        return self.shown

    def record(self) -> Download | None:
        return self.game

    def pause(self) -> bool:
        self.is_paused = not self.is_paused
        return self.is_paused

    def hurry(self) -> float:
        self.speed *= 2
        return self.speed


def showing(snapshot: Snapshot) -> Table:
    """Return a table whose scoreboard shows that."""
    table = Table()
    table.scoreboard.publish(snapshot)
    return table


def sent(client: FlaskClient, wanted: str = "", address: str = PHONE) -> dict[str, str]:
    """Return the parts of the first event that a page is sent."""
    answer = client.get(f"/events{wanted}", environ_base={"REMOTE_ADDR": address}, buffered=False)
    stream = iter(answer.response)
    next(stream)
    event = next(stream)
    answer.close()
    assert isinstance(event, bytes)
    parts: dict[str, str] = json.loads(event.decode().split("data: ")[1])["parts"]
    return parts
