"""Which events are verdicts, what each says about its move, and what the reader is told about its last picture: the
moves that were accepted in it, and what people said was there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from companion import events
from companion.board import Cell, CellChange, Contents, PlayerColor, Workshop, in_board_order
from companion.games.contract import Position, Reason

#: Verdicts that change the position.
MOVING = ("legal", "accepted")


@dataclass(frozen=True, slots=True)
class Move:
    """The word on a deal, a workshop or a turn; `cells` are those that changed, else those that it is about."""

    kind: str
    player: PlayerColor | None
    verdict: str
    reasons: tuple[Reason, ...] = ()
    cells: tuple[Cell, ...] = ()
    cost: int | None = None
    days_left: int | None = None


def move_of(event: events.Event) -> Move | None:
    """Return the move that the event is the verdict on; None if it is no verdict."""
    match event:
        case events.GameDealt():
            return Move("deal", None, "legal")
        case events.DealRefused(reasons=reasons):
            return Move("deal", None, "illegal", reasons, _cells(reasons))
        case events.DealUnclear(cells=cells, hidden=hidden):
            return Move("deal", None, "hidden" if hidden else "unclear", cells=cells)
        case events.WorkshopPlaced(player=player, cell=cell):
            return Move("workshop", player, "legal", cells=(cell,))
        case events.TurnTaken(player=player, change=change, cost=cost, left=left):
            return Move("turn", player, "legal", (), in_board_order(change.cells), cost, left)
        case events.MoveRefused(
            player=player, reasons=reasons, change=change, position=position, is_unfinished=unfinished
        ):
            verdict = "unfinished" if unfinished else "illegal"
            cells = in_board_order(change.cells) or _cells(reasons)
            return Move(position.phase, player, verdict, reasons, cells)
        case events.MoveHidden(player=player, cells=cells, phase=phase):
            return Move(phase, player, "hidden", cells=cells)
        case events.MoveUnclear(player=player, cells=cells, phase=phase):
            return Move(phase, player, "unclear", cells=cells)
        case events.MoveAccepted(player=player, reasons=reasons, change=change):
            kind = "workshop" if _has_workshop(change.cells) else "turn"
            return Move(kind, player, "accepted", reasons, in_board_order(change.cells))
        case _:
            return None


def position_after(event: events.Event) -> Position | None:
    """Return the position that the event made; None if it changed nothing."""
    after = getattr(event, "after", None) or getattr(event, "position", None)
    return None if after is None or isinstance(event, events.MoveRefused) else after


def _cells(reasons: Iterable[Reason]) -> tuple[Cell, ...]:
    return in_board_order({cell for reason in reasons for cell in reason.cells})


def _has_workshop(cells: Mapping[Cell, CellChange]) -> bool:
    return any(
        isinstance(changed.now.tile, Workshop) and not isinstance(changed.before.tile, Workshop)
        for changed in cells.values()
    )


class Confirmable(Protocol):
    """The part of a reader that can be told the truth."""

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        """Accept that cells held this in the last picture: it was part of a move or, `by_hand`, a person said so."""

    def booked(self, books: Mapping[Cell, Contents], colors: Collection[PlayerColor], walking: bool = False) -> None:
        """Accept that the books hold this after the last picture's move, and that only these colours play.

        `walking`: in this game merchants leave the places where they stand.
        """


def confirm(reader: Confirmable, happened: Iterable[events.Event]) -> bool:
    """Tell a reader what these events say about its last picture; return whether they say anything."""
    happened = tuple(happened)
    taken: dict[Cell, Contents] = {}
    corrected: dict[Cell, Contents] = {}
    reread: dict[Cell, Contents] = {}
    books: Position | None = None
    for event in happened:
        match event:
            case events.GameDealt(position=position):
                taken |= position.expected()
                books = position
            case events.WorkshopPlaced(cell=cell, after=after):
                taken[cell] = after.expected()[cell]
                books = after
            case events.TurnTaken(change=change, after=after) | events.MoveAccepted(change=change, after=after):
                taken |= {cell: changed.now for cell, changed in change.cells.items()}
                books = after
            case events.CellReread(cell=cell, seen=contents):
                reread[cell] = contents
            case events.CellCorrected(cell=cell, contents=contents):
                corrected[cell] = contents
            case _:
                pass
    # No person vouched for a rereading that came with a press, and what was done since may have changed the cell.
    if taken:
        taken = {**reread, **taken}
    elif not any(map(move_of, happened)):
        corrected = {**reread, **corrected}
    if books is not None:
        # This comes first: the reader learns from what was doubtful before it is told what is there.
        reader.booked(books.expected(), {player.color for player in books.players}, books.merchants_due is not None)
    if corrected:
        reader.confirmed(corrected, by_hand=True)
    if taken := {cell: contents for cell, contents in taken.items() if cell not in corrected}:
        reader.confirmed(taken)
    return bool(corrected or taken)
