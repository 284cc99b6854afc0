"""A photographed evening: game.json and a folder of photographs, refereed photograph by photograph."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, TypeVar

from companion.board import BadInputError, Cell, Contents, PlayerColor, Reading, player_color
from companion.board.fields import mapping, word
from companion.commands import Command, CorrectCell, Done, StartGame
from companion.events import CommandRefused, Event, MarkersDiffer
from companion.games import rule_set, score
from companion.games.contract import Player, Position
from companion.session import Session
from companion.system.durable import contents
from companion.verdicts import confirm, move_of


class Button(StrEnum):
    """The table's button when a photograph was taken."""

    DEAL = "deal"
    DONE = "done"
    LOOK = "look"


@dataclass(frozen=True, slots=True)
class Photo:
    """One photograph: its file name in the evening's folder, and the button."""

    name: str
    button: Button


@dataclass(frozen=True, slots=True)
class Evening:
    """A whole game in photographs; `folder` holds them and game.json."""

    folder: Path
    game: StartGame
    photos: tuple[Photo, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """The referee's word on one move: the part of a line about it.

    `kind` is deal, workshop, turn or none; `verdict` legal, illegal, accepted, hidden, unclear or none. `cells` are
    those of the violations, by name, or those to look at, in the order in which people are asked.
    """

    kind: str = "none"
    player: PlayerColor | None = None
    verdict: str = "none"
    violations: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "kind": self.kind,
            "player": None if self.player is None else str(self.player),
            "verdict": self.verdict,
            "violations": list(self.violations),
            "cells": list(self.cells),
        }


