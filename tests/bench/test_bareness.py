"""The comparison's odds are fitted so that they are right for bare ground."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.training.album import Album
from companion.board import BadInputError
from tests.bench.conftest import ComposedOf

pytest.importorskip("torch", reason="PyTorch, which makes the nets, is not here: pip install -e '.[train]'")
pytest.importorskip("onnx", reason="onnx, which holds the nets, is not here: pip install -e '.[train]'")

from bench.training import bareness
from bench.training.lessons import logistic

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def photographed(composed_of: ComposedOf) -> Album:
    return replace(composed_of(1), cubes=np.zeros((0, 4), np.float32))


def test_bare_ground_has_better_odds_than_anything_else_in_any_light(photographed: Album) -> None:
    evidence, is_bare = bareness.evidence_of(photographed, 3)
    assert is_bare.any()
    for part in evidence.T:
        assert np.median(part[is_bare]) > np.quantile(part[~is_bare], 0.9)
    again, _ = bareness.evidence_of(photographed, 3)
    assert np.array_equal(evidence, again)


def test_each_part_of_the_evidence_counts_as_much_as_is_right() -> None:
    rng = np.random.default_rng(4)
    evidence = rng.normal(0, 3, (20_000, 2))
    is_so = rng.random(len(evidence)) < 1 / (1 + np.exp(-(evidence @ (0.5, -0.2) + 1)))
    assert logistic(evidence, is_so) == pytest.approx((0.5, -0.2, 1), abs=0.06)


def test_what_is_fitted_is_written(photographed: Album, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photographed.write(tmp_path / "t00001.npz")
    monkeypatch.setattr("sys.argv", ["bareness", str(tmp_path), "--out", str(tmp_path / "bareness.json")])
    bareness.main()
    counts = json.loads((tmp_path / "bareness.json").read_text())
    assert list(counts) == ["odds", "nearness", "shift"]
    assert counts["odds"] > 0


def test_without_a_photographed_table_nothing_is_fitted(photographed: Album, tmp_path: Path) -> None:
    photographed.write(tmp_path / "composed-00001.npz")
    with pytest.raises(BadInputError, match="no album of a photographed table"):
        bareness.fitted([tmp_path / "composed-00001.npz"])
