from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from companion import events
from companion.board import BARE, CellChange, CellReading, Change, Color, Contents, HexBoard, Reading, Workshop
from companion.commands import CorrectCell, StartGame, Undo
from companion.games import rule_set
from companion.games.contract import Player, Reason
from companion.games.la_strada import Ground, LaStradaPosition
from companion.service import QUIET_S
from companion.wiring.drawn import BREATH_S, LOOK_S, OBJECTIONS, SPEEDS, DrawnTable
from companion.wiring.machine import OwnNames
from simulator import Pace

PLAYERS = (Player("Ada", Color.BLACK), Player("Bo", Color.RED))
BOARD = HexBoard(3)
#: What truly lies on the one cell that people are asked about.
LIES = CorrectCell(BOARD.cell("C2"), Contents(Workshop(Color.RED)))
BARE_BOARD = rule_set("standard").start(Ground(BOARD, {}, {}), PLAYERS, {})
assert isinstance(BARE_BOARD, LaStradaPosition)
POSITION = replace(BARE_BOARD, workshops={LIES.cell: Color.RED})
TAKEN = events.TurnTaken(Color.BLACK, Change({}), 0, 6, POSITION)
REFUSED = events.MoveRefused(Color.RED, (), Change({}), POSITION)


@dataclass
class Table:
    """A drawn table that only remembers what it was told."""

    speed: float = 0.0
    heard: list[Any] = field(default_factory=list)

    def answer(self, legal: bool, after: object = None) -> None:
        self.heard.append(("told", legal))

    def follow(self, position: object) -> None:
        self.heard.append("follow")

    def truth(self) -> Reading:
        return Reading(BOARD, {LIES.cell: CellReading(LIES.contents)})

    def frame(self, timeout_s: float) -> str:
        return "picture"

    def hurry(self, speed: float) -> None:
        self.speed = speed

    def pause(self) -> None:
        self.heard.append("pause")

    def play(self) -> None:
        self.heard.append("play")


def hear(people: DrawnTable, *happened: events.Event, position: LaStradaPosition = POSITION) -> None:
    """Tell people that; they hear it with the next picture."""
    people.witness(happened, position)
    people.frame(1.0)


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def drawn(table: Table) -> DrawnTable:
    made = DrawnTable(rest=lambda seconds: None)
    made.attach(table)  # type: ignore[arg-type]
    return made


