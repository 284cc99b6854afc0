"""A reading against the truth: wrong statements and missing ones, attribute by attribute."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from companion.board import Cell, CellReading, Color, Contents, Reading, Road, Settlement, Tile, Workshop

#: Two-sided 95 % of the normal distribution.
_Z = 1.959964


@dataclass(frozen=True, slots=True)
class Share:
    """A count out of a total, with the 95 % interval of the true share (Wilson's score interval)."""

    count: int
    of: int

    @property
    def percent(self) -> float:
        """The share in per cent; 0 if nothing was counted."""
        return 100 * self.count / self.of if self.of else 0.0

    @property
    def interval_percent(self) -> tuple[float, float]:
        """Wilson's 95 % interval in per cent; 0 to 100 if nothing was counted.

        https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval#Wilson_score_interval
        """
        if not self.of:
            return 0.0, 100.0
        share, weight = self.count / self.of, _Z * _Z / self.of
        middle = (share + weight / 2) / (1 + weight)
        half = math.sqrt(weight * (share * (1 - share) + weight / 4)) / (1 + weight)
        return 100 * max(middle - half, 0.0), 100 * min(middle + half, 1.0)

    def __str__(self) -> str:
        low, high = self.interval_percent
        return f"{self.count} of {self.of} ({self.percent:.2f} %, {low:.2f} to {high:.2f})"

    def to_json(self) -> dict[str, Any]:
        """Return count, of, per cent and interval."""
        low, high = self.interval_percent
        return {
            "count": self.count,
            "of": self.of,
            "percent": round(self.percent, 3),
            "wilson95": [round(low, 3), round(high, 3)],
        }


@dataclass(frozen=True, slots=True)
class CellError:
    """A visible cell that was spoken for wrongly; `attributes` names what is wrong."""

    cell: Cell
    read: CellReading
    truth: CellReading
    attributes: tuple[str, ...]

    @property
    def again(self) -> CellError:
        """The error without the reader's confidence, so that it equals the same error on another photograph."""
        return replace(self, read=CellReading(self.read.contents, self.read.terrain, self.read.site))


@dataclass(frozen=True, slots=True)
class TrackError:
    """A visible day track that was spoken for wrongly."""

    color: Color
    read: int | None
    truth: int | None


@dataclass
class Tally:
    """Counts over photographs. `compared` and `wrong` count attributes, each where it can be compared.

    `told` and `told_right` count visible cells, spoken for or not, by the tenth that the reading's confidence falls
    into. `piled` counts the "cells" on which a cube stands on another or leans on it. Of these, "silent" were silently
    wrong, and "abstained" were not spoken for.
    """

    photos: int = 0
    exact: int = 0
    cells: int = 0
    silent: int = 0
    abstained: int = 0
    hidden: int = 0
    hidden_spoken: int = 0
    hidden_wrong: int = 0
    tracks: int = 0
    tracks_wrong: int = 0
    tracks_abstained: int = 0
    terrain_unknown: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    told: Counter[int] = field(default_factory=Counter)
    told_right: Counter[int] = field(default_factory=Counter)
    piled: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        for name, value in vars(other).items():
            mine = getattr(self, name)
            if isinstance(mine, Counter):
                mine.update(value)
            else:
                setattr(self, name, mine + value)

    @property
    def silent_share(self) -> Share:
        """Visible cells that were spoken for wrongly."""
        return Share(self.silent, self.cells)

    @property
    def silent_share_with_tracks(self) -> Share:
        """Visible cells and day tracks that were spoken for wrongly."""
        return Share(self.silent + self.tracks_wrong, self.cells + self.tracks)

    @property
    def abstained_share(self) -> Share:
        """Visible cells that were not spoken for."""
        return Share(self.abstained, self.cells)

    @property
    def hidden_share(self) -> Share:
        """Hidden cells about which something wrong was said."""
        return Share(self.hidden_wrong, self.hidden)

    @property
    def track_share(self) -> Share:
        """Visible day tracks that were spoken for wrongly."""
        return Share(self.tracks_wrong, self.tracks)

    def brief(self) -> dict[str, int]:
        """Return only the numbers of photographs, visible cells, silently wrong ones and ones not spoken for."""
        return {"photos": self.photos, "cells": self.cells, "silent": self.silent, "abstained": self.abstained}

    def attribute_share(self, name: str) -> Share:
        """Cells on which this attribute was read wrongly."""
        return Share(self.wrong[name], self.compared[name])

    def right_by_confidence(self) -> dict[str, Share]:
        """Return how many visible cells were read right, spoken for or not, by tenths of confidence."""
        return {
            f"{tenth / 10:.1f} to {(tenth + 1) / 10:.1f}": Share(self.told_right[tenth], self.told[tenth])
            for tenth in sorted(self.told)
        }

    def to_json(self) -> dict[str, Any]:
        """Return all figures."""
        return {
            "photos": self.photos,
            "exact_boards": Share(self.exact, self.photos).to_json(),
            "silent": self.silent_share.to_json(),
            "abstained": self.abstained_share.to_json(),
            "hidden": {"spoken": self.hidden_spoken, "wrong": self.hidden_share.to_json()},
            "tracks": {"wrong": self.track_share.to_json(), "abstained": self.tracks_abstained},
            "terrain_unknown": self.terrain_unknown,
            "piled": dict(self.piled),
            "right_by_confidence": {name: share.to_json() for name, share in self.right_by_confidence().items()},
            "attributes": {name: self.attribute_share(name).to_json() for name in sorted(self.compared)},
        }


def compare(
    reading: Reading, truth: Reading, piled: Collection[Cell] = ()
) -> tuple[Tally, list[CellError], list[TrackError]]:
    """Return one photograph's counts and errors; on the cells in `piled` a cube may hide another.

    A cell is visible if the truth does not call it occluded. A visible cell is silently wrong if the reading speaks
    for it and its contents differ, or its terrain or site if that is known.
    """
    tally, errors = Tally(photos=1), list[CellError]()
    for cell in truth.board.cells:
        read, true = reading.cells.get(cell, CellReading()), truth.cells[cell]
        spoken = cell not in reading.abstained
        if cell in truth.occluded:
            tally.hidden += 1
            tally.hidden_spoken += spoken
            continue
        tally.cells += 1
        tally.piled["cells"] += cell in piled
        tenth = min(int(10 * read.confidence), 9)
        tally.told[tenth] += 1
        tally.told_right[tenth] += read.contents == true.contents
        if not spoken:
            tally.abstained += 1
            tally.piled["abstained"] += cell in piled
            continue
        tally.terrain_unknown += read.terrain is None
        wrong = []
        for name, is_right in attributes(read, true):
            tally.compared[name] += 1
            if not is_right:
                tally.wrong[name] += 1
                wrong.append(name)
        if wrong:
            tally.silent += 1
            tally.piled["silent"] += cell in piled
            errors.append(CellError(cell, read, true, tuple(wrong)))
    tally.hidden_wrong = len(words_about_hidden(reading, truth))
    tracks = list(_tracks(reading, truth, tally))
    is_exact = not (errors or tracks or tally.abstained or tally.tracks_abstained)
    tally.exact = int(is_exact)
    return tally, errors, tracks


def words_about_hidden(reading: Reading, truth: Reading) -> list[CellError]:
    """Return the hidden cells that were spoken for wrongly."""
    return [
        CellError(cell, reading.cells.get(cell, CellReading()), truth.cells[cell], ("hidden",))
        for cell in truth.board.cells
        if cell in truth.occluded - reading.abstained and reading.contents(cell) != truth.contents(cell)
    ]


def _tracks(reading: Reading, truth: Reading, tally: Tally) -> Iterator[TrackError]:
    for color in Color:
        if color in truth.occluded_tracks:
            continue
        tally.tracks += 1
        read, true = reading.tracks.get(color), truth.tracks.get(color)
        if color in reading.occluded_tracks | reading.unclear_tracks:
            tally.tracks_abstained += 1
        elif read != true:
            tally.tracks_wrong += 1
            yield TrackError(color, read, true)


def attributes(read: CellReading, truth: CellReading) -> Iterator[tuple[str, bool]]:
    """Yield each attribute that both readings have, and whether it was read right."""
    mine, true = read.contents.tile, truth.contents.tile
    yield "kind", type(mine) is type(true)
    yield "merchants", read.contents.merchants == truth.contents.merchants
    if read.terrain is not None:
        yield "terrain", read.terrain == truth.terrain
    if read.site is not None:
        yield "site", read.site == truth.site
    match mine, true:
        case Settlement(type=a), Settlement(type=b):
            yield "settlement type", a is b
        case Workshop(color=a), Workshop(color=b):
            yield "workshop color", a is b
        case Road(), Road():
            yield "road color", mine.color is true.color
            yield "road edges", mine.edges == true.edges
            yield "road terrain", mine.terrain is true.terrain


def left_open(reading: Reading, truth: Reading) -> list[CellError]:
    """Return the visible cells that the reading does not speak for, with its likeliest answer there."""
    return [
        CellError(cell, reading.cells.get(cell, CellReading()), truth.cells[cell], ("not spoken for",))
        for cell in truth.board.cells
        if cell in reading.abstained and cell not in truth.occluded
    ]


def in_words(read: CellReading) -> str:
    """Return a cell's contents and terrain in a few words."""
    return f"{_contents(read.contents)} on {read.terrain or 'unknown'}"


def _contents(contents: Contents) -> str:
    cubes = [f"{count} {color}" for color, count in contents.merchants.counts.items()]
    return " + ".join([_tile(contents.tile), *cubes])


def _tile(tile: Tile | None) -> str:
    match tile:
        case None:
            return "nothing"
        case Settlement(type=kind):
            return str(kind)
        case Workshop(color=color):
            return f"{color} workshop"
        case Road():
            return f"{tile.color} road {tile.edges[0]}-{tile.edges[1]} {tile.terrain}"
        case _:
            return str(tile)
