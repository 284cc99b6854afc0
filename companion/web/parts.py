"""The parts of the page that change with the snapshot, as markup, by the id of the element that holds them."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask

from companion import drawing
from companion.board import PlayerColor
from companion.drawing.board import targets
from companion.drawing.overlays import hints
from companion.logbook.people import PersonChose
from companion.scoreboard import Lamps, Snapshot
from companion.web.ceremony import Ceremonies
from companion.web.guide import Guide
from companion.web.languages import _, speaking
from companion.web.languages import language as spoken
from companion.web.people import TUNES
from companion.web.pieces import called, looks

#: Parts that only keepers are sent, and parts that are sent only to pages that ask for them.
FOR_KEEPERS = frozenset({"decisions", "cells", "again", "asked"})
ON_REQUEST = frozenset({"cells", "course", "pin"})

#: How many of the latest renderings are kept, so that a page which has just loaded is sent only what is newer.
MOST_KEPT = 16


def withheld(is_keeper: bool, wanted: Collection[str] = ()) -> frozenset[str]:
    """Return the parts not to be sent to somebody who wants the `wanted` ones besides those that everybody gets."""
    return (ON_REQUEST - set(wanted)) | (frozenset() if is_keeper else FOR_KEEPERS)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A snapshot in one language: the markup of every part, which snapshot it is, and what else a page receives."""

    number: int
    language: str
    parts: Mapping[str, str]
    view_box: str
    picture: int
    title: str


class Renderer:
    """Renders snapshots, once per language however many people watch, and what is new in them. Any thread may call it.

    `best` gives the best earlier total of those who play together, None if there is none. `choices` are what those at
    the table chose for themselves, by name.
    """

    def __init__(
        self,
        app: Flask,
        best: Callable[[Snapshot], int | None] = lambda snapshot: None,
        choices: Callable[[Snapshot], Mapping[str, PersonChose]] = lambda snapshot: {},
    ) -> None:
        self._best, self._choices = best, choices
        self._app, self._run = app, secrets.token_hex(4)
        self._macros: Any = app.jinja_env.get_template("_fragments.html").module
        self._wishes: Any = app.jinja_env.get_template("_wish.html").module
        self._guide, self._ceremonies = Guide(app), Ceremonies(app)
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, str], Rendered] = {}
        self._news: dict[tuple[int, int, str, frozenset[str]], bytes] = {}

    def page(self, snapshot: Snapshot) -> dict[str, object]:
        """Return what a page's template needs of the snapshot, in the reader's language."""
        shown = self.rendered(snapshot, spoken())
        return {"fragments": shown.parts, "view_box": shown.view_box}

    def rendered(self, snapshot: Snapshot, language: str = "en") -> Rendered:
        """Return the snapshot as that language's pages show it.

        If it is already rendered, nobody waits for a lock: a hundred streams that wake at once would queue for it.
        """
        key = (snapshot.number, language)
        if (kept := self._kept.get(key)) is not None:
            return kept
        with self._lock:
            if key not in self._kept:
                with speaking(self._app, language):
                    said = snapshot.in_language(language)
                    parts, view_box = self._render(said), drawing.view_box(said.board)
                rendered = Rendered(snapshot.number, language, parts, view_box, said.eye.picture, title(said))
                if len(self._kept) == MOST_KEPT:
                    del self._kept[next(iter(self._kept))]
                self._kept[key] = rendered
            return self._kept[key]

    def name(self, number: int) -> str:
        """Return a page's name for the snapshot that it was rendered with; other runs use other names."""
        return f"{self._run}-{number}"

    def recalled(self, name: str, language: str) -> Rendered | None:
        """Return what a page was rendered with a moment ago, by its name; None if that is not kept, or never was."""
        run, _, number = name.partition("-")
        return (
            self._kept.get((int(number), language))
            if run == self._run and number.isdecimal() and len(number) < 20
            else None
        )

    def news(self, before: Rendered | None, now: Rendered, without: frozenset[str] = frozenset()) -> bytes:
        """Return the event, as JSON, that updates a page which knows `before`, or nothing if that is None.

        It is written once for all who know the same and are not to see the same.
        """
        key = (now.number, -1 if before is None else before.number, now.language, without)
        if (kept := self._news.get(key)) is not None:
            return kept
        with self._lock:
            if key not in self._news:
                if any(number != now.number for number, *_ in self._news):
                    self._news = {}
                self._news[key] = _news(before, now, without)
            return self._news[key]

    def _render(self, snapshot: Snapshot) -> Mapping[str, str]:
        alone = ("turn", "clock", "outlook", "warning", "notice", "decisions", "players", "eye", "pin")
        return {
            **{name: str(getattr(self._macros, name)(snapshot)) for name in alone},
            "wealth": str(self._macros.wealth(snapshot, self._best(snapshot))),
            "lamps": self._lamps(snapshot),
            "wish": str(self._wishes.wish(snapshot)),
            "asked": str(self._wishes.asked(snapshot)),
            "ground": drawing.ground(snapshot.board, snapshot.terrain),
            "pieces": _pieces(snapshot),
            "lines": drawing.lines(snapshot.lines, snapshot.board, looks(snapshot.players)),
            "hints": hints(snapshot.hints),
            "cells": targets(snapshot.board),
            "course": _course(snapshot),
            **self._guide.parts(snapshot),
            **self._ceremonies.parts(snapshot),
        }

    def _lamps(self, snapshot: Snapshot) -> str:
        """Return the lamps with what screens play and say; those who chose another language hear it in that one."""
        choices, page = self._choices(snapshot), spoken()
        chose = {line.color: choices[line.name] for line in snapshot.players if line.name in choices}
        turn = chose.get(snapshot.next) if snapshot.next is not None else None
        tune = TUNES.get(turn.tune, ()) if turn else ()
        told = {"turn": snapshot.next, "notice": _told(snapshot)}
        others = {
            part: chose[color].language
            for part, color in told.items()
            if color in chose and chose[color].language not in ("", page)
        }
        saying = []
        for part, language in others.items():
            with speaking(self._app, language):
                saying.append((part, language, str(getattr(self._macros, part)(snapshot.in_language(language)))))
        return str(self._macros.lamps(snapshot, *_cue(snapshot.lamps), json.dumps(tune), saying))


