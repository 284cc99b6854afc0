"""The net that recognises kinds of things on printings never taught: what it learns from, and that it learns."""

import re
from pathlib import Path

import numpy as np
import pytest

from bench.training.album import LEFT_OUT
from companion.board import BadInputError
from companion.setup.nets import KINDS
from tests.bench.conftest import ComposedOf

torch = pytest.importorskip("torch", reason="PyTorch, which makes the nets, is not here: pip install -e '.[train]'")
pytest.importorskip("onnx", reason="onnx, which holds the nets, is not here: pip install -e '.[train]'")

from bench.training import kinds as learning  # noqa: E402
from bench.training.kinds import Printings, asked, learn  # noqa: E402
from bench.training.nets import FEATURES, FEATURES_PX, KindNet  # noqa: E402

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def patches(composed_of: ComposedOf, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Albums of two printings, one of them under the name of a table that is left out."""
    folder = tmp_path_factory.mktemp("patches")
    for seed, name in ((1, "composed-00001"), (3, LEFT_OUT[0])):
        composed_of(seed).write(folder / f"{name}.npz")
    return folder


@pytest.fixture(scope="module")
def printings(patches: Path) -> Printings:
    torch.set_num_threads(1)
    return Printings.read(patches)


def test_of_each_printing_every_kind_is_shown_and_those_left_out_as_they_are(printings: Printings) -> None:
    (learnt,), (left_out,) = printings.learnt["composed"], printings.left_out
    assert set(learnt.kinds.tolist()) == set(range(len(KINDS)))
    assert learnt.features.shape == (len(learnt.kinds), 2 * FEATURES, FEATURES_PX, FEATURES_PX)
    # Each cell is there twice, the second time in another light.
    half = len(learnt.kinds) // 2
    assert np.array_equal(learnt.kinds[:half], learnt.kinds[half:])
    assert not np.array_equal(learnt.features[:half], learnt.features[half:])
    assert left_out.name == LEFT_OUT[0]
    assert len(left_out.kinds) < len(learnt.kinds)


def test_printings_of_another_hand_are_learnt_from_as_well_and_a_folder_without_any_changes_nothing(
    patches: Path, printings: Printings, tmp_path: Path
) -> None:
    assert Printings.read(patches, tmp_path).learnt.keys() == printings.learnt.keys()
    (tmp_path / "composed-00002.npz").write_bytes((patches / "composed-00001.npz").read_bytes())
    both = Printings.read(patches, tmp_path)
    assert set(both.learnt) == {"composed", "other hand"}
    features, kinds = both.some(np.random.default_rng(2))
    assert len(features) == len(kinds)


def test_a_bare_cell_differs_less_from_itself_than_anything_else(printings: Printings) -> None:
    (one,) = printings.left_out
    off = np.abs(one.features[:, :FEATURES] - one.features[:, FEATURES:]).mean(axis=(1, 2, 3))
    is_bare = one.kinds == KINDS.index("bare")
    assert off[is_bare].max() < np.median(off[~is_bare])


def test_it_learns_to_tell_kinds(printings: Printings, capsys: pytest.CaptureFixture[str]) -> None:
    torch.manual_seed(1)
    net = KindNet()
    learn(net, printings, 40, 1)
    told = asked(net, printings.learnt["composed"])
    counts = [(int(wrong), int(of)) for wrong, of in re.findall(r"(\d+) of (\d+)", told)]
    assert len(counts) == len(KINDS)
    assert sum(wrong for wrong, _ in counts) < 0.4 * sum(of for _, of in counts)
    assert "step 40: loss" in capsys.readouterr().out


def test_no_album_or_one_that_is_kept_apart_is_refused(tmp_path: Path, patches: Path) -> None:
    with pytest.raises(BadInputError, match="no album to learn from"):
        Printings.read(tmp_path)
    (tmp_path / "t01003.npz").write_bytes((patches / "composed-00001.npz").read_bytes())
    with pytest.raises(BadInputError, match="t01003 is kept to measure with"):
        Printings.read(tmp_path)


def test_what_is_learnt_is_written_as_the_reader_runs_it(
    patches: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["kinds", str(patches), "--out", str(tmp_path), "--steps", "2"])
    learning.main()
    assert [path.name for path in tmp_path.iterdir()] == ["kinds.onnx"]
    assert "from PyTorch" in capsys.readouterr().out
