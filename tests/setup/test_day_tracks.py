"""Day tracks are found from the markers on their first fields, all at once, however a frame arranges them."""

from collections.abc import Mapping

import cv2
import numpy as np
import pytest

from companion.board import Color
from companion.setup.day_tracks import find_tracks, marked, marker_tones, propose_tracks
from companion.setup.features import PALETTE
from tests.setup.conftest import Drawn
from vision.board.layout import BoardLook, teach_look
from vision.light.flatten import GAMMA, SIDE_PX, Floats, extent_cells

Point = tuple[float, float]

#: Where the fields 0 are: one track on each side, or two on each of two opposite sides.
EACH_SIDE = {
    Color.BLACK: (-6.5, -12.0), Color.GREY: (12.5, 6.5), Color.YELLOW: (6.5, 12.0), Color.RED: (-12.5, 6.5),
}  # fmt: skip
SIDE_BY_SIDE = {
    Color.BLACK: (12.2, -7.0), Color.GREY: (13.2, 7.0), Color.YELLOW: (-13.2, -7.0), Color.RED: (-12.2, -7.0),
}  # fmt: skip


@pytest.fixture(scope="module")
def frame(flats: tuple[Floats, Floats]) -> Floats:
    """The empty board on a frame without print, from above."""
    flat = flats[0].copy()
    axis = np.abs(np.arange(len(flat)) / SIDE_PX - extent_cells(flat))
    flat[(axis[:, None] > 10.1) | (axis[None, :] > 11.4)] = 0.8
    return flat


@pytest.fixture(scope="module")
def look(drawn: Drawn, frame: Floats) -> BoardLook:
    return teach_look(frame, drawn.empty_truth)


def with_markers(frame: Floats, places: Mapping[Color, Point]) -> Floats:
    """Lay cubes on a frame, each in its colour's wood."""
    flat = frame.copy()
    for color, (right, down) in places.items():
        column, row = (round((value + extent_cells(flat)) * SIDE_PX) for value in (right, down))
        ink = tuple(float(tone) ** GAMMA for tone in PALETTE[color])
        cv2.rectangle(flat, (column - 5, row - 5), (column + 5, row + 5), ink, -1)
    return flat


def far(found: Mapping[Color, tuple[Point, Point]], first: Mapping[Color, Point]) -> float:
    """Return how far the proposed ends are from the true ones at most."""
    ends = {
        color: ((right, down), (right, -down) if abs(right) > abs(down) else (-right, down))
        for color, (right, down) in first.items()
    }
    return max(float(np.linalg.norm(np.subtract(found[color], ends[color]), axis=1).max()) for color in first)


def test_tracks_of_a_drawn_board_are_found(drawn: Drawn, flats: tuple[Floats, Floats]) -> None:
    look = teach_look(flats[0], drawn.empty_truth)
    found = propose_tracks(flats[1], look, tuple(Color))
    for color, ends in drawn.folder.setup.tracks.items():
        assert np.linalg.norm(np.subtract(found[color], ends), axis=1).max() < 0.5
    assert marked(flats[1], look, found) == dict.fromkeys(Color, 0)


@pytest.mark.parametrize("places", [EACH_SIDE, SIDE_BY_SIDE])
def test_both_kinds_of_frame_are_told_apart(frame: Floats, look: BoardLook, places: Mapping[Color, Point]) -> None:
    assert far(propose_tracks(with_markers(frame, places), look, tuple(Color)), places) < 0.3


def test_tracks_are_sure_only_while_every_marker_is_seen(frame: Floats, look: BoardLook) -> None:
    assert find_tracks(with_markers(frame, EACH_SIDE), look, tuple(Color)).is_sure
    assert not find_tracks(with_markers(frame, {Color.RED: EACH_SIDE[Color.RED]}), look, tuple(Color)).is_sure


def test_a_marker_that_does_not_stand_out_is_where_the_others_leave_room(frame: Floats, look: BoardLook) -> None:
    seen = {color: place for color, place in EACH_SIDE.items() if color is not Color.GREY}
    found = propose_tracks(with_markers(frame, seen), look, tuple(Color))
    assert far(found, seen) < 0.5
    right, down = found[Color.GREY][0]
    assert (right, abs(down)) == pytest.approx((12.5, 6.5), abs=0.5), "the side that is left"


def test_markers_that_lie_anywhere_on_their_fields_do_not_bend_the_frame(frame: Floats, look: BoardLook) -> None:
    rng = np.random.default_rng(5)
    laid = {color: tuple(np.add(place, rng.uniform(-0.2, 0.2, 2))) for color, place in EACH_SIDE.items()}
    assert far(propose_tracks(with_markers(frame, laid), look, tuple(Color)), EACH_SIDE) < 0.3


def test_what_lies_on_another_field_is_not_taken_for_the_marker(frame: Floats, look: BoardLook) -> None:
    tracks = propose_tracks(with_markers(frame, EACH_SIDE), look, tuple(Color))
    littered = with_markers(with_markers(frame, EACH_SIDE), {Color.BLACK: tracks[Color.GREY][1]})
    assert marked(littered, look, tracks)[Color.GREY] == 0


def test_tones_are_seen_only_of_markers_that_are_there(frame: Floats, look: BoardLook) -> None:
    tracks = propose_tracks(with_markers(frame, EACH_SIDE), look, tuple(Color))
    seen = marker_tones(with_markers(frame, EACH_SIDE), look, tracks)
    assert set(seen) == set(Color)
    for color, tone in seen.items():
        assert tone == pytest.approx(PALETTE[color], abs=0.08)
    some = {color: place for color, place in EACH_SIDE.items() if color is not Color.GREY}
    assert set(marker_tones(with_markers(frame, some), look, tracks)) == set(some)
