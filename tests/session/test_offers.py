"""What is asked instead of decided, and what one tap says yes to."""

import pytest

from companion.board import Color, Workshop
from companion.commands import Accept, Command, CorrectCell, Done, Pause, Resume, StartGame, TakeOffer, Undo
from companion.events import CommandRefused, MoveRefused, Outlook, SavingAsked, SequenceOffered, TurnTaken
from companion.games.contract import Player
from companion.words import Voice
from tests.session.conftest import HOME, ONE_EACH, Play, codes, first, movers, told
from tests.session.tabletop import BLACK, GAME, RED, SITES, Tabletop, at, black_builds, red_builds

PRESS = Done(confirmed=False)
YELLOW = Color.YELLOW


# Saving -------------------------------------------------------------------------------------------------------------


def test_a_press_on_an_unchanged_table_asks_and_a_yes_saves(play: Play) -> None:
    assert play.press(PRESS) == (SavingAsked(BLACK),)
    assert play.session.offer == SavingAsked(BLACK)
    taken = first(play.press(TakeOffer()), TurnTaken)
    assert (taken.player, taken.left, bool(taken.change)) == (BLACK, 6, False)
    assert play.session.offer is None


def test_after_a_hand_was_in_the_way_saving_is_still_asked_about(play: Play) -> None:
    assert told(play.press(PRESS, covered=[at(4)])) == ["MoveHidden"]
    assert told(play.press(PRESS)) == ["SavingAsked"]


def test_what_is_laid_after_the_question_lets_it_fall(play: Play) -> None:
    play.press(PRESS)
    black_builds(play.table)
    assert play.press(TakeOffer())[0] == CommandRefused("nothing-offered")
    assert movers(play.press(PRESS)) == [BLACK]


def test_a_question_that_fell_stays_fallen(play: Play) -> None:
    play.press(PRESS)
    play.table.road(BLACK, at(2))
    play.look()
    play.table.lay(at(2), None)
    assert play.press(TakeOffer())[0] == CommandRefused("nothing-offered")


def test_a_hand_over_the_board_lets_no_question_fall_but_waits(play: Play) -> None:
    play.press(PRESS)
    assert told(play.press(TakeOffer(), covered=[at(4)])) == ["MoveHidden"]
    assert play.session.state.unsettled == 0
    assert movers(play.press(TakeOffer())) == [BLACK]


def test_without_a_question_there_is_nothing_to_say_yes_to(play: Play) -> None:
    assert play.press(TakeOffer())[0] == CommandRefused("nothing-offered")


@pytest.mark.parametrize("command", [Undo(), Pause(), GAME], ids=lambda command: type(command).__name__)
def test_what_decides_otherwise_lets_a_question_fall(play: Play, command: Command) -> None:
    play.press(PRESS)
    if isinstance(command, StartGame):
        play.table = Tabletop()
    play.press(command)
    assert play.session.offer is None


def test_a_confirmed_press_saves_at_once(play: Play) -> None:
    play.press(PRESS)
    saved = play.press(Done())
    assert told(saved) == ["TurnTaken", "TurnBegan", "MarkersDiffer"]
    assert movers(saved) == [BLACK]
    assert play.session.offer is None


# Several players ----------------------------------------------------------------------------------------------------


def test_a_player_who_forgot_to_press_is_offered_together_with_the_next(laid: Play) -> None:
    before = laid.session.position
    red_builds(laid.table)
    offered = first(laid.press(PRESS), SequenceOffered)
    assert offered.players == (BLACK, RED)
    assert [set(change.cells) for change in offered.changes] == [{at(2), at(3)}, {at(-1), at(0)}]
    assert laid.session.position == before, "nothing is decided"
    assert movers(laid.press(TakeOffer())) == [BLACK, RED]
    assert [position.next for position in laid.session.history] == [BLACK, RED, BLACK, RED]


def test_moves_taken_together_are_the_same_as_one_after_the_other(laid: Play) -> None:
    red_builds(laid.table)
    laid.press(PRESS)
    laid.press(TakeOffer())
    single = Play.begun()
    single.turns(black_builds, red_builds)
    assert laid.session.position == single.session.position
    assert laid.session.history == single.session.history
    assert laid.session.state.marks == single.session.state.marks


def test_a_confirmed_press_on_two_players_moves_is_refused_as_ever(laid: Play) -> None:
    red_builds(laid.table)
    assert told(laid.done())[0] == "MoveRefused"


def test_moves_of_which_one_is_not_legal_are_not_offered(laid: Play) -> None:
    laid.table.road(RED, at(-1))
    assert told(laid.press(PRESS))[0] == "MoveRefused"
    assert laid.session.offer is None


def test_another_turn_laid_on_top_lets_the_offer_fall(laid: Play) -> None:
    red_builds(laid.table)
    laid.press(PRESS)
    laid.table.road(RED, at(-3))
    assert laid.press(TakeOffer())[0] == CommandRefused("nothing-offered")


def test_workshops_that_nobody_pressed_for_are_offered() -> None:
    play = Play.dealt()
    for color, cell in ONE_EACH:
        play.table.lay(cell, Workshop(color))
    assert told(play.press(PRESS)) == ["SequenceOffered"]
    assert movers(play.press(TakeOffer())) == [BLACK, RED]


def test_a_player_in_between_who_laid_nothing_is_offered_as_saving() -> None:
    play, players = Play(), (Player("Bea", BLACK), Player("Yves", YELLOW), Player("Rob", RED))
    play.press(StartGame(players))
    play.place((BLACK, at(1)), (YELLOW, at(-1, 4)), (RED, at(-2)))
    black_builds(play.table)
    red_builds(play.table)
    offered = first(play.press(PRESS), SequenceOffered)
    assert offered.players == (BLACK, YELLOW, RED)
    assert Voice(players).sentences(offered) == (
        "Did somebody forget to say done: Bea, then Yves, then Rob?",
        "Yves builds nothing and saves their days",
    )
    assert movers(play.press(TakeOffer())) == [BLACK, YELLOW, RED]


