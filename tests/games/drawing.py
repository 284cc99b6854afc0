"""Small boards and what is laid on them, in a few words, for the tests of the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from companion.board import Color, HexBoard, HexCell, Merchants, Road, SettlementType, Terrain
from companion.games.contract import Illegal, Legal, Player, Reason, Unfinished, Verdict
from companion.games.la_strada import STANDARD, Ground, LaStrada, LaStradaPosition, Move, Placement, Turn

BLACK, GREY, YELLOW, RED = Color

#: A cell of the small board (`ground`) by its name.
cell = HexBoard(3).cell


def ground(settlements: Mapping[str, str], rings: int = 3, **terrain: str) -> Ground:
    """A board of plain except for the named cells: `ground({"C2": "city"}, forest="A1 A2")`."""
    board = HexBoard(rings)
    kinds = dict.fromkeys(board.cells, Terrain.PLAIN)
    for kind, names in terrain.items():
        kinds |= {board.cell(name): Terrain(kind) for name in names.split()}
    return Ground(board, kinds, {board.cell(name): SettlementType(kind) for name, kind in settlements.items()})


def placements(on: Ground, workshops: Mapping[Color, str]) -> list[Placement]:
    """The workshops placed in seat order: each player's first, then each player's second."""
    rounds = zip(*(names.split() for names in workshops.values()), strict=True)
    return [Placement(color, on.board.cell(name)) for row in rounds for color, name in zip(workshops, row, strict=True)]


def begin(
    on: Ground,
    workshops: Mapping[Color, str],
    options: Mapping[str, object] | None = None,
    rules: LaStrada = STANDARD,
) -> LaStradaPosition:
    """The position once the workshops stand."""
    position = rules.start(on, [Player(color.value.title(), color) for color in workshops], options or {})
    for placement in placements(on, workshops):
        position = after(position, placement)
    return position


def path(on: Ground, color: Color, names: str) -> dict[HexCell, Road]:
    """Tiles of the right terrain on the inner cells of a way: `path(on, BLACK, "D1 D2 D3")` is a straight one on D2."""
    cells = [on.board.cell(name) for name in names.split()]
    tiles = {}
    for before, cell, beyond in zip(cells, cells[1:], cells[2:], strict=False):
        edges = sorted(edge for edge in range(6) if cell.neighbour(edge) in (before, beyond))
        tiles[cell] = Road(color, on.terrain[cell], (edges[0], edges[1]))
    return tiles


def turn(on: Ground, color: Color, *ways: str, cubes: str = "", **changes: Mapping[Color, int]) -> Turn:
    """A turn that lays ways and one own cube on each cell of `cubes`; `changes` are other changes of cubes, by cell."""
    tiles: dict[HexCell, Road] = {}
    for way in ways:
        tiles |= path(on, color, way)
    merchants = {on.board.cell(name): Merchants.of({color: 1}) for name in cubes.split()}
    merchants |= {on.board.cell(name): Merchants.of(change) for name, change in changes.items()}
    return Turn(color, tiles, merchants)


def save(color: Color) -> Turn:
    """An empty turn: the days are saved."""
    return Turn(color)


def with_tile(move: Turn, cell: HexCell, tile: Road) -> Turn:
    """The turn with another tile on that cell, or with one tile more."""
    return replace(move, tiles={**move.tiles, cell: tile})


def after(position: LaStradaPosition, move: Move) -> LaStradaPosition:
    """The position after a move that must be legal."""
    verdict = LaStrada(position.rules).judge_move(position, move)
    assert isinstance(verdict, Legal), verdict
    assert isinstance(verdict.after, LaStradaPosition)
    return verdict.after


def reasons_in(verdict: Verdict) -> tuple[Reason, ...]:
    """The reasons that a verdict gives; none if the move is legal."""
    match verdict:
        case Illegal(reasons=found) | Unfinished(missing=found):
            return found
        case _:
            return ()


def reasons(position: LaStradaPosition, move: Move) -> tuple[Reason, ...]:
    """The reasons against a move; none if it is legal."""
    return reasons_in(LaStrada(position.rules).judge_move(position, move))


def codes(position: LaStradaPosition, move: Move) -> list[str]:
    """The codes of the reasons against a move."""
    return [reason.code for reason in reasons(position, move)]


def faults(position: LaStradaPosition, move: Move) -> dict[str, str]:
    """The codes of the reasons against a move, each with the names of its cells."""
    return {reason.code: names(reason) for reason in reasons(position, move)}


def only(found: Sequence[Reason], code: str) -> Reason:
    """The only reason there is, which must have that code."""
    assert [reason.code for reason in found] == [code]
    return found[0]


def names(reason: Reason) -> str:
    """The names of the reason's cells."""
    return " ".join(str(cell) for cell in reason.cells)
