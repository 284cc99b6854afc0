"""A second referee for the standard rules, written from the texts alone: plain, slow, obvious.

It shares no code with the first referee, so that a fault is unlikely to be in both. It takes well-formed records only.
"""

from collections.abc import Iterator
from typing import Any

Cell = tuple[int, int]
EDGES = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)]
DAYS = {"plain": 2, "forest": 3, "hill": 4}
GOLD = {"city": [5, 4, 3, 2], "town": [4, 3, 2, 1], "village": [3, 2, 1, 0], "hamlet": [2, 1, 0, 0]}
TILES = {"plain": 18, "forest": 8, "hill": 5}
MERCHANTS = 12
GAIN, MOST_DAYS = 6, 10
LEFT_OPEN = {"already-connected", "not-connected", "foreign-workshop", "merchant-missing", "merchant-unconnected"}
"""What may be left out or named where roads are broken: left out here."""


def cells_by_name(rings: int) -> dict[str, Cell]:
    """Each cell's place by its name: rows from the top, in each row from the left."""
    named = {}
    for row, r in enumerate(range(-rings, rings + 1)):
        qs = [q for q in range(-rings, rings + 1) if abs(q + r) <= rings]
        for place, q in enumerate(qs, start=1):
            named[chr(ord("A") + row) + str(place)] = (q, r)
    return named


def beyond(cell: Cell, edge: int) -> Cell:
    return cell[0] + EDGES[edge][0], cell[1] + EDGES[edge][1]


def opposite(edge: int) -> int:
    return (edge + 3) % 6


def referee(record: dict[str, Any]) -> dict[str, Any]:
    """What a referee prints of a record of the standard game."""
    game = Game(record)
    verdicts = [game.move(move) for move in record["moves"]]
    return {
        "verdicts": verdicts,
        "over": game.over,
        "next": None if game.over else game.order[game.turn],
        "gold": game.gold(),
        "winners": game.winners(),
    }


