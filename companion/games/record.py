"""Game records: a text becomes what the referee prints of it (records/FORMAT.md)."""

from __future__ import annotations

import json
from typing import Any

from companion.board import BadInputError
from companion.board.notation import mapping
from companion.games import rule_set
from companion.games.la_strada import LaStrada
from companion.games.la_strada import record as la_strada_record

FORMAT = "strada-record/1"


def referee(text: str) -> dict[str, Any]:
    """Return the verdicts and the account of a record; raises BadInputError naming what is wrong and where."""
    return la_strada_record.replay(read_record(text))


def read_record(text: str) -> la_strada_record.Record:
    """Return the record that the text holds; raises BadInputError for another format, game or rules."""
    try:
        value = json.loads(text, object_pairs_hook=_without_repeats)
    except BadInputError:
        raise
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"this is not JSON ({error}); a game record is one JSON object") from None
    top = mapping(value, "the record")
    if top.get("format") != FORMAT:
        raise BadInputError(f"format is {top.get('format')!r:.60}; this version reads {FORMAT}")
    if top.get("game") != "la-strada":
        raise BadInputError(f"game is {top.get('game')!r:.60}; this version referees la-strada")
    rules = rule_set(str(top.get("rules")))
    assert isinstance(rules, LaStrada)
    return la_strada_record.read(top, rules)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise BadInputError(f"{repeated!r} is given twice in one JSON object; give it once")
    return found
