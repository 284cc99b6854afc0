"""What people say of some merchants of an unknown printing is learnt from for those of the same wood."""

from dataclasses import replace

import numpy as np
import pytest

from companion.board import Color, Contents, HexBoard, HexCell, Merchants, Reading, Settlement, SettlementType
from companion.board.reading import CellReading
from companion.setup.cube_colors import CubeColors
from companion.setup.draft import Draft
from tests.setup.conftest import Drawn

BOARD = HexBoard()
CITY = Settlement(SettlementType.CITY)
RED, YELLOW, GREY = Color.RED, Color.YELLOW, Color.GREY
#: Tones of three woods under one lamp, and of the same woods a little aside.
ORANGE, SAND, STONE = np.log([0.7, 0.4, 0.2]), np.log([0.75, 0.65, 0.4]), np.log([0.5, 0.5, 0.5])
LIGHTER = 0.1


def cell(name: str) -> HexCell:
    return BOARD.cell(name)


#: What was proposed: the reds were taken for yellow, and one yellow for grey.
CUBES = CubeColors(
    {
        cell("A1"): {YELLOW: ORANGE},
        cell("A2"): {YELLOW: ORANGE + LIGHTER},
        cell("A3"): {YELLOW: ORANGE},
        cell("A4"): {YELLOW: SAND},
        cell("B1"): {YELLOW: ORANGE - LIGHTER, GREY: STONE},
        cell("C1"): {GREY: SAND},
        cell("D1"): {GREY: STONE + LIGHTER},
    }
)


def proposed() -> Reading:
    cells = {
        place: CellReading(Contents(CITY if place == cell("A2") else None, Merchants.of(dict.fromkeys(cubes, 1))))
        for place, cubes in CUBES.cubes.items()
    }
    return Reading(BOARD, dict(cells))


def merchants(reading: Reading) -> dict[str, Merchants]:
    return {str(place): reading.contents(place).merchants for place in CUBES.cubes}


#: Two of those that were taken for yellow are red.
TWO = {cell("A1"): Merchants(red=1), cell("A3"): Merchants(red=1)}


def test_two_red_merchants_make_all_of_their_wood_red_and_no_others() -> None:
    told = CUBES.colored(proposed(), TWO)
    assert merchants(told) == {
        "A1": Merchants(yellow=1),  # as it was given: whoever said so has put it right
        "A2": Merchants(red=1),
        "A3": Merchants(yellow=1),
        "A4": Merchants(yellow=1),
        "B1": Merchants(red=1, grey=1),
        "C1": Merchants(grey=1),
        "D1": Merchants(grey=1),
    }
    assert told.contents(cell("A2")).tile == CITY


def test_a_merchant_that_is_more_like_one_that_stayed_stays() -> None:
    near = {**CUBES.cubes, cell("A2"): {YELLOW: (2 * SAND + ORANGE) / 3}}
    told = CubeColors(near).colored(proposed(), {**TWO, cell("A4"): Merchants(yellow=1)})
    assert told.contents(cell("A2")).merchants == Merchants(yellow=1)
    assert told.contents(cell("B1")).merchants == Merchants(red=1, grey=1)


def test_what_was_said_of_one_colour_says_nothing_of_another() -> None:
    alike = CubeColors({**CUBES.cubes, cell("C1"): {GREY: ORANGE}})
    told = alike.colored(proposed(), {**TWO, cell("B1"): Merchants(yellow=1, grey=1)})
    assert told.contents(cell("C1")).merchants == Merchants(grey=1)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"A1": Merchants(red=1)},  # one may be a slip
        {"A1": Merchants(), "A3": Merchants()},  # none is there
        {"A1": Merchants(yellow=1), "A3": Merchants(yellow=1)},  # as proposed
        {"A1": Merchants(red=1), "C1": Merchants(red=1)},  # of two colours one each
        {"C1": Merchants(grey=1, red=1), "D1": Merchants(grey=1, red=1)},  # one was overlooked
        {"A1": Merchants(red=1), "B1": Merchants(red=1, black=1)},  # nobody knows which is which
        {"G7": Merchants(red=1), "G8": Merchants(red=1)},  # where none was seen
    ],
)
def test_where_no_colour_was_changed_all_stays(said: dict[str, Merchants]) -> None:
    reading = proposed()
    assert CUBES.colored(reading, {cell(name): count for name, count in said.items()}) == reading


def test_a_cell_gets_no_two_cubes_of_a_colour() -> None:
    both = CubeColors({**CUBES.cubes, cell("B1"): {YELLOW: ORANGE, RED: ORANGE + LIGHTER}})
    read = dict(proposed().cells)
    read[cell("B1")] = replace(read[cell("B1")], contents=Contents(None, Merchants(yellow=1, red=1)))
    told = both.colored(Reading(BOARD, read), TWO)
    assert told.contents(cell("B1")).merchants == Merchants(yellow=1, red=1)


def test_where_a_cube_was_taken_off_meanwhile_nothing_is_put_on() -> None:
    reading = proposed()
    cells = {**reading.cells, cell("A2"): replace(reading.cells[cell("A2")], contents=Contents(CITY))}
    told = CUBES.colored(replace(reading, cells=cells), TWO)
    assert told.contents(cell("A2")).merchants == Merchants()


@pytest.mark.long
def test_on_a_photograph_two_corrections_of_a_colour_put_right_all_cubes_that_were_named_wrongly(
    taught_draft: Draft, drawn: Drawn
) -> None:
    draft = taught_draft.forgotten(0).taught(taught_draft.lessons[0].image)
    lesson = draft.lessons[0]
    assert lesson.cubes is not None
    swapped = {RED: YELLOW, YELLOW: RED}
    cubes = {
        place: {swapped.get(color, color): tone for color, tone in found.items()}
        for place, found in lesson.cubes.cubes.items()
    }
    wrong = {place for place, found in cubes.items() if len(found) == 1 and swapped.keys() & found.keys()}
    read = dict(lesson.reading.cells)
    for place in wrong:
        named = Merchants.of(dict.fromkeys(cubes[place], 1))
        read[place] = replace(read[place], contents=replace(read[place].contents, merchants=named))
    damaged = replace(lesson, cubes=CubeColors(cubes), reading=replace(lesson.reading, cells=read))
    draft = replace(draft, lessons=(damaged,))
    said = [
        place
        for color in (RED, YELLOW)
        for place in [each for each in sorted(wrong, key=str) if drawn.truth.contents(each).merchants[color]][:2]
    ]
    assert len(wrong) > len(said)
    for place in said:
        held = draft.lessons[0].reading.contents(place)
        draft = draft.corrected_at(0, place, replace(held, merchants=drawn.truth.contents(place).merchants))
    after = draft.lessons[0].reading
    assert {
        place for place in wrong if after.contents(place).merchants != drawn.truth.contents(place).merchants
    } == set()
