"""The game as it is dealt on the table that is played on: with the pieces that the table has taught."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from calibration import TableFolder
from companion.board import BadInputError, Board, Section, player_color, section_to_json
from companion.commands import StartGame
from companion.games import GAMES, rule_set
from companion.games.contract import TAUGHT, Player
from companion.session import State
from companion.setup import UnusableTableError
from companion.setup.square_draft import sections_of


def fitting(table: TableFolder | None) -> Callable[[StartGame], StartGame]:
    """Return what makes a game one that is dealt on that table, None for any; raises UnusableTableError for damage."""
    if table is None:
        return lambda game: game
    try:
        return partial(game_on, board=table.setup.board, sections=sections_of(table))
    except BadInputError as error:
        raise UnusableTableError(str(error)) from None


def lies_on(table: TableFolder | None, state: State) -> bool:
    """Whether the game was dealt on such a board as that table has; any was where there is no table."""
    return table is None or state.position is None or bool(state.position.ground.board == table.setup.board)


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
    """Return the players, as many as there are colours, each in one of these: their own where it is among them."""
    seated = list(players[: len(colors)])
    own = [str(player.color) for player in seated]
    free = [color for color in colors if color not in own]
    return tuple(
        player if player.color in colors else Player(player.name, player_color(free.pop(0))) for player in seated
    )
