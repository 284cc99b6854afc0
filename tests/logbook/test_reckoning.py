"""Lost positions follow from the events that made them, and from nothing else."""

import json
import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bench.made_up import SEATS, People
from companion.board import Workshop
from companion.commands import Done, EndGame, NamePlayers, StartGame, TakeOffer
from companion.events import CellReread
from companion.games.contract import Player
from companion.logbook import Logbook
from companion.logbook.archive import opened_archive, story_of
from companion.logbook.opening import FILE, connect
from companion.logbook.reckoning import reckon
from companion.logbook.schema import sum_of
from companion.records.giving import record_of
from companion.session import Session
from tests.logbook.playing import Play, Table, asked, change, played, state_of, written
from tests.session.tabletop import BLACK, GAME, RED, Tabletop, at, red_builds

Rows = dict[int, tuple[object, ...]]


def positions(folder: Path) -> Rows:
    return {int(str(row[0])): row for row in asked(folder, "SELECT * FROM positions")}


def reckoned(folder: Path) -> Rows:
    """Return the positions that are there after lost ones were worked out."""
    with closing(connect(folder / FILE)) as connection:
        reckon(connection)
    return positions(folder)


@pytest.mark.long
@pytest.mark.parametrize(
    "rules", ["danger", *(pytest.param(each, marks=pytest.mark.long) for each in SEATS if each != "danger")]
)
def test_every_position_of_a_game_follows_from_its_events_alone(rules: str, tmp_path: Path) -> None:
    played(tmp_path, 90, Play(People(3, rules=(rules,))))
    before = positions(tmp_path)
    assert len(before) > 30
    change(tmp_path, "DELETE FROM positions")
    assert reckoned(tmp_path) == before


@pytest.mark.long
def test_games_whose_own_rows_are_lost_are_what_their_deals_say(tmp_path: Path) -> None:
    played(tmp_path, 150, Play(People(3)))
    tables = ("games", "seats", "positions")
    before = {table: asked(tmp_path, f"SELECT * FROM {table}") for table in tables}
    assert {row[3] for row in before["games"]} >= {"over", "playing"}
    change(tmp_path, "".join(f"DELETE FROM {table};" for table in reversed(tables)))
    reckoned(tmp_path)
    assert {table: asked(tmp_path, f"SELECT * FROM {table}") for table in tables} == before


def test_a_game_that_was_named_since_its_deal_comes_back_with_its_names(tmp_path: Path) -> None:
    table = Table(tmp_path).deal()
    table.press(NamePlayers((Player("Zoe", BLACK), *GAME.players[1:])))
    table.closed()
    before = asked(tmp_path, "SELECT * FROM games") + asked(tmp_path, "SELECT * FROM seats")
    change(tmp_path, "DELETE FROM games; DELETE FROM seats")
    reckoned(tmp_path)
    assert asked(tmp_path, "SELECT * FROM games") + asked(tmp_path, "SELECT * FROM seats") == before


def reckoned_as_told(folder: Path, kind: str, tell: Callable[[str], str]) -> int:
    """Let the event of that kind tell something else; return how many positions are then worked out."""
    with closing(connect(folder / FILE)) as connection:
        row = connection.execute("SELECT * FROM events WHERE kind = ?", (kind,)).fetchone()
        told = tell(row[5])
        assert told != row[5]
        connection.execute("UPDATE events SET event = ?, sum = ? WHERE id = ?", (told, sum_of(*row[:5], told), row[0]))
        return reckon(connection)


