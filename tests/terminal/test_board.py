"""The board in characters: where cells, roads and merchants are, and that no size loses any of them."""

import itertools

import pytest

from companion.board import (
    EDGE_PAIRS,
    Color,
    Contents,
    HexBoard,
    HexCell,
    Merchants,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Workshop,
    opposite,
)
from companion.terminal import SIZES, Canvas, CellSize, Ink, Mark, board_size, draw_board
from companion.terminal.board import LINES, joints

BOARD = HexBoard(2)
TERRAIN = {cell: list(Terrain)[index % 3] for index, cell in enumerate(BOARD.cells)}
CITY = Settlement(SettlementType.CITY)
sizes = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size.columns}x{size.lines}")


def drawn(
    size: CellSize, lies: dict[str, Contents] | None = None, marks: dict[str, Mark] | None = None, ink: Ink = Ink.NONE
) -> list[str]:
    canvas = Canvas(*board_size(BOARD, size))
    contents = {BOARD.cell(name): lying for name, lying in (lies or {}).items()}
    marked = {BOARD.cell(name): mark for name, mark in (marks or {}).items()}
    draw_board(canvas, 0, 0, size, BOARD, TERRAIN, contents, marked)
    return list(canvas.text(ink))


def plain(line: str) -> str:
    """Return the line without its escape sequences."""
    return "".join(part.partition("m")[2] if place else part for place, part in enumerate(line.split("\x1b[")))


def block(lines: list[str], cell: HexCell, size: CellSize) -> list[str]:
    """Return the characters of one cell."""
    x = 1 + size.columns * (cell.q + cell.rings) + size.columns // 2 * cell.r
    y = 1 + size.lines * (cell.r + cell.rings)
    return [plain(line).ljust(200)[x : x + size.columns] for line in lines[y : y + size.lines]]


def test_a_small_board_without_colours() -> None:
    lies = {
        "A1": Contents(Workshop(Color.BLACK)),
        "A2": Contents(Road(Color.BLACK, Terrain.FOREST, (0, 3))),
        "A3": Contents(CITY, Merchants(black=1, red=2)),
        "B4": Contents(Road(Color.RED, Terrain.PLAIN, (2, 4))),
        "C4": Contents(Road(Color.RED, Terrain.PLAIN, (1, 4))),
        "D3": Contents(Road(Color.RED, Terrain.PLAIN, (1, 3))),
        "D2": Contents(Settlement(SettlementType.HAMLET), Merchants(red=1)),
    }
    assert [plain(line).rstrip() for line in drawn(CellSize(6, 2), lies)] == [
        "          1     2     3",
        "      A  ⌂B  ━━━━━━  C5  A",
        "                    B R2",
        "   B · ·   ▲ ▲   ∧ ∧   ║    B",
        "      B1    B2    B3   ║",
        "C ▲ ▲   ∧ ∧   · ·   ╔══╝  ∧ ∧  C",
        "   C1    C2    C3   ║      C5",
        "   D · ·    H2  ════╝  · ·  D",
        "      D1     R          D4",
        "      E ▲ ▲   ∧ ∧   · ·  E",
        "         E1    E2    E3",
        "          1     2     3",
    ]


@sizes
def test_every_bare_cell_shows_its_name_and_its_terrain(size: CellSize) -> None:
    lines = drawn(size)
    signs = {Terrain.PLAIN: "·", Terrain.FOREST: "▲", Terrain.HILL: "∧"}
    for cell in BOARD.cells:
        shown = "\n".join(block(lines, cell, size))
        assert str(cell) in shown.replace(signs[TERRAIN[cell]], " ").split()
        assert signs[TERRAIN[cell]] in shown


@sizes
@pytest.mark.parametrize("edges", EDGE_PAIRS, ids=str)
def test_a_road_goes_on_in_the_next_cell_where_it_left_the_one_before(size: CellSize, edges: tuple[int, int]) -> None:
    cell = HexBoard(2).cell("C3")
    for edge in edges:
        beyond = cell.neighbour(edge)
        onward = next(pair for pair in EDGE_PAIRS if opposite(edge) in pair)
        assert touching(ends(cell, edges, edge, size), ends(beyond, onward, opposite(edge), size))


