"""The start, a move judged with every reason against it, and the position that it makes (records/FORMAT.md).

What a real table shows is judged too: a deal, and a change of the board as the move of the player in turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from companion.board import (
    BadInputError,
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
from companion.games.contract import Player, Reason, reason
from companion.games.silk_road.position import Ground, Move, Pass, Placement, SilkRoadPosition

MOUNTAINS = 4


def check_set_up(ground: Ground) -> tuple[Reason, ...]:
    """Return what is wrong with where snow and mountains are, sorted by code; empty if nothing is."""
    board, snow, mountains = ground.board, ground.snow, ground.mountains
    faults = []
    if snow not in board.corners:
        faults.append(reason("snow-corner", [snow]))
    crowded = [cell for cell in mountains if cell == snow or mountains.count(cell) > 1]
    if crowded or len(mountains) != MOUNTAINS:
        faults.append(reason("mountain-count", crowded))
    if on_rim := [cell for cell in mountains if board.is_rim(cell)]:
        faults.append(reason("mountain-rim", on_rim))
    if near := [cell for cell in mountains if any(board.are_neighbours(cell, other) for other in (snow, *mountains))]:
        faults.append(reason("mountain-near", near))
    return tuple(sorted(faults, key=lambda fault: fault.code))


def judge(position: SilkRoadPosition, move: Move) -> tuple[Reason, ...]:
    """Return all reasons against the move, sorted by code; none if it is legal.

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
    section = position.find(move.section)
    if section is None:
        raise BadInputError(f"section {move.section!r:.60} is nobody's in this game; name one by the id it was given")
    if move.cell not in position.ground.board:
        raise BadInputError(f"{move.cell!r} is not a square of this board")
    if move.turn not in range(4):
        raise BadInputError(f"turn is {move.turn!r}; a section is turned by 0 to 3 quarter turns")
    faults = []
    if not position.is_open(move.cell):
        faults.append(Reason("cell-occupied", (move.cell,)))
    if not position.has_way(move.cell):
        faults.append(Reason("no-way", (move.cell,)))
    owner, _ = section
    if owner != move.player:
        faults.append(Reason("section-foreign", (move.cell,), color=owner))
    faults += [
        Reason("section-used", (cell,)) for cell, laid in position.laid.items() if laid.section.id == move.section
    ]
    return tuple(faults)


#: Rules: 1 to 4 players.
SEATS = range(1, 5)


def check_players(players: Sequence[Player]) -> None:
    """Raise BadInputError if there are too many or too few players, or two have the same colour."""
    colors = [player.color for player in players]
    if len(players) not in SEATS:
        raise BadInputError(
            f"{len(players)} players: Silk Road is for {SEATS[0]} to {SEATS[-1]}",
            "seats", players=len(players), seats=tuple(SEATS),
        )  # fmt: skip
    if len(set(colors)) < len(colors):
        raise BadInputError(
            f"the players' colours are {', '.join(colors)}; each player should have their own", "same-color"
        )


def play(position: SilkRoadPosition, move: Move) -> SilkRoadPosition:
    """Return the position after a legal move."""
    if isinstance(move, Pass):
        after = replace(position, passed=position.passed | {move.player})
    else:
        held = position.find(move.section)
        assert held is not None
        color, section = held
        after = replace(
            position, laid={**position.laid, move.cell: LaidSection(section, color, move.turn).least_turned}
        )
    return next_turn(after, position.colors.index(move.player))


def next_turn(position: SilkRoadPosition, seat: int) -> SilkRoadPosition:
    """Return the position with the turn of the next player after that seat who still plays; if nobody can, it is over.

    Ways are the same for all players, so nobody can place once none is open.
    """
    clockwise = [*position.colors[seat + 1 :], *position.colors[: seat + 1]]
    left = position.sections_left if position.open_ways else {}
    playing = (color for color in clockwise if left.get(color) and color not in position.passed)
    return replace(position, next=next(playing, None))


def check_deal(reading: Reading) -> tuple[Reason, ...]:
    """Return what is wrong with snow and mountains as dealt; if there is not exactly one snow, only that."""
    ground = ground_of(reading)
    if ground is None:
        return (Reason("snow-corner", _cells_of(reading, Snow)),)
    return check_set_up(ground)


def ground_of(reading: Reading) -> Ground | None:
    """Return where snow and mountains are; None if there is not exactly one snow, or the board has no squares."""
    snow, board = _cells_of(reading, Snow), reading.board
    if len(snow) != 1 or not isinstance(board, SquareBoard):
        return None
    return Ground(snow[0], _cells_of(reading, Mountain), board)


def disturbed(change: Change) -> tuple[Reason, ...]:
    """Return what was there before the move and is now gone, turned or something else, sorted by code.

    `tile-removed`: a section is gone; `tile-changed`: another one is there, or it was turned; `ground-changed`: snow or
    a mountain was moved. A section on the snow or on a mountain lies on top of it: that is part of the move.
    """
    faults: dict[str, list[SquareCell]] = {}
    for cell, changed in by_square(change.cells).items():
        match changed.before.tile, changed.now.tile:
            case (LaidSection(), None):
                faults.setdefault("tile-removed", []).append(cell)
            case (LaidSection(), _):
                faults.setdefault("tile-changed", []).append(cell)
            case (Snow() | Mountain(), None | Snow() | Mountain()) | (_, Snow() | Mountain()):
                faults.setdefault("ground-changed", []).append(cell)
    return tuple(Reason(code, in_board_order(faults[code])) for code in sorted(faults))


def seen_move(position: SilkRoadPosition, change: Change) -> tuple[Move | None, tuple[Reason, ...]]:
    """Return the move that the table shows: a new section, or else a pass; None and the reasons if it is neither.

    `section-many`: more than one was laid; `section-unknown`: one that nobody was given in this game.
    """
    player = position.next
    assert player is not None, "a game that is over has no moves"
    cells = by_square(change.cells)
    laid = {cell: changed.now.tile for cell, changed in cells.items() if isinstance(changed.now.tile, LaidSection)}
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
