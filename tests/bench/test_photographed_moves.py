"""The moves of photographed games: which looks at a cell are compared, and how many cubes stand there."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.training.album import Album, counts_of, number_of
from bench.training.moves import Moves, photographed, take
from companion.board import Color, Contents, Merchants, Settlement, SettlementType, Workshop
from vision.tiles.opinion import COLORS

CITY, WORKSHOP = number_of(Settlement(SettlementType.CITY)), number_of(Workshop(Color.RED))
RED = COLORS.index(Color.RED)


@pytest.fixture
def game(composed: Album) -> Album:
    """Five looks at a city with 0, 1, 1, 0 and 0 cubes, the third of them hidden; three at a bare workshop."""
    counts = np.zeros((8, len(COLORS)), np.int64)
    counts[[1, 2], RED] = 1
    return replace(
        composed,
        seen=composed.seen[:8],
        under=np.array([4] * 5 + [5] * 3),
        names=np.array([CITY] * 5 + [WORKSHOP] * 3),
        counts=counts,
        hidden=np.arange(8) == 2,
    )


def pairs(moves: Moves) -> list[tuple[int, int]]:
    """Return how many red cubes there were and are, for each move."""
    return list(zip(moves.held[:, RED].tolist(), moves.holds[:, RED].tolist(), strict=True))


def test_a_look_is_compared_with_the_next_that_shows_the_cell(game: Album) -> None:
    found = photographed(game)
    assert pairs(found) == [(0, 1), (1, 0)], "what has no cubes either time tells nothing"
    assert np.array_equal(found.before, game.seen[[0, 1]])
    assert np.array_equal(found.after, game.seen[[1, 3]])


def test_to_learn_from_it_is_compared_with_every_later_look(game: Album) -> None:
    assert Counter(pairs(photographed(game, are_all=True))) == {(0, 1): 1, (1, 0): 2}


def test_heaps_have_as_many_cubes_as_they_have() -> None:
    heap = Contents(Workshop(Color.RED), Merchants.of({Color.RED: 7}))
    assert counts_of(heap)[RED] == 7


def test_moves_that_were_taken_are_kept(game: Album, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("t00001", "t00003"):
        game.write(tmp_path / f"{name}.npz")
    take(tmp_path, tmp_path / "moves")
    assert capsys.readouterr().out == "t00001: 3 cells\nt00003: 2 cells\n"
    assert len(Moves.read(tmp_path / "moves" / "left-out" / "t00003.npz").before) == 2
    take(tmp_path, tmp_path / "moves")
    assert not capsys.readouterr().out
