import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import BadInputError, HexBoard, HexCell, SquareCell, by_hexagon, opposite

boards = st.integers(1, 8).map(HexBoard)


def test_board_of_six_rings_has_127_cells_from_a1_to_m7() -> None:
    cells = HexBoard(6).cells
    assert len(cells) == 127
    assert (str(cells[0]), str(cells[63]), str(cells[-1])) == ("A1", "G7", "M7")


@pytest.mark.parametrize(
    ("name", "q", "r"),
    [("A1", 0, -6), ("A7", 6, -6), ("G7", 0, 0), ("M1", -6, 6), ("M7", 0, 6), ("G13", 6, 0)],
)
def test_names_are_those_of_the_format(name: str, q: int, r: int) -> None:
    assert HexBoard(6).cell(name) == HexCell(q, r)
    assert str(HexCell(q, r)) == name


@given(boards)
def test_every_cell_of_any_board_is_found_by_its_name(board: HexBoard) -> None:
    assert [board.cell(str(cell)) for cell in board.cells] == list(board.cells)
    assert len(board.cells) == 3 * board.rings * (board.rings + 1) + 1


@pytest.mark.parametrize("name", ["A8", "N1", "g7", "", "G0", "G07", "7", "GG", "A1 "])
def test_a_name_that_the_board_lacks_is_refused_by_name(name: str) -> None:
    with pytest.raises(BadInputError, match="cells run from A1 to M7"):
        HexBoard(6).cell(name)


@pytest.mark.parametrize("rings", [0, 13, -1, 6.0, True, "6"])
def test_a_board_of_impossible_size_is_refused(rings: object) -> None:
    with pytest.raises(BadInputError, match="rings"):
        HexBoard(rings)  # type: ignore[arg-type]


@given(boards, st.data())
def test_neighbours_see_each_other_over_opposite_edges(board: HexBoard, data: st.DataObject) -> None:
    cell = data.draw(st.sampled_from(board.cells))
    for edge, beyond in board.neighbours(cell):
        assert beyond.neighbour(opposite(edge)) == cell
        assert cell.distance(beyond) == 1
        assert math.dist(cell.centre, beyond.centre) == pytest.approx(math.sqrt(3))


def test_edges_are_numbered_anticlockwise_from_the_east() -> None:
    for edge in range(6):
        x, y = HexCell(0, 0).neighbour(edge).centre
        assert math.degrees(math.atan2(-y, x)) % 360 == pytest.approx(60 * edge)


@given(boards, st.integers(-6, 12), st.data())
def test_turning_moves_a_centre_round_the_board(board: HexBoard, sixths: int, data: st.DataObject) -> None:
    cell = data.draw(st.sampled_from(board.cells))
    (x, y), (tx, ty), angle = cell.centre, cell.turned(sixths).centre, math.radians(60 * sixths)
    assert tx == pytest.approx(x * math.cos(angle) + y * math.sin(angle), abs=1e-9)
    assert ty == pytest.approx(y * math.cos(angle) - x * math.sin(angle), abs=1e-9)


def test_corners_are_clicked_clockwise_from_the_top_left() -> None:
    assert [str(cell) for cell in HexBoard(5).corners] == ["A1", "A6", "K6", "K1"]


@given(boards, st.data())
def test_a_cell_shares_the_corners_of_each_edge_with_its_neighbour(board: HexBoard, data: st.DataObject) -> None:
    cell = data.draw(st.sampled_from(board.cells))
    for edge in range(6):
        x, y = (
            math.sqrt(3) / 2 * part for part in (math.cos(math.radians(60 * edge)), -math.sin(math.radians(60 * edge)))
        )
        middle = (cell.centre[0] + x, cell.centre[1] + y)
        near = [
            {
                (round(right, 6) + 0.0, round(down, 6) + 0.0)
                for right, down in each.outline
                if math.dist((right, down), middle) < 0.51
            }
            for each in (cell, cell.neighbour(edge))
        ]
        assert len(near[0]) == 2
        assert near[0] == near[1]


def test_unequal_cells_print_unlike() -> None:
    assert repr(HexCell(0, 0)) != repr(HexCell(0, 0, 3))
    assert eval(repr(HexCell(1, -2, 3))) == HexCell(1, -2, 3)


@given(boards, st.data())
def test_around_a_cell_are_its_neighbours_and_what_is_beyond_the_rim(board: HexBoard, data: st.DataObject) -> None:
    cell = data.draw(st.sampled_from(board.cells))
    assert [beyond for beyond in cell.around if beyond in board] == [beyond for _, beyond in board.neighbours(cell)]


def test_by_hexagon_leaves_out_what_lies_on_squares() -> None:
    assert by_hexagon({HexCell(0, 0): "here", SquareCell(1, 0): "there"}) == {HexCell(0, 0): "here"}
