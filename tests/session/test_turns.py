"""What the session says about what lies there, with all cells in view."""

import pytest

from companion import events
from companion.board import Color, SettlementType, Workshop
from companion.commands import Done
from companion.session import Session
from companion.words import Voice
from tests.session.conftest import TWO_EACH, Play, codes, first, told
from tests.session.tabletop import BLACK, GAME, KINDS, RED, SITES, Tabletop, at, road

#: One hamlet too many, and one city too few.
WRONG_KINDS = [SettlementType.HAMLET, *KINDS[1:]]


def test_a_right_deal_begins_the_game_with_the_first_workshop() -> None:
    happened = Play().press(GAME)
    assert told(happened) == ["GameDealt", "TurnBegan"]
    assert happened[1] == events.TurnBegan(BLACK, "workshop", 0)


def test_a_wrong_deal_is_refused_and_a_mended_one_begins() -> None:
    play = Play()
    refused = first(play.press(GAME, Tabletop(WRONG_KINDS).seen()), events.DealRefused)
    assert [reason.code for reason in refused.reasons] == ["deal-count"]
    assert play.session.position is None
    assert told(play.press(GAME))[0] == "GameDealt"


def test_a_deal_that_is_read_only_after_the_first_workshop_begins_then() -> None:
    play = Play()
    (unclear, *_) = play.press(GAME, doubted={SITES[0]: [], SITES[-1]: []})
    assert unclear == events.DealUnclear((SITES[0], SITES[-1]), hidden=False)
    play.table.lay(at(1), Workshop(BLACK))
    assert told(play.done()) == ["GameDealt", "TurnBegan", "WorkshopPlaced", "TurnBegan"]


def test_people_who_play_on_after_a_refused_deal_let_it_stand() -> None:
    play = Play(table=Tabletop(WRONG_KINDS))
    play.press(GAME)
    assert told(play.done()) == ["CommandRefused"], "nobody has placed anything yet"
    play.table.lay(at(1), Workshop(BLACK))
    assert told(play.done()) == ["GameDealt", "TurnBegan", "WorkshopPlaced", "TurnBegan"]
    assert play.position.ground.settlements[SITES[0]] is SettlementType.HAMLET


def test_done_before_any_deal_has_no_effect() -> None:
    session = Session()
    assert session.obey(Done()) == (events.CommandRefused("no-reading"),)
    session.see(Tabletop().seen())
    assert session.obey(Done()) == (events.CommandRefused("no-game"),)


def test_an_unchanged_table_is_no_workshop() -> None:
    assert codes(Play.dealt().done()) == ["workshop-missing"]


def test_a_legal_turn_passes_to_the_next_player(laid: Play) -> None:
    taken, began, *_ = laid.done()
    assert isinstance(taken, events.TurnTaken)
    assert (taken.player, taken.cost, taken.left) == (BLACK, 2, 4)
    assert began == events.TurnBegan(RED, "turn", 6)


def test_an_unchanged_table_saves_the_days(play: Play) -> None:
    play.table.tracks[BLACK] = 6
    taken = first(play.done(), events.TurnTaken)
    assert not taken.change
    assert (taken.cost, taken.left) == (0, 6)


def test_after_an_illegal_turn_the_same_player_puts_it_right(play: Play) -> None:
    play.table.road(BLACK, at(2))
    refused = first(play.done(), events.MoveRefused)
    assert refused.is_unfinished
    assert codes((refused,)) == ["merchant-missing"]
    play.table.put(at(3), BLACK)
    assert told(play.done())[:2] == ["TurnTaken", "TurnBegan"]


def test_the_marker_should_show_what_is_left_and_the_others_what_they_had_left(laid: Play) -> None:
    laid.table.tracks = {BLACK: 6, RED: 6}
    assert events.MarkersDiffer({BLACK: events.Marker(6, 4), RED: events.Marker(6, 0)}) in laid.done()


@pytest.mark.parametrize("rules", ["two-player", "danger"])
def test_the_player_who_sets_the_last_workshop_and_begins_has_moved_no_marker_yet(rules: str) -> None:
    play = Play.dealt(rules)
    happened = play.place(*TWO_EACH, cubes=6 if rules == "danger" else 0)
    assert events.TurnBegan(RED, "turn", 6) in happened
    assert play.session.state.marks == {BLACK: 0, RED: 0}
    assert not any(isinstance(event, events.MarkersDiffer) for event in happened)


