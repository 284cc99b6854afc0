"""The table and the standard rules as the naive referee knows them; the two games for two change parts of it."""

from itertools import permutations
from typing import Any

from tests.games.naive_board import (
    DAYS,
    GAIN,
    GOLD,
    MERCHANTS,
    MOST_DAYS,
    TILES,
    Cell,
    Cubes,
    Road,
    Tiles,
    all_roads,
    beyond,
    cells_by_name,
    opposite,
)

LEFT_OPEN = {
    "already-connected",
    "not-connected",
    "foreign-workshop",
    "merchant-missing",
    "merchant-unconnected",
    "merchant-move",
}
"""What may be left out or named where roads are broken: left out here."""
Places = tuple[Cell, Cell]
"""The two places that a road joins."""


class Game:
    """One table, changed by every move. As it is here, it follows the standard rules."""

    workshops_each = 1

    def __init__(self, record: dict[str, Any]) -> None:
        self.names = cells_by_name(record["board"]["rings"])
        self.terrain = {self.names[name]: terrain for name, terrain in record["board"]["terrain"].items()}
        self.settlements = {self.names[name]: kind for name, kind in record["board"]["settlements"].items()}
        options = record.get("options", {})
        self.end = options.get("end", "ever")
        self.first_days = options.get("first_days", {})
        self.order: list[str] = [player["color"] for player in record["players"]]
        self.turn = 0
        self.turns_taken = 0
        self.begun: set[str] = set()
        self.over = False
        self.days = dict.fromkeys(self.order, 0)
        self.workshops: dict[str, list[Cell]] = {color: [] for color in self.order}
        self.roads: dict[Cell, list[int]] = {}
        self.supply = {color: dict(TILES) for color in self.order}
        self.cubes: Cubes = {}
        self.connected: dict[str, set[Cell]] = {color: set() for color in self.order}

    # one move

    def move(self, move: dict[str, Any]) -> dict[str, Any]:
        player = move["player"]
        if self.over:
            violations = {"game-over"}
        elif player != self.order[self.turn]:
            violations = {"not-your-turn"}
        elif "workshop" in move:
            violations = self.set_workshop(player, self.names[move["workshop"]], move.get("accepted", False))
        else:
            violations = self.play_turn(player, move["turn"], move.get("accepted", False))
        return {"legal": not violations, "violations": sorted(violations), "days": dict(self.days), "over": self.over}

    def set_workshop(self, player: str, cell: Cell, accepted: bool) -> set[str]:
        if not self.is_setting_up():
            return {"workshop-late"}
        violations = set()
        if self.is_occupied(cell):
            violations.add("cell-occupied")
        if self.terrain[cell] != "plain":
            violations.add("workshop-terrain")
        if any(beyond(cell, edge) in self.foreign_workshops(player) for edge in range(6)):
            violations.add("workshop-too-close")
        if not violations or (accepted and "cell-occupied" not in violations):
            self.place_workshop(player, cell)
            if self.is_setting_up():
                self.turn = (self.turn + 1) % len(self.order)
            else:
                self.turn = self.order.index(self.takes_the_first_turn())
                self.begin_turn()
        return violations

    def play_turn(self, player: str, turn: dict[str, Any], accepted: bool) -> set[str]:
        if self.is_setting_up():
            return {"workshop-missing"}
        tiles = {self.names[name]: tile for name, tile in turn["tiles"].items()}
        changes = {self.names[name]: change for name, change in turn["merchants"].items()}
        free = {cell: tile for cell, tile in tiles.items() if not self.is_occupied(cell)}
        violations, reached = self.judge(player, tiles, free, changes)
        if not violations or accepted:
            self.apply(player, tiles, free, changes)
            if violations:
                self.connect_to_merchants()
            else:
                self.connected[player] |= reached
            self.turns_taken += 1
            self.turn = (self.turn + 1) % len(self.order)
            self.begin_turn()
        return violations

    def apply(self, player: str, tiles: Tiles, free: Tiles, changes: Cubes) -> None:
        self.days[player] = max(0, self.days[player] - self.cost(tiles))
        for cell, tile in free.items():
            self.roads[cell] = tile["edges"]
            if tile["color"] in self.supply:
                supply = self.supply[tile["color"]]
                supply[tile["terrain"]] = max(0, supply[tile["terrain"]] - 1)
        for cell, change in changes.items():
            there = self.cubes.setdefault(cell, {})
            for color, number in change.items():
                there[color] = max(0, there.get(color, 0) + number)

    def connect_to_merchants(self) -> None:
        for color in self.order:
            self.connected[color] |= {cell for cell in self.settlements if self.cubes_at(cell, color) > 0}

    def begin_turn(self) -> None:
        """Begin the next player's turn: the game ends, or they take their days."""
        player = self.order[self.turn]
        gain = GAIN if player in self.begun else self.first_days.get(player, GAIN)
        his_days = min(MOST_DAYS, self.days[player] + gain)
        if self.has_ended(player, his_days):
            self.over = True
            return
        self.begun.add(player)
        self.days[player] = his_days

    # what is on the table

    def is_setting_up(self) -> bool:
        return any(len(cells) < self.workshops_each for cells in self.workshops.values())

    def is_occupied(self, cell: Cell) -> bool:
        return cell in self.settlements or cell in self.all_workshops() or cell in self.roads

    def all_workshops(self) -> set[Cell]:
        return {cell for cells in self.workshops.values() for cell in cells}

    def foreign_workshops(self, player: str) -> set[Cell]:
        return {cell for color, cells in self.workshops.items() if color != player for cell in cells}

    def cubes_at(self, cell: Cell, color: str) -> int:
        return self.cubes.get(cell, {}).get(color, 0)

    def stock(self, color: str) -> int:
        return max(0, MERCHANTS - sum(there.get(color, 0) for there in self.cubes.values()))

    def cost(self, cells: Tiles) -> int:
        return sum(DAYS[self.terrain[cell]] for cell in cells)

    def places(self, player: str) -> set[Cell]:
        return {*self.workshops[player], *self.connected[player]}

    # judging a turn

    def judge(self, player: str, tiles: Tiles, free: Tiles, changes: Cubes) -> tuple[set[str], set[Cell]]:
        """Every violation of a turn, and the settlements that it reached."""
        roads, broken = self.trace(free)
        faults, reached = self.judge_roads_and_cubes(player, roads, changes)
        violations = self.judge_tiles(player, tiles, free) | broken | faults
        if broken:
            violations -= LEFT_OPEN
        return violations, reached

    def judge_tiles(self, player: str, tiles: Tiles, free: Tiles) -> set[str]:
        violations = set()
        if len(free) < len(tiles):
            violations.add("cell-occupied")
        if any(tile["color"] != player for tile in tiles.values()):
            violations.add("tile-color")
        if any(tile["terrain"] != self.terrain[cell] for cell, tile in tiles.items()):
            violations.add("tile-terrain")
        for terrain, left in self.supply[player].items():
            if sum(tile["terrain"] == terrain for tile in tiles.values()) > left:
                violations.add("tile-supply")
        if self.cost(tiles) > self.days[player]:
            violations.add("days")
        return violations

    def trace(self, free: Tiles) -> tuple[list[Places], set[str]]:
        """The two places that each whole road of this turn joins, and how the other roads are broken."""
        roads: list[Places] = []
        broken: set[str] = set()
        walked: set[Cell] = set()
        for cell, tile in free.items():
            if cell in walked:
                continue
            walked.add(cell)
            places: list[Cell] = []
            faults: set[str] = set()
            for edge in tile["edges"]:
                at, out = cell, edge
                while True:
                    next_cell = beyond(at, out)
                    if next_cell == cell and opposite(out) in tile["edges"]:
                        faults.add("dead-end")  # a ring
                        break
                    if next_cell in free and opposite(out) in free[next_cell]["edges"]:
                        walked.add(next_cell)
                        out = next(e for e in free[next_cell]["edges"] if e != opposite(out))
                        at = next_cell
                        continue
                    if next_cell in self.settlements or next_cell in self.all_workshops():
                        places.append(next_cell)
                    elif next_cell in self.roads and opposite(out) in self.roads[next_cell]:
                        faults.add("joins-road")
                    else:
                        faults.add("dead-end")
                    break
            broken |= faults
            if not faults:
                roads.append((places[0], places[1]))
        return roads, broken

    def judge_roads_and_cubes(self, player: str, roads: list[Places], changes: Cubes) -> tuple[set[str], set[Cell]]:
        """What is wrong with whole roads, in the order that builds most of them, and with the cubes."""
        violations: set[str] = set()
        foreign = self.foreign_workshops(player)
        own_roads = [road for road in roads if not foreign & set(road)]
        foreign_roads = [road for road in roads if foreign & set(road)]
        places, unbuilt = min(
            (build(self.places(player), order) for order in permutations(own_roads)), key=lambda built: len(built[1])
        )
        for one, other in unbuilt:
            violations.add("already-connected" if one in places and other in places else "not-connected")
        for one, other in foreign_roads:
            violations.add("foreign-workshop")
            if one not in places and other not in places:
                violations.add("not-connected")  # neither from a place of theirs nor to one
        reached = places - self.places(player)
        return violations | self.judge_cubes(player, changes, reached), reached

    def judge_cubes(self, player: str, changes: Cubes, reached: set[Cell]) -> set[str]:
        violations = set()
        own = {cell: change.get(player, 0) for cell, change in changes.items()}
        if any(own.get(cell, 0) < 1 for cell in reached if self.takes_a_merchant(cell)):
            violations.add("merchant-missing")
        if any(number > 1 for number in own.values()):
            violations.add("merchant-extra")
        if any(number > 0 and cell not in reached for cell, number in own.items()):
            violations.add("merchant-unconnected")
        if any(number < 0 for number in own.values()):
            violations.add("merchant-removed")
        if others_changed(player, changes):
            violations.add("merchant-color")
        if sum(number for number in own.values() if number > 0) > self.stock(player):
            violations.add("merchant-supply")
        return violations

    # what is different in the games for two

    def place_workshop(self, player: str, cell: Cell) -> None:
        self.workshops[player].append(cell)

    def takes_the_first_turn(self) -> str:
        return self.order[0]

    def takes_a_merchant(self, settlement: Cell) -> bool:
        """Whether a merchant must be placed on this settlement when a road reaches it."""
        return True

    def starts(self, player: str) -> set[Cell]:
        """Where they may start a road as things are on the table."""
        return self.places(player)

    def goals(self, player: str) -> set[Cell]:
        """Where they may end a road as things are on the table."""
        can_set_one = self.stock(player) > 0
        unreached = self.settlements.keys() - self.places(player)
        return {cell for cell in unreached if can_set_one or not self.takes_a_merchant(cell)}

    def roads_for(self, player: str, days: int) -> list[Road]:
        occupied = {cell for cell in self.terrain if self.is_occupied(cell)}
        starts, goals = self.starts(player), self.goals(player)
        return list(all_roads(self.terrain, occupied, self.supply[player], days, starts, goals))

    def cubes_of(self, player: str, road: Road) -> list[Cubes]:
        """Every way in which cubes may change when they build this road."""
        return [{road.goal: {player: 1}}] if self.takes_a_merchant(road.goal) else [{}]

    def has_ended(self, player: str, his_days: int) -> bool:
        """Whether the game ends when it is this player's turn, for which they would have these days."""
        return len(self.roads_for(player, MOST_DAYS if self.end == "ever" else his_days)) == 0

    # the account

    def gold(self) -> dict[str, int]:
        gold = dict.fromkeys(self.order, 0)
        for cell, kind in self.settlements.items():
            number = sum(self.cubes.get(cell, {}).values())
            for color in self.order:
                if 1 <= number <= 4:
                    gold[color] += self.cubes_at(cell, color) * GOLD[kind][number - 1]
        return gold

    def winners(self) -> list[str]:
        if not self.over:
            return []
        gold = self.gold()
        best = max((gold[color], self.days[color]) for color in self.order)
        return [color for color in self.order if (gold[color], self.days[color]) == best]

    def account(self, verdicts: list[dict[str, Any]]) -> dict[str, Any]:
        """What is printed after the last move."""
        return {
            "verdicts": verdicts,
            "over": self.over,
            "next": None if self.over else self.order[self.turn],
            "gold": self.gold(),
            "winners": self.winners(),
        }


def build(places: set[Cell], order: tuple[Places, ...]) -> tuple[set[Cell], list[Places]]:
    """Build roads in this order; return the places reached and the roads that could not be built in their turn."""
    unbuilt = []
    for one, other in order:
        if (one in places) != (other in places):
            places = places | {one, other}
        else:
            unbuilt.append((one, other))
    return places, unbuilt


def others_changed(player: str, changes: Cubes) -> bool:
    return any(number != 0 for change in changes.values() for color, number in change.items() if color != player)
