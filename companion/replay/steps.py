"""The steps of a record: each move as it was tried, judged, with what happened then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.board import BARE, CellChange, Change, Contents, HexCell, Merchants, Workshop
from companion.commands import StartGame
from companion.events import Event, GameDealt, GameOver, MoveAccepted, MoveRefused, TurnTaken, WorkshopPlaced
from companion.games.contract import Illegal, Legal, Unfinished
from companion.games.la_strada import LaStrada, LaStradaPosition, Move, Placement, Turn
from companion.games.la_strada.record import Record, TriedMove


@dataclass(frozen=True, slots=True)
class Step:
    """One move of a record and what was said of it; the first step is the deal, and has no move.

    `change` is what the move laid, `events` the verdict and, where it was the last move, the end of the game.
    """

    number: int
    before: LaStradaPosition
    after: LaStradaPosition
    events: tuple[Event, ...]
    change: Change = field(default_factory=lambda: Change({}))
    tried: TriedMove | None = None

    @property
    def kind(self) -> str:
        """What was said: start, legal, accepted or illegal (unfinished ones included)."""
        match self.events[0]:
            case GameDealt():
                return "start"
            case MoveRefused():
                return "illegal"
            case MoveAccepted():
                return "accepted"
            case _:
                return "legal"

    @property
    def wrong(self) -> frozenset[HexCell]:
        """The cells that the reasons against the move are about."""
        match self.events[0]:
            case MoveRefused(reasons=reasons) | MoveAccepted(reasons=reasons):
                return frozenset(cell for reason in reasons for cell in reason.cells)
            case _:
                return frozenset()

    @property
    def cells(self) -> frozenset[HexCell]:
        """The cells that the step is about: those of the move and of the reasons against it."""
        return frozenset(self.change.cells) | self.wrong

    @property
    def lies(self) -> Mapping[HexCell, Contents]:
        """What lies on the board, with what was tried and refused on top of it."""
        laid = {cell: each.now for cell, each in self.change.cells.items()} if self.kind == "illegal" else {}
        return {**self.after.expected(), **laid}


def steps_of(record: Record) -> tuple[Step, ...]:
    """Return the steps of the record: the deal, and one for each move."""
    position = record.start
    game = StartGame(position.players, record.rule_set.name)
    steps = [Step(0, position, position, (GameDealt(game, position),))]
    for number, tried in enumerate(record.moves, 1):
        steps.append(_step(number, record.rule_set, position, tried))
        position = steps[-1].after
    return tuple(steps)


def _step(number: int, rules: LaStrada, before: LaStradaPosition, tried: TriedMove) -> Step:
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
            if after is not before:  # some moves cannot be let stand
                event = MoveAccepted(tried.move.player, reasons, change, after)
        case _:
            raise AssertionError(f"a record's move was judged {verdict!r}")
    over = (GameOver(after.winners, after),) if after.over and not before.over else ()
    return Step(number, before, after, (event, *over), change, tried)


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
