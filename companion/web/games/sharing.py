"""A result handed on: to BG Stats by its link, by the page's own address, and as a film.

BG Stats' link is documented at https://www.bgstatsapp.com/support/push-plays-to-bg-stats-from-other-apps-or-websites/:
a play as URL-encoded JSON, `playDate` being when it ended, in UTC. Nothing is sent by us: the browser of whoever taps
the link goes there, or the app opens.

A film is made of its steps' drawings by the browser that wants one: it costs this machine no more than looking at the
steps does, and whoever wants a film waits for their own device.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC
from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from flask import Flask, Response

from companion.games import RULE_SETS
from companion.games.la_strada import STANDARD
from companion.logbook.archive import LoggedGame, Seat, StoryStep
from companion.records.picture import draw_moment
from companion.web.games.giving import DRAWING_POLICY, note_of
from companion.web.games.shelf import NUMBER, Shelf
from companion.web.games.telling import minutes, moment, pieces_of, rules_name, said
from companion.web.games.turning import COUNTS
from companion.web.languages import language
from companion.words.speech import Speech

BG_STATS = "https://app.bgstatsapp.com/createPlay.html?data="


#: Games as BG Stats knows them, by the `game` of a record.
_NAMES = {"la-strada": "La Strada", "silk-road": "Silk Road"}


def bg_stats_link(game: LoggedGame) -> str | None:
    """Return the link that makes a play of the game in BG Stats; None while it is played.

    Its app refuses a play that lacks a field which says yes or no, so all of these are given.
    """
    if game.outcome not in ("over", "early"):
        return None
    ended = moment(game.ended)
    # Older logbooks may hold rules that are no more; La Strada was all there was then.
    played = RULE_SETS.get(game.rules, STANDARD).game
    play = {
        "sourceName": "Strada",
        "sourcePlayId": f"strada-{game.number}-{game.began}",
        "playDate": "" if ended is None else f"{ended.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        "durationMin": minutes(game) or 0,
        "board": rules_name(game.rules),
        "game": {"name": _NAMES[played], "sourceGameId": played, "highestWins": True, "noPoints": False},
        "players": [_player(game, seat, number) for number, seat in enumerate(game.seats)],
    }
    return BG_STATS + quote(json.dumps(play, ensure_ascii=False).encode("utf-8", "replace"), safe="")


def shared_address(asked: str, network: str) -> str:
    """Return the address to hand on, without a slash at its end: the one asked for, unless only this machine knows it.

    >>> shared_address("http://127.0.0.1:8000/", "http://192.168.1.7:8000/")
    'http://192.168.1.7:8000'
    """
    return (network if network and is_only_here(asked) else asked).rstrip("/")


def is_only_here(address: str) -> bool:
    """Whether an address leads nowhere from other devices: a loopback one."""
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _player(game: LoggedGame, seat: Seat, number: int) -> dict[str, object]:
    gold = seat.gold or 0
    better = sum(1 for other in game.seats if (other.won or 0, other.gold or 0) > (seat.won or 0, gold))
    return {
        "name": seat.name,
        "sourcePlayerId": seat.name.strip().casefold(),
        "startPlayer": number == 0,
        "winner": bool(seat.won),
        "score": gold,
        "rank": better + 1,
        "role": str(seat.color),
    }


#: A film has so many pictures at the most.
MOST = 120


def add_film(app: Flask, shelf: Shelf) -> None:
    """Add the drawings of the steps, all of a game of one size."""

    @app.get(f"/games/<{NUMBER}:number>/steps/<int(max=99999):index>.svg")
    def step_drawing(number: int, index: int) -> Response:
        with shelf.told(number) as (_archive, game, story):
            step = story.steps[min(index, len(story.steps) - 1)]
        headline = said(step, game.rules)[0]
        picture = draw_moment(step.position, pieces_of(step), Speech(language=language()), headline, note_of(game))
        return Response(picture, mimetype="image/svg+xml", headers={"Content-Security-Policy": DRAWING_POLICY})


def film_of(steps: Sequence[StoryStep]) -> tuple[int, ...]:
    """Return the steps that a film shows: the deal, what counted and was not taken back, and how the game stands last.

    Of more than MOST it shows some, evenly.
    """
    last = len(steps) - 1
    found = [index for index, step in enumerate(steps) if step.kind in COUNTS and not step.is_undone]
    shown = sorted({0, *found, last})
    if len(shown) <= MOST:
        return tuple(shown)
    return tuple(dict.fromkeys(shown[round(at * (len(shown) - 1) / (MOST - 1))] for at in range(MOST)))
