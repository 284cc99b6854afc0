"""What was known of the game stays known: under hands, through pushes, knocks and other light."""

import gc
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from companion.board import BARE, Color, Contents, Merchants, Road, Terrain, Workshop
from simulator import Hand, Nudge, Scene
from tests.vision.conftest import TOWN, DrawnTable, tracks_of, wrong
from vision.light.flatten import Image
from vision.memory import Cells, KnownCell
from vision.reader import Reader


@pytest.fixture(scope="module")
def played(drawn: DrawnTable) -> Scene:
    """The board with a few roads and cubes after the deal."""
    scene, rng = drawn.dealt(21), np.random.default_rng(21)
    bare = [cell for cell in scene.board.cells if cell not in scene.tiles][3:102:11]
    roads = {cell: (list(Color)[k % 4], ((0, 3), (1, 3), (2, 4))[k % 3]) for k, cell in enumerate(bare)}
    scene = drawn.with_roads(scene, roads, 21)
    for k, cell in enumerate(list(scene.tiles)[:8]):
        scene = scene.put(cell, list(Color)[k % 4], rng)
    return scene


@pytest.fixture(scope="module")
def picture(drawn: DrawnTable, played: Scene) -> Image:
    return drawn.camera.picture(played)


@pytest.fixture(scope="module")
def after_play(drawn: DrawnTable, played: Scene, picture: Image) -> Reader:
    reader = deepcopy(drawn.reader_of_deal(21), {id(drawn.taught): drawn.taught})
    assert wrong(reader.read(picture), played) == {}
    return reader


@pytest.fixture
def reader(drawn: DrawnTable, after_play: Reader) -> Reader:
    """A reader that has seen the deal and what was played since."""
    return deepcopy(after_play, {id(drawn.taught): drawn.taught})


@pytest.mark.long
def test_what_a_hand_covers_is_not_spoken_for_and_printed_as_last_seen(
    drawn: DrawnTable, reader: Reader, played: Scene, picture: Image
) -> None:
    reading = reader.read(drawn.camera.picture(replace(played, hand=Hand(-2.0, -1.0, 1.7, 3))))
    assert len(reading.occluded) > 10
    for cell in reading.occluded:
        assert reading.contents(cell) == played.contents(cell)
    after = reader.read(picture)
    assert after.occluded == frozenset()
    assert wrong(after, played) == {}


@pytest.mark.long
def test_what_was_laid_under_a_hand_is_read_once_the_hand_is_gone(
    drawn: DrawnTable, reader: Reader, played: Scene, picture: Image
) -> None:
    rng = np.random.default_rng(1)
    hand = Hand(-2.0, -1.0, 1.7, 3)
    under = drawn.camera.truth(replace(played, hand=hand)).occluded
    # Not a cell at the hand's rim, which may be visible enough beside it.
    deep = [cell for cell in sorted(under) if {beyond for _, beyond in played.board.neighbours(cell)} <= under]
    cell = next(cell for cell in deep if played.contents(cell) == BARE)
    road = Road(Color.RED, drawn.camera.art.terrain_as_laid(played.layout)[cell], (0, 3))
    laid = played.lay(cell, road, rng)
    reading = reader.read(drawn.camera.picture(replace(laid, hand=hand)))
    assert cell in reading.occluded
    assert reading.contents(cell) == BARE
    assert reader.read(drawn.camera.picture(laid)).contents(cell) == Contents(road)


@pytest.mark.parametrize("nudge", [Nudge(0.12, -0.08, 0.0), Nudge(0.0, 0.1, 0.006)])
def test_a_pushed_board_reads_as_before(drawn: DrawnTable, reader: Reader, played: Scene, nudge: Nudge) -> None:
    pushed = replace(played, nudge=nudge)
    reading = reader.read(drawn.camera.picture(pushed))
    assert reader.lost is None
    assert wrong(reading, pushed) == {}
    assert len(reading.abstained) <= 4
    assert reading.tracks == tracks_of(pushed)


@pytest.mark.parametrize(
    "light", [(0.75, 0.75, 0.75), (1.1, 1.1, 1.1), (0.85, 1.0, 1.1)], ids=["dimmer", "brighter", "warmer"]
)
def test_other_light_reads_as_before(
    reader: Reader, played: Scene, picture: Image, light: tuple[float, float, float]
) -> None:
    across = np.linspace(0.85, 1.0, picture.shape[1])[None, :, None]
    reading = reader.read(np.clip(picture * across * np.array(light), 0, 255).astype(np.uint8))
    assert wrong(reading, played) == {}
    assert len(reading.abstained) <= 4


