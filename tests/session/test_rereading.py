"""Later photographs that make sense only if an earlier one is read differently."""

import pytest

from companion.commands import Accept, Done, Pause, Resume, TakeOffer, Undo
from companion.events import CellReread, CommandRefused, Event, Outlook, RereadingOffered
from companion.games.contract import Position
from tests.session.conftest import GOAL, HOME, ONE_EACH, ROAD, Play, first, reread, told
from tests.session.tabletop import BLACK, RED, WEST_EAST, at, red_builds, road

#: From either of Black's two workshops this cell's road can lead east, to their goal.
CROSSING = at(2)
#: How it was read at first: from the wrong one.
ASTRAY = (0, 2)


def offers(events: tuple[Event, ...]) -> list[RereadingOffered]:
    return [event for event in events if isinstance(event, RereadingOffered)]


def black_builds(play: Play, edges: tuple[int, int]) -> None:
    play.table.road(BLACK, CROSSING, edges)
    play.table.put(GOAL, BLACK)
    play.table.tracks[BLACK] = 4
    assert told(play.done())[0] == "TurnTaken"


def new_game() -> Play:
    """Return a game for two: Black's workshops are next to each other; Red, who begins, has saved their days."""
    play = Play.begun("two-player", (*ONE_EACH, (BLACK, at(2, -1)), (RED, at(-3, 1))))
    play.table.tracks[RED] = 6
    assert told(play.done())[0] == "TurnTaken"
    return play


def turned(play: Play, edges: tuple[int, int] = WEST_EAST) -> tuple[Event, ...]:
    """Return what is said once Black's tile is seen with these edges."""
    play.table.road(BLACK, CROSSING, edges)
    return play.look()


@pytest.fixture
def misread() -> Play:
    """Black's tile was read as coming from the wrong one of their workshops; the game went on, and Red has built."""
    play = new_game()
    black_builds(play, ASTRAY)
    red_builds(play.table)
    play.table.tracks[RED] = 8
    assert told(play.done())[0] == "TurnTaken"
    return play


def test_another_reading_of_an_earlier_move_that_makes_all_since_legal_is_offered(misread: Play) -> None:
    before = misread.session.position
    assert offers(turned(misread)) == [RereadingOffered(CROSSING, road(BLACK, ASTRAY), ROAD, moves=2)]
    assert misread.outlook is Outlook.DISAGREES
    assert misread.session.position == before, "nothing is decided"


def test_once_it_is_taken_the_books_are_as_if_it_had_been_read_so_at_once(misread: Play) -> None:
    turned(misread)
    taken = first(misread.press(TakeOffer()), CellReread)
    right = new_game()
    black_builds(right, WEST_EAST)
    right.turns(red_builds)
    assert (taken.cell, taken.seen, taken.position) == (CROSSING, ROAD, right.session.position)
    assert misread.session.position == right.session.position
    assert misread.session.history == right.session.history
    assert misread.session.state.marks == right.session.state.marks
    assert misread.outlook is Outlook.UNCHANGED
    assert misread.session.offer is None


def test_it_is_announced_once_and_stays_open_while_the_table_shows_it(misread: Play) -> None:
    assert len(offers(turned(misread))) == 1
    looks = (misread.table.seen(), misread.table.seen(covered=[at(4)]), misread.table.seen())
    assert [offers(misread.session.see(look)) for look in looks] == [[], [], []]
    turned(misread, ASTRAY)
    assert misread.session.offer is None, "it lies as it was read at first"
    assert offers(turned(misread)) == []
    assert isinstance(misread.session.offer, RereadingOffered)


def test_what_the_player_in_turn_has_laid_by_then_stays_to_be_judged(misread: Play) -> None:
    misread.table.road(BLACK, at(4))
    assert len(offers(turned(misread))) == 1
    misread.press(TakeOffer())
    assert misread.outlook is Outlook.UNFINISHED
    misread.table.lay(at(4), None)
    assert misread.outlook is Outlook.UNCHANGED


