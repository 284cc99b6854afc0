"""A reading against the truth: what was said wrongly, what was left unsaid, attribute by attribute."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from companion.board import CellReading, Color, Contents, HexCell, Reading, Road, Settlement, Tile, Workshop

#: Two-sided 95 % of the normal distribution.
_Z = 1.959964


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many, with the interval in which the true share lies at 95 % (Wilson's score interval)."""

    count: int
    of: int

    @property
    def percent(self) -> float:
        """The share in per cent; 0 of nothing is 0."""
        return 100 * self.count / self.of if self.of else 0.0

    @property
    def interval_percent(self) -> tuple[float, float]:
        """Wilson's 95 % interval in per cent; of nothing, everything is possible.

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
    """A visible cell that was spoken for and is not so; `attributes` names what is wrong."""

    cell: HexCell
    read: CellReading
    truth: CellReading
    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrackError:
    """A visible day track that was spoken for and is not so."""

    color: Color
    read: int | None
    truth: int | None


@dataclass
class Tally:
    """Counts over photographs. `compared` and `wrong` count attributes, each where it can be compared."""

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

    def add(self, other: Tally) -> None:
        """Count what another tally counted too."""
        for name, value in vars(other).items():
            mine = getattr(self, name)
            if isinstance(mine, Counter):
                mine.update(value)
            else:
                setattr(self, name, mine + value)

    @property
    def silent_share(self) -> Share:
        """Visible cells that were spoken for and are not so."""
        return Share(self.silent, self.cells)

    @property
    def abstained_share(self) -> Share:
        """Visible cells that were not spoken for."""
        return Share(self.abstained, self.cells)

    def to_json(self) -> dict[str, Any]:
        """Return all figures."""
        return {
            "photos": self.photos,
            "exact_boards": Share(self.exact, self.photos).to_json(),
            "silent": self.silent_share.to_json(),
            "abstained": self.abstained_share.to_json(),
            "hidden": {"cells": self.hidden, "spoken": self.hidden_spoken, "wrong": self.hidden_wrong},
            "tracks": {"compared": self.tracks, "wrong": self.tracks_wrong, "abstained": self.tracks_abstained},
            "terrain_unknown": self.terrain_unknown,
            "attributes": {
                name: {"wrong": self.wrong[name], "of": self.compared[name]} for name in sorted(self.compared)
            },
        }


def compare(reading: Reading, truth: Reading) -> tuple[Tally, list[CellError], list[TrackError]]:
    """Return one photograph's counts and errors.

    A cell is visible where the truth does not call it occluded. A visible cell is silently wrong where the reading
    speaks for it and its contents differ, or its terrain where that is known.
    """
    tally, errors = Tally(photos=1), []
    for cell in truth.board.cells:
        read, true = reading.cells.get(cell, CellReading()), truth.cells[cell]
        spoken = cell not in reading.abstained
        if cell in truth.occluded:
            tally.hidden += 1
            tally.hidden_spoken += spoken
            tally.hidden_wrong += spoken and read.contents != true.contents
            continue
        tally.cells += 1
        if not spoken:
            tally.abstained += 1
            continue
        tally.terrain_unknown += read.terrain is None
        wrong = []
        for name, is_right in attributes(read, true):
            tally.compared[name] += 1
            if not is_right:
                tally.wrong[name] += 1
                wrong.append(name)
        if read.contents != true.contents or read.terrain not in (None, true.terrain):
            tally.silent += 1
            errors.append(CellError(cell, read, true, tuple(wrong)))
    tracks = list(_tracks(reading, truth, tally))
    is_exact = not (errors or tracks or tally.abstained or tally.tracks_abstained)
    tally.exact = int(is_exact)
    return tally, errors, tracks


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
    """Yield each attribute that both speak of, and whether it is read right."""
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
