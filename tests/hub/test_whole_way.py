"""From a logbook over a real broker into the hub and back: whatever breaks on the way is made good."""

import logging
import os
import shutil
import signal
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bench.made_up import People
from companion.logbook.opening import FILE
from companion.outbox import Membership, Place, Post
from hub.messages import Journal
from hub.store.tables import enrolled, revoke
from hub.worker import Worker
from tests.hub.conftest import Hub, stores
from tests.hub.telling import log_of, own_log, soon
from tests.logbook.playing import Play, played

pytestmark = pytest.mark.long


def has_all(hub: Hub, membership: Membership, folder: Path, book: int = 1) -> None:
    soon(lambda: log_of(hub.store, membership.table, book) == own_log(folder))


@stores(is_long=True)
def test_the_hub_learns_everything_and_then_what_follows(hub: Hub, tmp_path: Path, posts: list[Post]) -> None:
    folder = tmp_path / "game"
    play = played(folder, 30)
    membership = hub.admit(folder)
    posts.append(post := Post(Place(folder), lambda: b"{}"))
    has_all(hub, membership, folder)
    played(folder, 20, play)
    post.wake()
    has_all(hub, membership, folder)
    soon(lambda: post.held == len(own_log(folder)))


def test_two_workers_share_the_work(hub: Hub, tmp_path: Path, posts: list[Post]) -> None:
    hub.workers.append(Worker(hub.store, hub.broker.access, Journal()))
    folder = tmp_path / "game"
    played(folder, 40)
    membership = hub.admit(folder)
    posts.append(Post(Place(folder), lambda: b"{}"))
    has_all(hub, membership, folder)


@stores(is_long=True)
def test_a_broker_that_is_killed_comes_back_and_loses_nothing(hub: Hub, tmp_path: Path, posts: list[Post]) -> None:
    folder = tmp_path / "game"
    play = played(folder, 10)
    membership = hub.admit(folder)
    posts.append(Post(Place(folder), lambda: b"{}"))
    soon(lambda: log_of(hub.store, membership.table))
    killed = hub.broker.pid
    os.kill(killed, signal.SIGKILL)
    played(folder, 20, play)
    has_all(hub, membership, folder)
    assert hub.broker.pid != killed


def test_a_hub_without_workers_hears_nothing_and_learns_it_later(hub: Hub, tmp_path: Path, posts: list[Post]) -> None:
    hub.workers.pop().close()
    folder = tmp_path / "game"
    played(folder, 20)
    membership = hub.admit(folder)
    posts.append(post := Post(Place(folder), lambda: b"{}"))
    soon(lambda: post.is_connected)
    hub.workers.append(Worker(hub.store, hub.broker.access, Journal()))
    has_all(hub, membership, folder)


def test_a_logbook_from_a_copy_is_told_as_a_new_book(hub: Hub, tmp_path: Path, posts: list[Post]) -> None:
    folder, copy = tmp_path / "game", tmp_path / "copy"
    play = played(folder, 10)
    membership = hub.admit(folder)
    shutil.copytree(folder, copy)
    played(folder, 20, play)
    first = Post(Place(folder), lambda: b"{}")
    has_all(hub, membership, folder)
    before = own_log(folder)
    first.close()
    for file in (FILE, f"{FILE}-wal", f"{FILE}-shm", "logbook.newest"):
        (folder / file).unlink(missing_ok=True)
        if (copy / file).exists():
            shutil.copy2(copy / file, folder / file)
    posts.append(Post(Place(folder), lambda: b"{}"))
    has_all(hub, membership, folder, book=2)
    assert log_of(hub.store, membership.table) == before, "what the hub heard first is still there"
    kept = Place(folder).read()
    assert kept is not None
    assert kept.book == 2


def test_a_logbook_that_is_replaced_while_it_is_told_is_asked_for_anew(
    hub: Hub, tmp_path: Path, posts: list[Post]
) -> None:
    folder, other = tmp_path / "game", tmp_path / "other"
    played(folder, 20)
    played(other, 12, Play(People(9)))
    membership = hub.admit(folder)
    posts.append(Post(Place(folder), lambda: b"{}"))
    has_all(hub, membership, folder)
    for file in (f"{FILE}-wal", f"{FILE}-shm"):
        (folder / file).unlink(missing_ok=True)
    (other / FILE).replace(folder / FILE)
    has_all(hub, membership, folder, book=2)


def test_a_revoked_key_ends_the_connection_at_once(
    hub: Hub, tmp_path: Path, posts: list[Post], caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "game"
    played(folder, 10)
    membership = hub.admit(folder)
    posts.append(post := Post(Place(folder), lambda: b"{}"))
    has_all(hub, membership, folder)
    with caplog.at_level(logging.WARNING):
        table = revoke(hub.store, enrolled(hub.store)[0].number)
        assert table == membership.table
        hub.broker.shut_out(table)
        soon(lambda: not post.is_connected and post.refusal)
    assert "Not authorized" in post.refusal


def test_a_table_may_change_its_hub_and_leave_it(hub: Hub, tmp_path: Path, posts: list[Post]) -> None:
    folder = tmp_path / "game"
    played(folder, 10)
    membership = hub.admit(folder)
    posts.append(post := Post(Place(folder), lambda: b"{}"))
    has_all(hub, membership, folder)
    other = hub.admit(tmp_path / "other", "Other")
    post.belong(replace(other, book=1))
    has_all(hub, other, folder)
    post.belong(None)
    soon(lambda: not post.is_connected)
    assert Place(folder).read() is None


def test_a_table_without_a_logbook_yet_waits_for_it(hub: Hub, tmp_path: Path, posts: list[Post]) -> None:
    folder = tmp_path / "game"
    membership = hub.admit(folder)
    posts.append(post := Post(Place(folder), lambda: b"{}"))
    soon(lambda: post.is_connected)
    played(folder, 5)
    has_all(hub, membership, folder)
    with closing(sqlite3.connect(folder / FILE)) as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone()[0] == len(own_log(folder))
