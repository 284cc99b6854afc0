"""What the settings choose: the game that is dealt, and where what happens is kept."""

from __future__ import annotations

from pathlib import Path

from companion.board import BadInputError
from companion.commands import StartGame
from companion.games import rule_set
from companion.games.contract import Player
from companion.logbook import data_folder
from companion.settings import Settings


def kept_in(settings: Settings) -> Path | None:
    """Return where the data are kept; None for a drawn table, of which nothing is kept."""
    named = settings.logbook.folder
    is_drawn = settings.camera.kind == "virtual"
    return None if is_drawn and not named else data_folder(Path(named) if named else None)


def game_of(settings: Settings) -> StartGame:
    """Return the game that the button deals; raises BadInputError where rules, seats and house rules do not fit."""
    game = settings.game
    players = tuple(Player(name, color) for name, color in game.players)
    # Only what differs from the default is in force, and recorded.
    house_rules: dict[str, object] = {"end": game.end} if game.end != "ever" else {}
    if game.first_days:
        house_rules["first_days"] = {color.value: days for color, days in game.first_days.items()}
    if game.hints:
        house_rules["hints"] = True
    # What is dealt does not matter yet: rules and seats must fit before anybody looks at the table.
    try:
        rule_set(game.rules).check(players, house_rules)
    except BadInputError as error:
        raise BadInputError(f"game: {error}") from None
    return StartGame(players, game.rules, house_rules)
