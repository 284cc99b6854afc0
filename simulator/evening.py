"""Drawn evenings of either game: a whole game in photographs, each with the referee's verdict (tables/FORMAT.md)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import numpy as np

from companion.board import Change, Color, difference, in_board_order
from companion.games import score
from companion.games.contract import Illegal, Legal, Player, Position, RuleSet, Unfinished, Verdict
from companion.games.la_strada import STANDARD, LaStrada, LaStradaPosition
from companion.games.silk_road import COMPETITIVE, SilkRoad, SilkRoadPosition
from simulator import dealing
from simulator.camera import DrawnCamera, VirtualCamera
from simulator.players import MISTAKE_SHARE, planned, planned_section
from simulator.scene import AnyScene, Hand, Nudge, Scene
from simulator.setup import write_json, write_photograph
from simulator.square_camera import SquareCamera, SquareScene, dealt
from simulator.turns import Lying

#: How often a photograph is taken with a hand over the table, and how often the board is pushed before one.
_LOOK_SHARE, _PUSH_SHARE = 0.08, 0.15


def write_evening(
    folder: Path,
    camera: VirtualCamera,
    seed: int,
    *,
    rules: LaStrada = STANDARD,
    players: Sequence[Player] | None = None,
    most: int | None = None,
    mistakes: float = MISTAKE_SHARE,
) -> int:
    """Write game.json, NNN.jpg and NNN.json into the folder (TABLE/games/evening). Return how many photographs.

    The game goes on until it is over or `most` photographs are taken. Without `players`, this table's usual players
    play. Raises BadInputError if the players do not fit the rules, OSError if the files cannot be written.
    """
    playing = tuple(players) if players is not None else dealing.seated(rules, camera.art)
    art, rng = camera.art, np.random.default_rng((seed, 41))
    layout = dealing.random_layout(rng, art.board.rings)
    bare = dealing.assembled(art, layout, playing, rng, rules)
    scene = dealing.laid(bare, dealing.deal(art, layout, rng), rng)
    position = dealing.begun(art, scene, playing, rules)
    return _Evening(folder, camera, rng, playing, most, rules, scene, position).written(mistakes)


def write_square_evening(
    folder: Path,
    camera: SquareCamera,
    seed: int,
    players: Sequence[Player],
    *,
    rules: SilkRoad = COMPETITIVE,
    most: int | None = None,
    mistakes: float = MISTAKE_SHARE,
) -> int:
    """Write game.json, NNN.jpg and NNN.json into the folder (TABLE/games/evening). Return how many photographs.

    The game goes on until it is over or `most` photographs are taken. Raises BadInputError if the players do not fit
    the rules, OSError if the files cannot be written.
    """
    board, rng = camera.art.board, np.random.default_rng((seed, 43))
    scene = dealing.laid(SquareScene(board), dealt(board, rng), rng)
    ground = rules.ground(scene.truth())
    assert ground is not None, "the snow was not dealt"
    position = rules.start(ground, players, {})
    return _SquareEvening(folder, camera, rng, players, most, rules, scene, position).written(mistakes)


AnyPosition = TypeVar("AnyPosition", bound=Position)


class _Photographed(ABC, Generic[AnyScene, AnyPosition]):
    """A game that is being photographed. Owned by the thread that writes it."""

    def __init__(
        self,
        folder: Path,
        camera: DrawnCamera[AnyScene, Any],
        rng: np.random.Generator,
        players: Sequence[Player],
        most: int | None,
        rules: RuleSet,
        scene: AnyScene,
        position: AnyPosition,
    ) -> None:
        self._folder, self._photographed_by, self._rng, self._most, self._rule_set = folder, camera, rng, most, rules
        self._players, self._scene, self._position = players, scene, position
        self._photos: list[dict[str, str]] = []

    @abstractmethod
    def play(self, mistakes: float) -> None:
        """Photograph the deal and every turn, until the game is over or enough photographs are taken."""

    def written(self, mistakes: float) -> int:
        """Play, and write game.json for the photographs. Return how many there are."""
        self.play(mistakes)
        game = {
            "rules": self._rule_set.name,
            "players": [{"name": player.name, "color": str(player.color)} for player in self._players],
            "photos": self._photos,
        }
        write_json(self._folder / "game.json", game)
        return len(self._photos)

    def _judged(self, change: Change) -> dict[str, Any]:
        """Return the referee's verdict on what was placed. If it is legal, the game goes on from there."""
        before = self._position
        verdict = self._rule_set.judge(before, change)
        if isinstance(verdict, Legal):
            self._position = cast(AnyPosition, verdict.after)
        is_legal = isinstance(verdict, Legal)
        return {"kind": before.phase, "player": before.next, "legal": is_legal, **violations(verdict)}

    def _is_full(self) -> bool:
        return self._most is not None and len(self._photos) >= self._most

    def _do(self, todo: Iterable[dealing.Act]) -> None:
        for act in todo:
            self._scene = act.done(self._scene, self._rng)

    def _photograph(self, button: str, expected: Mapping[str, Any]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        name = f"{len(self._photos):03d}.jpg"
        write_photograph(self._folder / name, self._photographed_by, self._scene, {"expected": expected})
        self._photos.append({"photo": name, "button": button})


class _Evening(_Photographed[Scene, LaStradaPosition]):
    """A game of La Strada."""

    def play(self, mistakes: float) -> None:
        self._photograph("deal", {"kind": "deal", **standing(self._position)})
        while not (self._position.over or self._is_full()):
            plan = planned(self._position, self._rng, mistakes)
            if plan.wrong is not None:
                self._scene = dealing.laid(self._scene, plan.wrong, self._rng)
                self._say_done()
            if self._is_full():
                return
            wanted = plan.right if plan.wrong is None else dealing.put_right(self._position, plan.wrong, plan.right)
            todo = dealing.acts(self._scene, wanted)
            half = len(todo) // 2
            self._do(todo[:half])
            if todo and self._rng.random() < _LOOK_SHARE:
                self._look(todo[half], Color(plan.player))
            self._do(todo[half:])
            if plan.marker is not None:
                self._scene = self._scene.move_marker(Color(plan.player), plan.marker, self._rng)
            if not self._is_full():
                self._say_done()

    def _say_done(self) -> None:
        """Photograph the table with the referee's verdict on it. If it is legal, the game goes on from there."""
        before = self._position
        word = self._judged(dealing.change_of(self._photographed_by.art, self._scene, before))
        if word["legal"] and (markers := self._misplaced(before)):
            word["markers"] = markers
        self._photograph("done", {**standing(self._position), **word})
        # If a round has ended, its marker moves on, as the next photograph shows.
        if (counted := dealing.round_to_mark(self._position, self._scene)) is not None:
            self._scene = self._scene.move_marker(*counted, self._rng)

    def _look(self, act: dealing.Act, player: Color) -> None:
        seat = (math.pi / 2, 0.0, -math.pi / 2, math.pi)[self._photographed_by.art.sides.index(player)]
        x, y = act.cell.centre
        hand = Hand(x, y, seat + float(self._rng.uniform(-0.4, 0.4)), int(self._rng.integers(50)))
        bare = self._scene
        self._scene = bare.with_hand(hand)
        self._photograph("look", {**standing(self._position), "kind": "look", "player": player})
        self._scene = bare

    def _misplaced(self, before: LaStradaPosition) -> dict[str, list[int]]:
        """Return the markers in the wrong place once this turn has been found legal: colour -> [shown, right]."""
        misplaced = {}
        for color in sorted(before.colors):
            marker = self._scene.markers[color]
            spent = dealing.days_spent(before, self._scene) if color is before.next else 0
            right = before.days[color] - spent
            if marker.field != right:
                misplaced[color.value] = [marker.field, right]
        return misplaced if before.phase == "turn" else {}

    def _photograph(self, button: str, expected: Mapping[str, Any]) -> None:
        if self._rng.random() < _PUSH_SHARE:
            x, y, turn = self._rng.normal(0, (0.05, 0.05, 0.0015))
            self._scene = self._scene.with_nudge(Nudge(float(x), float(y), float(turn)))
        super()._photograph(button, expected)


class _SquareEvening(_Photographed[SquareScene, SilkRoadPosition]):
    """A game of Silk Road."""

    def play(self, mistakes: float) -> None:
        self._photograph("deal", {"kind": "deal", **standing(self._position)})
        while not self._position.over:
            plan = planned_section(self._position, self._rng, mistakes)
            right = plan.right
            if plan.wrong is not None:
                self._say_done(plan.wrong)
                right = dealing.put_right(self._position, plan.wrong, plan.right)
            if self._is_full():
                return
            self._say_done(right)

    def _say_done(self, wanted: Lying) -> None:
        """Place it, and photograph the table with the referee's verdict on it, unless enough photographs are taken."""
        if self._is_full():
            return
        self._scene = dealing.laid(self._scene, wanted, self._rng)
        word = self._judged(difference(self._scene.truth(), self._position.expected()))
        self._photograph("done", {**word, **standing(self._position)})


def violations(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict's violations and their cells, in the form of a truth's `expected`."""
    match verdict:
        case Illegal(reasons=reasons) | Unfinished(missing=reasons):
            cells = {cell for reason in reasons for cell in reason.cells}
            return {
                "violations": sorted({reason.code for reason in reasons}),
                "cells": [str(cell) for cell in in_board_order(cells)],
            }
        case _:
            return {"violations": []}


def standing(position: Position) -> dict[str, Any]:
    """Return the state of the game, in the form of a truth's `expected`."""
    stands = score(position)
    days = {str(color): left for color, left in position.days.items()}
    return {
        **({"days": days} if days else {}),
        "next": position.next,
        "over": position.over,
        "gold": {str(color): gold for color, gold in stands.gold.items()},
        "winners": list(stands.winners),
    }
