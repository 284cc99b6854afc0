"""During play, tiles known for certain become examples of themselves, and so does what was in doubt once settled."""

import io
from copy import deepcopy
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.board import BARE, BadInputError, Cell, Color, Contents, HexCell, Merchants, Reading, Road, Tile
from simulator import Hand
from tests.vision.conftest import CITY, TOWN, DrawnTable
from vision.reader import Reader
from vision.tiles.exemplars import TURNS, Exemplars, turned
from vision.tiles.patches import PATCH_PX, Levels, cut_levels, in_turns
from vision.tiles.teach import MOST_OF_A_TILE, Growing


@pytest.fixture
def taught(drawn: DrawnTable) -> Exemplars:
    return drawn.taught.exemplars


def patch_of(exemplars: Exemplars, tile: Tile) -> Levels:
    """Return a taught tile's own patch."""
    return exemplars.patches[exemplars.tiles.index(tile)]


def test_an_example_is_named_in_every_turn_and_leaves_what_was_taught_as_it_was(taught: Exemplars) -> None:
    growing = Growing(taught)
    assert growing.exemplars is taught
    road = next(tile for tile in taught.tiles if isinstance(tile, Road))
    growing.add(road, patch_of(taught, road))
    grown = growing.exemplars
    assert grown.tiles[: len(taught.tiles)] == taught.tiles
    assert grown.tiles[len(taught.tiles) :] == tuple(turned(road, turn) for turn in TURNS)
    assert len(grown.looks) == len(grown.patches) == len(grown.tiles)
    assert np.array_equal(grown.looks.points[: len(taught.tiles)], taught.looks.points)
    assert grown.taught_of(road) == taught.taught_of(road), "how many copies were taught is a reason for trust"


def test_of_one_tile_a_few_examples_are_kept_the_newest_and_the_most_unlike(taught: Exemplars) -> None:
    growing = Growing(taught)
    town, city = patch_of(taught, TOWN), patch_of(taught, CITY)
    paler = np.clip(town * 0.7, 0, 255).astype(np.uint8)
    upside_down = np.ascontiguousarray(town[::-1])
    for patch in (town, upside_down, city, paler):
        growing.add(TOWN, patch)
    kept = [one.patch for one in growing.examples]
    assert len(kept) == MOST_OF_A_TILE == 3
    assert kept[-1] is paler
    assert any(one is city for one in kept), "it is like none of the others"
    growing.add(CITY, city)
    assert len(growing.examples) == 4, "each tile has its own"


def test_one_road_turned_is_the_same_tile(taught: Exemplars) -> None:
    growing = Growing(taught)
    road = next(tile for tile in taught.tiles if isinstance(tile, Road))
    for turn in TURNS:
        growing.add(turned(road, turn), in_turns(patch_of(taught, road), (turn,))[0])
    assert len(growing.examples) == MOST_OF_A_TILE


@pytest.mark.long
def test_a_patch_turned_about_its_middle_is_as_if_it_had_been_cut_so(drawn: DrawnTable) -> None:
    """Inside the cell, except for a pixel more of blur."""
    levels, cell = drawn.levels(drawn.deal_picture(21)), next(iter(drawn.deal(21)))
    cut, *_ = cut_levels(levels, [cell], TURNS)
    turned_so = in_turns(cut[0], TURNS)
    assert np.array_equal(turned_so[0], cut[0])
    steps = np.arange(PATCH_PX) - (PATCH_PX - 1) / 2
    inside = np.hypot(*np.meshgrid(steps, steps)) < PATCH_PX / 2 - 1
    smooth = [[cv2.GaussianBlur(one, (0, 0), 1.5).astype(float)[inside] for one in each] for each in (cut, turned_so)]
    for turn in TURNS[1:]:
        own = np.abs(smooth[0][turn] - smooth[1][turn]).mean()
        assert own < 0.25 * np.abs(smooth[0][turn] - smooth[1][0]).mean()


def test_examples_are_kept_for_the_next_evening(taught: Exemplars) -> None:
    growing = Growing(taught)
    road = next(tile for tile in taught.tiles if isinstance(tile, Road))
    for tile in (TOWN, road):
        growing.add(tile, patch_of(taught, tile))
    next_evening = Growing(taught)
    next_evening.read(growing.to_bytes())
    assert [one.tile for one in next_evening.examples] == [TOWN, road]
    assert np.array_equal(next_evening.exemplars.patches, growing.exemplars.patches)
    Growing(taught).read(Growing(taught).to_bytes())


