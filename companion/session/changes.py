"""How the table differs from the books: whose pieces are new, and what is beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from companion.board import (
    BARE,
    PLAYERS_TILES,
    Board,
    Cell,
    CellChange,
    Change,
    Contents,
    PlayerColor,
    Reading,
)
from companion.session.crowds import crowds_of


def seen_change(reading: Reading, expected: Mapping[Cell, Contents], only: PlayerColor | None = None) -> Change:
    """Return how the cells that the reading speaks for differ; `only` keeps one colour's new pieces."""
    changes = {}
    for cell in reading.board.cells:
        if cell not in reading.abstained:
            before = expected.get(cell, BARE)
            now = of_color(before, reading.contents(cell), only)
            if before != now:
                changes[cell] = CellChange(before, now)
    return Change(changes)


def of_color(before: Contents, now: Contents, only: PlayerColor | None) -> Contents:
    """Return `now` without the pieces that another player than `only` added.

    What was laid earlier and now is different stays in: it is nobody's piece.
    """
    if only is None:
        return now
    is_foreign = isinstance(now.tile, PLAYERS_TILES) and now.tile.color != only and before.tile is None
    # Fewer merchants than before are nobody's move.
    return Contents(before.tile if is_foreign else now.tile, now.merchants.least(before.merchants, but=only))


def without_doubts(change: Change, reading: Reading) -> Change:
    """Return the change without the cells that the reading does not understand, but for heaps, which were counted."""
    doubted = reading.unclear - crowds_of(reading, {}).keys()
    return replace(change, cells={cell: seen for cell, seen in change.cells.items() if cell not in doubted})


def with_others_merchants(reading: Reading, expected: Mapping[Cell, Contents], color: PlayerColor) -> Reading:
    """Return the reading with the merchants that players of other colours took away put back."""
    back = {}
    for cell, held in expected.items():
        seen = reading.contents(cell).merchants
        merchants = seen.most(held.merchants, but=color)
        if cell in reading.cells and cell not in reading.abstained and merchants != seen:
            read = reading.cells[cell]
            back[cell] = replace(read, contents=replace(read.contents, merchants=merchants))
    return replace(reading, cells={**reading.cells, **back}) if back else reading


def has_pieces_of(change: Change, color: PlayerColor) -> bool:
    """Whether the change has a new tile or cube of that colour."""
    return any(
        cell.merchants.counts.get(color, 0) > 0
        or (isinstance(cell.now.tile, PLAYERS_TILES) and cell.now.tile != cell.before.tile
            and cell.now.tile.color == color)
        for cell in change.cells.values()
    )  # fmt: skip


def near(board: Board, cells: Iterable[Cell]) -> frozenset[Cell]:
    """Return the cells and their neighbours on the board."""
    around = set(cells)
    for cell in tuple(around):
        around.update(neighbour for _, neighbour in board.neighbours(cell))
    return frozenset(around)
