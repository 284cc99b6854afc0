import pytest
from hypothesis import given

from companion.board import (
    BARE,
    BadInputError,
    Color,
    Contents,
    Merchants,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Workshop,
)
from companion.board.words import MOST_MERCHANTS, contents_from_words
from tests.board.test_reading import contents

RED_ROAD = Road(Color.RED, Terrain.PLAIN, (0, 3))


def in_words(lies: Contents) -> str:
    match lies.tile:
        case None:
            tile = []
        case Settlement(type=kind):
            tile = [kind.value]
        case Workshop(color=color):
            tile = [f"{color} workshop"]
        case Road(color=color, terrain=terrain, edges=(first, last)) as road:
            tile = [f"{color} {terrain} {road.shape} {first}-{last}"]
        case other:
            raise AssertionError(other)
    return ", ".join([*tile, *(f"{color} {count}" for color, count in lies.merchants.counts.items())]) or "bare"


@given(contents)
def test_whatever_may_lie_on_a_cell_is_understood_in_words(lies: Contents) -> None:
    assert contents_from_words(in_words(lies)) == lies


@pytest.mark.parametrize(
    ("words", "lies"),
    [
        ("bare", BARE),
        ("red plain straight 0-3", Contents(RED_ROAD)),
        ("  STRAIGHT 3-0   plain Red ", Contents(RED_ROAD)),
        ("red plain 0-3", Contents(RED_ROAD)),
        ("grey hill bend 3-5", Contents(Road(Color.GREY, Terrain.HILL, (3, 5)))),
        ("black workshop,black 3", Contents(Workshop(Color.BLACK), Merchants(black=3))),
        ("workshop black", Contents(Workshop(Color.BLACK))),
        ("city, black 1, 2 red", Contents(Settlement(SettlementType.CITY), Merchants(black=1, red=2))),
        ("red 2", Contents(None, Merchants(red=2))),
        (f"hamlet, yellow {MOST_MERCHANTS}", Contents(Settlement(SettlementType.HAMLET), Merchants(yellow=12))),
    ],
)
def test_words_are_understood(words: str, lies: Contents) -> None:
    assert contents_from_words(words) == lies


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("", "write 'bare'"),
        ("city,", "write 'bare'"),
        ("bare, red 1", "'bare', which means nothing"),
        ("red plain 0-1", "not side by side"),
        ("red plain 0-5", "not side by side"),
        ("red plain 4-4", "not side by side"),
        ("red plain 0-6", "'0-6', which means nothing"),
        ("red plain bend 0-3", "the edges 0-3 are those of a straight"),
        ("red plain", "write 'bare'"),
        ("red", "write 'bare'"),
        ("red black workshop", "write 'bare'"),
        ("city city", "write 'bare'"),
        ("city, town", "at most one tile"),
        ("city, red 1, red 2", "count red twice"),
        ("city, red 0", "from 1 to 12"),
        (f"city, red {MOST_MERCHANTS + 1}", "from 1 to 12"),
        ("city, red " + "9" * 5000, "from 1 to 12"),
        ("city, pink 2", "a colour and a number"),
        ("city, red -1", "'-1', which means nothing"),
        ("castle", "'castle', which means nothing"),
        ("city, red ²", "'²', which means nothing"),
    ],
)
def test_words_that_mean_nothing_are_named(words: str, complaint: str) -> None:
    with pytest.raises(BadInputError) as refused:
        contents_from_words(words)
    assert complaint in str(refused.value)
    assert len(str(refused.value)) < 250
