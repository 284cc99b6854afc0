"""Gold by settlement, and ties."""

from dataclasses import replace

import pytest

from companion.board import Merchants, SettlementType
from companion.games.la_strada import STANDARD, account
from companion.games.la_strada.score import leaders

from .drawing import BLACK, RED, YELLOW, begin, ground


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (SettlementType.CITY, [5, 4, 3, 2, 0]),
        (SettlementType.TOWN, [4, 3, 2, 1, 0]),
        (SettlementType.VILLAGE, [3, 2, 1, 0, 0]),
        (SettlementType.HAMLET, [2, 1, 0, 0, 0]),
    ],
)
def test_a_merchant_earns_by_how_many_share_the_settlement(kind: SettlementType, values: list[int]) -> None:
    assert [STANDARD.rules.value(kind, number) for number in range(1, 6)] == values


def test_the_account_goes_settlement_by_settlement() -> None:
    field = ground({"D3": "town", "D5": "city", "D7": "hamlet"})
    position = begin(field, {BLACK: "D1", RED: "F1"})
    d3, d5 = field.board.cell("D3"), field.board.cell("D5")
    counted = account(replace(position, merchants={d5: Merchants(red=1), d3: Merchants(black=1, red=1)}))
    assert [(str(one.cell), one.type, one.number, one.each) for one in counted.settlements] == [
        ("D3", SettlementType.TOWN, 2, 3),
        ("D5", SettlementType.CITY, 1, 5),
    ]
    assert counted.gold == {BLACK: 3, RED: 8}
    assert counted.leaders == (RED,)


def test_cubes_on_a_bare_cell_earn_nothing() -> None:
    field = ground({"D5": "city"})
    position = begin(field, {BLACK: "D1", RED: "F1"})
    assert account(replace(position, merchants={field.board.cell("A1"): Merchants(black=1)})).gold == {BLACK: 0, RED: 0}


@pytest.mark.parametrize(
    ("gold", "days", "ahead"),
    [
        ((9, 8, 8), (0, 9, 9), (BLACK,)),
        ((8, 8, 7), (3, 4, 9), (RED,)),
        ((8, 8, 7), (4, 4, 9), (BLACK, RED)),
    ],
)
def test_most_gold_wins_then_most_days_then_it_is_shared(
    gold: tuple[int, ...], days: tuple[int, ...], ahead: tuple[object, ...]
) -> None:
    colors = (BLACK, RED, YELLOW)
    assert leaders(dict(zip(colors, gold, strict=True)), dict(zip(colors, days, strict=True))) == ahead
