"""What can be answered with one tap: when a choice appears, what it asks for, and when it disappears."""

from dataclasses import replace

import pytest

from companion import events
from companion.board import (
    BARE,
    CellChange,
    CellReading,
    Change,
    Color,
    Contents,
    HexBoard,
    Merchants,
    Reading,
    Road,
    Settlement,
    SettlementType,
    Terrain,
)
from companion.commands import StartGame
from companion.games import rule_set
from companion.games.contract import Player, Reason
from companion.games.la_strada import Ground
from companion.scoreboard import Choice, Interpreter, Scene, Words

BOARD = HexBoard(6)
PLAYERS = (Player("Ada", Color.BLACK), Player("Bo", Color.RED))
POSITION = rule_set("standard").start(Ground(BOARD, {}, {}), PLAYERS, {})
C4, C5, F5 = BOARD.cell("C4"), BOARD.cell("C5"), BOARD.cell("F5")
ROAD = Contents(Road(Color.BLACK, Terrain.PLAIN, (0, 3)))
TURNED = Contents(Road(Color.BLACK, Terrain.PLAIN, (1, 4)))
REDS = Contents(Road(Color.RED, Terrain.PLAIN, (0, 3)))
CITY = Contents(Settlement(SettlementType.CITY), Merchants(red=2))
LAID = {C4: ROAD}
CHANGE = Change({C4: CellChange(BARE, ROAD)})
REFUSED = events.MoveRefused(
    Color.BLACK,
    (Reason("dead-end", (C4,)),),
    CHANGE,
    POSITION,
    suggestions=(events.Suggestion(C4, TURNED), events.Suggestion(F5, CITY)),
)


def reading(occluded: frozenset[object] = frozenset(), **unclear: tuple[Contents, ...]) -> Reading:
    cells = {BOARD.cell(name): CellReading(alternatives=answers) for name, answers in unclear.items()}
    return Reading(BOARD, cells, unclear=frozenset(cells), occluded=frozenset(BOARD.cells) & occluded)


@pytest.fixture
def choices() -> Interpreter:
    return Interpreter()


def after(choices: Interpreter, *happened: events.Event, **known: object) -> tuple[Choice, ...]:
    given = {"offer": None, "laid": LAID, "reading": reading(), "position": POSITION, **known}
    return choices.after(Words(), happened, Scene(StartGame(PLAYERS), **given)).choices  # type: ignore[arg-type]


def test_nothing_said_nothing_to_choose(choices: Interpreter) -> None:
    assert after(choices) == ()


@pytest.mark.parametrize(
    ("offer", "label", "detail"),
    [
        (events.SavingAsked(Color.BLACK), "Ada: nothing was laid. Save the days?", ""),
        (
            events.SequenceOffered((Color.BLACK, Color.RED), (CHANGE, Change({}))),
            "Did somebody forget to say done: Ada, then Bo?",
            "Bo builds nothing and saves their days",
        ),
        (events.RereadingOffered(F5, BARE, CITY, 2), "", "F5: city, 2 merchants of Bo"),
    ],
    ids=["saving", "sequence", "rereading"],
)
def test_an_offer_is_a_yes_for_as_long_as_it_is_open(
    choices: Interpreter, offer: events.SavingAsked, label: str, detail: str
) -> None:
    (choice,) = after(choices, offer, offer=offer)
    assert (choice.command, choice.body, choice.detail) == ("yes", {}, detail)
    assert label in choice.label
    assert choice.label
    assert after(choices, offer=offer) == (choice,)
    assert after(choices) == ()


def test_a_suggestion_corrects_the_cell_and_says_done_again(choices: Interpreter) -> None:
    turned, city = after(choices, REFUSED)
    assert turned.label == "If the road on C4 runs another way, the move is legal"
    assert turned.detail == "C4: road of Ada, plain ↗↙"
    assert turned.command == "correct"
    assert turned.body == {
        "cell": "C4",
        "contents": {
            "tile": {"kind": "road", "color": "black", "terrain": "plain", "shape": "straight", "edges": [1, 4]},
            "merchants": {},
        },
        "done": True,
    }
    assert city.body["cell"] == "F5"


