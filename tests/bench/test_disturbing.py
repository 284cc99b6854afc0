"""Disturbed pictures: what happens to the pixels, that the truth follows, and how an evening is read under them."""

import itertools
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bench import disturbances
from bench.disturbances import beginnings
from bench.disturbing import (
    DISTURBANCES,
    Disturbance,
    Disturbed,
    blurred,
    compressed,
    gained,
    mirroring,
    shadowed,
    veiled,
    with_forearm,
)
from bench.measuring import Found
from calibration.lens import Lens
from calibration.view import BoardView
from companion.board import CellReading, Color, HexBoard, Reading
from vision.light.flatten import linear

WIDTH, HEIGHT, SIDE_PX = 400, 300, 12.0
BOARD = HexBoard(6)
ONTO = np.array([[SIDE_PX, 0, WIDTH / 2], [0, SIDE_PX, HEIGHT / 2], [0, 0, 1]])
VIEW = BoardView.of(HexBoard(6), Lens(WIDTH, HEIGHT), ONTO)
TRACKS = {Color.RED: ((-5.0, 11.5), (5.0, 11.5))}
TRUTH = Reading(BOARD, {cell: CellReading() for cell in BOARD.cells}, {Color.RED: 0})
IMAGE = np.random.default_rng(1).integers(60, 120, (HEIGHT, WIDTH, 3), np.uint8)

rows = pytest.mark.parametrize("row", DISTURBANCES, ids=lambda row: row.name)


def moved_by(right: float, down: float) -> NDArray[np.float64]:
    return np.array([[1, 0, right], [0, 1, down], [0, 0, 1.0]])


@rows
def test_every_row_changes_the_picture_and_never_the_cells(row: Disturbance) -> None:
    disturbed = row.disturb(IMAGE, VIEW, 3)
    assert disturbed.image.shape == IMAGE.shape
    assert not np.array_equal(disturbed.image, IMAGE)
    truth = disturbed.truth(TRUTH, VIEW, TRACKS)
    assert (truth.cells, truth.tracks) == (TRUTH.cells, TRUTH.tracks)
    assert bool(truth.occluded) == (row.name == "forearm")


@rows
def test_the_same_seed_disturbs_in_the_same_way(row: Disturbance) -> None:
    one, other = (row.disturb(IMAGE, VIEW, 8) for _ in range(2))
    assert np.array_equal(one.image, other.image)


def test_gains_are_those_of_the_channels_and_clip() -> None:
    assert gained(np.full((1, 1, 3), 100, np.uint8), (0.75, 1.0, 1.2)).image.tolist() == [[[75, 100, 120]]]
    assert gained(np.full((1, 1, 3), 240, np.uint8), (1.3, 1.3, 1.3)).image.max() == 255


@pytest.mark.parametrize("soft_cells", [0.0, 3.0])
def test_a_shadow_has_an_edge_through_the_board(soft_cells: float) -> None:
    white = np.full((HEIGHT, WIDTH, 3), 200, np.uint8)
    for seed in range(8):
        shadow = shadowed(white, VIEW, seed, soft_cells).image
        centres = np.round(VIEW.to_image([cell.centre for cell in BOARD.cells])).astype(int)
        seen = shadow[centres[:, 1], centres[:, 0], 0]
        dark, light = (seen == 110).sum(), (seen == 200).sum()
        assert min(dark, light) > 12
        between = (seen > 110) & (seen < 200)
        assert between.sum() > 12 if soft_cells else between.sum() < 4


def test_a_window_mirrored_on_the_board_veils_what_is_around_it_and_hides_nothing() -> None:
    black = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    for seed in range(4):
        seen = mirroring(black, VIEW, seed).image.max(axis=2)
        row, column = np.unravel_index(seen.argmax(), seen.shape)
        assert np.hypot(column - WIDTH / 2, row - HEIGHT / 2) < 7 * SIDE_PX
        assert 90 < seen.max() < 120
        assert seen[0, 0] < seen.max() / 2


def test_haze_adds_as_much_light_to_dark_print_as_to_light_print() -> None:
    shown = np.array([[[20] * 3, [200] * 3]], np.uint8)
    added = linear(veiled(shown, np.array([0.07])).image) - linear(shown)
    assert added.ravel() == pytest.approx(0.07, abs=0.004)


def test_a_blurred_and_a_compressed_picture_lose_what_is_fine() -> None:
    for disturbed in (blurred(IMAGE), compressed(IMAGE)):
        assert np.abs(np.diff(disturbed.image.astype(int), axis=1)).mean() < (
            np.abs(np.diff(IMAGE.astype(int), axis=1)).mean()
        )


def test_the_nudged_rows_move_as_far_as_they_say() -> None:
    motions = {row.name: row.disturb(IMAGE, VIEW, 5).motion for row in DISTURBANCES}
    assert np.hypot(*motions["shifted 16 px"][:2, 2]) == pytest.approx(16)
    turned = motions["turned 3 degrees"]
    assert abs(np.degrees(np.arctan2(turned[1, 0], turned[0, 0]))) == pytest.approx(3)
    assert turned @ [WIDTH / 2, HEIGHT / 2, 1] == pytest.approx([WIDTH / 2, HEIGHT / 2, 1])


