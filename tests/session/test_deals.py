"""A deal with cells in doubt: what the box has left lies there, or people are asked once."""

from companion.board import BARE, Contents, HexCell, Settlement, SettlementType, Workshop
from companion.commands import Done
from companion.events import DealRefused, DealUnclear, GameDealt, MoveUnclear
from companion.session import Session
from tests.session.tabletop import BLACK, GAME, RED, SITES, Tabletop, at, black_builds
from tests.session.test_turns import told

CITY, OTHER_CITY, HAMLET = SITES[0], SITES[1], SITES[-1]


def kind_of(session: Session, cell: HexCell) -> SettlementType:
    assert session.position is not None
    return session.position.ground.settlements[cell]  # type: ignore[no-any-return, attr-defined]


def test_the_last_settlement_is_the_one_that_is_left_whatever_was_read() -> None:
    for answers in ([], [Contents(Settlement(SettlementType.TOWN))], [BARE]):
        session, table = Session(), Tabletop()
        session.see(table.seen(doubted={CITY: answers}))
        assert isinstance(session.obey(GAME)[0], GameDealt)
        assert kind_of(session, CITY) is SettlementType.CITY


def test_two_places_for_two_of_one_kind_are_known_too() -> None:
    session, table = Session(), Tabletop()
    session.see(table.seen(doubted={CITY: [], OTHER_CITY: []}))
    assert isinstance(session.obey(GAME)[0], GameDealt)


def test_two_places_for_two_kinds_are_asked_about_once() -> None:
    session, table = Session(), Tabletop()
    doubts = {CITY: [BARE], HAMLET: [BARE, Contents(Settlement(SettlementType.HAMLET))]}
    session.see(table.seen(doubted=doubts))
    assert session.obey(GAME)[0] == DealUnclear((CITY, HAMLET), hidden=False)
    assert session.position is None
    assert isinstance(session.obey(GAME)[0], GameDealt)
    assert (kind_of(session, CITY), kind_of(session, HAMLET)) == (SettlementType.CITY, SettlementType.HAMLET)


def shares(city: float) -> dict[Contents, float]:
    return {Contents(Settlement(SettlementType.CITY)): city, Contents(Settlement(SettlementType.HAMLET)): 1 - city}


def test_where_the_reader_is_nearly_sure_which_is_which_nobody_is_asked() -> None:
    session, table = Session(), Tabletop()
    session.see(table.seen(doubted={CITY: shares(0.8), HAMLET: shares(0.1)}))
    assert isinstance(session.obey(GAME)[0], GameDealt)
    assert (kind_of(session, CITY), kind_of(session, HAMLET)) == (SettlementType.CITY, SettlementType.HAMLET)


def test_where_two_ways_are_nearly_as_likely_people_say_which_it_is_and_the_likelier_is_taken_if_they_go_on() -> None:
    """By the places of their answers both ways are as likely, and the wrong one came first."""
    session, table = Session(), Tabletop()
    session.see(table.seen(doubted={CITY: shares(0.4), OTHER_CITY: shares(0.99), HAMLET: shares(0.3)}))
    assert session.obey(GAME)[0] == DealUnclear((CITY, HAMLET), hidden=False)
    assert isinstance(session.obey(GAME)[0], GameDealt)
    assert (kind_of(session, CITY), kind_of(session, HAMLET)) == (SettlementType.CITY, SettlementType.HAMLET)


def test_other_doubts_than_those_asked_about_are_asked_about() -> None:
    session, table = Session(), Tabletop()
    session.see(table.seen(doubted={CITY: [], HAMLET: []}))
    session.obey(GAME)
    session.see(table.seen(doubted={OTHER_CITY: [], HAMLET: []}))
    assert session.obey(GAME)[0] == DealUnclear((OTHER_CITY, HAMLET), hidden=False)


def test_a_place_under_a_hand_is_waited_for() -> None:
    session, table = Session(), Tabletop()
    session.see(table.seen(covered=[CITY]))
    assert session.obey(GAME)[0] == DealUnclear((CITY,), hidden=True)


def test_a_settlement_too_many_off_the_sites_was_misread() -> None:
    session, table = Session(), Tabletop()
    table.lay(at(1, 1), Settlement(SettlementType.HAMLET))
    session.see(table.seen())
    assert isinstance(session.obey(GAME)[0], GameDealt)
    assert session.position is not None
    assert at(1, 1) not in session.position.expected()


def test_a_settlement_beside_its_site_is_refused() -> None:
    session, table = Session(), Tabletop()
    table.lay(at(1, 1), table.lies[HAMLET].tile)  # type: ignore[arg-type]
    table.lay(HAMLET, None)
    session.see(table.seen())
    assert isinstance(session.obey(GAME)[0], DealRefused)


def test_places_of_the_deal_that_stay_open_hold_up_nobody() -> None:
    """Asked about at the deal, never answered: workshops and turns are judged all the same."""
    session, table = Session(), Tabletop()
    doubts: dict[HexCell, list[Contents]] = {CITY: [], HAMLET: []}
    session.see(table.seen(doubted=doubts))
    session.obey(GAME)
    said = []
    for color, cell in ((BLACK, at(1)), (RED, at(-2))):
        table.lay(cell, Workshop(color))
        session.see(table.seen(doubted=doubts))
        said += session.obey(Done())
    black_builds(table)
    session.see(table.seen(doubted=doubts))
    said += session.obey(Done())
    assert [word for word in told(tuple(said)) if word in ("GameDealt", "WorkshopPlaced", "TurnTaken")] == [
        "GameDealt",
        "WorkshopPlaced",
        "WorkshopPlaced",
        "TurnTaken",
    ]
    assert not any(isinstance(event, MoveUnclear) for event in said)


def test_of_very_many_ways_to_lay_what_is_left_the_likeliest_is_found() -> None:
    """Half of the settlements are hard to tell, each rather what it is: there are far more ways than can be tried."""
    session, table = Session(), Tabletop()
    kinds = [Contents(Settlement(kind)) for kind in SettlementType]
    doubts = {cell: {kind: 0.97 if kind == table.lies[cell] else 0.01 for kind in kinds} for cell in SITES[::2]}
    session.see(table.seen(doubted=doubts))
    assert isinstance(session.obey(GAME)[0], GameDealt)
    assert {cell: Contents(Settlement(kind_of(session, cell))) for cell in SITES} == table.lies
