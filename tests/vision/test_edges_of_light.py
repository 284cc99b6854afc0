"""Edges of light, in pictures of nothing but light: straight ones, their jumps, and whether they have two sides."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.light.flatten import Floats
from vision.light.gain import Sides
from vision.light.jumps import Edge, crests, drawn, measured, places, straight_edges

SIDE_PX = 6
SIZE_PX = 168
X, Y = places(SIZE_PX, SIDE_PX)
SEEN = np.ones(X.shape, dtype=bool)
#: A line through the picture whose normal points to the lower right.
SLANTED = Edge((0.8, 0.6), 2.0, -40.0, 40.0)


def step(edge: Edge, height: float = 0.5, penumbra: float = 1 / SIDE_PX, rough: float = 0.0) -> Floats:
    within = (edge.places(X, Y) >= edge.start) & (edge.places(X, Y) <= edge.end)
    light = height * np.clip(edge.beyond(X, Y) / penumbra + 0.5, 0, 1) * within
    return np.asarray(light + np.random.default_rng(0).normal(0, rough, X.shape), dtype=np.float32)


def found_in(light: Floats, is_light: NDArray[np.bool_] = SEEN) -> list[Edge]:
    return straight_edges(crests(light), is_light, SIDE_PX)


@pytest.mark.parametrize("penumbra", [1 / SIDE_PX, 0.5])
def test_a_straight_edge_is_found_where_it_lies(penumbra: float) -> None:
    (found,) = found_in(step(SLANTED, penumbra=penumbra))
    assert found.normal == pytest.approx(SLANTED.normal, abs=0.01)
    assert found.offset == pytest.approx(SLANTED.offset, abs=0.1)
    assert found.start < -14
    assert found.end > 14


def test_an_edge_goes_on_under_what_hides_it() -> None:
    hidden = np.abs(SLANTED.places(X, Y)) < 4
    light = np.where(hidden, step(SLANTED, penumbra=3.0), step(SLANTED))
    (found,) = found_in(light, ~hidden)
    assert found.start < -14
    assert found.end > 14


def test_an_edge_ends_where_it_should_be_seen_and_is_not() -> None:
    found = found_in(step(Edge(SLANTED.normal, SLANTED.offset, -40.0, 3.0)))
    (edge,) = [edge for edge in found if edge.normal == pytest.approx(SLANTED.normal, abs=0.05)]
    assert edge.end == pytest.approx(3.0, abs=1.0)


@pytest.mark.parametrize(
    "light",
    [step(SLANTED, penumbra=6.0), step(SLANTED, height=0.06), np.where(np.hypot(X, Y) < 1.5, np.float32(0.5), 0)],
    ids=["soft", "faint", "small"],
)
def test_what_is_soft_faint_or_small_is_no_straight_edge(light: Floats) -> None:
    assert not found_in(light.astype(np.float32))


@pytest.mark.parametrize("penumbra", [0.04, 0.8])
def test_a_jump_is_measured_and_drawn_as_it_is(penumbra: float) -> None:
    finer = places(2 * SIZE_PX, 2 * SIDE_PX)
    light = cv2.resize(step(SLANTED, 0.9, max(penumbra, 1 / SIDE_PX), rough=0.05), (SIZE_PX, SIZE_PX))
    jump = measured(SLANTED, np.asarray(light, np.float32), SEEN, SIDE_PX)
    assert jump is not None
    assert jump.heights == pytest.approx(np.full(len(jump.heights), 0.9), abs=0.1)
    assert jump.penumbra == pytest.approx(penumbra, abs=0.25)
    nothing = np.zeros((2 * SIZE_PX, 2 * SIZE_PX), np.float32)
    picture = drawn([jump], nothing, nothing > 0, 2 * SIDE_PX)
    beyond = SLANTED.beyond(*finer)
    assert float(picture[beyond > 1].mean() - picture[beyond < -1].mean()) == pytest.approx(0.9, abs=0.05)
    assert max(float(picture[beyond > 1].std()), float(picture[beyond < -1].std())) < 0.06


def test_where_light_is_even_no_jump_is_measured() -> None:
    assert measured(SLANTED, step(SLANTED, 0.0, rough=0.05), SEEN, SIDE_PX) is None
    assert measured(SLANTED, step(SLANTED), ~SEEN, SIDE_PX) is None


def test_edges_of_another_shape_are_drawn_as_they_are_seen() -> None:
    light = np.where(np.hypot(X, Y) < 5, np.float32(0.7), np.float32(0))
    ring = np.abs(np.hypot(X, Y) - 5) < 0.6
    picture = drawn([], light, ring, SIDE_PX)
    assert np.allclose(picture - picture[0, 0], light, atol=0.02)


def test_an_edge_across_the_picture_has_two_sides_and_one_that_stops_has_not() -> None:
    stops = Edge(SLANTED.normal, SLANTED.offset, -9.0, 2.0)
    across, short = crests(step(SLANTED)), crests(np.asarray(step(SLANTED) * 0, np.float32))
    assert Sides(across, [SLANTED], SEEN, SIDE_PX).of(SLANTED)
    assert not Sides(short, [stops], SEEN, SIDE_PX).of(stops)


def test_a_closed_line_has_two_sides_and_an_open_one_has_not() -> None:
    around = np.where(np.hypot(X, Y) < 5, np.float32(0.7), np.float32(0))
    # In the second one, light comes in through an open quarter as slowly as it fades.
    fading = around * np.clip((6 - X - Y) / 8, 0, 1).astype(np.float32)
    for light, has_two in ((around, True), (fading, False)):
        found = crests(light)
        line = np.ones(len(found.rows), np.int32)
        assert bool(Sides(found, [], SEEN, SIDE_PX).of_lines(found, line, 2)[1]) is has_two
