"""Whether a newer version is out: asked if a keeper wants that, once a day, only by `strada news`, and nothing else."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from companion.board import BadInputError
from companion.cli import COMMANDS
from companion.doctor.books import newer
from companion.settings import settings_from
from companion.system import news
from companion.system.news import NOTE, ask, is_newer, noted
from companion.wiring.monitoring import upkeep_of
from tests.logbook.playing import played
from tests.logbook.playing import strada as typed
from tests.strangers import Host, Stranger, host

NOW = datetime(2027, 3, 1, 20, 0, tzinfo=UTC)


@dataclass
class Feed:
    """A host with a release at that address."""

    host: Host

    @property
    def address(self) -> str:
        return f"{self.host.address}/repos/strada/releases/latest"

    @property
    def asked(self) -> list[dict[str, str]]:
        return self.host.asked

    def say(self, release: object) -> None:
        self.host.says = json.dumps(release).encode()


@pytest.fixture
def feed() -> Iterator[Feed]:
    with host(json.dumps({"tag_name": "v9.1.0", "html_url": "http://evil.example/"}).encode()) as listening:
        yield Feed(listening)


def settings(folder: Path, feed: str) -> Path:
    path = folder / "strada.toml"
    path.write_text(f"[logbook]\nfolder = {json.dumps(str(folder / 'book'))}\n[updates]\nfeed = {json.dumps(feed)}\n")
    return path


def test_a_newer_version_is_told_and_asked_for_once_a_day(feed: Feed, tmp_path: Path) -> None:
    path = settings(tmp_path, feed.address)
    for _ in range(3):
        done = typed("news", "--settings", path)
        assert done.output == f"Version 9.1.0 is out; you have {news.own_version()}.\n"
    assert [each["path"] for each in feed.asked] == ["/repos/strada/releases/latest"]
    assert not any(news.own_version() in value for value in feed.asked[0].values()), (
        "nobody is told which version is here"
    )


def test_where_nobody_wanted_it_nobody_is_asked_by_any_command_or_page(feed: Feed, tmp_path: Path) -> None:
    """Not even if it was wanted once, and an old note still names whom to ask."""
    played(tmp_path / "book", 3)
    ask(tmp_path / "book", feed.address, NOW - timedelta(days=400))
    assert len(feed.asked) == 1
    path = settings(tmp_path, "")
    assert typed("news", "--settings", path).output.startswith("Nobody is asked")
    off = settings_from({"camera": {"kind": "none"}, "logbook": {"folder": str(tmp_path / "book")}})
    assert upkeep_of(off, tmp_path / "book") == []
    for name in ("backup", "doctor"):
        assert typed(name, "--settings", path, *(["--away"] if name == "backup" else [])).exit_code in (0, 1)
    assert len(feed.asked) == 1
    assert "news" in COMMANDS


def test_pages_and_doctor_tell_what_is_known_and_ask_nobody(feed: Feed, tmp_path: Path) -> None:
    folder = tmp_path / "book"
    on = settings_from({"logbook": {"folder": str(folder)}, "updates": {"feed": feed.address}})
    assert upkeep_of(on, folder) == [], "before the first answer there is nothing to tell"
    ask(folder, feed.address, NOW)
    (found,) = upkeep_of(on, folder)
    assert (found.code, found.facts) == ("news-out", {"newest": "9.1.0", "version": news.own_version()})
    assert len(feed.asked) == 1


def test_after_a_day_it_is_asked_again_and_at_once_where_the_clock_went_back_or_another_is_named(
    feed: Feed, tmp_path: Path
) -> None:
    for now, times in (
        (NOW, 1),
        (NOW + timedelta(hours=23), 1),
        (NOW + timedelta(hours=25), 2),
        (NOW - timedelta(days=300), 3),
        (NOW - timedelta(days=299.5), 3),
    ):
        ask(tmp_path, feed.address, now)
        assert len(feed.asked) == times
    assert ask(tmp_path, f"{feed.address}/other", NOW - timedelta(days=299.5)) is not None
    assert len(feed.asked) == 4


@pytest.mark.parametrize(
    ("release", "why"),
    [
        ({"tag_name": "v9.1.0-rc1"}, "no version such as"),
        ({"tag_name": "<b>9.1</b>"}, "no version such as"),
        ({"tag_name": 9}, "no version such as"),
        ({"tag_name": "9" * 400}, "no version such as"),
        ({"name": "9.1"}, "sent no release"),
        ([], "sent no release"),
        ("x" * 2_000_000, "sent more than 1024 kB"),
    ],
    ids=lambda each: repr(each)[:24],
)
def test_an_answer_that_is_no_release_is_noted_and_costs_no_more_than_that(
    feed: Feed, tmp_path: Path, release: object, why: str
) -> None:
    feed.say(release)
    told = ask(tmp_path, feed.address, NOW)
    assert told is not None
    assert (why in told.why, told.newest) == (True, "")
    assert ask(tmp_path, feed.address, NOW + timedelta(hours=1)) is None
    found = newer(feed.address, tmp_path, "0.1.0")
    assert (found.code, found.grade) == ("news-failed", "note")


def test_what_was_known_stays_known_where_the_feed_is_out_of_reach(feed: Feed, tmp_path: Path) -> None:
    ask(tmp_path, feed.address, NOW)
    feed.say({})
    ask(tmp_path, feed.address, NOW + timedelta(days=2))
    assert noted(tmp_path, feed.address).newest == "9.1.0"
    assert newer(feed.address, tmp_path, "0.1.0").code == "news-out"
    assert newer(feed.address, tmp_path, "9.1").code == "news-failed"


def test_nobody_waits_longer_for_a_feed_that_drips(
    stranger: Stranger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news, "LIMIT_S", 0.2)
    gone = threading.Event()

    def drip(guest: object) -> None:
        guest.sendall(b"HTTP/1.1 200 OK\r\n\r\n")  # type: ignore[attr-defined]
        while not gone.wait(0.05):
            guest.sendall(b" ")  # type: ignore[attr-defined]

    told = ask(tmp_path, f"{stranger(drip)}/latest", NOW)
    gone.set()
    assert told is not None
    assert told.why == "no answer within 0.2 s"


def test_a_feed_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="Connection refused"):
        news.fetched("http://127.0.0.1:9/", 100, 5)
    done = typed("news", "--settings", settings(tmp_path, "http://127.0.0.1:9/latest"))
    assert isinstance(done.exception, BadInputError)
    assert "the feed cannot be asked: Connection refused" in str(done.exception)


def test_a_folder_or_a_stick_tells_it_too(tmp_path: Path) -> None:
    there = tmp_path / "stick"
    there.mkdir()
    for name in ("strada-0.9.0.tar.gz", "strada-0.10.1-py3-none-any.whl", "strada-99.0-beta.zip", "notes.txt"):
        (there / name).touch()
    told = ask(tmp_path / "book", str(there), NOW)
    assert told is not None
    assert (told.newest, told.why) == ("0.10.1", "")
    missing = ask(tmp_path / "book", "stick:NONE", NOW)
    assert missing is not None
    assert missing.why == "NONE is not there"


@pytest.mark.parametrize(
    ("one", "other", "is_so"),
    [
        ("0.2", "0.1.9", True),
        ("0.10.0", "0.9.0", True),
        ("1.0.0", "1.0", False),
        ("1.0", "1.0.1", False),
        ("", "0.1", False),
    ],
)
def test_versions_are_compared_by_their_numbers(one: str, other: str, is_so: bool) -> None:
    assert is_newer(one, other) is is_so


@pytest.mark.parametrize("note", [b"[" * 100_000, b"{}", b'{"feed": 3}', b"\xff"])
def test_a_note_that_cannot_be_read_counts_for_nothing(tmp_path: Path, note: bytes) -> None:
    (tmp_path / NOTE).write_bytes(note)
    assert noted(tmp_path, "/x") == news.News("/x")