class Game:
    """One table, changed by every move."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.names = cells_by_name(record["board"]["rings"])
        self.terrain = {self.names[name]: terrain for name, terrain in record["board"]["terrain"].items()}
        self.settlements = {self.names[name]: kind for name, kind in record["board"]["settlements"].items()}
        options = record.get("options", {})
        self.end = options.get("end", "ever")
        self.first_days = options.get("first_days", {})
        self.order = [player["color"] for player in record["players"]]
        self.turn = 0
        self.begun: set[str] = set()
        self.over = False
        self.days = dict.fromkeys(self.order, 0)
        self.workshops: dict[str, Cell] = {}
        self.roads: dict[Cell, list[int]] = {}
        self.supply = {color: dict(TILES) for color in self.order}
        self.cubes: dict[Cell, dict[str, int]] = {}
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
        return {
            "legal": not violations,
            "violations": sorted(violations),
            "days": dict(self.days),
            "over": self.over,
        }

    def set_workshop(self, player: str, cell: Cell, accepted: bool) -> set[str]:
        if len(self.workshops) == len(self.order):
            return {"workshop-late"}
        violations = set()
        if self.is_occupied(cell):
            violations.add("cell-occupied")
        if self.terrain[cell] != "plain":
            violations.add("workshop-terrain")
        if any(beyond(cell, edge) in self.workshops.values() for edge in range(6)):
            violations.add("workshop-too-close")
        if not violations or (accepted and "cell-occupied" not in violations):
            self.workshops[player] = cell
            self.turn = (self.turn + 1) % len(self.order)
            if len(self.workshops) == len(self.order):
                self.begin_turn()
        return violations

    def play_turn(self, player: str, turn: dict[str, Any], accepted: bool) -> set[str]:
        if len(self.workshops) < len(self.order):
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
            self.turn = (self.turn + 1) % len(self.order)
            self.begin_turn()
        return violations

    def apply(self, player: str, tiles: dict[Cell, Any], free: dict[Cell, Any], changes: dict[Cell, Any]) -> None:
        self.days[player] = max(0, self.days[player] - sum(DAYS[self.terrain[cell]] for cell in tiles))
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
            self.connected[color] |= {cell for cell in self.settlements if self.cubes.get(cell, {}).get(color, 0) > 0}

    def begin_turn(self) -> None:
        """The next player comes to his turn: the game ends, or he takes his days."""
        player = self.order[self.turn]
        gain = GAIN if player in self.begun else self.first_days.get(player, GAIN)
        his_days = min(MOST_DAYS, self.days[player] + gain)
        if not self.can_reach_a_settlement(player, MOST_DAYS if self.end == "ever" else his_days):
            self.over = True
            return
        self.begun.add(player)
        self.days[player] = his_days

    # what is on the table

    def is_occupied(self, cell: Cell) -> bool:
        return cell in self.settlements or cell in self.workshops.values() or cell in self.roads

    def stock(self, color: str) -> int:
        return max(0, MERCHANTS - sum(there.get(color, 0) for there in self.cubes.values()))

    def places(self, player: str) -> set[Cell]:
        return {self.workshops[player]} | self.connected[player]

    # judging a turn

    def judge(
        self, player: str, tiles: dict[Cell, Any], free: dict[Cell, Any], changes: dict[Cell, Any]
    ) -> tuple[set[str], set[Cell]]:
        """Every violation of a turn, and the settlements it reached."""
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
        if sum(DAYS[self.terrain[cell]] for cell in tiles) > self.days[player]:
            violations.add("days")
        roads, broken = self.trace(free)
        faults, reached = self.judge_roads(player, roads)
        violations |= broken | faults | self.judge_cubes(player, changes, reached)
        if broken:
            violations -= LEFT_OPEN
        return violations, reached

    def trace(self, free: dict[Cell, Any]) -> tuple[list[tuple[Cell, Cell]], set[str]]:
        """The two places that each whole road of this turn joins, and how the others are broken."""
        roads: list[tuple[Cell, Cell]] = []
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
                    if next_cell in self.settlements or next_cell in self.workshops.values():
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

    def judge_roads(self, player: str, roads: list[tuple[Cell, Cell]]) -> tuple[set[str], set[Cell]]:
        """What is wrong with whole roads in the order that builds most of them, and the settlements they reach."""
        violations: set[str] = set()
        foreign = {cell for color, cell in self.workshops.items() if color != player}
        own_roads = [road for road in roads if not foreign & set(road)]
        foreign_roads = [road for road in roads if foreign & set(road)]
        places, unbuilt = max(
            build_in_every_order(self.places(player), own_roads), key=lambda built: len(own_roads) - len(built[1])
        )
        for one, other in unbuilt:
            violations.add("already-connected" if one in places and other in places else "not-connected")
        for one, other in foreign_roads:
            violations.add("foreign-workshop")
            if one not in places and other not in places:
                violations.add("not-connected")  # from no place of his, nor to one
        return violations, places - self.places(player)

    def judge_cubes(self, player: str, changes: dict[Cell, Any], reached: set[Cell]) -> set[str]:
        violations = set()
        own = {cell: change.get(player, 0) for cell, change in changes.items()}
        if any(own.get(cell, 0) < 1 for cell in reached):
            violations.add("merchant-missing")
        if any(number > 1 for number in own.values()):
            violations.add("merchant-extra")
        if any(number > 0 and cell not in reached for cell, number in own.items()):
            violations.add("merchant-unconnected")
        if any(number < 0 for number in own.values()):
            violations.add("merchant-removed")
        if any(number != 0 for change in changes.values() for color, number in change.items() if color != player):
            violations.add("merchant-color")
        if sum(number for number in own.values() if number > 0) > self.stock(player):
            violations.add("merchant-supply")
        return violations

    # the end

    def can_reach_a_settlement(self, player: str, days: int) -> bool:
        """Whether some road of free cells leads from a place of his to a settlement that is none."""
        if self.stock(player) == 0:
            return False
        return any(
            self.leads_somewhere(player, beyond(place, edge), opposite(edge), days, [])
            for place in self.places(player)
            for edge in range(6)
        )

    def leads_somewhere(self, player: str, cell: Cell, entry: int, days: int, path: list[Cell]) -> bool:
        """Whether a road that comes into this cell by this edge, with these tiles behind it, can be completed."""
        if cell in self.settlements:
            return bool(path) and cell not in self.places(player)
        if cell not in self.terrain or self.is_occupied(cell) or cell in path:
            return False
        terrain = self.terrain[cell]
        used = sum(self.terrain[before] == terrain for before in path)
        if used >= self.supply[player][terrain] or DAYS[terrain] > days:
            return False
        return any(
            self.leads_somewhere(player, beyond(cell, out), opposite(out), days - DAYS[terrain], [*path, cell])
            for out in [(entry + turn) % 6 for turn in (2, 3, 4)]
        )

    # the account

    def gold(self) -> dict[str, int]:
        gold = dict.fromkeys(self.order, 0)
        for cell, kind in self.settlements.items():
            there = self.cubes.get(cell, {})
            number = sum(there.values())
            for color in self.order:
                if 1 <= number <= 4:
                    gold[color] += there.get(color, 0) * GOLD[kind][number - 1]
        return gold

    def winners(self) -> list[str]:
        if not self.over:
            return []
        gold = self.gold()
        best = max((gold[color], self.days[color]) for color in self.order)
        return [color for color in self.order if (gold[color], self.days[color]) == best]


def build_in_every_order(
    places: set[Cell], roads: list[tuple[Cell, Cell]]
) -> Iterator[tuple[set[Cell], list[tuple[Cell, Cell]]]]:
    """For every order of building: the places reached, and the roads that could not be built."""
    stuck = True
    for index, (one, other) in enumerate(roads):
        if (one in places) != (other in places):
            stuck = False
            yield from build_in_every_order(places | {one, other}, roads[:index] + roads[index + 1 :])
    if stuck:
        yield places, roads
