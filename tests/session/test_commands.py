"""Undo, correct a cell, accept as it lies."""

from dataclasses import replace

import pytest

from companion.board import BARE, BadInputError, Contents, HexCell, Merchants, Terrain, Tile, Workshop
from companion.commands import Accept, Command, CorrectCell, Done, EndGame, Pause, Resume, StartGame, TakeOffer, Undo
from companion.events import CellCorrected, CommandRefused, MoveAccepted, MoveHidden, MovesUndone, Outlook, TurnTaken
from companion.games.contract import Player
from companion.session import Session
from tests.session.conftest import ROAD, TWO_EACH, Play, codes, first, read_as, told
from tests.session.tabletop import BLACK, GAME, HAMLET, RED, SITES, VILLAGE, at, black_builds, red_builds, road


def test_two_players_of_one_colour_are_refused() -> None:
    with pytest.raises(BadInputError, match="Ann and Bob both play black"):
        StartGame((Player("Ann", BLACK), Player("Bob", BLACK)))


def test_undo_gives_back_the_position_before_and_what_still_lies_there_is_judged_anew(play: Play) -> None:
    before = play.session.position
    play.turns(black_builds)
    undone = first(play.press(Undo()), MovesUndone)
    assert (undone.player, undone.clear) == (BLACK, ())
    assert play.session.position == before
    assert play.session.state.marks == {BLACK: 0, RED: 0}
    assert play.outlook is Outlook.LEGAL
    assert told(play.done())[0] == "TurnTaken"


def test_after_undoing_two_turns_the_later_ones_cells_are_to_be_cleared_first(play: Play) -> None:
    play.turns(black_builds, red_builds)
    undone = first(play.press(Undo(2)), MovesUndone)
    assert set(undone.clear) == {at(-1), at(0)}
    assert play.done()[0] == CommandRefused("cells-to-clear", undone.clear)
    assert play.outlook is Outlook.TO_CLEAR
    play.table.lay(at(-1), None)
    play.table.put(at(0), RED, -1)
    assert first(play.done(), TurnTaken).player is BLACK


def test_workshops_can_be_undone_too_but_not_the_deal(play: Play) -> None:
    assert isinstance(play.press(Undo(2))[0], MovesUndone)
    assert play.position.phase == "workshop"
    assert play.press(Undo())[0] == CommandRefused("nothing-to-undo")


def test_undo_before_a_game_has_no_effect() -> None:
    assert Session().obey(Undo()) == (CommandRefused("nothing-to-undo"),)
    with pytest.raises(BadInputError, match="moves is 0"):
        Undo(0)


@pytest.mark.parametrize("command", [Accept(), EndGame(), Pause(), Resume(), TakeOffer()], ids=repr)
def test_before_a_game_there_is_nothing_to_decide(command: Command) -> None:
    assert Session().obey(command) == (CommandRefused("no-game"),)


def test_a_corrected_cell_is_judged_as_the_person_says(laid: Play) -> None:
    right = laid.table.lies[at(3)]
    laid.table.put(at(3), BLACK, -1)  # the reader misses the cube
    assert codes(laid.done()) == ["merchant-missing"]
    assert told(laid.press(CorrectCell(at(3), right))) == ["CellCorrected"]
    assert told(laid.done())[0] == "TurnTaken"
    assert laid.outlook is Outlook.UNCHANGED


def test_a_correction_lapses_once_something_else_is_seen_there(play: Play) -> None:
    play.press(CorrectCell(at(2), Contents(Workshop(RED))))
    play.table.road(BLACK, at(2))
    play.table.put(at(3), BLACK)
    assert told(play.done())[0] == "TurnTaken"


def test_a_correction_answers_the_question_that_a_press_waits_for(laid: Play) -> None:
    goal = laid.table.lies[at(3)]
    unclear = laid.table.seen(doubted={at(3): [goal, Contents(goal.tile)]})
    assert told(laid.done(unclear)) == ["MoveUnclear"]
    assert told(laid.session.obey(CorrectCell(at(3), goal))) == ["CellCorrected", "TurnTaken", "TurnBegan"]
    assert laid.session.state.unsettled == 0


def test_a_question_is_answered_though_the_table_was_looked_at_again_since(laid: Play) -> None:
    """Seen once more, the answers may come in another order, and cubes are counted on from what was there."""
    goal, empty = laid.table.lies[at(3)], Contents(laid.table.lies[at(3)].tile)
    asked = read_as(laid.table.seen(doubted={at(3): [goal, empty]}), at(3), since=goal)
    assert told(laid.done(asked)) == ["MoveUnclear"]
    laid.session.see(read_as(asked, at(3), alternatives=(empty, goal)))
    assert told(laid.session.obey(CorrectCell(at(3), goal))) == ["CellCorrected", "TurnTaken", "TurnBegan"]


