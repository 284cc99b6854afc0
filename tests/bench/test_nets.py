"""The learnt nets: OpenCV says what PyTorch says, an interrupted run goes on as it would have, and they do learn."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.training.album import KIND_OF, KINDS
from companion.board import BadInputError
from tests.bench.conftest import ComposedOf

torch = pytest.importorskip("torch", reason="PyTorch, which makes the nets, is not here: pip install -e '.[train]'")
pytest.importorskip("onnx", reason="onnx, which holds the nets, is not here: pip install -e '.[train]'")

from bench.training import export as exporting  # noqa: E402
from bench.training import learn as learning  # noqa: E402
from bench.training.batches import Batch, ready, together  # noqa: E402
from bench.training.episodes import Source, episode  # noqa: E402
from bench.training.export import MOST_BYTES, apart, export  # noqa: E402
from bench.training.learn import Albums, learn  # noqa: E402
from bench.training.lessons import Nets, asked, calibrate, loss  # noqa: E402
from bench.training.nets import (  # noqa: E402
    FEATURES,
    FEATURES_PX,
    TAKEN,
    Comparison,
    Embedding,
    ExportedComparison,
    ExportedEmbedding,
    beside,
    weights,
)
from bench.training.nets import folded as folded_weights  # noqa: E402
from bench.training.nets import unfolded as unfolded_weights  # noqa: E402
from bench.training.shipped import blended, load, take_up  # noqa: E402
from vision.tiles.patches import PATCH_PX, folded  # noqa: E402

pytestmark = pytest.mark.long

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def sources(composed_of: ComposedOf) -> list[Source]:
    """Two printings to learn from, each with fewer cells than usual."""
    found = []
    for seed in (1, 2):
        one = composed_of(seed)
        few = {name: getattr(one, name)[:60] for name in ("seen", "under", "names", "counts", "hidden")}
        few["clean"] = np.where(one.clean[:60] < 60, one.clean[:60], -1)
        found.append(Source(f"composed-{seed:05d}", replace(one, **few)))
    return found


@pytest.fixture(scope="module")
def patches(sources: list[Source], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two printings as a folder of albums."""
    folder = tmp_path_factory.mktemp("patches")
    for one in sources:
        one.album.write(folder / f"{one.name}.npz")
    return folder


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> None:
    torch.set_num_threads(1)


def new_nets() -> Nets:
    torch.manual_seed(1)
    return Nets()


def made(*sources: Source, seed: int = 9) -> Batch:
    """Return an episode of each printing, made ready."""
    rng = np.random.default_rng(seed)
    return ready(together([episode(one, rng) for one in sources]), torch.Generator().manual_seed(seed))


def used(net: torch.nn.Module, *shape: int) -> torch.nn.Module:
    """Show the net a few patches, so that all its layers have something to say."""
    generator = torch.Generator().manual_seed(3)
    for _ in range(20):
        net(torch.randn(8, *shape, generator=generator))
    return net.eval()


def test_opencv_says_what_pytorch_says_and_both_nets_are_small(tmp_path: Path) -> None:
    nets = new_nets()
    used(nets.embedding, TAKEN, PATCH_PX, PATCH_PX)
    used(nets.comparison, 2 * FEATURES, FEATURES_PX, FEATURES_PX)
    both = {"embedding": ExportedEmbedding(nets.embedding), "comparison": ExportedComparison(nets.comparison)}
    for name, net in both.items():
        export(name, net, tmp_path / f"{name}.onnx")
        assert apart(name, net, tmp_path / f"{name}.onnx") < 1e-4
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < MOST_BYTES


def test_the_nets_as_the_reader_runs_them_say_what_the_learnt_ones_say() -> None:
    embedding, patches = used(Embedding(), TAKEN, PATCH_PX, PATCH_PX), torch.randn(3, TAKEN, PATCH_PX, PATCH_PX)
    with torch.no_grad():
        learnt = embedding(patches)
        features, points, _ = ExportedEmbedding(embedding)(torch.from_numpy(folded(patches.numpy())).flatten(1, 2))
    for ours, theirs in zip((features, points), learnt, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-4)
    comparison = used(Comparison(), 2 * FEATURES, FEATURES_PX, FEATURES_PX)
    both = torch.randn(3, 2 * FEATURES, FEATURES_PX, FEATURES_PX).relu()
    with torch.no_grad():
        for ours, theirs in zip(ExportedComparison(comparison)(beside(both)), comparison(both), strict=False):
            assert torch.allclose(ours, theirs, atol=1e-4)
    weights_of_first = embedding.body[0][0].weight
    assert torch.equal(unfolded_weights(folded_weights(weights_of_first)), weights_of_first)


