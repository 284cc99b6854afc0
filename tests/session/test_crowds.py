"""Cubes in a heap: the reader recognises all of a cell but their number, and the player is believed where possible."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from companion.board import Contents, HexCell, Merchants, Workshop
from companion.commands import Accept, CorrectCell
from companion.events import Event, MoveUnclear, WorkshopPlaced
from tests.session.conftest import GOAL, HOME, Play, codes, first, told
from tests.session.tabletop import BLACK, CITY, TOWN, at


def heaped(game: Play, spans: Mapping[HexCell, Sequence[int]]) -> tuple[Event, ...]:
    """Return what is said of a table with heaps that may have any of these numbers."""
    return game.done(doubted=game.heaps(spans))


@pytest.fixture
def dealt() -> Play:
    return Play.dealt("danger")


def test_a_workshop_whose_six_cubes_cannot_be_counted_is_placed(dealt: Play) -> None:
    dealt.table.lay(HOME, Workshop(BLACK))
    dealt.table.put(HOME, BLACK, 6)
    assert "WorkshopPlaced" in told(heaped(dealt, {HOME: range(4, 12)}))
    assert dealt.cubes(HOME) == 6


def test_a_heap_that_hides_its_workshop_is_one_though_the_reader_would_rather_see_bare_ground(dealt: Play) -> None:
    """It cannot be a settlement, nor five cubes on bare ground, so what is seen is a workshop with its six."""
    five = Merchants(black=5)
    hidden = {Contents(): 0.5, Contents(CITY, five): 0.1, Contents(None, five): 0.1}
    assert "WorkshopPlaced" in told(dealt.done(doubted={HOME: hidden}))
    assert dealt.cubes(HOME) == 6


def test_a_workshop_that_cannot_have_six_is_refused(dealt: Play) -> None:
    dealt.table.lay(HOME, Workshop(BLACK))
    dealt.table.put(HOME, BLACK, 2)
    assert codes(heaped(dealt, {HOME: range(4)})) == ["merchant-missing"]


@pytest.mark.parametrize(
    ("walking", "spans"),
    [
        (2, {HOME: range(2, 10)}),
        (5, {GOAL: range(3, 12)}),
        (4, {HOME: (2, 3, 1, 0), GOAL: range(3, 12)}),  # two who stayed are counted, though it might be one or three
        (2, {at(-2): range(4, 9)}),
    ],
    ids=["who stayed", "who arrived", "both, and one is told within a few", "another player's, which is nobody's move"],
)
def test_what_cannot_be_counted_in_a_heap_follows_from_the_rest_of_the_move(
    danger: Play, walking: int, spans: Mapping[HexCell, Sequence[int]]
) -> None:
    danger.walk(walking)
    assert "TurnTaken" in told(heaped(danger, spans))
    assert (danger.cubes(HOME), danger.cubes(GOAL)) == (6 - walking, walking)


def test_where_several_numbers_would_do_a_person_is_asked_about_their_own_heaps(danger: Play) -> None:
    danger.walk(4)
    asked = first(heaped(danger, {HOME: range(4), at(3): range(3, 8), at(-2): range(4, 9)}), MoveUnclear)
    assert set(asked.cells) == {HOME, at(3)}
    assert asked.are_heaps
    assert danger.cubes(HOME) == 6, "nothing is decided"


def test_a_heap_is_no_fault_of_a_road_that_is_not_finished(danger: Play) -> None:
    """Of all numbers that the heap may have, the one is taken that leaves nothing wrong except the road."""
    danger.table.road(BLACK, at(2, 1))
    danger.table.put(HOME, BLACK, -3)
    danger.table.put(at(3), BLACK, 3)
    refusals = [codes(heaped(danger, {at(3): range(least, 12)})) for least in (1, 3)]
    assert refusals[0] == refusals[1]
    assert "merchant-total" not in refusals[0]


def test_where_no_number_makes_it_legal_it_is_refused_for_what_is_wrong(danger: Play) -> None:
    danger.table.road(BLACK, at(2, 1))
    assert codes(heaped(danger, {HOME: range(2, 10)})) == ["dead-end"]


def test_a_heap_that_looks_as_ever_keeps_its_number(danger: Play) -> None:
    assert "TurnTaken" in told(heaped(danger, {HOME: range(2, 10)}))
    assert danger.cubes(HOME) == 6


def test_a_turn_let_stand_takes_those_who_walked_out_of_their_heap(danger: Play) -> None:
    """Two walk, one of them to where no road leads. Black's own heap at home cannot be counted, but cannot be six."""
    danger.walk(1)
    danger.table.put(HOME, BLACK, -1)
    danger.table.put(at(0), BLACK)
    uncountable = danger.heaps({HOME: range(3, 6)})
    assert "MoveRefused" in told(danger.done(doubted=uncountable))
    assert "MoveAccepted" in told(danger.press(Accept(), doubted=uncountable))
    assert danger.cubes(HOME) < 6


