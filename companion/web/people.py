"""The people who play here: their names, their own tunes, and the languages that the voice speaks to them in.

GET /keeper/people is the page. What keepers may change there:

| POST | body | does |
| --- | --- | --- |
| /keeper/person | {"name": "Bo", "tune": "lark", "language": "de", "color": "red"} | sets these, keeps those left out |
| /keeper/rename | {"from": "Bo", "to": "Bob", "join": true} | renames somebody in all games, and at the table |
| /keeper/unrename | {"number": 12} | undoes a renaming |

A person's tune is heard when their turn begins, on screens with sound on.

If somebody else has played under a new name, a question comes back (409, with `asks`): `join` says that both are one
person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from flask import Flask, Response, render_template
from werkzeug.exceptions import NotFound

from companion.board import BadInputError, Color, NotNowError, PlayerColor, player_color
from companion.board.fields import flag, text, whole
from companion.commands import NamePlayers
from companion.drawing import looks_of
from companion.games import RULE_SETS
from companion.games.contract import Player, is_named
from companion.logbook.archive import Archive, LoggedGame, opened_archive
from companion.logbook.people import Note, People, PersonChose, PersonRenamed, RenameUndone
from companion.logbook.statistics import is_person
from companion.scoreboard import Snapshot
from companion.web.backend import Backend
from companion.web.bodies import answered, sent
from companion.web.games.shelf import Shelf
from companion.web.keepers import DIGITS, MOST_NAME, proper_name
from companion.web.languages import _, complaint, ngettext
from companion.web.pieces import color_name
from companion.web.sessions import keeper_here, the_keeper
from companion.words import LANGUAGES

#: How many people are listed, the latest to play first: more than any household has.
MOST_PEOPLE = 200

#: No event has a larger number.
MOST_EVENTS = 10**12


@dataclass(frozen=True, slots=True)
class Known:
    """Somebody who has played here: their name, the colour that they had most often, and how many games they played."""

    name: str
    color: str
    games: int
    choice: PersonChose

    @property
    def shown(self) -> str:
        """The colour that they are shown in: their own, or else the one that they had most often."""
        return self.choice.color or self.color


class Choices:
    """What those at the table chose for themselves, looked up when other people play, or when something was changed.

    `folder` is the logbook's, None until there is one. Any thread may call it.
    """

    def __init__(self, folder: Callable[[], Path | None]) -> None:
        self._folder = folder
        self._known: tuple[object, Mapping[str, PersonChose]] = (None, {})

    def __call__(self, snapshot: Snapshot) -> Mapping[str, PersonChose]:
        """Return the choices by name; nothing if nothing can be read."""
        names, folder = tuple(player.name for player in snapshot.players if player.is_named), self._folder()
        if not names or folder is None or not folder.is_dir():
            return {}
        asked = names, folder
        known, chosen = self._known
        if known != asked:
            chosen = {}
            with suppress(BadInputError), opened_archive(folder) as archive:
                chosen = {name: choice for name, choice in archive.people.choices.items() if name in names}
            self._known = (asked, chosen)
        return chosen

    def forget(self) -> None:
        """Look the choices up again, because somebody has changed something."""
        self._known = (None, {})


def known_in(archive: Archive) -> list[Known]:
    """Return everybody who has played, the latest first."""
    colors: dict[str, Counter[str]] = {}
    for game in reversed(archive.games()):
        for seat in filter(is_person, game.seats):
            colors.setdefault(seat.name.strip(), Counter())[str(seat.color)] += 1
    choices = archive.people.choices
    return [
        Known(name, had.most_common(1)[0][0], had.total(), choices.get(name, PersonChose(name)))
        for name, had in colors.items()
    ]


def add_people(app: Flask, backend: Backend, choices: Choices) -> None:
    """Add the page and what it sends, if there is a logbook."""
    if backend.logbook is None:
        return
    shelf = Shelf(backend.logbook)
    _add_names(app, backend, shelf, choices)

    @app.get("/keeper/people")
    def people() -> str:
        if keeper_here(backend.keepers) is None:
            return render_template("door.html", digits=DIGITS, most_name=MOST_NAME, is_drawn=backend.table is not None)
        everybody, changed = list[Known](), People()
        with suppress(NotFound), shelf.opened() as archive:
            everybody, changed = known_in(archive), archive.people
        shown = tuple(dict.fromkeys(player_color(each.shown) for each in everybody))
        return render_template(
            "people.html",
            people=everybody[:MOST_PEOPLE],
            left_out=len(everybody[MOST_PEOPLE:]),
            renames=changed.renames[::-1],
            tunes=tunes(),
            notes=TUNES,
            colors_here=[(name, color_name(color)) for name, color in _colors(everybody).items()],
            looks_here=looks_of(shown, tuple(map(color_name, shown))),
            most_name=MOST_NAME,
        )

    @app.post("/keeper/person")
    def choose_for() -> Response:
        by, body = the_keeper(backend.keepers), sent({"name", "tune", "language", "color"}, "person")
        name = text(body, "name", "somebody's name", 200)
        with shelf.opened() as archive:
            everybody = known_in(archive)
        person = _person(everybody, name)
        choice = replace(
            person.choice,
            tune=_one_of(body, "tune", person.choice.tune, TUNES),
            language=_one_of(body, "language", person.choice.language, LANGUAGES),
            color=_one_of(body, "color", person.choice.color, _colors(everybody)),
        )
        return _kept(backend, choices, choice, by, _("Saved."))

    app.jinja_env.globals["games_counted"] = lambda count: ngettext("%(num)d game", "%(num)d games", count)


def _add_names(app: Flask, backend: Backend, shelf: Shelf, choices: Choices) -> None:
    @app.post("/keeper/rename")
    def rename() -> Response:
        by, body = the_keeper(backend.keepers), sent({"from", "to", "join"}, "rename")
        new = proper_name(text(body, "to", "the new name", 200))
        if not new:
            return answered(_("Write the new name first."), 400)
        if not all(is_named(new, color) for color in Color):
            raise BadInputError(f"{new} is a colour; choose another name", "color-name", name=new)
        old, may_join = text(body, "from", "somebody's name", 200), flag(body, "join")
        with shelf.opened() as archive:
            everybody, last = known_in(archive), next(iter(archive.newest(1)), None)
            is_at_table = last is not None and _is_shown(last, backend.scoreboard.latest) and _sits(old, last)
            number = 0 if last is None else last.number
            note = PersonRenamed(old, new, number, number if is_at_table else 0)
            clash = archive.clash(note)
        _person(everybody, old)
        if new == old:
            return answered(_("That is the name already."), 409)
        _must_not_clash(clash, old, new)
        if any(each.name == new for each in everybody) and not may_join:
            question = _("%(new)s has played here too. Are %(old)s and %(new)s one person?", old=old, new=new)
            return answered(question, 409, asks="join")
        if is_at_table and not named(old, new, by):
            return answered(_("The table is busy. Try again."), 503)
        return _kept(backend, choices, note, by, _("%(old)s is called %(new)s now, in every game.", old=old, new=new))

    @app.post("/keeper/unrename")
    def unrename() -> Response:
        by, body = the_keeper(backend.keepers), sent({"number"}, "unrename")
        number = whole(body.get("number"), "number", 1, MOST_EVENTS)
        with shelf.opened() as archive:
            rename, last = archive.people.rename(number), next(iter(archive.newest(1)), None)
            if rename is None or last is None:
                return answered(_("That is taken back already."), 409)
            told = rename.told
            is_at_table = told.at_table == last.number and _is_shown(last, backend.scoreboard.latest)
            note = RenameUndone(rename.number, 0 if is_at_table else told.at_table)
            clash = archive.clash(note)
        _must_not_clash(clash, told.old, told.new)
        if is_at_table and not named(told.new, told.old, by):
            return answered(_("The table is busy. Try again."), 503)
        return _kept(backend, choices, note, by, _("Taken back: %(old)s is called so again.", old=told.old))

    def named(old: str, new: str, by: str) -> bool:
        """Give the player at the table with the old name the new one. Return whether there was room for the command."""
        players = tuple(
            Player(new if line.name == old else line.name, line.color) for line in backend.scoreboard.latest.players
        )
        return backend.submit(NamePlayers(players), by)


def _kept(backend: Backend, choices: Choices, note: Note, by: str, sentence: str) -> Response:
    """Write the note and answer with the sentence, or with 503 if nothing can be written."""
    if backend.note is None:
        return answered(_("There are no games in the logbook yet."), 409)
    try:
        backend.note(note, by)
    except NotNowError as error:
        return answered(complaint(error), 503)
    choices.forget()
    return answered(sentence, go="/keeper/people")


def _colors(everybody: Iterable[Known]) -> Mapping[str, PlayerColor]:
    """Return the colours that somebody may have, by name: those of the boxes, and those that people had here."""
    in_the_boxes = (str(color) for rules in RULE_SETS.values() for color in rules.colors)
    had = (color for each in everybody for color in (each.color, each.choice.color) if color)
    return {name: player_color(name) for name in dict.fromkeys((*in_the_boxes, *had))}


def _person(everybody: Iterable[Known], name: str) -> Known:
    for each in everybody:
        if each.name == name:
            return each
    raise BadInputError(f"nobody called {name!r:.60} has played here", "no-person", name=name[:MOST_NAME])


def _one_of(body: Mapping[str, object], name: str, now: str, known: Mapping[str, object]) -> str:
    if name not in body:
        return now
    value = text(body, name, f"one of {', '.join(known)}, or nothing")
    if value and value not in known:
        raise BadInputError(f"{name} is {value!r:.40}; it should be one of {', '.join(known)}, or nothing")
    return value


def _sits(name: str, game: LoggedGame) -> bool:
    return any(is_person(seat) and seat.name.strip() == name for seat in game.seats)


def _is_shown(game: LoggedGame, snapshot: Snapshot) -> bool:
    """Return whether that game of the logbook is the one at the table."""
    return [(seat.name, seat.color) for seat in game.seats] == [(line.name, line.color) for line in snapshot.players]


def _must_not_clash(game: int | None, old: str, new: str) -> None:
    if game is not None:
        wrong = f"{old} and {new} played against each other in game {game}, so they are two people"
        raise BadInputError(wrong, "two-people", old=old, new=new, game=game)


#: A tune as notes, each (hertz, seconds); 0 Hz is a rest. No tune is longer than two seconds, because the game goes on.
Tune = tuple[tuple[float, float], ...]

_C4, _D4, _E4, _F4, _G4, _A4, _B4 = 261.6, 293.7, 329.6, 349.2, 392.0, 440.0, 493.9
_C5, _D5, _E5, _F5, _G5, _A5, _C6 = 523.3, 587.3, 659.3, 698.5, 784.0, 880.0, 1046.5

TUNES: Mapping[str, Tune] = {
    "lark": ((_E5, 0.1), (_G5, 0.1), (_C6, 0.1), (_G5, 0.1), (_A5, 0.1), (_C6, 0.35)),
    "bells": ((_G5, 0.3), (_E5, 0.3), (_C5, 0.3), (_G4, 0.55)),
    "march": ((_C5, 0.2), (0.0, 0.05), (_C5, 0.1), (_E5, 0.2), (_G5, 0.2), (_E5, 0.2), (_C5, 0.35)),
    "horn": ((_G4, 0.15), (_C5, 0.15), (_E5, 0.15), (_C5, 0.15), (_G5, 0.5)),
    "lullaby": ((_E5, 0.3), (_D5, 0.15), (_C5, 0.3), (_A4, 0.15), (_G4, 0.6)),
    "gallop": (
        (_A4, 0.1),
        (_A4, 0.1),
        (_A4, 0.2),
        (_C5, 0.1),
        (_C5, 0.1),
        (_E5, 0.2),
        (_D5, 0.1),
        (_C5, 0.1),
        (_A4, 0.3),
    ),
    "harp": ((_C4, 0.08), (_E4, 0.08), (_G4, 0.08), (_C5, 0.08), (_E5, 0.08), (_G5, 0.08), (_C6, 0.5)),
    "tango": ((_D5, 0.25), (_F5, 0.12), (_E5, 0.12), (_D5, 0.25), (_A4, 0.25), (_D5, 0.4)),
    "frog": ((_D4, 0.12), (0.0, 0.08), (_D4, 0.12), (0.0, 0.08), (_F4, 0.12), (0.0, 0.08), (_B4, 0.3)),
}

_NAMES: Mapping[str, Callable[[], str]] = {
    "lark": lambda: _("Lark"),
    "bells": lambda: _("Bells"),
    "march": lambda: _("March"),
    "horn": lambda: _("Horn"),
    "lullaby": lambda: _("Lullaby"),
    "gallop": lambda: _("Gallop"),
    "harp": lambda: _("Harp"),
    "tango": lambda: _("Tango"),
    "frog": lambda: _("Frog"),
}


def tunes() -> list[tuple[str, str]]:
    """Return all that can be chosen, each as its code and its name in the language of the moment."""
    return [(code, _NAMES[code]()) for code in TUNES]
