"""Cubes in a heap: the reader tells a cell but for their number, and the player is believed where that can be."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest

from companion.board import Contents, HexCell, Merchants, Settlement, SettlementType, Workshop
from companion.commands import Accept, Done
from companion.events import Event, MoveAccepted, MoveRefused, MoveUnclear, TurnTaken, WorkshopPlaced
from companion.session import Session
from tests.session.tabletop import BLACK, GAME, RED, Tabletop, at

HOME, OTHER = at(1), at(4, -1)


class Crowded:
    """A danger game at a table where cubes cannot be counted on some cells."""

    def __init__(self, rules: str = "danger") -> None:
        self.session, self.table = Session(), Tabletop()
        self.session.see(self.table.seen())
        self.session.obey(replace(GAME, rules=rules))

    def press(self, uncountable: Iterable[tuple[HexCell, Sequence[int]]] = ()) -> tuple[Event, ...]:
        self.session.see(self.table.seen(doubted={cell: self.numbers(cell, span) for cell, span in uncountable}))
        return self.session.obey(Done())

    def numbers(self, cell: HexCell, span: Sequence[int]) -> list[Contents]:
        """The cell as it lies, with any such number of the cubes of its one colour."""
        lies = self.table.lies[cell]
        color = next(iter(lies.merchants.counts), BLACK)
        return [Contents(lies.tile, Merchants.of({color: number})) for number in span]

    def workshops(self) -> None:
        for color, cell in ((BLACK, HOME), (RED, at(-2)), (BLACK, OTHER), (RED, at(-3, 1))):
            self.table.lay(cell, Workshop(color))
            self.table.put(cell, color, 6)
            self.press()

    def cubes(self, cell: HexCell) -> int:
        assert self.session.position is not None
        return self.session.position.expected().get(cell, Contents()).merchants[BLACK]


@pytest.fixture
def game() -> Crowded:
    """Black's turn, with six days, in a game where merchants walk; Red has saved his."""
    game = Crowded()
    game.workshops()
    game.press()
    return game


def of_kind(events: tuple[Event, ...], kind: type[Event]) -> bool:
    return any(isinstance(event, kind) for event in events)


def test_a_workshop_whose_six_cubes_cannot_be_counted_is_placed() -> None:
    game = Crowded()
    game.table.lay(HOME, Workshop(BLACK))
    game.table.put(HOME, BLACK, 6)
    assert of_kind(game.press([(HOME, range(4, 12))]), WorkshopPlaced)
    assert game.cubes(HOME) == 6


def test_a_heap_that_hides_its_workshop_is_one_though_the_reader_would_rather_see_bare_ground() -> None:
    """A settlement cannot be there, nor five cubes on bare ground: what is seen is a workshop with its six."""
    game = Crowded()
    game.table.lay(HOME, Workshop(BLACK))
    game.table.put(HOME, BLACK, 6)
    hidden = {Contents(): 0.5, Contents(Settlement(SettlementType.CITY), Merchants(black=5)): 0.1}
    hidden |= {Contents(None, Merchants(black=5)): 0.1}
    game.session.see(game.table.seen(doubted={HOME: hidden}))
    assert of_kind(game.session.obey(Done()), WorkshopPlaced)
    assert game.cubes(HOME) == 6


def test_a_workshop_that_cannot_have_six_is_refused() -> None:
    game = Crowded()
    game.table.lay(HOME, Workshop(BLACK))
    game.table.put(HOME, BLACK, 2)
    (refused,) = [event for event in game.press([(HOME, range(4))]) if isinstance(event, MoveRefused)]
    assert [reason.code for reason in refused.reasons] == ["merchant-missing"]


def walked(game: Crowded, number: int) -> None:
    game.table.road(BLACK, at(2))
    game.table.put(HOME, BLACK, -number)
    game.table.put(at(3), BLACK, number)


def test_what_is_left_in_a_heap_follows_from_those_who_walked(game: Crowded) -> None:
    walked(game, 2)
    assert of_kind(game.press([(HOME, range(2, 10))]), TurnTaken)
    assert (game.cubes(HOME), game.cubes(at(3))) == (4, 2)


def test_how_many_arrived_in_a_heap_follows_from_those_who_stayed(game: Crowded) -> None:
    walked(game, 5)
    assert of_kind(game.press([(at(3), range(3, 12))]), TurnTaken)
    assert (game.cubes(HOME), game.cubes(at(3))) == (1, 5)


