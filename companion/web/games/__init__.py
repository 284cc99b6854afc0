"""The pages of the games that were played: lists, replays, rulings, statistics, and what is handed on of them."""

from companion.web.games.pages import add_games

__all__ = ["add_games"]