def test_a_refused_turn_passes_as_soon_as_a_person_says_what_was_misread(laid: Play) -> None:
    right, hill = laid.table.lies[at(3)], road(BLACK, terrain=Terrain.HILL)
    laid.table.put(at(3), BLACK)
    laid.table.lies[at(2)] = hill
    assert set(codes(laid.done())) == {"tile-terrain", "merchant-extra"}
    assert told(laid.session.obey(CorrectCell(at(3), right))) == ["CellCorrected"], "the road is wrong, too"
    events = laid.session.obey(CorrectCell(at(2), ROAD))
    assert told(events) == ["CellCorrected", "TurnTaken", "TurnBegan"]
    assert laid.outlook is Outlook.UNCHANGED


def test_once_something_moved_since_a_refusal_a_correction_passes_nothing(laid: Play) -> None:
    """Whoever was refused may still be putting pieces right."""
    right = laid.table.lies[at(3)]
    laid.table.put(at(3), BLACK)
    laid.table.lies[at(2)] = road(BLACK, terrain=Terrain.HILL)
    laid.done()
    laid.table.lies[at(2)] = ROAD
    laid.look()
    assert told(laid.session.obey(CorrectCell(at(3), right))) == ["CellCorrected"]
    assert told(laid.done())[0] == "TurnTaken"


def test_a_refused_turn_of_which_a_correction_leaves_nothing_saves_no_days(play: Play) -> None:
    play.table.road(BLACK, at(2))
    play.done()
    assert told(play.session.obey(CorrectCell(at(2), BARE))) == ["CellCorrected"]
    assert play.position.next is BLACK


def test_a_move_that_passed_is_refused_as_soon_as_a_person_says_what_it_left(laid: Play) -> None:
    """The reader sees a merchant that is not there."""
    before = laid.session.position
    laid.done()
    events = laid.session.obey(CorrectCell(at(3), laid.on_goal()))
    assert told(events)[:3] == ["CellCorrected", "MovesUndone", "MoveRefused"]
    assert codes(events) == ["merchant-missing"]
    assert laid.session.position == before
    laid.look()
    assert laid.outlook is Outlook.UNFINISHED
    laid.table.lies[at(3)] = laid.on_goal()
    laid.done()
    laid.table.put(at(3), BLACK)
    assert told(laid.done())[0] == "TurnTaken"


@pytest.mark.parametrize(
    ("cell", "lies", "wrong"),
    [(at(0), Merchants(black=1), "merchant-unconnected"), (at(4), ROAD.tile, "dead-end")],
    ids=["merchant", "road"],
)
def test_what_a_person_sees_that_the_last_player_laid_elsewhere_has_the_move_judged_again(
    laid: Play, cell: HexCell, lies: Tile | Merchants, wrong: str
) -> None:
    laid.done()
    before = laid.table.lies.get(cell, BARE)
    said = replace(before, merchants=lies) if isinstance(lies, Merchants) else replace(before, tile=lies)
    events = laid.session.obey(CorrectCell(cell, said))
    assert told(events)[:3] == ["CellCorrected", "MovesUndone", "MoveRefused"]
    assert codes(events) == [wrong]
    assert laid.position.next is BLACK


@pytest.mark.parametrize(
    ("cell", "lies"),
    [(at(5), Merchants(red=1)), (at(0), Merchants(red=1)), (at(-2), road(RED).tile), (at(0), None)],
    ids=["another's merchant", "another's merchant in a settlement", "another's road", "a tile that is gone"],
)
def test_a_correction_where_the_last_move_touched_nothing_judges_nothing_if_its_player_did_not_lay_that(
    laid: Play, cell: HexCell, lies: Tile | Merchants | None
) -> None:
    laid.done()
    after, before = laid.session.position, laid.table.lies.get(cell, BARE)
    said = replace(before, merchants=lies) if isinstance(lies, Merchants) else replace(before, tile=lies)
    assert "MovesUndone" not in told(laid.session.obey(CorrectCell(cell, said)))
    assert laid.session.position == after


def test_a_correction_that_says_what_the_books_have_judges_nothing(laid: Play) -> None:
    laid.done()
    assert told(laid.session.obey(CorrectCell(at(3), laid.on_goal(black=1)))) == ["CellCorrected"]


def test_once_the_next_player_has_laid_something_a_correction_takes_nothing_back(both_laid: Play) -> None:
    after = both_laid.session.position
    both_laid.look()
    assert "MovesUndone" not in told(both_laid.session.obey(CorrectCell(at(3), both_laid.on_goal())))
    assert both_laid.session.position == after


def test_a_merchant_of_the_next_player_where_the_last_one_came_takes_nothing_back(laid: Play) -> None:
    """Without a camera, people lay their pieces by correcting cells."""
    laid.done()
    after = laid.session.position
    assert "MovesUndone" not in told(laid.session.obey(CorrectCell(at(3), laid.on_goal(black=1, red=1))))
    assert laid.session.position == after


def test_a_correction_that_leaves_nothing_of_the_move_takes_nothing_back() -> None:
    """Whoever laid it has not saved days, or passed; it was taken away since."""
    play = Play.dealt()
    play.place((BLACK, at(1)))
    after = play.session.position
    assert "MovesUndone" not in told(play.session.obey(CorrectCell(at(1), BARE)))
    assert play.session.position == after


