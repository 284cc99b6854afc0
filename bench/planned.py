"""Evenings for tablegen to render: our own players' games as plans, photograph by photograph, each with the right word.

The players build, make mistakes, correct what was refused, forget their markers, reach over the table while somebody
looks, and push the board. On some evenings the pieces are put together differently, and on some the light changes. The
seed decides all of it. A plan has the form that tablegen's README gives, and `expected` that of tables/FORMAT.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench.tablegen import Generator
from companion.board import (
    BARE,
    Cell,
    CellReading,
    Color,
    Contents,
    HexBoard,
    HexCell,
    Reading,
    Settlement,
    SettlementType,
    Terrain,
    difference,
)
from companion.board.notation import contents_to_json
from companion.games.contract import Legal, Player
from companion.games.la_strada import DANGER, STANDARD, TWO_PLAYER, Ground, LaStrada, LaStradaPosition
from simulator.dealing import put_right, random_layout
from simulator.evening import standing, violations
from simulator.players import MISTAKE_SHARE, planned

#: About how many photographs an evening has.
MOST_PHOTOS = 30
RULES: Sequence[LaStrada] = (STANDARD, TWO_PLAYER, DANGER)
NAMES = ("Ada", "Bo", "Cy", "Di")
#: The evenings, of every ten, on which the pieces are put together differently, the light changes, and the board is
#: pushed.
_REARRANGED, _RELIT, _PUSHED = {1, 4, 7}, {0, 3, 4, 8}, {2, 4, 5, 9}
#: Between which photographs the light may change and the board be pushed.
_MIDST = (5, 16)
#: How often somebody looks while a hand is over the board; even so, one evening in five has no such look.
_LOOK_SHARE = 0.12
#: The most cubes that the generator lays on a cell; how often a turn that needs more is planned again.
_MOST_CUBES, _THOUGHTS = 8, 20

BOARD = HexBoard(6)
Pieces = Sequence[tuple[int, int, int]]


def plan_of(generator: Generator, seed: int) -> dict[str, Any]:
    """Return the plan of the seed's evening, on the layout that it begins with."""
    return planned_evening(generator.sketch(seed, pieces_of(seed)))


def pieces_of(seed: int) -> Pieces | None:
    """Return how the pieces lie (piece, slot, turn) if they are put together differently; None: as the seed has it."""
    if seed % 10 not in _REARRANGED:
        return None
    laid = random_layout(np.random.default_rng((seed, 71)))
    return [(piece, lie.slot, lie.turn) for piece, lie in enumerate(laid.lies)]


def rules_of(seed: int) -> LaStrada:
    """Return the rules of the seed's evening: three seeds in a row have three different ones."""
    return RULES[seed % len(RULES)]


def planned_evening(
    sketch: Mapping[str, Any], most: int = MOST_PHOTOS, mistakes: float = MISTAKE_SHARE
) -> dict[str, Any]:
    """Return the plan of an evening on a sketch (`Generator.sketch`): the same for the same sketch."""
    seed = int(sketch["seed"])
    rng = np.random.default_rng((seed, 72))
    rules = rules_of(seed)
    terrain: dict[Cell, Terrain] = {BOARD.cell(name): Terrain(kind) for name, kind in sketch["terrain"].items()}
    sites = [cell for cell in BOARD.cells if str(cell) in set(sketch["sites"])]
    players = _players(rules, sketch["sides"], rng)
    kinds = [kind for kind in SettlementType for _ in range(STANDARD.rules.settlements[kind])]
    dealt = {site: Contents(Settlement(kinds[k])) for site, k in zip(sites, rng.permutation(len(kinds)), strict=True)}
    ground = Ground(BOARD, terrain, _kinds(dealt))
    game = _Game(rules, rules.start(ground, players, {}), dict(dealt), rng, most)
    game.play(mistakes)
    _disturb(game.photos, seed, rng)
    return {
        "seed": seed,
        "rules": rules.name,
        "players": [{"name": player.name, "color": str(player.color)} for player in players],
        "layout": sketch["layout"],
        "photos": game.photos,
    }


def truth_of(photo: Mapping[str, Any], sketch: Mapping[str, Any]) -> dict[str, Any]:
    """Return the truth of a planned photograph with nothing hidden, as the generator would write it."""
    sites = set(sketch["sites"])
    bare: dict[str, Any] = {"tile": None, "merchants": {}}
    cells = {
        name: {"terrain": kind, "site": name in sites, **bare, **photo["cells"].get(name, {})}
        for name, kind in sketch["terrain"].items()
    }
    return {"cells": cells, "tracks": photo["tracks"], "occluded": [], "expected": photo["expected"]}


def _kinds(dealt: Mapping[HexCell, Contents]) -> dict[HexCell, SettlementType]:
    return {cell: lies.tile.type for cell, lies in dealt.items() if isinstance(lies.tile, Settlement)}