def test_where_several_numbers_would_do_a_person_is_asked_about_his_own_heaps(game: Crowded) -> None:
    walked(game, 4)
    red = (at(-2), range(4, 9))
    (asked,) = [
        event for event in game.press([(HOME, range(4)), (at(3), range(3, 8)), red]) if of_kind((event,), MoveUnclear)
    ]
    assert isinstance(asked, MoveUnclear)
    assert set(asked.cells) == {HOME, at(3)}
    assert asked.are_heaps
    assert game.cubes(HOME) == 6, "nothing is decided"


def test_where_but_one_heap_is_told_within_a_few_the_rest_stands_there(game: Crowded) -> None:
    """Two stayed, rather than one or three: the reader counts them, but for a doubt; so four are in the heap."""
    walked(game, 4)
    assert of_kind(game.press([(HOME, (2, 3, 1, 0)), (at(3), range(3, 12))]), TurnTaken)
    assert (game.cubes(HOME), game.cubes(at(3))) == (2, 4)


def test_a_heap_is_no_fault_of_a_road_that_is_not_finished(game: Crowded) -> None:
    """Of the numbers that the heap may have the one is taken with which nothing is wrong but the road."""
    game.table.road(BLACK, at(2, 1))
    game.table.put(HOME, BLACK, -3)
    game.table.put(at(3), BLACK, 3)
    refusals = [
        [
            reason.code
            for event in game.press([(at(3), range(least, 12))])
            if isinstance(event, MoveRefused)
            for reason in event.reasons
        ]
        for least in (1, 3)
    ]
    assert refusals[0] == refusals[1]
    assert "merchant-total" not in refusals[0]


def test_where_no_number_makes_it_legal_it_is_refused_for_what_is_wrong(game: Crowded) -> None:
    game.table.road(BLACK, at(2, 1))
    (refused,) = [event for event in game.press([(HOME, range(2, 10))]) if isinstance(event, MoveRefused)]
    assert [reason.code for reason in refused.reasons] == ["dead-end"]


def test_a_heap_that_looks_as_ever_keeps_its_number(game: Crowded) -> None:
    assert of_kind(game.press([(HOME, range(2, 10))]), TurnTaken)
    assert game.cubes(HOME) == 6


def test_a_turn_let_stand_takes_those_who_walked_out_of_their_heap(game: Crowded) -> None:
    """Two walk, one of them to where no road leads; Black's own heap at home cannot be counted, but cannot be six."""
    walked(game, 1)
    game.table.put(HOME, BLACK, -1)
    game.table.put(at(0), BLACK)
    uncountable = [(HOME, range(3, 6))]
    assert of_kind(game.press(uncountable), MoveRefused)
    lies = {cell: game.numbers(cell, span) for cell, span in uncountable}
    game.session.see(game.table.seen(doubted=lies))
    assert of_kind(game.session.obey(Accept()), MoveAccepted)
    assert game.cubes(HOME) < 6


def test_another_players_heap_is_nobodys_move(game: Crowded) -> None:
    walked(game, 2)
    assert of_kind(game.press([(at(-2), range(4, 9))]), TurnTaken)


def test_where_merchants_are_set_a_heap_on_a_workshop_has_none() -> None:
    game = Crowded("standard")
    for color, cell in ((BLACK, HOME), (RED, at(-2))):
        game.table.lay(cell, Workshop(color))
        game.press()
    game.table.road(BLACK, at(2))
    game.table.put(at(3), BLACK)
    assert of_kind(game.press([(HOME, range(9))]), TurnTaken)
    assert game.cubes(HOME) == 0


def test_two_answers_about_one_cube_are_no_heap(game: Crowded) -> None:
    walked(game, 1)
    kind = game.table.lies[at(3)].tile
    assert isinstance(kind, Settlement)
    answers = [Contents(kind, Merchants(black=1)), Contents(kind)]
    game.session.see(game.table.seen(doubted={at(3): answers}))
    assert of_kind(game.session.obey(Done()), MoveUnclear)


def test_a_heap_on_what_cannot_lie_there_is_the_workshop_that_was_to_be_laid() -> None:
    """A workshop under six cubes of its own is taken for a settlement where none was dealt."""
    game, home = Crowded(), Contents(Workshop(BLACK), Merchants(black=6))
    town = [Contents(Settlement(SettlementType.TOWN), Merchants(black=number)) for number in (5, 4, 6, 7)]
    game.session.see(game.table.seen(doubted={HOME: town}))
    events = game.session.obey(Done())
    (placed,) = [event for event in events if isinstance(event, WorkshopPlaced)]
    assert placed.after.expected()[HOME] == home
