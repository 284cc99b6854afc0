"""`Recorder` listens to what happened at the table and keeps the game's record: every move tried, in order.

What is a move, and what a record leaves out, each game says for itself: `turns`, `sections`. A new deal begins a new
record.
"""

from __future__ import annotations

from collections.abc import Iterable

from companion.events import Event, GameDealt
from companion.games import rule_set
from companion.games.la_strada import LaStrada, LaStradaPosition
from companion.games.la_strada.record import Record as TurnsRecord
from companion.games.silk_road import SilkRoad, SilkRoadPosition
from companion.games.silk_road.record import Record as SectionsRecord
from companion.recording.sections import SectionsGame
from companion.recording.silk_road import silk_road_to_text
from companion.recording.turns import TurnsGame
from companion.recording.writing import turns_to_text

Record = TurnsRecord | SectionsRecord


class Recorder:
    """Keeps the record of the game at the table. `hear` belongs to one thread; any may ask for the `record`."""

    def __init__(self) -> None:
        self._game: TurnsGame | SectionsGame | None = None

    @property
    def record(self) -> Record | None:
        """The game as it stands; None before the first deal."""
        return None if self._game is None else self._game.record()

    def hear(self, events: Iterable[Event]) -> None:
        """Take down what happened, oldest first."""
        for event in events:
            if isinstance(event, GameDealt):
                self._game = _dealt(event)
            elif self._game is not None:
                self._game = self._game.after(event)


def record_to_text(record: Record) -> str:
    """Return the record as a text of JSON for people to read: a line for each part of it and for each move."""
    return turns_to_text(record) if isinstance(record, TurnsRecord) else silk_road_to_text(record)


def _dealt(event: GameDealt) -> TurnsGame | SectionsGame:
    match rule_set(event.game.rules), event.position:
        case LaStrada() as rules, LaStradaPosition() as position:
            return TurnsGame(rules, position)
        case SilkRoad() as rules, SilkRoadPosition() as position:
            return SectionsGame(rules, position, position)
        case _:
            raise AssertionError(f"{event.game.rules} dealt a position of another game")
