"""The evidence for a reading: what comparing a cell said about an answer, and what else is known of the cell."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import BARE, Color, Contents, Merchants, Road, Terrain, Workshop
from tests.vision.conftest import TOWN, DrawnTable, opinion
from vision.tiles.opinion import LEAST_LOG
from vision.tiles.strips import Strip
from vision.tiles.trust import FEATURES, MOST_VIEWS, Reasons, Views, answers_of, as_cubes_stay, evidence

ROAD = Road(Color.RED, Terrain.PLAIN, (0, 3))
ASTRAY = replace(ROAD, edges=(2, 5))
NOTHING = Reasons(Terrain.PLAIN, False, None, False, 0.02, 0.05, 0.01, False)
#: What is seen along the way of a red road, and along a way that it crosses.
ALONG = Strip({Color.RED: -0.1, Color.BLACK: -2.6, None: -5.0}, {Terrain.PLAIN: -0.2, Terrain.HILL: -1.7})
ACROSS = Strip({Color.RED: -5.0, Color.BLACK: -3.0, None: -1.0}, {Terrain.PLAIN: -0.3, Terrain.HILL: -1.3})


def of(contents: Contents, views: Views, drawn: DrawnTable) -> dict[str, float]:
    return dict(zip(FEATURES, evidence(contents, views, drawn.taught.exemplars).tolist(), strict=True))


def test_the_likelier_answer_has_the_better_evidence(drawn: DrawnTable) -> None:
    views = Views(NOTHING, (opinion((ROAD, 0.9), (None, 0.08)),))
    right, wrong = of(Contents(ROAD), views, drawn), of(BARE, views, drawn)
    for name in ("likeness", "side by side", "probability of the tile", "probability"):
        assert right[name] > wrong[name]
    assert right["probability, beside its best rival"] > 0 > wrong["probability, beside its best rival"]
    assert (right["likeliest tile"], wrong["likeliest tile"]) == (1, 0)
    assert (right["road"], wrong["bare"]) == (1, 1)


def test_another_number_of_cubes_than_was_seen_is_less_likely(drawn: DrawnTable) -> None:
    views = Views(NOTHING, (opinion((TOWN, 0.95), red=2),))
    two, one = (of(Contents(TOWN, Merchants(red=number)), views, drawn) for number in (2, 1))
    assert two["probability of the cubes"] > one["probability of the cubes"] + 3
    assert (two["likeliest cubes"], one["likeliest cubes"]) == (1, 0)
    assert (two["cubes"], one["cubes"]) == (2, 1)


def test_what_was_not_taught_or_is_far_behind_has_the_least_evidence_and_it_is_finite(drawn: DrawnTable) -> None:
    row = of(Contents(Workshop(Color.GREY)), Views(NOTHING, (opinion((ROAD, 0.9), (None, 0.1)),)), drawn)
    assert row["compared"] == 0
    assert row["probability"] == LEAST_LOG
    assert np.isfinite(list(row.values())).all()


def test_several_looks_count_together(drawn: DrawnTable) -> None:
    sure, unsure = opinion((ROAD, 0.9), (None, 0.1)), opinion((ROAD, 0.3), (None, 0.7))
    views = Views(NOTHING, (sure,)).with_opinion(unsure)
    means = (of(Contents(ROAD), Views(NOTHING, (one,)), drawn)["probability of the tile"] for one in (sure, unsure))
    assert of(Contents(ROAD), views, drawn)["probability of the tile"] == pytest.approx(sum(means) / 2)
    for _ in range(MOST_VIEWS):
        views = views.with_opinion(sure)
    assert len(views.opinions) == MOST_VIEWS


def test_a_road_on_another_ground_than_the_boards_and_a_settlement_beside_a_site_are_noted(drawn: DrawnTable) -> None:
    views = Views(NOTHING, (opinion((ROAD, 0.5), (TOWN, 0.4)),))
    assert of(Contents(ROAD), views, drawn)["other terrain than the board's"] == 0
    assert of(Contents(replace(ROAD, terrain=Terrain.HILL)), views, drawn)["other terrain than the board's"] == 1
    assert of(Contents(ROAD), views, drawn)["off its place"] == 0
    assert of(Contents(TOWN), views, drawn)["off its place"] == 1
    unknown = replace(views, reasons=replace(NOTHING, terrain=None, site=None))
    assert of(Contents(TOWN), unknown, drawn)["off its place"] == 0


def test_what_lay_there_before_is_known_again(drawn: DrawnTable) -> None:
    before = Contents(TOWN, Merchants(red=1))
    views = Views(replace(NOTHING, before=before), (opinion((TOWN, 0.9), red=1),))
    same, more = of(before, views, drawn), of(Contents(TOWN, Merchants(red=2)), views, drawn)
    assert (same["as before"], same["tile as before"]) == (1, 1)
    assert (more["as before"], more["tile as before"]) == (0, 1)


def test_a_tile_that_is_known_to_lie_there_is_noted(drawn: DrawnTable) -> None:
    views = Views(replace(NOTHING, tiles=(TOWN,)), (opinion((TOWN, 0.9), (None, 0.1)),))
    town, bare = of(Contents(TOWN, Merchants(red=1)), views, drawn), of(BARE, views, drawn)
    assert (town["tile known"], town["tile as known"]) == (1, 1)
    assert (bare["tile known"], bare["tile as known"]) == (1, 0)
    never = of(Contents(TOWN), Views(NOTHING, views.opinions), drawn)
    assert (never["tile known"], never["tile as known"]) == (0, 0)


def test_a_roads_way_speaks_for_its_colour_and_terrain_and_against_others(drawn: DrawnTable) -> None:
    other, elsewhere = replace(ROAD, color=Color.BLACK), replace(ROAD, terrain=Terrain.HILL)
    asked = replace(NOTHING, strips={ROAD.edges: ALONG})
    views = Views(asked, (opinion((ROAD, 0.5), (other, 0.3), (elsewhere, 0.1)),))
    said = {tile: of(Contents(tile), views, drawn) for tile in (ROAD, other, elsewhere, ASTRAY, TOWN, None)}
    ahead = {tile: one["strip's colour, beside its best rival"] for tile, one in said.items()}
    assert ahead[ROAD] == ahead[elsewhere] == pytest.approx(2.5)
    assert ahead[other] == pytest.approx(-2.5)
    assert ahead[None] == pytest.approx(-4.9)
    assert ahead[ASTRAY] == LEAST_LOG
    assert ahead[TOWN] == 0
    assert said[ROAD]["strip's terrain, beside its best rival"] == pytest.approx(1.5)
    assert said[elsewhere]["strip's terrain, beside its best rival"] == pytest.approx(-1.5)
    assert {one["strips asked"] for one in said.values()} == {1}
    unasked = of(Contents(ROAD), Views(NOTHING, views.opinions), drawn)
    assert (unasked["strips asked"], unasked["strip's colour"]) == (0, 0)


def test_of_two_ways_the_one_that_looks_like_a_road_has_the_better_evidence(drawn: DrawnTable) -> None:
    both = replace(NOTHING, strips={ASTRAY.edges: ACROSS, ROAD.edges: ALONG})
    views = Views(both, (opinion((ASTRAY, 0.6), (ROAD, 0.3)),))
    said = {tile: of(Contents(tile), views, drawn) for tile in (ROAD, ASTRAY, TOWN, None)}
    ahead = {tile: one["strip's way, beside its best rival"] for tile, one in said.items()}
    assert ahead[ROAD] == -ahead[ASTRAY] > 2
    # Settlements and bare ground have no way: whatever looks like a road speaks against them.
    assert ahead[TOWN] == ahead[None] == pytest.approx(-ALONG.road)
    # Bare ground is judged along the way that looks least like it.
    assert said[None]["strip's colour"] == -5.0


def test_a_road_that_comparing_did_not_name_is_an_answer_where_a_way_looks_like_one() -> None:
    seen = (opinion((ASTRAY, 0.6), (None, 0.3), red=1),)
    unseen = Views(replace(NOTHING, strips={ASTRAY.edges: ACROSS}), seen)
    assert ROAD not in {answer.tile for answer in answers_of(unseen)}
    views = Views(replace(NOTHING, strips={ASTRAY.edges: ACROSS, ROAD.edges: ALONG}), seen)
    assert Contents(ROAD, Merchants(red=1)) in answers_of(views)
    # Something else that hardly looks like a road is not an answer.
    faint = replace(ALONG, colors={Color.RED: -4.0, Color.BLACK: -6.0, None: -0.05})
    assert ROAD not in {answer.tile for answer in answers_of(Views(replace(NOTHING, strips={(0, 3): faint}), seen))}


NUMBERS = st.integers(0, 2)
CONTENTS = st.builds(Contents, st.sampled_from((None, TOWN)), st.builds(Merchants, NUMBERS, NUMBERS, NUMBERS, NUMBERS))
GREY, RED, BOTH = (Contents(TOWN, one) for one in (Merchants(grey=1), Merchants(red=1), Merchants(grey=1, red=1)))


def test_a_cube_that_seems_to_have_come_in_place_of_another_may_lie_on_it() -> None:
    likely = as_cubes_stay({RED: 0.97, BOTH: 0.01}, GREY.merchants)
    assert likely[BOTH] / likely[RED] > 0.5
    assert likely[RED] < 0.96, "not enough to be clear"
    assert sum(likely.values()) < 1, "something else may be there"


def test_a_cube_that_was_taken_away_is_gone_and_one_that_came_beside_another_is_there() -> None:
    for now in ({Contents(TOWN): 0.97, GREY: 0.01}, {BOTH: 0.97, GREY: 0.01}, {Contents(BOTH.tile): 0.4}):
        assert as_cubes_stay(now, GREY.merchants) == pytest.approx(now)
    nothing = {RED: 0.97, BOTH: 0.01}
    assert as_cubes_stay(nothing, Merchants()) == nothing, "nothing lay there"


@given(st.dictionaries(CONTENTS, st.floats(0.001, 0.3), min_size=1, max_size=3), CONTENTS)
def test_answers_are_never_likelier_together_than_one_and_those_that_fit_keep_their_order(
    shares: dict[Contents, float], before: Contents
) -> None:
    likely = as_cubes_stay(shares, before.merchants)
    assert likely.keys() == shares.keys()
    assert sum(likely.values()) <= 1 + 1e-9
    fitting = [one for one in shares if one.merchants.least(before.merchants) == before.merchants]
    assert all(likely[one] >= shares[one] - 1e-9 for one in fitting), "none of them loses"
    assert sorted(fitting, key=lambda one: likely[one]) == sorted(fitting, key=lambda one: shares[one])


def test_what_lay_there_with_what_came_is_an_answer_though_it_is_not_seen() -> None:
    seen, two = (opinion((TOWN, 0.9), red=1),), Merchants(grey=2)
    together = replace(RED, merchants=RED.merchants + two)
    assert together not in answers_of(Views(NOTHING, seen))
    assert together in answers_of(Views(replace(NOTHING, cubes=two), seen))
