"""The result of reading photographs whose truth is known: counts, and every wrong cell by name."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.comparing import CellError, Share, Tally, TrackError, compare, in_words, left_open, words_about_hidden
from bench.sheets import card
from calibration import BoardView, TableFolder, align, load_photo
from companion.board import Board, Cell, HexBoard, Reading, by_hexagon, reading_from_json
from companion.cli.watch import begins_bare, sequences_of
from vision.reader import Reader
from vision.tiles.trust import Trust

Image = NDArray[np.uint8]

#: What notes say of cells on which a cube may hide another from above.
_PILED = "a cube stands on or leans against another at "
#: One in this many cells that were not spoken for is drawn.
_DRAWN_OF = 5


def seen_empty(table: TableFolder) -> tuple[Image, Reading, BoardView]:
    """Return the empty board of a table of hexagons: its photograph, its truth, and where the board is in it."""
    setup, (image, truth) = table.setup, table.load_empty()
    assert isinstance(setup.board, HexBoard), "a board of hexagons"
    clicks = by_hexagon(setup.clicks)
    return image, truth, align(image, clicks, setup.board.rings, setup.tracks, setup.lens, as_clicked=True)


@dataclass(frozen=True, slots=True)
class Photo:
    """Where a photograph comes from: its table, its sequence there, its file's name."""

    table: str
    sequence: str
    name: str

    def __str__(self) -> str:
        return f"{self.table}/{self.sequence}/{self.name}"


@dataclass
class Found:
    """Counts, and the wrong cells: how each was read on which photographs.

    `cards` are pictures of the wrong cells. With `with_open`, `open_cards` has those that were not spoken for, each
    once; one in `_DRAWN_OF` has its picture, as there may be thousands.
    """

    with_cards: bool = False
    tally: Tally = field(default_factory=Tally)
    cells: dict[tuple[str, str, CellError], list[str]] = field(default_factory=dict)
    hidden: dict[tuple[str, str, CellError], list[str]] = field(default_factory=dict)
    tracks: list[tuple[Photo, TrackError]] = field(default_factory=list)
    cards: list[Image] = field(default_factory=list)
    with_open: bool = False
    open_cards: dict[tuple[str, str, CellError], Image | None] = field(default_factory=dict)
    distinct: set[tuple[str, str, Cell]] = field(default_factory=set)
    lost: int = 0
    seconds: float = 0.0

    def note(
        self,
        photo: Photo,
        reading: Reading,
        truth: Reading,
        image: Image,
        view: BoardView,
        piled: Collection[Cell] = (),
    ) -> None:
        """Count one photograph's reading, and draw a card of each error that is new; `piled`: as in `compare`."""
        tally, errors, tracks = compare(reading, truth, piled)
        assert isinstance(truth.board, HexBoard), "squares are measured by bench.sections"
        self.tally.add(tally)
        self.distinct |= {(photo.table, photo.sequence, cell) for cell in truth.board.cells}
        for kept, found in ((self.cells, errors), (self.hidden, words_about_hidden(reading, truth))):
            for error in found:
                key = photo.table, photo.sequence, error.again
                if self.with_cards and key not in kept:
                    where = f"{photo}{' (hidden)' if kept is self.hidden else ''}"
                    self.cards.append(card(image, view, truth.board, error, where))
                kept.setdefault(key, []).append(photo.name)
        self.tracks += [(photo, error) for error in tracks]
        for error in left_open(reading, truth) if self.with_open else ():
            # The same contents, still in doubt, are one case, whatever the reader said each time.
            key = photo.table, photo.sequence, replace(error, read=error.truth)
            if key not in self.open_cards:
                is_drawn = len(self.open_cards) % _DRAWN_OF == 0
                where = f"{photo} (not spoken for)"
                self.open_cards[key] = card(image, view, truth.board, error, where) if is_drawn else None

    @property
    def distinct_wrong(self) -> Share:
        """Cells of a table, each counted once in a sequence, that were silently wrong on any photograph of it."""
        return Share(len({(table, sequence, error.cell) for table, sequence, error in self.cells}), len(self.distinct))

    def add(self, other: Found) -> None:
        """Add what another one found."""
        self.tally.add(other.tally)
        self.cards += other.cards
        self.open_cards |= other.open_cards
        for mine, theirs in ((self.cells, other.cells), (self.hidden, other.hidden)):
            for key, names in theirs.items():
                mine.setdefault(key, []).extend(names)
        self.tracks += other.tracks
        self.distinct |= other.distinct
        self.lost += other.lost
        self.seconds += other.seconds

    def to_json(self) -> dict[str, Any]:
        """Return the figures."""
        return {
            **self.tally.to_json(),
            "distinct_cells_wrong": self.distinct_wrong.to_json(),
            "board_lost": self.lost,
            "seconds": round(self.seconds, 1),
        }

    def print_errors(self, most: int | None = None) -> None:
        """Print a line for each distinct wrong cell and track; beyond `most` only how many more there are."""
        lines = [
            f"  {table}/{sequence} {error.cell}: read {in_words(error.read)}, is {in_words(error.truth)}"
            f" ({', '.join(error.attributes)}); {len(photos)} photographs, first {photos[0]}"
            for kept in (self.cells, self.hidden)
            for (table, sequence, error), photos in kept.items()
        ]
        lines += [f"  {photo} {track.color} track: read {track.read}, is {track.truth}" for photo, track in self.tracks]
        for line in lines[:most]:
            print(line)
        if most is not None and len(lines) > most:
            print(f"  and {len(lines) - most} more")


def truths_of(table: TableFolder) -> Mapping[str, list[Path]]:
    """Return the photographs of each sequence that have truth, in order."""
    return {
        name: [photo for photo in photos if photo.with_suffix(".json").exists()]
        for name, photos in sequences_of(table).items()
    }


def truth_of(photo: Path, table: TableFolder) -> Reading:
    """Return what the photograph shows."""
    return reading_from_json(json.loads(photo.with_suffix(".json").read_text()), table.setup.board)


def piled_in(photo: Path, board: Board) -> frozenset[Cell]:
    """Return the cells of a rendered photograph on which a cube stands on another or leans on it, as its notes say."""
    notes = json.loads(photo.with_suffix(".json").read_text()).get("notes", [])
    places = [note.removeprefix(_PILED) for note in notes if note.startswith(_PILED)]
    return frozenset(board.cell(name) for named in places for name in named.split(", "))


def measured(
    path: Path, alone: bool = False, with_cards: bool = False, trust: Trust | None = None, with_open: bool = False
) -> Found:
    """Return the result of reading every photograph of a table that has truth, in order; `trust`: None as shipped."""
    table, found = TableFolder.open(path), Found(with_cards, with_open=with_open)
    reader = Reader.of(table, trust)
    for sequence, photos in truths_of(table).items():
        reader.new_game(is_dealt=begins_bare(sequence) and not alone)
        for photo in photos:
            if alone:
                reader.new_game(is_dealt=False)
            image = load_photo(photo, table.setup.size_px)
            began_s = time.perf_counter()
            reading = reader.read(image)
            found.seconds += time.perf_counter() - began_s
            found.lost += reader.lost is not None
            at = Photo(path.name, sequence, photo.name)
            piled = piled_in(photo, table.setup.board)
            found.note(at, reading, truth_of(photo, table), image, reader.view, piled)
            print(f"\r{at} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found
