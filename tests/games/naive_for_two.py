"""What is different in the two games for two, for the naive referee: the official one and Nick Danger's."""

from itertools import permutations

from tests.games.naive_board import GOLD, MOST_DAYS, Cell, Cubes, Road
from tests.games.naive_game import Game, Places, others_changed

ROUNDS = 10
ON_EACH_WORKSHOP = 6
Standing = frozenset[tuple[Cell, int]]
"""How many of one player's cubes stand where: only cells with any."""


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
        """Whether all settlements have a merchant or neither can ever build; until then one who cannot build passes."""
        if all(self.is_held(cell) for cell in self.settlements):
            return True
        return all(len(self.roads_for(color, MOST_DAYS)) == 0 for color in self.order)


class DangerGame(Game):
    """Two workshops each with six merchants on them, who move only along a road as it is built; ten rounds."""

    workshops_each = 2

    def takes_the_first_turn(self) -> str:
        return self.order[1]

    def place_workshop(self, player: str, cell: Cell) -> None:
        super().place_workshop(player, cell)
        self.cubes[cell] = {player: ON_EACH_WORKSHOP}

    def judge_roads_and_cubes(self, player: str, roads: list[Places], changes: Cubes) -> tuple[set[str], set[Cell]]:
        """What is wrong with whole roads and with the cubes; in this game nothing is reached for good."""
        violations = set()
        own = {cell: change.get(player, 0) for cell, change in changes.items()}
        if others_changed(player, changes):
            violations.add("merchant-color")
        if sum(own.values()) != 0 or any(self.cubes_at(cell, player) + number < 0 for cell, number in own.items()):
            violations.add("merchant-total")
        if any(self.foreign_workshops(player) & set(road) for road in roads):
            violations.add("foreign-workshop")
        if any(one == other for one, other in roads):
            violations.add("already-connected")
        if violations & {"merchant-total", "foreign-workshop", "already-connected"}:
            return violations, set()
        before = {cell: self.cubes_at(cell, player) for cell in {*self.cubes, *own}}
        outcomes = build_in_every_order(standing(before), roads)
        if not outcomes:
            violations.add("not-connected")
        elif standing({cell: number + own.get(cell, 0) for cell, number in before.items()}) not in outcomes:
            violations.add("merchant-move")
        return violations, set()

    def starts(self, player: str) -> set[Cell]:
        return {cell for cell in {*self.workshops[player], *self.settlements} if self.cubes_at(cell, player) > 0}

    def goals(self, player: str) -> set[Cell]:
        return {*self.workshops[player], *self.settlements}

    def cubes_of(self, player: str, road: Road) -> list[Cubes]:
        numbers = range(self.cubes_at(road.start, player) + 1)
        return [{road.start: {player: -number}, road.goal: {player: number}} for number in numbers]

    def has_ended(self, player: str, his_days: int) -> bool:
        return self.turns_taken == ROUNDS * len(self.order)

    def gold(self) -> dict[str, int]:
        gold = dict.fromkeys(self.order, 0)
        for cell, kind in self.settlements.items():
            number = sum(self.cubes.get(cell, {}).values())
            for color in self.order:
                others = max(self.cubes_at(cell, other) for other in self.order if other != color)
                if self.cubes_at(cell, color) > others and number <= 4:
                    gold[color] += GOLD[kind][number - 1]
        for cell in self.all_workshops():
            for color in self.order:
                gold[color] -= self.cubes_at(cell, color)
        return gold


def standing(cubes: dict[Cell, int]) -> Standing:
    return frozenset((cell, number) for cell, number in cubes.items() if number > 0)


def build_in_every_order(before: Standing, roads: list[Places]) -> set[Standing]:
    """How the cubes may stand after all these roads, in any order, each from either end and with any of its cubes."""
    outcomes: set[Standing] = set()
    for order in permutations(roads):
        ways = {before}
        for one, other in order:
            ways = {after for way in ways for after in walks(way, one, other) + walks(way, other, one)}
        outcomes |= ways
    return outcomes


def walks(before: Standing, start: Cell, end: Cell) -> list[Standing]:
    """Where the cubes may stand once a road is built from start to end: all, some or none go along."""
    there = dict(before)
    if start not in there:
        return []
    return [
        standing({**there, start: there[start] - number, end: there.get(end, 0) + number})
        for number in range(there[start] + 1)
    ]
