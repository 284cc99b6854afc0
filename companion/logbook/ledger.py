"""The writing side of the logbook's tables: entries in, rows out, each entry in one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from companion.board import BadInputError, PlayerColor
from companion.commands import StartGame
from companion.events import CellReread, Event, GameDealt, GameOver, GameSetBack, MovesUndone, PlayersNamed
from companion.games import score
from companion.games.contract import Position, Reason
from companion.logbook.people import FORGOTTEN_NOTE, Note, idle, people_in, written
from companion.logbook.rows import Place, positions_of
from companion.logbook.schema import FORGOTTEN, KEPT_STATES, NUMBERED, OF_A_GAME, sum_of, transaction
from companion.plain import Forms
from companion.session import State
from companion.verdicts import MOVING, move_of, position_after


@dataclass(frozen=True, slots=True)
class Entry:
    """What happened in one go: the events, the state that they led to, who wanted it and when (UTC)."""

    events: Sequence[Event]
    state: State
    at: str
    who: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """The rows of an entry: its game (None: no game is on) and its events, from `first` to `last`."""

    game: int | None
    first: int
    last: int


class Ledger:
    """Writes entries; `state` is the last one's. Belongs to one thread; nobody else writes to `connection`.

    Rows are numbered here, so that an entry that failed and is tried again becomes the same rows.
    """

    def __init__(self, connection: sqlite3.Connection, table: str = "", place: Place | None = None) -> None:
        place = place or Place()
        self._connection, self._table = connection, table
        self._game, self.state = place.game, place.state
        held = positions_of(place.state) if place.state is not None else ()
        self._used: set[int] = set()
        self._ids = {id(position): (position, number) for position, number in zip(held, place.ids, strict=False)}
        self._next = {name: self._following(name) for name in ("games", "positions", "events", "states")}
        self._forms = Forms(write_position=self._number)

    @property
    def newest(self) -> int:
        """The number of the last event written; 0 before the first."""
        return self._next["events"] - 1

    @property
    def newest_picture(self) -> int:
        """The number of the last picture written; 0 before the first."""
        return self._following("pictures") - 1

    def write(self, entry: Entry) -> Written | None:
        """Write the entry; it is on the disk on return. None if there was nothing new.

        Raises sqlite3.Error if that fails: then nothing of the entry is written.
        """
        if not entry.events and entry.state == self.state:
            return None
        before = (self._game, self.state, dict(self._ids), dict(self._next))
        try:
            with transaction(self._connection):
                return self._write(entry)
        except BaseException:
            self._game, self.state, self._ids, self._next = before
            raise

    def note(self, note: Note, at: str, who: str = "") -> int:
        """Write a note about a person, of no game; it is on the disk on return. Returns the event's number.

        Raises sqlite3.Error if that fails: then nothing is written.
        """
        number = self._next["events"]
        plain = written(note)
        row = (number, None, at, sound(who), str(plain["is"]), _text(plain))
        with transaction(self._connection):
            self._connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, sum_of(*row)))
        self._next["events"] = number + 1
        return number

    def write_picture(
        self, number: int, written: Written, at: str, file: str | None, given_up: Sequence[int] = ()
    ) -> None:
        """Write where the picture of those events is (None: there was no room), and which ones were deleted for it."""
        row = (number, written.game, written.first, written.last, at, file)
        with transaction(self._connection):
            self._connection.execute("INSERT INTO pictures VALUES (?, ?, ?, ?, ?, ?)", row)
            self._connection.executemany("UPDATE pictures SET file = NULL WHERE id = ?", [(one,) for one in given_up])

    def check_forgettable(self, game: int, *, pictures_only: bool = False) -> None:
        """Raise BadInputError for a game that is not there, and for the newest one, which the table goes on with."""
        ((is_there, newest),) = self._connection.execute("SELECT max(id = ?), coalesce(max(id), 0) FROM games", (game,))
        if not is_there:
            wrong = f"game {game} is not in the logbook; name one that `strada games` lists"
            raise BadInputError(wrong, "no-such-game", game=game)
        if game == newest and not pictures_only:
            raise BadInputError(
                f"game {game} is the newest, with which the table goes on; it can be deleted once another is dealt",
                "newest-game",
                game=game,
            )

    def forget(self, game: int, *, pictures_only: bool = False) -> None:
        """Delete a game, or where its pictures are, and overwrite it in the file; raises sqlite3.Error.

        Its number is noted, so that the game is not taken for lost. The number is never used again, since there is a
        newer game (`check_forgettable`).
        """
        self._connection.execute("PRAGMA secure_delete = ON")
        with transaction(self._connection):
            if pictures_only:
                self._connection.execute("UPDATE pictures SET file = NULL WHERE game = ?", (game,))
                return
            for table in OF_A_GAME:
                self._connection.execute(f"DELETE FROM {table} WHERE game = ?", (game,))
            self._connection.execute("DELETE FROM games WHERE id = ?", (game,))
            self._connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (f"{FORGOTTEN}{game}", str(game)))
            self._forget_people()

    def _forget_people(self) -> None:
        """Overwrite the notes about people who are no longer in any game; the notes' numbers stay taken."""
        seats = self._connection.execute("SELECT game, name, color FROM seats").fetchall()
        for number in idle(people_in(self._connection), seats):
            ((at,),) = self._connection.execute("SELECT at FROM events WHERE id = ?", (number,))
            row = (None, at, "", FORGOTTEN_NOTE, _text({"is": FORGOTTEN_NOTE}))
            self._connection.execute(
                "UPDATE events SET game = ?, at = ?, who = ?, kind = ?, event = ?, sum = ? WHERE id = ?",
                (*row, sum_of(number, *row), number),
            )

    def outworn(self, before: str) -> int | None:
        """Return the oldest game with pictures that ended before that time (UTC); never the newest game."""
        ((game,),) = self._connection.execute(
            "SELECT min(games.id) FROM games JOIN pictures ON pictures.game = games.id WHERE file NOT NULL "
            "AND outcome != 'playing' AND coalesce(ended, began) < ? AND games.id < (SELECT max(id) FROM games)",
            (before,),
        )
        return None if game is None else int(game)

    def _write(self, entry: Entry) -> Written:
        state, first = entry.state, self._next["events"]
        held = None if self.state is None else self.state.position
        if state.position is None:
            self._game = None
        elif not any(isinstance(event, GameDealt) for event in entry.events):
            if self._game is None and state.game is not None:  # the books were started over in the middle of a game
                self._begin(state.game, state.position, entry.at)
            elif any(isinstance(event, PlayersNamed) for event in entry.events):
                self._name(state)
            self._write_positions(state)
        for event in entry.events:
            if isinstance(event, GameDealt):
                self._begin(event.game, event.position, entry.at)
                self._write_positions(state)
                held = None
            held = self._event(event, held, entry)
        self._keep(state, self._next["events"] - 1)
        return Written(self._game, first, self._next["events"] - 1)

    def _begin(self, game: StartGame, position: Position, at: str) -> None:
        """Begin a game; the one before counts as left if it is not over."""
        self._connection.execute("UPDATE games SET outcome = 'left', ended = ? WHERE outcome = 'playing'", (at,))
        forms, number = Forms(), self._new("games")
        plain, ground = _text(forms.write(StartGame, game)), _text(forms.write_ground(position.ground))
        row = (number, at, self._table, game.rules, plain, ground)
        self._connection.execute(
            "INSERT INTO games (id, began, place, rules, game, ground, sum) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*row, sum_of(*row)),
        )
        self._connection.executemany(
            "INSERT INTO seats (game, seat, name, color) VALUES (?, ?, ?, ?)",
            [(number, seat, sound(one.name), str(one.color)) for seat, one in enumerate(game.players, 1)],
        )
        self._game, self._ids = number, {}

    def _name(self, state: State) -> None:
        """Write who plays. The positions stay as they were written: they are read with the names of their game."""
        assert state.game is not None
        plain = _text(Forms().write(StartGame, state.game))
        query = "SELECT id, began, place, rules, ground FROM games WHERE id = ?"
        for number, began, place, rules, ground in self._connection.execute(query, (self._game,)).fetchall():
            check = sum_of(number, began, place, rules, plain, ground)
            self._connection.execute("UPDATE games SET game = ?, sum = ? WHERE id = ?", (plain, check, number))
        self._connection.executemany(
            "UPDATE seats SET name = ? WHERE game = ? AND color = ?",
            [(sound(one.name), self._game, str(one.color)) for one in state.game.players],
        )
        before, now = ([] if self.state is None else _held(self.state)), _held(state)
        if len(before) == len(now):
            for old, new in zip(before, now, strict=True):
                if (known := self._ids.get(id(old))) is not None:
                    self._ids[id(new)] = new, known[1]

    def _event(self, event: Event, held: Position | None, entry: Entry) -> Position | None:
        """Write one event, and the move that it is the verdict on; return the position that then holds."""
        number, after = self._new("events"), position_after(event)
        plain = self._forms.write(Event, event)
        if isinstance(event, GameDealt):  # a second time, on another page than the game's own row: reckoning.py
            plain |= {"ground": self._forms.write_ground(event.position.ground), "place": self._table}
        row = (number, self._game, entry.at, sound(entry.who), str(plain["is"]), _text(plain))
        self._connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, sum_of(*row)))
        if (move := move_of(event)) is not None:
            reasons = self._forms.write(tuple[Reason, ...], move.reasons)
            ids = [None if position is None else self._number(position) for position in (held, after or held)]
            self._connection.execute(
                "INSERT INTO moves (event, game, kind, player, verdict, reasons, cells, cost, days_left, before, after)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (number, self._game, move.kind, move.player and str(move.player), move.verdict, _text(reasons),
                 _text([str(cell) for cell in move.cells]), move.cost, move.days_left, *ids),
            )  # fmt: skip
        match event:
            case MovesUndone(moves=moves):
                self._undo(number, moves)
            case GameSetBack(position=position) if position is not None and not position.over:
                self._undo(number, 0)
            case GameOver(winners=winners, position=position, early=early):
                self._end("early" if early else "over", winners, position, entry.at)
            case CellReread(position=position) if position.over:
                self._end("over", score(position).winners, position, entry.at)
        return after or held

    def _undo(self, event: int, moves: int) -> None:
        """Mark the latest moves as taken back; a game that was over goes on."""
        self._connection.execute(
            "UPDATE moves SET undone_by = ? WHERE event IN (SELECT event FROM moves WHERE game = ? AND "
            f"undone_by IS NULL AND kind != 'deal' AND verdict IN {MOVING} ORDER BY event DESC LIMIT ?)",
            (event, self._game, moves),
        )
        self._connection.execute("UPDATE games SET ended = NULL, outcome = 'playing' WHERE id = ?", (self._game,))
        self._connection.execute("UPDATE seats SET gold = NULL, won = NULL WHERE game = ?", (self._game,))

    def _end(self, outcome: str, winners: Sequence[PlayerColor], position: Position, at: str) -> None:
        """Write how the game ended; a full tie is shared."""
        self._connection.execute(
            "UPDATE games SET ended = coalesce(ended, ?), outcome = ? WHERE id = ?", (at, outcome, self._game)
        )
        self._connection.executemany(
            "UPDATE seats SET gold = ?, won = ? WHERE game = ? AND color = ?",
            [(gold, (color in winners) / max(1, len(winners)), self._game, str(color))
             for color, gold in score(position).gold.items()],
        )  # fmt: skip

    def _keep(self, state: State, event: int) -> None:
        """Write the state; all but the newest few are deleted."""
        game = self._game if state.position is not None else None
        self._used = set()
        row = (self._new("states"), game, event, _text(self._forms.write(State, state)))
        self._connection.execute("INSERT INTO states VALUES (?, ?, ?, ?, ?)", (*row, sum_of(*row)))
        self._connection.execute("DELETE FROM states WHERE id <= ?", (row[0] - KEPT_STATES,))
        self.state = state
        self._ids = {key: known for key, known in self._ids.items() if key in self._used}

    def _write_positions(self, state: State) -> None:
        """Write the positions of the game that are not written yet, each with the one before it."""
        previous = None
        for past in state.history:
            previous = self._number(past.position, previous, past.marks)
        if state.position is not None:
            self._number(state.position, previous, state.marks)

    def _number(
        self, position: Position, previous: int | None = None, marks: Mapping[PlayerColor, int] | None = None
    ) -> int:
        """Return the number of the position, after writing it if it is not written yet."""
        known = self._ids.get(id(position))
        self._used.add(id(position))
        if known is not None:
            return known[1]
        shown = _text({str(color): field for color, field in (marks or {}).items()})
        row = (self._new("positions"), self._game, previous, shown, _text(self._forms.write_position(position)))
        self._connection.execute("INSERT INTO positions VALUES (?, ?, ?, ?, ?, ?)", (*row, sum_of(*row)))
        self._ids[id(position)] = (position, row[0])
        return row[0]

    def _new(self, table: str) -> int:
        number = self._next[table]
        self._next[table] += 1
        return number

    def _following(self, table: str) -> int:
        """Return the number after the last one in this table, or in any row that refers to it."""
        queries = [f"SELECT max({column}) FROM {where}" for where, column in NUMBERED[table]]
        if table != "events":
            queries.append("SELECT value FROM about WHERE name = 'floor'")
        newest = [number for query in queries for (number,) in self._connection.execute(query)]
        return max(int(number or 0) for number in (0, *newest)) + 1


def written_at(at: datetime) -> str:
    """Return that time as the logbook writes it, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"


def _held(state: State) -> list[Position]:
    """Return the positions of a game that a state holds, in an order that does not depend on who plays."""
    positions = [] if state.position is None else [state.position]
    positions += [*(past.position for past in state.history), *state.undone]
    for rival in state.rivals:
        positions += [rival.position, *(past.position for past in rival.history)]
    return positions if state.given is None else [*positions, state.given[1]]


_text = json.JSONEncoder(separators=(",", ":")).encode


def sound(name: str) -> str:
    """Return the name without lone surrogates, which JSON can hold and UTF-8 cannot."""
    return name.encode("utf-8", "backslashreplace").decode()
