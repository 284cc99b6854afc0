"""Lost positions, worked out again from the position before a move, what the move laid, and the rules.

A position takes far more room than the event that made it, so a torn page often costs nothing but positions. They are
written again under their own numbers, so that events, moves and states that name them mean the same as before. A game
whose own row is lost is written again, too: its deal repeats what was dealt, and to whom. If nothing says how the board
stood after the last events, the game is set back.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from companion import events
from companion.board import BARE, BadInputError, CellChange, Change, Color, Contents, Merchants, Workshop
from companion.commands import StartGame
from companion.games import rule_set, score
from companion.games.contract import Legal
from companion.logbook.ledger import Entry, Ledger, sound, written_at
from companion.logbook.rows import Place, Rows, checked, made_by
from companion.logbook.schema import named, sum_of, transaction
from companion.plain import Forms
from companion.session.misreading import replayed
from companion.session.state import State

#: The deals of games whose own row is lost.
_LOST_GAMES = "SELECT * FROM events WHERE kind = 'GameDealt' AND game NOT IN (SELECT id FROM games) ORDER BY id"

_text = json.JSONEncoder(separators=(",", ":")).encode


def reckon(connection: sqlite3.Connection, step: Callable[[], object] = lambda: None) -> int:
    """Write every lost position that follows from what is there; return how many. `step` is called after each game."""
    count = 0
    for row in list(named(connection.execute(_LOST_GAMES))):
        with suppress(BadInputError), transaction(connection):
            _bring_back(connection, row)
    for (number,) in connection.execute("SELECT id FROM games ORDER BY id").fetchall():
        with suppress(BadInputError), transaction(connection):
            count += _Game(connection, number).reckon()
        step()
    return count


def set_back(connection: sqlite3.Connection, place: Place) -> Place:
    """Let the game go on at that place although there are later events; return the place once that is written.

    They are kept, but nothing may be worked out from them any more: it would contradict what happens from now on.
    """
    with transaction(connection):
        for table in ("moves", "states"):
            connection.execute(f"DELETE FROM {table} WHERE event > ?", (place.event,))
        connection.execute("UPDATE moves SET undone_by = NULL WHERE undone_by > ?", (place.event,))
    state = place.state or State()
    written = Ledger(connection, place=place).write(
        Entry((events.GameSetBack(place.event, state.position),), state, written_at(datetime.now(UTC)))
    )
    assert written is not None, "an event is something new"
    return replace(place, state=state, event=written.last, is_newest=True)


def _bring_back(connection: sqlite3.Connection, dealt: Mapping[str, Any]) -> None:
    """Write the row of a game and its seats from its deal, with the players who were named since.

    Raises BadInputError for an old deal that does not say all that.
    """
    plain, forms, number = json.loads(checked("events", dealt)["event"]), Forms(), dealt["game"]
    game, ground = forms.read(StartGame, plain["game"]), forms.read_ground(plain.get("ground"))
    query = "SELECT * FROM events WHERE game = ? AND kind = 'PlayersNamed' ORDER BY id"
    for since in list(named(connection.execute(query, (number,)))):
        told = forms.read(events.PlayersNamed, json.loads(checked("events", since)["event"]))
        game = replace(game, players=told.players)
    texts = (_text(forms.write(StartGame, game)), _text(forms.write_ground(ground)))
    row = (number, dealt["at"], str(plain.get("place", "")), game.rules, *texts)
    connection.execute(
        "INSERT INTO games (id, began, place, rules, game, ground, sum) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*row, sum_of(*row)),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO seats (game, seat, name, color) VALUES (?, ?, ?, ?)",
        [(number, seat, sound(one.name), str(one.color)) for seat, one in enumerate(game.players, 1)],
    )
    # It counts as left if another was dealt since, unless an event tells its end.
    connection.execute(
        "UPDATE games SET outcome = 'left', ended = (SELECT min(began) FROM games WHERE id > ?1) "
        "WHERE id = ?1 AND EXISTS (SELECT 1 FROM games WHERE id > ?1)",
        (number,),
    )


class _Game:
    """A game whose events are gone through, oldest first. Raises BadInputError for one that cannot be read."""

    def __init__(self, connection: sqlite3.Connection, number: int) -> None:
        self._connection, self._number, self._rows = connection, number, Rows(connection)
        self._game, self._ground = self._rows.game(number)
        self._rules = rule_set(self._game.rules)
        position = self._rules.start(self._ground, self._game.players, self._game.options)
        self._dealt = State(self._game, position, marks=dict.fromkeys(position.days, 0))
        self._forms = Forms(read_position=lambda _: position)
        #: The number of the position that holds, and the event since which that is known.
        self._held: int | None = None
        self._since = 0

    def reckon(self) -> int:
        """Write what is lost; return how many positions that were."""
        count = 0
        query = "SELECT * FROM events WHERE game = ? ORDER BY id"
        for row in list(named(self._connection.execute(query, (self._number,)))):
            plain = json.loads(checked("events", row)["event"])
            number = plain.get("position") if plain["is"] == "MoveRefused" else made_by(plain)
            if number is None:
                continue
            if not self._is_there(number):
                if not self._is_reckoned(row["id"], number, plain):
                    self._held = None
                    continue
                count += 1
            self._held, self._since = number, row["id"]
            if plain["is"] == "GameOver":
                self._end(row, number, is_early=bool(plain.get("early")))
        return count

    def _end(self, told: Mapping[str, Any], number: int, *, is_early: bool) -> None:
        """Write how the game ended, if that is lost; a game that went on after all has no end."""
        ((is_last,),) = self._connection.execute(
            "SELECT NOT EXISTS (SELECT 1 FROM events WHERE game = ?1 AND kind IN ('MovesUndone', 'GameSetBack') "
            "AND id > ?2)",
            (self._number, told["id"]),
        )
        if not is_last:
            return
        self._connection.execute(
            "UPDATE games SET outcome = ?, ended = ? WHERE id = ? AND outcome NOT IN ('over', 'early')",
            ("early" if is_early else "over", told["at"], self._number),
        )
        counted = score(self._rows.position(number))
        self._connection.executemany(
            "UPDATE seats SET gold = ?, won = ? WHERE game = ? AND color = ? AND gold IS NULL",
            [(gold, (color in counted.winners) / max(1, len(counted.winners)), self._number, str(color))
             for color, gold in counted.gold.items()],
        )  # fmt: skip

    def _is_there(self, number: int) -> bool:
        try:
            self._rows.position(number)
        except BadInputError:
            return False
        return True

    def _is_reckoned(self, event: int, number: int, plain: dict[str, Any]) -> bool:
        """Write the position that the event made, if it follows from the one before it."""
        try:
            happened: events.Event = self._forms.read(events.Event, plain)  # type: ignore[arg-type]
        except BadInputError:
            return False  # the rest of the game may follow all the same
        before = self._before(event)
        if isinstance(happened, events.GameDealt):
            after, previous = self._dealt, None
        elif before is None or not self._is_there(before):
            return False
        else:
            held = self._rows.state_at(before)
            later = self._after(held, happened)
            if later is None:
                return False
            # A reread move replaces the position that it had made, instead of following it.
            after, previous = later, before if len(later.history) > len(held.history) else self._rows.previous(before)
        self._write(number, previous, after)
        return True

    def _before(self, event: int) -> int | None:
        """Return the number of the position that held before the event; None if it is not known for certain."""
        for (before,) in self._connection.execute("SELECT before FROM moves WHERE event = ?", (event,)):
            if isinstance(before, int):
                return before
        between = "SELECT count(*) FROM events WHERE id > ? AND id < ?"
        (there,) = self._connection.execute(between, (self._since, event)).fetchone()
        return self._held if there == event - self._since - 1 else None

    def _after(self, state: State, happened: events.Event) -> State | None:
        """Return the state after the event; None if the rules do not lead from that position to it."""
        position = state.now
        match happened:
            case events.WorkshopPlaced(player=Color() as player, cell=cell) if player == position.next:
                lay = position.expected().get(cell, BARE)
                # The event does not say how many merchants were put on it, but only one number is legal.
                for count in range((position.merchants_left(player) or 0) + 1):
                    workshop = Contents(Workshop(player), Merchants.of({player: count}))
                    if (after := self._judged(state, Change({cell: CellChange(lay, workshop)}))) is not None:
                        return after
                return None
            case events.TurnTaken(player=player, change=change, left=left) if player == position.next:
                after = self._judged(state, Change(change.cells))
                return after if after is not None and after.now.days.get(player, left) == left else None
            case events.MoveAccepted(player=player, change=change) if player == position.next:
                accepted = self._rules.accept_change(position, Change(change.cells))
                return None if accepted is None else state.moved(accepted)
            case events.GameOver(early=True) if not position.over:
                return replace(state.moved(self._rules.end(position, state.marks)), marks=state.marks)
            case events.CellReread(cell=cell, seen=seen, moves=1) if state.history:
                lies = [past.position.expected() for past in state.history] + [position.expected()]
                return replayed(self._rules, state, lies, len(state.history) - 1, {cell: seen})
            case _:
                return None

    def _judged(self, state: State, change: Change) -> State | None:
        verdict = self._rules.judge(state.now, change)
        return state.moved(verdict.after) if isinstance(verdict, Legal) else None

    def _write(self, number: int, previous: int | None, state: State) -> None:
        forms = Forms()
        marks = {str(color): field for color, field in state.marks.items()}
        row = (number, self._number, previous, _text(marks), _text(forms.write_position(state.now)))
        self._connection.execute("INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?, ?, ?)", (*row, sum_of(*row)))
