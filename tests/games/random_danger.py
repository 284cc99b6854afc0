"""Random turns of Nick Danger's game: cubes walk along roads, and people get all sorts of things wrong with them."""

from tests.games.naive_board import Cell, Cubes, Tiles
from tests.games.random_turns import Mishap, RandomTurns


class RandomDangerTurns(RandomTurns):
    """Turns at one table of Nick Danger's game, as it is when a turn is asked for."""

    def build_sensibly(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        last: Cell | None = None
        for _ in range(self.rng.choice([1, 1, 2, 2, 3, 4])):
            starts = {cell for cell in self.game.goals(player) if self.now_at(cell, player, cubes) > 0}
            if not starts:
                break
            if last in starts and self.rng.random() < 0.6:
                starts = {last}
            days = self.game.days[player] - self.game.cost(tiles)
            road = self.add_affordable_road(player, tiles, starts, self.game.goals(player), days)
            if road is not None:
                self.bring_cubes(player, cubes, *road)
                last = road[1]

    def bring_cubes(self, player: str, cubes: Cubes, start: Cell, end: Cell) -> None:
        """Move all, some or none of the cubes that are at the start now."""
        there = max(0, self.now_at(start, player, cubes))
        self.shift(player, cubes, start, end, self.rng.choice([0, there, self.rng.randint(0, there)]))

    def now_at(self, cell: Cell, player: str, cubes: Cubes) -> int:
        """How many of their cubes stand there after those changes."""
        return self.game.cubes_at(cell, player) + cubes.get(cell, {}).get(player, 0)

    def shift(self, player: str, cubes: Cubes, start: Cell, end: Cell, number: int) -> None:
        for cell, more in ((start, -number), (end, number)):
            there = cubes.setdefault(cell, {})
            there[player] = there.get(player, 0) + more
            if there[player] == 0 and self.rng.random() < 0.8:
                del cubes[cell][player]

    # mishaps: each may also leave the turn unchanged

    def mishaps_with_roads(self) -> list[Mishap]:
        return [
            *super().mishaps_with_roads(), *4 * [self.road_to_itself], *2 * [self.road_between_the_same],
            self.road_from_nobody,
        ]  # fmt: skip

    def mishaps_with_cubes(self) -> list[Mishap]:
        return [
            *super().mishaps_with_cubes(), *4 * [self.shift_along_road], *2 * [self.shift_anywhere],
            *2 * [self.turn_back], self.take_too_many,
        ]  # fmt: skip

    def road_between_the_same(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        """Lay a road parallel to one of this turn, on which cubes may walk on, or back."""
        if roads := self.whole_roads(tiles):
            places = self.rng.choice(roads)
            self.reach(player, tiles, cubes, [places[0]], [places[1]], cube_chance=0.7)

    def road_from_nobody(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        """Lay a road from where none of their cubes stood before this turn."""
        empty = {cell for cell in self.game.goals(player) if self.game.cubes_at(cell, player) == 0}
        self.reach(player, tiles, cubes, empty, self.game.goals(player), cube_chance=0.3)

    def shift_along_road(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        if roads := self.whole_roads(tiles):
            start, end = self.rng.sample(self.rng.choice(roads), 2)
            self.shift(player, cubes, start, end, self.rng.choice([1, 1, 2]))

    def shift_anywhere(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        with_cubes = sorted(cell for cell in self.game.cubes if self.now_at(cell, player, cubes) > 0)
        ends = [self.a_cell(), *sorted(self.game.all_workshops()), *sorted(self.game.goals(player))]
        if with_cubes:
            self.shift(player, cubes, self.rng.choice(with_cubes), self.rng.choice(ends), 1)

    def turn_back(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        """Let the same cubes walk the other way."""
        for change in cubes.values():
            if player in change:
                change[player] = -change[player]

    def take_too_many(self, player: str, tiles: Tiles, cubes: Cubes) -> None:
        """Take more cubes from a place than stand there, and put as many on another."""
        start, end = self.rng.choices(sorted(self.game.goals(player)), k=2)
        self.shift(player, cubes, start, end, self.game.cubes_at(start, player) + 1)