def test_where_merchants_are_set_a_heap_on_a_workshop_has_none(play: Play) -> None:
    play.table.road(BLACK, at(2))
    play.table.put(at(3), BLACK)
    assert "TurnTaken" in told(heaped(play, {HOME: range(9)}))
    assert play.cubes(HOME) == 0


def test_two_answers_about_one_cube_are_no_heap(danger: Play) -> None:
    danger.walk(1)
    answers = [danger.on_goal(black=1), danger.on_goal()]
    assert "MoveUnclear" in told(danger.done(doubted={at(3): answers}))


def test_a_heap_on_what_cannot_lie_there_is_the_workshop_that_was_to_be_laid(dealt: Play) -> None:
    """A workshop under six of its own cubes is taken for a settlement where none was dealt."""
    town = [Contents(TOWN, Merchants(black=number)) for number in (5, 4, 6, 7)]
    placed = first(dealt.done(doubted={HOME: town}), WorkshopPlaced)
    assert placed.after.expected()[HOME] == Contents(Workshop(BLACK), Merchants(black=6))


def walked_from_a_heap_that_somebody_counted(danger: Play, **seen: Any) -> tuple[Event, ...]:
    """Say that six are at home, where nobody can count them; then let three walk, and press."""
    danger.press(CorrectCell(HOME, danger.on(HOME, black=6)), doubted={HOME: numbers(danger, {6: 0.6, 5: 0.4})})
    danger.walk(3)
    return danger.done(doubted={HOME: numbers(danger, {3: 0.9, 4: 0.08, 6: 0.002})}, **seen)


def numbers(danger: Play, shares: Mapping[int, float]) -> dict[Contents, float]:
    return {danger.on(HOME, black=number): share for number, share in shares.items()}


def test_merchants_may_leave_a_heap_that_somebody_counted(danger: Play) -> None:
    """The reader goes on from what was said, so it no longer speaks against what has left since."""
    six, three = (danger.on(HOME, black=number) for number in (6, 3))
    assert "TurnTaken" in told(walked_from_a_heap_that_somebody_counted(danger, since={HOME: (three, six)}))
    assert danger.cubes(HOME) == 3


def test_what_somebody_counted_stands_while_the_reader_does_not_know_of_it(danger: Play) -> None:
    assert "TurnTaken" not in told(walked_from_a_heap_that_somebody_counted(danger))


def test_what_somebody_counted_stands_under_a_hand(danger: Play) -> None:
    six, three = (danger.on(HOME, black=number) for number in (6, 3))
    danger.press(CorrectCell(HOME, six), doubted={HOME: numbers(danger, {6: 0.6, 5: 0.4})})
    danger.session.see(danger.table.seen(covered=[HOME], since={HOME: (three, six)}))
    assert danger.session.reading is not None
    assert danger.session.reading.contents(HOME) == six


def test_what_somebody_counted_stands_while_the_reader_says_the_same_as_before(danger: Play) -> None:
    """It already counted on from six when somebody said so, and has not heard of that yet."""
    six = danger.on(HOME, black=6)
    seen: dict[str, Any] = {
        "doubted": {HOME: numbers(danger, {5: 0.7, 6: 0.3})},
        "since": {HOME: (danger.on(HOME, black=5), six)},
    }
    danger.press(CorrectCell(HOME, six), **seen)
    danger.session.see(danger.table.seen(**seen))
    assert danger.session.reading is not None
    assert danger.session.reading.contents(HOME) == six
