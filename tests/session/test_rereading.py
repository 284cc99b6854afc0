"""Later photographs that make sense only with another reading of an earlier one."""

from dataclasses import replace

import pytest

from companion.board import Contents, Road, Terrain, Workshop
from companion.commands import Accept, Done, Pause, Resume, TakeOffer, Undo
from companion.events import CellReread, CommandRefused, Event, Outlook, RereadingOffered, StandingChanged
from companion.games.contract import Position
from tests.session.conftest import Play
from tests.session.tabletop import BLACK, GAME, RED, Tabletop, at, red_builds
from tests.session.test_crowds import HOME, Crowded
from tests.session.test_turns import told

#: From either of Black's two workshops this cell's road can lead east, to the settlement.
CROSSING, GOAL = at(2), at(3)


def tile(*edges: int) -> Contents:
    return Contents(Road(BLACK, Terrain.PLAIN, (edges[0], edges[1])))


def offers(events: tuple[Event, ...]) -> list[RereadingOffered]:
    return [event for event in events if isinstance(event, RereadingOffered)]


def outlook(play: Play) -> Outlook:
    return play.session.standing(play.table.seen()).outlook


def black_builds(play: Play, *edges: int) -> None:
    play.table.lay(CROSSING, tile(*edges).tile)
    play.table.put(GOAL, BLACK)
    play.table.tracks[BLACK] = 4
    assert told(play.done())[0] == "TurnTaken"


def new_game() -> Play:
    """A game for two in which Black's workshops lie next to each other; Red, who begins, has saved his days."""
    play = Play(table=Tabletop())
    play.press(replace(GAME, rules="two-player"))
    for color, cell in ((BLACK, at(1)), (RED, at(-2)), (BLACK, at(2, -1)), (RED, at(-3, 1))):
        play.table.lay(cell, Workshop(color))
        play.done()
    play.table.tracks[RED] = 6
    assert told(play.done())[0] == "TurnTaken"
    return play


@pytest.fixture
def misread() -> Play:
    """Black's tile was read as coming from his other workshop than it does; the game went on, Red has built."""
    play = new_game()
    black_builds(play, 0, 2)
    red_builds(play.table)
    play.table.tracks[RED] = 8
    assert told(play.done())[0] == "TurnTaken"
    return play


def test_another_reading_of_an_earlier_move_that_makes_all_since_legal_is_offered(misread: Play) -> None:
    before = misread.session.position
    misread.table.lay(CROSSING, tile(0, 3).tile)
    events = misread.session.see(misread.table.seen())
    assert offers(events) == [RereadingOffered(CROSSING, tile(0, 2), tile(0, 3), moves=2)]
    assert outlook(misread) is Outlook.DISAGREES
    assert misread.session.position == before, "nothing is decided"


def test_taken_the_books_are_as_if_it_had_been_read_so_at_once(misread: Play) -> None:
    misread.table.lay(CROSSING, tile(0, 3).tile)
    misread.session.see(misread.table.seen())
    (reread, *_) = misread.press(TakeOffer())
    right = new_game()
    black_builds(right, 0, 3)
    red_builds(right.table)
    right.done()
    assert isinstance(reread, CellReread)
    assert (reread.cell, reread.seen, reread.position) == (CROSSING, tile(0, 3), right.session.position)
    assert misread.session.position == right.session.position
    assert misread.session.history == right.session.history
    assert misread.session.state.marks == right.session.state.marks
    assert outlook(misread) is Outlook.UNCHANGED
    assert misread.session.offer is None


def test_it_is_announced_once_and_stays_open_while_the_table_shows_it(misread: Play) -> None:
    misread.table.lay(CROSSING, tile(0, 3).tile)
    assert len(offers(misread.session.see(misread.table.seen()))) == 1
    looks = (misread.table.seen(), misread.table.seen(covered=[at(4)]), misread.table.seen())
    assert [offers(misread.session.see(look)) for look in looks] == [[], [], []]
    misread.table.lay(CROSSING, tile(0, 2).tile)
    misread.session.see(misread.table.seen())
    assert misread.session.offer is None, "it lies as it was read at first"
    misread.table.lay(CROSSING, tile(0, 3).tile)
    assert offers(misread.session.see(misread.table.seen())) == []
    assert isinstance(misread.session.offer, RereadingOffered)


def test_what_the_player_in_turn_has_laid_by_then_stays_to_be_judged(misread: Play) -> None:
    misread.table.road(BLACK, at(4))
    misread.table.lay(CROSSING, tile(0, 3).tile)
    assert len(offers(misread.session.see(misread.table.seen()))) == 1
    misread.press(TakeOffer())
    assert outlook(misread) is Outlook.UNFINISHED
    misread.table.lay(at(4), None)
    assert outlook(misread) is Outlook.UNCHANGED


