"""Game records: text becomes the referee's report (records/FORMAT.md).

`Recorder` follows the events at the table and keeps the game's record: every move tried, in order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from companion.board import BadInputError
from companion.board.fields import mapping
from companion.events import Event, GameDealt
from companion.games import rule_set
from companion.records import la_strada, silk_road
from companion.records.form import FORMAT, AnyRecord, RecordedGame, TakenDown, parts_to_text

#: What each game knows of its records, by the `game` of a record.
GAMES: Mapping[str, RecordedGame] = {"la-strada": la_strada, "silk-road": silk_road}


def referee(text: str) -> dict[str, Any]:
    """Return the verdicts and the account of a record; raises BadInputError naming what is wrong and where."""
    record = read_record(text)
    return GAMES[record.rule_set.game].replay(record)


def read_record(text: str) -> AnyRecord:
    """Return the record in the text, of whichever game; raises BadInputError for another format or rules."""
    top = _top(text)
    return GAMES[top["game"]].read(top)


def _top(text: str) -> dict[str, Any]:
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
    if not (isinstance(game, str) and game in GAMES):
        raise BadInputError(f"game is {game!r:.60}; this version referees {', '.join(GAMES)}")
    return top


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise BadInputError(f"{repeated!r} is given twice in one JSON object; give it once")
    return values


class Recorder:
    """Keeps the record of the game at the table. `hear` belongs to one thread; any may ask for the `record`."""

    def __init__(self) -> None:
        self._game: TakenDown | None = None

    @property
    def record(self) -> AnyRecord | None:
        """The game so far; None before the first deal."""
        return None if self._game is None else self._game.record()

    def hear(self, events: Iterable[Event]) -> None:
        """Take down the events, oldest first."""
        for event in events:
            if isinstance(event, GameDealt):
                rules = rule_set(event.game.rules)
                self._game = TakenDown(GAMES[rules.game], rules, event.position)
            elif self._game is not None:
                self._game = self._game.after(event)


def record_to_text(record: AnyRecord) -> str:
    """Return the record as JSON text for people to read: a line for each part of it and for each move."""
    return parts_to_text(GAMES[record.rule_set.game].record_to_json(record))
