"""What the pages call colours, terrains and settlements, in the reader's language, and how players and tiles look."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flask import Flask

from companion import drawing
from companion.board import Color, Contents, HexCell, PlayerColor, SettlementType, SquareBoard, Terrain, Tile
from companion.web.languages import language, said
from companion.words.pieces import BOXES, TERRAINS
from companion.words.speech import Speech, alone


def add_pieces(app: Flask) -> None:
    """Tell templates the `colors`, `terrains` and `settlements`: pairs of what each is and what it is called.

    Beside them `looks(players)`, each colour's look, and `tile(tile, looks)`, its drawing round 0, 0.
    """
    app.jinja_env.globals.update(looks=looks, look_of=drawing.look_of, tile=tile_drawing, is_square=is_square)

    @app.context_processor
    def pieces() -> dict[str, Any]:
        return {
            "colors": [(color.value, color_name(color)) for color in Color],
            "terrains": _terrains(),
            "settlements": _settlements(),
        }


def looks(players: Iterable[Any]) -> drawing.Looks:
    """Return the looks of those players, in seat order: each has a `color`."""
    return drawing.looks_of(tuple(player.color for player in players))


def tile_drawing(tile: Tile, found: drawing.Looks | None = None) -> str:
    """Return a tile drawn round 0, 0."""
    return drawing.pieces({HexCell(0, 0): Contents(tile)}, found)


def color_name(color: PlayerColor) -> str:
    """Return what a colour is called; one that a table has named itself is called so."""
    return Speech(language=language()).name(color)


def is_square(board: object) -> bool:
    """Whether the board's cells are squares."""
    return isinstance(board, SquareBoard)


def _terrains() -> list[tuple[str, str]]:
    return [(terrain.value, alone(said(TERRAINS[terrain]))) for terrain in Terrain]


def _settlements() -> list[tuple[str, str]]:
    return [(kind.value, alone(said(BOXES[kind]))) for kind in SettlementType]