def test_merchants_who_leave_the_workshop_of_a_player_who_goes_on_take_nothing_back() -> None:
    """Whoever places the last workshop in Nick Danger's game may also begin."""
    danger = Play.begun("danger", TWO_EACH)
    player, home = TWO_EACH[-1]
    assert danger.position.next is player
    left = Contents(danger.table.lies[home].tile, Merchants.of({player: 4}))
    assert "MovesUndone" not in told(danger.session.obey(CorrectCell(home, left)))
    assert danger.position.phase == "turn"


def test_a_move_that_was_accepted_is_not_judged_again_when_a_cell_of_it_is_corrected(laid: Play) -> None:
    laid.table.put(at(3), BLACK)
    laid.done()
    laid.press(Accept())
    after = laid.session.position
    assert "MovesUndone" not in told(laid.session.obey(CorrectCell(at(3), laid.on_goal(black=1))))
    assert laid.session.position == after


def test_a_cell_off_the_board_cannot_be_corrected(play: Play) -> None:
    with pytest.raises(BadInputError, match="of one of another kind or size"):
        play.session.obey(CorrectCell(HexCell(0, 0, 7), BARE))


def test_accept_lets_an_illegal_turn_stand(play: Play) -> None:
    play.table.road(BLACK, at(2))
    play.done()
    accepted = first(play.press(Accept()), MoveAccepted)
    assert [reason.code for reason in accepted.reasons] == ["merchant-missing"]
    assert play.position.next is RED
    assert play.outlook is Outlook.UNCHANGED


def test_earlier_pieces_that_lie_otherwise_count_as_before_once_the_table_accepts_that(play: Play) -> None:
    before, right = play.session.position, play.table.lies[SITES[0]]
    play.table.lay(SITES[0], None)
    assert play.press(Accept())[0] == CellCorrected(SITES[0], right)
    assert play.session.position == before, "nothing else is decided"
    assert play.outlook is Outlook.UNCHANGED
    black_builds(play.table)
    assert told(play.done())[0] == "TurnTaken"


def test_accept_waits_for_the_hand_to_go(play: Play) -> None:
    play.table.road(BLACK, at(2))
    assert told(play.press(Accept(), covered=[at(3)])) == ["MoveHidden"]


def test_cells_that_keep_it_from_being_accepted_are_named_in_board_order(play: Play) -> None:
    upper, lower = at(5, -1), at(3, 1)
    hidden, *_ = play.press(Accept(), covered=[lower, upper])
    assert hidden == MoveHidden(BLACK, (upper, lower), "turn")
    for cell in (lower, upper):
        play.table.lay(cell, Workshop(BLACK))
    standing = play.session.standing(play.table.seen())
    assert standing.cells == (upper, lower)
    assert play.press(Accept()) == (CommandRefused("cannot-accept", (upper, lower)),)


def test_accept_decides_nothing_about_cells_that_cannot_be_made_out(play: Play) -> None:
    """Red builds in Black's turn and the table lets it stand; whether their merchant is there is still not seen."""
    red_builds(play.table)
    doubt = {at(0): (play.table.lies[at(0)], Contents())}
    assert told(play.press(Accept(), doubted=doubt))[0] == "MoveAccepted"
    assert told(play.press(Done(), doubted=doubt)) == ["MoveUnclear"]


def test_a_legal_turn_needs_no_accepting(laid: Play) -> None:
    assert laid.press(Accept())[0] == CommandRefused("nothing-to-accept")


def test_a_correction_before_the_deal_helps_the_deal() -> None:
    play = Play()
    right = play.table.lies[SITES[0]]
    play.table.lay(SITES[0], HAMLET)
    play.press(CorrectCell(SITES[0], right))
    assert told(play.session.obey(GAME))[0] == "GameDealt"
    assert codes(play.done()) == ["workshop-missing"], "the misread settlement is not held against anyone"


def test_what_was_said_before_the_deal_holds_though_the_reader_agrees_for_a_while() -> None:
    """At another try it reads the deal from nothing, and may be wrong again."""
    play = Play()
    right = play.table.lies[SITES[0]]
    play.table.lay(SITES[0], HAMLET)
    assert told(play.press(GAME)) == ["DealRefused"]
    play.press(CorrectCell(SITES[0], right))
    play.table.lies[SITES[0]] = right
    play.look()
    play.table.lay(SITES[0], HAMLET)
    assert told(play.press(GAME))[0] == "GameDealt"
    assert play.session.reading is not None
    assert play.session.reading.contents(SITES[0]) == right


def test_what_was_said_before_the_deal_lapses_once_another_piece_lies_there() -> None:
    play = Play()
    play.press(CorrectCell(SITES[0], Contents(HAMLET)))
    for tile in (HAMLET, VILLAGE, play.table.lies[SITES[0]].tile):
        play.table.lies[SITES[0]] = Contents(tile)
        play.look()
        assert play.session.reading is not None
        assert play.session.reading.contents(SITES[0]) == Contents(tile)


def test_cubes_taken_of_another_are_the_players_fault(play: Play) -> None:
    play.turns(black_builds)
    play.table.lies[at(3)] = play.on_goal()
    assert codes(play.done()) == ["merchant-color"]
