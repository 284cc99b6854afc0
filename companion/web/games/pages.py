"""The games' pages: /games, a game with its replay, and /statistics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from flask import Flask, Response, abort, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion import drawing
from companion.board import SettlementType
from companion.games import score
from companion.logbook.archive import Archive, LoggedGame, Story
from companion.logbook.statistics import best_together, earned, rivals_of, statistics_of, visits_in
from companion.scoreboard import PlayerLine, Snapshot
from companion.web.games import telling
from companion.web.games.sharing import add_film, add_giving, bg_stats_link, film_of, is_only_here, shared_address
from companion.web.games.shelf import DRAWN, NUMBER, Shelf, add_turnstile
from companion.web.games.showme import Thumbnails, add_rulings
from companion.web.games.telling import account_of, pieces_of, plot_of, said, scene_of
from companion.web.games.turning import add_remembering, turning_points
from companion.web.keepers import Keepers
from companion.web.languages import _, language
from companion.web.languages import said as in_words
from companion.words.pieces import BOXES

#: How many games a page lists.
PAGE = 50

#: Leads to the game that was dealt last.
LAST_GAME = "/games/last"


def add_games(
    app: Flask,
    folder: Callable[[], Path | None],
    keepers: Keepers,
    address: Callable[[], str],
    shown: Callable[[], Snapshot],
) -> None:
    """Add the pages of the games in the logbook of that folder; None while there is none yet.

    Only `keepers` get whole pictures of a real table. `address` is where others on the local network find the
    scoreboard; "" if only this machine can reach it. `shown` is what the scoreboard shows now.
    """
    shelf, thumbnails = Shelf(folder), Thumbnails()
    app.jinja_env.globals.update(
        rules_name=telling.rules_name,
        outcome=telling.outcome,
        day=telling.day,
        hour=telling.hour,
        minutes=telling.minutes,
        earned=earned,
    )
    add_turnstile(app)
    _add_lists(app, shelf)
    _add_game(app, shelf, address)
    add_rulings(app, shelf, thumbnails)
    add_giving(app, shelf, keepers)
    add_film(app, shelf)
    add_remembering(app, shelf, shown)


def _add_lists(app: Flask, shelf: Shelf) -> None:
    @app.get("/games")
    def games() -> str:
        page = max(1, min(request.args.get("page", 1, int), 10**6))
        is_waiting = shelf.is_unknown
        if is_waiting or shelf.is_empty:  # every page links here, even before the first game
            return render_template("games.html", games=(), count=0, page=1, pages=1, is_waiting=is_waiting)
        with shelf.opened() as archive:
            count = archive.count()
            logged = archive.newest(PAGE, (page - 1) * PAGE)
        pages = max(1, -(-count // PAGE))
        return render_template("games.html", games=logged, count=count, page=page, pages=pages)

    @app.get("/statistics")
    def statistics() -> str:
        rules = request.args.get("rules", "")
        with shelf.opened() as archive:
            every = archive.games()
            people = [game for game in every if game.place != DRAWN]
            is_drawn = "drawn" in request.args or not people
            counted = every if is_drawn else people
            asked = [game for game in counted if rules in ("", game.rules)]
            rivals = rivals_of(asked, visits_in(archive, asked))
        kinds = {earned(game.rules) for game in asked}
        return render_template(
            "statistics.html",
            found=statistics_of(asked),
            rivals=rivals,
            boxes={kind: in_words(BOXES[kind]) for kind in SettlementType},
            rules=rules,
            kind=kinds.pop() if len(kinds) == 1 else "",
            every_rules=sorted({game.rules for game in every}),
            drawn=len(every) - len(people),
            is_drawn=is_drawn,
            has_people=bool(people),
        )


def _add_game(app: Flask, shelf: Shelf, address: Callable[[], str]) -> None:
    @app.get(LAST_GAME)
    def last_game() -> AnyResponse:
        with shelf.opened() as archive:
            if archive.count() == 0:
                abort(404, _("There are no games in the logbook yet."))
            return redirect(url_for("game", number=archive.game("last").number))

    @app.get(f"/games/<{NUMBER}:number>")
    def game(number: int) -> str:
        with shelf.told(number) as (archive, played, story):
            shown = _game(archive, played, story, _asked_step(story))
            shown["has_newer"] = archive.game("last").number > number
        link = shared_address(request.host_url, address()) + url_for("game", number=number)
        return render_template("game.html", **shown, address=link, is_only_here=is_only_here(link), drawn=DRAWN)

    @app.get(f"/games/<{NUMBER}:number>/steps/<int(max=99999):index>")
    def step(number: int, index: int) -> Response:
        with shelf.told(number) as (archive, played, story):
            steps = story.steps
            scene = scene_of(steps, min(index, len(steps) - 1), archive.photos(number), played.rules)
        macros: Any = app.jinja_env.get_template("_games.html").module
        parts = {
            "pieces": pieces_of(scene.step),
            "said": str(macros.said(scene)),
            "lines": str(macros.lines(scene.lines)),
            "shown": str(macros.shown(scene, number, url_for, story.is_by_hand)),
        }
        return jsonify(parts=parts, index=scene.index, hand=scene.hand)


def _game(archive: Archive, played: LoggedGame, story: Story, at: int) -> dict[str, Any]:
    """Return all that a game's page shows at that step."""
    steps, last = story.steps, story.steps[-1]
    ground, together = last.position.ground, score(last.position).together
    return {
        "game": played,
        "story": story,
        "scene": scene_of(steps, at, archive.photos(played.number), played.rules),
        "result": said(last, played.rules)[0] if last.kind == "over" else "",
        "final": [line.called(language()) for line in PlayerLine.each_in(last.position)],
        "account": account_of(last.position, played.rules),
        "view_box": drawing.view_box(ground.board),
        "ground": drawing.ground(ground.board, ground.terrain),
        "pieces": pieces_of(steps[at]),
        "plot": plot_of(steps, at),
        "turning": turning_points(steps),
        "film": film_of(steps),
        "together": together,
        "best": None if together is None else _best_before(archive, played),
        "plot_box": drawing.plot_box(),
        "rulings": [(each, said(each, played.rules)[0]) for each in story.rulings],
        "bg_stats": bg_stats_link(played),
    }


def _best_before(archive: Archive, played: LoggedGame) -> int | None:
    """Return the best total that the same people had together in earlier games."""
    earlier = (game for game in archive.games() if game.number < played.number)
    return best_together(earlier, played.rules, (seat.name for seat in played.seats))


def _asked_step(story: Story) -> int:
    """Return the step that the address names, or else the last one."""
    last = len(story.steps) - 1
    return max(0, min(request.args.get("step", last, int), last))
