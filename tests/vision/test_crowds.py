"""Cubes that cannot be counted: six on a workshop of their colour, many in a heap."""

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.table import TableFolder, load_photo
from companion.board import BARE, CellReading, Color, Contents, Merchants, Reading, Workshop, reading_from_json
from companion.games.la_strada import DANGER
from simulator import write_evening
from tests.vision.conftest import TOWN, DrawnTable, cubes_seen
from vision.cubes.crowds import MOST, counted, crowded, heaped, or_more, recolored, shared_out, uncounted
from vision.memory import KnownCell
from vision.reader import Reader
from vision.tiles.opinion import COLORS, MOST_COUNTED, Opinion


def hazels(tables: Path, numbers: Iterable[int], is_dealt: bool) -> Reading:
    """Return what a reader says of the last of these photographs of Hazel's evening."""
    table = TableFolder.open(tables / "hazel")
    reader = Reader.of(table)
    reader.new_game(is_dealt)
    photos = (table.path / "games" / "evening" / f"{number:03}.jpg" for number in numbers)
    *_, last = (reader.read(load_photo(photo, table.setup.size_px)) for photo in photos)
    return last


@pytest.mark.long
def test_in_a_game_of_crowds_a_mark_covered_by_its_cubes_is_no_road(tables: Path) -> None:
    """Hazel's B6: six yellow cubes on a yellow workshop, once taken for a road that is pale in this light."""
    reading = hazels(tables, range(4), is_dealt=True)
    cell = reading.board.cell("B6")
    assert cell in reading.unclear, "how many stand there cannot be told"
    likely = dict(zip(reading.cells[cell].alternatives, reading.cells[cell].shares, strict=True))
    assert max(likely, key=lambda answer: likely[answer]).tile == Workshop(Color.YELLOW)
    six = Contents(Workshop(Color.YELLOW), Merchants(yellow=6))
    assert likely[six] > 0.1, "five or more are seen, and six is as likely as five"


@pytest.mark.long
def test_a_photograph_with_crowds_tells_of_cubes_hidden_on_a_workshop_of_their_colour(tables: Path) -> None:
    """Hazel's K4: a black cube on the black workshop's roof, with nothing known about the game."""
    reading = hazels(tables, [10], is_dealt=False)
    cell = reading.board.cell("K4")
    answers = (reading.contents(cell), *reading.cells[cell].alternatives)
    assert Contents(Workshop(Color.BLACK), Merchants(black=1)) in answers
    assert cell in reading.unclear or reading.contents(cell).merchants.black == 1


def test_five_cubes_or_more_may_be_one_more() -> None:
    five, six = (Contents(Workshop(Color.RED), Merchants(red=number, black=1)) for number in (MOST_COUNTED, 6))
    assert shared_out({five: 0.6, BARE: 0.1}) == {five: 0.3, six: 0.3, BARE: 0.1}
    assert shared_out({six: 0.2, five: 0.6}) == {five: 0.3, six: 0.5}, "six lay there before, and is likelier by that"


def answers_with(color: Color, known: KnownCell) -> list[int]:
    """Return how many cubes of a colour each answer for a cell has, the likeliest first."""
    return [answer.merchants[color] for answer in (known.contents, *known.alternatives)]


def test_an_uncounted_cell_has_the_likely_number_first_and_is_not_clear() -> None:
    known = KnownCell(Contents(Workshop(Color.RED), Merchants(black=1)), 1.0, is_clear=True, tile_is_clear=True)
    crowd = uncounted(known, Color.RED, likely=4, least=1)
    numbers = answers_with(Color.RED, crowd)
    assert numbers[0] == 4
    assert sorted(numbers) == list(range(1, MOST + 1))
    assert all(answer.merchants.black == 1 for answer in (crowd.contents, *crowd.alternatives))
    assert crowd.is_crowd
    assert not crowd.is_clear


def test_from_as_many_as_are_counted_on_there_may_be_more_and_of_fewer_the_number_is_told() -> None:
    def red(number: int) -> KnownCell:
        return KnownCell(Contents(None, Merchants(red=number)), 0.99, is_clear=True, tile_is_clear=True)

    few, many = (crowded(red(number), cubes_seen(None)) for number in (MOST_COUNTED - 1, MOST_COUNTED))
    assert few == red(MOST_COUNTED - 1)
    assert many.is_crowd
    assert sorted(answers_with(Color.RED, many)) == list(range(MOST_COUNTED - 1, MOST + 1))


