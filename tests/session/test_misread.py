"""What the rules make impossible is first a doubt about the reading, and only then a player's fault."""

from dataclasses import replace

import pytest

from companion.board import BARE, CellChange, Change, Color, Contents, HexCell, Merchants, Reading, Terrain, Workshop
from companion.commands import CorrectCell, StartGame, Undo
from companion.events import Outlook, StandingChanged
from companion.games import rule_set
from companion.games.contract import Position
from companion.games.la_strada import STANDARD
from companion.session.answers import likely
from companion.session.misreading import questioned
from tests.session.conftest import GOAL, HOME, ROAD, TWO_EACH, Play, Shares, asked, codes, read_as, told
from tests.session.tabletop import BLACK, CITY, GAME, RED, VILLAGE, at, black_builds, red_builds, road

NOTHING = Change({})


def implausible(position: Position, cell: HexCell, now: Contents, **others: Contents) -> bool:
    held = position.expected()
    cells = {cell: now, **{position.ground.board.cell(name): contents for name, contents in others.items()}}
    change = Change({each: CellChange(held.get(each, BARE), contents) for each, contents in cells.items()})
    return cell in rule_set(position.rules.name).implausible(position, change)  # type: ignore[attr-defined]


# What is impossible -------------------------------------------------------------------------------------------------


def test_a_merchant_on_a_workshop_is_impossible_but_on_a_settlement_it_is_not(play: Play) -> None:
    here = play.position
    assert implausible(here, HOME, Contents(Workshop(BLACK), Merchants(black=1)))
    assert not implausible(here, at(3), play.on_goal(black=1))
    assert not implausible(here, HOME, BARE)


def test_merchants_start_on_the_workshop_in_dangers_game() -> None:
    here = Play.dealt("danger").position
    for number in (6, 12, 13):
        home = Contents(Workshop(BLACK), Merchants(black=number))
        assert implausible(here, HOME, home) is (number > 12)


def test_before_all_workshops_are_set_merchants_are_on_their_own_workshops_alone() -> None:
    play = Play.dealt("danger")
    here = play.position
    assert not implausible(here, HOME, Contents(Workshop(RED), Merchants(red=6)))
    assert implausible(here, HOME, Contents(Workshop(RED), Merchants(black=6)))
    assert implausible(here, at(3), play.on_goal(black=1))
    assert implausible(here, HOME, Contents(None, Merchants(black=1)))
    play.table.lay(HOME, Workshop(BLACK))
    play.table.put(HOME, BLACK, 6)
    assert told(play.done())[0] == "WorkshopPlaced"


def test_more_merchants_than_a_player_has_are_impossible_and_their_last_one_is_not(play: Play) -> None:
    assert not implausible(play.position, at(3), play.on_goal(black=12))
    assert implausible(play.position, at(3), play.on_goal(black=13))


def test_one_merchant_may_be_dropped_on_a_road_or_bare_ground_and_many_there_are_impossible(play: Play) -> None:
    here = play.position
    for tile in (None, ROAD.tile):
        assert not implausible(here, at(2), Contents(tile, Merchants(black=1)))
        assert implausible(here, at(2), Contents(tile, Merchants(black=2)))
    assert not implausible(here, at(3), play.on_goal(black=2))


def test_a_settlement_where_none_was_dealt_is_impossible_unless_one_is_missing(play: Play) -> None:
    here = play.position
    assert implausible(here, at(2), Contents(CITY))
    assert not implausible(here, at(2), Contents(CITY), **{str(at(3)): BARE})


def test_pieces_of_a_colour_that_nobody_plays_are_impossible(play: Play) -> None:
    here = play.position
    for color, is_odd in ((Color.GREY, True), (RED, False)):
        assert implausible(here, at(2), Contents(Workshop(color))) is is_odd
        assert implausible(here, at(2), road(color)) is is_odd
        assert implausible(here, at(3), play.on_goal(**{color.value: 1})) is is_odd


# What the session makes of it ----------------------------------------------------------------------------------------


def test_a_merchant_seen_on_a_workshop_is_not_in_the_way_of_a_legal_turn(play: Play) -> None:
    play.table.put(HOME, BLACK)
    black_builds(play.table)
    assert told(play.done())[0] == "TurnTaken"
    red_builds(play.table)
    assert told(play.done())[0] == "TurnTaken"
    assert play.position.merchants_left(BLACK) == 11


