"""The plug is pulled in the middle of a game: the companion comes back in the same game, and the table agrees."""

import json
from pathlib import Path

import pytest

from bench.plugs import goes_on, pull
from companion.board import Color
from companion.logbook import Logbook
from companion.logbook.archive import opened_archive
from companion.records.giving import record_of
from companion.scoreboard import Scoreboard
from companion.system.pictures import jpeg
from tests.live.conftest import Table, made_service
from tests.web.books import evening


@pytest.mark.long
def test_after_a_power_cut_the_game_goes_on_where_it_was(table: Table, tmp_path: Path) -> None:
    table.deal()
    table.lay_workshop(Color.BLACK)
    table.go_on(2.0)
    table.press()
    before = table.seen
    assert (before.phase, before.next) == ("workshop", Color.RED)
    table.logbook.close()  # all that is left is what is on the disk
    table.reader.new_game(is_dealt=False)
    with Logbook(tmp_path, encode=jpeg) as logbook:
        table.scoreboard = Scoreboard()
        table.service = made_service(table.device, table.reader, table.panel, table.scoreboard, logbook)
        table.service.take_up()
        assert table.seen.notice is not None
        assert table.seen.notice.kind == "start", "people are told that the game goes on"
        table.go_on(2.0)
        after = table.seen
        assert (after.contents, after.players, after.next) == (before.contents, before.players, before.next)
        assert not after.laid, "what lies there is what the books hold"
        assert after.outlook == "unchanged"
        table.lay_workshop(Color.RED, beside=4)
        table.go_on(2.0)
        table.press()
        assert table.seen.next is not Color.RED, table.seen.notice


@pytest.mark.long
def test_a_killed_companion_comes_up_in_the_game_that_its_pages_announced() -> None:
    found = pull(kills=2, seed=1)
    assert found.astray == []
    assert len(found.shown_s) >= 1, "the page showed the game again"


@pytest.mark.long
def test_an_announced_game_that_ended_is_looked_for_among_those_that_are_kept(tmp_path: Path) -> None:
    folder = evening(tmp_path)
    with opened_archive(folder) as archive:
        over = [json.loads(record_of(archive, game))["moves"] for game in archive.games() if game.outcome == "over"]
    assert over, "the made-up evening has a game that is over"
    anew: list[object] = []
    assert goes_on(over[0], anew, folder)
    assert goes_on(over[0][:-1], anew, folder)
    assert not goes_on([*over[0], {"player": "black"}], anew, folder)
    assert not goes_on(over[0][1:], anew, folder)
    assert goes_on(over[0][:-1], over[0], folder)
