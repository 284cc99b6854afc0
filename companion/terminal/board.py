"""The board in a terminal: a block of characters for each cell, the rows shifted by half a block as on the table.

Terrain is the background, and a bare cell shows its name; a settlement shows its letter and value, a workshop a house
with its owner's letter, a road a line of its owner's own kind from edge to edge, merchants their letter and number. As
on the scoreboard, nothing depends on colour alone: without colours, a sign shows the terrain.

On a square board a section has its owner's colour. In the middle are the owner's letter, the number, a knight for a
horse and a cross for a dead end, and around them an arrow for each ray. Snow and mountains are shown by their signs.
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.board import (
    BARE,
    Color,
    Contents,
    HexBoard,
    HexCell,
    LaidSection,
    Merchants,
    Mountain,
    Road,
    Settlement,
    Snow,
    SquareBoard,
    SquareCell,
    Terrain,
    Tile,
    Workshop,
)
from companion.drawing import VALUE, Looks, look_of
from companion.terminal.canvas import WHITE, Canvas, CellSize, Mark, Rgb, Style, mixed, named_colours

#: The sizes in which cells are drawn, largest first.
SIZES = (CellSize(8, 3), CellSize(6, 2), CellSize(6, 1), CellSize(4, 2), CellSize(4, 1))

#: The signs of terrain without colours.
SIGNS = {Terrain.PLAIN: "·", Terrain.FOREST: "▲", Terrain.HILL: "∧"}

#: Each owner's line: by the directions that it joins (left, right, up, down).
_JOINTS = ("lr", "ud", "rd", "ld", "ru", "lu")
LINES = {
    Color.BLACK: dict(zip(_JOINTS, "━┃┏┓┗┛", strict=True)),
    Color.GREY: dict(zip(_JOINTS, "─│╭╮╰╯", strict=True)),
    Color.YELLOW: dict(zip(_JOINTS, "╍╏┏┓┗┛", strict=True)),
    Color.RED: dict(zip(_JOINTS, "═║╔╗╚╝", strict=True)),
}


def board_size(board: HexBoard, size: CellSize) -> tuple[int, int]:
    """Return how many columns and lines the board needs, including its rim with letters and numbers."""
    across = 2 * board.rings + 1
    return across * size.columns + 2, across * size.lines + 2


def draw_board(
    canvas: Canvas,
    x: int,
    y: int,
    size: CellSize,
    board: HexBoard,
    terrain: Mapping[HexCell, Terrain],
    lies: Mapping[HexCell, Contents],
    marks: Mapping[HexCell, Mark],
    looks: Looks | None = None,
) -> None:
    """Draw the board with what lies on it; x, y are its upper left corner."""
    painter = _Painter(canvas, size, named_colours(), looks)
    rim = Style(is_dim=True)
    for cell in board.cells:
        left, top = _place(cell, size)
        left, top = x + 1 + left, y + 1 + top
        painter.cell(left, top, cell, terrain[cell], lies.get(cell, BARE), marks.get(cell))
        if abs(cell.r) == board.rings:
            number = str(cell)[1:]
            column = left + size.columns // 2 - len(number) // 2
            canvas.put(column, top - 1 if cell.r < 0 else top + size.lines, number, rim)
        middle = top + (size.lines - 1) // 2
        if cell.neighbour(3) not in board:
            canvas.put(left - 1, middle, str(cell)[0], rim)
        if cell.neighbour(0) not in board:
            canvas.put(left + size.columns, middle, str(cell)[0], rim)


def _place(cell: HexCell, size: CellSize) -> tuple[int, int]:
    """Return column and line of the cell's upper left character, from the board's."""
    across = size.columns * (cell.q + cell.rings) + size.columns // 2 * cell.r
    return across, size.lines * (cell.r + cell.rings)


class _Painter:
    def __init__(self, canvas: Canvas, size: CellSize, named: Mapping[str, Rgb], looks: Looks | None) -> None:
        self._canvas, self._size, self._named, self._looks = canvas, size, named, looks

    def cell(self, x: int, y: int, cell: HexCell, terrain: Terrain, lies: Contents, mark: Mark | None) -> None:
        """Draw one cell: its ground, the tile on it, the merchants, and the bars that mark it."""
        named = self._named
        # There are three shades, so that no two neighbours share one: they show where a cell ends.
        ground = mixed(named[terrain], WHITE, 0.12 * ((cell.q - cell.r) % 3))
        match lies.tile:
            case Road(color=color) as road:
                tile = _tile(ground, named[color])
                self._fill(x, y, tile)
                self._road(x, y, road, tile)
            case Settlement(type=kind):
                self._fill(x, y, named["plate"])
                self._label(x, y, f"{kind.value[0].upper()}{VALUE[kind]}", named["icon"], named["plate"])
            case Workshop(color=color):
                self._fill(x, y, named[color])
                self._label(x, y, f"⌂{look_of(color, self._looks).letter}", named[f"on-{color}"], named[color])
            case None:
                self._fill(x, y, ground)
                self._bare(x, y, cell, terrain, ground)
        self._merchants(x, y, lies)
        if mark is not None:
            self._canvas.bar(x, y, self._size, mark)

    def _fill(self, x: int, y: int, bg: Rgb) -> None:
        for line in range(self._size.lines):
            self._canvas.put(x, y + line, " " * self._size.columns, Style(bg=bg))

    def _bare(self, x: int, y: int, cell: HexCell, terrain: Terrain, ground: Rgb) -> None:
        ink = Style(self._named[f"{terrain}-ink"], ground)
        name, sign, columns, lines = str(cell), SIGNS[terrain], self._size.columns, self._size.lines
        if lines == 1:
            self._canvas.put(x, y, f"{name:>{columns // 2 + 1}}{sign}", ink)
            return
        signs = " ".join([sign] * (columns // 3))
        self._canvas.put(x + (columns - len(signs)) // 2, y, signs, ink)
        self._canvas.put(x + (columns - len(name) + 1) // 2, y + lines // 2, name, ink)

    def _label(self, x: int, y: int, label: str, fg: Rgb, bg: Rgb) -> None:
        at = 0 if self._size.lines == 1 else (self._size.columns - len(label)) // 2
        self._canvas.put(x + at, y, label, Style(fg, bg, is_bold=True))

    def _road(self, x: int, y: int, road: Road, bg: Rgb) -> None:
        ink = Style(self._named[road.color], bg, is_bold=True)
        for (column, line), joint in joints(road.edges, self._size).items():
            self._canvas.put(x + column, y + line, LINES[road.color][joint], ink)

    def _merchants(self, x: int, y: int, lies: Contents) -> None:
        size, is_place = self._size, isinstance(lies.tile, Settlement | Workshop)
        left = 2 if size.lines == 1 and is_place else 0  # beside the label, else below it
        rows = range(1, 3) if size.lines == 3 else range(size.lines - 1, size.lines)
        fitting = _fitting(lies.merchants, len(rows), size.columns - left, self._looks)
        for line, chips in zip(rows, fitting, strict=True):
            gap = int(sum(len(text) + 1 for _, text in chips) <= size.columns - left + 1)
            width = sum(len(text) + gap for _, text in chips) - gap
            # They are at the end of a single line, else in the middle.
            at = x + size.columns - width if size.lines == 1 else x + (size.columns - width + 1) // 2
            for color, text in chips:
                at = gap + self._canvas.put(at, y + line, text, self._chip(color, lies))

    def _chip(self, color: Color | None, lies: Contents) -> Style:
        """Return the style of a number of merchants: in its owner's colours, inverted on a workshop."""
        if color is None:
            return Style(self._named["icon"], self._named["plate"], is_bold=True)
        owner, on_owner = self._named[color], self._named[f"on-{color}"]
        if isinstance(lies.tile, Workshop):
            owner, on_owner = on_owner, owner
        return Style(on_owner, owner, is_bold=True)


