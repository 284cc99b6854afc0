"""The broker's supervisor goes on whatever disk and machine refuse, and a revoked key is shut out at once."""

import os
import signal
import subprocess
import threading
from errno import EAGAIN, ENOSPC
from pathlib import Path
from typing import Any

import pytest

import hub.broker
from companion.outbox import Membership
from companion.system import durable
from hub.broker import Broker, with_us
from hub.store import Store
from hub.store.tables import enrol, revoke
from tests.hub.conftest import Hub
from tests.hub.telling import soon
from tests.hub.test_strangers import Stranger


def full(*_: object, **_more: object) -> None:
    raise OSError(ENOSPC, "No space left on device")


def comes_back(broker: Broker) -> bool:
    """Kill the broker; return whether another one answers in its place."""
    killed = broker.pid
    os.kill(killed, signal.SIGKILL)
    soon(lambda: broker.pid != killed)
    return broker._answers()


def test_a_full_disk_does_not_keep_the_broker_from_coming_back(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "write_whole", full)
    assert comes_back(broker)


def test_where_nothing_may_be_bound_to_us_the_broker_starts_all_the_same(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As in the service, whose filter does not let setpriv set capabilities."""
    assert with_us()[1:] == ["--pdeathsig", "KILL"]
    forbidden = tmp_path / "setpriv"
    forbidden.write_text("#!/bin/sh\necho 'setpriv: activate capabilities: Operation not permitted' >&2\nexit 127\n")
    forbidden.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert with_us() == []
    assert request.getfixturevalue("broker")._answers()
    monkeypatch.setenv("PATH", "/nowhere")
    assert with_us() == []


@pytest.mark.long
def test_a_machine_that_starts_no_process_now_is_tried_again(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    begin, refused = subprocess.Popen, [1, 2]

    def begun(*words: Any, **more: Any) -> Any:
        if refused:
            refused.pop()
            raise OSError(EAGAIN, "Resource temporarily unavailable")
        return begin(*words, **more)

    monkeypatch.setattr(hub.broker.subprocess, "Popen", begun)
    assert comes_back(broker)
    assert sum("tried again" in record.getMessage() for record in caplog.records) == 1


def test_a_table_is_let_in_before_it_is_told_so_though_the_broker_is_slow(store: Store, broker: Broker) -> None:
    table, key = enrol(store, "Club")
    os.kill(broker.pid, signal.SIGSTOP)
    goes_on = threading.Timer(0.3, os.kill, (broker.pid, signal.SIGCONT))
    goes_on.start()
    broker.let_in(table, key)
    assert goes_on.finished.is_set()
    stranger = Stranger(Membership(store.hub, "Hub", table, key, "127.0.0.1", broker.access.port), table, key)
    assert stranger.answers == ["connect: Success"]
    stranger.leave()


@pytest.mark.long
def test_a_revoked_key_is_shut_out_though_the_disk_is_full(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = hub.admit(tmp_path / "club")
    stranger = Stranger(club, club.table, club.key)
    assert stranger.answers == ["connect: Success"]
    monkeypatch.setattr(durable, "write_whole", full)
    revoke(hub.store, 1)
    hub.broker.shut_out(club.table)
    soon(lambda: "connect: Not authorized" in stranger.answers)
    stranger.leave()