def test_a_deal_that_does_not_say_what_was_dealt_brings_no_game_back(tmp_path: Path) -> None:
    """That is how deals were once written."""

    def once(told: str) -> str:
        return json.dumps({name: it for name, it in json.loads(told).items() if name not in ("ground", "place")})

    change(Table(tmp_path).deal().closed(), "DELETE FROM games")
    assert reckoned_as_told(tmp_path, "GameDealt", once) == 0
    assert asked(tmp_path, "SELECT * FROM games") == []


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 8))])
def test_whichever_positions_are_lost_the_same_ones_come_back(seed: int, tmp_path: Path) -> None:
    played(tmp_path, 90, Play(People(seed)))
    before = positions(tmp_path)
    lost = random.Random(seed).sample(sorted(before), len(before) // 2)
    change(tmp_path, f"DELETE FROM positions WHERE id IN ({', '.join(map(str, lost))})")
    assert reckoned(tmp_path) == before


@pytest.mark.long
def test_the_game_goes_on_where_it_stood_though_all_positions_and_states_are_lost(tmp_path: Path) -> None:
    play = played(tmp_path, 60)
    before = written(tmp_path)
    change(tmp_path, "DELETE FROM positions; DELETE FROM states")
    with Logbook(tmp_path) as logbook:
        state = state_of(logbook)
    assert (state.position, state.history) == (play.session.state.position, play.session.state.history)
    assert written(tmp_path) == before


def test_what_was_refused_after_the_last_move_stays_in_the_books(tmp_path: Path) -> None:
    table = Table(tmp_path).deal()
    table.table.put(at(3), BLACK)
    table.press(Done())
    table.closed()
    before = written(tmp_path)
    change(tmp_path, "DELETE FROM states")
    with Logbook(tmp_path) as logbook:
        assert state_of(logbook).position == table.session.state.position
    assert written(tmp_path) == before


def test_a_game_that_people_ended_early_is_over_again(tmp_path: Path) -> None:
    table = Table(tmp_path).deal().built()
    table.press(EndGame())
    before = positions(table.closed())
    change(tmp_path, "DELETE FROM positions WHERE id > 1")
    assert reckoned(tmp_path) == before


def torn_in_the_middle(folder: Path) -> tuple[Table, int, int]:
    """Play two turns, then lose the first and how the board has stood since; return the events of both."""
    table = Table(folder).deal().built()
    red_builds(table.table)
    table.press(Done())
    table.closed()
    (first, after), (second, _) = asked(folder, "SELECT event, after FROM moves WHERE kind = 'turn' ORDER BY event")
    change(
        folder,
        f"DELETE FROM positions WHERE id >= {after}; DELETE FROM states;"
        f"DELETE FROM moves WHERE event >= {first}; DELETE FROM events WHERE id = {first}",
    )
    return table, int(str(first)), int(str(second))


def test_nothing_is_made_up_after_a_move_that_is_lost_itself(tmp_path: Path) -> None:
    _, _, second = torn_in_the_middle(tmp_path)
    left = positions(tmp_path)
    ((newest,),) = asked(tmp_path, "SELECT max(id) FROM events")
    assert reckoned(tmp_path) == left
    with Logbook(tmp_path) as logbook:
        position = state_of(logbook).position
        assert logbook.note is not None
        assert (logbook.note.code, logbook.note.lost) == ("set-back", int(str(newest)) - second + 1)
    assert position is not None
    assert (position.phase, position.next) == ("turn", BLACK)


def test_moves_after_one_that_is_lost_are_kept_and_count_no_more(tmp_path: Path) -> None:
    _, first, second = torn_in_the_middle(tmp_path)
    Logbook(tmp_path).close()
    assert asked(tmp_path, f"SELECT kind FROM events WHERE id = {second}") == [("TurnTaken",)]
    with opened_archive(tmp_path) as archive:
        story = story_of(archive, 1)
    assert story.is_whole
    assert [step.number for step in story.steps if step.number >= first] == [story.steps[-1].number]
    assert story.steps[-1].kind == "set-back"


def test_a_game_that_was_set_back_is_played_on_kept_and_exported(tmp_path: Path) -> None:
    table, _, _ = torn_in_the_middle(tmp_path)
    table.logbook, table.table = Logbook(tmp_path), Tabletop()
    table.session = Session(state=state_of(table.logbook))
    for color, cell in ((BLACK, at(1)), (RED, at(-2))):
        table.table.lay(cell, Workshop(color))
    table.built().closed()
    with opened_archive(tmp_path) as archive:
        assert [step.kind for step in story_of(archive, 1).steps[-2:]] == ["set-back", "legal"]
        assert '"red"' in record_of(archive, archive.game("1"))
    before = asked(tmp_path, "SELECT * FROM events")
    change(tmp_path, "DELETE FROM states; DELETE FROM positions")
    with Logbook(tmp_path) as logbook:
        assert state_of(logbook).position == table.session.state.position
    assert asked(tmp_path, "SELECT * FROM events") == before


def test_events_of_games_of_which_nothing_else_is_left_are_kept(tmp_path: Path) -> None:
    played(tmp_path, 30)
    change(
        tmp_path,
        "DELETE FROM states; DELETE FROM positions; DELETE FROM moves; DELETE FROM games;"
        "DELETE FROM events WHERE kind = 'GameDealt'",
    )
    before = asked(tmp_path, "SELECT * FROM events")
    for _ in range(2):
        with Logbook(tmp_path) as logbook:
            assert logbook.resume() is None
        assert asked(tmp_path, "SELECT * FROM events")[: len(before)] == before
    assert played(tmp_path, 30).session.state.game is not None


def test_a_move_that_is_reread_at_once_takes_the_place_of_the_first(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.press(StartGame(GAME.players, "two-player"))
    # Black's workshops are next to each other, and Red, who begins, saves their days.
    for color, cell in ((BLACK, at(1)), (RED, at(-2)), (BLACK, at(2, -1)), (RED, at(-3, 1))):
        table.table.lay(cell, Workshop(color))
        table.press(Done())
    table.table.tracks[RED] = 6
    table.press(Done(confirmed=True))
    table.table.road(BLACK, at(2), (0, 2))
    table.table.put(at(3), BLACK)
    table.table.tracks[BLACK] = 4
    table.press(Done())
    table.table.road(BLACK, at(2), (0, 3))
    table.press(TakeOffer())
    assert [event.moves for event in written(table.closed()) if isinstance(event, CellReread)] == [1]
    before = positions(tmp_path)
    change(tmp_path, f"DELETE FROM positions WHERE id = {max(before)}")
    assert reckoned(tmp_path) == before


def test_a_turn_that_did_not_cost_what_the_rules_say_makes_no_position(tmp_path: Path) -> None:
    Table(tmp_path).deal().built().closed()
    change(tmp_path, f"DELETE FROM positions WHERE id = {max(positions(tmp_path))}")
    assert reckoned_as_told(tmp_path, "TurnTaken", lambda told: told.replace('"left":4', '"left":3')) == 0
