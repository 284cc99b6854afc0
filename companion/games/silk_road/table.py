"""What a real table shows, judged: a deal, and a change of the board as the move of the player in turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.board import (
    Change,
    Contents,
    LaidSection,
    Mountain,
    Reading,
    Snow,
    SquareBoard,
    SquareCell,
    by_square,
    in_board_order,
)
from companion.games.contract import Reason
from companion.games.silk_road.position import Ground, Move, Pass, Placement, SilkRoadPosition
from companion.games.silk_road.turns import check_set_up


def check_deal(reading: Reading) -> tuple[Reason, ...]:
    """Return what is wrong with snow and mountains as dealt; where there is not one snow, that alone."""
    ground = ground_of(reading)
    if ground is None:
        return (Reason("snow-corner", _cells_of(reading, Snow)),)
    return check_set_up(ground)


def ground_of(reading: Reading) -> Ground | None:
    """Return where snow and mountains lie; None where there is not one snow, or the board is none of squares."""
    snow, board = _cells_of(reading, Snow), reading.board
    if len(snow) != 1 or not isinstance(board, SquareBoard):
        return None
    return Ground(snow[0], _cells_of(reading, Mountain), board)


def disturbed(change: Change) -> tuple[Reason, ...]:
    """Return what lay there before the move and is now gone, turned or something else, sorted by code.

    `tile-removed`: a section is gone; `tile-changed`: another one lies there, or it was turned; `ground-changed`: snow
    or a mountain was moved. A section on the snow or on a mountain lies on top of it: that is part of the move.
    """
    found: dict[str, list[SquareCell]] = {}
    for cell, seen in by_square(change.cells).items():
        match seen.before.tile, seen.now.tile:
            case (LaidSection(), None):
                found.setdefault("tile-removed", []).append(cell)
            case (LaidSection(), _):
                found.setdefault("tile-changed", []).append(cell)
            case (Snow() | Mountain(), None | Snow() | Mountain()) | (_, Snow() | Mountain()):
                found.setdefault("ground-changed", []).append(cell)
    return tuple(Reason(code, in_board_order(found[code])) for code in sorted(found))


def seen_move(position: SilkRoadPosition, change: Change) -> tuple[Move | None, tuple[Reason, ...]]:
    """Return the move that the table shows, a section where none lay, or else a pass; None and why where it is none.

    `section-many`: more than one was laid; `section-unknown`: one that nobody was given in this game.
    """
    player = position.next
    assert player is not None, "a game that is over has no moves"
    cells = by_square(change.cells)
    laid = {cell: seen.now.tile for cell, seen in cells.items() if isinstance(seen.now.tile, LaidSection)}
    if unknown := [cell for cell, each in laid.items() if position.find(each.section.id) != (each.color, each.section)]:
        return None, (Reason("section-unknown", in_board_order(unknown)),)
    if len(laid) > 1:
        return None, (Reason("section-many", in_board_order(laid)),)
    for cell, each in laid.items():
        return Placement(player, each.section.id, cell, each.turn), ()
    return Pass(player), ()


def otherwise(position: SilkRoadPosition, before: Contents, now: Contents) -> Iterator[tuple[Contents, int]]:
    """Yield other readings of a cell, each with its rank: the books', the section turned, another one of the player."""
    yield before, 0
    laid = now.tile
    if not isinstance(laid, LaidSection) or before.tile is not None or position.next is None:
        return
    for turn in range(1, 4):
        yield Contents(replace(laid, turn=(laid.turn + turn) % 4).least_turned), 1
    for other in position.hand(position.next):
        for turn in range(4):
            yield Contents(replace(other, turn=turn).least_turned), 2 if turn == laid.turn else 3


def _cells_of(reading: Reading, kind: type[Snow] | type[Mountain]) -> tuple[SquareCell, ...]:
    return tuple(
        cell
        for cell in reading.board.cells
        if isinstance(cell, SquareCell) and isinstance(reading.contents(cell).tile, kind)
    )
