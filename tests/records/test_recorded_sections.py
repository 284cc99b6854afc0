"""Games of Silk Road at a table as records: refereed, they end where the table did."""

import json

import pytest

from companion.board import BARE, Contents, LaidSection
from companion.commands import CorrectCell, Done, EndGame, Undo
from companion.events import GameDealt
from companion.games import score
from companion.games.silk_road import COMPETITIVE, COOPERATIVE, SilkRoad, SilkRoadPosition
from companion.records.record import Recorder, record_to_text, referee
from tests.test_drawn_games import Evening
from tests.wiring.test_no_camera import BOARD, DEAL, GAME, Hand


@pytest.mark.parametrize("rules", [COMPETITIVE, COOPERATIVE], ids=lambda rules: rules.name)
def test_a_drawn_game_is_recorded_with_everything_that_was_refused(rules: SilkRoad) -> None:
    evening, recorder = Evening.of(rules), Recorder()
    ended = evening.play()
    assert isinstance(ended, SilkRoadPosition)
    second_deal = [index for index, event in enumerate(evening.events) if isinstance(event, GameDealt)][1]
    recorder.hear(evening.events[:second_deal])
    assert recorder.record is not None
    text = record_to_text(recorder.record)
    printed = referee(text)
    assert printed["setup"] == []
    assert printed["over"]
    assert printed["wealth"] == dict(ended.wealth())
    assert printed["winners"] == list(score(ended).winners)
    assert ["no-way"] in [verdict["violations"] for verdict in printed["verdicts"]]
    assert len(moves(text)) == len(printed["verdicts"])


def moves(text: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(text)["moves"]
    return found


@pytest.fixture
def hand() -> Hand:
    hand = Hand()
    hand.ask(*(CorrectCell(BOARD.cell(name), Contents(tile)) for name, tile in DEAL.items()))
    return hand


def test_what_was_taken_back_is_not_recorded_and_what_was_refused_is(hand: Hand) -> None:
    recorder = Recorder()
    recorder.hear(hand.ask(GAME))
    recorder.hear(hand.ask(hand.lay("green", 1, "F6"), Done(confirmed=False)))
    recorder.hear(hand.ask(CorrectCell(BOARD.cell("F6"), BARE), hand.lay("green", 1, "A2"), Done(confirmed=False)))
    recorder.hear(hand.ask(Done(confirmed=True)))
    recorder.hear(hand.ask(Undo()))
    recorder.hear(hand.ask(hand.lay("brown", 2, "B2", 1), Done(confirmed=False), EndGame()))
    assert recorder.record is not None
    laid = hand.lay("brown", 2, "B2", 1).contents.tile
    assert isinstance(laid, LaidSection)
    assert moves(record_to_text(recorder.record)) == [
        {"player": "green", "section": "green-1", "cell": "F6", "turn": 0},
        {"player": "green", "section": "green-1", "cell": "A2", "turn": 0},
        {"player": "brown", "section": "brown-2", "cell": "B2", "turn": laid.turn},
    ]


def test_an_early_end_is_taken_back_like_a_move(hand: Hand) -> None:
    recorder = Recorder()
    recorder.hear(hand.ask(GAME, hand.lay("green", 1, "A2"), Done(confirmed=False), EndGame()))
    recorder.hear(hand.ask(Undo()))
    assert recorder.record is not None
    assert len(recorder.record.moves) == 1


def test_several_sections_at_once_are_no_move(hand: Hand) -> None:
    recorder = Recorder()
    two = (hand.lay("green", 1, "A2"), hand.lay("green", 2, "B1"))
    recorder.hear(hand.ask(GAME, *two, Done(confirmed=False)))
    assert recorder.record is not None
    assert recorder.record.moves == ()