def test_a_refused_press_leaves_the_offer_open(misread: Play) -> None:
    turned(misread)
    assert told(misread.done())[0] == "MoveRefused"
    assert told(misread.press(TakeOffer()))[0] == "CellReread"


def test_while_something_else_cannot_be_made_out_the_offer_waits(misread: Play) -> None:
    turned(misread)
    unclear = {at(4): [ROAD, road(BLACK, ASTRAY)]}
    assert misread.press(TakeOffer(), doubted=unclear)[0] == CommandRefused("nothing-offered")
    assert told(misread.press(TakeOffer()))[0] == "CellReread"


@pytest.mark.parametrize("edges", [(1, 3), (0, 4), (2, 4)])
def test_a_tile_that_would_never_have_been_legal_is_no_rereading(misread: Play, edges: tuple[int, int]) -> None:
    assert offers(turned(misread, edges)) == []
    assert misread.press(TakeOffer())[0] == CommandRefused("nothing-offered")
    assert misread.outlook is Outlook.DISAGREES


def test_a_second_piece_out_of_place_speaks_against_a_misreading(misread: Play) -> None:
    misread.table.lay(at(-1), None)
    assert offers(turned(misread)) == []


def test_a_move_that_the_table_let_stand_may_stand_again() -> None:
    """Red's road was refused for lack of a merchant and let stand; that is no reason against rereading Black's."""
    play = new_game()
    black_builds(play, ASTRAY)
    play.table.road(RED, at(-1))
    play.done()
    play.press(Accept())
    assert len(offers(turned(play))) == 1
    play.press(TakeOffer())
    assert play.outlook is Outlook.UNCHANGED


def test_undo_goes_back_to_what_was_reread(misread: Play) -> None:
    turned(misread)
    misread.press(TakeOffer())
    position: Position | None = misread.session.history[-1]
    misread.press(Undo())
    assert misread.session.position == position
    assert misread.outlook is Outlook.LEGAL


def test_nothing_is_offered_during_a_pause_but_it_is_afterwards(misread: Play) -> None:
    misread.press(Pause())
    assert turned(misread) == ()
    assert misread.session.offer is None
    assert len(offers(misread.session.obey(Resume()))) == 1


# Merchants ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def game(danger: Play) -> Play:
    """Two of Black's merchants have walked, as was read; it is Red's turn."""
    danger.walk(2)
    danger.done()
    assert (danger.cubes(HOME), danger.cubes(at(3))) == (4, 2)
    return danger


def test_a_number_of_merchants_that_walked_can_be_reread_at_both_ends(game: Play) -> None:
    game.table.put(HOME, BLACK, -1)
    game.table.put(at(3), BLACK, 1)
    assert [offer.moves for offer in offers(game.look())] == [1]
    assert reread(game.session.obey(TakeOffer())) == {HOME, at(3)}
    assert (game.cubes(HOME), game.cubes(at(3))) == (3, 3)
    assert game.outlook is Outlook.UNCHANGED


def test_the_other_end_may_be_a_heap_that_cannot_be_counted(game: Play) -> None:
    game.table.put(HOME, BLACK, -1)
    game.table.put(at(3), BLACK, 1)
    assert [offer.cell for offer in offers(game.look(doubted=game.heaps({HOME: range(2, 6)})))] == [at(3)]
    game.session.obey(TakeOffer())
    assert (game.cubes(HOME), game.cubes(at(3))) == (3, 3)


def test_a_merchant_that_came_from_nowhere_is_no_rereading(game: Play) -> None:
    game.table.put(at(3), BLACK, 1)
    assert offers(game.look()) == []


def test_a_merchant_of_the_player_in_turn_is_their_move(game: Play) -> None:
    game.table.put(at(-2), RED, -1)
    game.table.put(at(0), RED, 1)
    assert offers(game.look()) == []
    assert told(game.session.obey(Done(confirmed=False)))[0] == "MoveRefused"
