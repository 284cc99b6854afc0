"""Whether a newer version of Strada is out: asked at most once a day, and only if the settings say whom to ask.

Nothing is ever downloaded or installed, and nobody is told which version is here. The answer is a number, kept in
`updates.json` beside the logbook. Whichever machine is asked, there is a limit to the time for the whole answer, and to
its size.
"""

from __future__ import annotations

import http.client
import json
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

from companion.system.durable import contents, folder_of, write_whole

#: The note, beside the logbook.
NOTE = "updates.json"

#: How often to ask, how long the answer may take, and how large it may be: GitHub's has some 20 kB.
PERIOD, LIMIT_S, MOST_BYTES = timedelta(days=1), 20.0, 1024 * 1024

#: A released version: "v1.2.3"; nothing with a word after it, such as "1.2.3-rc1".
_VERSION = re.compile(r"v?(\d{1,6}(?:\.\d{1,6}){0,3})")
#: What is in a folder: strada-1.2.3.tar.gz, a wheel, or a folder.
_FILE = re.compile(rf"strada[-_]{_VERSION.pattern}(?:-py3-none-any\.whl|\.tar\.gz|\.zip)?")


@dataclass(frozen=True, slots=True)
class News:
    """Who was asked, and when (UTC), and the newest version there; "" if that is not known, with the reason `why`."""

    feed: str = ""
    asked: str = ""
    newest: str = ""
    why: str = ""


def own_version() -> str:
    """Return the version of this program; "0" if it was never installed."""
    try:
        return version("strada")
    except PackageNotFoundError:
        return "0"


def is_newer(one: str, other: str) -> bool:
    """Whether the first version is newer than the second.

    >>> is_newer("0.10", "0.9.7"), is_newer("1.0", "1.0.0"), is_newer("1.0", "1.1")
    (True, False, False)
    """
    numbers = [[int(part) for part in re.findall(r"\d+", each)[:4]] for each in (one, other)]
    longest = max(map(len, numbers))
    first, second = ([*each, *[0] * (longest - len(each))] for each in numbers)
    return first > second


def noted(folder: Path, feed: str) -> News:
    """Return what that feed last said; an empty one if it was never asked, or if the note cannot be read."""
    with suppress(OSError, ValueError, TypeError, RecursionError):
        news = News(**json.loads(contents(folder / NOTE).decode()))
        if news.feed == feed and all(isinstance(each, str) for each in asdict(news).values()):
            return news
    return News(feed)


def ask(folder: Path, feed: str, now: datetime) -> News | None:
    """Ask the feed and note the answer; None, without asking, if the last time was less than a day ago.

    `feed` is the address of a release as GitHub describes it (`.../releases/latest`), or a place as `durable.folder_of`
    has it, with files named strada-1.2.3.tar.gz. If it cannot be asked, the note says why. Raises OSError if the note
    cannot be written.
    """
    before = noted(folder, feed)
    with suppress(ValueError):
        if timedelta(0) <= now - datetime.fromisoformat(before.asked) < PERIOD:
            return None
    news = News(feed, now.astimezone(UTC).isoformat(timespec="seconds"), before.newest)
    # Noted before asking, so that it stays at once a day, however that ends.
    _write(folder, news)
    try:
        news = News(feed, news.asked, _newest(feed))
    except OSError as error:
        news = News(feed, news.asked, before.newest, error.strerror or str(error))
    _write(folder, news)
    return news


def _newest(feed: str) -> str:
    if not feed.startswith(("http://", "https://")):
        named = [version[1] for path in folder_of(feed).iterdir() if (version := _FILE.fullmatch(path.name))]
        newest = "0"
        for each in named:
            newest = each if is_newer(each, newest) else newest
        return newest
    try:
        tag = json.loads(fetched(feed, MOST_BYTES, LIMIT_S))["tag_name"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise OSError("it sent no release: JSON with a tag_name") from None
    version = _VERSION.fullmatch(tag) if isinstance(tag, str) else None
    if version is None:
        raise OSError("its release has no version such as v1.2.3")
    return version[1]


def _write(folder: Path, news: News) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / NOTE, json.dumps(asdict(news)).encode())


Answer = TypeVar("Answer")


def within(limit_s: float, ask: Callable[[], Answer]) -> Answer:
    """Return what `ask` returns, or raise what it raises; TimeoutError if it takes longer: nobody waits for it then.

    It has a thread of its own, because a server that sends a byte now and then outlasts every time limit of a socket.
    """
    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            answer.set_result(ask())
        except Exception as error:
            answer.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return answer.result(limit_s)


def fetched(address: str, most_bytes: int, limit_s: float) -> bytes:
    """Return what is at that address; raises OSError with a reason, also if it is larger or takes longer."""

    def ask() -> bytes:
        request = urllib.request.Request(address, headers={"User-Agent": "Strada", "Accept": "application/json"})
        with urllib.request.urlopen(request, timeout=limit_s) as answer:
            body: bytes = answer.read(most_bytes + 1)
        return body

    try:
        body = within(limit_s, ask)
    except TimeoutError:
        raise OSError(f"no answer within {limit_s:g} s") from None
    except urllib.error.HTTPError as error:
        raise OSError(f"it answered {error.code}") from None
    except urllib.error.URLError as error:
        raise OSError((isinstance(error.reason, OSError) and error.reason.strerror) or str(error.reason)) from None
    except (ValueError, http.client.HTTPException) as error:
        raise OSError(str(error) or type(error).__name__) from None
    if len(body) > most_bytes:
        raise OSError(f"it sent more than {most_bytes // 1024} kB")
    return body