@pytest.mark.parametrize(
    ("event", "legal"),
    [
        (events.GameDealt(StartGame(PLAYERS), POSITION), True),
        (TAKEN, True),
        (REFUSED, False),
        (events.MoveHidden(Color.RED, ()), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_players_hear_the_verdict_on_their_press(
    drawn: DrawnTable, table: Table, event: events.Event, legal: bool
) -> None:
    pressed: list[object] = []
    drawn.sit_down(lambda: pressed.append("button"), pressed.append)
    drawn.pressed("done")
    hear(drawn, event)
    assert pressed == ["button"]
    assert table.heard == [("told", legal)]


MISREAD = CellChange(BARE, Contents(Workshop(Color.BLACK)))
READ = CellChange(BARE, LIES.contents)


@pytest.mark.parametrize(
    ("event", "answered"),
    [
        (events.MoveUnclear(Color.RED, (LIES.cell,)), [LIES]),
        (events.DealUnclear((LIES.cell,), hidden=False), [LIES]),
        (events.MoveRefused(Color.RED, (), Change({LIES.cell: MISREAD}), POSITION), [LIES, "press"]),
        (events.MoveRefused(Color.RED, (), Change({LIES.cell: READ}), POSITION), []),
        (events.MoveRefused(Color.RED, (), Change({}), BARE_BOARD), [LIES, "press"]),
        (events.DealRefused((Reason("deal-site", (LIES.cell,)),)), [LIES, "press"]),
        (events.MoveHidden(Color.RED, (LIES.cell,)), []),
    ],
    ids=["unclear", "deal unclear", "misread", "read right", "read as before", "deal refused", "hidden"],
)
def test_people_say_what_lies_there_once_they_have_looked(event: events.Event, answered: list[object]) -> None:
    now_s = 100.0
    said: list[object] = []
    drawn = DrawnTable(clock=lambda: now_s)
    drawn.attach(Table())  # type: ignore[arg-type]
    drawn.sit_down(lambda: said.append("press"), said.append)
    hear(drawn, event)
    assert said == []
    now_s += LOOK_S
    drawn.frame(1.0)
    drawn.frame(1.0)
    assert said == answered


@pytest.fixture
def said() -> list[object]:
    return []


@pytest.fixture
def people(table: Table, said: list[object]) -> DrawnTable:
    """People who have just pressed the button, and answer at once."""
    now_s = iter(range(0, 10_000, 100))
    drawn = DrawnTable(clock=lambda: float(next(now_s)))
    drawn.attach(table)  # type: ignore[arg-type]
    drawn.sit_down(lambda: said.append("press"), said.append)
    drawn.pressed("done")
    said.clear()
    return drawn


def test_a_refusal_of_what_was_misread_does_not_count(people: DrawnTable, table: Table, said: list[object]) -> None:
    hear(people, events.MoveRefused(Color.RED, (), Change({LIES.cell: MISREAD}), POSITION))
    people.frame(1.0)
    assert said == [LIES, "press"]
    assert table.heard == [], "they wait for the verdict on what lies there"
    hear(people, TAKEN)
    assert table.heard == [("told", True)]


def test_a_turn_taken_differently_from_what_lies_there_is_undone_and_said_again(
    people: DrawnTable, table: Table, said: list[object]
) -> None:
    hear(people, events.TurnTaken(Color.BLACK, Change({}), 0, 6, BARE_BOARD), position=BARE_BOARD)
    hear(people, events.MovesUndone(Color.BLACK, 1, (), BARE_BOARD), position=BARE_BOARD)
    assert said == [Undo(), LIES, "press"]
    assert table.heard == [], "nothing on the table is touched"
    hear(people, TAKEN)
    assert table.heard == [("told", True)]


def test_asked_whether_days_are_saved_people_press_again(people: DrawnTable, said: list[object]) -> None:
    hear(people, events.SavingAsked(Color.RED))
    people.frame(1.0)
    assert said == ["press"]


def test_asked_whether_days_are_saved_people_say_what_they_laid(people: DrawnTable, said: list[object]) -> None:
    hear(people, events.SavingAsked(Color.RED), position=BARE_BOARD)
    people.frame(1.0)
    assert said == [LIES, "press"]


def test_people_do_not_press_again_if_what_they_said_was_enough(
    people: DrawnTable, table: Table, said: list[object]
) -> None:
    hear(people, events.MoveRefused(Color.RED, (), Change({LIES.cell: MISREAD}), POSITION))
    hear(people, events.CellCorrected(LIES.cell, LIES.contents), TAKEN)
    people.frame(1.0)
    assert said == [LIES]
    assert table.heard == [("told", True)]


@pytest.mark.parametrize("event", [events.PressLapsed(Color.RED), events.PressCrossed()])
def test_people_press_again_when_a_press_did_not_count(people: DrawnTable, table: Table, event: events.Event) -> None:
    hear(people, event)
    assert table.heard == [("told", False)]


def test_people_give_in_when_nothing_helps(people: DrawnTable, table: Table, said: list[object]) -> None:
    taken = events.TurnTaken(Color.BLACK, Change({}), 0, 6, BARE_BOARD)
    for _ in range(OBJECTIONS):
        hear(people, taken, position=BARE_BOARD)
        hear(people, events.MovesUndone(Color.BLACK, 1, (), BARE_BOARD), position=BARE_BOARD)
    assert said == [Undo(), LIES, "press"] * OBJECTIONS
    assert table.heard == []
    hear(people, taken, position=BARE_BOARD)
    assert table.heard == ["follow"]


def test_answers_are_not_given_once_another_verdict_came(people: DrawnTable, table: Table, said: list[object]) -> None:
    people.witness([events.MoveRefused(Color.RED, (), Change({LIES.cell: MISREAD}), POSITION)], POSITION)
    hear(people, TAKEN)
    assert said == []
    assert table.heard == [("told", True)]


def test_before_the_table_is_drawn_there_is_no_picture() -> None:
    with pytest.raises(OSError, match="not drawn yet"):
        DrawnTable().frame(1.0)


def test_what_is_no_verdict_leaves_them_waiting(drawn: DrawnTable, table: Table) -> None:
    drawn.pressed("done")
    hear(drawn, events.StandingChanged(events.Standing(events.Outlook.LEGAL)))
    assert table.heard == []


def test_a_verdict_that_they_did_not_ask_for_is_followed(drawn: DrawnTable, table: Table) -> None:
    drawn.witness([events.MovesUndone(Color.BLACK, 1, (), POSITION)], POSITION)
    hear(drawn, REFUSED)
    assert table.heard == ["follow"]


def test_the_next_picture_waits_a_moment_after_a_verdict_while_everybody_is_told(table: Table) -> None:
    now_s, rested_s = 100.0, list[float]()
    drawn = DrawnTable(clock=lambda: now_s, rest=rested_s.append)
    drawn.attach(table)  # type: ignore[arg-type]
    hear(drawn, events.StandingChanged(events.Standing(events.Outlook.LEGAL)))
    assert rested_s == []
    drawn.witness([TAKEN], POSITION)
    now_s += BREATH_S / 4
    drawn.frame(1.0)
    assert rested_s == [pytest.approx(BREATH_S * 3 / 4)]
    now_s += BREATH_S
    drawn.frame(1.0)
    assert len(rested_s) == 1


def test_pause_and_speed_reach_the_table(drawn: DrawnTable, table: Table) -> None:
    assert drawn.pause()
    assert drawn.is_paused
    assert not drawn.pause()
    assert table.heard == ["pause", "play"]
    assert table.speed == SPEEDS[0]
    assert [(drawn.hurry(), table.speed) for _ in SPEEDS] == [(speed, speed) for speed in (*SPEEDS[1:], SPEEDS[0])]


def test_players_in_a_hurry_are_as_patient_as_ever() -> None:
    fast = Pace().hurried(4.0)
    assert fast.think_s == Pace().think_s / 4
    assert fast.patience_s == Pace().patience_s


def test_this_machine_is_known_by_its_names() -> None:
    assert {"localhost", "127.0.0.1", "[::1]"} <= set(OwnNames())


def test_visitors_presses_are_as_quiet_as_at_a_table_and_quick_players_are_not(drawn: DrawnTable) -> None:
    assert drawn.quiet_s() == QUIET_S / SPEEDS[-1]
    drawn.pause()
    assert drawn.quiet_s() == QUIET_S
