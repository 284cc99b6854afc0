"""The deal of La Strada: the settlements as they were dealt, and what of a reading is theirs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from companion.board import (
    BARE,
    Cell,
    CellReading,
    HexBoard,
    HexCell,
    Reading,
    Road,
    Settlement,
    SettlementType,
    Workshop,
)
from companion.games.contract import Reason
from companion.games.la_strada.ground import Ground
from companion.games.la_strada.reasons import reason
from companion.games.la_strada.rules import Rules


def check_deal(rules: Rules, reading: Reading) -> tuple[Reason, ...]:
    """Return what is wrong with the settlements as dealt.

    `deal-count`: not as many of each kind as the box holds; its cells are the sites left empty and the settlements
    of kinds that are too many, its numbers the count of each kind. `deal-site`: a settlement off the sites; where a
    cell's site is not known nothing is said of it.
    """
    dealt: dict[HexCell, SettlementType] = {
        cell: read.contents.tile.type
        for cell, read in reading.cells.items()
        if isinstance(read.contents.tile, Settlement)
    }
    counts = Counter(dealt.values())
    faults = []
    if any(counts[kind] != number for kind, number in rules.settlements.items()):
        cells = [cell for cell, kind in dealt.items() if counts[kind] > rules.settlements[kind]]
        cells += [cell for cell, read in reading.cells.items() if read.site and cell not in dealt]
        faults.append(reason("deal-count", cells, {kind.value: counts[kind] for kind in rules.settlements}))
    if strays := [cell for cell in dealt if reading.cells[cell].site is False]:
        faults.append(reason("deal-site", strays))
    return tuple(faults)


def without_terrain(reading: Reading) -> tuple[Cell, ...]:
    """Return the cells whose terrain is not known, in board order."""
    return tuple(cell for cell in reading.board.cells if reading.cells.get(cell, CellReading()).terrain is None)


def ground_of(reading: Reading) -> Ground:
    """Return terrain and settlements as they were read; the board is one of hexagons."""
    assert isinstance(reading.board, HexBoard), "La Strada on a board of squares"
    terrain = {cell: read.terrain for cell, read in reading.cells.items() if read.terrain is not None}
    settlements = {
        cell: read.contents.tile.type
        for cell, read in reading.cells.items()
        if isinstance(read.contents.tile, Settlement)
    }
    return Ground(reading.board, terrain, settlements)


def without_pieces(reading: Reading) -> Reading:
    """Return the reading without workshops and roads: a deal that is read only after the first move."""
    cells = {
        cell: replace(read, contents=BARE) if isinstance(read.contents.tile, Workshop | Road) else read
        for cell, read in reading.cells.items()
    }
    return replace(reading, cells=cells)