def test_a_suggestion_stands_while_what_was_refused_lies_there_and_nothing_else(choices: Interpreter) -> None:
    said = after(choices, REFUSED)
    assert len(said) == 2
    assert after(choices, laid={C4: TURNED}) == ()
    assert after(choices, laid={}) == ()
    assert after(choices, laid={C4: ROAD, C5: ROAD}) == ()
    assert after(choices, events.MoveHidden(Color.BLACK, (C4,))) == said
    assert after(choices, reading=None) == said


def test_a_hand_over_what_was_refused_changes_nothing(choices: Interpreter) -> None:
    said = after(choices, REFUSED)
    assert after(choices, laid={}, reading=reading(occluded=frozenset({C4}))) == said
    assert after(choices, laid={}, reading=reading(occluded=frozenset({C5}))) == ()


@pytest.mark.parametrize(
    "event",
    [
        events.TurnTaken(Color.BLACK, CHANGE, 2, 4, POSITION),
        events.MovesUndone(Color.BLACK, 1, (), POSITION),
        events.GamePaused(),
        events.CellCorrected(F5, CITY),
    ],
    ids=lambda event: type(event).__name__,
)
def test_what_was_suggested_goes_with_the_next_verdict_or_decision(choices: Interpreter, event: events.Event) -> None:
    assert after(choices, REFUSED)
    assert after(choices, event) == ()
    assert after(choices) == ()


def test_a_later_refusal_brings_its_own_suggestions(choices: Interpreter) -> None:
    after(choices, REFUSED)
    (only,) = after(choices, replace(REFUSED, suggestions=REFUSED.suggestions[1:]))
    assert only.body["cell"] == "F5"
    assert after(choices, replace(REFUSED, suggestions=())) == ()


def test_a_cell_that_was_not_understood_may_hold_what_the_reader_thinks_or_what_lay_there(choices: Interpreter) -> None:
    doubt = reading(C4=(ROAD, TURNED))
    asked = after(choices, events.MoveUnclear(Color.BLACK, (C4,)), reading=doubt)
    assert [choice.label for choice in asked] == ["C4: road of Ada, plain →←", "C4: road of Ada, plain ↗↙", "C4: empty"]
    assert all(choice.command == "correct" and "done" not in choice.body for choice in asked)
    assert after(choices, reading=reading()) == ()
    assert after(choices, reading=doubt) == asked
    assert after(choices, events.CellCorrected(C4, ROAD), reading=doubt) == ()


def test_a_clear_cell_that_is_asked_about_offers_what_was_read_then_other_colours(choices: Interpreter) -> None:
    sure = CellReading(ROAD, confidence=0.98, further=((CITY, 0.001), (TURNED, 0.01), (REDS, 1e-5)))
    seen = Reading(BOARD, {C4: sure})
    asked = after(choices, events.MoveUnclear(Color.BLACK, (C4,)), reading=seen)
    said = ["C4: road of Ada, plain →←", "C4: road of Bo, plain →←", "C4: road of Ada, plain ↗↙"]
    assert [choice.label for choice in asked] == said
    assert after(choices, reading=seen) == asked, "until it looks different"
    assert after(choices, reading=Reading(BOARD, {C4: CellReading(CITY)})) == ()
    assert after(choices, events.CellCorrected(C4, TURNED), reading=seen) == ()


def test_of_many_unclear_cells_and_answers_a_few_are_offered(choices: Interpreter) -> None:
    answers = (ROAD, TURNED, CITY, Contents(None, Merchants(red=1)))
    doubt = reading(C1=answers, C2=answers, C3=answers, C4=answers)
    cells = tuple(BOARD.cell(name) for name in ("C1", "C2", "C3", "C4"))
    asked = after(choices, events.MoveUnclear(Color.BLACK, cells), reading=doubt)
    assert len(asked) == 9
    assert {choice.body["cell"] for choice in asked} == {"C1", "C2", "C3"}
    assert asked[2].label == "C1: empty"


def test_before_the_deal_only_the_reader_has_answers(choices: Interpreter) -> None:
    doubt = reading(C4=(CITY,), C5=())
    asked = after(choices, events.DealUnclear((C4, C5), hidden=False), reading=doubt, position=None)
    assert [choice.label for choice in asked] == ["C4: city, 2 merchants of Bo"]
