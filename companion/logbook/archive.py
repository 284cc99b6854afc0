"""What the logbook holds, to be looked up: games, events, rulings, and the pictures before and after each.

A game can also be told step by step: the verdict on each move, the position then, and what was on the board.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from companion import events
from companion.board import BadInputError, Cell, Contents, PlayerColor, player_color
from companion.board.fields import mapping
from companion.games.contract import Dealt, Player, Position, Reason
from companion.logbook.folder import PICTURE, PICTURES
from companion.logbook.opening import opened_to_read
from companion.logbook.people import Note, clash, people_in
from companion.logbook.rows import DamagedError, LoggedEvent, Rows
from companion.plain import Forms
from companion.system.durable import contents
from companion.verdicts import move_of, position_after


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's place in a game; `gold` and `won` (a share of 1 if several won) are None until the game is over."""

    name: str
    color: PlayerColor
    gold: int | None
    won: float | None


@dataclass(frozen=True, slots=True)
class LoggedGame:
    """One game of the logbook; `outcome` is playing, over, early or left; times are UTC; seats are clockwise."""

    number: int
    began: str
    ended: str | None
    outcome: str
    place: str
    rules: str
    seats: tuple[Seat, ...]
    moves: int
    pictures: int


@dataclass(frozen=True, slots=True)
class Photo:
    """A picture that was kept: its JPEG, when it was taken, and the events it was taken at, `first` to `last`."""

    number: int
    path: Path
    at: str
    first: int
    last: int

    @property
    def notes(self) -> dict[str, Any]:
        """What the reader read in it, as FORMAT.md writes a reading, and `centres`; raises BadInputError."""
        path = self.path.with_suffix(".json")
        try:
            return mapping(json.loads(contents(path).decode()), str(path))
        except (OSError, ValueError, RecursionError) as error:
            raise BadInputError(f"{path} cannot be read ({error}); the picture's reading is lost") from None

    def centres_px(self) -> dict[str, tuple[float, float]]:
        """Return the cells' centres in it, by name, (right, down); empty if that is lost."""
        try:
            return {name: (float(x), float(y)) for name, (x, y) in self.notes["centres"].items()}
        except (BadInputError, KeyError, TypeError, ValueError, AttributeError):
            return {}


@dataclass(frozen=True, slots=True)
class Ruling:
    """A ruling on a deal, or on a workshop or turn of that player, with all reasons; `cells` are what it is about.

    `before` is the picture of the position that held, `after` the one that was judged; None if it no longer exists.
    `is_undone`: it was taken back later.
    """

    number: int
    game: int | None
    at: str
    kind: str
    player: PlayerColor | None
    verdict: str
    reasons: tuple[Reason, ...]
    cells: tuple[Cell, ...]
    before: Photo | None
    after: Photo | None
    is_undone: bool = False

    def box_px(self, photo: Photo, margin_cells: float = 2.0) -> tuple[int, int, int, int] | None:
        """Return the part of the picture with the cells and their surroundings: left, top, right, bottom, in pixels.

        None if their place in the picture is not known. The box may extend beyond the picture.
        """
        centres = photo.centres_px()
        points = [centres[str(cell)] for cell in self.cells if str(cell) in centres]
        if not points:
            return None
        step = _step_px(centres) * margin_cells
        across, down = zip(*points, strict=True)
        return round(min(across) - step), round(min(down) - step), round(max(across) + step), round(max(down) + step)


