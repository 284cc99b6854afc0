"""What the bench commands make of what was read: distinct cells, contact sheets, bars, words that come late."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from bench import disturbances, evening, reading
from bench.comparing import compare
from bench.evening import Tally, tally
from bench.measuring import Found, Photo, piled_in
from bench.sheets import write_sheet
from calibration.lens import Lens
from calibration.view import BoardView
from companion.board import CellReading, Color, Contents, HexBoard, Merchants, Reading
from companion.commands import StartGame
from companion.evening import Button, Evening, Line, Word
from companion.evening import Photo as EveningPhoto
from companion.games.contract import Player

BOARD = HexBoard(2)
VIEW = BoardView.of(HexBoard(2), Lens(200, 160), np.array([[16.0, 0, 100], [0, 16.0, 80], [0, 0, 1]]))
IMAGE = np.full((160, 200, 3), 90, np.uint8)
TRUTH = Reading(BOARD, {cell: CellReading() for cell in BOARD.cells}, dict.fromkeys(Color))
B2, B3 = BOARD.cell("B2"), BOARD.cell("B3")


def with_cubes(**cells: int) -> Reading:
    """Return the bare board with that many red cubes on each named cell."""
    read = {BOARD.cell(name): CellReading(Contents(None, Merchants(red=count))) for name, count in cells.items()}
    return replace(TRUTH, cells={**TRUTH.cells, **read})


def noted(found: Found, table: str, names: str, said: Reading) -> Found:
    for name in names.split():
        found.note(Photo(table, "games/first", name), said, TRUTH, IMAGE, VIEW)
    return found


def test_one_bad_cell_in_many_photographs_is_one_distinct_cell() -> None:
    found = noted(Found(), "willow", "001.jpg 002.jpg 003.jpg", with_cubes(B2=1))
    found = noted(found, "willow", "004.jpg", with_cubes(B2=2, B3=1))
    assert found.tally.silent == 5
    assert (found.distinct_wrong.count, found.distinct_wrong.of) == (2, 19)
    found.add(noted(Found(), "oak", "001.jpg", with_cubes(B2=1)))
    assert (found.tally.silent, found.distinct_wrong.count, found.distinct_wrong.of) == (6, 3, 38)


def test_cells_on_which_a_cube_may_hide_another_are_counted_by_themselves(tmp_path: Path) -> None:
    photo = tmp_path / "003.jpg"
    notes = ["the board has been pushed", "a cube stands on or leans against another at B2, B3"]
    photo.with_suffix(".json").write_text(json.dumps({"notes": notes}))
    piled = piled_in(photo, BOARD)
    assert piled == {B2, B3}
    open_ = replace(with_cubes(B2=1, A1=1), unclear=frozenset({B3}))
    counts, _, _ = compare(open_, TRUTH, piled)
    assert (counts.silent, counts.abstained) == (2, 1)
    assert counts.piled == {"cells": 2, "silent": 1, "abstained": 1}
    photo.with_suffix(".json").write_text("{}")
    assert piled_in(photo, BOARD) == frozenset()


def test_errors_are_named_once_with_their_photographs(capsys: pytest.CaptureFixture[str]) -> None:
    found = noted(Found(), "willow", "001.jpg 002.jpg", with_cubes(B2=1))
    noted(found, "willow", "002.jpg", with_cubes(B3=1)).print_errors(most=1)
    assert capsys.readouterr().out.splitlines() == [
        "  willow/games/first B2: read nothing + 1 red on unknown, is nothing on unknown (merchants);"
        " 2 photographs, first 001.jpg",
        "  and 1 more",
    ]


def test_a_contact_sheet_shows_each_distinct_error_and_each_wrong_word_about_a_hidden_cell(tmp_path: Path) -> None:
    found = noted(Found(with_cards=True), "willow", "001.jpg 002.jpg", with_cubes(B2=1, B3=1))
    hidden = replace(TRUTH, occluded=frozenset({B2}))
    found.note(Photo("willow", "games/first", "003.jpg"), with_cubes(B2=1), hidden, IMAGE, VIEW)
    assert len(found.cards) == 3
    write_sheet(tmp_path / "deep" / "sheet.png", found.cards)
    sheet = cv2.imread(str(tmp_path / "deep" / "sheet.png"))
    assert sheet is not None
    assert sheet.shape[1] == 3 * found.cards[0].shape[1]
    # Beside the photograph is what was read, with the cube, and then the truth, without it.
    photographed, read, true = (found.cards[0][:200, 200 * k : 200 * (k + 1)] for k in range(3))
    assert not np.array_equal(photographed, read)
    assert np.array_equal(photographed, true)


def test_what_was_not_spoken_for_is_drawn_once_while_the_same_lies_there() -> None:
    found, doubt = Found(with_open=True), replace(with_cubes(B2=1), unclear=frozenset({B2}))
    for name, said in (("001.jpg", doubt), ("002.jpg", replace(with_cubes(B2=2), unclear=frozenset({B2})))):
        found.note(Photo("willow", "games/first", name), said, TRUTH, IMAGE, VIEW)
    assert (len(found.open_cards), len(found.cards)) == (1, 0)
    # Something else came there: a new case. A cell under a hand is not a case.
    now = replace(TRUTH, cells={**TRUTH.cells, B2: CellReading(Contents(None, Merchants(black=1)))})
    found.note(Photo("willow", "games/first", "003.jpg"), doubt, now, IMAGE, VIEW)
    found.note(Photo("willow", "games/first", "004.jpg"), doubt, replace(now, occluded=frozenset({B2})), IMAGE, VIEW)
    first, second = found.open_cards.values()
    assert first is not None
    assert second is None, "one in five is drawn"
    assert not noted(Found(with_cards=True), "willow", "001.jpg", doubt).open_cards


def test_without_errors_there_is_no_sheet(tmp_path: Path) -> None:
    write_sheet(tmp_path / "sheet.png", [])
    assert not list(tmp_path.iterdir())


def test_the_bars_of_reading_are_those_of_its_mode() -> None:
    found = noted(Found(), "willow", "001.jpg", with_cubes(B2=1))
    found.tally.cells, found.tally.abstained = 1000, 10
    holds = {mode: [bar.holds for bar in reading.bars(mode, found.tally)] for mode in ("memory", "alone")}
    assert holds == {"memory": [False, False, True, True, True, True], "alone": [True] * 6}


def test_the_bars_of_a_disturbance() -> None:
    found = Found()
    found.tally.cells, found.tally.silent, found.tally.abstained = 1000, 3, 51
    assert [bar.holds for bar in disturbances.bars("warm light", found)] == [True, False]


def test_a_day_track_read_wrongly_is_a_silent_error_too() -> None:
    found = Found()
    found.tally.cells, found.tally.tracks, found.tally.silent, found.tally.tracks_wrong = 990, 10, 3, 1
    assert [bar.figure for bar in disturbances.bars("warm light", found)] == [pytest.approx(0.4), 0]


def said(number: int, verdict: str, *earlier: Word, button: Button = Button.DONE) -> Line:
    return Line(EveningPhoto(f"{number:03d}.jpg", button), Word("turn", Color.RED, verdict), earlier)


@pytest.fixture
def three_turns(tmp_path: Path) -> Evening:
    """An evening of three photographs, each a legal turn of red's."""
    right = {"kind": "turn", "player": "red", "legal": True, "violations": [], "gold": {}, "winners": []}
    for number in range(3):
        (tmp_path / f"{number:03d}.json").write_text(json.dumps({"expected": right}))
    game = StartGame((Player("Red", Color.RED),), "standard", {})
    return Evening(tmp_path, game, ())


