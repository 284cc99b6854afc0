"""The set-up can be practised at the drawn table, with its real steps."""

from unittest.mock import Mock

import numpy as np
import pytest

from companion.board import Color, SquareBoard
from companion.setup.wizard import Use
from companion.wiring.cameras import Practice
from simulator.setup import made_setup, virtual_camera

SEED = 4


@pytest.mark.long
def test_an_empty_board_is_found_and_then_pieces_are_shown_on_it_and_all_of_it_is_kept_for_practice_alone() -> None:
    practice = Practice(SEED)
    wizard = practice.wizard
    empty = wizard.picture()
    assert empty is not None
    wizard.begin(tuple(Color))
    wizard.freeze()
    wizard.find(made_setup(virtual_camera(SEED + 1), SEED + 1).clicks)
    assert wizard.now.draft is not None, "it is found, and taken for empty"
    shown = wizard.picture()
    assert shown is not None
    assert float(np.mean(np.abs(shown.astype(float) - empty))) > 1, "pieces lie there now"
    wizard.teach()
    assert len(wizard.now.hexagonal().lessons[0].lying) > 40
    stored, use = wizard.save("Mine")
    assert use is Use.PRACTICE
    assert wizard.in_use() == stored.path.parent
    place = stored.path.parent
    assert place.name.startswith("strada-practice-")
    practice.forget()
    assert not place.exists()


@pytest.mark.long
def test_a_board_of_squares_is_practised_too() -> None:
    wizard = Practice(SEED).wizard
    hexagons = wizard.picture()
    wizard.lay(SquareBoard(6))
    squares = wizard.picture()
    assert hexagons is not None
    assert squares is not None
    assert not np.array_equal(hexagons, squares)


def test_nothing_is_drawn_before_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.wiring.cameras._hexagonal", Mock(side_effect=AssertionError("nobody looks")))
    wizard = Practice(SEED).wizard
    assert wizard.in_use() is not None, "no page says that no table is set up"
