"""Players whose names were changed while their game was at no table: it goes on under the names of now."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from companion.board import BadInputError
from companion.commands import NamePlayers
from companion.logbook.archive import opened_archive
from companion.session import State


def called_now(folder: Path, state: State) -> NamePlayers | None:
    """Return what names the players of the logbook's newest game, which goes on from that state, as it calls them now.

    None where they are called so already, or where it cannot be read.
    """
    with suppress(BadInputError), opened_archive(folder) as archive:
        if state.game is not None and archive.count():
            players = archive.people.seated(archive.game("last").number, state.game.players)
            return None if players == state.game.players else NamePlayers(players)
    return None
