"""Drawn evenings of either game: a whole game in photographs, each with the referee's word (tables/FORMAT.md)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic

import numpy as np

from companion.board import Color, difference, in_board_order
from companion.games import score
from companion.games.contract import Illegal, Legal, Player, Position, RuleSet, Unfinished, Verdict
from companion.games.la_strada import STANDARD, LaStrada, LaStradaPosition
from companion.games.silk_road import COMPETITIVE, SilkRoad, SilkRoadPosition
from simulator.any_scene import write_json, write_photograph
from simulator.camera import DrawnCamera, VirtualCamera
from simulator.dealing import (
    Act,
    acts,
    assembled,
    begun,
    change_of,
    days_spent,
    deal,
    put_right,
    random_layout,
    round_to_mark,
    seated,
)
from simulator.plan import Lying
from simulator.players import MISTAKE_SHARE, planned, planned_section
from simulator.scene import AnyScene, Hand, Nudge, Scene
from simulator.square_camera import SquareCamera, SquareScene
from simulator.square_setup import dealt

#: How often somebody looks at the table with a hand over it, and how often the board is pushed between photographs.
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
    """Write game.json, NNN.jpg and NNN.json into the folder (TABLE/games/evening); return how many photographs.

    The game goes on until it is over, or `most` photographs are taken. Without `players`, those play who play at this
    table if nobody else does. Raises BadInputError if the players do not fit the rules, OSError if the files cannot be
    written.
    """
    playing = tuple(players) if players is not None else seated(rules, camera.art)
    evening = _Evening(folder, camera, np.random.default_rng((seed, 41)), playing, most, rules)
    evening.play(mistakes)
    return evening.written(playing)


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
    """Write game.json, NNN.jpg and NNN.json into the folder (TABLE/games/evening); return how many photographs.

    The game goes on until it is over, or `most` photographs are taken. Raises BadInputError if the players do not fit
    the rules, OSError if the files cannot be written.
    """
    evening = _SquareEvening(folder, camera, np.random.default_rng((seed, 43)), players, most, rules)
    evening.play(mistakes)
    return evening.written(players)


class _Photographed(Generic[AnyScene]):
    """A game while it is photographed. Owned by the thread that writes it."""

    _scene: AnyScene

    def __init__(
        self,
        folder: Path,
        camera: DrawnCamera[AnyScene, Any],
        rng: np.random.Generator,
        most: int | None,
        rules: RuleSet,
    ) -> None:
        self._folder, self._photographed_by, self._rng, self._most, self._rule_set = folder, camera, rng, most, rules
        self._photos: list[dict[str, str]] = []

    def written(self, players: Sequence[Player]) -> int:
        """Write game.json for the photographs; return how many they are."""
        game = {
            "rules": self._rule_set.name,
            "players": [{"name": player.name, "color": str(player.color)} for player in players],
            "photos": self._photos,
        }
        write_json(self._folder / "game.json", game)
        return len(self._photos)

    def _is_full(self) -> bool:
        return self._most is not None and len(self._photos) >= self._most

    def _do(self, todo: Iterable[Act]) -> None:
        for act in todo:
            self._scene = act.done(self._scene, self._rng)

    def _photograph(self, button: str, expected: Mapping[str, Any]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        name = f"{len(self._photos):03d}.jpg"
        write_photograph(self._folder / name, self._photographed_by, self._scene, {"expected": expected})
        self._photos.append({"photo": name, "button": button})


class _Evening(_Photographed[Scene]):
    """A game of La Strada."""

    def __init__(
        self,
        folder: Path,
        camera: VirtualCamera,
        rng: np.random.Generator,
        players: tuple[Player, ...],
        most: int | None,
        rules: LaStrada,
    ) -> None:
        super().__init__(folder, camera, rng, most, rules)
        self._rules, self._camera = rules, camera
        art = camera.art
        layout = random_layout(rng, art.board.rings)
        self._scene = assembled(art, layout, players, rng, rules)
        self._do(acts(self._scene, deal(art, layout, rng)))
        self._position = begun(art, self._scene, players, rules)

    def play(self, mistakes: float) -> None:
        """Photograph the deal and every turn until the game is over or enough photographs are taken."""
        self._photograph("deal", {"kind": "deal", **standing(self._position)})
        while not (self._position.over or self._is_full()):
            plan = planned(self._position, self._rng, mistakes)
            if plan.wrong is not None:
                self._do(acts(self._scene, plan.wrong))
                self._say_done()
            if self._is_full():
                return
            wanted = plan.right if plan.wrong is None else put_right(self._position, plan.wrong, plan.right)
            todo = acts(self._scene, wanted)
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
        """Photograph the table with the referee's word on it; the game goes on if that is legal."""
        before = self._position
        verdict = self._rules.judge(before, change_of(self._camera.art, self._scene, before))
        word: dict[str, Any] = {
            "kind": before.phase,
            "player": before.next,
            "legal": isinstance(verdict, Legal),
            **violations(verdict),
        }
        if isinstance(verdict, Legal):
            markers = self._misplaced(before)
            assert isinstance(verdict.after, LaStradaPosition)
            self._position = verdict.after
            word |= {"markers": markers} if markers else {}
        self._photograph("done", {**standing(self._position), **word})
        self._count_round()

    def _count_round(self) -> None:
        """Move the rounds' marker on if a round has ended: the next photograph shows it."""
        counted = round_to_mark(self._position, self._scene)
        if counted is not None:
            self._scene = self._scene.move_marker(*counted, self._rng)

    def _look(self, act: Act, player: Color) -> None:
        seat = (math.pi / 2, 0.0, -math.pi / 2, math.pi)[self._camera.art.sides.index(player)]
        x, y = act.cell.centre
        hand = Hand(x, y, seat + float(self._rng.uniform(-0.4, 0.4)), int(self._rng.integers(50)))
        bare = self._scene
        self._scene = replace(bare, hand=hand)
        self._photograph("look", {**standing(self._position), "kind": "look", "player": player})
        self._scene = bare

    def _misplaced(self, before: LaStradaPosition) -> dict[str, list[int]]:
        """Return the markers in a wrong place once this turn is found legal: colour -> [shown, right]."""
        misplaced = {}
        for color in sorted(before.colors):
            marker = self._scene.markers[color]
            spent = days_spent(before, self._scene) if color is before.next else 0
            right = before.days[color] - spent
            if marker.field != right:
                misplaced[color.value] = [marker.field, right]
        return misplaced if before.phase == "turn" else {}

    def _photograph(self, button: str, expected: Mapping[str, Any]) -> None:
        if self._rng.random() < _PUSH_SHARE:
            x, y, turn = self._rng.normal(0, (0.05, 0.05, 0.0015))
            self._scene = replace(self._scene, nudge=Nudge(float(x), float(y), float(turn)))
        super()._photograph(button, expected)


