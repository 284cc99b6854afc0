"""The deal: what lies on the board when a game begins becomes its ground, or is refused, or cannot be read yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from companion.board import BARE, CellReading, HexCell, Reading, Road, Settlement, Workshop
from companion.games.contract import Ground, Reason, RuleSet

#: More combinations of doubtful settlements than this are not tried.
MOST_TRIALS = 256


@dataclass(frozen=True, slots=True)
class Refused:
    """The settlements are not right."""

    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Cells on which the deal depends are covered, or not understood."""

    cells: tuple[HexCell, ...]
    hidden: bool


def read_deal(rules: RuleSet, reading: Reading) -> Ground | Refused | Unreadable:
    """Return the ground of a new game.

    The box holds so many settlements of each kind, all on sites: where some cells are in doubt, the likeliest
    answers that make a right deal are taken. Only a refusal that no doubt could lift is given.
    """
    without_terrain = [cell for cell in reading.board.cells if _terrain_is_unknown(reading, cell)]
    if without_terrain:
        covered = any(cell in reading.occluded for cell in without_terrain)
        return Unreadable(tuple(without_terrain), covered)
    for answer in _answers(reading):
        if not rules.check_deal(answer):
            return _ground(answer)
    if reading.abstained:
        cells = sorted(reading.abstained, key=lambda cell: (cell.r, cell.q))
        return Unreadable(tuple(cells), bool(reading.occluded))
    return Refused(rules.check_deal(reading))


def deal_as_it_lies(reading: Reading) -> Ground | None:
    """Return the ground of a deal that was refused or doubtful, but on which people went on to play.

    Cells in doubt hold the reader's likeliest answer. None where the terrain of a cell is not known.
    """
    if any(_terrain_is_unknown(reading, cell) for cell in reading.board.cells):
        return None
    likeliest = {
        cell: replace(read, contents=read.alternatives[0])
        for cell, read in reading.cells.items()
        if cell in reading.unclear and read.alternatives
    }
    return _ground(replace(reading, cells={**reading.cells, **likeliest}))


def has_workshop(reading: Reading) -> bool:
    """Whether a workshop stands on the board: people have begun to play."""
    return any(isinstance(read.contents.tile, Workshop) for read in reading.cells.values())


def without_pieces(reading: Reading) -> Reading:
    """Return the reading without workshops and roads: a deal that is read only after the first move."""
    cells = {
        cell: replace(read, contents=BARE) if isinstance(read.contents.tile, Workshop | Road) else read
        for cell, read in reading.cells.items()
    }
    return replace(reading, cells=cells)


def _terrain_is_unknown(reading: Reading, cell: HexCell) -> bool:
    return reading.cells.get(cell, CellReading()).terrain is None


def _answers(reading: Reading) -> Iterator[Reading]:
    """Yield the reading as it is, then with the alternatives of the unclear cells, likeliest first."""
    yield reading
    options = {
        cell: reading.cells[cell].alternatives
        for cell in sorted(reading.unclear)
        if cell in reading.cells and reading.cells[cell].alternatives
    }
    if not options or prod(len(answers) for answers in options.values()) > MOST_TRIALS:
        return
    ranks = product(*(range(len(answers)) for answers in options.values()))
    for rank in sorted(ranks, key=sum):
        chosen = {
            cell: replace(reading.cells[cell], contents=answers[index])
            for (cell, answers), index in zip(options.items(), rank, strict=True)
        }
        yield replace(reading, cells={**reading.cells, **chosen})


def _ground(reading: Reading) -> Ground:
    terrain = {cell: read.terrain for cell, read in reading.cells.items() if read.terrain is not None}
    settlements = {
        cell: read.contents.tile.type
        for cell, read in reading.cells.items()
        if isinstance(read.contents.tile, Settlement)
    }
    return Ground(reading.board, terrain, settlements)