def test_however_often_it_is_seen_it_never_holds_up_the_game(play: Play) -> None:
    play.table.put(HOME, BLACK)
    black_builds(play.table)
    for _ in range(3):
        assert play.outlook is Outlook.LEGAL
    play.done()
    for _ in range(6):  # both save their days, photograph by photograph
        assert play.outlook is Outlook.UNCHANGED
        assert told(play.done())[0] == "TurnTaken"


def test_where_it_is_all_that_changed_it_is_asked_about_then_told_and_then_let_be(play: Play) -> None:
    play.table.put(HOME, BLACK)
    assert asked(play.done()) == (HOME,)
    assert codes(play.done()) == ["merchant-unconnected"]
    assert told(play.done())[0] == "TurnTaken"


def test_after_it_was_told_the_game_goes_on_with_the_next_player(play: Play) -> None:
    play.table.put(HOME, BLACK)
    play.done()
    play.done()
    red_builds(play.table)
    assert play.position.next is BLACK
    assert [event for event in told(play.done()) if event == "TurnTaken"] == ["TurnTaken"] * 2


def test_a_merchant_on_the_workshop_in_place_of_the_goal_leaves_the_goal_without(play: Play) -> None:
    play.table.road(BLACK, at(2))
    play.table.put(HOME, BLACK)
    assert codes(play.done()) == ["merchant-missing"]


def test_what_a_person_says_lies_there_is_no_doubt(laid: Play) -> None:
    laid.press(CorrectCell(HOME, Contents(Workshop(BLACK), Merchants(black=1))))
    assert "TurnTaken" not in told(laid.done())


def test_a_road_tile_of_an_unused_colour_that_would_be_the_players_is_asked_about(laid: Play) -> None:
    laid.table.road(Color.GREY, at(2))
    assert asked(laid.done()) == (at(2),)
    assert laid.reading.cells[at(2)].alternatives[0] == ROAD


def test_a_workshop_of_an_unused_colour_is_not_in_the_way(laid: Play) -> None:
    laid.table.lay(at(-5, 4), Workshop(Color.GREY))
    assert told(laid.done())[0] == "TurnTaken"


def test_a_workshop_set_with_a_merchant_seen_on_it_is_the_workshop() -> None:
    play = Play.dealt()
    play.table.lay(HOME, Workshop(BLACK))
    play.table.put(HOME, BLACK)
    assert told(play.done())[0] == "WorkshopPlaced"


def test_a_settlement_that_was_moved_is_named_where_it_was_and_is(play: Play) -> None:
    play.table.lay(at(2), play.table.lies[at(3)].tile)  # type: ignore[arg-type]
    play.table.lay(at(3), None)
    assert codes(play.done()) == ["settlement-changed"]


def test_a_new_deal_is_read_with_the_colours_of_the_new_game(play: Play) -> None:
    grey = replace(GAME.players[1], color=Color.GREY)
    play.press(StartGame((GAME.players[0], grey)))
    assert [player.color for player in play.position.players] == [BLACK, Color.GREY]


def test_what_lies_there_instead_of_the_workshop_that_must_come_is_asked_about_before_one_is_missing() -> None:
    """The reader is sure that it is not bare ground, but all that it names is in colours that nobody plays."""
    play = Play.dealt()
    grey = Contents(Workshop(Color.GREY), Merchants(grey=1))
    named = [Contents(merchants=Merchants(grey=1)), grey, BARE]
    assert asked(play.done(doubted={HOME: named})) == (HOME,)
    seen = play.reading.cells[HOME]
    assert likely(STANDARD, play.position, HOME, BARE, seen)[0] == Contents(Workshop(BLACK))


def test_a_cell_that_is_rather_bare_is_no_workshop() -> None:
    play = Play.dealt()
    assert codes(play.done(doubted={HOME: [BARE, Contents(Workshop(Color.GREY))]})) == ["workshop-missing"]


def test_a_road_of_a_colour_that_nobody_plays_on_other_ground_may_be_the_players_own(play: Play) -> None:
    found = dict(STANDARD.otherwise(play.position, at(2), BARE, road(Color.GREY, terrain=Terrain.FOREST)))
    assert found[ROAD] == 2


