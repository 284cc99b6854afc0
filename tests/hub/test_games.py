"""Finished games, worked out from what tables told: on SQLite and on PostgreSQL."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, func, select, text, update

import hub.store.games
import hub.worker
from companion.commands import NamePlayers, Undo
from companion.games.contract import Player
from companion.logbook import Logbook
from companion.logbook.archive import LoggedGame, opened_archive
from hub.messages import Journal, Message, Told
from hub.seasons import mark
from hub.store import Store
from hub.store.forgetting import forget
from hub.store.games import Ended, Reckoned, games_ended, reckon
from hub.store.schema import events, games, seats, tables
from hub.store.tables import enrol
from hub.worker import Halls
from tests.hub.conftest import stores
from tests.hub.telling import change, only, own_log, reckon_all, rows, talk, tell
from tests.logbook.playing import Play


def in_logbook(folder: Path) -> tuple[LoggedGame, ...]:
    with opened_archive(folder) as archive:
        return tuple(game for game in archive.games() if game.outcome in ("over", "early"))


def seen(game: Ended | LoggedGame) -> tuple[object, ...]:
    """Return what the hub and a table's own statistics must agree on."""
    who = [(seat.name.strip(), str(seat.color), seat.gold, seat.won) for seat in game.seats]
    return game.began, game.ended, game.outcome, game.rules, who


@stores(is_long=True)
def test_the_hub_reckons_every_game_as_its_table_does(store: Store, folder: Path) -> None:
    table, _ = enrol(store, "Club")
    tell(store, table, folder)
    own = in_logbook(folder)
    assert len(own) >= 2
    assert [seen(game) for game in games_ended(store)] == [seen(game) for game in own]


@pytest.mark.long
def test_it_follows_what_happens_after_the_end(store: Store, tmp_path: Path) -> None:
    folder, play = tmp_path / "game", Play()
    with Logbook(folder) as logbook:
        while (position := play.session.position) is None or not position.over:
            play.on(logbook, 1)
    table, _ = enrol(store, "Club")
    far = tell(store, table, folder)
    assert seen(games_ended(store)[0]) == seen(in_logbook(folder)[0])
    players = tuple(Player(f"{player.name} Berg", player.color) for player in position.players)
    for command in (NamePlayers(players), Undo(1)):
        with Logbook(folder) as logbook:
            logbook.record(play.session.obey(command), play.session.state, None, "")
        far = tell(store, table, folder, after=far)
        assert [seen(game) for game in games_ended(store)] == [seen(game) for game in in_logbook(folder)]


@stores(is_long=True)
def test_a_game_that_is_told_again_in_a_new_book_counts_once(store: Store, folder: Path) -> None:
    table, _ = enrol(store, "Club")
    tell(store, table, folder)
    before = games_ended(store)
    tell(store, table, folder, book=2)
    assert [game.began for game in games_ended(store)] == [game.began for game in before]
    assert {game.book for game in games_ended(store)} == {2}


@pytest.mark.long
def test_what_makes_no_sense_is_left_out(store: Store, folder: Path) -> None:
    table, _ = enrol(store, "Club")
    tell(store, table, folder)
    assert games_ended(store)
    for spoilt in (update(events).where(events.c.kind == "GameOver").values(event='{"is":"GameOver"}'),
                   delete(events).where(events.c.kind == "GameDealt")):  # fmt: skip
        change(store, spoilt, text("UPDATE tables SET reckoned = 0, reckoned_book = 0"))
        reckon_all(store)
        assert games_ended(store) == ()


def again_and_again(store: Store, table: str, kind: str, game: int, after: int, count: int = 1) -> int:
    """Let a table tell that many events of that kind in a game; return the last one's number."""
    at, numbers = "2026-11-26T10:00:00.000Z", range(after + 1, after + count + 1)
    only(store, Message(table, 1, tuple(Told(n, kind, game, at, "", "{}", n) for n in numbers)))
    return after + count


