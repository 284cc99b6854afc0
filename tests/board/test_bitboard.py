from hypothesis import given
from hypothesis import strategies as st

from companion.board import HexBoard, beside, bitboard

boards = st.integers(1, 12).map(HexBoard)


@given(boards)
def test_every_cell_has_a_bit_of_its_own(board: HexBoard) -> None:
    assert bitboard(board, board.cells).bit_count() == len(board.cells)


@given(boards, st.data())
def test_beside_some_cells_lie_their_neighbours_and_nothing_else_of_the_board(
    board: HexBoard, data: st.DataObject
) -> None:
    cells = data.draw(st.sets(st.sampled_from(board.cells), max_size=9))
    near = {beyond for cell in cells for _, beyond in board.neighbours(cell)}
    on_board = bitboard(board, board.cells)
    assert beside(board, bitboard(board, cells)) & on_board == bitboard(board, near)
