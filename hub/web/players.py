"""Players across all tables: ratings, histories, seats and rules, for all games or a season's.

GET /players?season=2 is the list, and /players/one?name=Ada&season=2 is what somebody has played. Organisers see it,
and everybody else once an organiser opens it. Organisers POST /players/open, /seasons and /seasons/2/remove.
"""

from __future__ import annotations

import threading
from functools import lru_cache

from flask import Flask, Response, abort, render_template, request

from companion.board import BadInputError, player_color
from companion.board.fields import flag, text
from companion.web.bodies import answered, sent
from companion.web.languages import _, language
from companion.web.pieces import color_name
from companion.words.rules import Rulebook
from hub import seasons as kept
from hub.seasons import LEAST_GAMES, Season, SeasonStep, Span, season_of
from hub.store.forgetting import key_of
from hub.store.tables import MOST_NAME, enrolled
from hub.web.backend import Backend
from hub.web.sessions import organiser_here, the_organiser

#: How many computed seasons are kept, how many people are listed, and how many of somebody's games.
MOST_KEPT, MOST_PEOPLE, MOST_STEPS = 8, 500, 200


def add_players(app: Flask, backend: Backend) -> None:
    """Add these pages and decisions."""
    store, people = backend.store, backend.people
    lock = threading.Lock()

    def sees_players() -> bool:
        return organiser_here(people) is not None or kept.are_players_open(store)

    app.jinja_env.globals.update(rules_name=rules_name, sees_players=sees_players)
    app.jinja_env.filters.update(colour=colour)

    def chosen() -> tuple[Span | None, tuple[Span, ...]]:
        """Return the requested season (None: all games) and all seasons there are; 404 for those who may not look."""
        if not sees_players():
            abort(404, _("Players are not open to everybody."))
        asked, spans = request.args.get("season", ""), kept.spans(store)
        span = next((each for each in spans if str(each.number) == asked), None)
        if asked and span is None:
            abort(404, _("There is no such season."))
        return span, spans

    @lru_cache(maxsize=MOST_KEPT)
    def reckoned(span: Span | None, _mark: tuple[int, str, int], _forgotten: int) -> Season:
        return season_of(kept.games_in(store, span))

    def season(span: Span | None) -> Season:
        """Return a season, computed again only when a game has ended; one at a time, as that takes a moment."""
        with lock:
            return reckoned(span, kept.mark(store), backend.room.forgotten)

    @app.get("/players")
    def player_list() -> str:
        span, spans = chosen()
        return render_template(
            "hub/players.html", season=season(span), span=span, spans=spans,
            may_decide=organiser_here(people) is not None, is_open=kept.are_players_open(store),
            most_people=MOST_PEOPLE, most_name=MOST_NAME, least_games=LEAST_GAMES,
        )  # fmt: skip

    @app.get("/players/one")
    def player_page() -> str:
        span, _spans = chosen()
        shown = season(span)
        wanted = key_of(request.args.get("name", "")[:200])
        name = next((each for each in shown.steps if key_of(each) == wanted), None)
        if name is None:
            abort(404, _("Nobody of this name has finished a game in this season."))
        person = next((each for each in shown.people if each.name == name), None)
        steps: tuple[SeasonStep, ...] = shown.steps[name][: -MOST_STEPS - 1 : -1]
        tables = {table.number: table.name for table in enrolled(store)}
        return render_template(
            "hub/player.html", name=name, person=person, steps=steps, span=span, tables=tables,
            least_games=LEAST_GAMES, count=len(shown.steps[name]), course=course(shown.steps[name]),
        )  # fmt: skip

    @app.post("/players/open")
    def open_players() -> Response:
        the_organiser(people)
        is_open = flag(sent(), "open")
        kept.open_players(store, is_open)
        said = _("Everybody may see the players.") if is_open else _("Only organisers see the players.")
        return answered(said, go="/players")

    @app.post("/seasons")
    def name_season() -> Response:
        the_organiser(people)
        body = sent({"name", "first", "last"}, "a season")
        name = text(body, "name", "what the season is called", 200)
        first, last = (text(body, day, "a day, such as 2026-11-26", 40) for day in ("first", "last"))
        return answered(
            _("The season is kept."), 201, go=f"/players?season={kept.name_season(store, name, first, last)}"
        )

    @app.post("/seasons/<int:number>/remove")
    def forget_season(number: int) -> Response:
        the_organiser(people)
        kept.forget_season(store, number)
        return answered(_("The season is deleted. Its games stay."), go="/players")


def rules_name(rules: str) -> str:
    """Return the name of a set of rules."""
    return Rulebook(rules, language()).name


def colour(name: str) -> str:
    """Return a colour's name, which is also the name of a player without one."""
    try:
        return color_name(player_color(name))
    except (BadInputError, ValueError):
        return name


def course(steps: tuple[SeasonStep, ...]) -> dict[str, str] | None:
    """Return a rating as a drawing, 100 wide and 40 high: its line, and its 95 % band; None if there is too little."""
    rated = [step.rating for step in steps if step.rating is not None][-MOST_STEPS:]
    if len(rated) < 2:
        return None
    low, high = min(each.mean - each.half for each in rated), max(each.mean + each.half for each in rated)

    def at(number: int, value: float) -> str:
        return f"{100 * number / (len(rated) - 1):.1f} {40 - 40 * (value - low) / (high - low):.1f}"

    above = [at(number, each.mean + each.half) for number, each in enumerate(rated)]
    below = [at(number, each.mean - each.half) for number, each in enumerate(rated)]
    line = " L".join(at(number, each.mean) for number, each in enumerate(rated))
    return {"line": f"M{line}", "band": f"M{' L'.join([*above, *reversed(below)])}Z", "low": f"{low:.0f}",
            "high": f"{high:.0f}"}  # fmt: skip
