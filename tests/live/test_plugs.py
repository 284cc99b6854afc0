"""The plug of a whole companion at its drawn table is pulled: it comes up in the same game."""

import json
from pathlib import Path

import pytest

from bench.plugs import goes_on, pull
from companion.logbook.archive import opened_archive
from companion.records.giving import record_of
from tests.web.books import evening


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
