"""The board as SVG: terrain, settlements, roads, merchants and marks, in shapes and colours of our own.

A square board has the same parts (companion.drawing.squares). Units: a hexagon's side is 20. Colours come from classes
in `board.css`, so one drawing serves light and dark. It contains no text that people typed. Nothing depends on colour
alone: terrain has a pattern; settlements have a shape, their value and a plate that is darker the more they are worth;
roads have a line in their owner's own rhythm; workshops have the owner's letter, and merchants the owner's shape.

Two kinds of parts can be tapped, or reached by the arrow keys: the board's cells, by name, and the sides of one cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise

from companion.board import (
    Board,
    Cell,
    Color,
    Contents,
    HexBoard,
    HexCell,
    LaidSection,
    Merchants,
    Mountain,
    Road,
    Settlement,
    SettlementType,
    Snow,
    SquareBoard,
    SquareCell,
    Terrain,
    Workshop,
    in_board_order,
)
from companion.drawing import squares
from companion.drawing.looks import Looks, look_of, two
from companion.games.la_strada import STANDARD

SIDE = 20.0
HALF_WIDTH = SIDE * math.sqrt(3) / 2

#: Gold for a merchant who stands alone (rules, "Score").
VALUE = {kind: STANDARD.rules.value(kind, 1) for kind in SettlementType}

#: The middle of each edge, from the cell's centre.
EDGE_MIDDLES = tuple(
    (HALF_WIDTH * math.cos(math.radians(60 * edge)), -HALF_WIDTH * math.sin(math.radians(60 * edge)))
    for edge in range(6)
)

#: Merchants: a disc's height, what each further character adds to its width, and how wide a row of discs may be.
DISC, CHARACTER, ROW = 12.6, 2.6, 36.0

#: The height of their row, and of two rows if one is not enough.
ONE_ROW, TWO_ROWS = (9.5,), (-0.5, 12.1)


def view_box(board: Board) -> str:
    """Return the SVG viewBox that holds the board and its row letters."""
    if isinstance(board, SquareBoard):
        return squares.square_view_box(board)
    half_width = HALF_WIDTH * (2 * board.rings + 1)
    half_height = SIDE * (1.5 * board.rings + 1)
    return f"{-half_width - 16:.0f} {-half_height - 6:.0f} {2 * half_width + 20:.0f} {2 * half_height + 10:.0f}"


@lru_cache(maxsize=4)
def _ground(board: HexBoard, terrain: tuple[tuple[HexCell, Terrain], ...]) -> str:
    by_terrain: dict[Terrain, list[HexCell]] = {kind: [] for kind in Terrain}
    for cell, kind in terrain:
        by_terrain[kind].append(cell)
    parts = []
    for kind, cells in by_terrain.items():
        outline = "".join(hexagon(cell) for cell in cells)
        parts.append(f'<path class="{kind}" d="{outline}"/><path fill="url(#p-{kind})" d="{outline}"/>')
    unknown = set(board.cells) - {cell for cell, _ in terrain}
    if unknown:
        parts.append(f'<path class="unknown" d="{"".join(hexagon(cell) for cell in sorted(unknown))}"/>')
    grid = "".join(hexagon(cell) for cell in board.cells)
    letters = "".join(_row_letter(cell) for cell in board.cells if cell.neighbour(3) not in board)
    return f'{"".join(parts)}<path class="grid" d="{grid}"/>{letters}'


def ground(board: Board, terrain: Mapping[Cell, Terrain]) -> str:
    """Return the board without anything on it; cells of unknown terrain are drawn blank."""
    if isinstance(board, SquareBoard):
        return squares.square_ground(board)
    return _ground(board, tuple(terrain.items()))


def pieces(contents: Mapping[Cell, Contents], looks: Looks | None = None) -> str:
    """Return the pieces on the board, lowest first: roads, then settlements and workshops, then merchants.

    `looks` are those of the players, if the table chose what their colours are called.
    """
    ordered = sorted(contents.items(), key=lambda item: (not isinstance(item[1].tile, Road), item[0]))
    return "".join(f'<g transform="translate({_xy(cell)})">{_piece(lies, looks)}</g>' for cell, lies in ordered)


def laid(contents: Mapping[Cell, Contents], looks: Looks | None = None) -> str:
    """Return pieces that have not been judged yet: paler, each in a dashed outline."""
    outlines = "".join(
        f'<use href="#{shape(cell)}" class="unjudged" transform="translate({_xy(cell)})"/>' for cell in sorted(contents)
    )
    return f'<g class="laid">{pieces(contents, looks)}</g>{outlines}' if contents else ""


#: The marks for a verdict's cells (`marks`), the same as in the words next to the board; other cells are not marked.
VERDICT_MARKS = {
    "legal": "legal", "accepted": "ask", "illegal": "illegal", "unfinished": "ask",
    "unclear": "ask", "hidden": "ask", "reread": "corrected", "corrected": "corrected",
}  # fmt: skip


def marks(cells: Iterable[Cell], kind: str) -> str:
    """Return an outline round each cell; `kind` is its class (illegal, ask, ...).

    The cells show their names too, except with the kinds "legal" and "last" (the last move): nothing is wrong there.
    """
    name = '<g class="name"><rect x="-12" y="-6" width="24" height="12" rx="6"/><text y="3.2">{}</text></g>'
    name = "" if kind in ("legal", "last") else name
    return "".join(
        f'<g class="mark {kind}" transform="translate({_xy(cell)})"><use href="#{shape(cell)}"/>{name.format(cell)}</g>'
        for cell in in_board_order(cells)
    )


def shape(cell: Cell) -> str:
    """Return the id of the cell's outline in the shapes: "hex" or "square"."""
    return "square" if isinstance(cell, SquareCell) else "hex"


