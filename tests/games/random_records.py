"""Random well-formed records of the standard game: mostly sensible play, often perturbed in one way or another."""

import random
from collections.abc import Callable
from typing import Any

from tests.games.naive_referee import DAYS, Cell, Game, beyond, cells_by_name, opposite

COLORS = ["black", "grey", "yellow", "red"]
TERRAINS = ["plain", "forest", "hill"]
KINDS = ["city", "town", "village", "hamlet"]
Tiles = dict[Cell, dict[str, Any]]
Cubes = dict[Cell, dict[str, int]]
Turn = dict[str, Any]


def random_record(seed: int, moves: int = 40) -> dict[str, Any]:
    """A record of up to `moves` moves, the same for the same seed."""
    return _Generator(random.Random(seed)).record(moves)


class _Generator:
    """Plays one game, legally or not, and keeps the moves tried; the naive referee holds the table meanwhile."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.mischief = rng.choice([0.1, 0.3, 0.3, 0.5])
        self.leniency = rng.choice([0.05, 0.3, 0.6])
        rings = rng.choice([2, 3, 4, 4, 5, 6, 6])
        self.names = cells_by_name(rings)
        self.name = {cell: name for name, cell in self.names.items()}
        weights = rng.choice([[6, 2, 1], [4, 4, 1], [2, 1, 5], [1, 0, 0], [3, 8, 0]])
        terrain = {name: rng.choices(TERRAINS, weights)[0] for name in self.names}
        sites = rng.sample(sorted(self.names), rng.randint(3, min(19, len(self.names) // 4)))
        colors = rng.sample(COLORS, rng.randint(2, 4))
        self.header = {
            "format": "strada-record/1",
            "game": "la-strada",
            "rules": "standard",
            "options": self.options(colors),
            "board": {"rings": rings, "terrain": terrain, "settlements": {site: rng.choice(KINDS) for site in sites}},
            "players": [{"name": color.title(), "color": color} for color in colors],
        }
        self.game = Game({**self.header, "moves": []})

    def options(self, colors: list[str]) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if self.rng.random() < 0.5:
            options["end"] = self.rng.choice(["ever", "now"])
        if self.rng.random() < 0.3:
            options["first_days"] = {color: self.rng.randint(0, 10) for color in colors if self.rng.random() < 0.6}
        return options

    def record(self, most: int) -> dict[str, Any]:
        moves: list[dict[str, Any]] = []
        after_the_end = self.rng.randint(0, 2)
        while len(moves) < most and after_the_end >= 0:
            move = self.next_move()
            self.game.move(move)
            moves.append(move)
            after_the_end -= self.game.over
        return {**self.header, "moves": moves}

    def next_move(self) -> dict[str, Any]:
        rng, game = self.rng, self.game
        player = game.order[game.turn] if rng.random() < 0.96 else rng.choice(game.order)
        setting_up = len(game.workshops) < len(game.order)
        if rng.random() < 0.03:
            setting_up = not setting_up
        if setting_up:
            move: dict[str, Any] = {"player": player, "workshop": self.name[self.workshop_cell(player)]}
        else:
            move = {"player": player, "turn": self.turn(player)}
        if rng.random() < self.leniency:
            move["accepted"] = rng.random() < 0.9
        return move

    def workshop_cell(self, player: str) -> Cell:
        cells = sorted(self.names.values())
        if self.rng.random() < 0.25:
            return self.rng.choice(cells)
        if self.rng.random() < 0.1 and self.game.workshops:
            return self.rng.choice(sorted(self.game.workshops.values()))
        near = {beyond(cell, edge) for cell in self.game.workshops.values() for edge in range(6)}
        plain = [c for c in cells if self.game.terrain[c] == "plain" and not self.game.is_occupied(c) and c not in near]
        return self.rng.choice(plain or cells)

    # turns

    def turn(self, player: str) -> Turn:
        """What the table shows: tiles and changed cubes by name."""
        tiles: Tiles = {}
        cubes: Cubes = {}
        if player in self.game.workshops:
            if self.rng.random() < 0.9:
                self.build_sensibly(player, tiles, cubes)
            while self.rng.random() < self.mischief:
                self.rng.choice(self.perturbations())(player, tiles, cubes)
        entries = list(tiles.items())
        self.rng.shuffle(entries)
        if not self.rng.randrange(10):
            cubes.setdefault(self.a_cell(), {})
        return {
            "tiles": {self.name[cell]: tile for cell, tile in entries},
            "merchants": {self.name[cell]: change for cell, change in cubes.items()},
        }

    def build_sensibly(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        reached = self.game.places(player)
        days = self.game.days[player]
        for _ in range(self.rng.choice([1, 2, 2, 3])):
            targets = [cell for cell in self.game.settlements if cell not in reached]
            end = self.add_road(player, tiles, sorted(reached), targets, days - self.spent(tiles))
            if end is None:
                break
            reached = reached | {end}
            cubes[end] = {player: 1}

    def spent(self, tiles: Tiles) -> int:
        return sum(DAYS[self.game.terrain[cell]] for cell in tiles)

    def add_road(self, player: str, tiles: Tiles, starts: list[Cell], targets: list[Cell], days: int) -> Cell | None:
        """Lay some road from one of the places to another; None where a few random walks find none."""
        for _ in range(12):
            if not starts:
                return None
            edge = self.rng.randrange(6)
            cell, entry = beyond(self.rng.choice(starts), edge), opposite(edge)
            path: Tiles = {}
            while cell in self.game.terrain and not self.game.is_occupied(cell) and cell not in {**tiles, **path}:
                outs = [(entry + turn) % 6 for turn in (2, 3, 4)]
                homing = [out for out in outs if beyond(cell, out) in targets]
                out = self.rng.choice(homing or outs)
                path[cell] = self.tile(player, self.game.terrain[cell], entry, out)
                cell, entry = beyond(cell, out), opposite(out)
            if path and cell in targets and self.spent(path) <= days:
                tiles.update(path)
                return cell
        return None

    def tile(self, color: str, terrain: str, one: int, other: int) -> dict[str, Any]:
        shape = "straight" if abs(one - other) == 3 else "bend"
        return {"color": color, "terrain": terrain, "shape": shape, "edges": sorted([one, other])}

    def random_tile(self, player: str, cell: Cell) -> dict[str, Any]:
        one = self.rng.randrange(6)
        return self.tile(player, self.game.terrain[cell], one, (one + self.rng.choice([2, 3, 4])) % 6)

    # perturbations: each may also leave the turn as it is

    def perturbations(self) -> list[Callable[[str, dict[Cell, Any], Cubes], None]]:
        return [
            self.miss_cube,
            self.add_cube,
            self.stray_cube,
            self.stray_cube,
            self.foreign_cube,
            self.take_cube,
            self.many_cubes,
            self.swap_terrain,
            self.swap_color,
            self.turn_tile,
            self.miss_tile,
            self.add_tile,
            self.add_many_tiles,
            self.stack_tile,
            self.ring,
            self.too_long_road,
            self.second_road,
            self.road_of_stranger,
            self.road_to_workshop,
            self.road_from_workshop,
            self.road_to_road,
            self.road_to_road,
            self.road_to_road,
            self.road_to_itself,
            self.road_on,
            self.nothing,
        ]

    def a_cell(self) -> Cell:
        return self.rng.choice(sorted(self.names.values()))

    def a_color(self, player: str) -> str:
        """Another player's colour, or one that nobody plays."""
        colors = self.rng.choice([self.game.order, COLORS])
        return str(self.rng.choice([color for color in colors if color != player]))

    def miss_cube(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        if cubes:
            del cubes[self.rng.choice(sorted(cubes))]

    def add_cube(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        if cubes:
            there = cubes[self.rng.choice(sorted(cubes))]
            there[player] = there.get(player, 0) + 1

    def stray_cube(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        cell = self.a_cell() if self.rng.random() < 0.3 else self.rng.choice(sorted(self.game.settlements))
        cubes.setdefault(cell, {})[player] = 1

    def foreign_cube(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        cell = self.rng.choice(sorted(cubes or self.game.settlements))
        cubes.setdefault(cell, {})[self.a_color(player)] = self.rng.choice([1, -1, 2, 0])

    def take_cube(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        with_cubes = sorted(cell for cell, there in self.game.cubes.items() if there.get(player))
        if with_cubes:
            cubes.setdefault(self.rng.choice(with_cubes), {})[player] = self.rng.choice([-1, -1, -2, 0])

    def many_cubes(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        cubes.setdefault(self.rng.choice(sorted(self.game.settlements)), {})[player] = self.rng.randint(2, 9)

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
        free = [cell for cell in sorted(self.names.values()) if not self.game.is_occupied(cell)]
        color = self.rng.choice([player, self.a_color(player)])
        terrain = self.rng.choice(TERRAINS)
        for cell in self.rng.sample(free, min(len(free), self.rng.choice([4, 9]))):
            tiles[cell] = {**self.random_tile(color, cell), "terrain": terrain}

    def stack_tile(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        cell = self.rng.choice([c for c in sorted(self.names.values()) if self.game.is_occupied(c)])
        tiles[cell] = self.random_tile(player, cell)

    def ring(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        middle = self.a_cell()
        around = [beyond(middle, edge) for edge in range(6)]
        if all(cell in self.game.terrain and not self.game.is_occupied(cell) for cell in around):
            for edge, cell in enumerate(around):
                terrain = self.game.terrain[cell]
                tiles[cell] = self.tile(player, terrain, (edge + 2) % 6, (edge + 4) % 6)

    def too_long_road(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        places = self.game.places(player)
        targets = [cell for cell in self.game.settlements if cell not in places]
        self.reach(player, tiles, cubes, sorted(places), targets)

    def second_road(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        reached = sorted(self.game.places(player) | set(cubes))
        self.reach(player, tiles, cubes, reached, reached, cube_chance=0.3)

    def road_of_stranger(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        strange = [cell for cell in sorted(self.game.settlements) if cell not in self.game.places(player)]
        self.reach(player, tiles, cubes, strange, strange)

    def road_to_workshop(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        foreign = [cell for color, cell in self.game.workshops.items() if color != player]
        starts = self.game.places(player) if self.rng.random() < 0.7 else self.game.settlements
        self.reach(player, tiles, cubes, sorted(starts), foreign, cube_chance=0.2)

    def road_from_workshop(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        foreign = [cell for color, cell in self.game.workshops.items() if color != player]
        targets = foreign if self.rng.random() < 0.2 else sorted(self.game.settlements)
        self.reach(player, tiles, cubes, foreign, targets, cube_chance=0.5)

    def road_to_road(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        """To the open end of a road that was let stand, if there is any, or into its side."""
        stubs = [
            cell
            for cell, edges in sorted(self.game.roads.items())
            if any(
                beyond(cell, edge) in self.game.terrain and not self.game.is_occupied(beyond(cell, edge))
                for edge in edges
            )
        ]
        targets = sorted(self.game.places(player) | set(self.game.roads))
        self.reach(player, tiles, cubes, stubs or sorted(self.game.roads), targets, cube_chance=0.2)

    def road_to_itself(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        place = self.rng.choice(sorted({**self.game.settlements, **cubes}))
        self.reach(player, tiles, cubes, [place], [place], cube_chance=0.5)

    def road_on(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        """On from a settlement that is given a cube this turn, rightly or not."""
        self.reach(player, tiles, cubes, sorted(cubes), sorted(self.game.settlements))

    def nothing(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        tiles.clear()
        cubes.clear()

    def reach(
        self,
        player: str,
        tiles: Tiles,
        cubes: Cubes,
        starts: list[Cell],
        targets: list[Cell],
        cube_chance: float = 0.85,
    ) -> None:
        end = self.add_road(player, tiles, starts, targets, 99)
        if end is not None and self.rng.random() < cube_chance:
            cubes.setdefault(end, {})[player] = 1
