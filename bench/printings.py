"""The result of reading printings, one by one: counts, shares with intervals by printing, tables as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import cv2
import numpy as np

from bench.comparing import Tally
from bench.disturbances import UNDISTURBED, Measurement
from bench.disturbing import DISTURBANCES
from bench.measuring import Found, measured, truth_of, truths_of
from calibration import TableFolder
from companion.board import BadInputError, Reading
from vision.tiles.trust import Trust

#: Draws of the bootstrap, and their seed: the same figures give the same interval.
_DRAWS, _SEED = 10_000, 16


@dataclass(frozen=True, slots=True)
class Printing:
    """The result of one printing's photographs; `refused`: why the table could not be read at all, else None."""

    name: str
    tally: Tally
    refused: str | None = None

    @property
    def has_silent(self) -> bool:
        """Whether anything was silently wrong, a cell or a day track."""
        return self.tally.silent + self.tally.tracks_wrong > 0

    def to_json(self) -> dict[str, Any]:
        """Return the counts."""
        counts = self.tally.brief() | {"tracks_wrong": self.tally.tracks_wrong}
        return {**counts, **({"refused": self.refused} if self.refused else {})}


@dataclass(frozen=True, slots=True)
class Shares:
    """Counts out of totals, printing by printing."""

    counts: tuple[int, ...]
    of: tuple[int, ...]

    @property
    def percent(self) -> float:
        """The share of all printings together, in per cent; 0 if nothing was counted."""
        return 100 * sum(self.counts) / sum(self.of) if sum(self.of) else 0.0

    @property
    def interval_percent(self) -> tuple[float, float]:
        """The 95 % interval for printings like these, drawn by printing: the cells of one printing err together.

        Percentile bootstrap over printings, https://en.wikipedia.org/wiki/Bootstrapping_(statistics). If nothing or
        everything counts it has no width: it knows no printings but these.
        """
        if not sum(self.of):
            return 0.0, 100.0
        counts, of = np.array(self.counts), np.array(self.of)
        drawn = np.random.default_rng(_SEED).multinomial(len(of), np.full(len(of), 1 / len(of)), size=_DRAWS)
        totals = drawn @ of
        shares = 100 * (drawn @ counts)[totals > 0] / totals[totals > 0]
        low, high = np.quantile(shares, (0.025, 0.975))
        return float(low), float(high)

    def __str__(self) -> str:
        low, high = self.interval_percent
        return f"{sum(self.counts)} of {sum(self.of)} ({self.percent:.3f} %, by printing {low:.3f} to {high:.3f})"

    def to_json(self) -> dict[str, Any]:
        """Return count, of, per cent and interval."""
        low, high = self.interval_percent
        return {
            "count": sum(self.counts),
            "of": sum(self.of),
            "percent": round(self.percent, 4),
            "bootstrap95": [round(low, 4), round(high, 4)],
        }


