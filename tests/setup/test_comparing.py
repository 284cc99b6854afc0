"""The nets take a second look at a first guess: roads of one colour look alike, and merchants are counted."""

from dataclasses import replace
from typing import TypeVar

import numpy as np
import pytest

from companion.board import (
    BARE,
    EDGE_PAIRS,
    Color,
    Contents,
    HexBoard,
    HexCell,
    Merchants,
    Reading,
    Road,
    Settlement,
    SettlementType,
    Terrain,
)
from companion.board.reading import CellReading
from companion.setup.comparing import _counted, looked_again, road_as_others
from companion.setup.draft import Draft
from companion.setup.empty_board import EmptyBoard
from companion.setup.road_colors import RoadGroups, RoadLooks, _joined
from tests.setup.conftest import Drawn
from vision.light.flatten import Flat
from vision.tiles.opinion import COLORS as MERCHANT_COLORS

COLORS = (Color.BLACK, Color.RED)
CELLS = tuple(HexCell(q, 0) for q in range(6))


def groups(*scores: tuple[float, float]) -> RoadGroups:
    return RoadGroups((CELLS[:3], CELLS[3:]), COLORS, np.array(scores, np.float64))


def road(color: Color, edges: tuple[int, int] = (0, 3)) -> Contents:
    return Contents(Road(color, Terrain.HILL, edges))


def colors(told: RoadGroups, said: dict[HexCell, Contents]) -> list[Color]:
    by_cell = told.told(said)
    return [by_cell[CELLS[0]], by_cell[CELLS[3]]]


def test_groups_are_named_together_so_that_each_colour_is_there() -> None:
    assert colors(groups((0.6, 0.5), (0.9, 0.1)), {}) == [Color.RED, Color.BLACK]
    assert colors(groups((0.9, 0.1), (0.6, 0.5)), {}) == [Color.BLACK, Color.RED]


def test_two_roads_that_people_name_name_their_group_and_the_other_by_elimination() -> None:
    likely = groups((0.9, 0.1), (0.1, 0.9))
    said = {CELLS[0]: road(Color.RED), CELLS[1]: road(Color.RED)}
    assert colors(likely, said) == [Color.RED, Color.BLACK]


def test_one_road_that_people_name_otherwise_was_sorted_wrongly() -> None:
    assert colors(groups((0.9, 0.1), (0.1, 0.9)), {CELLS[0]: road(Color.RED)}) == list(COLORS)


def test_what_people_said_and_what_is_no_road_stays_as_it_is() -> None:
    village = Contents(Settlement(SettlementType.VILLAGE))
    held = {CELLS[0]: road(Color.RED), CELLS[1]: road(Color.RED), CELLS[2]: village}
    read = {cell: CellReading(held.get(cell, BARE), Terrain.PLAIN, False, 1.0) for cell in HexBoard(6).cells}
    colored = groups((0.9, 0.1), (0.1, 0.9)).colored(Reading(HexBoard(6), dict(read)), {CELLS[0]: held[CELLS[0]]})
    assert [colored.contents(cell) for cell in CELLS[:3]] == [road(Color.RED), road(Color.BLACK), village]


def test_what_is_near_is_joined_up_to_the_size_that_groups_may_have() -> None:
    far = np.abs(np.subtract.outer([0.0, 1, 2, 10, 11], [0.0, 1, 2, 10, 11]))
    assert _joined(far, 2, 3).tolist() == [0, 0, 0, 1, 1]
    larger = np.abs(np.subtract.outer([0.0, 1, 2, 3], [0.0, 1, 2, 3]))
    assert sorted(np.bincount(_joined(larger, 2, 2)).tolist()) == [2, 2]


Named = TypeVar("Named", Color, Terrain)


def other(name: Named) -> Named:
    return next(one for one in type(name) if one is not name)


@pytest.mark.long
def test_a_photograph_whose_roads_and_merchants_were_guessed_wrongly_is_put_right(
    taught_draft: Draft, drawn: Drawn
) -> None:
    lesson, ground = taught_draft.lessons[0], taught_draft.ground
    empty = Flat.of(ground.image, ground.view, taught_draft.extent)
    shown = Flat.of(lesson.image, lesson.view, taught_draft.extent)
    cells = dict(drawn.truth.cells)
    roads = [cell for cell, read in cells.items() if isinstance(read.contents.tile, Road)]
    turned, bare = roads[0], roads[1]
    tile = cells[turned].contents.tile
    assert isinstance(tile, Road)
    way = next(edges for edges in EDGE_PAIRS if edges != tile.edges)
    for cell, contents in (
        (turned, Contents(replace(tile, edges=way, color=other(tile.color), terrain=other(tile.terrain)))),
        (bare, Contents(cells[bare].contents.tile, Merchants(red=3))),
    ):
        cells[cell] = replace(cells[cell], contents=contents)
    looked = looked_again(empty, ground.truth, shown, replace(drawn.truth, cells=cells), tuple(Color))
    again, instead = looked.reading, looked.instead
    assert looked.roads is not None
    assert instead[turned][f"terrain-{tile.terrain}"] == 0
    assert instead[turned][f"way-{way[0]}{way[1]}"] < 0
    assert again.contents(turned).tile == tile
    assert again.contents(bare) == drawn.truth.contents(bare)


