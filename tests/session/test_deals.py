"""A deal with cells in doubt: what is left in the box lies there, or people are asked once."""

from dataclasses import replace
from typing import Any

import pytest

from companion.board import BARE, Color, Contents, HexCell, Merchants, Settlement, SettlementType, Workshop
from companion.commands import CorrectCell
from companion.events import DealRefused, DealUnclear, Event, GameDealt, MoveUnclear
from tests.session.conftest import ONE_EACH, Play, told
from tests.session.tabletop import GAME, SITES, TOWN, at, black_builds

CITY, OTHER_CITY, HAMLET = SITES[0], SITES[1], SITES[-1]


class Dealing(Play):
    """A table on which nothing has been dealt yet."""

    def deal(self, **blind: Any) -> Event:
        """Ask for a game, and return what is said about its deal."""
        return self.press(GAME, **blind)[0]

    def kinds(self, *cells: HexCell) -> list[SettlementType]:
        settlements = self.position.ground.settlements  # type: ignore[attr-defined]
        return [settlements[cell] for cell in cells]


@pytest.fixture
def play() -> Dealing:
    return Dealing()


@pytest.mark.parametrize(
    "answers",
    [[], [BARE], [Contents(TOWN)], [Contents(TOWN), Contents(Settlement(SettlementType.CITY))]],
    ids=["no answer", "bare", "another", "another, then the right one"],
)
def test_the_last_settlement_is_the_one_that_is_left_whatever_was_read(play: Dealing, answers: list[Contents]) -> None:
    assert isinstance(play.deal(doubted={CITY: answers}), GameDealt)
    assert play.kinds(CITY) == [SettlementType.CITY]


def test_two_places_for_two_of_one_kind_are_known_too(play: Dealing) -> None:
    assert isinstance(play.deal(doubted={CITY: [], OTHER_CITY: []}), GameDealt)


def test_two_places_for_two_kinds_are_asked_about_once(play: Dealing) -> None:
    doubts = {CITY: [BARE], HAMLET: [BARE, Contents(Settlement(SettlementType.HAMLET))]}
    assert play.deal(doubted=doubts) == DealUnclear((CITY, HAMLET), hidden=False)
    assert play.session.position is None
    assert isinstance(play.deal(doubted=doubts), GameDealt)
    assert play.kinds(CITY, HAMLET) == [SettlementType.CITY, SettlementType.HAMLET]


def shares(city: float) -> dict[Contents, float]:
    return {Contents(Settlement(SettlementType.CITY)): city, Contents(Settlement(SettlementType.HAMLET)): 1 - city}


def test_where_the_reader_is_nearly_sure_which_is_which_nobody_is_asked(play: Dealing) -> None:
    assert isinstance(play.deal(doubted={CITY: shares(0.8), HAMLET: shares(0.1)}), GameDealt)
    assert play.kinds(CITY, HAMLET) == [SettlementType.CITY, SettlementType.HAMLET]


def test_of_two_ways_nearly_as_likely_people_choose_or_go_on_with_the_likelier(play: Dealing) -> None:
    """By the order of their answers both ways are equally likely, and the wrong one would come first."""
    doubts = {CITY: shares(0.4), OTHER_CITY: shares(0.99), HAMLET: shares(0.3)}
    assert play.deal(doubted=doubts) == DealUnclear((CITY, HAMLET), hidden=False)
    assert isinstance(play.deal(doubted=doubts), GameDealt)
    assert play.kinds(CITY, HAMLET) == [SettlementType.CITY, SettlementType.HAMLET]


def test_other_doubts_than_those_asked_about_are_asked_about(play: Dealing) -> None:
    play.deal(doubted={CITY: [], HAMLET: []})
    assert play.deal(doubted={OTHER_CITY: [], HAMLET: []}) == DealUnclear((OTHER_CITY, HAMLET), hidden=False)


def test_a_place_under_a_hand_is_waited_for(play: Dealing) -> None:
    assert play.deal(covered=[CITY]) == DealUnclear((CITY,), hidden=True)


def test_a_settlement_too_many_off_the_sites_was_misread(play: Dealing) -> None:
    play.table.lay(at(1, 1), Settlement(SettlementType.HAMLET))
    assert isinstance(play.deal(), GameDealt)
    assert at(1, 1) not in play.position.expected()


def test_a_settlement_beside_its_site_is_refused(play: Dealing) -> None:
    play.table.lay(at(1, 1), play.table.lies[HAMLET].tile)  # type: ignore[arg-type]
    play.table.lay(HAMLET, None)
    assert isinstance(play.deal(), DealRefused)


