"""Tournaments: what everybody may watch and print, and what organisers decide.

| GET | gives |
| --- | --- |
| /tournaments, /tournaments/3, /tournaments/3/parts | the list, the page, the parts of it that change |
| /tournaments/3/screen | the same for a big screen |
| /tournaments/3/cards?round=2, /tournaments/3/print | seat cards and standings, for printing |
| /tournaments/3/standings.csv, /tournaments/3/tournament.json | for other programs |

What organisers POST is in `_add_deciding`. A page is rendered once per language, and again when something has changed.
"""

from __future__ import annotations

import csv
import io
import re
from collections import OrderedDict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from babel.numbers import format_decimal, format_percent
from flask import Flask, Response, abort, jsonify, render_template, request

from companion.board.fields import flag, items, text, whole
from companion.web.bodies import answered, sent
from companion.web.languages import _, language, ngettext
from hub.store import tournaments as kept
from hub.store.results import MOST_GOLD, MOST_WHY, correct, strangers
from hub.store.tables import MOST_NAME, enrolled
from hub.store.tournaments import MOST_ROUNDS, Tournament
from hub.tournament.entering import MOST_PLAYERS
from hub.tournament.standings import Line
from hub.web.backend import Backend
from hub.web.sessions import organiser_here, the_organiser

#: How many pages are kept ready.
MOST_KEPT = 60

#: Where a spreadsheet would take what follows for a formula: at the beginning of a cell, and after anything that it may
#: take for the end of one, as it does where decimals have a comma.
FORMULA = re.compile(r"""(^|[;,|\t])(?=[\s"']*[=+\-@＝＋－＠])""")


class _Shown:
    """Tournaments as pages show them, read and rendered again only when they have changed. Any thread may call it."""

    def __init__(self, app: Flask, backend: Backend) -> None:
        self._store, self._people, self._halls = backend.store, backend.people, backend.halls
        self._macros: Any = app.jinja_env.get_template("hub/_tournament.html").module
        self._known: OrderedDict[tuple[int, int], tuple[Tournament, tuple[Line, ...]]] = OrderedDict()
        self._written: OrderedDict[tuple[Any, ...], dict[str, str]] = OrderedDict()

    @property
    def may_decide(self) -> bool:
        """Whether the person who asks is an organiser."""
        return organiser_here(self._people) is not None

    def watched(self, number: int) -> tuple[Tournament, tuple[Line, ...]]:
        """Return that tournament with its standings; 404 for those who may not watch it."""
        pair = self._known.get((number, self._halls.changes.get(number, (0, False))[0]))
        if pair is None and (tournament := kept.tournament(self._store, number)) is not None:
            pair = tournament, tournament.standings()
            _keep(self._known, (number, tournament.changed), pair)
        if pair is None or not (pair[0].is_open or self.may_decide):
            abort(404, _("There is no such tournament, or it is not open to everybody."))
        return pair

    def parts(self, tournament: Tournament, lines: Sequence[Line]) -> dict[str, str]:
        """Return the page's parts for the person who asks."""
        macros, may_decide = self._macros, self.may_decide
        names = {each.number: each.name for each in enrolled(self._store) if not each.is_revoked}
        key = (tournament.number, tournament.changed, language(), may_decide, tuple(names.items()))
        said = self._written.get(key)
        if said is None:
            others = strangers(self._store, tournament) if may_decide else frozenset[int]()
            said = {
                "state": str(macros.state(tournament)),
                "rounds": str(macros.rounds(tournament, names, may_decide, others, MOST_GOLD, MOST_WHY)),
                "standings": str(macros.standings(tournament, lines)),
                "players": str(macros.players(tournament)) if may_decide else "",
            }
            if not others:  # games of others at a table do not change the tournament
                _keep(self._written, key, said)
        return said

    def screen(self, tournament: Tournament, lines: Sequence[Line]) -> dict[str, str]:
        """Return the big screen's parts."""
        key = (tournament.number, tournament.changed, language(), "screen")
        said = self._written.get(key)
        if said is None:
            macros = self._macros
            said = {"state": str(macros.state(tournament)), "tables": str(macros.tables(tournament)),
                    "leaders": str(macros.leaders(tournament, lines))}  # fmt: skip
            _keep(self._written, key, said)
        return said

    def standings(self, tournament: Tournament, lines: Sequence[Line]) -> str:
        """Return only the standings."""
        return str(self._macros.standings(tournament, lines))