def hexagon(cell: HexCell) -> str:
    """Return the cell's outline as SVG path data."""
    x, y = centre(cell)
    w, h = HALF_WIDTH, SIDE / 2
    return f"M{x:.1f} {y - SIDE:.0f}l{w:.2f} {h:g}v{SIDE:g}l{-w:.2f} {h:g}l{-w:.2f} {-h:g}v{-SIDE:g}z"


def road_path(road: Road) -> str:
    """Return the line from edge to edge, a bend rounded through the middle, as SVG path data."""
    (ax, ay), (bx, by) = (EDGE_MIDDLES[edge] for edge in road.edges)
    return f"M{ax:.1f} {ay:.1f}Q0 0 {bx:.1f} {by:.1f}"


def centre(cell: Cell) -> tuple[float, float]:
    """Return the cell's centre in the drawing's units, (right, down) from the board's."""
    x, y = cell.centre
    return unit(cell) * x, unit(cell) * y


def unit(cell: Cell) -> float:
    """Return the size of one unit of that cell's board plane in the drawing's units."""
    return squares.UNIT if isinstance(cell, SquareCell) else SIDE


def _xy(cell: Cell) -> str:
    x, y = centre(cell)
    return f"{x:.1f} {y:.0f}"


def _row_letter(cell: HexCell) -> str:
    x, y = centre(cell)
    return f'<text class="row" x="{x - HALF_WIDTH - 7:.1f}" y="{y + 3:.0f}">{str(cell)[0]}</text>'


def _piece(contents: Contents, looks: Looks | None) -> str:
    match contents.tile:
        case Road() as road:
            line = road_path(road)
            tile = (
                f'<use href="#hex" class="tile {road.color}"/><path class="casing {road.color}" d="{line}"/>'
                f'<path class="road {road.color}" d="{line}"/><path class="rhythm {road.color}" d="{line}"/>'
            )
        case Settlement(type=kind):
            tile = _settlement(kind, rows=len(_rows(contents.merchants, looks)))
        case Workshop(color=color):
            y = 2 if contents.merchants else 7
            letter = look_of(color, looks).letter
            tile = f'<g class="workshop {color}"><use href="#workshop"/><text{two(letter)} y="{y}">{letter}</text></g>'
        case LaidSection(color=color) as section:
            tile = squares.section(section, look_of(color, looks))
        case Snow():
            tile = squares.snow()
        case Mountain():
            tile = squares.mountain()
        case None:
            tile = ""
    return tile + _merchants(contents.merchants, looks)