class Archive:
    """Looks things up through a read-only connection. Methods raise BadInputError for what does not exist.

    Players have the names that they go by now (`people`).
    """

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._connection, self._pictures = connection, folder / PICTURES
        self.people = people_in(connection)
        self._rows = Rows(connection, self.people)

    def games(self) -> tuple[LoggedGame, ...]:
        """Return all games, oldest first."""
        return self._games("TRUE")

    def count(self) -> int:
        """Return the number of games."""
        ((count,),) = self._all("SELECT count(*) FROM games")
        return int(count)

    def newest(self, most: int, skip: int = 0) -> tuple[LoggedGame, ...]:
        """Return up to `most` of the latest games, the latest first, after leaving out `skip` of them."""
        return self._games("id IN (SELECT id FROM games ORDER BY id DESC LIMIT ? OFFSET ?)", most, skip)[::-1]

    def game(self, name: str) -> LoggedGame:
        """Return the game of that number, or the "last" one."""
        ((first, last),) = self._all("SELECT min(id), max(id) FROM games")
        if first is None:
            raise BadInputError("the logbook holds no game yet")
        number = last if name == "last" else int(name) if name.isascii() and name.isdigit() and len(name) < 19 else 0
        games = self._games("id = ?", number)
        if not games:
            raise BadInputError(
                f"game {name!r:.20} is not in the logbook; it holds {first} to {last}, and `last` is the latest"
            )
        return games[0]

    def ending(self, game: int) -> tuple[Any, Any] | None:
        """Return what was dealt and the position at the game's end, as plain JSON values; None if either is lost."""
        over = "SELECT event FROM events WHERE game = ? AND kind = 'GameOver' ORDER BY id DESC LIMIT 1"
        position = "SELECT ground, position FROM games JOIN positions ON positions.id = ? WHERE games.id = ?"
        with suppress(ValueError, TypeError, KeyError, RecursionError, OverflowError):
            for (event,) in self._all(over, game):
                for dealt, held in self._all(position, int(json.loads(event)["position"]), game):
                    return json.loads(dealt), json.loads(held)
        return None

    def ground(self, game: int) -> Dealt:
        """Return the board as it was dealt."""
        return self._rows.game(game)[1]

    def options(self, game: int) -> Mapping[str, object]:
        """Return the house rules that were in force."""
        return self._rows.game(game)[0].options

    def events(self, game: int) -> Iterator[LoggedEvent]:
        """Yield all events of a game, oldest first; raises BadInputError at one that is damaged."""
        try:
            yield from self._rows.events(game)
        except sqlite3.Error as error:
            raise DamagedError(f"the events of game {game} cannot be read ({error})") from None

    def newest_event(self, game: int) -> int:
        """Return the number of the last event of a game; 0 if none is left."""
        ((newest,),) = self._all("SELECT coalesce(max(id), 0) FROM events WHERE game = ?", game)
        return int(newest)

    def undone(self, game: int) -> frozenset[int]:
        """Return the numbers of the events of a game whose moves were taken back later."""
        rows = self._all("SELECT event FROM moves WHERE game = ? AND undone_by NOT NULL", game)
        return frozenset(event for (event,) in rows)

    def latest_ruling(self) -> tuple[int, int] | None:
        """Return the latest ruling on a game: the numbers of the game and of the event; None before the first."""
        rows = self._all("SELECT game, event FROM moves WHERE game NOT NULL ORDER BY event DESC LIMIT 1")
        return (rows[0][0], rows[0][1]) if rows else None

    def rulings(self, game: int) -> tuple[Ruling, ...]:
        """Return all rulings in a game, oldest first."""
        numbers = self._all("SELECT event FROM moves WHERE game = ? ORDER BY event", game)
        return tuple(self.ruling(number) for (number,) in numbers)

    def ruling(self, event: int) -> Ruling:
        """Return the ruling at that event, with the pictures before and after."""
        rows = self._all(
            "SELECT moves.game, events.at, moves.kind, player, verdict, reasons, cells, before, after, undone_by "
            "FROM moves LEFT JOIN events ON events.id = moves.event WHERE moves.event = ?",
            event,
        )
        if not rows:
            raise BadInputError(f"event {event} is not a ruling")
        game, at, kind, player, verdict, reasons, cells, before, _, undone_by = rows[0]
        shown = self._photo(event)
        board = self._rows.game(game)[1].board if game is not None else None
        try:
            return Ruling(
                event,
                game,
                at or "",
                kind,
                None if player is None else player_color(player),
                verdict,
                Forms().read(tuple[Reason, ...], json.loads(reasons)),
                () if board is None else tuple(board.cell(name) for name in json.loads(cells)),
                self._before(game, before, event if shown is None else shown.first),
                shown,
                undone_by is not None,
            )
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise DamagedError(f"the ruling at event {event} is not what was written ({error})") from None

    def clash(self, note: Note) -> int | None:
        """Return the first game in which two players would share a name if that were noted; None if there is none."""
        return clash(self.people.with_note(note), self._all("SELECT game, name, color FROM seats"))

    def is_photographed(self, game: int) -> bool:
        """Whether pictures were taken of the game, kept or not; otherwise the game was kept by hand."""
        ((count,),) = self._all("SELECT count(*) FROM pictures WHERE game = ?", game)
        return bool(count)

    def photos(self, game: int) -> tuple[Photo, ...]:
        """Return the pictures of a game that still exist, oldest first."""
        return tuple(self._photos("game = ?", game))

    def _before(self, game: int | None, position: int | None, first: int) -> Photo | None:
        """Return the newest picture, older than event `first`, of the position, or of one that led to it."""
        while game is not None and position is not None:
            made = self._all("SELECT event, before FROM moves WHERE after = ? ORDER BY event LIMIT 1", position)
            if not made:
                return None
            event, previous = made[0]
            if event < first and (photo := self._photo(event)) is not None:
                return photo
            if event < first or previous == position:
                return None
            position = previous
        return None

    def _photo(self, event: int) -> Photo | None:
        return next(self._photos("first <= ? AND last >= ?", event, event), None)

    def _photos(self, where: str, *values: int) -> Iterator[Photo]:
        """Yield the pictures that exist; a damaged row may name a file that is not one of our pictures."""
        query = f"SELECT id, file, at, first, last FROM pictures WHERE {where} AND file NOT NULL ORDER BY id"
        for number, file, at, first, last in self._all(query, *values):
            if PICTURE.fullmatch(str(file)) and (path := self._pictures / file).is_file():
                yield Photo(number, path, at, first, last)

    def _games(self, where: str, *values: int) -> tuple[LoggedGame, ...]:
        """Return the games that match, oldest first."""
        query = (
            "SELECT id, began, ended, outcome, place, rules, "
            "(SELECT count(*) FROM moves WHERE game = games.id AND verdict IN ('legal', 'accepted') AND kind != 'deal' "
            "AND undone_by IS NULL), (SELECT count(*) FROM pictures WHERE game = games.id AND file IS NOT NULL) "
            f"FROM games WHERE {where} ORDER BY id"
        )
        seats: dict[int, list[Seat]] = {}
        for game, name, color, gold, won in self._all(
            "SELECT game, name, color, gold, won FROM seats "
            f"WHERE game IN (SELECT id FROM games WHERE {where}) ORDER BY game, seat",
            *values,
        ):
            with suppress(ValueError):  # a damaged row
                (player,) = self.people.seated(game, (Player(name, player_color(color)),))
                seats.setdefault(game, []).append(Seat(player.name, player.color, gold, won))
        return tuple(
            LoggedGame(number, began, ended, outcome, place, rules, tuple(seats.get(number, ())), moves, pictures)
            for number, began, ended, outcome, place, rules, moves, pictures in self._all(query, *values)
        )

    def _all(self, query: str, *values: object) -> Sequence[tuple[Any, ...]]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise DamagedError(f"the logbook cannot be read ({error})") from None


