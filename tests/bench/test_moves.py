"""Cells before and after a move: what stays lies as it did, and the counts say what came and went."""

from pathlib import Path

import numpy as np
import pytest

from bench.training import moves as moving
from bench.training.album import KIND_OF, LEFT_OUT, Album, as_tones
from bench.training.laid import moved
from bench.training.moves import Moves
from bench.training.printing import Printing
from companion.board import BadInputError, Settlement, Workshop
from tests.bench.conftest import Complaint
from tests.bench.plain_printing import DRAWINGS

pytestmark = pytest.mark.long


def apart(moves: Moves) -> np.ndarray:
    """Return how much the middle of each cell differs from before."""
    middle = slice(20, 52)
    one, other = (as_tones(part)[:, middle, middle] for part in (moves.before, moves.after))
    return np.asarray(np.abs(one - other).mean(axis=(1, 2, 3)))


def test_moves_are_the_same_from_the_same_seed(moves: Moves) -> None:
    again, other = (moving.composed(seed, DRAWINGS) for seed in (3, 4))
    assert np.array_equal(moves.after, again.after)
    assert not np.array_equal(moves.after[:20], other.after[:20])


def test_a_cell_on_which_nothing_came_or_went_looks_more_as_it_did_than_another(moves: Moves) -> None:
    same = (moves.held == moves.holds).all(axis=1)
    assert 0.2 < same.mean() < 0.6
    distances = apart(moves)
    assert np.median(distances[same]) < 0.6 * np.median(distances[~same])


def test_cubes_come_and_go_of_every_colour_alone_and_together(moves: Moves) -> None:
    change = moves.holds - moves.held
    assert (change.max(axis=0) > 0).all()
    assert (change.min(axis=0) < 0).all()
    assert np.abs(change).max() >= 3
    assert (moves.held.sum(axis=1) == 0).any()
    assert moves.held.max() >= 5


def test_what_stays_lies_as_it_did_under_what_comes() -> None:
    printing = Printing(3, DRAWINGS)
    before, after = moved(printing.piece(0)[1], np.random.default_rng(2))
    for cell, was in before.items():
        now = after[cell]
        assert isinstance(was.tile, Settlement | Workshop) or was.tile is None
        assert was.tile is None or was.tile == now.tile
        stays = min(len(was.cubes), len(now.cubes))
        for seeds, cubes in ((was.lies, was.cubes), (now.lies, now.cubes)):
            assert len(seeds) == (1 + len(cubes) if was.tile is not None else 0)
        some = [k for k in range(stays) if was.lies[1 + k] == now.lies[1 + k]]
        assert [was.cubes[k] for k in some] == [now.cubes[k] for k in some]


def test_two_photographs_of_one_move_have_the_cubes_that_stay_in_the_same_places() -> None:
    printing = Printing(3, DRAWINGS)
    ground, cells = printing.piece(0)
    before, after = moved(cells, np.random.default_rng(2))
    one, other = printing.before_and_after(ground, before, after)
    same = 0
    for cell in cells:
        for place, (was, now) in enumerate(zip(before[cell].lies[1:], after[cell].lies[1:], strict=False)):
            if was == now and before[cell].lies[1 : place + 1] == after[cell].lies[1 : place + 1]:
                assert np.allclose(one.tops[cell][place], other.tops[cell][place])
                same += 1
    assert same > 5


def test_photographed_moves_are_from_each_photograph_to_the_next(composed: Album, tmp_path: Path) -> None:
    # The same cells twice, as if photographed again.
    twice = {
        name: np.concatenate([getattr(composed, name)] * 2) for name in ("seen", "under", "names", "counts", "hidden")
    }
    one = Album(**{**vars(composed), **twice, "clean": np.full(2 * len(composed.seen), -1)})
    found = moving.photographed(one)
    is_large = np.isin(KIND_OF[one.names], (2, 3)) & ~one.hidden
    assert 0 < len(found.before) < is_large.sum()
    assert (found.held.any(axis=1) | found.holds.any(axis=1)).all()
    found.write(tmp_path / "t00001.npz")
    assert np.array_equal(Moves.read(tmp_path / "t00001.npz").after, found.after)


def test_moves_of_printings_left_out_lie_apart_and_tables_to_measure_with_are_refused(
    composed: Album, tmp_path: Path, complaint: Complaint
) -> None:
    patches, out = tmp_path / "patches", tmp_path / "moves"
    for name in ("t00001", LEFT_OUT[0]):
        composed.write(patches / f"{name}.npz")
    moving.main([str(out), "--albums", str(patches)])
    written = {str(path.relative_to(out)) for path in out.rglob("*.npz")}
    assert written == {"t00001.npz", f"left-out/{LEFT_OUT[0]}.npz"}
    composed.write(patches / "t01000.npz")
    assert "t01000" in complaint(lambda: moving.main([str(out), "--albums", str(patches)]))
    assert "has no album of photographs" in complaint(lambda: moving.main([str(out), "--albums", str(tmp_path)]))


def test_a_file_of_something_else_is_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", before=np.zeros(1))
    with pytest.raises(BadInputError, match=r"x\.npz is not a file of moves .* make it with bench\.training\.moves"):
        Moves.read(tmp_path / "x.npz")