def test_on_a_workshop_of_their_colour_cubes_are_counted_only_where_there_surely_is_none() -> None:
    workshop = Workshop(Color.RED)
    bare = KnownCell(Contents(workshop), 0.99, is_clear=True, tile_is_clear=True)
    assert crowded(bare, cubes_seen(workshop, red=[0.995, 0.005])) == bare
    assert crowded(bare, cubes_seen(workshop, black=[0.6, 0.4])) == bare, "cubes of another colour stand out"
    assert crowded(bare, cubes_seen(workshop, red=[0.9, 0.1])).is_crowd
    two = replace(bare, contents=Contents(workshop, Merchants(red=2)))
    found = crowded(two, cubes_seen(workshop, red=[0.001, 0.999]))
    assert sorted(answers_with(Color.RED, found)) == list(range(1, MOST + 1))


def test_a_heap_is_told_by_its_tile_and_its_number_is_left_open() -> None:
    workshop = Workshop(Color.RED)
    few = heaped(cubes_seen(workshop, red=[0.1, 0.9]))
    assert few is not None
    assert few.is_crowd
    assert sorted(answers_with(Color.RED, few)) == list(range(1, MOST + 1))
    assert heaped(cubes_seen(workshop, red=[0.6, 0.4])) is None, "perhaps none"
    assert heaped(cubes_seen(workshop, black=[0.1, 0.9])) is None, "of another colour: they are counted"
    heap = heaped(cubes_seen(None, grey=MOST_COUNTED))
    assert heap is not None
    assert min(answers_with(Color.GREY, heap)) == MOST_COUNTED - 1


def test_four_that_may_well_be_more_are_a_heap_too_and_four_that_hardly_are_more_are_counted() -> None:
    assert heaped(cubes_seen(grey=[0, 0, 0, 0, 0.95, 0.05])) is None
    seen = cubes_seen(grey=[0, 0, 0, 0, 0.7, 0.3])
    heap = heaped(seen)
    assert heap is not None
    assert heap.contents.merchants.grey == 4
    assert {answer.merchants.grey for answer in heap.alternatives} == {3, *range(5, MOST + 1)}
    assert next(iter(counted(seen, None))) == heap.contents


def test_what_is_counted_comes_first_and_one_more_or_fewer_of_many_is_never_hardly_likely() -> None:
    likely = counted(cubes_seen(black=4, yellow=3), site=True)
    assert next(iter(likely)) == Contents(TOWN, Merchants(black=4, yellow=3))
    for black, yellow in ((3, 3), (5, 3), (4, 2), (4, 4)):
        assert likely[Contents(TOWN, Merchants(black=black, yellow=yellow))] > 0.02, "of either colour"
    assert 0.9 < sum(likely.values()) <= 1
    assert list(likely.values()) == sorted(likely.values(), reverse=True)


def test_five_or_more_of_a_colour_may_be_any_number_from_five_on() -> None:
    likely = counted(cubes_seen(Workshop(Color.RED), red=MOST_COUNTED), site=False)
    numbers = [likely[Contents(Workshop(Color.RED), Merchants(red=number))] for number in range(5, MOST + 1)]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[-1] > 0.01


def test_a_single_cube_that_is_surely_seen_is_one() -> None:
    likely = counted(cubes_seen(grey=1), site=True)
    assert likely[Contents(TOWN, Merchants(grey=1))] > 0.9
    assert likely[Contents(TOWN)] < 0.05


def test_a_settlement_off_its_place_is_hardly_likely_but_only_if_the_places_are_known() -> None:
    seen = cubes_seen(grey=3)
    twice = (np.tile(one, (2, *[1] * (one.ndim - 1))) for one in (seen.near, seen.apart, seen.likeness, seen.same))
    either = Opinion((TOWN, Workshop(Color.GREY)), *twice, np.zeros(2, np.float32), np.tile(seen.counts, (2, 1, 1)))
    three = Merchants(grey=3)
    known, unknown = counted(either, site=False), counted(either, site=None)
    assert known[Contents(Workshop(Color.GREY), three)] > 50 * known.get(Contents(TOWN, three), 0.0)
    assert unknown[Contents(TOWN, three)] == pytest.approx(unknown[Contents(Workshop(Color.GREY), three)])


