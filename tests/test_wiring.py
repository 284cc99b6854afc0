from dataclasses import dataclass, field
from typing import Any

import pytest

from companion.board import Change, Color, HexBoard
from companion.commands import StartGame
from companion.events import (
    Event,
    GameDealt,
    MoveHidden,
    MoveRefused,
    MovesUndone,
    Outlook,
    Standing,
    StandingChanged,
    TurnTaken,
)
from companion.games import rule_set
from companion.games.contract import Ground, Player
from companion.virtual_table import Pace
from companion.wiring import SPEEDS, VirtualControls, own_names, paced

PLAYERS = (Player("Ada", Color.BLACK), Player("Bo", Color.RED))
POSITION = rule_set("standard").start(Ground(HexBoard(3), {}, {}), PLAYERS, {})
TAKEN = TurnTaken(Color.BLACK, Change({}), 0, 6, POSITION)
REFUSED = MoveRefused(Color.RED, (), Change({}), POSITION)


@dataclass
class Table:
    """A drawn table that only remembers what it was told."""

    pace: Pace = field(default_factory=Pace)
    heard: list[Any] = field(default_factory=list)

    def told(self, legal: bool, after: object = None) -> None:
        self.heard.append(("told", legal))

    def follow(self, position: object) -> None:
        self.heard.append("follow")

    def pause(self) -> None:
        self.heard.append("pause")

    def play(self) -> None:
        self.heard.append("play")


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def controls(table: Table) -> VirtualControls:
    made = VirtualControls()
    made.attach(table)  # type: ignore[arg-type]
    return made


@pytest.mark.parametrize(
    ("event", "legal"),
    [
        (GameDealt(StartGame(PLAYERS), POSITION), True),
        (TAKEN, True),
        (REFUSED, False),
        (MoveHidden(Color.RED, ()), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_players_hear_the_verdict_on_their_press(
    controls: VirtualControls, table: Table, event: Event, legal: bool
) -> None:
    pressed = []
    controls.on_press = lambda: pressed.append("button")
    controls.pressed("done")
    controls.witness([event], POSITION)
    assert pressed == ["button"]
    assert table.heard == [("told", legal)]


def test_what_is_no_verdict_leaves_them_waiting(controls: VirtualControls, table: Table) -> None:
    controls.pressed("done")
    controls.witness([StandingChanged(Standing(Outlook.LEGAL))], POSITION)
    assert table.heard == []


def test_a_verdict_that_they_did_not_ask_for_is_followed(controls: VirtualControls, table: Table) -> None:
    controls.witness([MovesUndone(Color.BLACK, 1, (), POSITION)], POSITION)
    controls.witness([REFUSED], POSITION)
    assert table.heard == ["follow"]


def test_pause_and_speed_reach_the_table(controls: VirtualControls, table: Table) -> None:
    assert controls.pause()
    assert controls.is_paused
    assert not controls.pause()
    assert table.heard == ["pause", "play"]
    assert [controls.hurry() for _ in SPEEDS] == [*SPEEDS[1:], SPEEDS[0]]


def test_players_in_a_hurry_are_as_patient_as_ever() -> None:
    fast = paced(4.0)
    assert fast.think_s == Pace().think_s / 4
    assert fast.patience_s == Pace().patience_s


def test_this_machine_is_known_by_its_names() -> None:
    assert {"localhost", "127.0.0.1", "[::1]"} <= set(own_names())
