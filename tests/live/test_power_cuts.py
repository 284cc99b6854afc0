"""The plug is pulled in the middle of a game: the companion comes up in the same game, and the table agrees."""

from pathlib import Path

import numpy as np

from companion.board import Color, Workshop
from companion.logbook import Logbook
from companion.scoreboard import Scoreboard
from companion.system.pictures import jpeg
from tests.live.conftest import Table, free_plain, made_service


def test_after_a_power_cut_the_game_goes_on_where_it_was(table: Table, tmp_path: Path) -> None:
    table.go_on(1.0)
    table.press()
    table.lay(table.scene.lay(free_plain(table), Workshop(Color.BLACK), np.random.default_rng(1)))
    table.go_on(2.0)
    table.press()
    before = table.seen
    assert (before.phase, before.next) == ("workshop", Color.RED)
    table.logbook.close()  # what is on the disk is all that is left
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
        table.lay(table.scene.lay(free_plain(table, beside=4), Workshop(Color.RED), np.random.default_rng(2)))
        table.go_on(2.0)
        table.press()
        assert table.seen.next is not Color.RED, table.seen.notice