def test_where_merchants_walk_the_next_player_takes_theirs_from_where_they_stood(danger: Play) -> None:
    danger.walk(2)
    danger.table.road(RED, at(-1))
    danger.table.put(at(-2), RED, -1)
    danger.table.put(at(0), RED, 1)
    assert first(danger.press(PRESS), SequenceOffered).players == (BLACK, RED)
    assert movers(danger.session.obey(TakeOffer())) == [BLACK, RED]
    assert danger.cubes(HOME) == 4


def test_a_cell_in_doubt_is_what_makes_the_first_of_several_moves_legal(laid: Play) -> None:
    red_builds(laid.table)
    doubted = {at(3): [laid.on_goal(black=1), laid.on_goal()]}
    assert told(laid.press(PRESS, doubted=doubted)) == ["SequenceOffered"]
    assert movers(laid.press(TakeOffer(), doubted=doubted)) == [BLACK, RED]


# Another's pieces ---------------------------------------------------------------------------------------------------


def test_only_anothers_pieces_are_refused_with_whose_turn_it_is(play: Play) -> None:
    red_builds(play.table)
    refused = first(play.press(PRESS), MoveRefused)
    assert Voice(GAME.players).sentences(refused)[0] == "It is Bea’s turn, but these pieces are Rob’s"
    assert play.session.offer is None


def test_own_pieces_among_anothers_are_refused_as_not_allowed(play: Play) -> None:
    red_builds(play.table)
    play.table.road(BLACK, at(0, 2))
    (refused, *_) = play.press(PRESS)
    assert Voice(GAME.players).sentences(refused)[0] == "Bea: that move is not legal"


# The table and the books disagree -----------------------------------------------------------------------------------


def test_an_earlier_tile_that_was_turned_is_named_until_it_lies_right(both_laid: Play) -> None:
    both_laid.table.road(BLACK, at(2), (0, 2))
    both_laid.look()
    standing = both_laid.session.standing(both_laid.table.seen())
    assert (standing.outlook, standing.cells) == (Outlook.DISAGREES, (at(2),))
    events = both_laid.press(PRESS)
    assert codes(events) == ["tile-changed"]
    assert Voice(GAME.players).sentences(events[0])[0] == "The table and I disagree"
    both_laid.table.road(BLACK, at(2))
    assert both_laid.outlook is Outlook.LEGAL


def test_once_accepted_it_counts_as_in_the_books_while_others_play_on_it(play: Play) -> None:
    """A settlement was swapped for another one; merchants that come to it later are seen and counted."""
    right = play.table.lies[at(3)]
    play.table.lay(at(3), play.table.lies[SITES[0]].tile)
    assert play.table.lies[at(3)] != right
    play.press(Accept())
    black_builds(play.table)
    assert movers(play.press(PRESS)) == [BLACK]
    assert play.outlook is Outlook.UNCHANGED
    assert play.position.expected()[at(3)].tile == right.tile


def test_an_accepted_tile_that_is_moved_again_disagrees_again(play: Play) -> None:
    play.turns(black_builds)
    play.table.road(BLACK, at(2), (0, 2))
    play.press(Accept())
    assert play.outlook is Outlook.UNCHANGED
    play.table.lay(at(2), None)
    assert play.outlook is Outlook.DISAGREES


def test_a_corrected_cell_no_longer_disagrees(play: Play) -> None:
    right = play.table.lies[SITES[0]]
    play.table.lay(SITES[0], None)
    play.press(CorrectCell(SITES[0], right))
    assert play.outlook is Outlook.UNCHANGED


def test_a_merchant_that_is_gone_is_put_back_in_thought_and_the_new_ones_stay(play: Play) -> None:
    play.turns(black_builds)
    play.table.tracks[RED] = 6
    play.done()  # Red saves
    play.table.put(at(3), BLACK, -1)
    assert codes(play.press(PRESS)) == ["merchant-removed"]
    play.press(Accept())
    assert play.outlook is Outlook.UNCHANGED


# Pause --------------------------------------------------------------------------------------------------------------


def test_while_paused_nothing_is_judged_and_the_table_is_still_seen(play: Play) -> None:
    assert told(play.press(Pause())) == ["GamePaused"]
    black_builds(play.table)
    play.look()
    standing = play.session.standing(play.table.seen())
    assert (standing.outlook, standing.player) == (Outlook.PAUSED, BLACK)
    for command in (PRESS, Done(), Accept(), TakeOffer(), Pause()):
        assert play.press(command) == (CommandRefused("paused"),)
    resumed, changed = play.press(Resume())
    assert told((resumed,)) == ["GameResumed"]
    assert changed.standing.outlook is Outlook.LEGAL  # type: ignore[union-attr]
    assert movers(play.press(PRESS)) == [BLACK]


def test_a_game_that_is_not_paused_cannot_be_resumed(play: Play) -> None:
    assert play.press(Resume()) == (CommandRefused("not-paused"),)


def test_an_answer_while_paused_decides_nothing(laid: Play) -> None:
    goal = laid.on_goal(black=1)
    unclear = laid.table.seen(doubted={at(3): [goal, laid.on_goal()]})
    laid.press(PRESS, unclear)
    laid.press(Pause(), unclear)
    assert told(laid.press(CorrectCell(at(3), goal), unclear)) == ["CellCorrected"]
    laid.press(Resume(), unclear)
    assert movers(laid.press(PRESS, unclear)) == [BLACK]
