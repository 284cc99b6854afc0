"""Boards of hexagons and of squares: cells, names, neighbours, corners; what lies on a square."""

import math
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import (
    QUARTERS,
    SQUARE_DIRECTIONS,
    BadInputError,
    Board,
    Cell,
    HexBoard,
    HexCell,
    SquareBoard,
    SquareCell,
    by_hexagon,
    by_square,
    opposite,
)

KINDS = [HexBoard, SquareBoard]
hexagons = st.integers(1, 8).map(HexBoard)
squares = st.integers(2, 26).map(SquareBoard)
either = pytest.mark.parametrize("boards", [hexagons, squares], ids=["hexagons", "squares"])


def names(cells: Sequence[Cell]) -> str:
    return " ".join(map(str, cells))


def test_board_of_six_rings_has_127_cells_from_a1_to_m7() -> None:
    cells = HexBoard(6).cells
    assert len(cells) == 127
    assert names([cells[0], cells[63], cells[-1]]) == "A1 G7 M7"


def test_board_of_six_a_side_has_36_cells_from_a1_to_f6() -> None:
    cells = SquareBoard().cells
    assert len(cells) == 36
    assert names(cells[:7]) == "A1 A2 A3 A4 A5 A6 B1"
    assert names(cells[-2:]) == "F5 F6"


@pytest.mark.parametrize(
    ("board", "name", "cell"),
    [
        *((HexBoard(6), name, HexCell(q, r)) for name, q, r in (
            ("A1", 0, -6), ("A7", 6, -6), ("G7", 0, 0), ("M1", -6, 6), ("M7", 0, 6), ("G13", 6, 0),
        )),
        *((SquareBoard(), name, SquareCell(column, row)) for name, column, row in (
            ("A1", 0, 0), ("A6", 5, 0), ("F1", 0, 5), ("F6", 5, 5), ("C2", 1, 2),
        )),
    ],
)  # fmt: skip
def test_names_are_row_letter_and_place_as_the_format_has_them(board: Board, name: str, cell: Cell) -> None:
    assert board.cell(name) == cell
    assert str(cell) == name


@either
@given(data=st.data())
def test_every_cell_of_any_board_is_found_by_its_name(boards: st.SearchStrategy[Board], data: st.DataObject) -> None:
    board = data.draw(boards)
    assert [board.cell(str(cell)) for cell in board.cells] == list(board.cells)
    size = 3 * board.rings * (board.rings + 1) + 1 if isinstance(board, HexBoard) else board.side**2
    assert len(board.cells) == size


@pytest.mark.parametrize(
    ("board", "name"),
    [
        *((HexBoard(6), name) for name in ("A8", "N1", "g7", "", "G0", "G07", "7", "GG", "A1 ", "A" * 500)),
        *((SquareBoard(), name) for name in ("A7", "G1", "a1", "", "A0", "A01", "1", "AA", "A1 ", "A" * 500)),
    ],
)
def test_a_name_that_the_board_lacks_is_refused_by_name(board: Board, name: str) -> None:
    with pytest.raises(BadInputError, match=f"cells run from A1 to {board.cells[-1]}") as error:
        board.cell(name)
    assert error.value.code == "no-cell"
    assert len(str(error.value)) < 130


@pytest.mark.parametrize(
    ("kind", "size"),
    [(HexBoard, 0), (HexBoard, 13), (SquareBoard, 1), (SquareBoard, 27), *product(KINDS, [-1, 6.0, True, "6"])],
)
def test_a_board_of_impossible_size_is_refused(kind: type[Board], size: object) -> None:
    with pytest.raises(BadInputError, match="rings is" if kind is HexBoard else "side is"):
        kind(size)  # type: ignore[arg-type]


@either
@given(data=st.data())
def test_neighbours_see_each_other_over_opposite_edges(boards: st.SearchStrategy[Board], data: st.DataObject) -> None:
    board = data.draw(boards)
    cell = data.draw(st.sampled_from(board.cells))
    beside = dict(board.neighbours(cell))
    assert list(beside.values()) == [beyond for beyond in cell.around if beyond in board]
    for edge, beyond in beside.items():
        back = opposite(edge) if isinstance(board, HexBoard) else (edge + 4) % 8
        assert beyond.neighbour(back) == dict(board.neighbours(beyond))[back] == cell
        if isinstance(cell, HexCell):
            assert cell.distance(beyond) == 1
            assert math.dist(cell.centre, beyond.centre) == pytest.approx(math.sqrt(3))
    if isinstance(board, SquareBoard):
        assert {other for other in board.cells if board.are_neighbours(cell, other)} == set(beside.values())


def test_a_corner_has_three_neighbours_the_rim_five_the_middle_eight() -> None:
    board = SquareBoard()
    counts = {name: len(board.neighbours(board.cell(name))) for name in ("A1", "A2", "B2")}
    assert counts == {"A1": 3, "A2": 5, "B2": 8}
    assert len(SQUARE_DIRECTIONS) == 8


