"""Game records: text becomes the referee's report (records/FORMAT.md).

`Recorder` follows the events at the table and keeps the game's record: every move tried, in order.

Each game says for itself which events are moves, and what a record leaves out: `companion.records.la_strada`,
`companion.records.silk_road`. A new deal begins a new record.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from companion.board import BadInputError
from companion.board.fields import mapping
from companion.events import Event, GameDealt
from companion.games import rule_set
from companion.games.la_strada import LaStrada, LaStradaPosition
from companion.games.silk_road import SilkRoad, SilkRoadPosition
from companion.records import la_strada as la_strada_record
from companion.records import silk_road as silk_road_record
from companion.records.form import FORMAT
from companion.records.la_strada import Record as TurnsRecord
from companion.records.la_strada import TurnsGame, turns_to_text
from companion.records.silk_road import Record as SectionsRecord
from companion.records.silk_road import SectionsGame, silk_road_to_text

_Json = dict[str, Any]


def referee(text: str) -> dict[str, Any]:
    """Return the verdicts and the account of a record; raises BadInputError naming what is wrong and where."""
    top = _top(text)
    return _REFEREES[top["game"]](top)


def read_record(text: str) -> la_strada_record.Record:
    """Return the La Strada record in the text; raises BadInputError for another format, game or rules."""
    top = _top(text)
    if top["game"] != "la-strada":
        raise BadInputError(f"game is {top['game']!r}; here it should be la-strada")
    return _la_strada(top)


def read_any_record(text: str) -> la_strada_record.Record | silk_road_record.Record:
    """Return the record in the text, of whichever game; raises BadInputError for another format or rules."""
    top = _top(text)
    return _READERS[top["game"]](top)


def _la_strada(top: _Json) -> la_strada_record.Record:
    rules = rule_set(str(top.get("rules")))
    assert isinstance(rules, LaStrada)
    return la_strada_record.read(top, rules)


#: The function that judges a record, by its `game`.
_REFEREES: Mapping[str, Callable[[_Json], _Json]] = {
    "la-strada": lambda top: la_strada_record.replay(_la_strada(top)),
    "silk-road": lambda top: silk_road_record.replay(silk_road_record.read(top)),
}


#: The function that reads a record, by its `game`.
_READERS: Mapping[str, Callable[[_Json], la_strada_record.Record | silk_road_record.Record]] = {
    "la-strada": _la_strada,
    "silk-road": silk_road_record.read,
}


def _top(text: str) -> _Json:
    """Return the JSON of a record, with its format and game checked."""
    try:
        value = json.loads(text, object_pairs_hook=_without_repeats)
    except BadInputError:
        raise
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"this is not JSON ({error}); a game record is one JSON object") from None
    top = mapping(value, "the record")
    if top.get("format") != FORMAT:
        raise BadInputError(f"format is {top.get('format')!r:.60}; this version reads {FORMAT}")
    game = top.get("game")
    if not (isinstance(game, str) and game in _REFEREES):
        raise BadInputError(f"game is {game!r:.60}; this version referees {', '.join(_REFEREES)}")
    return top


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise BadInputError(f"{repeated!r} is given twice in one JSON object; give it once")
    return values


Record = TurnsRecord | SectionsRecord


class Recorder:
    """Keeps the record of the game at the table. `hear` belongs to one thread; any may ask for the `record`."""

    def __init__(self) -> None:
        self._game: TurnsGame | SectionsGame | None = None

    @property
    def record(self) -> Record | None:
        """The game so far; None before the first deal."""
        return None if self._game is None else self._game.record()

    def hear(self, events: Iterable[Event]) -> None:
        """Take down the events, oldest first."""
        for event in events:
            if isinstance(event, GameDealt):
                self._game = _dealt(event)
            elif self._game is not None:
                self._game = self._game.after(event)


def record_to_text(record: Record) -> str:
    """Return the record as JSON text for people to read: a line for each part of it and for each move."""
    return turns_to_text(record) if isinstance(record, TurnsRecord) else silk_road_to_text(record)


def _dealt(event: GameDealt) -> TurnsGame | SectionsGame:
    match rule_set(event.game.rules), event.position:
        case LaStrada() as rules, LaStradaPosition() as position:
            return TurnsGame(rules, position)
        case SilkRoad() as rules, SilkRoadPosition() as position:
            return SectionsGame(rules, position, position)
        case _:
            raise AssertionError(f"{event.game.rules} dealt a position of another game")