def _settlement(kind: SettlementType, rows: int) -> str:
    """Return its plate, icon and value; two rows of merchants leave room only for its value."""
    plate = f'<use href="#hex" class="plate {kind}"/>'
    if rows == 2:
        return f'{plate}<text class="value {kind}" y="-7.5">{VALUE[kind]}</text>'
    if rows == 1:
        icon = f'<use href="#{kind}" class="icon {kind}" transform="translate(-4 -5.5) scale(.72)"/>'
        return f'{plate}{icon}<text class="value {kind}" x="9.5" y="-2">{VALUE[kind]}</text>'
    icon = f'<use href="#{kind}" class="icon {kind}" transform="translate(0 -4)"/>'
    return f'{plate}{icon}<text class="value {kind}" y="14.5">{VALUE[kind]}</text>'


def _merchants(merchants: Merchants, looks: Looks | None) -> str:
    rows = _rows(merchants, looks)
    heights = TWO_ROWS if len(rows) == 2 else ONE_ROW
    return "".join(_row(row, y) for row, y in zip(rows, heights, strict=False))


def _rows(merchants: Merchants, looks: Looks | None) -> list[list[tuple[Color, str]]]:
    """Return the merchants of each row, with their labels; four, or large heaps, need two rows."""
    discs = [
        (color, f"{look_of(color, looks).letter}{count if count > 1 else ''}")
        for color, count in merchants.counts.items()
        if count > 0
    ]
    if sum(_width(label) for _, label in discs) > 1.1 * ROW:
        return [discs[: (len(discs) + 1) // 2], discs[(len(discs) + 1) // 2 :]]
    return [discs] if discs else []


def _row(discs: list[tuple[Color, str]], y: float) -> str:
    """Return merchants side by side; three stand a little closer."""
    widths = [_width(label) for _, label in discs]
    squeeze = min(1.0, ROW / sum(widths))
    x, drawn = -squeeze * sum(widths) / 2, []
    for (color, label), width in zip(discs, widths, strict=True):
        shape = (
            f'<use href="#o-{color}"/>'
            if label.isalpha()
            else f'<rect x="{-width / 2:.1f}" y="{-DISC / 2}" width="{width:.1f}" height="{DISC}" rx="{DISC / 2}"/>'
        )
        drawn.append(
            f'<g class="merchant {color}" transform="translate({x + squeeze * width / 2:.1f} {y})">'
            f'{shape}<text{two(label)} y="2.9">{label}</text></g>'
        )
        x += squeeze * width
    return "".join(drawn)


def _width(label: str) -> float:
    return DISC + CHARACTER * (len(label) - 1)


@lru_cache(maxsize=4)
def targets(board: Board) -> str:
    """Return each cell's outline, without colour, as a button; the arrow keys start at the middle one."""
    middle = board.cells[len(board.cells) // 2]
    parts = []
    for cell in board.cells:
        x, y = centre(cell)
        parts.append(
            f'<use href="#{shape(cell)}" class="target" role="button" tabindex="{0 if cell == middle else -1}"'
            f' aria-label="{cell}" data-cell="{cell}" transform="translate({x:.1f} {y:.0f})"/>'
        )
    return "".join(parts)


def sides() -> list[tuple[str, str]]:
    """Return, for each edge of a cell, the wedge from its middle to that side and the side itself, as SVG path data."""
    corners = [
        (SIDE * math.cos(math.radians(60 * corner - 30)), -SIDE * math.sin(math.radians(60 * corner - 30)))
        for corner in range(7)
    ]
    drawn = []
    for (ax, ay), (bx, by) in pairwise(corners):
        side = f"{ax:.2f} {ay:.2f}L{bx:.2f} {by:.2f}"
        drawn.append((f"M0 0L{side}Z", f"M{side}"))
    return drawn
