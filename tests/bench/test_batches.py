"""Episodes are prepared for the nets as the reader prepares a net's input: several tables at once, moved and lit."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from bench.training.album import KIND_OF, Album
from bench.training.episodes import Episode, Light, Source, episode
from bench.training.varied import Recolouring, motions, numbers_of
from vision.tiles import patches
from vision.tiles.opinion import COLORS, MOST_COUNTED
from vision.tiles.patches import PATCH_CELLS, PATCH_PX, TAKEN, in_tones

torch = pytest.importorskip("torch", reason="PyTorch, which makes the nets, is not here: pip install -e '.[train]'")

from bench.training import batches, lighting  # noqa: E402
from bench.training.batches import DENSITY_PX, Batch, Lights, ready, together  # noqa: E402
from bench.training.lighting import Places, lit, moved, recoloured  # noqa: E402

pytestmark = pytest.mark.long


@pytest.fixture
def source(composed: Album) -> Source:
    return Source("composed-00003", composed)


def made(*episodes: Episode) -> Batch:
    """Make the episodes ready, always by the same chance."""
    return ready(together(episodes), torch.Generator().manual_seed(4))


def parts(found: Batch) -> Sequence[torch.Tensor]:
    """Split a batch: its cells, the looks, the cells that are also there bare, those also there without cubes."""
    return found.inputs.split([len(found.truth), len(found.names), len(found.with_bare), len(found.cleaned)])


def test_the_nets_learn_from_what_the_reader_will_give_them(source: Source) -> None:
    rng = np.random.default_rng(5)
    for colours in (Recolouring.none(), Recolouring.drawn(rng, 0.8), replace(Recolouring.none(), is_negative=True)):
        light, levels, covers = Light.of(source, colours), source.looks[:20], source.covers[:20]
        by_reader = patches.for_embedding(
            colours.of(in_tones(levels)), light.mean, light.spread, light.tops, in_tones(covers) * 200 / 255
        )
        numbers = numbers_of(colours), np.append(light.mean, light.spread).astype(np.float32), light.tops
        lights = Lights(*(torch.from_numpy(one).expand(20, *one.shape) for one in numbers))
        tones = recoloured(batches.in_tones(torch.from_numpy(levels)), lights.colours)
        found = batches.for_embedding(tones, lights, torch.from_numpy(covers)[:, None] / 255)
        assert patches.folded(found.numpy()).reshape(by_reader.shape) == pytest.approx(by_reader, abs=2e-3)


def test_patches_are_moved_as_opencv_moves_them(source: Source) -> None:
    levels, by = source.looks[:20], motions(20, np.random.default_rng(6), 0.05, 0.05, 0.02)
    expected = [
        cv2.warpAffine(one, motion, (PATCH_PX, PATCH_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for one, motion in zip(in_tones(levels), by, strict=True)
    ]
    found = moved(batches.in_tones(torch.from_numpy(levels)), torch.from_numpy(by)).permute(0, 2, 3, 1)
    # OpenCV rounds positions to a thirty-second of a pixel.
    assert np.abs(found.numpy() - np.array(expected)).max() < 0.02
    assert np.abs(in_tones(levels) - np.array(expected)).max() > 0.1


def test_light_changes_every_patch_in_its_own_way_and_the_same_way_by_the_same_chance() -> None:
    grey = torch.full((40, 3, PATCH_PX, PATCH_PX), 0.5)
    first, again, other = (lit(grey, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    means = first.mean((1, 2, 3))
    assert 0.03 < means.std() < 0.3
    assert 0.4 < means.median() < 0.6


def test_blurring_softens_an_edge_and_keeps_the_light(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("_GAIN", 0), ("_TINT", 0), ("_SLOPE", 0), ("_EDGED", 0), ("_HAZY", 0), ("_GLARING", 0)):
        monkeypatch.setattr(lighting, name, value)
    monkeypatch.setattr(lighting, "_NOISE", (0.0, 0.0))
    edge = torch.zeros(8, 3, PATCH_PX, PATCH_PX)
    edge[..., PATCH_PX // 2 :] = 1
    steps = (np.arange(PATCH_PX) - (PATCH_PX - 1) / 2) * (PATCH_CELLS / PATCH_PX)
    for often, spread in ((0.0, 0), (1.1, 2)):
        monkeypatch.setattr(lighting, "_BLURRED", often)
        found = lit(edge, torch.Generator().manual_seed(1), Places(*np.meshgrid(steps, steps)))
        assert found.mean().item() == pytest.approx(0.5, abs=1e-5)
        between = ((found > 0.05) & (found < 0.95)).sum(3)[:, 0, 0]
        assert bool((between >= spread).all())
        assert bool((between == 0).all()) == (spread == 0)


def test_a_batch_holds_a_look_at_whatever_its_cells_show_and_is_cut_to_the_cell(source: Source) -> None:
    one = episode(source, np.random.default_rng(2))
    found = made(one)
    assert found.inputs.shape == (sum(map(len, parts(found))), TAKEN, PATCH_PX, PATCH_PX)
    assert set(one.truth) <= {0, *one.names}
    assert set(KIND_OF[one.truth]) == {0, 1, 2, 3}
    assert set(np.flatnonzero(one.truth == 0)) <= set(one.with_bare)
    assert one.counts.shape == (len(one.truth), len(COLORS))
    assert not found.inputs[:, :, 0, 0].any()
    cells, looks, bare, cleaned = parts(found)
    assert abs(looks[:, :3].mean()) < 0.5
    assert looks[:, -1].any(), "cubes on taught tiles were painted over"
    assert not any(part[:, -1].any() for part in (cells, bare, cleaned)), "nothing is painted over in a game"
    assert torch.equal(found.inputs, made(episode(source, np.random.default_rng(2))).inputs)


def test_tables_in_one_step_stay_apart(source: Source) -> None:
    first, second = (episode(source, np.random.default_rng(seed)) for seed in (2, 3))
    both, alone = made(first, second), made(second)
    for place, (whole, part) in enumerate(zip(parts(both), parts(alone), strict=True)):
        if place:  # the cells themselves are lit at random
            assert torch.equal(whole[-len(part) :], part) or not len(part)
    for of, part in zip(both.tables, (alone.truth, alone.names), strict=True):
        assert of.tolist() == [0] * (len(of) - len(part)) + [1] * len(part)
    cells = len(first.truth)
    assert torch.equal(both.truth[cells:], alone.truth)
    assert torch.equal(both.density[cells:], alone.density)
    for whole, part in ((both.with_bare, alone.with_bare), (both.cleaned, alone.cleaned)):
        assert torch.equal(whole[whole >= cells] - cells, part)


def test_a_batch_says_where_each_cells_cubes_are_seen(source: Source) -> None:
    seen = 0
    for seed in range(3):
        found = made(episode(source, np.random.default_rng(seed)))
        assert found.placed.all()
        assert found.density.sum((2, 3)).clamp(max=MOST_COUNTED).numpy() == pytest.approx(found.counts, abs=1e-3)
        for cell in (found.counts.sum(1) == 1).nonzero().flatten().tolist():
            color = int(found.counts[cell].argmax())
            at = np.unravel_index(int(found.density[cell, color].argmax()), (DENSITY_PX, DENSITY_PX))
            row, column = (int(value * 4 + 2) for value in at)
            nearness = found.inputs[cell, 3 + color]
            around = nearness[max(row - 2, 0) : row + 2, max(column - 2, 0) : column + 2].mean()
            seen += bool(around > nearness.mean())
            assert not found.density[cell, np.arange(len(COLORS)) != color].any()
    assert seen >= 10


def test_where_cubes_are_seen_is_unknown_in_photographs_of_tables_and_known_of_cells_without(composed: Album) -> None:
    photographed = replace(composed, cubes=np.zeros((0, 4), np.float32))
    found = made(episode(Source("t00001", photographed), np.random.default_rng(4)))
    assert not found.density.any()
    assert torch.equal(found.placed, ~found.counts.any(1))


def test_cells_without_cubes_differ_less_from_what_they_are_than_from_anything_else(composed: Album) -> None:
    source = Source("composed-00003", replace(composed, counts=np.zeros_like(composed.counts)))
    own, other = [], []
    for seed in range(4):
        found = made(episode(source, np.random.default_rng(seed)))
        cells, looks, bare, _ = (part[:, :3] for part in parts(found))
        off = torch.stack([(looks - cell).abs().mean((1, 2, 3)) for cell in cells])
        for cell, name in enumerate(found.truth):
            if name:
                own.append(off[cell, found.names == name].min())
                other.append(off[cell, found.names != name].median())
        own += list((bare - cells[found.with_bare]).abs().mean((1, 2, 3))[found.truth[found.with_bare] == 0])
    assert np.mean(own) < 0.75 * np.mean(other)
