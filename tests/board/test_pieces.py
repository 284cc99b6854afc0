import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import HexBoard, HexCell, Layout, Lie
from companion.board.hexagon import SLOTS, piece_origin, piece_rotation, slot_cells

layouts = st.builds(
    lambda slots, turns: Layout((Lie(0), *(Lie(slot, turn) for slot, turn in zip(slots, turns, strict=True)))),
    st.permutations(range(1, 6)),
    st.lists(st.integers(0, 2), min_size=5, max_size=5),
)


def test_six_slots_and_the_centre_cover_the_board_once() -> None:
    covered = [cell for slot in SLOTS for cell in slot_cells(slot)] + [HexCell(0, 0)]
    assert len(covered) == 127
    assert set(covered) == set(HexBoard(6).cells)


def test_the_layout_as_taught_moves_nothing() -> None:
    assert all(cell == origin for cell, origin in Layout().origin().items())


@given(layouts)
def test_every_cell_comes_from_exactly_one_taught_cell(layout: Layout) -> None:
    origins = layout.origin()
    assert set(origins) == set(origins.values()) == set(HexBoard(6).cells)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 2))
def test_a_piece_moves_as_a_rigid_body_turned_by_its_rotation(piece: int, slot: int, turn: int) -> None:
    origins = piece_origin(piece, Lie(slot, turn))
    angle = math.radians(60 * piece_rotation(piece, Lie(slot, turn)))
    anchor = min(origins)
    (ax, ay), (ox, oy) = anchor.centre, origins[anchor].centre
    for cell, origin in origins.items():
        x, y = origin.centre[0] - ox, origin.centre[1] - oy
        turned = x * math.cos(angle) + y * math.sin(angle), y * math.cos(angle) - x * math.sin(angle)
        assert (cell.centre[0] - ax, cell.centre[1] - ay) == pytest.approx(turned, abs=1e-9)


@pytest.mark.parametrize(
    "lies",
    [(Lie(0),) * 6, (Lie(1), Lie(0), Lie(2), Lie(3), Lie(4), Lie(5)), (Lie(0, 1), *map(Lie, range(1, 6)))],
)
def test_an_impossible_layout_is_refused(lies: tuple[Lie, ...]) -> None:
    with pytest.raises(ValueError, match="slot"):
        Layout(lies)  # type: ignore[arg-type]