def test_examples_of_another_set_up_and_damaged_ones_are_refused_and_nothing_is_taken(taught: Exemplars) -> None:
    other = replace(taught, patches=taught.patches[:, ::-1])
    growing = Growing(other)
    growing.add(TOWN, patch_of(taught, TOWN))
    content = growing.to_bytes()
    now = Growing(taught)
    with pytest.raises(BadInputError, match="another set-up"):
        now.read(content)
    odd = io.BytesIO()
    np.savez(odd, tiles="3", patches=np.zeros(1), taught="")
    for damaged in (b"", b"PK", content[: len(content) // 2], odd.getvalue()):
        with pytest.raises(BadInputError, match="not examples of tiles"):
            now.read(damaged)
    assert now.exemplars is taught


class Doubting(Reader):
    """A reader that is unsure of everything new on some cells."""

    doubted: frozenset[HexCell] = frozenset()

    def _trusted(self, views, before):  # type: ignore[no-untyped-def]
        found = super()._trusted(views, before)
        return {
            cell: known.trusted(0.3, 0.9, before.get(cell)) if cell in self.doubted else known
            for cell, known in found.items()
        }


@pytest.fixture
def doubting(drawn: DrawnTable) -> Doubting:
    """A reader that doubts every settlement of the deal."""
    reader = Doubting(drawn.taught, drawn.taught_reader._follower)
    reader.doubted = frozenset(drawn.deal(21))
    return reader


@pytest.mark.long
def test_what_a_move_was_taken_for_is_clear_from_then_on(drawn: DrawnTable, doubting: Doubting) -> None:
    reading = doubting.read(drawn.deal_picture(21))
    assert doubting.doubted <= reading.unclear
    doubting.confirmed(drawn.deal(21))
    again = doubting.read(drawn.deal_picture(21))
    assert not again.abstained
    assert {cell: again.contents(cell) for cell in doubting.doubted} == drawn.deal(21)


@pytest.mark.long
def test_the_same_scene_seen_once_more_is_no_further_evidence(drawn: DrawnTable, doubting: Doubting) -> None:
    doubting.doubted = frozenset(list(drawn.deal(21))[:9])
    first = doubting.read(drawn.deal_picture(21))
    later = deepcopy(doubting, {id(drawn.taught): drawn.taught}).read(drawn.deal_picture(21))
    again = doubting.read(drawn.deal_picture(21), is_again=True)

    def differing(reading: Reading) -> set[Cell]:
        return {cell for cell, read in reading.cells.items() if read != first.cells[cell]}

    assert differing(again) == doubting.doubted, "these are looked at again, and nothing else is"
    assert differing(later) > doubting.doubted, "a later photograph says more of some others"
    for cell in doubting.doubted:  # It still is the deal: hardly anybody has placed a merchant.
        assert again.cells[cell].shares[1] < 1.5 * first.cells[cell].shares[1] < later.cells[cell].shares[1]


@pytest.mark.long
def test_what_was_told_is_what_the_books_hold_as_soon_as_they_are_put_right(
    drawn: DrawnTable, doubting: Doubting
) -> None:
    """A city passed for a town; a later move showed that, and says nothing about this cell itself."""
    right = drawn.deal(21)
    cell, other = list(right)[:2]
    doubting.doubted -= {other}
    doubting.read(drawn.deal_picture(21))
    doubting.confirmed({**right, cell: Contents(TOWN)})
    assert doubting.read(drawn.deal_picture(21)).contents(cell) == Contents(TOWN)
    before = len(doubting.growing.examples)
    doubting.booked({**right, cell: Contents(CITY), other: Contents(TOWN)}, {Color.RED, Color.BLACK})
    again = doubting.read(drawn.deal_picture(21))
    assert again.contents(cell) == Contents(CITY)
    assert again.contents(other) == right[other], "this was read, and stays as it was read"
    doubting.confirmed({cell: Contents(CITY)})
    assert len(doubting.growing.examples) == before, "nobody has seen what the cell looks like"


@pytest.mark.long
def test_what_was_told_of_a_cell_under_a_hand_stays_as_nobody_sees_whether_it_changed(
    drawn: DrawnTable, doubting: Doubting
) -> None:
    deal = drawn.deal(21)
    doubting.read(drawn.deal_picture(21))
    doubting.confirmed(deal)
    reading = doubting.read(drawn.camera.picture(replace(drawn.dealt(21), hand=Hand(-2.0, -1.0, 1.7, 3))))
    hidden = min((cell for cell in deal if cell in reading.occluded), key=str)
    doubting.booked({**deal, hidden: Contents(deal[hidden].tile, Merchants(red=1))}, {Color.RED, Color.BLACK})
    assert doubting.read(drawn.deal_picture(21)).contents(hidden) == deal[hidden]


@pytest.mark.long
def test_what_is_told_lapses_once_the_cell_looks_otherwise(drawn: DrawnTable, doubting: Doubting) -> None:
    doubting.read(drawn.deal_picture(21))
    doubting.confirmed(drawn.deal(21))
    scene, rng = drawn.dealt(21), np.random.default_rng(2)
    cell = next(iter(drawn.deal(21)))
    with_cube = scene.put(cell, Color.RED, rng)
    reading = doubting.read(drawn.camera.picture(with_cube))
    assert reading.unclear == {cell}
    assert with_cube.contents(cell) in (reading.contents(cell), *reading.cells[cell].alternatives)


@pytest.mark.long
def test_only_what_was_read_clearly_or_named_by_hand_becomes_an_example(drawn: DrawnTable, doubting: Doubting) -> None:
    deal = drawn.deal(21)
    one, *_ = deal
    doubting.doubted -= {one}
    doubting.read(drawn.deal_picture(21))
    doubting.confirmed(deal)
    assert [example.tile for example in doubting.growing.examples] == [deal[one].tile]
    other = next(cell for cell in deal if deal[cell].tile != deal[one].tile)
    doubting.confirmed({other: deal[other]}, by_hand=True)
    assert [example.tile for example in doubting.growing.examples] == [deal[one].tile, deal[other].tile]
    with_cube = Contents(deal[other].tile, Merchants.of({Color.RED: 1}))
    doubting.confirmed({other: with_cube}, by_hand=True)
    assert len(doubting.growing.examples) == 2, "cubes would be taken for the print"


@pytest.mark.long
def test_a_tile_named_where_nothing_is_to_be_seen_is_no_example(drawn: DrawnTable, doubting: Doubting) -> None:
    reading = doubting.read(drawn.deal_picture(21))
    bare = next(cell for cell, read in reading.cells.items() if read.contents == BARE and cell not in reading.abstained)
    doubting.confirmed({bare: Contents(CITY)}, by_hand=True)
    assert not doubting.growing.examples
    assert doubting.read(drawn.deal_picture(21)).contents(bare) == Contents(CITY), "their word stands all the same"


@pytest.mark.long
def test_where_the_board_was_not_found_nothing_is_told_of_it(drawn: DrawnTable, doubting: Doubting) -> None:
    doubting.read(drawn.deal_picture(21))
    doubting.read(np.zeros_like(drawn.deal_picture(21)))
    doubting.confirmed(drawn.deal(21), by_hand=True)
    assert not doubting.growing.examples


@pytest.mark.long
def test_what_a_hand_hides_is_not_taken_for_what_is_told(drawn: DrawnTable, taught_reader: Reader) -> None:
    scene = replace(drawn.dealt(21), hand=Hand(-2.0, -1.0, 1.7, 3))
    reading = taught_reader.read(drawn.camera.picture(scene))
    hidden = [cell for cell in drawn.deal(21) if cell in reading.occluded]
    assert hidden
    taught_reader.confirmed(dict.fromkeys(hidden, Contents(CITY)), by_hand=True)
    assert not taught_reader.growing.examples
    seen = taught_reader.read(drawn.deal_picture(21))
    assert all(cell in seen.abstained or seen.contents(cell) == drawn.deal(21)[cell] for cell in hidden)


def test_before_the_first_photograph_nothing_can_be_told(drawn: DrawnTable, taught_reader: Reader) -> None:
    taught_reader.confirmed(drawn.deal(21), by_hand=True)
    assert not taught_reader.growing.examples