def test_on_anothers_workshop_cubes_are_hardly_likely() -> None:
    likely = counted(cubes_seen(Workshop(Color.GREY), black=[0.5, 0.5]), site=False)
    assert likely[Contents(Workshop(Color.GREY))] > 10 * likely[Contents(Workshop(Color.GREY), Merchants(black=1))]


def test_cubes_may_be_of_another_colour_as_likely_as_the_comparison_has_it() -> None:
    seen = cubes_seen(grey=2)
    grey, black = COLORS.index(Color.GREY), COLORS.index(Color.BLACK)
    seen.counts[0, black, 1], seen.counts[0, grey, 1] = math.log(0.1), math.log(0.2)
    read = Contents(TOWN, Merchants(grey=2))
    likely = recolored(read, 0.9, seen)
    one, two = np.exp(seen.counts[0, grey, 1:3] - seen.counts[0, grey, 2])[0], seen.counts[0, black, 0]
    expected = 0.9 * one * 0.1 / math.exp(two)
    assert likely[Contents(TOWN, Merchants(grey=1, black=1))] == pytest.approx(expected, rel=1e-4)
    assert sum(contents.merchants.grey + contents.merchants.black == 2 for contents in likely) == 2
    assert all(sum(contents.merchants.counts.values()) == 2 for contents in likely)
    assert recolored(Contents(TOWN), 0.9, seen) == {}, "no cube, no colour"
    assert recolored(Contents(Workshop(Color.RED), Merchants(red=1)), 0.9, seen) == {}, "a tile that was not compared"


def test_a_clear_cell_says_what_else_it_may_hold_but_not_what_is_next_to_impossible() -> None:
    read, other, never = (Contents(TOWN, Merchants.of({color: 1})) for color in (Color.GREY, Color.BLACK, Color.RED))
    known = KnownCell(read, 0.98, is_clear=True, shares={read: 0.98, other: 2e-5, never: 2e-6})
    assert known.reading(None, None).further == ((other, 2e-5),)
    assert known.reading(None, None).alternatives == ()


def test_a_heap_is_read_with_the_share_of_each_answer_and_with_others_beside_them() -> None:
    seen = cubes_seen(grey=MOST_COUNTED, red=2)
    heap = heaped(seen)
    assert heap is not None
    read = replace(heap, shares=counted(seen, True)).reading(None, None)
    assert len(read.shares) == len(read.alternatives)
    assert all(answer.merchants.red == 2 for answer in read.alternatives), "people are asked about one number"
    further = dict(read.further)
    assert further[Contents(TOWN, Merchants(grey=MOST_COUNTED, red=1))] > 0.005
    assert not further.keys() & {*read.alternatives}


def test_where_the_tile_is_not_sure_there_is_no_heap() -> None:
    unsure = cubes_seen(Workshop(Color.RED), red=[0.1, 0.9])
    unsure.logs[0] = math.log(0.5)
    assert heaped(unsure) is None


@pytest.mark.parametrize(
    "known",
    [
        KnownCell(BARE, 1.0, is_clear=True, tile_is_clear=True),
        KnownCell(Contents(None, Merchants(red=1)), 0.5, (BARE,), tile_is_clear=True),
        KnownCell(Contents(None, Merchants(red=1)), 0.5, (BARE, Contents(None, Merchants(grey=1))), tile_is_clear=True),
        KnownCell(Contents(Workshop(Color.RED)), 0.5, (Contents(Workshop(Color.BLACK)), BARE), tile_is_clear=True),
    ],
)
def test_other_doubts_are_no_crowds(known: KnownCell) -> None:
    assert not known.is_crowd


@pytest.mark.long
def test_a_drawn_danger_game_names_no_number_that_it_cannot_see(drawn: DrawnTable, tmp_path: Path) -> None:
    """The workshops with their cubes are told or asked about, but never with a wrong number."""
    write_evening(tmp_path, drawn.camera, 7, most=9, rules=DANGER)
    reader, workshops, told = drawn.reader(), 0, 0
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


def test_as_many_cubes_as_are_counted_may_be_one_more() -> None:
    workshop = Workshop(Color.GREY)
    five, four, six = (Contents(workshop, Merchants(grey=number)) for number in (5, 4, 6))
    assert or_more([BARE, five, four]) == (BARE, five, six, four)
    assert or_more([four, BARE]) == (four, BARE)
    assert or_more([five, six]) == (five, six)
    assert or_more([]) == ()
