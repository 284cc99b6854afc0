"""Players are named during a game or after it: everything kept of that game, from the deal on, has their names."""

from pathlib import Path

import pytest

from companion.board import BadInputError
from companion.commands import EndGame, NamePlayers, StartGame, Undo
from companion.events import CommandRefused, PlayersNamed
from companion.games.contract import Player, unnamed
from companion.logbook.archive import opened_archive, story_of
from companion.records.record import Recorder
from companion.session import Session
from tests.logbook.playing import Table, asked, listed, resumed
from tests.session.tabletop import BLACK, RED

BY_COLOUR = StartGame((unnamed(BLACK), unnamed(RED)))
PEOPLE = (Player("Bea", BLACK), Player("Rob", RED))


def dealt(folder: Path) -> Table:
    """A game in which both workshops are placed, and nobody has said who plays."""
    table = Table(folder).deal()
    table.press(NamePlayers(BY_COLOUR.players))
    return table


def test_every_position_of_the_game_has_the_names_and_so_has_whoever_takes_moves_back(tmp_path: Path) -> None:
    table = dealt(tmp_path)
    table.press(NamePlayers(PEOPLE))
    assert table.session.position is not None
    assert {position.players for position in (*table.session.history, table.session.position)} == {PEOPLE}
    table.press(Undo(2))
    assert table.session.position.players == PEOPLE
    table.closed()


def test_after_a_power_cut_the_game_goes_on_with_them(tmp_path: Path) -> None:
    table = dealt(tmp_path)
    table.press(NamePlayers(PEOPLE))
    state = table.built().session.state
    assert resumed(table.closed()) == state
    assert state.game is not None
    assert state.game.players == PEOPLE


def test_the_archive_calls_them_so_from_the_deal_on_and_no_position_is_written_twice(tmp_path: Path) -> None:
    table = dealt(tmp_path)
    ((before,),) = asked(tmp_path, "SELECT count(*) FROM positions")
    table.press(NamePlayers(PEOPLE))
    assert asked(tmp_path, "SELECT count(*) FROM positions") == [(before,)]
    table.press(EndGame())
    with opened_archive(table.closed()) as archive:
        (game,) = archive.games()
        assert [seat.name for seat in game.seats] == ["Bea", "Rob"]
        story = story_of(archive, game.number)
        assert story.is_whole
        assert {step.position.players for step in story.steps} == {PEOPLE}


def test_a_finished_game_is_named_too_and_the_next_one_has_the_same_people(tmp_path: Path) -> None:
    table = dealt(tmp_path)
    table.press(EndGame())
    table.press(NamePlayers(PEOPLE))
    assert table.session.state.game is not None
    assert table.session.state.game.players == PEOPLE
    (game,) = listed(table.closed())
    assert [(seat.name, seat.gold is None) for seat in game.seats] == [("Bea", False), ("Rob", False)]


def test_a_record_that_is_taken_down_has_the_names(tmp_path: Path) -> None:
    table, recorder = Table(tmp_path).deal(), Recorder()
    with opened_archive(tmp_path) as archive:
        recorder.hear(entry.event for entry in archive.events(1))
    recorder.hear([PlayersNamed(PEOPLE)])
    assert recorder.record is not None
    assert recorder.record.start.players == PEOPLE
    table.closed()


def test_before_a_deal_there_is_nobody_to_name() -> None:
    assert CommandRefused("no-game") in Session().obey(NamePlayers(PEOPLE))


@pytest.mark.parametrize("players", [PEOPLE[::-1], PEOPLE[:1], (*PEOPLE, Player("Cy", "yellow"))])
def test_anybody_but_those_who_play_is_refused(tmp_path: Path, players: tuple[Player, ...]) -> None:
    table = dealt(tmp_path)
    before = table.session.state
    with pytest.raises(BadInputError, match="another game has begun"):
        table.session.obey(NamePlayers(players))
    assert table.session.state == before
    table.closed()
