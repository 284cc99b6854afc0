from companion.board import HexBoard
from companion.drawing.overlays import hints
from companion.games.contract import Hint

BOARD = HexBoard(6)


def hint(names: str, cost: int, is_affordable: bool = True) -> Hint:
    return Hint(tuple(BOARD.cell(name) for name in names.split()), cost, is_affordable)


def test_no_hints_draw_nothing() -> None:
    assert hints(()) == ""


def test_a_hint_is_a_line_through_its_cells_with_its_days_where_it_ends() -> None:
    drawn = hints([hint("G7 G8 G9", 2)])
    assert '<polyline class="hint" points="0.0,0.0 34.6,0.0 69.3,0.0"/>' in drawn
    assert 'transform="translate(56.3 -13.0)"' in drawn
    assert ">2</text>" in drawn


def test_what_costs_more_than_is_held_is_paler_and_below() -> None:
    drawn = hints([hint("G7 G8 G9", 2), hint("G7 F7 E8", 9, is_affordable=False)])
    assert drawn.index('"hint later"') < drawn.index('"hint"')
