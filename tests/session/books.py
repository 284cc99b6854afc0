"""The books of a game, kept from the events alone."""

from dataclasses import dataclass, field, replace

from companion.board import BARE, CellChange, Change, Color, Contents, HexCell, Merchants, Reading, Settlement
from companion.events import CellReread
from companion.games.contract import Legal, Position, RuleSet
from companion.session.changes import seen_change
from companion.session.state import State
from tests.session.tabletop import Tabletop


@dataclass
class Books:
    """What the events say about the game."""

    position: Position
    marks: dict[Color, int]
    past: list[tuple[Position, dict[Color, int], bool]] = field(default_factory=list)

    def moved(self, after: Position, player: Color | None, is_legal: bool = False) -> None:
        self.past.append((self.position, dict(self.marks), is_legal))
        if player is not None and self.position.phase == "turn":
            self.marks[player] = after.days[player]
        self.position = after

    def undone(self, moves: int) -> None:
        self.position, self.marks, _ = self.past[-moves]
        del self.past[-moves:]

    def reread(self, rules: RuleSet, state: State, event: CellReread) -> "Books":
        """Return the books after a rereading, in which every move must still be as legal as it was."""
        kept = zip(state.history, self.past, strict=True)
        past = [(past.position, dict(past.marks), is_legal) for past, (_, _, is_legal) in kept]
        positions = [*(position for position, _, _ in past), event.position]
        for (before, _, is_legal), after in zip(past, positions[1:], strict=True):
            if is_legal:
                change = seen_change(lying(dict(after.expected())), before.expected())
                assert rules.judge(before, change) == Legal(after)
        return Books(event.position, dict(state.marks), past)


def lying(lies: dict[HexCell, Contents]) -> Reading:
    table = Tabletop()
    table.lies = lies
    return table.seen()


def as_accepted(held: Contents, answer: Contents) -> Contents:
    """Return the answer with the settlement or earlier tile that the books hold there, even if another is seen."""
    is_gone = answer.tile is None and not isinstance(held.tile, Settlement)
    return answer if held.tile is None or is_gone else replace(answer, tile=held.tile)


def is_untouched(rules: RuleSet, position: Position, cell: HexCell, truth: Contents) -> bool:
    """Whether the turn has no reason to do that to a cell; a doubt about it then counts as what the books hold.

    That is an earlier tile or settlement that lies differently, others' merchants, and what the rules make impossible.
    """
    held = position.expected().get(cell, BARE)
    own = Merchants.of({color: as_accepted(held, truth).merchants[color] for color in Color if color == position.next})
    was = Merchants.of({color: held.merchants[color] for color in Color if color == position.next})
    if (as_accepted(held, truth).tile, own) == (held.tile, was):
        return True
    return bool(rules.implausible(position, Change({cell: CellChange(held, truth)})))