@dataclass(frozen=True, slots=True)
class Line:
    """What the referee says of one photograph, and the state of the game after it.

    `earlier` are words on presses that were pending and are only decided now; `markers` maps colours to
    (shown, right); `position` is None before the first deal.
    """

    photo: Photo
    word: Word
    earlier: tuple[Word, ...] = ()
    position: Position | None = None
    markers: Mapping[PlayerColor, tuple[int | None, int]] = field(default_factory=dict)
    events: tuple[Event, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the line as plain JSON values; `pending` only if earlier presses were decided."""
        position = self.position
        standing = None if position is None else score(position)
        line = {
            "photo": self.photo.name,
            "button": self.photo.button.value,
            **self.word.to_json(),
            "days": {} if position is None else _by_seat(position, position.days),
            "next": None if position is None or position.next is None else str(position.next),
            "over": position is not None and position.over,
            "gold": {} if position is None or standing is None else _by_seat(position, standing.gold),
            "winners": [] if standing is None else [str(color) for color in standing.winners],
            "markers": {str(color): list(marker) for color, marker in self.markers.items()},
        }
        if self.earlier:
            line["pending"] = [word.to_json() for word in self.earlier]
        return line


Picture = TypeVar("Picture")
Picture_contra = TypeVar("Picture_contra", contravariant=True)


class EveningReader(Protocol[Picture_contra]):
    """What an evening asks of a reader of photographs."""

    def new_game(self) -> None:
        """Forget what was on the board: another game begins, perhaps with its pieces in other places."""

    def read(self, image: Picture_contra) -> Reading:
        """Return the reading of the photograph."""

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        """Accept that cells held this in the last photograph (`companion.verdicts`)."""

    def booked(self, books: Mapping[Cell, Contents], colors: Collection[PlayerColor], walking: bool = False) -> None:
        """Accept that the books hold this after the last photograph's move, and that only these colours play.

        `walking`: in this game merchants leave the places where they stand.
        """


def load_evening(folder: Path) -> Evening:
    """Return the evening in that folder; raises BadInputError naming what is missing or wrong.

    Every photograph is looked for here, so that no evening stops half refereed because one is missing.
    """
    path = folder / "game.json"
    try:
        game = json.loads(contents(path).decode())
    except OSError as error:
        raise BadInputError(f"{path} cannot be read ({error.strerror}); an evening's folder holds game.json") from None
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{path} is not valid JSON ({error}); an evening's game.json is one JSON object") from None
    try:
        top = mapping(game, "the file")
        return Evening(folder, _game(top), _photos(top.get("photos"), folder))
    except BadInputError as error:
        raise BadInputError(f"{path}: {error}") from None


def referee(
    evening: Evening,
    photograph: Callable[[Path], Picture],
    reader: EveningReader[Picture],
    session: Session,
) -> Iterator[Line]:
    """Play the evening and yield one line for each photograph; `photograph` loads one from its file."""
    for photo in evening.photos:
        if photo.button is Button.DEAL:
            reader.new_game()
        line = see_photo(session, evening.game, photo, reader.read(photograph(evening.folder / photo.name)))
        confirm(reader, line.events)
        yield line


def see_photo(session: Session, game: StartGame, photo: Photo, reading: Reading) -> Line:
    """Show the session one photograph's reading, press its button and return what the referee says."""
    session.see(reading)
    commands: dict[Button, Command] = {Button.DEAL: game, Button.DONE: Done()}
    command = commands.get(photo.button)
    return _line(session, photo, () if command is None else session.obey(command))


def decide(session: Session, game: StartGame, judged: Line, command: Command) -> Line:
    """Do what a person decides after a photograph and return what the referee says then.

    `judged` is the photograph's own line, or the latest that has a word on its deal or move. If that word was a refusal
    or a question, correcting a cell has the photograph judged again. Raises BadInputError for anything that does not
    exist.
    """
    events = session.obey(command)
    if isinstance(command, CorrectCell) and all(word_of(event) is None for event in events):
        match judged.photo.button:
            case Button.DEAL if judged.word.kind == "deal" and judged.word.verdict != "legal":
                events += session.obey(game)
            case Button.DONE if session.awaits_done:
                events += session.obey(Done())
    return _line(session, judged.photo, events)


def _line(session: Session, photo: Photo, events: tuple[Event, ...]) -> Line:
    *earlier, last = [known for event in events if (known := word_of(event)) is not None] or [Word()]
    markers = {
        color: (marker.shown, marker.right)
        for event in events
        if isinstance(event, MarkersDiffer)
        for color, marker in event.markers.items()
    }
    return Line(photo, last, tuple(earlier), session.position, markers, events)


def word_of(event: Event) -> Word | None:
    """Return the event's word on a move; None if it has none."""
    if isinstance(event, CommandRefused) and event.code == "game-over":
        return Word("none", None, "illegal", ("game-over",))
    move = move_of(event)
    if move is None:
        return None
    # In the records, calling an unfinished turn done breaks a rule.
    verdict = "illegal" if move.verdict == "unfinished" else move.verdict
    codes = tuple(sorted({reason.code for reason in move.reasons}))
    of_reasons = {cell for reason in move.reasons for cell in reason.cells}
    cells = tuple(map(str, move.cells)) if verdict in ("hidden", "unclear") else tuple(sorted(map(str, of_reasons)))
    return Word(move.kind, move.player, verdict, codes, cells)


def _by_seat(position: Position, numbers: Mapping[PlayerColor, int]) -> dict[str, int]:
    return {str(player.color): numbers[player.color] for player in position.players if player.color in numbers}


def _game(game: Mapping[str, Any]) -> StartGame:
    rules = game.get("rules")
    if not isinstance(rules, str):
        raise BadInputError(f"rules is {rules!r}; it should be the name of a rule set, such as standard")
    players = game.get("players")
    if not isinstance(players, list) or not players:
        raise BadInputError(f"players is {players!r:.60}; it should be a list of players, clockwise")
    start = StartGame(
        tuple(_player(player, f"player {index}") for index, player in enumerate(players, 1)),
        rules,
        mapping(game.get("options", {}), "options"),
    )
    # Check rules, seats and options before the first photograph is read; the deal does not matter yet.
    rule_set(rules).check(start.players, start.options)
    return start


def _player(value: object, where: str) -> Player:
    player = mapping(value, where)
    name = player.get("name")
    if not isinstance(name, str) or not name:
        raise BadInputError(f"{where}: name is {name!r}; it should be a name")
    color = player.get("color")
    if not isinstance(color, str) or not color:
        raise BadInputError(f"{where}: color is {color!r:.60}; it should be the colour of a player")
    return Player(name, player_color(color))


def _photos(value: object, folder: Path) -> tuple[Photo, ...]:
    if not isinstance(value, list) or not value:
        raise BadInputError(f"photos is {value!r:.60}; it should be a list of photographs, oldest first")
    photos = []
    for index, listed in enumerate(value, 1):
        entry = mapping(listed, f"photo {index}")
        name = entry.get("photo")
        if not isinstance(name, str) or Path(name).name != name:
            raise BadInputError(f"photo {index} is {name!r}; it should be the name of a file in {folder}")
        photos.append(Photo(name, word(Button, entry.get("button"), f"photo {name}: button")))
    missing = [photo.name for photo in photos if not (folder / photo.name).is_file()]
    if missing:
        raise BadInputError(f"{len(missing)} of {len(photos)} photographs are missing in {folder}, first {missing[0]}")
    if photos[0].button is not Button.DEAL:
        raise BadInputError(f"photo {photos[0].name}: button is {photos[0].button}; an evening begins with a deal")
    return tuple(photos)