def test_playing_on_after_such_a_question_answers_it() -> None:
    """Only a workshop of Black's makes their move legal, and Red has gone on."""
    play = Play.dealt()
    doubted = {HOME: [Contents(Workshop(Color.GREY)), BARE]}
    assert asked(play.done(doubted=doubted)) == (HOME,)
    assert asked(play.done(doubted=doubted)) == (HOME,), "pressed again, but nobody went on"
    play.table.lay(at(-2), Workshop(RED))
    assert told(play.done(doubted=doubted))[::2] == ["WorkshopPlaced", "WorkshopPlaced"]
    assert play.position.expected()[HOME] == Contents(Workshop(BLACK))


# What no move takes or brings ----------------------------------------------------------------------------------------


def nearly_sure(play: Play, cell: HexCell) -> Reading:
    """Return the reading of a reader that is clear about the cell, but not quite sure."""
    return read_as(play.table.seen(), cell, confidence=0.99)


@pytest.fixture
def knocked_over(both_laid: Play) -> Play:
    """Both have built, and Black's merchant has disappeared from their goal."""
    both_laid.done()
    both_laid.table.put(at(3), BLACK, -1)
    return both_laid


def test_a_merchant_that_seems_to_be_gone_stays_in_the_books_and_the_next_turn_is_legal(both_laid: Play) -> None:
    both_laid.table.put(at(3), BLACK, -1)
    assert told(both_laid.done(nearly_sure(both_laid, at(3))))[0] == "TurnTaken"
    assert both_laid.position.expected()[at(3)].merchants == Merchants(black=1)


def test_a_merchant_that_arrives_where_another_seems_to_be_gone_is_seen(play: Play) -> None:
    play.turns(black_builds)
    play.table.put(at(3), BLACK, -1)
    play.table.put(at(3), RED)
    believed = questioned(STANDARD, play.position, nearly_sure(play, at(3)), ())
    assert at(3) in believed.unclear
    assert Merchants(black=1, red=1) in [each.merchants for each in believed.cells[at(3)].alternatives]


def test_a_merchant_that_is_gone_for_certain_is_told(knocked_over: Play) -> None:
    assert codes(knocked_over.done()) == ["merchant-removed"]


def test_that_it_is_gone_is_the_last_of_the_answers_on_its_cell(knocked_over: Play) -> None:
    believed = questioned(STANDARD, knocked_over.position, nearly_sure(knocked_over, at(3)), ())
    first, *_, last = [each.merchants for each in believed.cells[at(3)].alternatives]
    assert (first, last) == (Merchants(black=1), Merchants())


def test_where_a_person_says_that_it_is_gone_lamp_and_done_tell(knocked_over: Play) -> None:
    reading = nearly_sure(knocked_over, at(3))
    assert knocked_over.session.standing(reading).outlook is Outlook.UNCHANGED
    (_, change) = knocked_over.press(CorrectCell(at(3), knocked_over.on_goal()), reading)
    assert isinstance(change, StandingChanged)
    assert [reason.code for reason in change.standing.reasons] == ["merchant-removed"]
    assert codes(knocked_over.done(reading)) == ["merchant-removed"]


def test_a_road_that_seems_to_be_another_stays_as_it_was_laid_and_one_that_is_gone_is_told(both_laid: Play) -> None:
    both_laid.table.road(RED, at(2))
    assert told(both_laid.done(nearly_sure(both_laid, at(2))))[0] == "TurnTaken"
    assert both_laid.position.expected()[at(2)] == ROAD
    both_laid.table.lay(at(2), None)
    assert codes(both_laid.done(nearly_sure(both_laid, at(2)))) == ["tile-removed"]


def test_a_merchant_that_was_let_stand_beside_a_road_may_be_tidied_away(play: Play) -> None:
    gone = CellChange(Contents(None, Merchants(black=1)), BARE)
    assert not STANDARD.unexplained(play.position, Change({at(2): gone}))


def test_where_merchants_walk_fewer_of_them_are_a_move() -> None:
    fewer = Change({at(3): CellChange(Contents(CITY, Merchants(black=2)), Contents(CITY, Merchants(black=1)))})
    assert not rule_set("danger").unexplained(Play.dealt("danger").position, fewer)
    assert STANDARD.unexplained(Play.begun().position, fewer) == {at(3)}


# What fits where nothing was seen ------------------------------------------------------------------------------------


def fitting(play: Play, cell: HexCell, laid: Change = NOTHING, unknown: tuple[HexCell, ...] = ()) -> set[object]:
    return {each.tile.edges for each in STANDARD.fitting(play.position, laid, cell, unknown)}  # type: ignore[union-attr]


