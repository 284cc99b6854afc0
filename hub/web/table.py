"""A table's page: its scoreboard now, and its rulings, with pictures that the table is asked for."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any

from flask import Flask, Response, abort, jsonify, render_template

from companion.web.bodies import answered, not_yet
from companion.web.languages import _, language
from companion.words import Voice
from hub.room import Standing
from hub.store.games import Ruling, Story, story
from hub.store.tables import told
from hub.web.backend import Backend
from hub.web.sessions import official_here
from hub.web.showing import shown

#: How long a table may take to send a picture, how many tables are asked at once, and how many pictures are kept.
PICTURE_S, AT_ONCE, MOST_KEPT = 5.0, 4, 32

#: How many lists of rulings are kept ready.
MOST_WRITTEN = 200

#: How soon a page may ask for a picture again if too many were requested.
AGAIN_S = 2


def add_table(app: Flask, backend: Backend) -> None:
    """Add /tables/7, the parts of it that change, and /tables/7/rulings/12.jpg."""
    macros: Any = app.jinja_env.get_template("hub/_table.html").module
    turns = threading.BoundedSemaphore(AT_ONCE)
    kept: dict[tuple[str, int, int], bytes] = {}

    def watched(number: int) -> Standing:
        standing = backend.room.standing(number, official_here(backend.people) is not None)
        if standing is None:
            abort(404, _("There is no such table, or it is not open to everybody."))
        return standing

    @lru_cache(maxsize=MOST_WRITTEN)
    def ruled(number: int, book: int, _last: int) -> frozenset[int]:
        """Return which events that table's page shows as rulings; pictures of other events are not available."""
        told_of = story(backend.store, number, book)
        return frozenset(() if told_of is None else (each.number for each in told_of.rulings))

    @lru_cache(maxsize=MOST_WRITTEN)
    def rulings(number: int, book: int, _last: int, _forgotten: int, _language: str) -> str:
        """Return the rulings, rendered once per language however many people look."""
        return str(macros.rulings(number, _said(story(backend.store, number, book))))

    def parts(standing: Standing) -> dict[str, str]:
        table, number = shown(standing), standing.table.number
        return {
            "state": str(macros.state(table)),
            "players": str(macros.players(table.snapshot)),
            "pieces": table.board(),
            "rulings": rulings(number, *told(backend.store, number), backend.room.forgotten, language()),
        }

    @app.get("/tables/<int:number>")
    def table_page(number: int) -> str:
        standing = watched(number)
        table = shown(standing)
        return render_template(
            "hub/table.html", table=table, number=number, parts=parts(standing), beyond=backend.room.version
        )

    @app.get("/tables/<int:number>/parts")
    def table_parts(number: int) -> Response:
        standing = watched(number)
        return jsonify(parts=parts(standing), view_box=shown(standing).view_box)

    @app.get("/tables/<int:number>/rulings/<int:event>.jpg")
    def picture(number: int, event: int) -> Response:
        table = watched(number).table
        book, last = told(backend.store, number)
        if event not in ruled(number, book, last):
            return answered(_("The table has no picture of this, or is not here."), 404)
        key = (table.id, book, event)
        jpeg = kept.get(key)
        if jpeg is None:
            if not turns.acquire(blocking=False):
                return not_yet(_("Too many pictures are asked for. Try again."), AGAIN_S)
            try:
                jpeg = backend.room.picture(table, event, PICTURE_S)
            finally:
                turns.release()
        if jpeg is None or not jpeg.startswith(b"\xff\xd8"):
            return answered(_("The table has no picture of this, or is not here."), 404)
        kept[key] = jpeg
        while len(kept) > MOST_KEPT:
            kept.pop(next(iter(kept)), None)
        return Response(jpeg, mimetype="image/jpeg")


def _said(told: Story | None) -> list[tuple[Ruling, str, list[str]]]:
    """Return each ruling with its kind, as pages mark it, and its sentences in the reader's language."""
    if told is None:
        return []
    voice = Voice(told.players, language(), told.rules)
    kinds = {"legal": "legal", "accepted": "legal", "illegal": "illegal"}
    return [(each, kinds.get(each.move.verdict, "ask"), list(voice.sentences(each.event))) for each in told.rulings]
