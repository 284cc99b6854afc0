"""What systemd hears, on a real socket."""

import os
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from companion.system.notify import Heartbeat, sd_notify, watchdog_s
from tests.clock import Clock

EVERY_S = 20.0


@pytest.fixture(params=["path", "abstract"])
def systemd(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    name = str(tmp_path / "notify") if request.param == "path" else f"\0strada-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(name)
        listening.settimeout(1.0)
        monkeypatch.setenv("NOTIFY_SOCKET", name.replace("\0", "@"))
        yield listening


def test_assignments_arrive_as_lines_of_one_message(systemd: socket.socket) -> None:
    assert sd_notify("READY=1", "STATUS=Zoé's turn")
    assert systemd.recv(1000).decode() == "READY=1\nSTATUS=Zoé's turn"


def test_a_name_with_a_line_of_its_own_says_nothing_to_systemd(systemd: socket.socket) -> None:
    assert sd_notify("STATUS=Ada\nSTOPPING=1\r\nMAINPID=1 's turn")
    assert systemd.recv(1000).decode() == "STATUS=Ada STOPPING=1 MAINPID=1 's turn"


@pytest.mark.parametrize("address", [None, "", "vsock:2:1", "/nowhere/at/all"])
def test_without_systemd_nothing_is_told(monkeypatch: pytest.MonkeyPatch, address: str | None) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    if address is not None:
        monkeypatch.setenv("NOTIFY_SOCKET", address)
    assert not sd_notify("READY=1")


@pytest.mark.parametrize(
    ("microseconds", "process", "expected"),
    [
        ("20000000", None, 20.0),
        ("500000", "own", 0.5),
        ("20000000", "1", None),
        ("0", None, None),
        ("soon", None, None),
        (None, None, None),
    ],
)
def test_the_watchdogs_time_is_for_this_process(
    monkeypatch: pytest.MonkeyPatch, microseconds: str | None, process: str | None, expected: float | None
) -> None:
    for name, value in (("WATCHDOG_USEC", microseconds), ("WATCHDOG_PID", process)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, str(os.getpid()) if value == "own" else value)
    assert watchdog_s() == expected


@pytest.fixture
def fed() -> list[str]:
    return []


@pytest.fixture
def heart(clock: Clock, fed: list[str]) -> Heartbeat:
    return Heartbeat(("loop", "writer"), EVERY_S, clock, fed.append)


def goes_on(heart: Heartbeat, clock: Clock, parts: tuple[str, ...], seconds: float) -> None:
    for _ in range(round(seconds * 10)):
        clock.now_s += 0.1
        for part in parts:
            heart.beat(part)


def test_the_watchdog_is_fed_often_enough_and_not_at_every_pass(heart: Heartbeat, clock: Clock, fed: list[str]) -> None:
    goes_on(heart, clock, ("loop", "writer"), 10 * EVERY_S)
    assert set(fed) == {"WATCHDOG=1"}
    assert 40 <= len(fed) <= 81, "four to eight times in the watchdog's time"


@pytest.mark.parametrize("hung", ["loop", "writer"])
def test_a_part_that_hangs_ends_the_feeding_until_it_goes_on_though_the_other_does(
    heart: Heartbeat, clock: Clock, fed: list[str], hung: str, caplog: pytest.LogCaptureFixture
) -> None:
    alive = "writer" if hung == "loop" else "loop"
    goes_on(heart, clock, ("loop", "writer"), 5)
    goes_on(heart, clock, (alive,), EVERY_S / 2)
    fed.clear()
    goes_on(heart, clock, (alive,), 3 * EVERY_S)
    assert fed == []
    heart.beat(hung)
    assert fed == ["WATCHDOG=1"]
    assert len(caplog.messages) == 1


def test_a_part_that_never_began_ends_the_feeding_too(heart: Heartbeat, clock: Clock, fed: list[str]) -> None:
    goes_on(heart, clock, ("loop",), EVERY_S / 2)
    fed.clear()
    goes_on(heart, clock, ("loop",), EVERY_S)
    assert fed == []


def test_without_a_watchdog_nothing_is_fed_and_nobody_is_late(
    clock: Clock, fed: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    heart = Heartbeat(("loop", "writer"), None, clock, fed.append)
    clock.now_s += 3600
    heart.beat("loop")
    with heart.beating(90.0):
        pass
    assert fed == caplog.messages == []


def test_a_part_that_nobody_named_is_a_mistake(heart: Heartbeat) -> None:
    with pytest.raises(KeyError, match="camera"):
        heart.beat("camera")


def test_parts_on_threads_of_their_own_feed_a_real_socket(systemd: socket.socket) -> None:
    heart = Heartbeat(("loop", "writer"), 0.2)
    with ThreadPoolExecutor(2) as threads:
        for part in ("loop", "writer"):
            threads.submit(lambda part=part: [heart.beat(part) for _ in range(200)])
    assert systemd.recv(100) == b"WATCHDOG=1"


def test_while_something_takes_its_time_all_parts_beat_but_only_for_so_long(clock: Clock, fed: list[str]) -> None:
    enough = threading.Event()

    def send(said: str) -> None:
        fed.append(said)
        clock.now_s += 10.0
        if len(fed) == 9:
            enough.set()

    heart = Heartbeat(("loop", "writer"), 0.08, clock, send)
    with heart.beating(90.0):
        assert enough.wait(30.0)
    assert fed == ["WATCHDOG=1"] * 9, "a hang is noticed all the same, later"
    with heart.beating(0.0):
        pass
    assert len(fed) == 9


def test_what_gets_on_may_take_as_long_again_and_a_start_is_given_the_time(clock: Clock, fed: list[str]) -> None:
    """Repairing a damaged logbook takes minutes on a slow card: whoever does it reports progress."""
    waiting, beaten = threading.Semaphore(0), threading.Semaphore(0)

    def send(said: str) -> None:
        fed.append(said)
        if said == "WATCHDOG=1" and threading.current_thread().name == "beating":
            beaten.release()
            assert waiting.acquire(timeout=30)

    heart = Heartbeat(("loop", "writer"), 0.08, clock, send)
    with heart.beating(90.0):
        assert beaten.acquire(timeout=30)
        for _ in range(10):
            clock.now_s += 80.0
            heart.progress("writer")
            waiting.release()
            assert beaten.acquire(timeout=30), "ten times eighty seconds are far more than ninety"
        clock.now_s += 90.0
        waiting.release()
    assert fed.count("EXTEND_TIMEOUT_USEC=90000000") == 10
    before = len(fed)
    heart.progress("writer")
    assert not [said for said in fed[before:] if "EXTEND" in said], "only a start is waited for"


def test_where_a_part_hangs_is_written_down_once_by_the_one_that_does_not(
    heart: Heartbeat, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    beaten, over = threading.Event(), threading.Event()

    def waits_for_a_disk_that_never_answers() -> None:
        heart.beat("loop")
        beaten.set()
        over.wait(10)

    thread = threading.Thread(target=waits_for_a_disk_that_never_answers)
    thread.start()
    try:
        assert beaten.wait(10)
        heart.beat("writer")
        assert caplog.messages == []
        clock.now_s += EVERY_S / 2
        heart.beat("writer")
        heart.beat("writer")
    finally:
        over.set()
        thread.join()
    (said,) = caplog.messages
    assert said.startswith("the loop hangs")
    assert "waits_for_a_disk_that_never_answers" in said