def test_a_tile_fits_between_a_workshop_and_a_settlement_and_not_beside_one_of_them(play: Play) -> None:
    assert fitting(play, at(2)) == {(0, 3)}
    assert fitting(play, at(-1, 2)) == set()


def test_a_tile_fits_on_to_the_end_of_one_that_was_just_laid_and_not_to_its_side(play: Play) -> None:
    def laid(edges: tuple[int, int]) -> Change:
        return Change({at(4): CellChange(BARE, road(BLACK, edges))})

    assert (0, 3) not in fitting(play, at(5))
    assert (0, 3) in fitting(play, at(5), laid((0, 3)))
    assert (0, 3) not in fitting(play, at(5), laid((1, 3)))


def test_a_tile_fits_towards_a_cell_that_nobody_knows(play: Play) -> None:
    assert len(fitting(play, at(2), unknown=(at(2, -1),))) > 1


def test_nothing_fits_where_something_lies(play: Play) -> None:
    assert fitting(play, at(3)) == set()
    assert fitting(play, HOME) == set()


@pytest.mark.parametrize(
    "named",
    [{BARE: 0.6, Contents(VILLAGE): 0.35}, {Contents(ROAD.tile, Merchants(black=1)): 0.9, BARE: 0.1}],
    ids=["not named at all", "its strip looks like a merchant"],
)
def test_a_tile_read_as_something_else_is_the_one_that_makes_the_turn_legal(laid: Play, named: Shares) -> None:
    assert told(laid.done(doubted={at(2): named}))[0] == "TurnTaken"
    assert laid.position.expected()[at(2)] == ROAD


# What was not believed once -------------------------------------------------------------------------------------------


def spilt(danger: Play, cubes: int = 1) -> Reading:
    """Return the reading of a table on which Black's heap at home seems to reach over to the next cell."""
    return read_as(danger.table.seen(), at(2, -1), contents=Contents(None, Merchants(black=cubes)), confidence=0.99)


@pytest.fixture
def piled() -> Play:
    """All workshops are set; ever since the first one, a merchant was seen beside it, where none can be."""
    danger = Play.dealt("danger")
    for color, cell in TWO_EACH:
        danger.table.lay(cell, Workshop(color))
        danger.table.put(cell, color, 6)
        danger.done(spilt(danger))
    assert danger.position.phase == "turn"
    return danger


def test_what_was_not_believed_at_an_earlier_move_is_not_believed_later_either(piled: Play) -> None:
    piled.done(spilt(piled))  # Red saves their days
    piled.walk(2)
    assert told(piled.done(spilt(piled)))[0] == "TurnTaken"


def test_what_is_seen_there_later_is_believed_if_it_is_something_else(piled: Play) -> None:
    piled.done(spilt(piled))
    piled.table.put(HOME, BLACK, -2)
    piled.table.put(at(2, -1), BLACK, 2)
    assert "TurnTaken" not in told(piled.done(spilt(piled, cubes=2)))


def test_what_was_not_believed_is_forgotten_when_moves_are_taken_back(piled: Play) -> None:
    assert piled.session.state.overruled
    piled.press(Undo(1), spilt(piled))
    assert not piled.session.state.overruled


def test_a_merchant_seen_on_bare_ground_beside_others_of_its_colour_stands_with_them_and_overhangs(laid: Play) -> None:
    """Without this, an overhanging cube was once booked on bare ground, and missing when a road was laid there."""
    overhanging = (Contents(None, Merchants(black=1)), 0.99)
    assert told(laid.done(surely={at(3, -1): overhanging}))[0] == "TurnTaken"
    assert laid.position.expected().get(at(3, -1), BARE) == BARE
    assert laid.cubes(GOAL) == 1


def test_a_merchant_seen_where_a_road_was_does_not_overhang(both_laid: Play) -> None:
    both_laid.table.lies.pop(at(2))
    seen = (Contents(None, Merchants(black=1)), 0.99)
    assert "TurnTaken" not in told(both_laid.done(surely={at(2): seen}))


@pytest.mark.parametrize(
    ("cell", "cubes"),
    [(at(-1, 3), {"black": 1}), (at(3, -1), {"red": 1}), (at(3, -1), {"black": 1, "red": 1})],
    ids=["far from others", "of another colour", "of two colours"],
)
def test_any_other_merchant_surely_seen_on_bare_ground_is_refused(
    laid: Play, cell: HexCell, cubes: dict[str, int]
) -> None:
    assert codes(laid.done(surely={cell: (Contents(None, Merchants(**cubes)), 0.99)}))
