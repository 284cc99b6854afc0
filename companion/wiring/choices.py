"""What the settings choose: the game that is dealt, and where what happens is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from companion.board import BadInputError, Board, Section, player_color, section_to_json
from companion.commands import StartGame
from companion.games import GAMES, rule_set
from companion.games.contract import TAUGHT, Player
from companion.logbook import data_folder
from companion.settings import Settings, for_log


def kept_in(settings: Settings) -> Path | None:
    """Return where the data are kept; None for a drawn table, of which nothing is kept."""
    named = settings.logbook.folder
    is_drawn = settings.camera.kind == "virtual"
    return None if is_drawn and not named else data_folder(Path(named) if named else None)


def game_of(settings: Settings) -> StartGame:
    """Return the game that the button deals; raises BadInputError where rules, seats and house rules do not fit."""
    game = settings.game
    players = tuple(Player(name, color) for name, color in game.players)
    # What is dealt does not matter yet: rules and seats must fit before anybody looks at the table.
    try:
        rules = rule_set(game.rules)
        rules.check(players, game.house_rules)
    except BadInputError as error:
        raise BadInputError(for_log(f"game: {error}", game.players)) from None
    return StartGame(players, game.rules, rules.in_force(game.house_rules))


def game_on(game: StartGame, board: Board, sections: Mapping[str, Sequence[Section]]) -> StartGame:
    """Return the game as it is dealt on that board, with the pieces that the table has taught.

    A game of another board gives way to the first that is played on this one. Players whose colours were not taught
    get taught ones that are free; with more players than colours, those at the end have no place. All colours' pieces
    are given, also those that nobody plays this time. Nothing taught, as on La Strada's board, leaves colours as they
    are.
    """
    if not isinstance(board, type(rule_set(game.rules).board)):
        fitting = (name for name in GAMES.values() if isinstance(board, type(rule_set(name).board)))
        rules = rule_set(next(fitting))
        players = _in_colors(game.players, list(sections) or list(rules.colors))
        game = StartGame(players, rules.name, {})
    chosen = {name: option for name, option in game.options.items() if name != TAUGHT}
    if not sections:
        return replace(game, options=chosen)
    players = _in_colors(game.players, list(sections))
    given = {color: [section_to_json(one) for one in each] for color, each in sections.items()}
    return StartGame(players, game.rules, {**chosen, TAUGHT: given})


def _in_colors(players: Sequence[Player], colors: Sequence[str]) -> tuple[Player, ...]:
    """Return the players, as many as there are colours, each in one of these: his own where it is among them."""
    seated = list(players[: len(colors)])
    own = [str(player.color) for player in seated]
    free = [color for color in colors if color not in own]
    return tuple(
        player if player.color in colors else Player(player.name, player_color(free.pop(0))) for player in seated
    )
