"""The game as it is dealt on the table that is played on: with the pieces that the table has taught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from calibration import TableFolder
from companion.board import BadInputError
from companion.commands import StartGame
from companion.session import State
from companion.setup.square_draft import sections_of
from companion.wiring.choices import game_on
from companion.wiring.unusable import UnusableTableError


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


def with_next(state: State, fits: Callable[[StartGame], StartGame]) -> State:
    """Return the state with its next game made one of this table; a game that goes on stays as it was dealt."""
    if state.game is None or not (state.position is None or state.position.over):
        return state
    return replace(state, game=fits(state.game))
