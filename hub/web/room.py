"""The room's page: every table as a card with its live board, the cards in view, and what has changed.

The page comes with an empty place for each table, and requests the cards that are in view. Once a second the stream
says which tables have changed, by number, so a room of a thousand tables is no heavier than one of ten.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from flask import Flask, Response, jsonify, render_template, request

from companion.board import BadInputError
from companion.web.bodies import not_yet
from companion.web.languages import _, language, speaking
from companion.web.stream import EventStream, Places
from hub.room import Room, Standing
from hub.web.backend import Backend
from hub.web.sessions import official_here
from hub.web.showing import shown

#: How many cards an answer may have, and how many are kept ready.
MOST_CARDS, MOST_KEPT = 60, 4000

#: How often a stream reports changes, how often it shows that it is alive, and how many streams one address may have.
TELL_S, BEAT_S, PER_ADDRESS = 1.0, 5.0, 6

#: Returns what has changed since a given number of the room's changes.
News = Callable[[int], Mapping[str, Any]]


class Cards:
    """Renders cards, once per language however many people watch. Any thread may call it."""

    def __init__(self, app: Flask) -> None:
        self._macros: Any = app.jinja_env.get_template("hub/_card.html").module
        self._kept: OrderedDict[tuple[int, int, str], str] = OrderedDict()
        self._lock = threading.Lock()

    def card(self, standing: Standing) -> str:
        """Return the table's card in the reader's language."""
        key = (standing.table.number, standing.changed, language())
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = str(self._macros.card(shown(standing)))
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return made


def add_room(app: Flask, backend: Backend) -> None:
    """Add the room: /, /cards?of=1,2,3 and /events."""
    room, cards = backend.room, Cards(app)
    macros: Any = app.jinja_env.get_template("hub/_card.html").module
    streams = Streams(room, backend.streams)

    def sees_all() -> bool:
        return official_here(backend.people) is not None

    def summary(standings: tuple[Standing, ...]) -> str:
        return str(macros.summary(standings))

    summaries: dict[tuple[bool, str], tuple[int, str]] = {}

    def summarised(standings: tuple[Standing, ...], is_all: bool, spoken: str) -> str:
        """Return the summary in that language, rendered once for all streams that show the same."""
        number, said = summaries.get((is_all, spoken), (-1, ""))
        newest = max((each.changed for each in standings), default=0)
        key = newest * 10_000 + len(standings)
        if number != key:
            with speaking(app, spoken):
                said = summary(standings)
            summaries[is_all, spoken] = key, said
        return said

    @app.get("/")
    def room_page() -> str:
        standings = room.standings(sees_all())
        return render_template("hub/room.html", standings=standings, summary=summary(standings), beyond=room.version)

    @app.get("/cards")
    def some_cards() -> Response:
        asked = request.args.get("of", "")
        numbers = asked.split(",")
        if len(numbers) > MOST_CARDS or not all(map(_number, numbers)):
            raise BadInputError(f"of names up to {MOST_CARDS} tables by their numbers")
        wanted = set(map(_number, numbers))
        standings = [each for each in room.standings(sees_all()) if each.table.number in wanted]
        return jsonify(cards={each.table.number: cards.card(each) for each in standings})

    @app.get("/events")
    def events() -> Response:
        official = official_here(backend.people)
        token, spoken = "" if official is None else official.token, language()

        def news(beyond: int) -> dict[str, Any]:
            """Return what has changed since then, for the stream's reader, who sees less after signing out."""
            who = backend.people.official(token) if token else None
            standings = room.standings(who is not None)
            said = summarised(standings, who is not None, spoken)
            changed = [each.table.number for each in standings if each.changed > beyond]
            known = backend.halls.changes.items()
            halls = {number: last for number, (last, is_open) in known if is_open or (who and who.organises)}
            return {"changed": changed, "tables": len(standings), "summary": said, "tournaments": halls}

        is_gone = request.environ.get("waitress.client_disconnected", lambda: False)
        # A browser that reconnects by itself says what it heard last.
        beyond = _number(request.headers.get("Last-Event-ID") or request.args.get("beyond", ""))
        stream = streams.open(request.remote_addr or "", beyond, news, is_gone)
        if stream is None:
            return not_yet(_("Too many pages are open. This one will try again by itself."), 5)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return Response(stream, mimetype="text/event-stream", headers=headers)


def _number(word: str) -> int:
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 16 else 0


class Streams:
    """Opens streams, and refuses those over the limit. Any thread may call it."""

    def __init__(self, room: Room, most: int) -> None:
        self._room, self._places = room, Places(most, PER_ADDRESS)

    def open(self, address: str, beyond: int, news: News, is_gone: Callable[[], bool]) -> EventStream | None:
        """Return a stream of what changes after that number; None if there is no place for that address."""
        if not self._places.take(address):
            return None
        return EventStream(self._events(beyond, news, is_gone), lambda: self._places.give_back(address))

    def _events(self, beyond: int, news: News, is_gone: Callable[[], bool]) -> Iterator[bytes]:
        room = self._room
        yield b"retry: 2000\n\n"
        # A restarted hub counts from the beginning, so a page from before the restart receives everything.
        beyond, silent_s = (beyond if beyond <= room.version else 0), BEAT_S
        while not (room.is_closed or is_gone()):
            if room.wait_beyond(beyond, TELL_S):
                now = room.version
                yield b"id: %d\nevent: room\ndata: %b\n\n" % (now, json.dumps(news(beyond)).encode())
                beyond, silent_s = now, 0.0
                room.rest(TELL_S)
            elif (silent_s := silent_s + TELL_S) >= BEAT_S:
                silent_s = 0.0
                yield b"event: beat\ndata: 1\n\n"
