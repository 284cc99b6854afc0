"""Cubes that cannot be counted: six on a workshop of their colour, many in a heap."""

import json
from pathlib import Path

import numpy as np
import pytest

from calibration.table import TableFolder, load_photo
from companion.board import (
    BARE,
    CellReading,
    Color,
    Contents,
    Merchants,
    Road,
    Terrain,
    Workshop,
    reading_from_json,
)
from companion.games.la_strada import DANGER
from companion.virtual_table import write_evening
from tests.vision.conftest import DrawnTable
from vision.crowds import art_share, beside_strip, other_share, uncounted, widened
from vision.memory import Known
from vision.reader import Reader
from vision.roundness import Roundness, fullness
from vision.samples import SAMPLE_PX, offsets, strip_distance

GROUND, MARK = np.array([0.8, 0.8, 0.5], np.float32), np.array([0.1, 0.1, 0.6], np.float32)


@pytest.mark.long
def test_in_a_game_of_crowds_a_mark_covered_by_its_cubes_is_no_road(tables: Path) -> None:
    """Hazel's B6: six yellow cubes on a yellow workshop, which were taken for a road that is pale in this light."""
    table = TableFolder.open(tables / "hazel")
    reader = Reader.of(table)
    for number in range(4):
        photo = tables / "hazel" / "games" / "evening" / f"{number:03}.jpg"
        reading = reader.read(load_photo(photo, table.setup.size_px))
    cell = reading.board.cell("B6")
    assert reading.contents(cell).tile == Workshop(Color.YELLOW)
    assert cell in reading.unclear, "how many stand there cannot be told"


@pytest.mark.long
def test_a_photograph_with_crowds_tells_of_cubes_hidden_on_a_workshop_of_their_colour(tables: Path) -> None:
    """Hazel's K4: a black cube on the black workshop's roof, and nothing known of the game."""
    table = TableFolder.open(tables / "hazel")
    reader = Reader.of(table)
    reader.new_game(is_dealt=False)
    reading = reader.read(load_photo(tables / "hazel" / "games" / "evening" / "010.jpg", table.setup.size_px))
    cell = reading.board.cell("K4")
    assert Contents(Workshop(Color.BLACK), Merchants(black=1)) in (
        reading.contents(cell),
        *reading.cells[cell].alternatives,
    )
    assert cell in reading.unclear or reading.contents(cell).merchants.black == 1


def test_what_lies_beside_a_road_is_its_ground_or_cubes_of_its_colour() -> None:
    ground, top = np.array([0.2, 0.3, 0.25], np.float32), np.array([0.6, 0.6, 0.65], np.float32)
    road = Road(Color.GREY, Terrain.FOREST, (2, 5))
    sample = np.empty((SAMPLE_PX, SAMPLE_PX, 3), np.float32)
    sample[:] = ground
    sample[strip_distance(road.edges) < 0.2] = top
    assert beside_strip(sample, road, top, ground) < 0.05
    sample[:] = top
    assert beside_strip(sample, road, top, ground) == 1


def test_an_uncounted_cell_has_the_likely_number_first_and_is_not_clear() -> None:
    known = Known(Contents(Workshop(Color.RED), Merchants(black=1)), 1.0, is_clear=True, tile_is_clear=True)
    crowd = uncounted(known, Color.RED, (4, 1, 9))
    numbers = [answer.merchants.red for answer in (crowd.contents, *crowd.alternatives)]
    assert numbers[0] == 4
    assert sorted(numbers) == list(range(1, 10))
    assert all(answer.merchants.black == 1 for answer in (crowd.contents, *crowd.alternatives))
    assert crowd.is_crowd
    assert not crowd.is_clear


def test_a_heap_of_which_no_number_is_likely_may_have_any_the_likeliest_first() -> None:
    known = Known(Contents(Workshop(Color.RED), Merchants(black=1)), 1.0, is_clear=True, tile_is_clear=True)
    wide = widened(uncounted(known, Color.RED, (2, 1, 4)))
    numbers = [answer.merchants.red for answer in (wide.contents, *wide.alternatives)]
    assert numbers[0] == 2
    assert sorted(numbers) == list(range(13))
    assert all(answer.merchants.black == 1 for answer in (wide.contents, *wide.alternatives))
    assert wide.is_crowd


@pytest.mark.parametrize(
    "known",
    [
        Known(BARE, 1.0, is_clear=True, tile_is_clear=True),
        Known(Contents(None, Merchants(red=1)), 0.5, (BARE,), tile_is_clear=True),
        Known(Contents(Workshop(Color.RED)), 0.5, (Contents(Workshop(Color.BLACK)), BARE), tile_is_clear=True),
    ],
)
def test_other_doubts_are_no_crowds(known: Known) -> None:
    assert not known.is_crowd


def drawn_sample(mask: np.ndarray) -> np.ndarray:
    sample = np.tile(GROUND, (SAMPLE_PX, SAMPLE_PX, 1))
    sample[mask] = MARK
    return sample


def test_a_disc_is_told_from_a_strip_of_its_colour() -> None:
    x, y = offsets()
    disc = drawn_sample(np.hypot(x, y) < 0.6)
    strips = [drawn_sample(strip_distance(edges) < 0.2) for edges in ((0, 3), (0, 2), (1, 3))]
    taught = Roundness({Color.RED: max(map(fullness, strips))}, {Color.RED: fullness(disc)})
    assert taught.disc_share(disc, Color.RED) == 1
    assert [taught.disc_share(strip, Color.RED) for strip in strips] == [0, 0, 0]
    assert taught.disc_share(disc, Color.GREY) is None, "never taught"


def test_art_is_what_is_not_of_the_cubes_tone_nor_their_shaded_sides() -> None:
    x, y = offsets()
    assert art_share(drawn_sample(np.hypot(x, y) < 0.6), MARK) == 0
    assert art_share(drawn_sample(np.hypot(x, y) < 0), MARK) == 1
    shaded = drawn_sample(np.hypot(x, y) < 0.6)
    shaded[x > 0] *= 0.3
    assert art_share(shaded, MARK) == 0
    assert other_share(shaded, MARK) == pytest.approx(0.5, abs=0.06), "much darker: a gap, or another colour"


@pytest.mark.long
def test_a_drawn_danger_game_names_no_number_that_it_cannot_see(drawn: DrawnTable, tmp_path: Path) -> None:
    """The workshops with their cubes: told, or asked about; never a number that is not so."""
    write_evening(tmp_path, drawn.camera, 7, most=9, rules=DANGER)
    reader, workshops, told = drawn.reader(), 0, 0
    reader.new_game()
    for photo in sorted(tmp_path.glob("*.jpg")):
        truth = reading_from_json(json.loads(photo.with_suffix(".json").read_text()), drawn.folder.setup.board)
        reading = reader.read(load_photo(photo, drawn.folder.setup.size_px))
        for cell, lies in truth.cells.items():
            if not isinstance(lies.contents.tile, Workshop) or cell in truth.occluded | reading.occluded:
                continue
            workshops += 1
            found = reading.cells.get(cell, CellReading())
            assert cell in reading.unclear or found.contents == lies.contents, (photo.name, str(cell))
            told += lies.contents in (found.contents, *found.alternatives)
    assert workshops >= 12
    assert told >= 0.4 * workshops, "of many the truth is told, or among the answers"
