"""A small `make bench-hub`: what is killed loses nothing, and simulated tables are acknowledged."""

import socket
from contextlib import closing

import pytest

from bench.hub import catch_up, kill, simulate
from bench.servers import Cable
from companion.board import BadInputError
from hub.broker import found_program

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def mosquitto() -> None:
    try:
        found_program()
    except BadInputError as error:
        pytest.skip(str(error))


def test_the_hub_has_every_event_of_killed_tables_once() -> None:
    found = kill(5.0, 60, 1, is_sqlite=True)
    assert found.kills.total() >= 3
    assert found.events >= 5 * 60
    assert (found.missing, found.different) == (0, 0)


def test_a_table_that_was_away_catches_up() -> None:
    assert catch_up(200, 1, is_sqlite=True) > 0


def test_simulated_tables_are_acknowledged() -> None:
    found = simulate(50, 3.0, 1, 1, is_sqlite=True)
    assert (found["tables"], found["measured_at"]) == (50, 40)
    assert found["events"] >= 80
    assert found["p50_ms"] <= found["p99_ms"] <= found["most_ms"]


def test_a_cut_cable_carries_nothing_until_it_is_mended() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as door:
        cable = Cable(door.getsockname()[1])
        with socket.create_connection(("127.0.0.1", cable.port), 5) as near:
            far, _ = door.accept()
            with far:
                near.sendall(b"one")
                assert far.recv(3) == b"one"
                cable.cut()
                assert far.recv(1) == b""
        with socket.create_connection(("127.0.0.1", cable.port), 5) as near:
            assert near.recv(1) == b""
        cable.mend()
        with socket.create_connection(("127.0.0.1", cable.port), 5) as near:
            far, _ = door.accept()
            with far:
                far.sendall(b"two")
                assert near.recv(3) == b"two"
        cable.close()