def joints(edges: tuple[int, int], size: CellSize) -> Mapping[tuple[int, int], str]:
    """Return the characters of a road's line, each with the directions it joins: from one edge's middle to the other's.

    The line runs along the middle line of the cell, and up or down if it leaves by a slanting edge: a quarter of the
    cell's columns from its side, where the next row's cell continues it.
    """
    middle, last = (size.lines - 1) // 2, size.lines - 1
    near, far = size.columns // 4, 3 * size.columns // 4
    ends = {0: size.columns - 1, 1: far, 2: near, 3: 0, 4: near, 5: far}
    left, right = sorted(ends[edge] for edge in edges)
    joined: dict[tuple[int, int], set[str]] = {}

    def join(column: int, line: int, directions: str) -> None:
        joined.setdefault((column, line), set()).update(directions)

    for column in range(left, right + 1):
        join(column, middle, "lr" if left < column < right else "")
    if left < right:
        join(left, middle, "r")
        join(right, middle, "l")
    for edge in edges:
        column = ends[edge]
        if edge in (0, 3):
            join(column, middle, "r" if edge == 0 else "l")
            continue
        join(column, middle, "u" if edge in (1, 2) else "d")
        for line in range(middle) if edge in (1, 2) else range(middle + 1, last + 1):
            join(column, line, "ud")
    return {at: "".join(side for side in "lrud" if side in directions) for at, directions in joined.items()}


def _tile(ground: Rgb, owner: Rgb) -> Rgb:
    """Return a background for a road tile on which its owner's line stands out: dark behind a light one."""
    return mixed(ground, (32, 38, 48), 0.76) if sum(owner) > 3 * 128 else mixed(ground, (255, 253, 244), 0.6)


_Chips = list[tuple[Color | None, str]]


