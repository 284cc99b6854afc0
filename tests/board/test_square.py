import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import QUARTERS, SQUARE_DIRECTIONS, BadInputError, HexCell, SquareBoard, SquareCell, by_square

boards = st.integers(2, 26).map(SquareBoard)


def names(cells: object) -> str:
    assert isinstance(cells, tuple)
    return " ".join(map(str, cells))


def test_board_of_six_a_side_has_36_cells_from_a1_to_f6() -> None:
    cells = SquareBoard().cells
    assert len(cells) == 36
    assert names(cells[:7]) == "A1 A2 A3 A4 A5 A6 B1"
    assert names(cells[-2:]) == "F5 F6"


@pytest.mark.parametrize(
    ("name", "column", "row"), [("A1", 0, 0), ("A6", 5, 0), ("F1", 0, 5), ("F6", 5, 5), ("C2", 1, 2)]
)
def test_names_are_row_letter_and_column(name: str, column: int, row: int) -> None:
    assert SquareBoard().cell(name) == SquareCell(column, row)
    assert str(SquareCell(column, row)) == name


@given(boards)
def test_every_cell_of_any_board_is_found_by_its_name(board: SquareBoard) -> None:
    assert [board.cell(str(cell)) for cell in board.cells] == list(board.cells)
    assert len(board.cells) == board.side**2


@pytest.mark.parametrize("name", ["A7", "G1", "a1", "", "A0", "A01", "1", "AA", "A1 ", "A" * 500])
def test_a_name_that_the_board_lacks_is_refused_by_name(name: str) -> None:
    with pytest.raises(BadInputError, match="cells run from A1 to F6") as error:
        SquareBoard().cell(name)
    assert error.value.code == "no-cell"
    assert len(str(error.value)) < 130


@pytest.mark.parametrize("side", [1, 27, -1, 6.0, True, "6"])
def test_a_board_of_impossible_size_is_refused(side: object) -> None:
    with pytest.raises(BadInputError, match="side is"):
        SquareBoard(side)  # type: ignore[arg-type]


def test_directions_go_anticlockwise_from_the_east() -> None:
    middle = SquareBoard().cell("C3")
    assert names(tuple(middle.neighbour(direction) for direction in range(8))) == "C4 B4 B3 B2 C2 D2 D3 D4"


@given(boards, st.data())
def test_neighbours_see_each_other_in_opposite_directions(board: SquareBoard, data: st.DataObject) -> None:
    cell = data.draw(st.sampled_from(board.cells))
    beside = dict(board.neighbours(cell))
    for direction, near in beside.items():
        assert near.neighbour((direction + 4) % 8) == cell
        assert dict(board.neighbours(near))[(direction + 4) % 8] == cell
    assert {other for other in board.cells if board.are_neighbours(cell, other)} == set(beside.values())
    missing = {cell.neighbour(direction) for direction in range(8)} - set(beside.values())
    assert not any(each in board for each in missing)


def test_a_corner_has_three_neighbours_the_rim_five_the_middle_eight() -> None:
    board = SquareBoard()
    counts = {name: len(board.neighbours(board.cell(name))) for name in ("A1", "A2", "B2")}
    assert counts == {"A1": 3, "A2": 5, "B2": 8}
    assert len(SQUARE_DIRECTIONS) == 8


def test_the_rim_goes_round_the_inner_cells() -> None:
    board = SquareBoard()
    inner = tuple(cell for cell in board.cells if not board.is_rim(cell))
    assert names(inner) == "B2 B3 B4 B5 C2 C3 C4 C5 D2 D3 D4 D5 E2 E3 E4 E5"


@given(boards)
def test_corners_go_clockwise_from_the_top_left(board: SquareBoard) -> None:
    assert [(cell.column > 0, cell.row > 0) for cell in board.corners] == [
        (False, False), (True, False), (True, True), (False, True),
    ]  # fmt: skip
    assert all(len(board.neighbours(cell)) == 3 for cell in board.corners)


def test_rows_and_columns_hold_every_cell_once_each() -> None:
    board = SquareBoard()
    assert names(board.rows[1]) == "B1 B2 B3 B4 B5 B6"
    assert names(board.columns[1]) == "A2 B2 C2 D2 E2 F2"
    for lines in (board.rows, board.columns):
        assert sorted(cell for line in lines for cell in line) == sorted(board.cells)


@given(boards, st.integers(-5, 9), st.integers(0, 7), st.data())
def test_a_quarter_turn_turns_every_direction_by_two(
    board: SquareBoard, quarters: int, direction: int, data: st.DataObject
) -> None:
    cell = data.draw(st.sampled_from(board.cells))
    turned = cell.turned(quarters)
    assert turned in board
    assert cell.neighbour(direction).turned(quarters) == turned.neighbour((direction + 2 * quarters) % 8)
    assert turned.turned(-quarters) == cell


@pytest.mark.parametrize("other", [SquareCell(6, 0), SquareCell(-1, 0), SquareCell(0, 0, 5), (0, 0), "A1", None])
def test_what_is_no_cell_of_the_board_is_not_in_it(other: object) -> None:
    assert other not in SquareBoard()


def test_a_cell_s_outline_goes_round_it_and_meets_its_neighbours() -> None:
    cell = SquareBoard().cell("B3")
    left, right = cell.neighbour(4).outline, cell.outline
    assert (left[1], left[2]) == (right[0], right[3])
    assert [sum(way) / 4 for way in zip(*cell.outline, strict=True)] == list(cell.centre)
    assert math.dist(cell.outline[0], cell.outline[1]) == QUARTERS


def test_unequal_cells_print_unlike() -> None:
    assert repr(SquareCell(1, 2)) != repr(SquareCell(1, 2, 8))
    assert eval(repr(SquareCell(1, 2, 8))) == SquareCell(1, 2, 8)


@given(boards, st.data())
def test_around_a_cell_are_its_neighbours_and_what_is_beyond_the_rim(board: SquareBoard, data: st.DataObject) -> None:
    cell = data.draw(st.sampled_from(board.cells))
    assert [beyond for beyond in cell.around if beyond in board] == [beyond for _, beyond in board.neighbours(cell)]


def test_by_square_leaves_out_what_lies_on_hexagons() -> None:
    assert by_square({HexCell(1, 0): "here", SquareCell(0, 0): "there"}) == {SquareCell(0, 0): "there"}
