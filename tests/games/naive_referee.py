"""A second referee for La Strada's three rule sets, written from the texts alone: plain, slow, obvious.

It shares no code with the first referee, so a fault is unlikely to be in both. It only takes well-formed records.
"""

from typing import Any

from tests.games.naive_for_two import DangerGame, TwoPlayerGame
from tests.games.naive_game import Game

GAMES = {"standard": Game, "two-player": TwoPlayerGame, "danger": DangerGame}


def game_of(record: dict[str, Any]) -> Game:
    """The table before the first move of the record."""
    return GAMES[record["rules"]](record)


def played(record: dict[str, Any]) -> Game:
    """The table after the last move of the record."""
    game = game_of(record)
    for move in record["moves"]:
        game.move(move)
    return game


def referee(record: dict[str, Any]) -> dict[str, Any]:
    """What a referee prints about a record."""
    game = game_of(record)
    return game.account([game.move(move) for move in record["moves"]])
