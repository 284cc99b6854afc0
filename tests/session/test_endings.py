"""A game that people end, taken up again or followed by the next one; and several moves undone at once."""

import pytest

from companion.commands import Command, Done, EndGame, Pause, StartGame, TakeOffer, Undo
from companion.events import CommandRefused, GameOver, MovesUndone, Outlook, TurnTaken
from companion.games import score
from companion.games.contract import Player
from companion.session import Session
from companion.words import Voice
from tests.session.conftest import ONE_EACH, Play, first, movers, told
from tests.session.tabletop import BLACK, GAME, RED, Tabletop, at, black_builds, red_builds

# An early end -------------------------------------------------------------------------------------------------------


def test_a_game_ended_early_is_won_by_gold(play: Play) -> None:
    play.turns(black_builds)
    over = first(play.press(EndGame()), GameOver)
    assert (over.winners, over.early) == ((BLACK,), True)
    assert (over.position.over, over.position.next, over.position.phase) == (True, None, "over")
    assert play.outlook is Outlook.OVER
    assert Voice(GAME.players).sentences(over) == ("The game ended early", "Bea wins")


def test_days_that_a_begun_turn_gave_decide_no_tie(play: Play) -> None:
    """Nobody has gold. Black has begun a turn and so has six more days, which the day tracks do not show yet."""
    assert play.position.days == {BLACK: 6, RED: 0}
    over = first(play.press(EndGame()), GameOver)
    assert over.winners == (BLACK, RED)
    assert over.position.days == play.session.state.marks == {BLACK: 0, RED: 0}


def test_days_that_are_left_decide_a_tie(play: Play) -> None:
    play.done()  # Black saves six
    assert first(play.press(EndGame()), GameOver).winners == (BLACK,)


def test_undo_takes_an_early_end_back_too(play: Play) -> None:
    play.turns(black_builds)
    before, marks, history = play.session.position, play.session.state.marks, play.session.history
    play.press(EndGame())
    undone = first(play.press(Undo()), MovesUndone)
    assert (undone.player, undone.clear) == (RED, ())
    assert (play.session.position, play.session.state.marks, play.session.history) == (before, marks, history)
    red_builds(play.table)
    assert told(play.done())[0] == "TurnTaken"


def test_after_an_early_end_nothing_is_judged_and_it_ends_once(play: Play) -> None:
    play.press(EndGame())
    for command in (Done(), Done(confirmed=False), TakeOffer(), Pause(), EndGame()):
        assert play.press(command)[0] == CommandRefused("game-over")


def test_a_paused_game_can_be_ended(play: Play) -> None:
    play.press(Pause())
    assert told(play.press(EndGame())) == ["GameOver"]
    assert play.outlook is Outlook.OVER


@pytest.mark.parametrize("before", [[], [Pause()], [EndGame()]], ids=["going on", "paused", "over"])
def test_the_next_game_begins_as_soon_as_the_board_is_dealt_anew(play: Play, before: list[Command]) -> None:
    play.turns(black_builds)
    for command in before:
        play.press(command)
    play.table = Tabletop()
    assert told(play.press(GAME)) == ["GameDealt", "TurnBegan"]
    assert score(play.session.position).gold == {BLACK: 0, RED: 0}
    assert play.session.history == ()
    assert movers(play.place(ONE_EACH[0])) == [BLACK]


# Undo of several moves ----------------------------------------------------------------------------------------------


def three_turns(play: Play) -> None:
    """Black builds east, Red west, Black on to the east."""
    play.turns(black_builds, red_builds)
    play.goes_on()
    play.table.tracks[BLACK] = 6
    assert told(play.done())[0] == "TurnTaken"


def test_after_undoing_three_turns_the_cells_to_clear_come_latest_first_until_all_are(play: Play) -> None:
    three_turns(play)
    undone = first(play.press(Undo(3)), MovesUndone)
    assert set(undone.clear[:3]) == {at(4), at(5), at(6)}
    assert set(undone.clear[3:]) == {at(-1), at(0)}
    for cell in (at(4), at(5)):
        play.table.lay(cell, None)
    play.table.put(at(6), BLACK, -1)
    assert play.done() == (CommandRefused("cells-to-clear", undone.clear[3:]),)
    assert play.outlook is Outlook.TO_CLEAR
    play.table.lay(at(-1), None)
    play.table.put(at(0), RED, -1)
    play.look()
    assert play.outlook is Outlook.LEGAL, "what the first of them laid is the unjudged change of the player undone to"
    taken = first(play.done(), TurnTaken)
    assert (taken.player, set(taken.change.cells)) == (BLACK, {at(2), at(3)})


def test_undone_tiles_that_are_taken_away_as_well_leave_an_unchanged_table(play: Play) -> None:
    three_turns(play)
    play.press(Undo(3))
    for cell in (at(2), at(4), at(5), at(-1)):
        play.table.lay(cell, None)
    for cell, color in ((at(3), BLACK), (at(6), BLACK), (at(0), RED)):
        play.table.put(cell, color, -1)
    play.look()
    assert play.outlook is Outlook.UNCHANGED


def test_undoing_one_after_the_other_is_undoing_all_at_once(play: Play) -> None:
    three_turns(play)
    at_once = Play(Session(state=play.session.state), play.table)
    for _ in range(3):
        play.press(Undo())
    at_once.press(Undo(3))
    assert play.session.state == at_once.session.state
    assert play.done() == at_once.done() == (CommandRefused("cells-to-clear", tuple(play.session.state.to_clear)),)


def test_a_new_move_forgets_what_was_undone_before(play: Play) -> None:
    three_turns(play)
    play.press(Undo())
    for cell in (at(4), at(5)):
        play.table.lay(cell, None)
    play.table.put(at(6), BLACK, -1)
    assert told(play.done())[0] == "TurnTaken"  # Black saves their days instead
    assert first(play.press(Undo()), MovesUndone).clear == ()


def test_the_next_game_is_dealt_with_other_players_too(play: Play) -> None:
    play.press(EndGame())
    play.table = Tabletop()
    play.press(StartGame((Player("Ann", RED), Player("Bob", BLACK))))
    assert play.position.next is RED
