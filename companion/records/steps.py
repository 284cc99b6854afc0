"""The steps of a record: each move as it was tried, judged, with its events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from companion.board import BARE, Cell, CellChange, Change, Contents, HexCell, LaidSection, Merchants, Workshop
from companion.commands import StartGame
from companion.events import (
    DealRefused,
    Event,
    GameDealt,
    GameOver,
    MoveAccepted,
    MoveRefused,
    TurnTaken,
    WorkshopPlaced,
)
from companion.games import score, silk_road
from companion.games.contract import Illegal, Legal, Position, Unfinished
from companion.games.la_strada import LaStrada, LaStradaPosition, Move, Placement, Turn
from companion.games.silk_road import SilkRoad, SilkRoadPosition
from companion.records.la_strada import Record, TriedMove
from companion.records.silk_road import Record as SquareRecord


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
    events: tuple[Event, ...]
    change: Change = field(default_factory=lambda: Change({}))
    game: str = ""
    move: str = ""
    round: int | None = None

    @property
    def kind(self) -> str:
        """The verdict: start, legal, accepted or illegal (unfinished moves included)."""
        match self.events[0]:
            case GameDealt():
                return "start"
            case MoveRefused() | DealRefused():
                return "illegal"
            case MoveAccepted():
                return "accepted"
            case _:
                return "legal"

    @property
    def wrong(self) -> frozenset[Cell]:
        """The cells that the reasons against the move are about."""
        match self.events[0]:
            case MoveRefused(reasons=reasons) | MoveAccepted(reasons=reasons) | DealRefused(reasons=reasons):
                return frozenset(cell for reason in reasons for cell in reason.cells)
            case _:
                return frozenset()

    @property
    def cells(self) -> frozenset[Cell]:
        """The cells that the step is about: those of the move and of the reasons against it."""
        return frozenset(self.change.cells) | self.wrong

    @property
    def lies(self) -> Mapping[Cell, Contents]:
        """The pieces on the board, with what was tried and refused on top of them."""
        laid = {cell: each.now for cell, each in self.change.cells.items()} if self.kind == "illegal" else {}
        return {**self.after.expected(), **laid}


def steps_of(record: Record | SquareRecord) -> tuple[RecordStep, ...]:
    """Return the steps of the record: the deal, and one for each move; a deal that is not right has none."""
    if isinstance(record, SquareRecord):
        return _square_steps(record)
    position, title = record.start, f"La Strada · {record.rule_set.name}"
    game = StartGame(position.players, record.rule_set.name)
    steps = [RecordStep(0, position, position, (GameDealt(game, position),), game=title, round=_round(position))]
    for number, tried in enumerate(record.moves, 1):
        step = _step(number, record.rule_set, position, tried)
        steps.append(replace(step, game=title, round=_round(position)))
        assert isinstance(step.after, LaStradaPosition)
        position = step.after
    return tuple(steps)


def _round(position: LaStradaPosition) -> int | None:
    return position.turns // len(position.players) + 1 if position.phase == "turn" else None


def _square_steps(record: SquareRecord) -> tuple[RecordStep, ...]:
    position, rules = record.start, record.rule_set
    title = f"Silk Road · {rules.name}"
    dealt = GameDealt(StartGame(position.players, rules.name), position)
    if faults := rules.check_set_up(position.ground):
        return (RecordStep(0, position, position, (DealRefused(faults),), game=title),)
    steps = [RecordStep(0, position, position, (dealt,), game=title)]
    for number, move in enumerate(record.moves, 1):
        steps.append(replace(_square_step(number, rules, position, move), game=title))
        after = steps[-1].after
        assert isinstance(after, SilkRoadPosition)
        position = after
    return tuple(steps)


def _square_step(number: int, rules: SilkRoad, before: SilkRoadPosition, move: silk_road.Move) -> RecordStep:
    verdict = rules.judge_move(before, move)
    change = _laid(before, move)
    event: Event
    if isinstance(verdict, Legal):
        after: Position = verdict.after
        event = TurnTaken(move.player, change, 0, 0, after)
    else:
        after, event = before, MoveRefused(move.player, verdict.reasons, change, before)
    over = (GameOver(score(after).winners, after),) if after.over and not before.over else ()
    what = "pass" if isinstance(move, silk_road.Pass) else "section"
    return RecordStep(number, before, after, (event, *over), change, move=f"{move.player}-{what}")


def _laid(before: SilkRoadPosition, move: silk_road.Move) -> Change:
    """Return what the move laid; a pass lays nothing."""
    if isinstance(move, silk_road.Pass):
        return Change({})
    owned = before.find(move.section)
    assert owned is not None, "a record names sections that somebody was given"
    color, section = owned
    lies = Contents(LaidSection(section, color, move.turn).least_turned)
    lay = before.expected().get(move.cell, BARE)
    return Change({move.cell: CellChange(lay, lies)} if lies != lay else {})


def _step(number: int, rules: LaStrada, before: LaStradaPosition, tried: TriedMove) -> RecordStep:
    verdict = rules.judge_move(before, tried.move)
    event: Event
    match verdict:
        case Legal(after=LaStradaPosition() as after):
            change = _change(before, tried.move, after)
            event = _taken(before, tried.move, change, after)
        case Illegal(reasons=reasons) | Unfinished(missing=reasons):
            change = _change(before, tried.move)
            after = rules.accept(before, tried.move) if tried.accepted else before
            event = MoveRefused(tried.move.player, reasons, change, before, isinstance(verdict, Unfinished))
            if after is not before:  # some moves cannot be accepted
                event = MoveAccepted(tried.move.player, reasons, change, after)
        case _:
            raise AssertionError(f"a record's move was judged {verdict!r}")
    over = (GameOver(score(after).winners, after),) if after.over and not before.over else ()
    what = "workshop" if isinstance(tried.move, Placement) else "turn"
    return RecordStep(number, before, after, (event, *over), change, move=f"{tried.move.player}-{what}")


def _taken(before: LaStradaPosition, move: Move, change: Change, after: LaStradaPosition) -> Event:
    if isinstance(move, Placement):
        return WorkshopPlaced(move.player, move.cell, after)
    left = after.days[move.player]
    return TurnTaken(move.player, change, before.days[move.player] - left, left, after)


def _change(before: LaStradaPosition, move: Move, after: LaStradaPosition | None = None) -> Change:
    """Return what the move laid, cell by cell; `after` knows what a legal workshop brings along."""
    lay = before.expected()
    now: dict[HexCell, Contents] = {}
    match move:
        case Placement(player=player, cell=cell):
            laid = Contents(Workshop(player), lay.get(cell, BARE).merchants)
            now[cell] = laid if after is None else after.expected()[cell]
        case Turn(tiles=tiles, merchants=merchants):
            for cell in tiles.keys() | merchants:
                there = lay.get(cell, BARE)
                now[cell] = Contents(tiles.get(cell, there.tile), there.merchants + merchants.get(cell, Merchants()))
    return Change(
        {cell: CellChange(lay.get(cell, BARE), lies) for cell, lies in now.items() if lies != lay.get(cell, BARE)}
    )
