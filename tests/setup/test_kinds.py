"""The kind of thing on a cell is recognised without the printing, by comparison with the bare cell."""

import numpy as np
import pytest

from companion.board import BARE, Color, Contents, Merchants, Road, Settlement, SettlementType, Terrain, Workshop
from companion.setup import propose
from companion.setup.nets import KINDS, kind_of, log_shares
from tests.setup.conftest import Drawn, lying
from vision.board.layout import BoardLook, in_even_light
from vision.light.flatten import Flat, Floats


@pytest.fixture(scope="module")
def shares(components: Flat, look: BoardLook) -> Floats:
    return log_shares(in_even_light(components, look)[1], look)


def test_each_thing_has_its_kind() -> None:
    one_red = Merchants.of({Color.RED: 1})
    assert kind_of(BARE) == "bare"
    assert kind_of(Contents(None, one_red)) == "cubes"
    assert kind_of(Contents(Road(Color.RED, Terrain.HILL, (0, 3)), one_red)) == "road"
    assert kind_of(Contents(Workshop(Color.GREY))) == "workshop"
    assert {kind_of(Contents(Settlement(kind), one_red)) for kind in SettlementType} < set(KINDS)


def test_every_cell_has_a_share_of_each_kind(drawn: Drawn, shares: Floats) -> None:
    assert shares.shape == (len(drawn.truth.board.cells), len(KINDS))
    assert np.exp(shares).sum(axis=1) == pytest.approx(1, abs=1e-4)


def test_bare_cells_roads_and_buildings_are_told_apart_on_a_drawn_board(drawn: Drawn, shares: Floats) -> None:
    board = drawn.truth.board
    named = {cell: KINDS[int(row.argmax())] for cell, row in zip(board.cells, shares, strict=True)}
    cells = lying(drawn.truth)
    wrong = [cell for cell in board.cells if (named[cell] == "bare") != (cell not in set(cells))]
    assert not wrong
    roads = [cell for cell in cells if isinstance(drawn.truth.contents(cell).tile, Road)]
    assert sum(named[cell] != "road" for cell in roads) <= len(roads) // 10


@pytest.mark.long
def test_workshops_never_share_a_pile_however_alike_they_look(
    drawn: Drawn, components: Flat, look: BoardLook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(propose, "alike", lambda _, __, cells: np.ones((len(cells), len(cells))))
    _, piles, _ = propose.guess_in_piles(components, look)
    workshops = {cell for cell in lying(drawn.truth) if isinstance(drawn.truth.contents(cell).tile, Workshop)}
    assert len(workshops) == len(Color)
    assert max(len(workshops & set(pile)) for pile in piles.piles) == 1