def test_markers_that_cannot_be_seen_are_left_out(laid: Play) -> None:
    laid.table.tracks = {BLACK: 6, RED: None}
    happened = laid.done(covered_tracks=[BLACK])
    (differ,) = [event for event in happened if isinstance(event, events.MarkersDiffer)]
    assert differ.markers == {RED: events.Marker(None, 0)}


def test_after_an_illegal_turn_the_marker_should_show_what_is_held(play: Play) -> None:
    play.table.road(BLACK, at(2))
    play.table.tracks[BLACK] = 6
    assert told(play.done()) == ["MoveRefused"]
    play.table.tracks[BLACK] = 4
    assert events.MarkersDiffer({BLACK: events.Marker(4, 6)}) in play.done()


def test_a_forgotten_marker_is_pointed_out_once_more_as_the_next_player_lays_their_first_piece(laid: Play) -> None:
    laid.table.tracks[BLACK] = 6
    laid.done()
    tile = road(RED).tile
    looks = []
    for lies in (None, tile, None, tile):
        laid.table.lay(at(-1), lies)
        looks.append([event for event in laid.look() if isinstance(event, events.MarkersDiffer)])
    assert looks == [[], [events.MarkersDiffer({BLACK: events.Marker(6, 4)})], [], []]


@pytest.mark.parametrize("shown", [4, None], ids=["moved by now", "no marker on the track"])
def test_a_marker_that_was_moved_in_time_or_is_not_used_is_not_pointed_out_again(laid: Play, shown: int | None) -> None:
    laid.table.tracks[BLACK] = 0
    laid.done()
    laid.table.tracks[BLACK] = shown
    laid.table.tracks[RED] = 3  # it is Red's turn: they may move theirs as they like
    laid.table.road(RED, at(-1))
    assert not any(isinstance(event, events.MarkersDiffer) for event in laid.look())


def test_a_settlement_that_vanished_is_named(play: Play) -> None:
    play.table.lies.pop(SITES[0])
    refused = first(play.done(), events.MoveRefused)
    assert codes((refused,)) == ["settlement-changed"]
    assert refused.is_disturbed


def test_the_lamp_tells_before_the_button(play: Play) -> None:
    assert play.outlook is events.Outlook.UNCHANGED
    play.table.road(BLACK, at(2))
    assert play.outlook is events.Outlook.UNFINISHED
    play.table.put(at(3), BLACK)
    assert play.outlook is events.Outlook.LEGAL
    play.table.put(at(0), RED)
    assert play.outlook is events.Outlook.ILLEGAL


def test_the_lamp_is_told_of_changes_only(play: Play) -> None:
    play.table.road(BLACK, at(2))
    (changed,) = play.look()
    assert isinstance(changed, events.StandingChanged)
    assert play.look() == ()


def test_a_look_decides_nothing(laid: Play) -> None:
    before = laid.session.position
    laid.look()
    assert laid.session.position == before


def test_a_refused_deal_leaves_the_running_game_alone(play: Play) -> None:
    before = play.session.position
    assert told(play.press(GAME, Tabletop(WRONG_KINDS).seen())) == ["DealRefused"]
    assert play.session.position == before


@pytest.mark.parametrize(
    ("shown", "told"),
    [(None, None), (0, None), (10, None), (9, None), (8, events.Marker(8, 9)), (7, events.Marker(7, 9))],
    ids=["away", "unused on 0", "as it stood in the round that ended", "moved", "one too far", "two too far"],
)
def test_the_marker_of_the_rounds_is_compared_where_it_is_seen(shown: int | None, told: events.Marker | None) -> None:
    play = Play.begun("danger", TWO_EACH)
    happened: tuple[events.Event, ...] = ()
    for color in (RED, BLACK):  # both save their days: the first round ends
        play.table.tracks[color] = 6
        play.table.tracks[Color.GREY] = 10 if color is RED else shown
        happened = play.done()
    wrong = [event.markers for event in happened if isinstance(event, events.MarkersDiffer)]
    assert wrong == ([{Color.GREY: told}] if told else [])
    said = [sentence for event in happened for sentence in Voice(GAME.players).sentences(event)]
    assert any("counts the rounds" in sentence for sentence in said) is (told is not None)