class _SquareEvening(_Photographed[SquareScene]):
    """A game of Silk Road."""

    def __init__(
        self,
        folder: Path,
        camera: SquareCamera,
        rng: np.random.Generator,
        players: Sequence[Player],
        most: int | None,
        rules: SilkRoad,
    ) -> None:
        super().__init__(folder, camera, rng, most, rules)
        self._rules = rules
        self._scene = SquareScene(camera.art.board)
        self._do(acts(self._scene, dealt(camera.art.board, rng)))
        ground = rules.ground(self._scene.truth())
        assert ground is not None, "the snow was not dealt"
        self._position = rules.start(ground, players, {})

    def play(self, mistakes: float) -> None:
        """Photograph the deal and every turn until the game is over or enough photographs are taken."""
        self._photograph("deal", {"kind": "deal", **standing(self._position)})
        while not self._position.over:
            plan = planned_section(self._position, self._rng, mistakes)
            right = plan.right
            if plan.wrong is not None:
                self._say_done(plan.wrong)
                right = put_right(self._position, plan.wrong, plan.right)
            if self._is_full():
                return
            self._say_done(right)

    def _say_done(self, wanted: Lying) -> None:
        """Lay it, and photograph the table with the referee's word on it, unless enough photographs are taken."""
        if self._is_full():
            return
        self._do(acts(self._scene, wanted))
        before = self._position
        verdict = self._rules.judge(before, difference(self._scene.truth(), before.expected()))
        word = {"kind": "turn", "player": before.next, "legal": isinstance(verdict, Legal), **violations(verdict)}
        if isinstance(verdict, Legal):
            assert isinstance(verdict.after, SilkRoadPosition)
            self._position = verdict.after
        self._photograph("done", {**word, **standing(self._position)})


def violations(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict's violations and their cells, as a truth's `expected` has them."""
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
    """Return the state of the game, as a truth's `expected` has it."""
    stands = score(position)
    days = {str(color): left for color, left in position.days.items()}
    return {
        **({"days": days} if days else {}),
        "next": position.next,
        "over": position.over,
        "gold": {str(color): gold for color, gold in stands.gold.items()},
        "winners": list(stands.winners),
    }
