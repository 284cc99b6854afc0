"""What the settings choose: the game that is dealt, where what happens is kept, and the settings themselves.

Settings that ran soundly are kept, and gone on with where their file cannot be used any more. A file is damaged by a
power cut while it was written, or by a slip of whoever changed it; at a table without a keyboard a game with the
settings of last time is better than none. On a terminal, without `--last-good`, it is refused.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from companion.board import BadInputError
from companion.commands import StartGame
from companion.games import RULE_SETS, rule_set
from companion.games.contract import Player, unnamed
from companion.logbook import data_folder
from companion.settings import GameSettings, Settings, check_named, check_whole, for_log, load_settings
from companion.system.durable import write_whole

#: What people are told while the last good settings are in force: a code of TROUBLES.
DAMAGED = "settings"

#: Who plays at the drawn table.
MADE_UP = ("Ada", "Bo", "Cy", "Dee")

_log = logging.getLogger(__name__)


def kept_in(settings: Settings) -> Path | None:
    """Return where the data are kept; None for a drawn table, of which nothing is kept."""
    named = settings.logbook.folder
    is_drawn = settings.camera.kind == "virtual"
    return None if is_drawn and not named else data_folder(Path(named) if named else None)


def _made_up(player: Player, name: str) -> Player:
    """Return the player of a drawn table, who is made up like it, unless the settings name them."""
    return player if player.is_named else replace(player, name=name)


def game_of(settings: Settings) -> StartGame:
    """Return the game that the button deals; raises BadInputError where rules, seats and house rules do not fit."""
    game = settings.game
    players = tuple(Player(name, color) for name, color in game.players)
    if settings.camera.kind == "virtual":
        players = tuple(map(_made_up, players, MADE_UP))
    # What is dealt does not matter yet: rules and seats must fit before anybody looks at the table.
    try:
        rules = rule_set(game.rules)
        rules.check(players, game.house_rules)
    except BadInputError as error:
        raise BadInputError(for_log(f"game: {error}", game.players)) from None
    return StartGame(players, game.rules, rules.in_force(game.house_rules))


def seated(game: GameSettings) -> GameSettings:
    """Return the game with as many players as it has seats where nobody is named; players named in a file all stay.

    They are called by their colours.
    """
    rules, default = RULE_SETS.get(game.rules), GameSettings().players
    if game.players is not default or rules is None:
        return game
    usual = tuple(color for _, color in default)
    colors = usual if set(usual) <= set(rules.colors) else rules.colors
    players = tuple((unnamed(color).name, color) for _, color in zip(default, colors, strict=False))
    return replace(game, players=players[: max(rules.seats)])


@dataclass(frozen=True, slots=True)
class ChosenSettings:
    """The settings in force, what people are warned of (codes of TROUBLES), and what to call once they ran soundly.

    `asks`: nothing says how to run.
    """

    settings: Settings
    warnings: tuple[str, ...] = ()
    keep: Callable[[], None] = lambda: None
    asks: bool = False


def choose_settings(
    path: Path | None, last_good: Path | None, changed: Callable[[Settings], Settings]
) -> ChosenSettings:
    """Return the file's settings as `changed` has them; where they cannot be used, those that are kept in `last_good`.

    `changed` puts the command line's options in, and raises BadInputError where the settings do not go together. The
    error is raised again where `last_good` is None, or holds none that can be used either, nor does the copy before it.
    What a power cut left of a file may be settings too: it counts as damaged where more was kept (`check_whole`).
    """
    if last_good is None:
        return ChosenSettings(changed(load_settings(path)))

    def usable(file: Path) -> Settings:
        settings = changed(load_settings(file))
        try:
            check_named(settings)
            game_of(settings)
        except BadInputError as error:
            raise BadInputError(f"{file}: {error}") from None
        return settings

    if path is None:
        raise BadInputError("--last-good goes with --settings, whose settings it keeps; name that file too")
    try:
        settings, text = usable(path), path.read_bytes()
        check_whole(path, last_good)
    except BadInputError as error:
        for copy in (last_good, before_last(last_good)):
            with suppress(BadInputError):
                kept = usable(copy)
                _log.warning("%s; the last good settings are in use: %s", error, copy)
                return ChosenSettings(kept, (DAMAGED,))
        raise
    return ChosenSettings(settings, keep=lambda: _keep(text, last_good))


def before_last(last_good: Path) -> Path:
    """Return where those settings are kept that were good before the last good ones."""
    return last_good.with_stem(f"{last_good.stem}.before")


def _keep(text: bytes, last_good: Path) -> None:
    """Keep these settings, whole or not at all, and those before; what is kept already is not written again."""
    try:
        is_known = last_good.is_file()
        if is_known and last_good.read_bytes() == text:
            return
        if is_known:
            write_whole(before_last(last_good), last_good.read_bytes())
        write_whole(last_good, text)
    except OSError as error:
        _log.warning("%s cannot be written (%s): these settings are not kept", last_good, error.strerror)
