"""Things that look alike are one pile, and naming some piles names the rest."""

import numpy as np
import pytest

from companion.board import (
    BadInputError,
    Color,
    Contents,
    HexCell,
    Merchants,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Workshop,
)
from companion.setup.draft import Draft
from companion.setup.piles import Piles, piled, renamed
from companion.setup.propose import _apart

CITY, TOWN = Settlement(SettlementType.CITY), Settlement(SettlementType.TOWN)
ONE, TWO, THREE = HexCell(0, 0), HexCell(1, 0), HexCell(2, 0)
ROAD = Contents(Road(Color.RED, Terrain.HILL, (0, 3)))


def test_what_is_alike_on_average_is_one_pile() -> None:
    like = np.array([[1, 0.9, 0.5, 0.2], [0.9, 1, 0.6, 0.2], [0.5, 0.6, 1, 0.2], [0.2, 0.2, 0.2, 1.0]])
    assert piled(like, 0.8) == [[0, 1], [2], [3]]
    assert piled(like, 0.5) == [[0, 1, 2], [3]]
    assert piled(np.zeros((0, 0))) == []


def test_what_looks_like_workshops_together_is_no_pile_as_there_is_one_of_each_colour() -> None:
    workshop = 2  # the last of three kinds
    shares = np.log([[0.1, 0.5, 0.4], [0.5, 0.1, 0.4], [0.1, 0.8, 0.1], [0.1, 0.8, 0.1]]).astype(np.float32)
    assert _apart([0, 1], shares, workshop) == [[0], [1]]
    assert _apart([2, 3], shares, workshop) == [[2, 3]]


def test_naming_one_pile_names_the_other_by_elimination() -> None:
    scores = {cell: np.log([0.6, 0.3, 0.1]) for cell in (ONE, TWO, THREE)}
    piles = Piles(((ONE, TWO), (THREE,)), (CITY, TOWN), scores, {})
    assert piles.told({ONE: Contents(CITY)}) == {ONE: CITY, TWO: CITY, THREE: TOWN}
    assert piles.told({ONE: Contents(TOWN)}) == {ONE: TOWN, TWO: TOWN, THREE: CITY}
    assert piles.told({ONE: ROAD})[TWO] is None


def test_a_name_for_less_than_half_of_a_pile_names_a_stray() -> None:
    scores = {cell: np.log([0.6, 0.3, 0.1]) for cell in (ONE, TWO, THREE)}
    piles = Piles(((ONE, TWO, THREE),), (CITY, TOWN), scores, {})
    assert piles.told({ONE: Contents(TOWN)})[THREE] == CITY
    assert piles.told({ONE: Contents(TOWN), TWO: Contents(TOWN)})[THREE] == TOWN


def test_a_pile_takes_the_names_that_it_can_have() -> None:
    assert renamed(ROAD, "color-grey").tile == Road(Color.GREY, Terrain.HILL, (0, 3))
    assert renamed(ROAD, "terrain-plain").tile == Road(Color.RED, Terrain.PLAIN, (0, 3))
    assert renamed(ROAD, "settlement-city") == Contents(CITY)
    assert renamed(ROAD, "workshop-red") == Contents(Workshop(Color.RED))
    assert renamed(ROAD, "nothing") == Contents()
    assert renamed(ROAD, "way-13").tile == Road(Color.RED, Terrain.HILL, (1, 3))
    assert renamed(ROAD, "cube-grey") == Contents(None, Merchants(grey=1))
    assert renamed(Contents(None, Merchants(red=2)), "color-black") == Contents(None, Merchants(black=2))


@pytest.mark.parametrize(
    "kind", ["", "settlement-castle", "terrain-hill", "color-red", "nothing-else", "way-13", "way-01", "cube-"]
)
def test_a_settlement_has_no_other_names(kind: str) -> None:
    with pytest.raises(BadInputError, match="kind is"):
        renamed(Contents(CITY), kind)


@pytest.mark.long
def test_a_named_pile_of_a_photograph_is_put_right_at_once(taught_draft: Draft) -> None:
    draft = taught_draft.forgotten(0).taught(taught_draft.lessons[0].image)
    piles = draft.lessons[0].piles
    assert piles is not None
    largest = max(piles.piles, key=len)
    assert len(largest) > 1
    named = draft.named(0, largest, "settlement-city").lessons[0]
    assert {named.reading.contents(cell).tile for cell in largest} == {CITY}
    assert named.corrected == set(largest)
