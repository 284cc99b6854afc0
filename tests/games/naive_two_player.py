"""What the official game for two does otherwise, for the naive referee."""

from tests.games.naive_board import MOST_DAYS, Cell, Cubes
from tests.games.naive_game import Game


class TwoPlayerGame(Game):
    """Two workshops each, one merchant in all on a settlement, transit through those that the opponent holds."""

    workshops_each = 2

    def takes_the_first_turn(self) -> str:
        return self.order[1]

    def takes_a_merchant(self, settlement: Cell) -> bool:
        return not self.is_held(settlement)

    def is_held(self, cell: Cell) -> bool:
        return sum(self.cubes.get(cell, {}).values()) > 0

    def judge_cubes(self, player: str, changes: Cubes, reached: set[Cell]) -> set[str]:
        violations = super().judge_cubes(player, changes, reached)
        if any(change.get(player, 0) > 0 and self.is_held(cell) for cell, change in changes.items()):
            violations.add("merchant-occupied")
        return violations

    def has_ended(self, player: str, his_days: int) -> bool:
        """Every settlement has a merchant, or neither can ever build; whoever cannot build meanwhile passes."""
        if all(self.is_held(cell) for cell in self.settlements):
            return True
        return all(len(self.roads_for(color, MOST_DAYS)) == 0 for color in self.order)