def test_a_net_of_other_weights_is_told_apart(tmp_path: Path) -> None:
    torch.manual_seed(2)
    comparison = Comparison()
    net = used(ExportedComparison(comparison), 3 * FEATURES, FEATURES_PX, FEATURES_PX)
    export("comparison", net, tmp_path / "comparison.onnx")
    with torch.no_grad():
        next(comparison.same.parameters()).mul_(1.5)
    assert apart("comparison", net, tmp_path / "comparison.onnx") > 1e-3


def test_an_interrupted_run_ends_as_one_that_was_not(patches: Path, tmp_path: Path) -> None:
    albums = Albums.of(patches, 1, 4)
    whole, first, rest = new_nets(), new_nets(), new_nets()
    learn(whole, albums, tmp_path / "whole", CPU)
    learn(first, albums, tmp_path / "parts", CPU, until=2)
    learn(rest, albums, tmp_path / "parts", CPU)
    kept = rest.state_dict()
    for key, one in whole.state_dict().items():
        assert torch.equal(one, kept[key]), key
    assert not torch.equal(next(first.parameters()), next(rest.parameters()))


def test_a_checkpoint_of_another_run_is_refused(patches: Path, tmp_path: Path) -> None:
    learn(new_nets(), Albums.of(patches, 1, 2), tmp_path / "kept", CPU, until=1)
    for others in (Albums.of(patches, 1, 3), Albums.of(patches, 2, 2), Albums.of(patches, 1, 2, tables=2)):
        with pytest.raises(BadInputError, match="remove it to begin anew"):
            learn(new_nets(), others, tmp_path / "kept", CPU)
    half = new_nets()
    half.embedding.requires_grad_(False)
    with pytest.raises(BadInputError, match="remove it to begin anew"):
        learn(half, Albums.of(patches, 1, 2), tmp_path / "kept", CPU)