@stores(is_long=True)
def test_a_table_that_tells_without_end_keeps_no_other_one_waiting(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time games have been worked out, it has told more. Still each table gets its turn, and then results do."""
    hostile, club = (enrol(store, name)[0] for name in ("Stranger", "Club"))
    talk(store, club, folder)
    told, at_once = [0], hub.worker.reckon

    def reckoned(store: Store, beyond: str = "") -> Reckoned:
        told.append(again_and_again(store, hostile, "MovesUndone", len(told), told[-1]))
        assert len(told) < 20, "it never comes to an end"
        return at_once(store, beyond)

    monkeypatch.setattr(hub.worker, "reckon", reckoned)
    Halls(store, Journal(), lambda: None).look()
    assert [seen(game) for game in games_ended(store)] == [seen(game) for game in in_logbook(folder)]


@pytest.mark.long
def test_what_is_gone_through_at_once_is_bounded_and_all_of_it_is_reckoned(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub.store.games, "MOST_GAMES", 1)
    monkeypatch.setattr(hub.store.games, "MOST_EVENTS", 150)
    table, _ = enrol(store, "Club")
    assert len(own_log(folder)) > 150
    far = tell(store, table, folder)
    assert [seen(game) for game in games_ended(store)] == [seen(game) for game in in_logbook(folder)]
    for game in (901, 902, 903):
        far = again_and_again(store, table, "MovesUndone", game, far)
    looked: list[int] = []
    at_once = hub.store.games.again
    monkeypatch.setattr(hub.store.games, "again", lambda *of: looked.append(of[-1]) or at_once(*of))
    for count in (1, 2, 3):
        assert reckon(store).tables == 1
        assert looked == [901, 902, 903][:count]
    assert reckon(store).tables == 0


@pytest.mark.long
def test_of_an_endless_game_the_newest_events_are_read_and_no_more(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub.store.games, "MOST_EVENTS", 150)
    table, _ = enrol(store, "Club")
    far = tell(store, table, folder)
    last = games_ended(store)[-1]
    for count, is_read in ((100, True), (100, False)):
        far = again_and_again(store, table, "GamePaused", last.game, far, count)
        far = again_and_again(store, table, "Gone", last.game, far)
        reckon_all(store)
        assert (last in games_ended(store)) == is_read


def rewritten(store: Store, number: int, before: str, after: str) -> None:
    """Change what a table's events say, and have its games worked out again."""
    said = func.replace(events.c.event, before, after)
    change(
        store,
        update(events).where(events.c.of == number).values(event=said),
        update(tables).where(tables.c.number == number).values(reckoned=0, reckoned_book=0),
    )
    reckon_all(store)


@stores(is_long=True)
def test_what_a_table_makes_up_costs_no_other_table_its_games(store: Store, folder: Path) -> None:
    """A name that no database can store, or gold beyond any number, harms only the table that told it."""
    known = [enrol(store, name)[0] for name in ("Stranger", "Club")]
    for table in known:
        tell(store, table, folder)
    honest = [game for game in games_ended(store) if game.table == 2]
    for before, after in (('"Ada"', '"\\u0000"'), ('"\\u0000"', '"\\ud800"')):
        rewritten(store, 1, before, after)
        rewritten(store, 2, "", "")
        assert [game for game in games_ended(store) if game.table == 2] == honest
        assert rows(store, select(tables.c.number).where(tables.c.reckoned != tables.c.last)) == []


@pytest.mark.long
def test_a_name_that_is_corrected_later_is_seen_as_a_change_and_nothing_else_is(store: Store, folder: Path) -> None:
    table, _ = enrol(store, "Club")
    tell(store, table, folder)
    before = mark(store)
    rewritten(store, 1, "", "")
    assert mark(store) == before
    rewritten(store, 1, '"Ada"', '"Zoe"')
    assert mark(store) != before
    assert any(seat.name == "Zoe" for game in games_ended(store) for seat in game.seats)


@pytest.mark.long
@pytest.mark.parametrize("store", ["postgresql"], indirect=True)
def test_a_name_that_is_forgotten_while_a_game_is_reckoned_does_not_come_back(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, _ = enrol(store, "Club")
    tell(store, table, folder)
    change(store, update(tables).values(reckoned=0, reckoned_book=0), delete(seats), delete(games))
    has_read, at_once = threading.Event(), hub.store.games._ended

    def slowly(*args: Any) -> Ended | None:
        found = at_once(*args)
        has_read.set()
        time.sleep(0.1)
        return found

    monkeypatch.setattr(hub.store.games, "_ended", slowly)
    with ThreadPoolExecutor(2) as threads:
        reckons = threads.submit(reckon, store)
        assert has_read.wait(20)
        forget(store, "Ada")
        reckons.result(20)
    names = {seat.name for game in games_ended(store) for seat in game.seats}
    assert "Player 1" in names
    assert "Ada" not in names
