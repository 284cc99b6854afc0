"""The drawn table's page, where visitors lay tiles and merchants, press and hold its button, and reach over it.

POST /table/<what> with a small JSON body. The camera's next picture shows what was done, and nobody judges it before
the button is pressed.

| what | body | does |
| --- | --- | --- |
| lay | {"cell": "G7", "tile": {...}} | lays a tile on the cell, in the notation of companion.board.notation |
| take | {"cell": "G7"} | takes the tile off the cell |
| put, remove | {"cell": "G7", "color": "red"} | puts a merchant on the cell, takes one off |
| marker | {"color": "red", "day": 4} | moves a day-track marker; null takes it off the board |
| hand, lamp | {"on": true} | holds a hand over the board, switches another lamp on |
| press | | presses the table's button |
| button | {"on": true} | a finger goes down on the button, or up; repeated every second or two while it is down |
| rest, play | | lets the players rest, or go on |

Everybody who sees the page may do all this, as at a table that anybody can reach. Only the keeper decides on the
scoreboard, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

from flask import Flask, Response, jsonify, render_template

from companion import drawing
from companion.board import BARE, BadInputError, Color, HexCell, Reading, Tile
from companion.board.fields import flag, text
from companion.board.notation import LAST_FIELD, contents_from_json, tile_to_json
from companion.drawing.board import targets
from companion.web.backend import Backend
from companion.web.bodies import answered, sent
from companion.web.languages import _
from companion.web.parts import Renderer

Body = Mapping[str, Any]

#: The fields that each action's body may have, by the action's name, and the function that does it.
Doings = Mapping[str, tuple[Collection[str], Callable[[Body], None]]]


class Hands(Protocol):
    """What visitors do at a drawn table. Methods raise OSError before it is drawn."""

    @property
    def lies(self) -> Reading | None:
        """What is really on the table; None before it is drawn."""

    @property
    def is_paused(self) -> bool:
        """Whether the players rest."""

    @property
    def has_hand(self) -> bool:
        """Whether a visitor's hand is over the board."""

    @property
    def has_lamp(self) -> bool:
        """Whether the extra lamp is on."""

    press: Callable[[], object]

    def rest(self) -> None:
        """Let the players rest."""

    def play_on(self) -> None:
        """Let the players go on."""

    def hold(self, is_down: bool) -> None:
        """Put a finger on the button, or take it off."""

    def lay(self, cell: HexCell, tile: Tile) -> None:
        """Lay a tile."""

    def take(self, cell: HexCell) -> None:
        """Take a tile away."""

    def put(self, cell: HexCell, color: Color) -> None:
        """Put a merchant on the cell."""

    def remove(self, cell: HexCell, color: Color) -> None:
        """Take a merchant off the cell."""

    def move_marker(self, color: Color, day: int | None) -> None:
        """Move a day-track marker."""

    def cover(self, is_covered: bool) -> None:
        """Hold a hand over the board, or take it away."""

    def switch_lamp(self, is_on: bool) -> None:
        """Switch the extra lamp on or off."""


def add_hands(app: Flask, backend: Backend, hands: Hands, renderer: Renderer) -> None:
    """Add the drawn table's page, what is on it, and what visitors do."""

    @app.get("/table")
    def table() -> str:
        snapshot = backend.scoreboard.latest
        return render_template(
            "table.html",
            **renderer.page(snapshot),
            targets=targets(snapshot.board),
            lies=_lying(hands),
            players=[str(player.color) for player in snapshot.players] or [color.value for color in Color],
            days=range(LAST_FIELD + 1),
        )

    @app.get("/table/lies.json")
    def lies() -> Response:
        return jsonify(_lying(hands))

    doings = _doings(hands, backend)

    @app.post("/table/<what>")
    def do(what: str) -> Response:
        if what not in doings:
            known = ", ".join(doings)
            return answered(
                _("There is no action %(what)r here. There are: %(known)s.", what=what[:40], known=known), 404
            )
        fields, obey = doings[what]
        body = sent(fields, what)
        try:
            obey(body)
        except OSError:
            return answered(_("The table is still being drawn. Try again in a moment."), 503)
        return answered("", 202)


def _doings(hands: Hands, backend: Backend) -> Doings:
    """Return what can be done."""

    def cell(body: Body) -> HexCell:
        place = backend.scoreboard.latest.board.cell(text(body, "cell", "a cell's name, such as G7").upper())
        assert isinstance(place, HexCell), "visitors touch tables of La Strada alone"
        return place

    def lay(body: Body) -> None:
        place = cell(body)
        contents = contents_from_json({"tile": body.get("tile"), "merchants": {}}, f"cell {place}")
        if contents.tile is None:
            raise BadInputError(f"cell {place}: tile is {body.get('tile')!r:.40}; it should be a tile, such as a road")
        hands.lay(place, contents.tile)

    def button(body: Body) -> None:
        hands.rest()
        hands.hold(flag(body, "on"))

    def press(body: Body) -> None:
        hands.rest()
        hands.press()

    return {
        "lay": ({"cell", "tile"}, lay),
        "take": ({"cell"}, lambda body: hands.take(cell(body))),
        "put": ({"cell", "color"}, lambda body: hands.put(cell(body), _color(body))),
        "remove": ({"cell", "color"}, lambda body: hands.remove(cell(body), _color(body))),
        "marker": ({"color", "day"}, lambda body: hands.move_marker(_color(body), _day(body))),
        "hand": ({"on"}, lambda body: hands.cover(flag(body, "on"))),
        "lamp": ({"on"}, lambda body: hands.switch_lamp(flag(body, "on"))),
        "press": ((), press),
        "button": ({"on"}, button),
        "rest": ((), lambda body: hands.rest()),
        "play": ((), lambda body: hands.play_on()),
    }


def _color(body: Body) -> Color:
    value = body.get("color")
    if value not in list(Color):
        raise BadInputError(f"color is {value!r:.40}; it should be one of {', '.join(Color)}")
    return Color(value)


def _day(body: Body) -> int | None:
    value = body.get("day")
    if value is not None and (type(value) is not int or not 0 <= value <= LAST_FIELD):
        raise BadInputError(f"day is {value!r:.40}; it should be a whole number from 0 to {LAST_FIELD}, or null")
    return value


def _lying(hands: Hands) -> dict[str, Any]:
    """Return what the page shows of the table, as markup and plain values."""
    lies = hands.lies
    about = {"is_paused": hands.is_paused, "has_hand": hands.has_hand, "has_lamp": hands.has_lamp}
    if lies is None:
        return {**about, "ground": "", "pieces": "", "days": {}, "cells": {}}
    contents = {cell: read.contents for cell, read in lies.cells.items() if read.contents != BARE}
    return {
        **about,
        "ground": drawing.ground(lies.board, {cell: read.terrain for cell, read in lies.cells.items() if read.terrain}),
        "pieces": drawing.pieces(contents),
        "days": {str(color): day for color, day in lies.tracks.items()},
        "cells": {
            str(cell): {
                "tile": tile_to_json(lying.tile),
                "merchants": {color.value: count for color, count in lying.merchants.counts.items() if count},
            }
            for cell, lying in contents.items()
        },
    }