@dataclass(frozen=True, slots=True)
class Printings:
    """Several printings, read in one way."""

    each: tuple[Printing, ...]

    @property
    def silent(self) -> Shares:
        """Visible cells that were silently wrong."""
        return self._shares(lambda tally: tally.silent)

    @property
    def abstained(self) -> Shares:
        """Visible cells that were not spoken for."""
        return self._shares(lambda tally: tally.abstained)

    @property
    def silent_with_tracks(self) -> Shares:
        """Visible cells and day tracks that were silently wrong."""
        tallies = [one.tally for one in self.each]
        return Shares(
            tuple(tally.silent + tally.tracks_wrong for tally in tallies),
            tuple(tally.cells + tally.tracks for tally in tallies),
        )

    @property
    def with_silent(self) -> int:
        """How many printings have anything silently wrong, a cell or a day track."""
        return sum(one.has_silent for one in self.each)

    @property
    def refused(self) -> int:
        """How many could not be read at all."""
        return sum(one.refused is not None for one in self.each)

    @property
    def piled(self) -> Counter[str]:
        """The same counts of cells on which a cube stands on another or leans on it (`Tally.piled`)."""
        return sum((one.tally.piled for one in self.each), Counter[str]())

    def _shares(self, count: Callable[[Tally], int]) -> Shares:
        return Shares(tuple(count(one.tally) for one in self.each), tuple(one.tally.cells for one in self.each))

    def __str__(self) -> str:
        photos = sum(one.tally.photos for one in self.each)
        return (
            f"{len(self.each)} printings, {photos} photographs; silently wrong {self.silent}; not spoken for"
            f" {self.abstained}; with anything silently wrong {self.with_silent}; refused {self.refused}; where a cube"
            f" stands on another or leans on it: {self.piled['cells']} cells, {self.piled['silent']} silently wrong,"
            f" {self.piled['abstained']} not spoken for"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the figures, and the counts by printing."""
        return {
            "silent": self.silent.to_json(),
            "abstained": self.abstained.to_json(),
            "printings": len(self.each),
            "with_silent": self.with_silent,
            "refused": self.refused,
            "piled": dict(self.piled),
            "by_printing": {one.name: one.to_json() for one in self.each},
        }


@dataclass(frozen=True)
class Read:
    """What to read, and how; `trust` None means the shipped one.

    `with_cards` draws the wrong cells, and some of those that were not spoken for.
    """

    path: Path
    alone: bool = False
    with_cards: bool = False
    trust: Trust | None = None


def read(what: Read) -> tuple[Printing, Found]:
    """Read every photograph of a table; one that is refused has none of its visible cells spoken for."""
    cv2.setNumThreads(1)
    try:
        found = measured(what.path, what.alone, what.with_cards, what.trust, with_open=what.with_cards)
    except BadInputError as error:
        found = _unread(what.path)
        return Printing(what.path.name, found.tally, str(error)), found
    return Printing(what.path.name, found.tally), found


def disturbed(path: Path) -> dict[str, Printing]:
    """Read a table under every disturbance (bench.disturbances), by row."""
    cv2.setNumThreads(1)
    rows = {name: Found() for name in (UNDISTURBED, *(row.name for row in DISTURBANCES))}
    try:
        Measurement(path, DISTURBANCES, False, rows).run(1, 2)
    except BadInputError as error:
        return {name: Printing(path.name, _unread(path, 1).tally, str(error)) for name in rows}
    return {name: Printing(path.name, found.tally) for name, found in rows.items()}


def _unread(path: Path, first: int = 0) -> Found:
    """Return the result of a table that cannot be read, from that photograph of each sequence on."""
    table, tally = TableFolder.open(path), Tally()
    for photos in truths_of(table).values():
        for photo in photos[first:]:
            tally.add(silence(truth_of(photo, table)))
    return Found(tally=tally)


def silence(truth: Reading) -> Tally:
    """Return the counts of a photograph of which nothing was said."""
    visible, tracks = len(set(truth.board.cells) - truth.occluded), 4 - len(truth.occluded_tracks)
    return Tally(
        photos=1,
        cells=visible,
        abstained=visible,
        hidden=len(truth.occluded),
        tracks=tracks,
        tracks_abstained=tracks,
    )


Item = TypeVar("Item")
Result = TypeVar("Result")


def each(function: Callable[[Item], Result], items: Sequence[Item], jobs: int) -> Iterator[Result]:
    """Yield what the function makes of each item, in order, in that many processes."""
    if jobs == 1:
        yield from map(function, items)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(function, items)


def markdown(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table under its title.

    >>> print(markdown("Read", ["printing", "wrong"], [["t02000", 3]]))
    ## Read
    <BLANKLINE>
    | printing | wrong |
    | --- | --- |
    | t02000 | 3 |
    """
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join([f"## {title}", "", *("| " + " | ".join(map(str, line)) + " |" for line in lines)])


def by_printing(title: str, ways: Mapping[str, Printings]) -> str:
    """Return a table of the cells of each printing that each way left silently wrong or not spoken for, in per cent."""
    first = next(iter(ways.values()))
    columns = ["printing", "photographs", "cells"]
    columns += [f"{way}: {what}" for way in ways for what in ("silently wrong", "not spoken for")]
    rows = []
    for number, one in enumerate(first.each):
        tallies = [printings.each[number].tally for printings in ways.values()]
        told = [
            f"{count} ({100 * count / max(tally.cells, 1):.2f} %)"
            for tally in tallies
            for count in (tally.silent, tally.abstained)
        ]
        rows.append([one.name + (" (refused)" if one.refused else ""), one.tally.photos, one.tally.cells, *told])
    return markdown(title, columns, rows)
