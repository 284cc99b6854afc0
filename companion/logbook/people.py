"""People as the logbook knows them: what they chose for themselves, and which names belong to one person.

What is said about people is noted apart from the games, as events of no game, and nothing that happened is rewritten: a
name that was changed is an alias from then on. The alias holds for the games up to the change, so that somebody else
may use the old name later. Taking the change back puts everything as it was.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeAlias

from companion.board import BadInputError, player_color
from companion.events import Event, GameDealt, PlayersNamed
from companion.games.contract import Player, is_named
from companion.logbook.schema import CHECKED, named, sum_of


@dataclass(frozen=True, slots=True)
class PersonChose:
    """Somebody's own tune, the language that the voice speaks to them in, their colour; "" if they chose none."""

    name: str
    tune: str = ""
    language: str = ""
    color: str = ""


@dataclass(frozen=True, slots=True)
class PersonRenamed:
    """Whoever is called `old` in the games up to `last` is called `new`; `new` may be somebody who played here too.

    `at_table` is the game that was on the table then and was given the new name itself; 0 for none.
    """

    old: str
    new: str
    last: int
    at_table: int = 0


@dataclass(frozen=True, slots=True)
class RenameUndone:
    """The change of a name, given by the number of its event, no longer holds.

    `back_in` is the game that was given the new name then and has left the table since: its player has the old name
    again.
    """

    rename: int
    back_in: int = 0


Note: TypeAlias = PersonChose | PersonRenamed | RenameUndone


@dataclass(frozen=True, slots=True)
class Noted:
    """A note: the number of its event, when (UTC) and by whom it was made."""

    number: int
    at: str
    who: str
    note: Note


#: The notes by their names, as the column `kind` has them.
NOTES: Mapping[str, type[Any]] = {each.__name__: each for each in (PersonChose, PersonRenamed, RenameUndone)}

#: This uses the index of a game's events; otherwise all events would be read.
_ALL = f"SELECT * FROM events WHERE game IS NULL AND kind IN ({', '.join(repr(name) for name in NOTES)}) ORDER BY id"


@dataclass(frozen=True, slots=True)
class Rename:
    """A change of a name that holds: the number of its event, when (UTC) and by whom."""

    number: int
    at: str
    who: str
    told: PersonRenamed


@dataclass(frozen=True, slots=True)
class Alias:
    """In the games `first` to `last`, whoever was written down as `old` is called `new`."""

    old: str
    new: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class People:
    """What is noted about people, the oldest first.

    `choices` are by people's current names; `renames` are those that still hold.
    """

    choices: Mapping[str, PersonChose] = field(default_factory=dict)
    renames: tuple[Rename, ...] = ()
    aliases: tuple[Alias, ...] = ()
    notes: tuple[Noted, ...] = ()

    @property
    def newest(self) -> int:
        """The number of the last note, 0 for none."""
        return self.notes[-1].number if self.notes else 0

    def called(self, game: int, name: str) -> str:
        """Return the current name of whoever was written down under this name in that game."""
        proper = name.strip()
        for alias in self.aliases:
            if proper == alias.old and alias.first <= game <= alias.last:
                proper = alias.new
        return name if proper == name.strip() else proper

    def seated(self, game: int, players: tuple[Player, ...]) -> tuple[Player, ...]:
        """Return the players of that game with their current names; those without a name stay without."""
        if not self.aliases:
            return players
        return tuple(
            replace(player, name=self.called(game, player.name)) if player.is_named else player for player in players
        )

    def told(self, game: int | None, event: Event) -> Event:
        """Return an event of that game with the current names."""
        if game is None or not self.aliases:
            return event
        match event:
            case GameDealt(game=dealt):
                return replace(event, game=replace(dealt, players=self.seated(game, dealt.players)))
            case PlayersNamed(players=players):
                return replace(event, players=self.seated(game, players))
            case _:
                return event

    def with_note(self, note: Note) -> People:
        """Return what would be known if that were noted too."""
        return _known((*self.notes, Noted(self.newest + 1, "", "", note)))

    def rename(self, number: int) -> Rename | None:
        """Return the change of a name with that number, if it still holds."""
        return next((each for each in self.renames if each.number == number), None)

    @property
    def names(self) -> frozenset[str]:
        """Every name that a note mentions."""
        return frozenset().union(*(_names(each.note) for each in self.notes))


def people_in(connection: sqlite3.Connection) -> People:
    """Return what the logbook has noted about people; damaged notes are left out."""
    read: list[Noted] = []
    with suppress(sqlite3.Error):
        for row in named(connection.execute(_ALL)):
            with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
                columns = [row[name] for name in CHECKED["events"]]
                if sum_of(*columns) == row["sum"]:
                    plain = {name: value for name, value in json.loads(row["event"]).items() if name != "is"}
                    read.append(Noted(row["id"], row["at"], row["who"], NOTES[row["kind"]](**plain)))
    return _known(read)


def written(note: Note) -> dict[str, object]:
    """Return the note as the column `event` has it."""
    return {"is": type(note).__name__, **asdict(note)}


def _known(notes: Sequence[Noted]) -> People:
    choices: dict[str, PersonChose] = {}
    renames: dict[int, Rename] = {}
    aliases: dict[int, Alias] = {}
    given_up: dict[int, PersonChose] = {}
    for noted in notes:
        number = noted.number
        match noted.note:
            case PersonChose(name=name) as choice:
                choices[name] = choice
            case PersonRenamed(old=old, new=new, last=last) as told:
                was = choices.pop(old, None)
                if was is not None:
                    given_up[number] = was
                    choices.setdefault(new, replace(was, name=new))
                renames[number] = Rename(number, noted.at, noted.who, told)
                aliases[number] = Alias(old, new, 0, last)
            case RenameUndone(rename=undone, back_in=game) if undone in renames:
                told = renames.pop(undone).told
                del aliases[undone]
                if undone in given_up:
                    was = given_up.pop(undone)
                    if choices.get(told.new) == replace(was, name=told.new):
                        del choices[told.new]
                    choices.setdefault(told.old, was)
                if game:
                    aliases[number] = Alias(told.new, told.old, game, game)
    return People(choices, tuple(renames.values()), tuple(aliases.values()), tuple(notes))


#: What is left of a note that named somebody who is no longer in any game.
FORGOTTEN_NOTE = "PersonForgotten"


def idle(people: People, seats: Iterable[tuple[int, str, str]]) -> list[int]:
    """Return the numbers of the notes that name somebody who is no longer in any game; `seats` as for `clash`."""
    there = set[str]()
    for game, name, _color in seats:
        proper = name.strip()
        there.add(proper)
        for alias in people.aliases:
            if proper == alias.old and alias.first <= game <= alias.last:
                proper = alias.new
                there.add(proper)
    named = [(each.number, _names(each.note)) for each in people.notes]
    return [number for number, names in named if not names <= there]


def _names(note: Note) -> frozenset[str]:
    match note:
        case PersonChose(name=name):
            return frozenset({name})
        case PersonRenamed(old=old, new=new):
            return frozenset({old, new})
        case RenameUndone():
            return frozenset()


def clash(people: People, seats: Iterable[tuple[int, str, str]]) -> int | None:
    """Return the first game in which two players would share a name, so that they must be two people; None for none.

    `seats` are (game, name, colour), as they were written down.
    """
    sat: Counter[tuple[int, str]] = Counter()
    for game, name, color in seats:
        with suppress(ValueError, BadInputError):
            if is_named(name, player_color(color)):
                sat[game, people.called(game, name)] += 1
    return min((game for (game, _), count in sat.items() if count > 1), default=None)