def _players(rules: LaStrada, sides: Mapping[str, int], rng: np.random.Generator) -> tuple[Player, ...]:
    """Return the players; in the game for two they sit opposite each other, if the frame's tracks allow it."""
    colors = [list(Color)[k] for k in rng.permutation(len(Color))]
    seats = rules.rules.seats
    count = int(seats[int(rng.integers(len(seats)))])
    if seats == (2,):
        opposite = [
            (one, other)
            for one in colors
            for other in colors
            if one is not other and (sides[str(one)] - sides[str(other)]) % 4 == 2
        ]
        colors = list(opposite[0]) if opposite else colors
    else:  # clockwise round the frame
        colors = sorted(colors[:count], key=lambda color: sides[str(color)])
    return tuple(Player(name, color) for name, color in zip(NAMES, colors[:count], strict=False))


@dataclass
class _Game:
    """A game as it lies on the table, and the photographs taken of it. Owned by the thread that plays it."""

    rules: LaStrada
    position: LaStradaPosition
    lies: dict[HexCell, Contents]
    rng: np.random.Generator
    most: int
    tracks: dict[Color, int | None] = field(default_factory=dict)
    photos: list[dict[str, Any]] = field(default_factory=list)

    def play(self, mistakes: float) -> None:
        """Photograph the deal and every turn, until the game is over or there are enough photographs."""
        self.tracks = {color: 0 if color in self.position.colors else None for color in Color}
        self._count_round()
        self._photograph("deal", {"kind": "deal", **standing(self.position)})
        while not self.position.over and len(self.photos) < self.most:
            for _ in range(_THOUGHTS):
                plan = planned(self.position, self.rng, mistakes)
                if all(_fits(laid) for laid in (plan.right, plan.wrong or {})):
                    break
            else:
                return
            wanted = plan.right
            if plan.wrong is not None:
                self._lay(plan.wrong)
                self._say_done()
                wanted = put_right(self.position, plan.wrong, plan.right)
                if len(self.photos) >= self.most:
                    return
            cells = list(wanted)
            self._lay({cell: wanted[cell] for cell in cells[: len(cells) // 2]})
            if cells and len(self.photos) < self.most - 1 and self.rng.random() < _LOOK_SHARE:
                told = {**standing(self.position), "kind": "look", "player": plan.player}
                self._photograph("look", told, hands=[str(cells[len(cells) // 2])])
            self._lay({cell: wanted[cell] for cell in cells[len(cells) // 2 :]})
            if plan.marker is not None:
                assert isinstance(plan.player, Color)
                self.tracks[plan.player] = plan.marker
            self._say_done()

    def _lay(self, wanted: Mapping[Any, Contents]) -> None:
        self.lies.update(wanted)

    def _say_done(self) -> None:
        """Photograph the table with the referee's word on it; the game goes on if that is legal."""
        before = self.position
        cells: dict[Cell, CellReading] = {cell: CellReading(lies) for cell, lies in self.lies.items()}
        verdict = self.rules.judge(before, difference(Reading(BOARD, cells), before.expected()))
        word = {
            "kind": before.phase,
            "player": before.next,
            "legal": isinstance(verdict, Legal),
            **violations(verdict),
        }
        if isinstance(verdict, Legal):
            assert isinstance(verdict.after, LaStradaPosition)
            markers = self._misplaced(before, verdict.after)
            word |= {"markers": markers} if markers else {}
            self.position = verdict.after
        self._photograph("done", {**standing(self.position), **word})
        self._count_round()

    def _misplaced(self, before: LaStradaPosition, after: LaStradaPosition) -> dict[str, list[int | None]]:
        """Return markers in a wrong place: colour -> [shown, right]."""
        if before.phase != "turn":
            return {}
        spent = sum(
            before.rules.costs[before.ground.terrain[cell]] for cell in after.roads.keys() - before.roads.keys()
        )
        right = {color: before.days[color] - (spent if color is before.next else 0) for color in sorted(before.colors)}
        return {str(color): [self.tracks[color], days] for color, days in right.items() if self.tracks[color] != days}

    def _count_round(self) -> None:
        """Move the rounds' marker on: the next photograph shows it."""
        left = self.position.rounds_left
        if left is not None:
            self.tracks[next(color for color in Color if color not in self.position.colors)] = left

    def _photograph(self, button: str, expected: dict[str, Any], **more: Any) -> None:
        laid = [cell for cell in sorted(self.lies) if self.lies[cell] != BARE]
        self.photos.append(
            {
                "button": button,
                "expected": expected,
                "tracks": {str(color): days for color, days in self.tracks.items()},
                "cells": {str(cell): contents_to_json(self.lies[cell]) for cell in laid},
                **more,
            }
        )


def _fits(laid: Mapping[Any, Contents]) -> bool:
    return all(lies.merchants.total <= _MOST_CUBES for lies in laid.values())


def _disturb(photos: list[dict[str, Any]], seed: int, rng: np.random.Generator) -> None:
    """Let the light change and the board be pushed, if this evening has that."""
    first, last = _MIDST
    midst = range(min(first, len(photos) - 1), min(last, len(photos)))
    for key, evenings in (("light", _RELIT), ("push", _PUSHED)):
        if seed % 10 in evenings and midst:
            photos[int(rng.choice(midst))][key] = True
