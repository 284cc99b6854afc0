"""Random well-formed records of all three rule sets: mostly sensible play, often disturbed in one way or another."""

import random
from typing import Any

from tests.games.naive_board import Cell, beyond, cells_by_name
from tests.games.naive_game import Game
from tests.games.naive_referee import game_of
from tests.games.random_danger import RandomDangerTurns
from tests.games.random_turns import COLORS, TERRAINS, RandomTurns

RULES = ["standard", "two-player", "danger"]
KINDS = ["city", "town", "village", "hamlet"]
Record = dict[str, Any]


def random_record(seed: int, rules: str | None = None, moves: int = 40) -> Record:
    """A record of up to `moves` moves, the same for the same seed; without `rules` the seed chooses them too."""
    return random_case(seed, rules, moves)[0]


def random_case(seed: int, rules: str | None = None, moves: int = 40) -> tuple[Record, dict[str, Any]]:
    """A random record, and the verdict of the naive referee, who kept the table while the record was made."""
    rng = random.Random(seed)
    drawn = rng.choice(RULES)
    return _Players(rng, rules or drawn).play(moves)


def random_header(rng: random.Random, rules: str) -> Record:
    """A record without moves: board, players, options."""
    rings = rng.choice([2, 3, 4, 4, 5, 5, 6, 6])
    names = sorted(cells_by_name(rings))
    weights = rng.choice([[6, 2, 1], [6, 2, 1], [4, 4, 1], [2, 1, 3], [1, 0, 0], [4, 6, 0]])
    most = min(19, len(names) // rng.choice([3, 4, 5]))
    sites = rng.sample(names, rng.randint(rng.choice([3, most // 2, most]), most))
    terrain = {name: rng.choices(TERRAINS, weights)[0] for name in names}
    for name in rng.sample(sorted(set(names) - set(sites)), 6):
        terrain[name] = "plain"  # so that workshops can stand somewhere
    colors = rng.sample(COLORS, rng.randint(2, 4) if rules == "standard" else 2)
    return {
        "format": "strada-record/1",
        "game": "la-strada",
        "rules": rules,
        "options": random_options(rng, rules, colors),
        "board": {"rings": rings, "terrain": terrain, "settlements": {site: rng.choice(KINDS) for site in sites}},
        "players": [{"name": color.title(), "color": color} for color in colors],
    }


def random_options(rng: random.Random, rules: str, colors: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if rules == "standard" and rng.random() < 0.5:
        options["end"] = rng.choice(["ever", "now"])
    if rng.random() < 0.3:
        options["first_days"] = {color: rng.randint(0, 10) for color in colors if rng.random() < 0.6}
    return options


class _Players:
    """Play one game, legally or not, and keep the moves tried; meanwhile the naive referee keeps the table."""

    def __init__(self, rng: random.Random, rules: str) -> None:
        self.rng = rng
        self.leniency = rng.choice([0.02, 0.1, 0.3, 0.6])
        self.header = random_header(rng, rules)
        self.game: Game = game_of(self.header)
        turns = RandomDangerTurns if rules == "danger" else RandomTurns
        self.turns = turns(rng, self.game, mischief=rng.choice([0.05, 0.2, 0.4, 0.5]))

    def play(self, most: int) -> tuple[Record, dict[str, Any]]:
        moves: list[dict[str, Any]] = []
        verdicts: list[dict[str, Any]] = []
        after_the_end = self.rng.randint(0, 2)
        while len(moves) < most and after_the_end >= 0:
            moves.append(self.next_move())
            verdicts.append(self.game.move(moves[-1]))
            after_the_end -= self.game.over
        return {**self.header, "moves": moves}, self.game.account(verdicts)

    def next_move(self) -> dict[str, Any]:
        rng, game = self.rng, self.game
        player = game.order[game.turn] if rng.random() < 0.96 else rng.choice(game.order)
        setting_up = game.is_setting_up()
        if rng.random() < 0.03:
            setting_up = not setting_up
        if setting_up:
            move: dict[str, Any] = {"player": player, "workshop": self.turns.name[self.workshop_cell(player)]}
        else:
            move = {"player": player, "turn": self.turns.turn(player)}
        if rng.random() < self.leniency:
            move["accepted"] = rng.random() < 0.9
        return move

    def workshop_cell(self, player: str) -> Cell:
        rng, game = self.rng, self.game
        cells = sorted(game.terrain)
        whim = rng.random()
        if whim < 0.2:
            return rng.choice(cells)
        if whim < 0.25 and game.all_workshops():
            return rng.choice(sorted(game.all_workshops()))
        if whim < 0.35 and game.all_workshops():
            beside = beyond(rng.choice(sorted(game.all_workshops())), rng.randrange(6))
            if beside in game.terrain:
                return beside
        near = {beyond(cell, edge) for cell in game.foreign_workshops(player) for edge in range(6)}
        plain = [c for c in cells if game.terrain[c] == "plain" and not game.is_occupied(c) and c not in near]
        return rng.choice(plain or cells)
