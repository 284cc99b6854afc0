"""Gold by settlement, ties, and the rulebook's worked example."""

from dataclasses import replace

import pytest

from companion.board import Merchants, SettlementType
from companion.games.la_strada import STANDARD, LaStradaPosition, account, roads
from companion.games.la_strada.score import leaders

from .drawing import BLACK, GREY, RED, YELLOW, after, begin, ground, save, turn


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
    assert counted.settlements[0].gold == {BLACK: 3, RED: 3}
    assert counted.gold == {BLACK: 3, RED: 8}
    assert counted.leaders == (RED,)


def test_cubes_on_a_bare_cell_earn_nothing() -> None:
    field = ground({"D5": "city"})
    position = begin(field, {BLACK: "D1", RED: "F1"})
    assert replace(position, merchants={field.board.cell("A1"): Merchants(black=1)}).gold() == {BLACK: 0, RED: 0}


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


def each_on(position: LaStradaPosition, name: str) -> int:
    """The gold of each merchant on that settlement."""
    return next(one.each for one in account(position).settlements if str(one.cell) == name)


def test_the_rulebooks_example_comes_out_as_printed() -> None:
    """The last page of the rules: Grey's three turns, laid out on a board of ours."""
    field = ground(
        {"G3": "town", "F4": "city", "F6": "village", "F8": "village", "F10": "hamlet", "H10": "city", "A1": "town"},
        rings=6,
        hill="G2 G10",
        forest="G11",
    )

    position = begin(field, {GREY: "G1", BLACK: "J10"})
    # First turn: a hill tile (4) to the town, a plain bend (2) on to the city.
    position = after(position, turn(field, GREY, "G1 G2 G3", "G3 G4 F4", cubes="G3 F4"))
    assert position.days[GREY] == 0
    assert position.merchants_left(GREY) == 10
    position = after(position, turn(field, BLACK, "J10 I10 H10", "H10 G10 F10", cubes="H10 F10"))
    assert each_on(position, "H10") == 5
    # Second turn: three plain tiles, three merchants, the last on a hamlet where Black stands: 1 gold each.
    position = after(position, turn(field, GREY, "F4 F5 F6", "F6 F7 F8", "F8 F9 F10", cubes="F6 F8 F10"))
    assert position.days[GREY] == 0
    assert each_on(position, "F10") == 1
    position = after(position, save(BLACK))
    # Third turn: a single forest tile would have cost 3; three plain tiles round it reach Black's city: 4 gold each.
    cheapest = min((road for road in roads(position, GREY, 6) if str(road.goal) == "H10"), key=lambda road: road.cost)
    assert ([str(cell) for cell in cheapest.tiles], cheapest.cost) == (["G11"], 3)
    position = after(position, turn(field, GREY, "F10 F11 G12 H11 H10", cubes="H10"))
    assert position.days[GREY] == 0
    assert each_on(position, "H10") == 4
    assert position.merchants[field.board.cell("H10")] == Merchants(black=1, grey=1)
