"""What a press means where no game is on: it deals, and after a game only once its board was cleared."""

from __future__ import annotations

from dataclasses import replace

from companion.board import PLAYERS_TILES, Reading
from companion.commands import Done, StartGame
from companion.games.contract import Position
from companion.service.button import Asked


def meant(asked: Asked, position: Position | None, reading: Reading, game: StartGame) -> Asked:
    """Return what is meant by that at this position: a press deals that game where none is on."""
    if not isinstance(asked.command, Done):
        return asked
    if position is None or (position.over and not _has_pieces(reading)):
        return replace(asked, command=game, is_press=True)
    return asked


def _has_pieces(reading: Reading) -> bool:
    """Whether anything that players lay is seen on the board."""
    return any(
        isinstance(read.contents.tile, PLAYERS_TILES) or read.contents.merchants
        for cell, read in reading.cells.items()
        if cell not in reading.abstained
    )