def add_tournaments(app: Flask, backend: Backend) -> None:
    """Add these pages and decisions."""
    app.jinja_env.filters.update(part=part, share=share)
    shown = _Shown(app, backend)

    @app.get("/tournaments")
    def tournament_list() -> str:
        may_decide = shown.may_decide
        tournaments = [each for each in kept.listed(backend.store) if may_decide or each.is_open]
        limits = {"most_rounds": MOST_ROUNDS, "most_name": MOST_NAME}
        return render_template("hub/tournaments.html", tournaments=tournaments, may_decide=may_decide, **limits)

    @app.get("/tournaments/<int:number>")
    def tournament_page(number: int) -> str:
        tournament, lines = shown.watched(number)
        return render_template(
            "hub/tournament.html", tournament=tournament, may_decide=shown.may_decide,
            parts=shown.parts(tournament, lines), most_players=MOST_PLAYERS, most_rounds=MOST_ROUNDS,
            beyond=backend.room.version,
        )  # fmt: skip

    @app.get("/tournaments/<int:number>/parts")
    def tournament_parts(number: int) -> Response:
        tournament, lines = shown.watched(number)
        return jsonify(parts=shown.parts(tournament, lines), screen=shown.screen(tournament, lines))

    @app.get("/tournaments/<int:number>/screen")
    def tournament_screen(number: int) -> str:
        (tournament, lines), beyond = shown.watched(number), backend.room.version
        return render_template(
            "hub/screen.html", tournament=tournament, parts=shown.screen(tournament, lines), beyond=beyond
        )

    @app.get("/tournaments/<int:number>/cards")
    def cards(number: int) -> str:
        tournament, _lines = shown.watched(number)
        asked = request.args.get("round", "")
        wanted = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 4 else len(tournament.rounds)
        round_ = next((each for each in tournament.rounds if each.number == wanted), None)
        if round_ is None:
            abort(404, _("This round is not drawn yet."))
        return render_template("hub/cards.html", tournament=tournament, round=round_)

    @app.get("/tournaments/<int:number>/print")
    def print_standings(number: int) -> str:
        tournament, lines = shown.watched(number)
        return render_template(
            "hub/standings.html", tournament=tournament, standings=shown.standings(tournament, lines)
        )

    @app.get("/tournaments/<int:number>/standings.csv")
    def as_csv(number: int) -> Response:
        tournament, lines = shown.watched(number)
        headers = {"Content-Disposition": f'attachment; filename="standings-{number}.csv"'}
        return Response(_csv(tournament, lines), mimetype="text/csv", headers=headers)

    @app.get("/tournaments/<int:number>/tournament.json")
    def as_json(number: int) -> Response:
        return jsonify(plain(*shown.watched(number)))

    _add_deciding(app, backend)