def test_cells_under_what_is_painted_are_hidden_and_no_others() -> None:
    cell = BOARD.cell("G7")
    covered = np.zeros((HEIGHT, WIDTH), np.uint8)
    covered[HEIGHT // 2 - 3 : HEIGHT // 2 + 4, WIDTH // 2 - 3 : WIDTH // 2 + 4] = 255
    truth = Disturbed(IMAGE, covered=covered).truth(TRUTH, VIEW, TRACKS)
    assert truth.occluded == {cell}
    # The mask belongs to the picture as it was taken: after a nudge it covers what was moved under it.
    beyond = cell.neighbour(0)
    aside = Disturbed(IMAGE, moved_by(-(beyond.centre[0] - cell.centre[0]) * SIDE_PX, 0.0), covered)
    assert aside.truth(TRUTH, VIEW, TRACKS).occluded == {beyond}


def test_what_was_hidden_stays_so() -> None:
    hidden = replace(TRUTH, occluded=frozenset({BOARD.cell("A1")}))
    for row in DISTURBANCES:
        assert BOARD.cell("A1") in row.disturb(IMAGE, VIEW, 2).truth(hidden, VIEW, TRACKS).occluded


def test_cells_moved_out_of_the_picture_are_hidden() -> None:
    truth = Disturbed(IMAGE, moved_by(0.0, -40.0)).truth(TRUTH, VIEW, TRACKS)
    assert {str(cell)[0] for cell in truth.occluded} == {"A"}


@pytest.mark.parametrize(("field", "is_hidden"), [(0, True), (10, False), (None, True)])
def test_a_track_is_hidden_where_its_marker_is_or_might_be(field: int | None, is_hidden: bool) -> None:
    covered = np.zeros((HEIGHT, WIDTH), np.uint8)
    x, y = VIEW.to_image([TRACKS[Color.RED][0]])[0].astype(int)
    covered[y - 5 : y + 6, x - 5 : x + 6] = 255
    truth = Disturbed(IMAGE, covered=covered).truth(replace(TRUTH, tracks={Color.RED: field}), VIEW, TRACKS)
    assert truth.occluded_tracks == ({Color.RED} if is_hidden else set())


@pytest.mark.parametrize("seed", range(6))
def test_the_forearm_comes_in_from_beyond_the_board_and_hides_what_it_covers(seed: int) -> None:
    disturbed = with_forearm(IMAGE, VIEW, seed)
    assert disturbed.covered is not None
    rim = np.concatenate([disturbed.covered[[0, -1]].ravel(), disturbed.covered[:, [0, -1]].ravel()])
    assert rim.max() > 250
    changed = (disturbed.image != IMAGE).any(axis=2)
    assert not changed[disturbed.covered == 0].any()
    hidden = disturbed.truth(TRUTH, VIEW, TRACKS).occluded
    for cell in BOARD.cells:
        x, y = np.round(VIEW.to_image([cell.centre])[0]).astype(int)
        assert disturbed.covered[y, x] < 200 or cell in hidden
    assert 3 < len(hidden) < 100


@pytest.mark.parametrize(
    ("photos", "count", "at"),
    [(10, 2, [1, 5]), (42, 2, [1, 21]), (8, 1, [1]), (5, 9, [1, 2, 3, 4]), (1, 2, []), (2, 2, [1])],
)
def test_disturbances_begin_after_the_deal_and_evenly_on_from_there(photos: int, count: int, at: list[int]) -> None:
    assert beginnings(photos, count) == at


#: How many photographs the drawn evening has.
PHOTOS = 4


@pytest.fixture
def shared(drawn_evening: Path, tmp_path: Path) -> Path:
    """A folder of one drawn table with the first photographs of its evening."""
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "drawn").symlink_to(drawn_evening.parents[1])
    return tmp_path


@pytest.mark.long
def test_rows_read_on_by_themselves_after_the_deal(
    shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = [f"--row={row}" for row in ("gain 0.5", "forearm")]
    monkeypatch.setattr(sys, "argv", ["disturbances", f"--shared={shared}", "--beginnings=1", *told])
    disturbances.main()
    figures: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    rows = figures["rows"]
    photos = {name: row["photos"] for name, row in rows.items()}
    assert photos == dict.fromkeys(["undisturbed", "gain 0.5", "forearm"], PHOTOS - 1)
    bars = itertools.product(("gain 0.5", "forearm"), ("silently wrong", "not spoken for"))
    assert set(figures["bars"]) == {f"{row}: {what}" for row, what in bars}
    assert rows["forearm"]["silent"]["of"] < rows["gain 0.5"]["silent"]["of"] == rows["undisturbed"]["silent"]["of"]
    # What the rows did to their copies has not affected the reader that they were copied from.
    found = {disturbances.UNDISTURBED: Found()}
    disturbances.Measurement(shared / "tables" / "drawn", [], False, found).run(1, 1)
    without_rows = found[disturbances.UNDISTURBED].to_json()
    assert without_rows["photos"] == PHOTOS - 1
    for what in ("exact_boards", "silent", "abstained", "tracks", "attributes"):
        assert rows["undisturbed"][what] == without_rows[what]
