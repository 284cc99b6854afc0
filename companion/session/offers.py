"""Questions that the table may answer with yes: to save the days, the moves of several players, another reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.board import Cell, Contents, Reading
from companion.events import RereadingOffered, SavingAsked, SequenceOffered
from companion.games.contract import Illegal, Position, RuleSet, Unclear
from companion.session.changes import seen_change
from companion.session.presses import Move, forgotten
from companion.session.table import Table


@dataclass(frozen=True, slots=True)
class Offer:
    """What was offered, and what then lay on the cells that differed from the books.

    Another reading is about its own cell alone: `shown` is empty then.
    """

    what: SavingAsked | SequenceOffered | RereadingOffered
    shown: Mapping[Cell, Contents]

    def is_shown(self, position: Position, reading: Reading) -> bool:
        """Whether the table still shows what the offer is about; cells that cannot be seen now are taken on trust."""
        if isinstance(self.what, RereadingOffered):
            cell = self.what.cell
            return cell in reading.abstained or reading.contents(cell) == self.what.seen
        shown = {cell: contents for cell, contents in self.shown.items() if cell not in reading.abstained}
        return shown == shown_by(position, reading)

    @property
    def is_lasting(self) -> bool:
        """Whether it is open again whenever the table shows it again; others fall for good."""
        return isinstance(self.what, RereadingOffered)


def shown_by(position: Position, reading: Reading) -> dict[Cell, Contents]:
    """Return what lies on the cells that differ from the books."""
    return {cell: seen.now for cell, seen in seen_change(reading, position.expected()).cells.items()}


def offer_for(rules: RuleSet, position: Position, table: Table, moves: Sequence[Move]) -> Offer | None:
    """Return what to ask a player whose press was explained by these moves; None where it is plain what he means."""
    move, *more = moves
    if more:
        return None
    if is_saving(move):
        return Offer(SavingAsked(move.player), shown_by(position, table.reading))
    match move.weighed.verdict:
        case Illegal() | Unclear(hidden=False):
            chain = forgotten(rules, position, table)
            return Offer(sequence_of(chain), shown_by(position, table.reading)) if chain else None
        case _:
            return None


def sequence_of(moves: Sequence[Move]) -> SequenceOffered:
    """Return the offer to take these moves."""
    return SequenceOffered(tuple(move.player for move in moves), tuple(move.weighed.change for move in moves))


def is_saving(move: Move) -> bool:
    """Whether the move is a turn on an unchanged table."""
    return move.before.phase == "turn" and move.after is not None and not move.weighed.change