def test_a_refused_press_leaves_the_offer_open(misread: Play) -> None:
    misread.table.lay(CROSSING, tile(0, 3).tile)
    misread.session.see(misread.table.seen())
    assert told(misread.done())[0] == "MoveRefused"
    assert told(misread.press(TakeOffer()))[0] == "CellReread"


def test_while_something_else_cannot_be_made_out_the_offer_waits(misread: Play) -> None:
    misread.table.lay(CROSSING, tile(0, 3).tile)
    misread.session.see(misread.table.seen())
    unclear = misread.table.seen(doubted={at(4): [tile(0, 3), tile(0, 2)]})
    assert misread.press(TakeOffer(), unclear)[0] == CommandRefused("nothing-offered")
    assert told(misread.press(TakeOffer()))[0] == "CellReread"


@pytest.mark.parametrize("edges", [(1, 3), (0, 4), (2, 4)])
def test_a_tile_that_would_never_have_been_legal_is_no_rereading(misread: Play, edges: tuple[int, int]) -> None:
    misread.table.lay(CROSSING, tile(*edges).tile)
    assert offers(misread.session.see(misread.table.seen())) == []
    assert misread.press(TakeOffer())[0] == CommandRefused("nothing-offered")
    assert outlook(misread) is Outlook.DISAGREES


def test_a_second_piece_out_of_place_speaks_against_a_misreading(misread: Play) -> None:
    misread.table.lay(CROSSING, tile(0, 3).tile)
    misread.table.lay(at(-1), None)
    assert offers(misread.session.see(misread.table.seen())) == []


def test_a_move_that_the_table_let_stand_may_stand_again() -> None:
    """Red's road was refused for want of a merchant and let stand; that is no reason against rereading Black's."""
    play = new_game()
    black_builds(play, 0, 2)
    play.table.road(RED, at(-1))
    play.done()
    play.press(Accept())
    play.table.lay(CROSSING, tile(0, 3).tile)
    assert len(offers(play.session.see(play.table.seen()))) == 1
    play.press(TakeOffer())
    assert outlook(play) is Outlook.UNCHANGED


def test_undo_goes_back_to_what_was_reread(misread: Play) -> None:
    misread.table.lay(CROSSING, tile(0, 3).tile)
    misread.session.see(misread.table.seen())
    misread.press(TakeOffer())
    position: Position | None = misread.session.history[-1]
    misread.press(Undo())
    assert misread.session.position == position
    assert outlook(misread) is Outlook.LEGAL


def test_during_a_pause_nothing_is_offered_after_it_it_is(misread: Play) -> None:
    misread.press(Pause())
    misread.table.lay(CROSSING, tile(0, 3).tile)
    assert misread.session.see(misread.table.seen()) == ()
    assert misread.session.offer is None
    assert len(offers(misread.session.obey(Resume()))) == 1


# Merchants ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def game() -> Crowded:
    """Two of Black's merchants walked, as was read; it is Red's turn."""
    game = Crowded()
    game.workshops()
    game.press()
    game.table.road(BLACK, at(2))
    game.table.put(HOME, BLACK, -2)
    game.table.put(at(3), BLACK, 2)
    game.press()
    assert (game.cubes(HOME), game.cubes(at(3))) == (4, 2)
    return game


def test_a_number_of_merchants_that_walked_can_be_reread_at_both_ends(game: Crowded) -> None:
    game.table.put(HOME, BLACK, -1)
    game.table.put(at(3), BLACK, 1)
    (changed, *found) = game.session.see(game.table.seen())
    assert isinstance(changed, StandingChanged)
    assert [offer.moves for offer in offers(tuple(found))] == [1]
    events = game.session.obey(TakeOffer())
    assert {event.cell for event in events if isinstance(event, CellReread)} == {HOME, at(3)}
    assert (game.cubes(HOME), game.cubes(at(3))) == (3, 3)
    assert game.session.standing(game.table.seen()).outlook is Outlook.UNCHANGED


def test_the_other_end_may_be_a_heap_that_cannot_be_counted(game: Crowded) -> None:
    game.table.put(HOME, BLACK, -1)
    game.table.put(at(3), BLACK, 1)
    reading = game.table.seen(doubted={HOME: game.numbers(HOME, range(2, 6))})
    assert [offer.cell for offer in offers(game.session.see(reading))] == [at(3)]
    game.session.obey(TakeOffer())
    assert (game.cubes(HOME), game.cubes(at(3))) == (3, 3)


def test_a_merchant_that_came_from_nowhere_is_no_rereading(game: Crowded) -> None:
    game.table.put(at(3), BLACK, 1)
    assert offers(game.session.see(game.table.seen())) == []


def test_a_merchant_of_the_player_in_turn_is_his_move(game: Crowded) -> None:
    game.table.put(at(-2), RED, -1)
    game.table.put(at(0), RED, 1)
    assert offers(game.session.see(game.table.seen())) == []
    assert game.session.obey(Done(confirmed=False))[0].__class__.__name__ == "MoveRefused"
