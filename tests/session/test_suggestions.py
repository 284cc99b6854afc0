"""One misread cell never blocks the game: what would make a refused move right is one tap away."""

from collections.abc import Iterable

import pytest

from companion.board import BARE, Contents, HexCell, Merchants, Terrain
from companion.commands import CorrectCell
from companion.events import Event, MoveRefused, Suggestion
from companion.games import rule_set
from companion.games.contract import Illegal, Legal, Verdict
from companion.games.la_strada import STANDARD
from companion.session.changes import seen_change
from companion.session.misreading import MOST_SUGGESTED, MOST_TRIED, suggestions
from tests.session.books import lying
from tests.session.conftest import HOME, ROAD, Play, codes, first, read_as, told
from tests.session.tabletop import BLACK, HAMLET, RED, SITES, at, road


def suggested(events: tuple[Event, ...]) -> tuple[Suggestion, ...]:
    (found,) = [event.suggestions for event in events if isinstance(event, MoveRefused)]
    return found


def test_a_merchant_that_was_not_seen_is_suggested_and_one_tap_puts_it_right(laid: Play) -> None:
    right = laid.table.lies[at(3)]
    laid.table.put(at(3), BLACK, -1)  # the reader misses it
    (missing, *_) = suggested(laid.done())
    assert missing == Suggestion(at(3), right)
    laid.press(CorrectCell(missing.cell, missing.contents))
    assert told(laid.done())[0] == "TurnTaken"


@pytest.mark.parametrize(
    "misread",
    [road(BLACK, (0, 2)), road(RED), road(BLACK, terrain=Terrain.HILL)],
    ids=["another way round", "another colour", "another terrain"],
)
def test_a_tile_that_was_misread_is_suggested_as_it_makes_a_road_of_the_player(laid: Play, misread: Contents) -> None:
    laid.table.lies[at(2)] = misread
    assert Suggestion(at(2), ROAD) in suggested(laid.done())


def test_an_earlier_piece_that_lies_otherwise_is_suggested_as_in_the_books(play: Play) -> None:
    right = play.table.lies[SITES[0]]
    play.table.lay(SITES[0], HAMLET)
    assert suggested(play.done()) == (Suggestion(SITES[0], right),)


def test_a_cell_read_as_what_is_not_there_is_suggested_bare_beside_a_legal_road(laid: Play) -> None:
    laid.table.road(BLACK, at(0, 2))
    assert Suggestion(at(0, 2), BARE) in suggested(laid.done())


def test_taking_away_all_that_was_plainly_laid_is_not_suggested(play: Play) -> None:
    play.table.road(BLACK, at(0, 2))
    assert Suggestion(at(0, 2), BARE) not in suggested(play.done())


@pytest.mark.parametrize(("sure", "unsure_of"), [(HOME, at(3)), (at(3), HOME)], ids=["goal", "home"])
def test_the_cell_that_was_read_least_surely_comes_first(danger: Play, sure: HexCell, unsure_of: HexCell) -> None:
    """Two set out and three arrived, so one of the two heaps was counted wrongly."""
    danger.walk(2)
    danger.table.put(at(3), BLACK)
    reading = read_as(danger.table.seen(), sure, confidence=0.9)
    found = suggested(danger.done(read_as(reading, unsure_of, confidence=0.2)))
    assert [one.cell for one in found] == [unsure_of, sure]


def test_what_the_reader_itself_named_comes_before_any_other(laid: Play) -> None:
    right = laid.table.lies[at(3)]
    laid.table.put(at(3), BLACK)
    reading = read_as(laid.table.seen(), at(3), alternatives=(right,))
    found = suggested(laid.done(read_as(reading, at(2), confidence=0.1)))
    assert found[0] == Suggestion(at(3), right)


def test_whatever_is_suggested_makes_the_move_legal_and_no_more_than_three_are(laid: Play) -> None:
    laid.table.put(at(0), BLACK)
    laid.table.road(BLACK, at(4))
    refused = first(laid.done(), MoveRefused)
    assert len(refused.suggestions) <= MOST_SUGGESTED
    for one in refused.suggestions:
        change = seen_change(lying({**laid.table.lies, one.cell: one.contents}), refused.position.expected())
        assert isinstance(rule_set("standard").judge(refused.position, change), Legal)


def test_no_more_than_some_hundred_are_judged(play: Play) -> None:
    """Every cell in doubt about every tile: the worst reading possible."""
    judged: list[Verdict] = []

    class Counting:
        def judge(self, *arguments: object) -> Verdict:
            judged.append(Illegal(()))
            return judged[-1]

        def otherwise(self, *arguments: object) -> Iterable[tuple[Contents, int]]:
            return STANDARD.otherwise(*arguments)  # type: ignore[arg-type]

    tiles = [Contents(road(BLACK, edges).tile, Merchants(black=1)) for edges in ((0, 3), (0, 2), (2, 4))]
    reading = play.table.seen(doubted=dict.fromkeys(play.table.seen().cells, tiles))
    change = seen_change(play.table.seen(), {})
    assert suggestions(Counting(), play.position, change, reading) == ()  # type: ignore[arg-type]
    assert len(judged) == MOST_TRIED


def test_what_no_single_cell_can_put_right_has_no_suggestion(play: Play) -> None:
    play.table.road(BLACK, at(0, 2))
    play.table.road(BLACK, at(0, -2), (1, 4))
    play.table.road(BLACK, at(-4, 2), (1, 4))
    events = play.done()
    assert codes(events) == ["dead-end"]
    assert suggested(events) == ()
