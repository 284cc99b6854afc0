"""Game records: text becomes the referee's report (records/FORMAT.md).

`Recorder` follows the events at the table and keeps the game's record: every move tried, in order. `steps_of` gives the
steps of a record: each move as it was tried, judged, with its events.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion import events
from companion.board import BadInputError, Cell, Change, Contents
from companion.board.fields import mapping
from companion.commands import StartGame
from companion.games import rule_set, score
from companion.games.contract import Legal, Position, Reason, Unfinished
from companion.games.la_strada import LaStradaPosition, Placement
from companion.records import la_strada, silk_road
from companion.records.form import FORMAT, AnyRecord, RecordedGame, TakenDown, TriedMove, parts_to_text

#: What each game knows about its records, by the `game` of a record.
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

    def hear(self, happened: Iterable[events.Event]) -> None:
        """Take down the events, oldest first."""
        for event in happened:
            if isinstance(event, events.GameDealt):
                rules = rule_set(event.game.rules)
                self._game = TakenDown(GAMES[rules.game], rules, event.position)
            elif self._game is not None:
                self._game = self._game.after(event)


def record_to_text(record: AnyRecord) -> str:
    """Return the record as JSON text for people to read: a line for each part of it and for each move."""
    return parts_to_text(GAMES[record.rule_set.game].record_to_json(record))


_KINDS: Mapping[type, str] = {
    events.GameDealt: "start",
    events.DealRefused: "illegal",
    events.MoveRefused: "illegal",
    events.MoveAccepted: "accepted",
}


@dataclass(frozen=True, slots=True)
class RecordStep:
    """One move of a record and the word on it; the first step is the deal, and has no move.

    `change` is what the move laid, `events` the verdict and, if it was the last move, the end of the game. `game`
    is the game being played, `move` says who tried what, such as "red-turn", "" for the deal; `round` counts from 1 in
    games whose turns go in rounds.
    """

    number: int
    before: Position
    after: Position
    events: tuple[events.Event, ...]
    change: Change = field(default_factory=lambda: Change({}))
    game: str = ""
    move: str = ""
    round: int | None = None

    @property
    def kind(self) -> str:
        """The verdict: start, legal, accepted or illegal (unfinished moves included)."""
        return _KINDS.get(type(self.events[0]), "legal")

    @property
    def wrong(self) -> frozenset[Cell]:
        """The cells that the reasons against the move are about."""
        reasons: tuple[Reason, ...] = getattr(self.events[0], "reasons", ())
        return frozenset(cell for reason in reasons for cell in reason.cells)

    @property
    def cells(self) -> frozenset[Cell]:
        """The cells that the step is about: those of the move and of the reasons against it."""
        return frozenset(self.change.cells) | self.wrong

    @property
    def refused(self) -> Mapping[Cell, Contents]:
        """What was tried and refused."""
        return {cell: each.now for cell, each in self.change.cells.items()} if self.kind == "illegal" else {}

    @property
    def lies(self) -> Mapping[Cell, Contents]:
        """The pieces on the board, with what was tried and refused on top of them."""
        return {**self.after.expected(), **self.refused}


def steps_of(record: AnyRecord) -> tuple[RecordStep, ...]:
    """Return the steps of the record: the deal, and one for each move unless the deal is wrong."""
    position, rules = record.start, record.rule_set
    title = f"{GAMES[rules.game].TITLE} · {rules.name}"
    if faults := GAMES[rules.game].set_up_faults(record):
        return (RecordStep(0, position, position, (events.DealRefused(faults),), game=title),)
    dealt = events.GameDealt(StartGame(position.players, rules.name), position)
    steps = [RecordStep(0, position, position, (dealt,), game=title, round=_round(position))]
    for number, tried in enumerate(record.moves, 1):
        steps.append(_step(number, rules, steps[-1].after, tried, title))
    return tuple(steps)


def _round(position: Position) -> int | None:
    if isinstance(position, LaStradaPosition) and position.phase == "turn":
        return position.turns // len(position.players) + 1
    return None


def _step(number: int, rules: Any, before: Position, tried: TriedMove[Any], title: str) -> RecordStep:
    move, game = tried.move, GAMES[rules.game]
    player = move.player
    event: events.Event
    match rules.judge_move(before, move):
        case Legal(after=after):
            change, left = game.laid(before, move, after), after.days.get(player, 0)
            if isinstance(move, Placement):
                event = events.WorkshopPlaced(player, move.cell, after)
            else:
                event = events.TurnTaken(player, change, before.days.get(player, 0) - left, left, after)
        case refusal:
            change, after = game.laid(before, move, None), rules.accept(before, move) if tried.accepted else before
            is_unfinished = isinstance(refusal, Unfinished)
            reasons = refusal.missing if is_unfinished else refusal.reasons
            event = events.MoveRefused(player, reasons, change, before, is_unfinished)
            if after is not before:  # some moves cannot be accepted
                event = events.MoveAccepted(player, reasons, change, after)
    over = (events.GameOver(score(after).winners, after),) if after.over and not before.over else ()
    name = f"{player}-{game.kind_of(move)}"
    return RecordStep(number, before, after, (event, *over), change, title, name, _round(before))