def _add_deciding(app: Flask, backend: Backend) -> None:
    """Add what organisers decide. Each change is reported to all pages that show the tournament."""
    store, people, halls = backend.store, backend.people, backend.halls

    def done(said: str, number: int, status: int = 200) -> Response:
        halls.look_again()
        return answered(said, status, go=f"/tournaments/{number}")

    @app.post("/tournaments")
    def make() -> Response:
        by, body = the_organiser(people).name, sent({"name", "size", "rounds", "tables"}, "a tournament")
        name = text(body, "name", "what the tournament is called", 200)
        size, planned = whole(body.get("size"), "size", 2, 4), whole(body.get("rounds"), "rounds", 1, MOST_ROUNDS)
        return done(_("The tournament is made."), kept.make(store, name, size, planned, by, _tables(body)), 201)

    @app.post("/tournaments/<int:number>/settings")
    def settings(number: int) -> Response:
        the_organiser(people)
        body = sent({"rounds", "tables", "open"}, "the settings")
        planned = whole(body.get("rounds"), "rounds", 1, MOST_ROUNDS)
        kept.change(store, number, planned, _tables(body), flag(body, "open"))
        return done(_("Changed."), number)

    @app.post("/tournaments/<int:number>/remove")
    def remove(number: int) -> Response:
        the_organiser(people)
        kept.remove(store, number)
        halls.look_again()
        return answered(_("The tournament is deleted. The games stay."), go="/tournaments")

    @app.post("/tournaments/<int:number>/players")
    def players(number: int) -> Response:
        the_organiser(people)
        entered = text(sent({"text"}, "players"), "text", "a name a line, or a CSV file", 60_000)
        count = kept.enter(store, number, entered)
        return done(ngettext("%(num)d player entered.", "%(num)d players entered.", count), number, 201)

    @app.post("/tournaments/<int:number>/players/<int:player>/leave")
    def leave(number: int, player: int) -> Response:
        the_organiser(people)
        kept.leave(store, number, player)
        return done(_("They are seated in no further round."), number)

    @app.post("/tournaments/<int:number>/players/<int:player>/back")
    def back(number: int, player: int) -> Response:
        the_organiser(people)
        kept.come_back(store, number, player)
        return done(_("They play again from the next round on."), number)

    @app.post("/tournaments/<int:number>/draw")
    def draw(number: int) -> Response:
        by = the_organiser(people).name
        drawn = kept.draw(store, number, by)
        return done(_("Round %(number)d is drawn.", number=drawn), number, 201)

    @app.post("/tournaments/<int:number>/undraw")
    def undraw(number: int) -> Response:
        the_organiser(people)
        return done(_("Round %(number)d is taken back.", number=kept.take_back(store, number)), number)

    @app.post("/tournaments/<int:number>/seatings/<int:seating>/result")
    def result(number: int, seating: int) -> Response:
        by, body = the_organiser(people).name, sent({"gold", "winners", "why"}, "a result")
        gold = [whole(each, "gold", -MOST_GOLD, MOST_GOLD) for each in items(body.get("gold"), "gold")]
        winners = [whole(each, "winners", 0, 3) for each in items(body.get("winners", []), "winners")]
        why = text(body, "why", "why the result changes", 1000) if "why" in body else ""
        correct(store, number, seating, gold, winners, by, why)
        return done(_("The result counts."), number)

    @app.post("/tournaments/<int:number>/seatings/<int:seating>/table")
    def table(number: int, seating: int) -> Response:
        the_organiser(people)
        at = sent({"table"}, "where they play").get("table")
        kept.move_to(store, number, seating, None if at is None else whole(at, "table", 1, 10**9))
        return done(_("Games that begin there from now on count."), number)


def plain(tournament: Tournament, lines: Sequence[Line] | None = None) -> dict[str, Any]:
    """Return the whole tournament as plain values; a victory is a text such as "1/2"."""
    names = {number: each.name for number, each in tournament.players.items()}
    return {
        "format": 1,
        "name": tournament.name, "size": tournament.size, "rounds_planned": tournament.planned,
        "players": [{"number": each.number, "name": each.name, "club": each.club, "first": each.first,
                     "last": each.last} for each in tournament.players.values()],
        "rounds": [
            {"round": round_.number, "drawn": round_.drawn,
             "resting": [names[player] for player in round_.resting],
             "tables": [
                 {"table": seating.place, "players": [names[player] for player in seating.players],
                  "results": [{"at": told.at, "who": told.who, "why": told.why, "gold": list(told.gold),
                               "won": list(map(str, told.won))} for told in seating.told]}
                 for seating in round_.seatings]}
            for round_ in tournament.rounds],
        "standings": [
            {"place": line.place, "name": names[line.player], "games": line.games, "rested": line.rested,
             "victories": str(line.victories), "share": str(line.share), "strength": str(line.strength),
             "gold": line.gold} for line in (tournament.standings() if lines is None else lines)],
    }  # fmt: skip


def part(number: Fraction) -> str:
    """Return a number of victories as people read it: "2.5", in German "2,5"."""
    return str(format_decimal(float(number), "0.##", language()))


def share(number: Fraction) -> str:
    """Return a share as people read it: "27.4 %"."""
    return str(format_percent(float(number), "0.0 %", language()))


def _csv(tournament: Tournament, lines: Sequence[Line]) -> str:
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow(["place", "name", "club", "games", "rested", "victories", "share", "strength", "gold"])
    for line in lines:
        player = tournament.players[line.player]
        figures = [f"{float(each):.4f}" for each in (line.victories, line.share, line.strength)]
        rows.writerow([line.place, cell(player.name), cell(player.club), line.games, line.rested, *figures, line.gold])
    return out.getvalue()


def cell(value: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return FORMULA.sub(r"\1'", value)


def _tables(body: dict[str, Any]) -> int | None:
    return None if body.get("tables") is None else whole(body["tables"], "tables", 1, 1000)


def _keep(into: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    into[key] = value
    while len(into) > MOST_KEPT:
        into.popitem(last=False)