def _news(before: Rendered | None, now: Rendered, without: frozenset[str]) -> bytes:
    old: Mapping[str, str] = {} if before is None else before.parts
    told: dict[str, Any] = {
        "parts": {name: it for name, it in now.parts.items() if name not in without and old.get(name) != it},
        "picture": now.picture,
        "title": now.title,
    }
    if "ground" in told["parts"]:
        told["view_box"] = now.view_box
    return json.dumps(told).encode()


def title(snapshot: Snapshot) -> str:
    """Return the title for the browser's tab: whose turn it is."""
    names = [called(player) for player in snapshot.players if player.is_next]
    return f"{names[0]} · Strada" if names else "Strada"


def _pieces(snapshot: Snapshot) -> str:
    notice = snapshot.notice
    named = notice.cells if notice else frozenset()
    last = drawing.marks(snapshot.changed - named, "last")
    said = drawing.marks(named, notice.kind) if notice else ""
    styles = looks(snapshot.players)
    laid = drawing.laid(snapshot.laid, styles)
    return drawing.pieces(snapshot.contents, styles) + last + laid + said


def _told(snapshot: Snapshot) -> PlayerColor | None:
    """Return whom the notice is for: the player who has just moved, or must move again. None if it is for nobody."""
    kind = snapshot.notice.kind if snapshot.notice else ""
    if kind == "legal":
        return snapshot.course[-1].player if snapshot.course else None
    return snapshot.next if kind in ("illegal", "ask") else None


def _course(snapshot: Snapshot) -> str:
    """Return the graph of the game so far, between two turns; nothing otherwise."""
    if not snapshot.is_between_turns:
        return ""
    _first, *turns = snapshot.course
    days = {
        player.color: [turn.days[player.color] for turn in turns if turn.player == player.color and turn.days]
        for player in snapshot.players
    }
    is_wealth = snapshot.players[0].earned == "wealth"
    titles = (_("Wealth, turn by turn") if is_wealth else _("Gold, turn by turn"), _("Days left"))
    return drawing.course_plot([stand.gold for stand in snapshot.course], days, titles, looks(snapshot.players))


def _cue(lamps: Lamps) -> tuple[str, str]:
    """Return the last cue's light and tune as the JSON that the page's script plays."""
    if lamps.cue is None:
        return "[]", "[]"
    light = [["#" + "".join(f"{round(255 * part):02x}" for part in f.colour), f.seconds] for f in lamps.cue.light]
    return json.dumps(light), json.dumps([[note.hz, note.seconds] for note in lamps.cue.tune])
