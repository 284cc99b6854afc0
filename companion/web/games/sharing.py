"""How a result is handed on: to BG Stats by its link, by the page's own address, and as a film.

Or as a download: a game record, a ZIP with its pictures, and the final board as a picture.

BG Stats' link is documented at https://www.bgstatsapp.com/support/push-plays-to-bg-stats-from-other-apps-or-websites/:
a play as URL-encoded JSON, with `playDate` for when it ended, in UTC. Strada sends nothing: the browser of whoever taps
the link goes there, or the app opens.

The browser that wants a film makes it from the drawings of the steps. This costs the machine no more than looking at
the steps does, and whoever wants a film waits only for their own device.
"""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from flask import Flask, Response, abort, send_file

from companion.board import BadInputError
from companion.games import RULE_SETS
from companion.games.la_strada import STANDARD
from companion.logbook.archive import LoggedGame, Seat, Story, StoryStep
from companion.records.giving import name_of, record_of, write_zip
from companion.records.picture import draw_moment, draw_result
from companion.web.games.shelf import DRAWN, NUMBER, Shelf
from companion.web.games.telling import day, minutes, moment, outcome, pieces_of, rules_name, said
from companion.web.games.turning import COUNTS
from companion.web.keepers import Keepers
from companion.web.languages import _, language
from companion.web.pieces import GAME_NAMES
from companion.web.sessions import the_keeper
from companion.words.speech import Speech

BG_STATS = "https://app.bgstatsapp.com/createPlay.html?data="


def bg_stats_link(game: LoggedGame) -> str | None:
    """Return the link that makes a play of the game in BG Stats; None while it is being played.

    The app refuses a play that lacks any yes-or-no field, so all of these are given.
    """
    if game.outcome not in ("over", "early"):
        return None
    ended = moment(game.ended)
    # Older logbooks may hold rules that no longer exist; La Strada was the only game then.
    played = RULE_SETS.get(game.rules, STANDARD).game
    play = {
        "sourceName": "Strada",
        "sourcePlayId": f"strada-{game.number}-{game.began}",
        "playDate": "" if ended is None else f"{ended.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        "durationMin": minutes(game) or 0,
        "board": rules_name(game.rules),
        "game": {"name": GAME_NAMES[played], "sourceGameId": played, "highestWins": True, "noPoints": False},
        "players": [_player(game, seat, number) for number, seat in enumerate(game.seats)],
    }
    return BG_STATS + quote(json.dumps(play, ensure_ascii=False).encode("utf-8", "replace"), safe="")


def shared_address(asked: str, network: str) -> str:
    """Return the address to hand on, without a final slash: the one requested, unless it works only on this machine.

    >>> shared_address("http://127.0.0.1:8000/", "http://192.168.1.7:8000/")
    'http://192.168.1.7:8000'
    """
    return (network if network and is_only_here(asked) else asked).rstrip("/")


def is_only_here(address: str) -> bool:
    """Return whether an address leads nowhere from other devices: a loopback one."""
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


#: The most pictures that a film has.
MOST = 120


def add_film(app: Flask, shelf: Shelf) -> None:
    """Add the drawings of the steps; all drawings of one game have the same size."""

    @app.get(f"/games/<{NUMBER}:number>/steps/<int(max=99999):index>.svg")
    def step_drawing(number: int, index: int) -> Response:
        with shelf.told(number) as (_archive, game, story):
            step = story.steps[min(index, len(story.steps) - 1)]
        headline = said(step, game.rules)[0]
        picture = draw_moment(step.position, pieces_of(step), Speech(language=language()), headline, note_of(game))
        return Response(picture, mimetype="image/svg+xml", headers={"Content-Security-Policy": DRAWING_POLICY})


def film_of(steps: Sequence[StoryStep]) -> tuple[int, ...]:
    """Return the steps that a film shows: the deal, what counted and was not undone, and the latest state.

    If there are more than MOST, it shows an even selection.
    """
    last = len(steps) - 1
    counting = [index for index, step in enumerate(steps) if step.kind in COUNTS and not step.is_undone]
    shown = sorted({0, *counting, last})
    if len(shown) <= MOST:
        return tuple(shown)
    return tuple(dict.fromkeys(shown[round(at * (len(shown) - 1) / (MOST - 1))] for at in range(MOST)))


#: A drawing that is opened by itself runs nothing and loads nothing; its style is part of it.
DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

#: A ZIP larger than this is written to disk while it is packed. The next one waits this long for its turn.
IN_MEMORY_BYTES, WAIT_S = 2 * 1024**2, 10.0


def add_giving(app: Flask, shelf: Shelf, keepers: Keepers) -> None:
    """Add a game's downloads. Its whole pictures, which show who sat there, are for keepers only."""
    packing = threading.Lock()

    @app.get(f"/games/<{NUMBER}:number>/record.json")
    def game_record(number: int) -> Response:
        with shelf.opened() as archive:
            game = shelf.game(archive, number)
            try:
                text = record_of(archive, game)
            except BadInputError:
                abort(404, _("Part of this game was lost, so there is no complete record of it."))
        return Response(text, mimetype="application/json", headers=_named(f"strada-{name_of(game)}.json"))

    @app.get(f"/games/<{NUMBER}:number>/game.zip")
    def game_zip(number: int) -> Response:
        if not packing.acquire(timeout=WAIT_S):
            abort(503, _("Another game is being packed. Try again in a moment."))
        packed = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115  (closed by who sends it)
        try:
            with shelf.opened() as archive:
                game = shelf.game(archive, number)
                if game.place != DRAWN:
                    the_keeper(keepers)
                try:
                    write_zip(archive, game, packed)
                except BadInputError:
                    abort(404, _("Part of this game was lost, so it cannot be packed."))
        except BaseException:
            packed.close()
            raise
        finally:
            packing.release()
        packed.seek(0)
        name = f"strada-{name_of(game)}.zip"
        return send_file(packed, "application/zip", as_attachment=True, download_name=name)

    @app.get("/games/backup.zip")
    def backup() -> Response:
        the_keeper(keepers)
        if not packing.acquire(timeout=WAIT_S):
            abort(503, _("Another game is being packed. Try again in a moment."))
        with ExitStack() as stack:
            stack.callback(packing.release)
            name = f"strada-{datetime.now(UTC):%Y-%m-%d}.zip"
            answer = Response(shelf.packed(stack), mimetype="application/zip", headers=_named(name))
            answer.call_on_close(stack.pop_all().close)
        return answer

    @app.get(f"/games/<{NUMBER}:number>/board.svg")
    def game_board(number: int) -> Response:
        with shelf.told(number) as (_archive, game, story):
            position = story.steps[-1].position
        picture = draw_result(position, Speech(language=language()), _headline(game, story), note_of(game))
        return Response(picture, mimetype="image/svg+xml", headers={"Content-Security-Policy": DRAWING_POLICY})


def note_of(game: LoggedGame) -> str:
    """Return what is written below the headline of a game's drawings: which rules it was played by, and when."""
    return f"{rules_name(game.rules)} · {day(game.began)}"


def _headline(game: LoggedGame, story: Story) -> str:
    last = story.steps[-1]
    if last.kind == "over":
        return said(last, game.rules)[0]
    return f"{_('Game %(number)s', number=game.number)}: {outcome(game)}"


def _named(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
