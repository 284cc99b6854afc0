"""The learnt nets: OpenCV says what PyTorch says, an interrupted run goes on as it would have, and they do learn."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.training.printings import album
from companion.board import BadInputError

torch = pytest.importorskip(
    "torch", reason="PyTorch, with which the nets are made, is not here: pip install -e '.[train]'"
)
pytest.importorskip("onnx", reason="onnx, in which the nets are written, is not here: pip install -e '.[train]'")

from bench.training.episodes import Source  # noqa: E402
from bench.training.export import MOST_BYTES, apart, export  # noqa: E402
from bench.training.learn import Albums, learn, source_of  # noqa: E402
from bench.training.lessons import LESSONS, Lesson  # noqa: E402
from bench.training.nets import COMPARED, Comparison, Embedding, ExportedEmbedding  # noqa: E402
from vision.patches import PATCH_PX  # noqa: E402

pytestmark = pytest.mark.long

lessons = pytest.mark.parametrize("name", sorted(LESSONS))


@pytest.fixture(scope="module")
def sources() -> list[Source]:
    return [Source(f"printing-{seed}", album(seed, seen=60)) for seed in (1, 2)]


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> None:
    torch.set_num_threads(1)


def taught(name: str) -> Lesson:
    torch.manual_seed(1)
    found: Lesson = LESSONS[name](torch.device("cpu"))
    return found


def used(net: torch.nn.Module, channels: int) -> torch.nn.Module:
    """A net that has seen a few patches: all its layers have something to say."""
    generator = torch.Generator().manual_seed(3)
    for _ in range(30):
        net(torch.randn(8, channels, PATCH_PX, PATCH_PX, generator=generator))
    return net.eval()


def test_opencv_says_what_pytorch_says_and_both_nets_are_small(tmp_path: Path) -> None:
    torch.manual_seed(2)
    nets = {"embedding": ExportedEmbedding(used(Embedding(), 3)), "comparison": used(Comparison(), COMPARED)}
    for name, net in nets.items():
        export(name, net, tmp_path / f"{name}.onnx")
        assert apart(name, net, tmp_path / f"{name}.onnx") < 1e-4
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < MOST_BYTES


def test_a_net_of_other_weights_is_told_apart(tmp_path: Path) -> None:
    torch.manual_seed(2)
    net = used(Comparison(), COMPARED)
    export("comparison", net, tmp_path / "comparison.onnx")
    with torch.no_grad():
        next(net.same.parameters()).mul_(1.5)
    assert apart("comparison", net, tmp_path / "comparison.onnx") > 1e-3


@lessons
def test_an_interrupted_run_ends_as_one_that_was_not(name: str, sources: list[Source], tmp_path: Path) -> None:
    albums = Albums({"made-up": sources}, [])
    whole, first, rest = taught(name), taught(name), taught(name)
    learn(whole, albums, 4, tmp_path / "whole")
    learn(first, albums, 4, tmp_path / "parts", until=2)
    learn(rest, albums, 4, tmp_path / "parts")
    kept = rest.net.state_dict()
    for key, one in whole.net.state_dict().items():
        assert torch.equal(one, kept[key]), key
    assert not torch.equal(next(first.net.parameters()), next(rest.net.parameters()))


def test_a_checkpoint_of_another_run_is_refused(sources: list[Source], tmp_path: Path) -> None:
    albums = Albums({"made-up": sources}, [])
    learn(taught("comparison"), albums, 2, tmp_path / "kept", until=1)
    for steps, seed, others in ((3, 1, sources), (2, 2, sources), (2, 1, sources[:1])):
        with pytest.raises(BadInputError, match="remove it to begin anew"):
            learn(taught("comparison"), Albums({"made-up": others}, []), steps, tmp_path / "kept", seed)


@lessons
def test_a_few_steps_make_it_less_wrong(name: str, sources: list[Source], tmp_path: Path) -> None:
    lesson = taught(name)
    before, _ = lesson.loss(sources, np.random.default_rng(9))
    learn(lesson, Albums({"made-up": sources}, sources), 12, tmp_path / "kept")
    after, figures = lesson.loss(sources, np.random.default_rng(9))
    assert after.item() < 0.9 * before.item()
    assert all(0 <= share <= 1 for share in figures.values())


@lessons
def test_it_is_asked_about_printings_left_out_without_learning_from_them(name: str, sources: list[Source]) -> None:
    lesson = taught(name)
    lesson.net.eval()
    kept = {key: one.clone() for key, one in lesson.net.state_dict().items()}
    figures = lesson.asked(sources)
    assert figures == lesson.asked(sources)
    assert len(figures) == 4
    assert all(torch.equal(one, kept[key]) for key, one in lesson.net.state_dict().items())


def test_albums_are_sorted_by_where_they_are_from_and_some_are_left_out(sources: list[Source], tmp_path: Path) -> None:
    small = replace(sources[0].album, seen=sources[0].album.seen[:1])
    for name in ("t00001", "t00003", "elm", "drawn-30001", "printing-1", "printing-2"):
        small.write(tmp_path / f"{name}.npz")
    albums = Albums.read(tmp_path)
    assert {source: [one.name for one in kept] for source, kept in albums.learnt.items()} == {
        "photographed": ["elm", "t00001"],
        "drawn": ["drawn-30001"],
        "made-up": ["printing-1", "printing-2"],
    }
    assert [one.name for one in albums.left_out] == ["t00003"]
    fewer = Albums.read(tmp_path, most=1, without=["drawn"])
    assert [len(kept) for kept in fewer.learnt.values()] == [1, 1]
    assert [
        source_of(fewer.pick(np.random.default_rng(k), {"photographed": 1, "made-up": 0}).name) for k in range(3)
    ] == ["photographed"] * 3


def test_no_net_learns_from_a_table_kept_to_measure_with(sources: list[Source], tmp_path: Path) -> None:
    sources[0].album.write(tmp_path / "t01003.npz")
    with pytest.raises(BadInputError, match="t01003 is kept to measure with"):
        Albums.read(tmp_path)
    with pytest.raises(BadInputError, match="no album to learn from"):
        Albums.read(tmp_path / "nothing")
