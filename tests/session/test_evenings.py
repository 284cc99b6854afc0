"""Whole photographed evenings, read perfectly, or with a cell covered or in doubt: the referee's verdict."""

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.board import BARE, Contents, HexCell, Merchants, Reading
from companion.evening import Button, Line, see_photo
from companion.session import Session
from tests.session.conftest import read_as
from tests.session.evenings import known_evenings, truths


def expected_line(photo: Any, expected: dict[str, Any]) -> dict[str, Any]:
    decides = photo.button is not Button.LOOK
    legal = expected.get("legal", True)
    kind = expected["kind"] if decides else "none"
    return {
        "photo": photo.name,
        "button": photo.button.value,
        "kind": kind,
        "player": expected.get("player") if kind in ("workshop", "turn") else None,
        "verdict": ("legal" if legal else "illegal") if decides else "none",
        "violations": expected.get("violations", []),
        **{key: expected[key] for key in ("days", "next", "over", "gold", "winners")},
        "markers": expected.get("markers", {}),
    }


def said(line: Line) -> dict[str, Any]:
    told = line.to_json()
    del told["cells"]
    return told


@pytest.mark.long
def test_perfect_readings_reproduce_every_expected_word(tables: Path) -> None:
    for evening in known_evenings(tables):
        session = Session()
        for photo, reading, expected in truths(evening):
            line = see_photo(session, evening.game, photo, reading)
            assert said(line) == expected_line(photo, expected), f"{evening.folder}: {photo.name}"
            if "cells" in expected:
                assert line.to_json()["cells"] == sorted(expected["cells"])


def covered(reading: Reading, cell: HexCell) -> Reading:
    return replace(read_as(reading, cell, contents=BARE), occluded=frozenset([cell]))


def doubted(reading: Reading, cell: HexCell, answers: tuple[Contents, ...]) -> Reading:
    return replace(read_as(reading, cell, contents=BARE, alternatives=answers), unclear=frozenset([cell]))


@pytest.mark.long
def test_a_changed_cell_covered_or_in_doubt_never_makes_a_wrong_word(tables: Path) -> None:
    """Up to three changed cells of every "done", one at a time: the right verdict, or none."""
    for evening in known_evenings(tables):
        session = Session()
        for photo, reading, expected in truths(evening):
            if photo.button is Button.DONE:
                assert session.position is not None
                held = session.position.expected()
                right = expected_line(photo, expected)
                changed = [cell for cell in reading.board.cells if reading.contents(cell) != held.get(cell, BARE)]
                for cell in changed[-3:]:
                    truth = reading.contents(cell)
                    other = Contents(truth.tile, truth.merchants + Merchants(grey=1))
                    for seen, word in (
                        (covered(reading, cell), "hidden"),
                        (doubted(reading, cell, (truth, held.get(cell, BARE))), "unclear"),
                        (doubted(reading, cell, (other, truth)), "unclear"),
                        (doubted(reading, cell, ()), "unclear"),
                    ):
                        line = see_photo(copy.copy(session), evening.game, photo, seen)
                        where = f"{evening.folder}: {photo.name}, {cell}"
                        assert line.word.verdict == word or said(line) == right, where
            see_photo(session, evening.game, photo, reading)


@pytest.mark.long
def test_a_doubt_about_one_turn_is_settled_by_the_next(tables: Path) -> None:
    """Each photograph in turn has a changed cell without an answer: from the next verdict on, all is right.

    If that turn was legal, the next press tells it as `pending`.
    """
    for evening in known_evenings(tables):
        shots = list(truths(evening))
        session = Session()
        for number, (photo, reading, expected) in enumerate(shots[:-1]):
            if photo.button is Button.DONE and expected["kind"] == "turn":
                _follow(copy.copy(session), evening, shots, number)
            see_photo(session, evening.game, photo, reading)


def _follow(session: Session, evening: Any, shots: list[Any], number: int) -> None:
    photo, reading, _ = shots[number]
    assert session.position is not None
    held = session.position.expected()
    changed = [cell for cell in reading.board.cells if reading.contents(cell) != held.get(cell, BARE)]
    if not changed:
        return
    undecided = see_photo(session, evening.game, photo, doubted(reading, changed[0], ()))
    assert undecided.word.verdict == "unclear"
    following = next(index for index in range(number + 1, len(shots)) if shots[index][0].button is Button.DONE)
    for photo, reading, expected in shots[number + 1 : following + 1]:
        line = see_photo(session, evening.game, photo, reading)
        if photo.button is Button.LOOK:
            assert line.word.verdict == "none"
            continue
        assert said_now(line) == expected_line(photo, expected), f"{shots[number][0].name} in doubt, then {photo.name}"


def said_now(line: Line) -> dict[str, Any]:
    told = said(line)
    told.pop("pending", None)
    return told
