"""The bench that sends a companion anything at all: the same for the same seed, and it notices what must not happen."""

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bench.fuzz import Found, _look_at_log
from bench.fuzzed_requests import FIRST, Answered, Sent, Wire, request_of, right_request, try_request
from bench.mutating import ENDLESS, Mutator
from bench.smuggling import smuggled
from companion.board import BadInputError
from companion.logbook.schema import migrate, must_be_ours
from tests.strangers import Stranger, said

ROUTES = [("/keeper/<name>", ("POST", "OPTIONS")), ("/", ("GET", "HEAD", "OPTIONS"))]
WHOLE = Sent(b"GET / HTTP/1.1\r\n\r\n", is_whole=True)


def test_the_same_seed_makes_the_same_samples_and_another_one_others() -> None:
    one, same, other = (request_of(random.Random(seed), ROUTES, "h") for seed in ("1/7", "1/7", "1/8"))
    assert one == same
    assert one != other
    tree = {"cells": [{"name": "G7", "tile": None}] * 9}
    made = {Mutator(random.Random(seed)).text(Mutator(random.Random(seed)).tree(tree)) for seed in range(50)}
    assert len(made) > 40


def test_what_is_done_first_has_bodies_that_are_right() -> None:
    for paths in FIRST.values():
        for path in paths:
            assert right_request(path, "h").content.startswith(f"POST {path} HTTP/1.1\r\n".encode())


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (b"HTTP/1.1 500 Internal Server Error\r\nServer: strada\r\n\r\n", "answered 500"),
        (b"HTTP/1.1 503 Busy\r\nServer: strada\r\n\r\n", "answered 503"),
        (b"HTTP/1.1 503 Busy\r\nRetry-After: 1\r\n\r\n", ""),
        (b"HTTP/1.1 200 OK\r\nServer: strada\r\n\r\nTraceback (most recent call last)", "a traceback in the answer"),
        (b"", "no answer"),
        (b"HTTP/1.1 404 Not Found\r\nServer: strada\r\n\r\n", ""),
    ],
)
def test_an_answer_that_must_not_be_is_noticed(answer: bytes, fault: str) -> None:
    assert Answered().look(WHOLE, answer, 0.1) == fault


def test_a_server_that_closes_without_a_word_is_noticed_and_one_that_answers_is_heard_whole(stranger: Stranger) -> None:
    silent = Wire(int(stranger(lambda guest: None).rsplit(":", 1)[1]))
    talking = Wire(int(stranger(said("200 OK", {"message": "x" * 70_000})).rsplit(":", 1)[1]))
    assert "no answer" in try_request(silent, Answered(), WHOLE)
    heard, _ = talking.exchange(WHOLE)
    talking.close()
    assert heard.endswith(b"x" * 1000 + b'"}')


@pytest.mark.long
def test_a_file_that_is_changed_elsewhere_is_noticed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    script = (
        "import sys, shutil, sqlite3\n"
        "from pathlib import Path\n"
        "from bench.watching_writes import watch_writes\n"
        "inside, outside = map(Path, sys.argv[1:])\n"
        "watch_writes([inside], print)\n"
        "(inside / 'a').write_text('')\n"
        "(inside / 'b').mkdir()\n"
        "shutil.rmtree(inside / 'b')\n"
        "print('so far nothing')\n"
        "(outside / 'a').write_text('')\n"
        "(inside / 'a').rename(outside / 'b')\n"
        "sqlite3.connect(outside / 'c.sqlite').close()\n"
    )
    command = [sys.executable, "-c", script, str(inside), str(outside)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=True, cwd=Path(__file__).parents[2]
    )
    told = done.stdout.splitlines()
    assert told[0] == "so far nothing"
    assert [line.split()[0] for line in told[1:]] == ["open", "os.rename", "sqlite3.connect"]


def test_an_endless_number_is_written_which_python_itself_would_refuse() -> None:
    texts = [Mutator(random.Random(seed)).text({"moves": ENDLESS}) for seed in range(20)]
    assert b'{"moves": ' + b"9" * 5000 + b"}" in texts


@pytest.mark.parametrize(
    ("log", "tracebacks", "faults"),
    [
        ("the clock was set back\n", 0, 0),
        ('a fault:\n  File "a.py", line 1, in f\n    f()\n  File "b.py", line 2, in g\nValueError: x\n', 1, 0),
        ('Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: x\n', 1, 0),
        ("a page \x1b[31m was not found\n", 0, 1),
        ("a page was not found\n" * 100_000, 0, 1),
    ],
    ids=["nothing", "a trace of ours", "a traceback", "what steers a terminal", "too much"],
)
def test_what_must_not_be_in_a_log_is_noticed(log: str, tracebacks: int, faults: int) -> None:
    found = Found()
    _look_at_log(found, log, "drawn")
    assert (found.tracebacks, len(found.faults)) == (tracebacks, faults)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_smuggled_into_a_backup_is_no_logbook_of_ours(seed: int, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "ours.sqlite")) as ours:
        migrate(ours)
        must_be_ours(ours)
    content, statement = smuggled((tmp_path / "ours.sqlite").read_bytes(), random.Random(seed), tmp_path)
    (tmp_path / "copy.sqlite").write_bytes(content)
    with closing(sqlite3.connect(tmp_path / "copy.sqlite")) as copy, pytest.raises(BadInputError):
        must_be_ours(copy)
    assert statement


def test_a_clock_that_is_set_changes_the_time_of_day_alone() -> None:
    script = (
        "import bench.clock, time\n"
        "from datetime import UTC, datetime\n"
        "now, day, steady = time.time(), datetime.now(UTC), time.monotonic()\n"
        "bench.clock.set_clock(-86400)\n"
        "print(round((time.time() - now) / 3600), round((datetime.now(UTC) - day).total_seconds() / 3600))\n"
        "print(round(time.monotonic() - steady))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True,
                          cwd=Path(__file__).parents[2])  # fmt: skip
    assert done.stdout.split() == ["-24", "-24", "0"]
