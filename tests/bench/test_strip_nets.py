"""The nets that look along a road: what they learn from, that OpenCV says what PyTorch says, and that they do learn."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.training.album import LEFT_OUT
from companion.board import BadInputError
from tests.bench.conftest import ComposedOf

torch = pytest.importorskip("torch", reason="PyTorch, which makes the nets, is not here: pip install -e '.[train]'")
pytest.importorskip("onnx", reason="onnx, which holds the nets, is not here: pip install -e '.[train]'")

from bench.training.export import FARTHEST, apart, export, written  # noqa: E402
from bench.training.nets import StripNet  # noqa: E402
from bench.training.strips import NETS, Albums, asked, episode, learn, told_of  # noqa: E402
from vision.tiles.strips import ALONG, TAKEN  # noqa: E402

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def patches(composed_of: ComposedOf, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Albums of three printings; one of them under the name of a table that is left out."""
    folder = tmp_path_factory.mktemp("patches")
    for seed, name in ((1, "composed-00001"), (2, "composed-00002"), (3, LEFT_OUT[0])):
        composed_of(seed).write(folder / f"{name}.npz")
    return folder


@pytest.fixture(scope="module")
def albums(patches: Path) -> Albums:
    return Albums.read(patches, 5)


def test_of_each_album_the_roads_are_taken_and_some_bare_ground_and_other_pieces(albums: Albums) -> None:
    (ways, _), (left_out,) = albums.learnt["composed"], albums.left_out
    assert left_out.name == LEFT_OUT[0]
    assert len(ways.taught) == len(ways.covers) == len(ways.taught_labels["color"])
    assert len(ways.seen) == len(ways.bare) == len(ways.labels["color"]) == len(ways.labels["terrain"])
    assert np.array_equal(ways.labels["color"] < 0, ways.labels["terrain"] < 0)
    # Bare ground is -1, anything else that is not a road along that way -2.
    assert {-1, -2} <= set(ways.labels["color"].tolist())
    assert ways.teaches()


@pytest.mark.parametrize(("kind", "groups"), [("color", 6), ("terrain", 3)])
def test_an_episode_asks_for_every_group_and_is_the_same_each_time(albums: Albums, kind: str, groups: int) -> None:
    ways = albums.learnt["composed"][0]
    first, again = (episode(ways, kind, np.random.default_rng(8)) for _ in range(2))
    assert first[0].shape == (len(first[1]), groups, TAKEN, ALONG)
    assert np.array_equal(first[0], again[0])
    assert set(first[1].tolist()) <= set(range(groups))
    assert np.isfinite(first[0]).all()
    # In colour, bare ground and other pieces compete; nobody asks which terrain they are on.
    assert first[0][:, :, -1].any() == (kind == "color")
    everything, truth = asked(ways, kind)
    assert everything.shape[1:] == (groups, TAKEN, ALONG)
    assert set(truth.tolist()) == set(range(groups))


@pytest.mark.parametrize("kind", sorted(NETS))
def test_opencv_says_of_a_way_what_pytorch_says(kind: str, tmp_path: Path) -> None:
    torch.manual_seed(3)
    net = StripNet(NETS[kind][0])
    export(f"strip-{kind}", net, tmp_path / "net.onnx")
    assert apart(f"strip-{kind}", net, tmp_path / "net.onnx") <= FARTHEST


def test_a_file_that_says_something_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.training.export.apart", lambda *_: 0.5)
    with pytest.raises(BadInputError, match="says something else in OpenCV than in PyTorch"):
        written("strip-color", StripNet(8), tmp_path)


def test_an_interrupted_run_goes_on_as_it_would_have(
    albums: Albums, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.training.strips._KEPT_EVERY", 2)

    def learnt(checkpoint: Path, *until: int) -> StripNet:
        for stop in until:
            torch.manual_seed(1)
            net = StripNet(8)
            learn(net, "terrain", albums, checkpoint, 4, None, until=stop)
        return net

    whole, parts = learnt(tmp_path / "whole", 4), learnt(tmp_path / "parts", 2, 4)
    for one, other in zip(whole.parameters(), parts.parameters(), strict=True):
        assert torch.equal(one, other)


def test_a_checkpoint_of_another_run_is_refused(albums: Albums, tmp_path: Path) -> None:
    learn(StripNet(8), "terrain", albums, tmp_path / "kept", 2, None)
    for steps, others in ((3, albums), (2, replace(albums, seed=6))):
        with pytest.raises(BadInputError, match="remove it to begin anew"):
            learn(StripNet(8), "terrain", others, tmp_path / "kept", steps, None)


def test_what_is_learnt_tells_a_printing_that_was_left_out(
    albums: Albums, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.training.strips._WARM", 5)
    torch.manual_seed(1)
    net = StripNet(24)
    (left_out,) = albums.left_out
    before = told_of(net, "color", left_out)
    learn(net, "color", albums, tmp_path / "checkpoint", 150, None)
    after = told_of(net, "color", left_out)
    assert after[0] == before[0] == len(left_out.seen)
    assert after[1] < before[1]
    assert after[2] < 0.7 * before[2]


def test_no_album_or_one_that_is_kept_apart_is_refused(tmp_path: Path, albums: Albums) -> None:
    with pytest.raises(BadInputError, match="no album to learn from"):
        Albums.read(tmp_path, 1)
    (tmp_path / "t02000.npz").write_bytes(b"")
    with pytest.raises(BadInputError, match="t02000 is kept to measure with"):
        Albums.read(tmp_path, 1)
