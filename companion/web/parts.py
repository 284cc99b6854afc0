"""The parts of the page that change with the snapshot, as markup by the id of the element that holds them."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Mapping
from typing import Any

from flask import Flask

from companion import drawing
from companion.drawing.hints import hints
from companion.drawing.targets import targets
from companion.scoreboard import Lamps, Snapshot
from companion.web.languages import speaking

#: Parts that keepers alone are sent, and parts that only those pages get that ask for them.
FOR_KEEPERS = frozenset({"decisions", "cells"})
ON_REQUEST = frozenset({"cells", "pin"})


def withheld(is_keeper: bool, wanted: Collection[str] = ()) -> frozenset[str]:
    """Return the parts that somebody is not sent who wants those beside what everybody sees."""
    return (ON_REQUEST - set(wanted)) | (frozenset() if is_keeper else FOR_KEEPERS)


class Painter:
    """Renders snapshots, each once a language however many watch. Any thread may call it."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._macros: Any = app.jinja_env.get_template("_fragments.html").module
        self._lock = threading.Lock()
        self._newest: tuple[Snapshot, dict[str, Mapping[str, str]]] | None = None

    def parts(self, snapshot: Snapshot, language: str = "en") -> Mapping[str, str]:
        """Return the markup of every part in that language."""
        with self._lock:
            if self._newest is None or self._newest[0] is not snapshot:
                self._newest = snapshot, {}
            painted = self._newest[1]
            if language not in painted:
                with speaking(self._app, language):
                    painted[language] = self._render(snapshot.in_language(language))
            return painted[language]

    def view_box(self, snapshot: Snapshot) -> str:
        """Return the board's SVG viewBox."""
        return drawing.view_box(snapshot.board)

    def _render(self, snapshot: Snapshot) -> Mapping[str, str]:
        light, tune = _cue(snapshot.lamps)
        return {
            "turn": str(self._macros.turn(snapshot)),
            "outlook": str(self._macros.outlook(snapshot)),
            "warning": str(self._macros.warning(snapshot)),
            "notice": str(self._macros.notice(snapshot)),
            "decisions": str(self._macros.decisions(snapshot)),
            "players": str(self._macros.players(snapshot)),
            "lamps": str(self._macros.lamps(snapshot, light, tune)),
            "eye": str(self._macros.eye(snapshot)),
            "ground": drawing.ground(snapshot.board, snapshot.terrain),
            "pieces": _pieces(snapshot),
            "hints": hints(snapshot.hints),
            "cells": targets(snapshot.board),
            "pin": str(self._macros.pin(snapshot)),
        }


def title(snapshot: Snapshot) -> str:
    """Return what the browser's tab says: whose turn it is."""
    names = [player.name for player in snapshot.players if player.is_next]
    return f"{names[0]} · Strada" if names else "Strada"


def _pieces(snapshot: Snapshot) -> str:
    notice = snapshot.notice
    said = drawing.marks(notice.cells, notice.kind) if notice else ""
    laid = drawing.laid(snapshot.laid)
    return drawing.pieces(snapshot.contents) + laid + said


def _cue(lamps: Lamps) -> tuple[str, str]:
    """Return the last cue's light and tune as the JSON that the page's script plays."""
    if lamps.cue is None:
        return "[]", "[]"
    light = [["#" + "".join(f"{round(255 * part):02x}" for part in f.colour), f.seconds] for f in lamps.cue.light]
    return json.dumps(light), json.dumps([[note.hz, note.seconds] for note in lamps.cue.tune])
