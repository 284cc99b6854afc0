"""The pages of the games that were played: lists, replays, rulings, statistics, and ways to share them."""

from companion.web.games.pages import LAST_GAME, add_games
from companion.web.games.showme import LATEST_RULING

__all__ = ["LAST_GAME", "LATEST_RULING", "add_games"]
