"""A game's pictures in the form of a table's photographs (tables/FORMAT.md), to be read and studied again.

Beside each picture is what was read in it. Where people said otherwise, their word is there instead, and `corrections`
has what had been read. `ruled` is the companion's verdict on that press: nobody knows yet whether it was right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion.board import BARE, Board, Cell, CellReading, Contents, Reading, reading_from_json, reading_to_json
from companion.board.notation import contents_to_json
from companion.events import CellCorrected, GameDealt
from companion.logbook.archive import Archive, Photo
from companion.session.answers import Corrections
from companion.verdicts import move_of


@dataclass(frozen=True, slots=True)
class Photograph:
    """One picture of a game: its JPEG, the button as an evening's game.json has it, and the JSON beside it."""

    path: Path
    button: str
    truth: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Shown:
    photo: Photo
    notes: dict[str, Any]
    reading: Reading
    words: dict[Cell, Contents]


def photographs(archive: Archive, game: int, board: Board) -> tuple[Photograph, ...]:
    """Return the pictures of a game that still exist, oldest first, with people's words entered.

    Raises BadInputError if a picture's reading is lost.
    """
    events = [(entry.number, entry.event) for entry in archive.events(game)]
    photographs = []
    for shown in _corrected(archive, game, board):
        at_once = [event for number, event in events if shown.photo.first <= number <= shown.photo.last]
        moves = [move for event in at_once if (move := move_of(event)) is not None]
        is_deal = any(isinstance(event, GameDealt) for event in at_once)
        ruled = [
            {
                "kind": move.kind,
                "player": None if move.player is None else str(move.player),
                "verdict": move.verdict,
                "violations": sorted({reason.code for reason in move.reasons}),
            }
            for move in moves
        ]
        button = "deal" if is_deal else "done" if moves else "look"
        photographs.append(
            Photograph(shown.photo.path, button, {**_truth(shown), "ruled": ruled, "at": shown.photo.at})
        )
    return tuple(photographs)


def _corrected(archive: Archive, game: int, board: Board) -> Iterator[_Shown]:
    """Yield each picture with the words that hold in it: said then, still holding, or said right after it."""
    words = [(entry.number, entry.event) for entry in archive.events(game) if isinstance(entry.event, CellCorrected)]
    corrections, last = Corrections(), None
    for photo in archive.photos(game):
        notes = photo.notes
        reading = reading_from_json(notes, board)
        corrections = corrections.standing(reading)
        for number, event in words:
            if photo.first <= number <= photo.last:
                corrections = corrections.with_word(event.cell, event.contents, reading)
                if last is not None and _is_read_alike(event.cell, last.reading, reading):
                    last.words[event.cell] = event.contents
        if last is not None:
            yield last
        last = _Shown(photo, notes, reading, {cell: word.contents for cell, word in corrections.said.items()})
    if last is not None:
        yield last


def _is_read_alike(cell: Cell, one: Reading, other: Reading) -> bool:
    return one.contents(cell) == other.contents(cell) and (cell in one.abstained) == (cell in other.abstained)


def _truth(shown: _Shown) -> dict[str, Any]:
    reading, words = shown.reading, shown.words
    cells = {
        cell: replace(
            reading.cells.get(cell, CellReading()),
            contents=contents,
            confidence=1.0,
            alternatives=(),
            shares=(),
            further=(),
        )
        for cell, contents in words.items()
    }
    corrected = replace(
        reading,
        cells={**reading.cells, **cells},
        occluded=reading.occluded - words.keys(),
        unclear=reading.unclear - words.keys(),
    )
    read = {cell: reading.cells[cell].contents if cell in reading.cells else BARE for cell in words}
    return {
        **reading_to_json(corrected),
        "centres": shown.notes.get("centres", {}),
        "corrections": {
            str(cell): {"read": contents_to_json(read[cell]), "said": contents_to_json(contents)}
            for cell, contents in words.items()
        },
    }