def ends(cell: HexCell, edges: tuple[int, int], edge: int, size: CellSize) -> tuple[int, int]:
    """Return where on the board the road's last character towards that edge is."""
    side = {0: "r", 1: "u", 2: "u", 3: "l", 4: "d", 5: "d"}[edge]
    reach = {"r": (1, 0), "l": (-1, 0), "u": (0, -1), "d": (0, 1)}[side]
    found = joints(edges, size)
    (at,) = [
        (column, line)
        for (column, line), joint in found.items()
        if side in joint and (column + reach[0], line + reach[1]) not in found
    ]
    left = size.columns * (cell.q + cell.rings) + size.columns // 2 * cell.r
    return left + at[0], size.lines * (cell.r + cell.rings) + at[1]


def touching(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


@sizes
def test_every_line_has_a_character_and_no_two_owners_the_same_line(size: CellSize) -> None:
    for edges in EDGE_PAIRS:
        lines = {
            "".join(block(drawn(size, {"C3": Contents(Road(color, Terrain.PLAIN, edges))}), BOARD.cell("C3"), size))
            for color in Color
        }
        assert len(lines) == len(Color), edges
        assert set(joints(edges, size).values()) <= LINES[Color.RED].keys()


@pytest.mark.parametrize("tile", [CITY, Workshop(Color.RED)], ids=["city", "workshop"])
@pytest.mark.parametrize(
    ("size", "merchants", "shown"),
    [
        (SIZES[0], Merchants(black=12, red=12), "B12 R12"),
        (SIZES[0], Merchants(black=12, grey=12, yellow=12, red=12), "B12 G12 Y12 R12"),
        (SIZES[1], Merchants(black=12, red=12), "B12R12"),
        (SIZES[1], Merchants(black=1, grey=1, yellow=1, red=1), "BGYR"),
        (SIZES[1], Merchants(black=2, grey=3, yellow=4, red=5), "2345"),
        (SIZES[2], Merchants(red=12), "R12"),
        (SIZES[2], Merchants(black=12, red=3), "B12R3"),
        (SIZES[2], Merchants(black=12, red=12), "1212"),
        (SIZES[3], Merchants(black=12, red=12), "1212"),
        (SIZES[4], Merchants(black=2, red=12), "2+"),
        (SIZES[4], Merchants(black=1, grey=1, red=1), "×3"),
    ],
)
def test_up_to_twelve_merchants_of_each_colour_are_told(
    size: CellSize, merchants: Merchants, shown: str, tile: Settlement | Workshop
) -> None:
    cell = BOARD.cell("C3")
    lines = " ".join(block(drawn(size, {"C3": Contents(tile, merchants)}), cell, size))
    label = "C5" if tile is CITY else "⌂R"
    if size == SIZES[2] and shown == "B12R3":
        shown = "123"  # the label leaves four columns
    assert label in lines
    assert shown.replace(" ", "") in lines.replace(" ", "").replace(label, "")


def test_a_marked_cell_is_barred_left_and_right_in_the_colour_of_the_word_on_it() -> None:
    cell = BOARD.cell("C3")
    for mark, colour in ((Mark.LEGAL, "48;2;14;122;61"), (Mark.ILLEGAL, "48;2;208;17;31")):
        lines = drawn(CellSize(6, 2), marks={"C3": mark}, ink=Ink.TRUE)
        marked = [line for line in lines if colour in line]
        assert len(marked) == 2
        assert all(line.count(colour) == 2 for line in marked)
        assert block(lines, cell, CellSize(6, 2)) == block(drawn(CellSize(6, 2)), cell, CellSize(6, 2))


def test_without_colours_a_mark_is_reversed() -> None:
    assert sum(line.count("\x1b[7m") for line in drawn(CellSize(6, 2), marks={"C3": Mark.LEGAL})) == 4


def test_no_two_neighbours_have_the_same_ground() -> None:
    canvas = Canvas(*board_size(BOARD, CellSize(6, 2)))
    draw_board(canvas, 0, 0, CellSize(6, 2), BOARD, dict.fromkeys(BOARD.cells, Terrain.HILL), {}, {})
    for line in canvas.text(Ink.TRUE)[1:-1]:
        grounds = [part.partition("m")[0] for part in line.split("\x1b[") if "48;2" in part]
        cells = [ground for ground, _ in itertools.groupby(ground.partition("48;2")[2] for ground in grounds)]
        assert len(cells) >= 3
