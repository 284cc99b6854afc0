"""What the pages call colours, terrains and settlements, in the reader's language."""

from __future__ import annotations

from typing import Any

from flask import Flask

from companion.board import Color, SettlementType, Terrain
from companion.web.languages import _


def add_pieces(app: Flask) -> None:
    """Tell templates the `colors`, `terrains` and `settlements`: pairs of what each is and what it is called."""

    @app.context_processor
    def pieces() -> dict[str, Any]:
        return {"colors": _colors(), "terrains": _terrains(), "settlements": _settlements()}


def _colors() -> list[tuple[str, str]]:
    names = {Color.BLACK: _("Black"), Color.GREY: _("Grey"), Color.YELLOW: _("Yellow"), Color.RED: _("Red")}
    return [(color.value, names[color]) for color in Color]


def _terrains() -> list[tuple[str, str]]:
    names = {Terrain.PLAIN: _("Plain"), Terrain.FOREST: _("Forest"), Terrain.HILL: _("Hill")}
    return [(terrain.value, names[terrain]) for terrain in Terrain]


def _settlements() -> list[tuple[str, str]]:
    names = {
        SettlementType.CITY: _("City"),
        SettlementType.TOWN: _("Town"),
        SettlementType.VILLAGE: _("Village"),
        SettlementType.HAMLET: _("Hamlet"),
    }
    return [(kind.value, names[kind]) for kind in SettlementType]
