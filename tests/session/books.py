"""The books of a game, kept by the events alone."""

from dataclasses import dataclass, field

from companion.board import Color, Contents, HexCell, Reading
from companion.events import CellReread
from companion.games.contract import Legal, Position, RuleSet
from companion.session.changes import seen_change
from companion.session.state import State
from tests.session.tabletop import Tabletop


@dataclass
class Books:
    """What the events say of the game."""

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
        """Return the books that were read otherwise, in which every move must be as legal as it was."""
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