def test_what_was_asked_about_counts_as_wrong_once_it_is_decided_wrongly_later(three_turns: Evening) -> None:
    legal, illegal = Word("turn", Color.RED, "legal"), Word("turn", Color.RED, "illegal", ("days",))
    lines = [said(0, "unclear"), said(1, "hidden"), said(2, "legal", illegal, legal)]
    found = tally("drawn", three_turns, iter(lines))
    assert (found.done, found.right, found.unclear, found.hidden, found.wrong) == (3, 1, 1, 1, 0)
    assert (found.later_right, found.later_wrong) == (1, 1)
    assert [bar.holds for bar in evening.bars([found])] == [False, False, True]


def test_a_later_word_is_about_the_last_presses_asked_about(three_turns: Evening) -> None:
    lines = [said(0, "legal"), said(1, "unclear"), said(2, "legal", Word("turn", Color.RED, "legal"))]
    found = tally("drawn", three_turns, iter(lines))
    assert (found.right, found.unclear, found.later_right, found.later_wrong) == (2, 1, 1, 0)


def test_nothing_may_be_decided_on_a_look(three_turns: Evening) -> None:
    found = tally("drawn", three_turns, iter([said(0, "legal", button=Button.LOOK)]))
    assert (found.done, found.looks_decided) == (0, 1)
    assert [bar.holds for bar in evening.bars([found])] == [True, True, False]


def test_one_word_in_fifty_may_be_unclear_and_none_wrong() -> None:
    assert all(bar.holds for bar in evening.bars([Tally(done=50, right=49, unclear=1)]))
    assert not all(bar.holds for bar in evening.bars([Tally(done=49, right=48, unclear=1)]))
    assert not all(bar.holds for bar in evening.bars([Tally(done=500, right=499, wrong=1)]))