@pytest.mark.long
def test_a_new_game_forgets_the_old_one(drawn: DrawnTable, reader: Reader, played: Scene) -> None:
    other = drawn.dealt(22)
    assert other.layout != played.layout
    reader.new_game()
    reading = reader.read(drawn.camera.picture(other))
    assert wrong(reading, other) == {}
    terrain = {cell: read.terrain for cell, read in reading.cells.items()}
    assert terrain == drawn.camera.art.terrain_as_laid(other.layout)


@pytest.mark.long
def test_a_tile_and_a_cube_that_are_taken_away_are_gone(drawn: DrawnTable, reader: Reader, played: Scene) -> None:
    road = next(cell for cell, laid in played.tiles.items() if isinstance(laid.tile, Road))
    settlement = next(iter(played.cubes))
    color = next(iter(played.contents(settlement).merchants))
    less = played.take(road).remove(settlement, color)
    reading = reader.read(drawn.camera.picture(less))
    assert wrong(reading, less) == {}
    assert road not in reading.abstained
    assert settlement not in reading.abstained


def test_a_photograph_without_the_board_is_hidden_and_says_why(reader: Reader, played: Scene, picture: Image) -> None:
    before = reader.read(picture)
    reading = reader.read(np.zeros_like(picture))
    assert reader.lost
    assert reading.occluded == frozenset(played.board.cells)
    assert reading.occluded_tracks == frozenset(Color)
    # What is printed there is what was last seen.
    assert all(reading.contents(cell) == before.contents(cell) for cell in played.board.cells)
    again = reader.read(picture)
    assert reader.lost is None
    assert wrong(again, played) == {}


def test_terrain_is_known_under_tiles_once_the_layout_is(
    drawn: DrawnTable, reader: Reader, played: Scene, picture: Image
) -> None:
    reading = reader.read(picture)
    expected = drawn.camera.art.terrain_as_laid(played.layout)
    assert {cell: read.terrain for cell, read in reading.cells.items()} == expected
    assert set(expected.values()) == set(Terrain)


@pytest.mark.long
def test_what_a_photograph_took_is_freed_with_it_and_waits_for_no_garbage_collector(drawn: DrawnTable) -> None:
    reader = drawn.reader()
    gc.collect()
    gc.disable()
    try:
        reader.read(drawn.deal_picture(3))
        assert not [one for one in gc.get_objects() if isinstance(one, Cells)]
    finally:
        gc.enable()


EMPTY, VISITED = Contents(TOWN), Contents(TOWN, Merchants(grey=1))


@pytest.mark.parametrize(("town", "visited", "kept"), [(0.85, 0.1, True), (0.29, 0.5, False), (0.7, 0.2, False)])
def test_what_looks_much_as_it_did_stays_only_where_that_is_likely(town: float, visited: float, kept: bool) -> None:
    """A grey merchant on a grey town in poor light hardly changes its look, and must not be overlooked for good."""
    before = KnownCell(EMPTY, 0.99, is_clear=True, tile_is_clear=True)
    assert KnownCell(VISITED, visited, shares={VISITED: visited, EMPTY: town}).is_rather(before) is kept


def test_only_a_doubt_about_what_was_clear_before_is_settled_so() -> None:
    doubt, clear = KnownCell(EMPTY, 0.9, shares={EMPTY: 0.9}), KnownCell(EMPTY, 0.99, is_clear=True)
    assert doubt.is_rather(clear)
    assert not clear.is_rather(clear)
    assert not doubt.is_rather(doubt)
    assert not doubt.is_rather(None)


def test_a_tile_whose_cubes_cannot_be_counted_is_not_kept_as_one_without_cubes(drawn: DrawnTable) -> None:
    """Perhaps there are none, or six: what is kept as bare would speak against every cube from then on."""
    memory = drawn.reader_of_deal(21)._memory
    assert memory is not None
    clear, open_ = list(drawn.dealt(21).tiles)[:2]
    logs = memory.expected.copy()
    for cell in (clear, open_):
        memory.clean_tiles.pop(cell)
    heap = Contents(TOWN)
    memory.cells[clear] = KnownCell(heap, 0.99, is_clear=True, tile_is_clear=True)
    others = tuple(Contents(TOWN, Merchants(black=number)) for number in range(1, 7))
    memory.cells[open_] = KnownCell(heap, 0.7, others, tile_is_clear=True)
    assert memory.cells[open_].is_crowd
    memory.settle(logs, set(), {clear, open_})
    assert memory.clean_tiles.get(clear) == TOWN
    assert open_ not in memory.clean_tiles