def test_places_of_the_deal_that_stay_open_hold_up_nobody(play: Dealing) -> None:
    """People were asked at the deal and never answered: workshops and turns are judged all the same."""
    doubts: dict[HexCell, list[Contents]] = {CITY: [], HAMLET: []}
    play.deal(doubted=doubts)
    said = play.place(*ONE_EACH, doubted=doubts)
    black_builds(play.table)
    said += play.done(doubted=doubts)
    moves = [word for word in told(said) if word in ("GameDealt", "WorkshopPlaced", "TurnTaken")]
    assert moves == ["GameDealt", "WorkshopPlaced", "WorkshopPlaced", "TurnTaken"]
    assert not any(isinstance(event, MoveUnclear) for event in said)


def test_a_game_whose_deal_was_asked_about_begins_with_a_first_piece_that_is_hard_to_see(play: Dealing) -> None:
    """A heap hides the workshop that it stands on, and nobody has answered."""
    doubts = {CITY: shares(0.5), HAMLET: shares(0.5)}
    game = replace(GAME, rules="danger")
    assert isinstance(play.press(game, doubted=doubts)[0], DealUnclear)
    heap = {Contents(None, Merchants(black=number)): 0.15 for number in range(4, 9)}
    assert "WorkshopPlaced" in told(play.done(doubted={**doubts, at(1): heap}))
    assert play.position.expected()[at(1)] == Contents(Workshop(Color.BLACK), Merchants(black=6))


def test_a_game_whose_deal_was_asked_about_does_not_begin_before_anything_is_laid(play: Dealing) -> None:
    doubts = {CITY: shares(0.5), HAMLET: shares(0.5)}
    play.deal(doubted=doubts)
    assert told(play.done(doubted=doubts)) == ["CommandRefused"]


def test_a_deal_that_was_asked_about_begins_as_soon_as_the_answers_leave_one_way(play: Dealing) -> None:
    doubts = {CITY: shares(0.5), OTHER_CITY: shares(0.5), HAMLET: shares(0.5)}
    assert isinstance(play.deal(doubted=doubts), DealUnclear)
    blind = {"doubted": doubts}
    city = play.table.lies[CITY]
    assert told(play.press(CorrectCell(CITY, city), **blind)) == ["CellCorrected"], "one of two others is the hamlet"
    events = play.press(CorrectCell(HAMLET, play.table.lies[HAMLET]), **blind)
    assert told(events)[:2] == ["CellCorrected", "GameDealt"]
    assert play.kinds(CITY, OTHER_CITY, HAMLET) == [SettlementType.CITY, SettlementType.CITY, SettlementType.HAMLET]


def test_people_are_first_asked_about_the_place_that_says_most_of_the_others(play: Dealing) -> None:
    """One of three is the hamlet: with 20 % the first on the board, with 30 % the second, with 50 % the last."""
    likely = {CITY: shares(1 / 1.2), OTHER_CITY: shares(1 / 1.3), HAMLET: shares(1 / 1.5)}
    assert play.deal(doubted=likely) == DealUnclear((OTHER_CITY, HAMLET, CITY), hidden=False)
    events = play.press(CorrectCell(HAMLET, play.table.lies[HAMLET]), doubted=likely)
    assert told(events)[:2] == ["CellCorrected", "GameDealt"]


def test_a_correction_begins_no_game_that_was_not_asked_about(play: Dealing) -> None:
    """Nobody has asked for a game yet; then one was refused, and people may want to put more than one thing right."""
    city = play.table.lies[CITY]
    assert told(play.press(CorrectCell(CITY, city))) == ["CellCorrected"]
    play.table.lay(CITY, Settlement(SettlementType.HAMLET))
    assert isinstance(play.deal(), DealRefused)
    assert told(play.press(CorrectCell(CITY, city))) == ["CellCorrected"]
    assert play.session.position is None


def test_of_very_many_ways_to_lay_what_is_left_the_likeliest_is_found(play: Dealing) -> None:
    """Half of the settlements are hard to tell apart, though rather what they are: too many ways to try them all."""
    kinds = [Contents(Settlement(kind)) for kind in SettlementType]
    doubts = {cell: {kind: 0.97 if kind == play.table.lies[cell] else 0.01 for kind in kinds} for cell in SITES[::2]}
    assert isinstance(play.deal(doubted=doubts), GameDealt)
    assert [Contents(Settlement(kind)) for kind in play.kinds(*SITES)] == [play.table.lies[cell] for cell in SITES]