def test_learning_for_a_time_ends_when_it_is_up(
    patches: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Each look at the clock is 6 s after the one before: ten looks are a minute.
    ticks = iter(range(0, 10_000, 6))
    monkeypatch.setattr(learning.time, "perf_counter", lambda: float(next(ticks)))
    nets = new_nets()
    learn(nets, Albums.of(patches, 1, 10**6), tmp_path / "kept", CPU, minutes=0.4)
    assert not torch.equal(next(nets.parameters()), next(new_nets().parameters()))
    assert capsys.readouterr().out == ""


def test_a_few_steps_make_both_nets_less_wrong(sources: list[Source], patches: Path, tmp_path: Path) -> None:
    nets, one = new_nets(), made(sources[0])
    before, _ = loss(nets, one)
    learn(nets, Albums.of(patches, 1, 40, most=1), tmp_path / "kept", CPU, until=12)
    after, figures = loss(nets, one)
    assert after.item() < 0.8 * before.item()
    assert figures.pop("placing") >= 0
    assert all(0 <= share <= 1 for share in figures.values())


def test_an_embedding_that_is_to_stay_stays_while_the_comparison_learns(
    sources: list[Source], patches: Path, tmp_path: Path
) -> None:
    nets, one = new_nets(), made(sources[0])
    nets.embedding.requires_grad_(False)
    kept = {key: value.clone() for key, value in nets.embedding.state_dict().items()}
    compared = {key: value.clone() for key, value in nets.comparison.state_dict().items()}
    learn(nets, Albums.of(patches, 1, 4), tmp_path / "kept", CPU, until=2)
    assert all(torch.equal(value, kept[key]) for key, value in nets.embedding.state_dict().items())
    assert not all(torch.equal(value, compared[key]) for key, value in nets.comparison.state_dict().items())
    assert torch.isfinite(loss(nets, one)[0])


def test_they_are_asked_about_printings_left_out_without_learning_from_them(sources: list[Source]) -> None:
    nets = new_nets()
    kept = {key: one.clone() for key, one in nets.state_dict().items()}
    figures = asked(nets, sources, CPU)
    assert figures == asked(nets, sources, CPU)
    assert all(torch.equal(one, kept[key]) for key, one in nets.state_dict().items())
    for number, kind in enumerate(KINDS):
        for has_cubes, with_cubes in ((False, ""), (True, " with cubes")):
            (told,) = (one for one in figures if one.startswith(f"{kind}{with_cubes} ("))
            of = int(re.findall(r"\d+", told)[0])
            count = 0
            for one in sources:
                is_such = KIND_OF[one.album.names] == number
                count += int((is_such & (one.album.counts.any(axis=1) == has_cubes)).sum())
            # For bare cells a few are enough.
            assert of == count or (kind == "bare" and not has_cubes and 0 < of < count)
            assert all(0 <= int(wrong) <= of for wrong in figures[told].split("/"))


def test_the_odds_of_the_same_become_right_of_bare_ground(sources: list[Source]) -> None:
    nets = new_nets()
    scale, shift = calibrate(nets, sources, CPU)
    assert (scale, shift) != pytest.approx((1, 0), abs=0.1)
    # What is right already stays as it is.
    assert calibrate(nets, sources, CPU) == pytest.approx((1, 0), abs=1e-2)


def named(learnt: Mapping[str, Sequence[Path]]) -> dict[str, list[str]]:
    return {source: [path.stem for path in kept] for source, kept in learnt.items()}


def test_albums_are_sorted_by_where_they_are_from_and_some_are_left_out(sources: list[Source], tmp_path: Path) -> None:
    for name in ("t00001", "t00003", "elm", "drawn-30001", "composed-00079", "composed-00080"):
        sources[0].album.write(tmp_path / f"{name}.npz")
    albums = Albums.of(tmp_path, 1, 12)
    assert named(albums.learnt) == {
        "photographed": ["elm", "t00001"],
        "drawn": ["drawn-30001"],
        "composed": ["composed-00079", "composed-00080"],
    }
    assert [path.stem for path in albums.left_out] == ["t00003"]
    assert len(albums) == 12
    fewer = Albums.of(tmp_path, 1, 12, most=1, without=["drawn"])
    assert named(fewer.learnt) == {"photographed": ["elm"], "composed": ["composed-00079"]}
    assert str(fewer) == "1 photographed, 1 composed; 1 left out"


def test_a_step_is_the_same_whenever_it_is_made_and_another_with_another_seed(patches: Path) -> None:
    first, again, other = (Albums.of(patches, seed, 4, tables=2) for seed in (1, 1, 2))
    assert torch.equal(first[3].seen, again[3].seen)
    assert torch.equal(first[3].motions, again[3].motions)
    for another in (first[2], other[3]):
        assert first[3].seen.shape != another.seen.shape or not torch.equal(first[3].seen, another.seen)
    assert set(first[3].of_seen.tolist()) == {0, 1}


def test_no_net_learns_from_a_table_kept_to_measure_with(sources: list[Source], tmp_path: Path) -> None:
    sources[0].album.write(tmp_path / "t01003.npz")
    with pytest.raises(BadInputError, match="t01003 is kept to measure with"):
        Albums.of(tmp_path, 1, 4)
    with pytest.raises(BadInputError, match="no album to learn from"):
        Albums.of(tmp_path / "nothing", 1, 4)


def test_what_is_learnt_is_written_and_exported(
    patches: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "nets.pt"
    words = ["learn", str(patches), "--out", str(out), "--steps", "2", "--checkpoints", str(tmp_path)]
    monkeypatch.setattr("sys.argv", words)
    learning.main()
    assert capsys.readouterr().out.startswith(f"{weights(Nets())} weights, on cpu, from 2 composed; 0 left out\n")
    assert [path.name for path in tmp_path.iterdir()] == ["nets.pt"]
    monkeypatch.setattr("sys.argv", ["export", str(out), "--out", str(tmp_path / "vision")])
    exporting.main()
    assert sorted(path.name for path in (tmp_path / "vision").iterdir()) == ["comparison.onnx", "embedding.onnx"]


def test_the_comparison_alone_goes_on_from_exported_nets_and_is_exported_alone(
    patches: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "_EVENED", 1)
    out, shipped = tmp_path / "nets.pt", exported(new_nets().eval(), tmp_path)
    words = ["learn", str(patches), "--out", str(out), "--steps", "2", "--checkpoints", str(tmp_path)]
    monkeypatch.setattr("sys.argv", [*words, "--begin", str(shipped), "--only-comparing"])
    learning.main()
    before, after = Nets(), Nets()
    load(before, shipped)
    after.load_state_dict(torch.load(out, weights_only=True))
    some = torch.randn(2, TAKEN, PATCH_PX, PATCH_PX)
    with torch.no_grad():
        (one, _), (other, _) = (nets.embedding.eval()(some) for nets in (before, after))
    assert torch.allclose(one, other, atol=1e-4)
    monkeypatch.setattr("sys.argv", ["export", str(out), "--out", str(tmp_path / "vision"), "--only-comparing"])
    exporting.main()
    assert [path.name for path in (tmp_path / "vision").iterdir()] == ["comparison.onnx"]


def test_an_embedding_that_was_never_learnt_is_not_left_as_it_is(
    patches: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["learn", str(patches), "--out", str(tmp_path / "nets.pt"), "--only-comparing"]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit):
        learning.main()
    assert "--only-comparing needs --begin" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def exported(nets: Nets, folder: Path) -> Path:
    """A folder with both nets, as they are shipped."""
    export("embedding", ExportedEmbedding(nets.embedding), folder / "embedding.onnx")
    export("comparison", ExportedComparison(nets.comparison), folder / "comparison.onnx")
    return folder


def test_nets_that_were_exported_are_taken_up_and_say_what_they_said(sources: list[Source], tmp_path: Path) -> None:
    steps = [made(one, seed=5) for one in sources]
    nets, others = new_nets(), Nets()
    for one in steps:  # so that their layers have something to normalise by
        loss(nets.train(), one)
    take_up(others, exported(nets.eval(), tmp_path), steps)
    with torch.no_grad():
        for one in steps:
            inputs = one.inputs
            for net in (nets, others):
                net.eval()
            (features, points), (theirs, directions) = nets.embedding(inputs), others.embedding(inputs)
            assert torch.allclose(features, theirs, atol=1e-3)
            assert torch.allclose(points, directions, atol=1e-3)
            for ours, other in zip(
                nets.compared(features[:4], features[4:8]), others.compared(features[:4], features[4:8]), strict=True
            ):
                assert torch.allclose(ours, other, atol=1e-3)


def test_other_nets_are_not_taken_up(sources: list[Source], tmp_path: Path) -> None:
    nets = new_nets()
    exported(nets.eval(), tmp_path)
    (tmp_path / "comparison.onnx").write_bytes((tmp_path / "embedding.onnx").read_bytes())
    with pytest.raises(BadInputError, match=r"comparison\.onnx cannot be taken up"):
        take_up(Nets(), tmp_path, [])
    with pytest.raises(BadInputError, match=r"embedding\.onnx cannot be taken up"):
        take_up(Nets(), tmp_path / "nowhere", [])


def test_blended_nets_lie_between_those_that_they_are_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = tmp_path / "one", tmp_path / "other"
    for folder, seed in zip(folders, (1, 2), strict=True):
        folder.mkdir()
        torch.manual_seed(seed)
        exported(Nets().eval(), folder)
    (one, other), half = (blended(*folders, share).state_dict() for share in (1.0, 0.0)), blended(*folders, 0.5)
    for name, value in half.state_dict().items():
        assert torch.allclose(value.float(), (one[name].float() + other[name].float()) / 2, atol=1e-6), name
    nets = tmp_path / "nets.pt"
    torch.save(one, nets)
    monkeypatch.setattr("sys.argv", ["export", str(nets), "--out", str(tmp_path), "--blend", str(folders[1])])
    exporting.main()
    assert (tmp_path / "embedding.onnx").read_bytes() != (folders[0] / "embedding.onnx").read_bytes()
    assert "from PyTorch" in capsys.readouterr().out