@contextmanager
def opened_archive(folder: Path) -> Iterator[Archive]:
    """Yield the archive in that folder, even while a companion writes there; raises BadInputError if there is none."""
    with opened_to_read(folder) as connection:
        yield Archive(connection, folder)


def _step_px(centres: dict[str, tuple[float, float]]) -> float:
    """Return the largest distance between the centres of two neighbours in a row."""
    names = [(f"{name[0]}{int(name[1:]) + 1}", at) for name, at in centres.items()]
    return max((abs(centres[beside][0] - x) for beside, (x, _) in names if beside in centres), default=60.0)


@dataclass(frozen=True, slots=True)
class StoryStep:
    """One step in telling a game: a verdict, a decision of people, or the end.

    `kind` is start, legal, illegal, unfinished, accepted, unclear, hidden, undone, set-back, corrected, reread or over.
    `position` holds from then on; `laid` is what differed from it and was refused; `cells` are those that the step is
    about; `who` wanted it. `is_ruling`: it can be looked up as one. `is_undone`: it was taken back later.
    """

    event: events.Event
    number: int
    at: str
    kind: str
    position: Position
    player: PlayerColor | None = None
    laid: Mapping[Cell, Contents] = field(default_factory=dict)
    cells: tuple[Cell, ...] = ()
    is_ruling: bool = False
    is_undone: bool = False
    who: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """The steps of a game, the deal first; `is_whole` is False if later ones are damaged.

    `is_by_hand`: no pictures were taken, and people entered what was on the board. Entering it is no step of its own.
    """

    steps: tuple[StoryStep, ...]
    is_whole: bool = True
    is_by_hand: bool = False

    @property
    def rulings(self) -> tuple[StoryStep, ...]:
        """Only the verdicts."""
        return tuple(step for step in self.steps if step.is_ruling)