def test_the_answers_for_a_cell_say_less_by_the_share_of_it_that_shows_nothing_but_light() -> None:
    town, road = Contents(TOWN), Contents(Road(Color.RED, Terrain.PLAIN, (0, 3)))
    shares = {BARE: 0.2, town: 0.7, road: 0.1}
    read = KnownCell.dazzling(shares, 0.6, None, most=1)
    assert (read.contents, read.alternatives, read.is_clear) == (town, (BARE,), False)
    assert dict(read.shares) == pytest.approx({BARE: 0.08, town: 0.28, road: 0.04})
    before = KnownCell(BARE, 1.0, is_clear=True, tile_is_clear=True)
    assert KnownCell.dazzling(shares, 0.6, before, most=1).contents == BARE, "a doubt changes no tile"


@pytest.mark.parametrize(("named", "unnamed"), [(0.69, 0.31), (0.71, 0.0), (1.0, 0.0)])
def test_what_answers_leave_unnamed_is_worth_mentioning_if_it_is_much(named: float, unnamed: float) -> None:
    read = KnownCell(BARE, 0.5, shares={BARE: 0.5, Contents(TOWN): named - 0.5})
    assert read.unnamed == pytest.approx(unnamed)
    assert replace(read, is_clear=True).unnamed == 0
    assert KnownCell().unnamed == 0, "nobody knows how likely anything is"


@pytest.mark.long
def test_a_workshop_in_the_books_lies_there_until_a_person_names_another_or_it_is_seen_to_be_gone(
    drawn: DrawnTable, reader: Reader, played: Scene
) -> None:
    cell = next(cell for cell in played.board.cells if played.contents(cell) == BARE)
    grey, red = Workshop(Color.GREY), Workshop(Color.RED)
    rng = np.random.default_rng(4)
    scene = played.lay(cell, grey, rng)
    for color in [Color.GREY] * 6:
        scene = scene.put(cell, color, rng)
    reader.read(drawn.camera.picture(scene))
    books = {at: now for at in scene.board.cells if (now := scene.contents(at)) != BARE}
    memory = reader._memory
    assert memory is not None
    assert memory.lying_on(cell) is None
    reader.booked(books, set(Color), walking=True)
    assert memory.lying_on(cell) == grey
    walked = scene
    for _ in range(4):
        walked = walked.remove(cell, Color.GREY)
    seen = reader.read(drawn.camera.picture(walked)).cells[cell]
    assert {answer.tile for answer in (seen.contents, *seen.alternatives)} == {grey}
    gone = reader.read(drawn.camera.picture(played))
    assert gone.contents(cell) == BARE
    assert cell not in gone.unclear
    reader.confirmed({cell: Contents(red)}, by_hand=True)
    assert memory.lying_on(cell) is None
    reader.booked({**books, cell: Contents(red)}, set(Color))
    assert memory.lying_on(cell) == red


@pytest.mark.long
@pytest.mark.parametrize(
    ("accepted", "walking", "stays"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_an_accepted_cube_that_another_came_to_lie_on_is_not_taken_to_be_gone_unless_cubes_walk(
    drawn: DrawnTable, reader: Reader, played: Scene, accepted: bool, walking: bool, stays: bool
) -> None:
    """From above, only the upper one is to be seen: as if the other had gone, or had been exchanged after a mistake."""
    site = list(drawn.deal(21))[1]
    (lower,) = played.contents(site).merchants.counts
    upper = Color.RED if lower is not Color.RED else Color.BLACK
    books = {cell: now for cell in played.board.cells if (now := played.contents(cell)) != BARE}
    before = books if accepted else books | {site: Contents(books[site].tile)}
    reader.booked(before, set(Color), walking)
    without = played.remove(site, lower)
    shown = drawn.camera.picture(without.put(site, upper, np.random.default_rng(3)))
    seen, both = (replace(books[site], merchants=Merchants.of(one)) for one in ({upper: 1}, {lower: 1, upper: 1}))
    for reading in (reader.read(shown), reader.read(shown)):
        answers = (reading.contents(site), *reading.cells[site].alternatives)
        assert (site in reading.unclear) is stays
        assert (both if stays else seen) in answers
    taken = reader.read(drawn.camera.picture(without))
    assert taken.contents(site) == replace(books[site], merchants=Merchants()), "whoever takes it away is believed"
    assert site not in taken.unclear
