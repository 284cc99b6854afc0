"""What the pages of the games call things, in the reader's language."""

from __future__ import annotations

from datetime import datetime

from babel.dates import format_date, format_time

from companion.logbook.archive import LoggedGame
from companion.web.languages import _, language
from companion.words.rules import Rulebook


def rules_name(rules: str) -> str:
    """Return what a set of rules is called."""
    return Rulebook(rules, language()).name


def outcome(game: LoggedGame) -> str:
    """Return how the game stands."""
    words = {
        "playing": _("in progress"),
        "over": _("finished"),
        "early": _("ended early"),
        "left": _("left unfinished"),
    }
    return words.get(game.outcome, game.outcome)


def moment(at: str | None) -> datetime | None:
    """Return a time of the logbook as this machine's clock had it; None for none that can be read."""
    try:
        return None if not at else datetime.fromisoformat(at).astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def day(at: str | None) -> str:
    """Return the date and the hour."""
    when = moment(at)
    if when is None:
        return ""
    return f"{format_date(when, 'medium', language())}, {format_time(when, 'short', locale=language())}"


def hour(at: str | None) -> str:
    """Return the time of day alone, to the second."""
    when = moment(at)
    return "" if when is None else str(format_time(when, "medium", locale=language()))


def minutes(game: LoggedGame) -> int | None:
    """Return how long a game took, in minutes; None while it is played."""
    began, ended = moment(game.began), moment(game.ended)
    return None if began is None or ended is None else max(0, round((ended - began).total_seconds() / 60))
