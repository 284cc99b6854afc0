"""Trust is fitted to drawn tables: what is drawn, what is kept of it, and what comes of the fit."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from bench.training import examples, fit
from bench.training.examples import UNTRUSTING, of_drawn
from bench.training.fit import Table, fitted
from bench.training.scenes import lit, scenes
from companion.board import Road, Settlement, Workshop
from simulator import virtual_camera, write_table
from vision.tiles.trust import FEATURES, Trust, shares_of


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    out = tmp_path_factory.mktemp("examples") / "drawn-11.npz"
    with pytest.MonkeyPatch.context() as patch:
        # Half the size of the tables that are drawn to learn from.
        patch.setattr(examples, "write_table", partial(write_table, width=820, height=616))
        of_drawn(11, 2, out, None)
    return Table.read(out)


@pytest.mark.long
def test_scenes_hold_every_kind_of_tile_and_grow() -> None:
    camera, rng = virtual_camera(3), np.random.default_rng(3)
    drawn = list(scenes(camera, rng, 6))
    roads = [sum(isinstance(laid.tile, Road) for laid in scene.tiles.values()) for scene in drawn]
    assert roads[-1] > roads[0] > 0
    assert sum(isinstance(laid.tile, Settlement) for laid in drawn[-1].tiles.values()) == 19
    assert any(isinstance(laid.tile, Workshop) for laid in drawn[-1].tiles.values())
    assert any(drawn[-1].cubes.values())
    assert {scene.layout for scene in drawn} == {drawn[0].layout}


def test_another_light_leaves_a_picture_of_the_same_size() -> None:
    rng = np.random.default_rng(5)
    image = np.full((60, 80, 3), 120, np.uint8)
    pictures = [lit(image, rng) for _ in range(20)]
    assert {picture.shape for picture in pictures} == {image.shape}
    assert len({int(picture.mean()) for picture in pictures}) > 5


@pytest.mark.long
def test_examples_tell_what_was_read_the_evidence_for_it_and_whether_it_is_so(table: Table) -> None:
    assert table.rows.shape == (len(table.right), len(FEATURES))
    assert np.isfinite(table.rows).all()
    assert table.alone.any()
    assert not table.alone.all()
    assert 0.1 < table.right.mean() < 1, "of each cell several answers are weighed"


@pytest.mark.long
def test_of_each_cells_answers_the_likeliest_is_chosen(table: Table) -> None:
    shares = np.random.default_rng(1).random(len(table.rows))
    chosen = table.chosen(shares)
    assert sorted(table.cells[chosen]) == sorted(set(table.cells))
    for row in chosen:
        assert shares[row] == shares[table.cells == table.cells[row]].max()


@pytest.mark.long
def test_what_is_fitted_trusts_what_is_right_more_than_what_is_not(table: Table, tmp_path: Path) -> None:
    trust = fitted([table])
    shares = trust.probabilities(table.rows, table.cells)
    assert shares[table.right].mean() > shares[~table.right].mean() + 0.3
    again = Trust.from_json(trust.to_json())
    assert again.probabilities(table.rows, table.cells) == pytest.approx(shares, abs=0.02)


@pytest.mark.long
@pytest.mark.parametrize(("folds", "fitted_to"), [(0, [3]), (1, [1, 3]), (2, [2, 2, 3])])
def test_as_many_groups_of_printings_are_left_out_as_asked_for_and_all_are_fitted_to(
    folds: int,
    fitted_to: list[int],
    table: Table,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    where = np.stack([np.zeros_like(table.cells), table.cells, table.alone], 1)
    answers = np.stack([table.right, table.right, table.covered], 1)
    for name in ("rendered-1", "rendered-2", "drawn-3"):
        np.savez(tmp_path / f"{name}.npz", rows=table.rows, answers=answers, where=where)
    fits: list[int] = []

    def counted(tables: Sequence[Table]) -> Trust:
        fits.append(len(tables))
        return UNTRUSTING

    monkeypatch.setattr(fit, "fitted", counted)
    out = tmp_path / "trust.json"
    monkeypatch.setattr("sys.argv", ["fit", str(tmp_path), "--folds", str(folds), "--out", str(out)])
    fit.main()
    assert fits == fitted_to
    assert ("2 printings left out, memory" in capsys.readouterr().out) is bool(folds)
    assert Trust.read(out).rest == pytest.approx(UNTRUSTING.rest)


@pytest.mark.long
def test_the_fit_goes_downhill_as_finite_differences_say(table: Table) -> None:
    """The computed slopes are those of the mean logarithm of the probability of the truth."""
    rng = np.random.default_rng(3)
    few = np.flatnonzero(table.cells < 12)
    cells = np.unique(table.cells[few], return_inverse=True)[1]
    some = replace(table, rows=table.rows[few], right=table.right[few], cells=cells)
    inputs = rng.normal(size=some.rows.shape)
    weights = [rng.normal(size=shape) for shape in ((inputs.shape[1] + 1, fit.UNITS), (fit.UNITS,), (1,))]

    def wrong() -> float:
        hidden, out, rest = weights
        kept = (np.random.default_rng(7).random((len(inputs), fit.UNITS)) >= fit.DROPPED) / (1 - fit.DROPPED)
        units = np.maximum(inputs @ hidden[:-1] + hidden[-1], 0) * kept
        shares = shares_of(units @ out, float(rest[0]), cells)
        is_among = np.bincount(cells, some.right) > 0
        so = np.where(is_among, np.bincount(cells, shares * some.right), 1 - np.bincount(cells, shares))
        return -float(np.log(so).mean())

    for weight, slope in zip(weights, fit.slopes(inputs, some, *weights, np.random.default_rng(7)), strict=True):
        assert slope.shape == weight.shape
        for place in {tuple(int(rng.integers(size)) for size in weight.shape) for _ in range(6)}:
            before, step = weight[place], 1e-5
            weight[place] = before + step
            up = wrong()
            weight[place] = before - step
            down = wrong()
            weight[place] = before
            assert slope[place] == pytest.approx((up - down) / (2 * step), abs=1e-5)


def test_examples_of_two_hands_with_the_same_seed_lie_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t01000").mkdir()
    (tmp_path / "t01000" / "table.json").write_text("{}", encoding="utf-8")
    # Reading a table takes half a minute: here only its file is made.
    monkeypatch.setattr(examples, "of_folder", lambda folder, out, trust: out.write_bytes(folder.name.encode()))
    for hand in ("tablegen", "other"):
        words = ["examples", str(tmp_path / "out"), "--tables", str(tmp_path), "--seeds", "1000", "--hand", hand]
        monkeypatch.setattr("sys.argv", words)
        examples.main()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "rendered-1000.npz",
        "rendered-other-1000.npz",
    ]
