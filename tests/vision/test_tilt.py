"""How the comparison errs about cubes is learnt from moves, at the table where it errs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import Color, Contents, HexCell, Merchants, Road, Terrain, Workshop
from tests.vision.conftest import TOWN, VILLAGE, DrawnTable, cubes_seen
from vision.cubes.tilt import Tilt
from vision.reader import Reader
from vision.tiles.opinion import COLORS, Opinion

BLACK, YELLOW = COLORS.index(Color.BLACK), COLORS.index(Color.YELLOW)
PAIR = (Color.BLACK, Color.GREY)
HERE = HexCell(0, 0)


def share(of: Opinion, number: int, color: Color = Color.BLACK) -> float:
    return math.exp(float(of.counts[0, COLORS.index(color), number]))


def taught(times: int, seen: Opinion, true: Contents) -> Tilt:
    tilt = Tilt()
    for place in range(times):
        tilt.learn(HexCell(place, 0), tilt.put_right(seen), true)
    return tilt


SHADOW = cubes_seen(black=[0.1, 0.9])


def test_at_first_an_opinion_is_left_as_it_is() -> None:
    assert Tilt().put_right(SHADOW) is SHADOW


def test_where_shadows_were_counted_as_black_cubes_the_next_one_is_doubted() -> None:
    tilt = taught(6, SHADOW, Contents(TOWN))
    assert share(tilt.put_right(SHADOW), 1) < 0.5
    assert share(tilt.put_right(cubes_seen(black=[0.001, 0.999])), 1) > 0.9, "a cube that is plainly seen stays one"
    grey = cubes_seen(grey=[0.1, 0.9])
    assert share(tilt.put_right(grey), 1, Color.GREY) == pytest.approx(0.9, abs=0.01), "of grey nothing was learnt"


def test_one_move_that_was_taken_wrongly_teaches_nothing_that_counts() -> None:
    plain = cubes_seen(black=[0.02, 0.98])
    assert share(taught(1, plain, Contents(TOWN)).put_right(plain), 1) == pytest.approx(0.98, abs=0.01)


def test_where_cubes_are_overlooked_the_next_one_is_looked_for() -> None:
    tilt = taught(9, cubes_seen(black=[0.8, 0.2]), Contents(TOWN, Merchants(black=1)))
    assert share(tilt.put_right(cubes_seen(black=[0.8, 0.2])), 1) > 0.4


@given(st.lists(st.booleans(), min_size=20, max_size=60))
def test_if_the_comparison_is_as_right_as_it_says_next_to_nothing_is_learnt(are_there: list[bool]) -> None:
    """A law: what is expected teaches nothing, in whatever order."""
    tilt = Tilt()
    for place, is_there in enumerate(are_there):
        seen = cubes_seen(black=[0.03, 0.97] if is_there else [0.97, 0.03])
        tilt.learn(HexCell(place, 0), tilt.put_right(seen), Contents(TOWN, Merchants(black=int(is_there))))
    assert abs(float(tilt.steps[0, BLACK])) < 0.75


def test_the_same_opinion_teaches_once_and_another_one_of_the_same_cell_less() -> None:
    tilt, seen = Tilt(), cubes_seen(black=[0.5, 0.5])
    tilt.learn(HERE, seen, Contents(TOWN))
    once = float(tilt.steps[0, BLACK])
    tilt.learn(HERE, seen, Contents(TOWN))
    assert float(tilt.steps[0, BLACK]) == once < 0
    again = taught(1, seen, Contents(TOWN))
    again.learn(HERE, cubes_seen(black=[0.5, 0.5]), Contents(TOWN))
    elsewhere = taught(2, seen, Contents(TOWN))
    assert elsewhere.steps[0, BLACK] < again.steps[0, BLACK] < once
    again.new_game()
    kept = float(again.steps[0, BLACK])
    again.learn(HERE, seen, Contents(TOWN))
    assert float(again.steps[0, BLACK]) < kept, "in a new game it is another cell"


def test_of_a_tile_that_was_not_compared_and_of_a_heap_nothing_is_learnt() -> None:
    assert not taught(3, SHADOW, Contents(VILLAGE)).steps.any()
    assert not taught(3, SHADOW, Contents(TOWN, Merchants(black=4))).steps[0, BLACK]
    assert taught(3, SHADOW, Contents(TOWN, Merchants(black=3))).steps[0, BLACK] > 0


def test_cubes_on_a_workshop_of_their_colour_are_learnt_apart() -> None:
    home = cubes_seen(Workshop(Color.BLACK), black=[0.9, 0.1])
    tilt = taught(6, home, Contents(Workshop(Color.BLACK), Merchants(black=6)))
    assert share(tilt.put_right(home), 0) < 0.5, "there are some"
    assert not tilt.steps[0, BLACK]
    elsewhere = cubes_seen(black=[0.9, 0.1])
    assert share(tilt.put_right(elsewhere), 0) == pytest.approx(0.9, abs=0.01)
    others = cubes_seen(Workshop(Color.YELLOW), black=[0.9, 0.1])
    assert share(tilt.put_right(others), 0) == pytest.approx(0.9, abs=0.01), "and on another's workshop"


def test_a_colour_that_nobody_plays_has_no_cubes_and_one_seen_is_perhaps_another_colours() -> None:
    tilt = Tilt()
    tilt.plays(PAIR)
    right = tilt.put_right(cubes_seen(yellow=[0.1, 0.9]))
    assert share(right, 0, Color.YELLOW) == pytest.approx(1.0)
    assert 0.1 < share(right, 1, Color.BLACK) < 0.3
    assert 0.1 < share(right, 1, Color.GREY) < 0.3
    assert np.exp(right.counts).sum(axis=2) == pytest.approx(1.0, abs=0.01)
    assert tilt.put_right(cubes_seen()).best == Contents(TOWN)
    tilt.learn(HERE, cubes_seen(yellow=[0.1, 0.9]), Contents(TOWN))
    assert not tilt.steps[:, YELLOW].any(), "nothing more is to be learnt of it"
    tilt.new_game()
    again = tilt.put_right(cubes_seen(yellow=[0.1, 0.9]))
    assert share(again, 1, Color.YELLOW) == pytest.approx(0.9, abs=0.01), "the next game may have it"


def test_roads_and_bare_ground_are_left_as_they_are() -> None:
    """There is hardly ever a cube on them, and a road read less surely may pass for one that nobody laid."""
    for tile in (Road(Color.YELLOW, Terrain.PLAIN, (0, 3)), None):
        seen = cubes_seen(tile, black=[0.2, 0.8])
        tilt = taught(9, seen, Contents(tile))
        assert not tilt.steps.any()
        tilt = taught(9, SHADOW, Contents(TOWN))
        tilt.plays(PAIR)
        assert tilt.put_right(seen) is seen


@pytest.mark.long
def test_a_reader_learns_from_the_books_and_is_told_who_plays(drawn: DrawnTable, taught_reader: Reader) -> None:
    reader, deal = taught_reader, drawn.deal(5)
    reader.booked(deal, PAIR)
    assert not reader._comparing.tilt.steps.any(), "no photograph has been read"
    reader.new_game()
    reader.read(drawn.deal_picture(5))
    reader.booked(deal, PAIR)
    sites = sorted(deal, key=str)[:3]
    scene, rng = drawn.dealt(5), np.random.default_rng(5)
    for site, color in zip(sites, (Color.BLACK, Color.BLACK, Color.YELLOW), strict=True):
        scene = scene.put(site, color, rng)
    first = reader.read(drawn.camera.picture(scene))
    assert not first.contents(sites[2]).merchants.yellow, "nobody plays yellow"
    assert sites[2] in first.unclear, "but there is a cube"
    assert first.contents(sites[0]).merchants.black == 1
    before = float(reader._comparing.tilt.steps[0, BLACK])
    reader.booked(deal, PAIR)
    assert reader._comparing.tilt.steps[0, BLACK] < before, "the books say that the two black cubes are not there"