def test_counting_merchants_says_nothing_of_the_tile(taught_draft: Draft) -> None:
    reading = taught_draft.lessons[0].reading
    cell = next(cell for cell in HexBoard(6).cells if isinstance(reading.contents(cell).tile, Road))
    held = reading.contents(cell)
    counted = taught_draft.corrected_at(0, cell, replace(held, merchants=Merchants(red=2))).lessons[0]
    assert (cell in counted.corrected, cell in counted.named) == (True, cell in taught_draft.lessons[0].named)
    village = Contents(Settlement(SettlementType.VILLAGE))
    assert cell in taught_draft.corrected_at(0, cell, village).lessons[0].named


def test_a_photograph_that_teaches_nothing_is_left_as_it_is(taught_draft: Draft) -> None:
    lesson, ground = taught_draft.lessons[0], taught_draft.ground
    empty = Flat.of(ground.image, ground.view, taught_draft.extent)
    nothing = replace(
        lesson.reading, cells={cell: replace(read, contents=BARE) for cell, read in lesson.reading.cells.items()}
    )
    looked = looked_again(empty, ground.truth, empty, nothing, tuple(Color))
    assert (looked.reading, looked.roads, looked.instead, looked.counts) == (nothing, None, {}, None)


@pytest.fixture(scope="module")
def miscounted(taught_draft: Draft) -> Draft:
    """The draft as it would be if yellow and grey cubes had been taken for much darker ones."""
    lesson = taught_draft.lessons[0]
    assert lesson.counts is not None
    cubes = lesson.counts.cubes.copy()
    for color in (Color.YELLOW, Color.GREY):
        cubes[MERCHANT_COLORS.index(color)] *= 0.3
    counts = replace(lesson.counts, cubes=cubes)
    cells = dict(lesson.reading.cells)
    for cell, merchants in counts.merchants().items():
        cells[cell] = replace(cells[cell], contents=replace(cells[cell].contents, merchants=merchants))
    reading = replace(lesson.reading, cells=cells)
    return replace(taught_draft, lessons=(replace(lesson, reading=reading, counts=counts, told=frozenset()),))


def wrongly_counted(draft: Draft, drawn: Drawn) -> list[HexCell]:
    reading = draft.lessons[0].reading
    return [cell for cell in HexBoard(6).cells if reading.contents(cell).merchants != merchants_on(drawn, cell)]


def merchants_on(drawn: Drawn, cell: HexCell) -> Merchants:
    return drawn.truth.contents(cell).merchants


def put_right(draft: Draft, drawn: Drawn, cell: HexCell) -> Draft:
    held = draft.lessons[0].reading.contents(cell)
    return draft.corrected_at(0, cell, replace(held, merchants=merchants_on(drawn, cell)))


@pytest.mark.long
def test_a_word_on_some_merchants_puts_others_of_their_colour_right(miscounted: Draft, drawn: Drawn) -> None:
    first, draft, words = wrongly_counted(miscounted, drawn), miscounted, 0
    assert len(first) > 4
    while wrong := wrongly_counted(draft, drawn):
        draft, words = put_right(draft, drawn, wrong[0]), words + 1
    assert words < 0.6 * len(first)
    assert len(draft.lessons[0].told) == words


@pytest.mark.long
def test_merchants_that_people_counted_stay(miscounted: Draft, drawn: Drawn) -> None:
    odd = next(cell for cell in HexBoard(6).cells if miscounted.lessons[0].reading.contents(cell) == BARE)
    draft = miscounted.corrected_at(0, odd, Contents(None, Merchants(red=1)))
    for cell in wrongly_counted(draft, drawn):
        draft = draft if cell == odd else put_right(draft, drawn, cell)
    assert draft.lessons[0].reading.contents(odd) == Contents(None, Merchants(red=1))
    assert wrongly_counted(draft, drawn) == [odd]


def test_a_word_that_other_tones_would_not_explain_changes_no_other_cell(taught_draft: Draft) -> None:
    before = taught_draft.lessons[0].reading
    odd = next(cell for cell in HexBoard(6).cells if before.contents(cell) == BARE)
    after = taught_draft.corrected_at(0, odd, Contents(None, Merchants(black=1))).lessons[0].reading
    assert [cell for cell in HexBoard(6).cells if after.contents(cell) != before.contents(cell)] == [odd]


def test_a_word_on_a_tile_alone_counts_no_merchant_anew(miscounted: Draft, drawn: Drawn) -> None:
    before = wrongly_counted(miscounted, drawn)
    cell = next(cell for cell in HexBoard(6).cells if drawn.truth.contents(cell).tile is not None)
    held = miscounted.lessons[0].reading.contents(cell)
    after = miscounted.corrected_at(0, cell, replace(held, tile=Settlement(SettlementType.CITY)))
    assert wrongly_counted(after, drawn) == before
    assert after.lessons[0].told == frozenset()


