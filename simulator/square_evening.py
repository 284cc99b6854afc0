"""Drawn evenings of Silk Road: a whole game in photographs, each with the referee's word (tables/FORMAT.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from companion.board import difference
from companion.games import score
from companion.games.contract import Illegal, Legal, Player
from companion.games.silk_road import COMPETITIVE, SilkRoad, SilkRoadPosition
from simulator.any_scene import write_json, write_photograph
from simulator.dealing import acts, put_right
from simulator.plan import Lying
from simulator.players import MISTAKE_SHARE, planned_section
from simulator.square_camera import SquareCamera, SquareScene
from simulator.square_setup import dealt


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
    folder.mkdir(parents=True, exist_ok=True)
    evening = _Evening(folder, camera, np.random.default_rng((seed, 43)), players, most, rules)
    evening.play(mistakes)
    game = {
        "rules": rules.name,
        "players": [{"name": player.name, "color": player.color} for player in players],
        "photos": evening.photos,
    }
    write_json(folder / "game.json", game)
    return len(evening.photos)


class _Evening:
    """A game while it is photographed. Owned by the thread that writes it."""

    def __init__(
        self,
        folder: Path,
        camera: SquareCamera,
        rng: np.random.Generator,
        players: Sequence[Player],
        most: int | None,
        rules: SilkRoad,
    ) -> None:
        self.photos: list[dict[str, str]] = []
        self._folder, self._camera, self._rng, self._most, self._rules = folder, camera, rng, most, rules
        self._scene = SquareScene(camera.art.board)
        self._lay(dealt(camera.art.board, rng))
        ground = rules.ground(self._scene.truth())
        assert ground is not None, "the snow was not dealt"
        self._position = rules.start(ground, players, {})

    def play(self, mistakes: float) -> None:
        """Photograph the deal and every turn until the game is over or enough photographs are taken."""
        self._photograph("deal", {"kind": "deal"})
        while not self._position.over:
            plan = planned_section(self._position, self._rng, mistakes)
            right = plan.right
            if plan.wrong is not None:
                self._say_done(plan.wrong)
                right = put_right(self._position, plan.wrong, plan.right)
            if self._is_full():
                return
            self._say_done(right)

    def _is_full(self) -> bool:
        return self._most is not None and len(self.photos) >= self._most

    def _lay(self, wanted: Lying) -> None:
        for act in acts(self._scene, wanted):
            self._scene = act.done(self._scene, self._rng)

    def _say_done(self, wanted: Lying) -> None:
        """Lay it, and photograph the table with the referee's word on it, unless enough photographs are taken."""
        if self._is_full():
            return
        self._lay(wanted)
        before = self._position
        verdict = self._rules.judge(before, difference(self._scene.truth(), before.expected()))
        word: dict[str, Any] = {"kind": "turn", "player": before.next, "legal": isinstance(verdict, Legal)}
        reasons = verdict.reasons if isinstance(verdict, Illegal) else ()
        word["violations"] = sorted({reason.code for reason in reasons})
        if reasons:
            word["cells"] = sorted({str(cell) for reason in reasons for cell in reason.cells})
        if isinstance(verdict, Legal):
            assert isinstance(verdict.after, SilkRoadPosition)
            self._position = verdict.after
        self._photograph("done", word)

    def _photograph(self, button: str, expected: Mapping[str, Any]) -> None:
        name = f"{len(self.photos):03d}.jpg"
        truth = {"expected": {**expected, **_standing(self._position)}}
        write_photograph(self._folder / name, self._camera, self._scene, truth)
        self.photos.append({"photo": name, "button": button})


def _standing(position: SilkRoadPosition) -> dict[str, Any]:
    stands = score(position)
    return {
        "next": position.next,
        "over": position.over,
        "gold": dict(stands.gold),
        "winners": list(stands.winners),
    }
