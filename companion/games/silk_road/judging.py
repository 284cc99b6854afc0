"""Every reason why a set-up or a move is not allowed (codes: records/FORMAT.md, "Silk Road")."""

from __future__ import annotations

from collections.abc import Iterable

from companion.board import BadInputError, SquareCell, in_board_order
from companion.games.contract import Reason
from companion.games.silk_road.position import Ground, Move, Pass, SilkRoadPosition

MOUNTAINS = 4


def check_set_up(ground: Ground) -> tuple[Reason, ...]:
    """Return what is wrong with where snow and mountains lie, sorted by code; empty where nothing is."""
    board, snow, mountains = ground.board, ground.snow, ground.mountains
    faults = []
    if snow not in board.corners:
        faults.append(_reason("snow-corner", [snow]))
    crowded = [cell for cell in mountains if cell == snow or mountains.count(cell) > 1]
    if crowded or len(mountains) != MOUNTAINS:
        faults.append(_reason("mountain-count", crowded))
    if on_rim := [cell for cell in mountains if board.is_rim(cell)]:
        faults.append(_reason("mountain-rim", on_rim))
    if near := [cell for cell in mountains if any(board.are_neighbours(cell, other) for other in (snow, *mountains))]:
        faults.append(_reason("mountain-near", near))
    return tuple(sorted(faults, key=lambda fault: fault.code))


def judge(position: SilkRoadPosition, move: Move) -> tuple[Reason, ...]:
    """Return all reasons against the move, sorted by code; none where it is legal.

    Raises BadInputError for a player, section, square or turn that is not in this game.
    """
    if move.player not in position.colors:
        raise BadInputError(f"player {move.player} does not sit at this table ({', '.join(position.colors)} do)")
    if position.next is None:
        return (Reason("game-over"),)
    if move.player != position.next:
        return (Reason("not-your-turn", color=position.next),)
    if isinstance(move, Pass):
        return ()
    found = position.find(move.section)
    if found is None:
        raise BadInputError(f"section {move.section!r:.60} is nobody's in this game; name one by the id it was given")
    if move.cell not in position.ground.board:
        raise BadInputError(f"{move.cell!r} is no square of this board")
    if move.turn not in range(4):
        raise BadInputError(f"turn is {move.turn!r}; a section is turned by 0 to 3 quarter turns")
    faults = []
    if not position.is_open(move.cell):
        faults.append(Reason("cell-occupied", (move.cell,)))
    if not position.has_way(move.cell):
        faults.append(Reason("no-way", (move.cell,)))
    owner, _ = found
    if owner != move.player:
        faults.append(Reason("section-foreign", (move.cell,), color=owner))
    if (lies := position.place_of(move.section)) is not None:
        faults.append(Reason("section-used", (lies,)))
    return tuple(faults)


def _reason(code: str, cells: Iterable[SquareCell]) -> Reason:
    """Return a reason, its cells in board order without repeats."""
    return Reason(code, in_board_order(set(cells)))
