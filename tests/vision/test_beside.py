"""Settlements in doubt are looked at beside the others on the table: two of a kind look alike, on any printing."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from companion.board import HexCell, Settlement
from tests.vision.conftest import CITY, HAMLET, TOWN, VILLAGE, DrawnTable, opinion
from vision.memory import Memory
from vision.reader import Reader
from vision.tiles import settlements as settlements_module
from vision.tiles.fine import Fine
from vision.tiles.opinion import Opinion
from vision.tiles.settlements import SETTLEMENTS, Settlements, _unusual

DEAL = 11


pytestmark = pytest.mark.usefixtures("nets_look_once")


@pytest.fixture(scope="module")
def deal(drawn: DrawnTable) -> dict[HexCell, Settlement]:
    dealt = {cell: lies.tile for cell, lies in drawn.deal(DEAL).items()}
    return {cell: tile for cell, tile in dealt.items() if isinstance(tile, Settlement)}


@pytest.fixture(scope="module")
def fine(drawn: DrawnTable) -> Fine:
    """A photograph of the deal."""
    last = drawn.reader_of_deal(DEAL)._last
    assert last is not None
    return last.fine


def cell_of(deal: Mapping[HexCell, Settlement], kind: Settlement) -> HexCell:
    return next(cell for cell, tile in deal.items() if tile == kind)


def sure_but_of(deal: Mapping[HexCell, Settlement], doubtful: Mapping[HexCell, Opinion]) -> dict[HexCell, Opinion]:
    return {cell: opinion((tile, 0.98), (None, 0.01)) for cell, tile in deal.items()} | dict(doubtful)


def share(settlements: Settlements, cell: HexCell, kind: Settlement) -> float:
    row = settlements.shares[list(settlements.opinions).index(cell)]
    return float(row[list(SETTLEMENTS).index(kind.type)])


def test_two_that_the_box_cannot_tell_apart_are_told_apart_by_those_they_look_like(
    deal: dict[HexCell, Settlement], fine: Fine
) -> None:
    # Each may be either, so the box says only that one of them is a city, and the other a town.
    either = opinion((CITY, 0.5), (TOWN, 0.49))
    city, town = cell_of(deal, CITY), cell_of(deal, TOWN)
    alone = Settlements.of(sure_but_of(deal, {city: either, town: either}))
    assert sorted(alone.in_doubt) == sorted([city, town])
    assert share(alone, city, CITY) < 0.6
    beside = alone.beside(fine, alone.in_doubt)
    assert share(beside, city, CITY) > 0.95
    assert share(beside, town, TOWN) > 0.95
    others = [row for row, cell in enumerate(alone.opinions) if cell not in (city, town)]
    assert np.allclose(alone.shares[others], beside.shares[others], atol=0.01)


def test_one_that_is_rather_taken_for_another_kind_is_put_right(deal: dict[HexCell, Settlement], fine: Fine) -> None:
    misled = {cell_of(deal, VILLAGE): opinion((TOWN, 0.6), (VILLAGE, 0.38))}
    misled |= {cell_of(deal, TOWN): opinion((VILLAGE, 0.6), (TOWN, 0.38))}
    by_itself = Settlements.of(sure_but_of(deal, misled))
    beside = by_itself.beside(fine, by_itself.in_doubt)
    for cell in misled:
        assert by_itself.named()[cell].best.tile != deal[cell]
        assert beside.named()[cell].best.tile == deal[cell]


def test_those_that_are_known_elsewhere_count_as_they_looked_without_cubes(
    deal: dict[HexCell, Settlement], fine: Fine
) -> None:
    either = opinion((CITY, 0.5), (TOWN, 0.49))
    doubtful = {cell_of(deal, CITY): either, cell_of(deal, TOWN): either}
    known = {cell: (tile, fine.of([cell])) for cell, tile in deal.items() if cell not in doubtful}
    beside = Settlements.of(doubtful, [tile for tile, _ in known.values()]).beside(fine, list(doubtful), known)
    for cell in doubtful:
        assert share(beside, cell, deal[cell]) > 0.95


def test_what_the_nets_cannot_tell_apart_at_a_deal_the_pixels_do(
    deal: dict[HexCell, Settlement], fine: Fine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settlements_module, "compared", lambda shown, _: (np.zeros(len(shown), np.float32), None))
    either = opinion((CITY, 0.5), (TOWN, 0.49))
    doubtful = {cell_of(deal, CITY): either, cell_of(deal, TOWN): either}
    dealt = Settlements.of(sure_but_of(deal, doubtful)).beside(fine, list(doubtful))
    known = {cell: (tile, fine.of([cell])) for cell, tile in deal.items() if cell not in doubtful}
    left = Settlements.of(doubtful, [tile for tile, _ in known.values()])
    corrected, later = (left.beside(fine, list(doubtful), known, is_deal) for is_deal in (True, False))
    for cell in doubtful:
        assert share(dealt, cell, deal[cell]) > 0.95
        assert share(corrected, cell, deal[cell]) > 0.95
        # No pixels are kept of those that are known from before.
        assert share(later, cell, deal[cell]) < 0.6


def test_one_of_which_nobody_doubts_what_it_is_stays_that_though_it_looks_like_those_in_doubt(
    deal: dict[HexCell, Settlement], fine: Fine
) -> None:
    """It was compared with no other kind. Once, nothing at all was left that it could be."""
    hamlet, towns = cell_of(deal, HAMLET), [cell for cell, tile in deal.items() if tile == TOWN]
    misled = {cell: opinion((TOWN, 0.5), (CITY, 0.49)) for cell in towns} | {towns[0]: opinion((HAMLET, 0.98))}
    misled[hamlet] = opinion((TOWN, 0.5), (HAMLET, 0.49))
    beside = Settlements.of(sure_but_of(deal, misled)).beside(fine, [*towns[1:], hamlet], is_deal=True)
    for cell, opined in beside.named().items():
        assert opined.tiles, cell
    assert beside.named()[towns[0]].best.tile == HAMLET


@pytest.mark.parametrize(("towns_misread", "are_too_many"), [(0, False), (1, True), (3, True)])
def test_more_of_a_kind_than_the_box_has_are_too_many(
    deal: dict[HexCell, Settlement], towns_misread: int, are_too_many: bool
) -> None:
    towns = [cell for cell, tile in deal.items() if tile == TOWN]
    misread = dict.fromkeys(towns[:towns_misread], opinion((VILLAGE, 0.99), (TOWN, 0.005)))
    assert Settlements.of(sure_but_of(deal, misread)).are_too_many is are_too_many


@pytest.mark.long
def test_if_more_look_like_a_kind_than_the_box_has_all_are_looked_at_however_sure_each_is(
    drawn: DrawnTable, deal: dict[HexCell, Settlement], fine: Fine
) -> None:
    """On one printing three towns were surely villages, so there were eight of these. Only one was asked about."""
    reader = drawn.reader_of_deal(DEAL)
    assert reader._memory is not None
    memory = Memory.of(reader._memory.look, layout_known=True)
    towns = [cell for cell, tile in deal.items() if tile == TOWN]
    misread = sure_but_of(deal, dict.fromkeys(towns[:3], opinion((VILLAGE, 0.995), (TOWN, 0.001))))
    named = reader._comparing.named_together(fine, memory, misread, is_deal=True)
    assert {cell: named[cell].best.tile for cell in deal} == deal
    # In the middle of a game too little is known for that.
    later = reader._comparing.named_together(fine, memory, misread)
    assert {later[cell].best.tile for cell in towns[:3]} == {VILLAGE}


def test_without_others_only_the_taught_copies_say_what_it_looks_like(
    deal: dict[HexCell, Settlement], fine: Fine
) -> None:
    city = cell_of(deal, CITY)
    beside = Settlements.of({city: opinion((CITY, 0.5), (TOWN, 0.49))}).beside(fine, [city])
    assert share(beside, city, CITY) > 0.75


@pytest.mark.long
def test_the_reader_names_a_deal_though_the_nets_cannot_say_what_is_what_alone(
    drawn: DrawnTable, deal: dict[HexCell, Settlement], monkeypatch: pytest.MonkeyPatch
) -> None:
    def doubted(reader: Reader) -> list[float]:
        reading = reader.read(drawn.deal_picture(DEAL))
        return [reading.cells[cell].confidence for cell in deal if reading.contents(cell).tile == deal[cell]]

    monkeypatch.setitem(drawn.taught.exemplars.__dict__, "temperature", 8.0)
    named = doubted(drawn.reader())
    with monkeypatch.context() as patch:
        patch.setattr(Settlements, "beside", lambda self, *_: self)
        by_themselves = doubted(drawn.reader())
    assert len(named) == len(deal)
    assert sum(named) > sum(by_themselves)


@given(st.lists(st.floats(-20, 20), min_size=6, max_size=40), st.floats(0.1, 10), st.floats(-50, 50))
def test_what_is_usual_is_measured_among_the_odds_themselves(odds: list[float], scale: float, shift: float) -> None:
    as_told, otherwise = np.array(odds), np.array(odds) * scale + shift
    assume(as_told.std() > 0.1)
    assert np.allclose(_unusual(as_told, 0.2), _unusual(otherwise, 0.2), atol=1e-3)
    assert np.abs(_unusual(as_told, 0.2)).max() <= 1
    assert (_unusual(as_told, 0.2) > 0).mean() <= 0.2 + 1 / len(odds)
