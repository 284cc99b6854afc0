"""People whose name was changed while their game was not at a table go on under the new name."""

from pathlib import Path

from companion.commands import NamePlayers
from companion.games.contract import Player
from companion.logbook import Logbook
from companion.logbook.people import PersonRenamed
from companion.session import State
from companion.wiring.current_game import called_now
from tests.logbook.playing import state_of
from tests.session.tabletop import BLACK, RED
from tests.web.books import played


def test_the_game_goes_on_under_the_names_of_now(tmp_path: Path) -> None:
    played(tmp_path, "built")
    with Logbook(tmp_path) as logbook:
        state = state_of(logbook)
        assert state is not None
        assert called_now(tmp_path, state) is None
        logbook.note_of_people(PersonRenamed("Bea", "Beatrix", 1))
        assert called_now(tmp_path, state) == NamePlayers((Player("Beatrix", BLACK), Player("Rob", RED)))


def test_without_a_game_or_a_logbook_nobody_is_named(tmp_path: Path) -> None:
    assert called_now(tmp_path, State()) is None
    with Logbook(tmp_path):
        assert called_now(tmp_path, State()) is None