def _fitting(merchants: Merchants, rows: int, columns: int, looks: Looks | None) -> list[_Chips]:
    """Return the merchants of each colour as letter and number, in rows of that many columns.

    If there is not enough room, letters are left out where a number is enough; next, every colour has one character,
    with a plus for ten or more; and last, there is only the total number.
    """
    counts = {color: count for color, count in merchants.counts.items() if count > 0}
    letters = {color: look_of(color, looks).letter for color in counts}
    full = [f"{letters[color]}{count if count > 1 else ''}" for color, count in counts.items()]
    short = [str(count) if count > 1 else letters[color] for color, count in counts.items()]
    single = [text if len(text) == 1 else text[0] if text.isalpha() else "+" for text in short]
    for texts in (full, short, single):
        packed = _packed([*zip(counts, texts, strict=True)], rows, columns)
        if sum(map(len, packed)) == len(counts):
            return packed
    return _packed([(None, f"×{sum(counts.values())}"[-columns:])], rows, columns)


def _packed(chips: _Chips, rows: int, columns: int) -> list[_Chips]:
    waiting, packed = list(chips), list[_Chips]()
    for _ in range(rows):
        row: _Chips = []
        while waiting and sum(len(text) for _, text in [*row, waiting[0]]) <= columns:
            row.append(waiting.pop(0))
        packed.append(row)
    return packed


#: The sizes in which squares are drawn, largest first.
SQUARE_SIZES = (CellSize(9, 3), CellSize(8, 3), CellSize(6, 1))

#: The signs of snow, mountains, a horse and a dead end.
SNOW, MOUNTAIN, HORSE, DEAD_END = "*", "▲", "♞", "×"

#: The arrows of the rays, 0 to the right, anticlockwise.
ARROWS = "→↗↑↖←↙↓↘"


def square_board_size(board: SquareBoard, size: CellSize) -> tuple[int, int]:
    """Return how many columns and lines the board needs, including its letters and numbers."""
    return board.side * (size.columns + 1) + 2, board.side * size.lines + 1


def draw_square_board(
    canvas: Canvas,
    x: int,
    y: int,
    size: CellSize,
    board: SquareBoard,
    lies: Mapping[SquareCell, Contents],
    marks: Mapping[SquareCell, Mark],
    looks: Looks | None = None,
) -> None:
    """Draw the board with what lies on it; x, y are its upper left corner."""
    named, rim = named_colours(), Style(is_dim=True)
    for cell in board.cells:
        left, top = x + 2 + cell.column * (size.columns + 1), y + 1 + cell.row * size.lines
        if cell.row == 0:
            canvas.put(left + size.columns // 2, y, str(cell)[1:], rim)
        if cell.column == 0:
            canvas.put(x, top + size.lines // 2, str(cell)[0], rim)
        tile = lies.get(cell, BARE).tile
        style, text = _styled(cell, tile, named, looks)
        for line in range(size.lines):
            canvas.put(left, top + line, " " * size.columns, style)
        middle = left + max(0, (size.columns - len(text)) // 2)
        canvas.put(middle, top + size.lines // 2, text[: size.columns], style)
        if isinstance(tile, LaidSection) and size.lines == 3:
            _arrows(canvas, left, top, size, tile, style)
        if (mark := marks.get(cell)) is not None:
            canvas.bar(left, top, size, mark)


def _styled(cell: SquareCell, tile: Tile | None, named: Mapping[str, Rgb], looks: Looks | None) -> tuple[Style, str]:
    """Return the colours of a square, and the characters in its middle."""
    match tile:
        case LaidSection():
            look = look_of(tile.color, looks)
            return Style(named[f"on-{look.name}"], named[look.name], is_bold=True), _said(tile, look.letter)
        case Snow():
            return Style(named["ice-ink"], named["ice"], is_bold=True), SNOW * 3
        case Mountain():
            return Style(named["rock-ink"], named["rock"], is_bold=True), MOUNTAIN * 3
        case _:
            return Style(named["frame"], named["sand" if (cell.column + cell.row) % 2 == 0 else "sand-too"]), str(cell)


def _said(laid: LaidSection, letter: str) -> str:
    """Return the characters in the middle of a section."""
    printed = laid.section
    horse, end = HORSE if printed.has_horse else "", DEAD_END if printed.is_dead_end else ""
    return f"{letter}{printed.number or ''}{horse}{end}"


def _arrows(canvas: Canvas, x: int, y: int, size: CellSize, laid: LaidSection, style: Style) -> None:
    columns = (0, size.columns // 2, size.columns - 1)
    places = ((2, 1), (2, 0), (1, 0), (0, 0), (0, 1), (0, 2), (1, 2), (2, 2))
    for ray in laid.rays:
        column, line = places[ray]
        canvas.put(x + columns[column], y + line, ARROWS[ray], style)
