"""Random turns: a few sensible roads, then all sorts of things that people get wrong."""

import random
from collections.abc import Callable, Collection
from typing import Any

from tests.games.naive_board import DAYS, Cell, Cubes, Tiles, all_roads, beyond, opposite
from tests.games.naive_game import Game

COLORS = ["black", "grey", "yellow", "red"]
TERRAINS = ["plain", "forest", "hill"]
MOST_ROADS = 4
"""In one turn, so that the naive referee tries all their orders in a moment."""
Turn = dict[str, Any]
Mishap = Callable[[str, Tiles, Cubes], None]


class RandomTurns:
    """Turns at one table, as it is when a turn is asked for, of the standard game and the official game for two."""

    def __init__(self, rng: random.Random, game: Game, mischief: float) -> None:
        self.rng = rng
        self.game = game
        self.mischief = mischief
        self.name = {cell: name for name, cell in game.names.items()}

    def turn(self, player: str) -> Turn:
        """Return what the table shows: tiles and changed cubes by name."""
        while True:
            tiles: Tiles = {}
            cubes: Cubes = {}
            if self.game.workshops[player]:
                if self.rng.random() < 0.9:
                    self.build_sensibly(player, tiles, cubes)
                if self.rng.random() < 0.3 and self.open_ends():
                    self.road_to_road(player, tiles, cubes)
                if self.rng.random() < 0.1 and self.astray():
                    self.another_stray_cube(player, tiles, cubes)
                while self.rng.random() < self.mischief:
                    self.rng.choice(self.mishaps())(player, tiles, cubes)
            if not self.rng.randrange(10):
                cubes.setdefault(self.a_cell(), {})
            if len(self.whole_roads(tiles)) <= MOST_ROADS:
                break
        entries = list(tiles.items())
        self.rng.shuffle(entries)
        return {
            "tiles": {self.name[cell]: tile for cell, tile in entries},
            "merchants": {self.name[cell]: change for cell, change in cubes.items()},
        }

    # sensible turns

    def build_sensibly(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        reached = self.game.places(player)
        days = self.game.days[player]
        for _ in range(self.rng.choice([1, 2, 2, 3, 4])):
            targets = [cell for cell in self.game.settlements if cell not in reached]
            road = self.add_affordable_road(player, tiles, reached, targets, days - self.game.cost(tiles))
            if road is None:
                break
            end = road[1]
            reached = reached | {end}
            if self.game.takes_a_merchant(end):
                cubes[end] = {player: 1}

    def add_affordable_road(
        self, player: str, tiles: Tiles, starts: Collection[Cell], targets: Collection[Cell], days: int
    ) -> tuple[Cell, Cell] | None:
        """Lay a road that these days pay for, every other time one that the naive referee found."""
        if self.rng.random() < 0.5:
            return self.add_road(player, tiles, starts, targets, days)
        game = self.game
        occupied = {cell for cell in game.terrain if game.is_occupied(cell) or cell in tiles}
        found = list(all_roads(game.terrain, occupied, game.supply[player], days, sorted(starts), targets))
        if not found:
            return None
        cheapest_of = self.rng.choices(found, k=self.rng.choice([1, 3, 9]))
        road = min(cheapest_of, key=lambda road: sum(DAYS[game.terrain[cell]] for cell, _ in road.tiles))
        for cell, (one, other) in sorted(road.tiles):
            tiles[cell] = self.tile(player, game.terrain[cell], one, other)
        return road.start, road.goal

    def add_road(
        self, player: str, tiles: Tiles, starts: Collection[Cell], targets: Collection[Cell], days: int = 99
    ) -> tuple[Cell, Cell] | None:
        """Lay some road from one of the places to another; None if a few random walks find none."""
        exits = [(start, edge) for start in sorted(starts) for edge in range(6)]
        return self.add_road_from(player, tiles, exits, targets, days)

    def add_road_from(
        self, player: str, tiles: Tiles, exits: list[tuple[Cell, int]], targets: Collection[Cell], days: int = 99
    ) -> tuple[Cell, Cell] | None:
        """Do the same, leaving by one of these edges of these cells."""
        for _ in range(25 if exits else 0):
            start, edge = self.rng.choice(exits)
            cell, entry = beyond(start, edge), opposite(edge)
            path: Tiles = {}
            while cell in self.game.terrain and not self.game.is_occupied(cell) and cell not in {**tiles, **path}:
                outs = [(entry + turn) % 6 for turn in (2, 3, 4)]
                homing = [out for out in outs if beyond(cell, out) in targets]
                out = self.rng.choice(homing or outs)
                path[cell] = self.tile(player, self.game.terrain[cell], entry, out)
                cell, entry = beyond(cell, out), opposite(out)
            if path and cell in targets and self.game.cost(path) <= days:
                tiles.update(path)
                return start, cell
        return None

    def tile(self, color: str, terrain: str, one: int, other: int) -> dict[str, Any]:
        shape = "straight" if abs(one - other) == 3 else "bend"
        return {"color": color, "terrain": terrain, "shape": shape, "edges": sorted([one, other])}

    def random_tile(self, player: str, cell: Cell) -> dict[str, Any]:
        one = self.rng.randrange(6)
        return self.tile(player, self.game.terrain[cell], one, (one + self.rng.choice([2, 3, 4])) % 6)

    def whole_roads(self, tiles: Tiles) -> list[tuple[Cell, Cell]]:
        return self.game.trace({cell: tile for cell, tile in tiles.items() if not self.game.is_occupied(cell)})[0]

    def a_cell(self) -> Cell:
        return self.rng.choice(sorted(self.game.terrain))

    def a_color(self, player: str) -> str:
        """Another player's colour, or one that nobody plays."""
        colors = self.rng.choice([self.game.order, COLORS])
        return str(self.rng.choice([color for color in colors if color != player]))

    # mishaps: each may also leave the turn unchanged

    def mishaps(self) -> list[Mishap]:
        return [*self.mishaps_with_tiles(), *self.mishaps_with_roads(), *self.mishaps_with_cubes(), self.nothing]

    def mishaps_with_tiles(self) -> list[Mishap]:
        return [
            self.swap_terrain, self.swap_color, self.turn_tile, self.miss_tile, self.add_tile, self.add_many_tiles,
            self.stack_tile, self.ring,
        ]  # fmt: skip

    def mishaps_with_roads(self) -> list[Mishap]:
        return [
            self.too_long_road, self.second_road, self.road_of_stranger, self.road_to_workshop,
            self.road_from_workshop, *3 * [self.road_to_road], self.road_to_itself, self.road_on,
        ]  # fmt: skip

    def mishaps_with_cubes(self) -> list[Mishap]:
        return [
            self.miss_cube, self.add_cube, *3 * [self.stray_cube], self.foreign_cube, self.take_cube,
            self.many_cubes,
        ]  # fmt: skip

    def nothing(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        tiles.clear()
        cubes.clear()

    # ... with tiles

    def swap_terrain(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        if tiles:
            tiles[self.rng.choice(sorted(tiles))]["terrain"] = self.rng.choice(TERRAINS)

    def swap_color(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        if tiles:
            tiles[self.rng.choice(sorted(tiles))]["color"] = self.a_color(player)

    def turn_tile(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        if tiles:
            cell = self.rng.choice(sorted(tiles))
            tiles[cell] = self.random_tile(player, cell)

    def miss_tile(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        if tiles:
            del tiles[self.rng.choice(sorted(tiles))]

    def add_tile(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        cell = self.a_cell()
        tiles[cell] = self.random_tile(player, cell)

    def add_many_tiles(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        free = [cell for cell in sorted(self.game.terrain) if not self.game.is_occupied(cell)]
        color = self.rng.choice([player, self.a_color(player)])
        terrain = self.rng.choice(TERRAINS)
        for cell in self.rng.sample(free, min(len(free), self.rng.choice([4, 4, 4, 9]))):
            tiles[cell] = {**self.random_tile(color, cell), "terrain": terrain}

    def stack_tile(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        cell = self.rng.choice([c for c in sorted(self.game.terrain) if self.game.is_occupied(c)])
        tiles[cell] = self.random_tile(player, cell)

    def ring(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        middle = self.a_cell()
        around = [beyond(middle, edge) for edge in range(6)]
        if all(cell in self.game.terrain and not self.game.is_occupied(cell) for cell in around):
            for edge, cell in enumerate(around):
                terrain = self.game.terrain[cell]
                tiles[cell] = self.tile(player, terrain, (edge + 2) % 6, (edge + 4) % 6)

    # ... with roads

    def too_long_road(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        places = self.game.places(player)
        self.reach(player, tiles, cubes, places, self.game.settlements.keys() - places)

    def second_road(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        reached = self.game.places(player) | cubes.keys()
        self.reach(player, tiles, cubes, reached, reached, cube_chance=0.3)

    def road_of_stranger(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        strange = self.game.settlements.keys() - self.game.places(player)
        self.reach(player, tiles, cubes, strange, strange)

    def road_to_workshop(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        starts = self.game.places(player) if self.rng.random() < 0.7 else self.game.settlements
        self.reach(player, tiles, cubes, starts, self.game.foreign_workshops(player), cube_chance=0.6)

    def road_from_workshop(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        foreign = self.game.foreign_workshops(player)
        targets = foreign if self.rng.random() < 0.2 else self.game.settlements
        self.reach(player, tiles, cubes, foreign, targets, cube_chance=0.5)

    def road_to_road(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        """Go on from the open end of a road that was let stand, if there is one, or from the side of a road."""
        open_ends = self.open_ends()
        if open_ends and self.rng.random() < 0.5:
            cell, edge = self.rng.choice(open_ends)
            tile = self.tile(player, self.game.terrain[beyond(cell, edge)], opposite(edge), (edge + 5) % 6)
            tiles[beyond(cell, edge)] = tile
            return
        exits = open_ends or [(cell, edge) for cell in sorted(self.game.roads) for edge in range(6)]
        targets = self.game.settlements.keys() | self.game.places(player) | self.game.roads.keys()
        road = self.add_road_from(player, tiles, exits, targets)
        if road is not None and self.rng.random() < 0.2:
            self.bring_cubes(player, cubes, *road)

    def open_ends(self) -> list[tuple[Cell, int]]:
        """Where roads that were let stand lead onto a free cell."""
        return [
            (cell, edge)
            for cell, edges in sorted(self.game.roads.items())
            for edge in edges
            if beyond(cell, edge) in self.game.terrain and not self.game.is_occupied(beyond(cell, edge))
        ]

    def road_to_itself(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        place = self.rng.choice(sorted({*self.game.settlements, *self.game.all_workshops(), *cubes}))
        self.reach(player, tiles, cubes, [place], [place], cube_chance=0.5)

    def road_on(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        """Go on from a settlement that gets a cube this turn, rightly or not."""
        self.reach(player, tiles, cubes, cubes, self.game.settlements)

    def reach(
        self,
        player: str,
        tiles: Tiles,
        cubes: Cubes,
        starts: Collection[Cell],
        targets: Collection[Cell],
        cube_chance: float = 0.85,
    ) -> None:
        road = self.add_road(player, tiles, starts, targets)
        if road is not None and self.rng.random() < cube_chance:
            self.bring_cubes(player, cubes, *road)

    def bring_cubes(self, player: str, cubes: Cubes, start: Cell, end: Cell) -> None:
        cubes.setdefault(end, {})[player] = 1

    # ... with cubes

    def miss_cube(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        if cubes:
            del cubes[self.rng.choice(sorted(cubes))]

    def add_cube(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        """Add a cube where cubes changed or where a road of this turn leads, whether another player holds it or not."""
        ends = {end for road in self.whole_roads(tiles) for end in road}
        if cubes or ends:
            there = cubes.setdefault(self.rng.choice(sorted({*cubes, *ends})), {})
            there[player] = there.get(player, 0) + 1

    def stray_cube(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        """Put a cube on any cell, or on a workshop, but mostly on a settlement."""
        game = self.game
        among = self.rng.choice([game.terrain, game.all_workshops(), game.settlements, game.settlements])
        cubes.setdefault(self.rng.choice(sorted(among)), {})[player] = 1

    def another_stray_cube(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        """Put a cube beside one that was let stand outside the settlements."""
        cubes.setdefault(self.rng.choice(self.astray()), {})[player] = 1

    def astray(self) -> list[Cell]:
        places = self.game.settlements.keys() | self.game.all_workshops()
        return [cell for cell, there in sorted(self.game.cubes.items()) if any(there.values()) and cell not in places]

    def foreign_cube(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        cell = self.rng.choice(sorted({*cubes, *self.game.settlements}))
        cubes.setdefault(cell, {})[self.a_color(player)] = self.rng.choice([1, -1, 2, 0])

    def take_cube(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        with_cubes = sorted(cell for cell, there in self.game.cubes.items() if there.get(player))
        if with_cubes:
            cubes.setdefault(self.rng.choice(with_cubes), {})[player] = self.rng.choice([-1, -1, -2, 0])

    def many_cubes(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        cubes.setdefault(self.rng.choice(sorted(self.game.settlements)), {})[player] = self.rng.choice([2, 3, 5, 9, 13])