def story_of(archive: Archive, game: int) -> Story:
    """Return all steps of the game, as far as they can be read."""
    undone, steps = archive.undone(game), list[StoryStep]()
    is_by_hand = not archive.is_photographed(game)
    try:
        for entry in archive.events(game):
            held = position_after(entry.event) or (steps[-1].position if steps else None)
            step = None if held is None else _step(entry, held, entry.number in undone)
            if step is not None and not (is_by_hand and step.kind == "corrected"):
                steps.append(step)
    except BadInputError:
        return Story(tuple(steps), False, is_by_hand)
    return Story(tuple(steps), True, is_by_hand)


def photo_of(photos: tuple[Photo, ...], event: int) -> Photo | None:
    """Return the picture taken at that event."""
    return next((photo for photo in photos if photo.first <= event <= photo.last), None)


def latest_photo(photos: tuple[Photo, ...], event: int) -> Photo | None:
    """Return the newest picture that was taken at that event, or before it."""
    return max((photo for photo in photos if photo.first <= event), key=lambda photo: photo.first, default=None)


#: Events that are told although they are not verdicts, and their kinds.
_DECISIONS = {
    events.MovesUndone: "undone",
    events.GameSetBack: "set-back",
    events.CellReread: "reread",
    events.CellCorrected: "corrected",
    events.GameOver: "over",
}


def _step(entry: LoggedEvent, held: Position, is_undone: bool) -> StoryStep | None:
    event, move = entry.event, move_of(entry.event)
    told = StoryStep(event, entry.number, entry.at, "", held, who=entry.who)
    if move is not None:
        kind = "start" if isinstance(event, events.GameDealt) else move.verdict
        laid = (
            {cell: each.now for cell, each in event.change.cells.items()}
            if isinstance(event, events.MoveRefused)
            else {}
        )
        cells = tuple(dict.fromkeys(cell for reason in move.reasons for cell in reason.cells)) or move.cells
        return replace(told, kind=kind, player=move.player, laid=laid, cells=cells, is_ruling=True, is_undone=is_undone)
    if type(event) not in _DECISIONS:
        return None
    player = event.player if isinstance(event, events.MovesUndone) else None
    cells = (event.cell,) if isinstance(event, events.CellCorrected | events.CellReread) else ()
    return replace(told, kind=_DECISIONS[type(event)], player=player, cells=cells)