def test_edges_and_directions_are_numbered_anticlockwise_from_the_east() -> None:
    for edge in range(6):
        x, y = HexCell(0, 0).neighbour(edge).centre
        assert math.degrees(math.atan2(-y, x)) % 360 == pytest.approx(60 * edge)
    assert names(SquareBoard().cell("C3").around) == "C4 B4 B3 B2 C2 D2 D3 D4"


@given(hexagons, st.integers(-6, 12), st.data())
def test_turning_moves_a_centre_round_the_board(board: HexBoard, sixths: int, data: st.DataObject) -> None:
    cell = data.draw(st.sampled_from(board.cells))
    (x, y), (tx, ty), angle = cell.centre, cell.turned(sixths).centre, math.radians(60 * sixths)
    assert tx == pytest.approx(x * math.cos(angle) + y * math.sin(angle), abs=1e-9)
    assert ty == pytest.approx(y * math.cos(angle) - x * math.sin(angle), abs=1e-9)


@given(squares, st.integers(-5, 9), st.integers(0, 7), st.data())
def test_a_quarter_turn_turns_every_direction_by_two(
    board: SquareBoard, quarters: int, direction: int, data: st.DataObject
) -> None:
    cell = data.draw(st.sampled_from(board.cells))
    turned = cell.turned(quarters)
    assert turned in board
    assert cell.neighbour(direction).turned(quarters) == turned.neighbour((direction + 2 * quarters) % 8)
    assert turned.turned(-quarters) == cell


def test_corners_are_clicked_clockwise_from_the_top_left() -> None:
    assert names(HexBoard(5).corners) == "A1 A6 K6 K1"
    for side in range(2, 27):
        corners = SquareBoard(side).corners
        assert names(corners) == f"A1 A{side} {chr(ord('A') + side - 1)}{side} {chr(ord('A') + side - 1)}1"
        assert all(len(SquareBoard(side).neighbours(cell)) == 3 for cell in corners)


@given(hexagons, st.data())
def test_a_cell_shares_the_corners_of_each_edge_with_its_neighbour(board: HexBoard, data: st.DataObject) -> None:
    cell = data.draw(st.sampled_from(board.cells))
    for edge in range(6):
        beyond = cell.neighbour(edge)
        middle = [(ours + theirs) / 2 for ours, theirs in zip(cell.centre, beyond.centre, strict=True)]
        near, near_too = (
            {(round(x, 6) + 0.0, round(y, 6) + 0.0) for x, y in each.outline if math.dist((x, y), middle) < 0.51}
            for each in (cell, beyond)
        )
        assert len(near) == 2
        assert near == near_too


def test_a_squares_outline_goes_round_it_and_meets_its_neighbours() -> None:
    cell = SquareBoard().cell("B3")
    left, right = cell.neighbour(4).outline, cell.outline
    assert (left[1], left[2]) == (right[0], right[3])
    assert [sum(way) / 4 for way in zip(*cell.outline, strict=True)] == list(cell.centre)
    assert math.dist(cell.outline[0], cell.outline[1]) == QUARTERS


def test_the_rim_goes_round_the_inner_cells() -> None:
    board = SquareBoard()
    inner = [cell for cell in board.cells if not board.is_rim(cell)]
    assert names(inner) == "B2 B3 B4 B5 C2 C3 C4 C5 D2 D3 D4 D5 E2 E3 E4 E5"


def test_rows_and_columns_hold_every_cell_once_each() -> None:
    board = SquareBoard()
    assert names(board.rows[1]) == "B1 B2 B3 B4 B5 B6"
    assert names(board.columns[1]) == "A2 B2 C2 D2 E2 F2"
    for lines in (board.rows, board.columns):
        assert sorted(cell for line in lines for cell in line) == sorted(board.cells)


@pytest.mark.parametrize(
    "other",
    [SquareCell(6, 0), SquareCell(-1, 0), SquareCell(0, 0, 5), HexCell(7, 0), HexCell(0, 0, 5), (0, 0), "A1", None],
)
def test_what_is_no_cell_of_the_board_is_not_in_it(other: object) -> None:
    assert other not in SquareBoard()
    assert other not in HexBoard()


@pytest.mark.parametrize("kind", [HexCell, SquareCell])
def test_unequal_cells_print_unlike(kind: type[HexCell] | type[SquareCell]) -> None:
    assert repr(kind(1, 2)) != repr(kind(1, 2, 3))
    assert eval(repr(kind(1, 2, 8))) == kind(1, 2, 8)


def test_by_kind_leaves_out_what_lies_on_the_other_kind() -> None:
    lying: dict[Cell, str] = {HexCell(1, 0): "hexagon", SquareCell(0, 0): "square"}
    assert by_hexagon(lying) == {HexCell(1, 0): "hexagon"}
    assert by_square(lying) == {SquareCell(0, 0): "square"}
