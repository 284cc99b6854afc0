"""Day tracks: on which field each colour's marker is."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.view import TRACK_FIELDS
from companion.board import Color
from simulator import Hand, Scene
from tests.vision.conftest import DrawnTable, tracks_of
from vision.board.tracks import TrackReading, field_centre, read_track, teach_markers
from vision.light.flatten import Image


def read(drawn: DrawnTable, picture: Image) -> dict[Color, TrackReading]:
    tone, taught = drawn.tone(picture), drawn.taught
    return {color: read_track(tone, taught.look.tone, taught.markers, color) for color in Color}


@pytest.mark.long
@pytest.mark.parametrize("field", range(TRACK_FIELDS))
def test_every_field_of_every_track_is_read(drawn: DrawnTable, field: int) -> None:
    rng = np.random.default_rng(field)
    scene = Scene()
    for k, color in enumerate(Color):
        scene = scene.move_marker(color, (field + 3 * k) % TRACK_FIELDS, rng)
    tracks = read(drawn, drawn.camera.picture(scene))
    assert tracks == {color: TrackReading(at, clear=True) for color, at in tracks_of(scene).items()}


@pytest.mark.long
def test_a_track_without_marker_is_read_as_none(drawn: DrawnTable) -> None:
    scene = Scene().move_marker(Color.RED, 4, np.random.default_rng(1))
    tracks = read(drawn, drawn.camera.picture(scene))
    assert tracks == {color: TrackReading(4 if color is Color.RED else None, clear=True) for color in Color}


@pytest.mark.long
def test_two_markers_on_one_track_are_unclear(drawn: DrawnTable) -> None:
    rng = np.random.default_rng(1)
    one, two = (drawn.camera.picture(Scene().move_marker(Color.RED, field, rng), grain=False) for field in (2, 7))
    bare = drawn.camera.picture(Scene(), grain=False)
    both = np.where(one != bare, one, two)
    assert not read(drawn, both)[Color.RED].clear


def test_a_colour_that_teaching_never_showed_is_read_where_it_stands_out(drawn: DrawnTable) -> None:
    look = drawn.taught.look.tone
    untaught = teach_markers(look, look, drawn.folder.setup.tracks, drawn.folder.load_empty()[1])
    assert untaught.strengths == {}
    tone = drawn.tone(drawn.camera.picture(Scene().move_marker(Color.BLACK, 8, np.random.default_rng(2))))
    assert read_track(tone, look, untaught, Color.BLACK).field == 8


@pytest.mark.parametrize("left", [0.5, 0.7, 1.5])
def test_the_edge_of_a_shadow_or_of_sunlight_over_a_bare_track_is_no_marker(drawn: DrawnTable, left: float) -> None:
    bare, look = drawn.tone(drawn.camera.picture(Scene())), drawn.taught.look.tone
    for color in Color:
        for field in (1, 5, 9):
            x, y = field_centre(drawn.folder.setup.tracks, color, field)
            column, row = (round((value + 14) * 24) for value in (x, y))
            lit = bare.copy()
            lit[:row, :column] *= left
            track = read_track(lit, look, drawn.taught.markers, color)
            assert track.field is None or not track.clear


def test_fields_are_evenly_spaced_between_the_ends(drawn: DrawnTable) -> None:
    tracks = drawn.folder.setup.tracks
    for color, (first, last) in tracks.items():
        assert field_centre(tracks, color, 0) == first
        assert field_centre(tracks, color, TRACK_FIELDS - 1) == pytest.approx(last)
        assert field_centre(tracks, color, 5) == pytest.approx(tuple(np.add(first, last) / 2))


@pytest.mark.long
def test_a_marker_under_a_hand_is_not_spoken_for_and_stays_as_it_was(drawn: DrawnTable) -> None:
    rng = np.random.default_rng(5)
    scene = drawn.assembled(3).move_marker(Color.RED, 5, rng)
    reader = drawn.reader()
    reader.read(drawn.camera.picture(scene))
    x, y = field_centre(drawn.folder.setup.tracks, Color.RED, 5)
    # The arm comes in from outside the frame, over the marker, towards the board's middle.
    covered = replace(scene, hand=Hand(0.5 * x, 0.5 * y, float(np.arctan2(y, x)), 2))
    assert Color.RED in drawn.camera.truth(covered).occluded_tracks
    reading = reader.read(drawn.camera.picture(covered))
    assert Color.RED in reading.occluded_tracks
    assert reading.tracks[Color.RED] == 5
