"""What explains the game on the pages: the quiet line, what each number is made of, the legend, the lesson."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from flask import Flask, Response

from companion import drawing
from companion.board import (
    Cell,
    LaidSection,
    Mountain,
    PlayerColor,
    Section,
    Settlement,
    Snow,
    SquareBoard,
    Terrain,
    Tile,
    Workshop,
)
from companion.board.fields import flag
from companion.games import RULE_SETS
from companion.games.contract import Advice
from companion.games.la_strada import STANDARD, LaStrada
from companion.scoreboard import Snapshot
from companion.web.backend import Backend
from companion.web.bodies import answered, sent
from companion.web.languages import _, language, said
from companion.web.pieces import played_on
from companion.web.sessions import the_keeper
from companion.words.guide import at_a_glance, lesson, places_ahead
from companion.words.pieces import BOXES, DAYS, TERRAINS
from companion.words.rules import Rulebook
from companion.words.speech import Speech, alone
from companion.words.why import explained, laying

#: The colour of a legend's road and workshop while nobody plays yet.
_ANYBODY = "black"


#: Advice whose cells are shown on the board.
_AHEAD = frozenset({"workshop", "reach", "lay"})


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in words ("" for none), and where it is written."""

    says: str
    source: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the legend: what is drawn, its name, and what there is to say about it."""

    tile: Tile | None
    name: str
    says: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Legend:
    """The pieces on the table and what they mean; `merchants` are the players' colours and names."""

    rows: tuple[Row, ...]
    rules: tuple[Rule, ...]
    merchants: tuple[tuple[PlayerColor, str], ...]


def add_guide(app: Flask, backend: Backend) -> None:
    """Add POST /keeper/teach {"on": true}: a keeper has every screen say what may be done now, or stops that."""

    @app.post("/keeper/teach")
    def teach() -> Response:
        the_keeper(backend.keepers)
        is_on = flag(sent({"on"}, "teach"), "on")
        backend.scoreboard.teach(is_on)
        return answered(_("Every screen now says what can be done.") if is_on else _("The lesson is over."))


class Guide:
    """Renders the parts that explain the game, again only if they have changed: most news is only a new picture.

    Guarded by the renderer's lock.
    """

    def __init__(self, app: Flask) -> None:
        self._macros: Any = app.jinja_env.get_template("_guide.html").module
        self._kept: dict[str, tuple[tuple[object, ...], Mapping[str, str]]] = {}

    def parts(self, snapshot: Snapshot) -> Mapping[str, str]:
        """Return the parts in the language of the request."""
        codes = snapshot.notice.codes if snapshot.notice else ()
        told_of = (
            snapshot.position, snapshot.before, snapshot.laid, snapshot.players, snapshot.board, codes,
            snapshot.is_teaching,
        )  # fmt: skip
        kept = self._kept.get(language())
        if kept is None or kept[0] != told_of:
            kept = self._kept[language()] = (told_of, self._parts(snapshot, codes))
        return kept[1]

    def _parts(self, snapshot: Snapshot, codes: tuple[str, ...]) -> Mapping[str, str]:
        macros, rules = self._macros, _rules_of(snapshot)
        book = Rulebook(rules, language())
        behind = tuple(_rule(book, code) for code in codes)
        legend = str(macros.legend(snapshot, legend_of(snapshot, rules)))
        if snapshot.position is None:
            return {"glance": "", "ahead": "", "lesson": "", "whys": str(macros.verdict(behind, ())), "legend": legend}
        position, rule_set = snapshot.position, RULE_SETS[rules]
        speech = Speech(position.players, language(), rules)
        numbers = dict(explained(speech, position, snapshot.before))
        prospects = rule_set.prospects(position)
        laid = laying(speech, position, snapshot.laid)
        if laid and (days := f"days-{position.next}") in numbers:
            numbers[days] = replace(numbers[days], lines=(*laid, *numbers[days].lines))
        cost = numbers["cost"].lines if "cost" in numbers and "built" in codes else laid if "days" in codes else ()
        whys = macros.whys(numbers, *places_ahead(speech, position, prospects), book)
        return {
            "glance": str(macros.glance(at_a_glance(speech, position, prospects))),
            "ahead": drawing.marks(_ahead(rule_set.advice(position, prospects)), "legal"),
            "lesson": str(macros.lesson(snapshot, lesson(speech, position, prospects), book)),
            "whys": str(whys) + str(macros.verdict(behind, cost)),
            "legend": legend,
        }


def _ahead(advice: Iterable[Advice]) -> set[Cell]:
    """Return the cells where something may be placed or reached now, which the board shows next to the lesson."""
    return {cell for each in advice if each.code in _AHEAD for cell in each.cells}


def legend_of(snapshot: Snapshot, rules: str) -> Legend:
    """Return the legend of a game played by those rules; every number in it is taken from them."""
    players = tuple((player.color, player.name) for player in snapshot.players)
    rule_set, book = RULE_SETS.get(rules, STANDARD), Rulebook(rules, language())
    if isinstance(snapshot.board, SquareBoard) or not isinstance(rule_set, LaStrada):
        silk = tuple(_rule(book, code) for code in ("built", "gold", "saved"))
        return Legend(tuple(_squares(snapshot)), silk, ())
    codes = ("days", "day-gain", "not-connected", "dead-end", "merchant-missing", "gold")
    merchants = players or tuple((color, Speech(language=language()).color(color)) for color in rule_set.colors)
    return Legend(tuple(_pieces(rule_set, players)), tuple(_rule(book, code) for code in codes), merchants)


def _pieces(rule_set: LaStrada, players: tuple[tuple[PlayerColor, str], ...]) -> Iterator[Row]:
    rules, speech = rule_set.rules, Speech(language=language())
    color: Any = players[0][0] if players else _ANYBODY
    for kind in Terrain:
        yield Row(None, alone(said(TERRAINS[kind])), said(DAYS, rules.costs[kind]), kind)
    for box, values in rules.values.items():
        shared = values[: rules.room] if rules.room else values[: _most_on_one(rule_set)]
        gold = " · ".join(f"{number}: {each}" for number, each in enumerate(shared, start=1))
        yield Row(Settlement(box), alone(speech.say(BOXES[box])), gold, "settlement")
    yield Row(Workshop(color), "", "", "workshop")


def _most_on_one(rule_set: LaStrada) -> int:
    """Return how many merchants may share a settlement and still earn; if they walk, as many as the box has."""
    return len(next(iter(rule_set.rules.values.values()))) if rule_set.rules.walking else max(rule_set.seats)


def _squares(snapshot: Snapshot) -> Iterator[Row]:
    color = snapshot.players[0].color if snapshot.players else "green"
    yield Row(Snow(), "", "", "snow")
    yield Row(Mountain(), "", "", "mountain")
    yield Row(LaidSection(Section("n", 8, rays=(0, 4)), color), "", "", "number")
    yield Row(LaidSection(Section("h", 0, has_horse=True, rays=(2, 6)), color), "", "", "horse")
    yield Row(LaidSection(Section("e", 0, rays=(1, 5), is_dead_end=True), color), "", "", "end")


def _rule(book: Rulebook, code: str) -> Rule:
    return Rule(book.behind(code), book.source(code))


def _rules_of(snapshot: Snapshot) -> str:
    return played_on(snapshot.board)[0].name if snapshot.position is None else snapshot.position.rules_name