def test_a_second_colour_on_a_bare_cell_is_believed_less_than_on_a_tile() -> None:
    odds = {COLORS[0]: 4.0, COLORS[1]: 2.0}
    logs = np.zeros((2, len(Color), 3), np.float32)
    logs[:, :, 1:] = [[odds.get(color, -9.0), -9.0] for color in MERCHANT_COLORS]
    on_tile, bare = _counted(logs, tiles=1)
    assert on_tile == Merchants.of({COLORS[0]: 1, COLORS[1]: 1})
    assert bare == Merchants.of({COLORS[0]: 1})


@pytest.fixture(scope="module")
def looks(drawn: Drawn, ground: EmptyBoard) -> RoadLooks:
    roads = Draft(ground).taught(drawn.shown).lessons[0].roads
    assert roads is not None
    assert roads.looks is not None
    return roads.looks


def true_roads(drawn: Drawn, looks: RoadLooks) -> dict[HexCell, Road]:
    tiles = {cell: drawn.truth.contents(cell).tile for cell in looks.cells}
    return {cell: tile for cell, tile in tiles.items() if isinstance(tile, Road)}


def test_one_road_that_people_put_on_another_terrain_takes_those_like_it_along(drawn: Drawn, looks: RoadLooks) -> None:
    true = {cell: road.terrain for cell, road in true_roads(drawn, looks).items()}
    first = {cell: Terrain.FOREST if kind is Terrain.HILL else kind for cell, kind in true.items()}
    assert looks.grounded(first, {}) == first
    one = next(cell for cell, kind in true.items() if kind is Terrain.HILL)
    found = looks.grounded(first, {one: Terrain.HILL})
    assert sum(found[cell] is true[cell] for cell in true) > 0.9 * len(true)


def test_one_road_whose_colour_people_say_takes_those_like_it_along(drawn: Drawn, looks: RoadLooks) -> None:
    true = {cell: road.color for cell, road in true_roads(drawn, looks).items()}
    first = {cell: Color.RED if color is Color.YELLOW else color for cell, color in true.items()}
    one = next(cell for cell, color in true.items() if color is Color.YELLOW)
    found = looks.colored(first, {one: Color.YELLOW})
    assert sum(found[cell] is true[cell] for cell in true) > 0.9 * len(true)


def test_what_people_say_of_a_road_stays_however_it_looks(drawn: Drawn, looks: RoadLooks) -> None:
    true = {cell: road.color for cell, road in true_roads(drawn, looks).items()}
    one = next(cell for cell, color in true.items() if color is Color.YELLOW)
    assert looks.colored(true, {one: Color.RED})[one] is Color.RED


def test_what_a_road_may_be_instead_is_told_by_the_others_as_they_are_named_now(drawn: Drawn, looks: RoadLooks) -> None:
    true = true_roads(drawn, looks)
    one = next(cell for cell, road in true.items() if road.color is Color.YELLOW)
    doubts = looks.doubts({**true, one: replace(true[one], color=Color.RED)}, tuple(Color))
    assert max((log, name) for name, log in doubts[one].items() if name.startswith("color-")) == (0.0, "color-yellow")
    right = [cell for cell in true if doubts[cell].get(f"color-{true[cell].color}") == 0.0]
    assert len(right) > 0.9 * len(true)
    may_be = {name for names in doubts.values() for name in names}
    assert may_be == {name for road in true.values() for name in (f"color-{road.color}", f"terrain-{road.terrain}")}


def test_one_road_alone_is_like_no_other(drawn: Drawn, looks: RoadLooks) -> None:
    cell, road = next(iter(true_roads(drawn, looks).items()))
    assert looks.doubts({cell: road}, tuple(Color)) == {}


@pytest.mark.long
def test_what_people_call_a_road_is_the_one_that_is_like_the_others(drawn: Drawn, ground: EmptyBoard) -> None:
    draft = Draft(ground).taught(drawn.shown)
    lesson = draft.lessons[0]
    empty = Flat.of(ground.image, ground.view, draft.extent)
    shown = Flat.of(lesson.image, lesson.view, draft.extent)
    right = 0
    cells = [cell for cell, read in drawn.truth.cells.items() if isinstance(read.contents.tile, Road)][:4]
    for cell in cells:
        assert isinstance(cell, HexCell)
        others = {**drawn.truth.cells, cell: CellReading(Contents(Settlement(SettlementType.CITY)))}
        reading = replace(drawn.truth, cells=others)
        found = road_as_others(empty, ground.truth, shown, reading, cell, tuple(Color))
        assert found is not None
        road, instead = found
        assert instead[f"color-{road.color}"] == instead[f"terrain-{road.terrain}"] == 0.0
        right += road == drawn.truth.contents(cell).tile
    assert right >= len(cells) - 1
    bare = replace(drawn.truth, cells=dict.fromkeys(drawn.truth.cells, CellReading(BARE)))
    assert road_as_others(empty, ground.truth, shown, bare, cells[0], tuple(Color)) is None  # type: ignore[arg-type]
