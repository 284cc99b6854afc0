"""Drawn tables of Silk Road written as a table's folder, and evenings at them (tables/FORMAT.md, with `side`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.board import Section, difference
from companion.games.contract import Illegal, Legal, Player
from companion.games.silk_road import COMPETITIVE, SilkRoad, SilkRoadPosition
from companion.virtual_table.dealing import acts, put_right
from companion.virtual_table.players import MISTAKE_SHARE
from companion.virtual_table.section_players import planned_section
from companion.virtual_table.setup import truth_json
from companion.virtual_table.silk_road import SilkRoadTable
from companion.virtual_table.square_camera import SquareCamera
from companion.virtual_table.square_dealing import SquareSetup, square_camera, square_setup
from companion.virtual_table.square_scene import SquareScene

_QUALITY = 92


def write_square_table(
    folder: Path, seed: int, sets: Mapping[str, tuple[Section, ...]] | None = None
) -> tuple[SquareCamera, SquareSetup]:
    """Write table.json and setup/ into the folder; return the camera and what was drawn.

    `sets` are the players' sections, in the order of their seats; None: the made-up ones. Raises OSError where it
    cannot be written.
    """
    camera = square_camera(seed, sets)
    setup = square_setup(camera, seed)
    (folder / "setup").mkdir(parents=True, exist_ok=True)
    _write(folder / "setup" / "empty.jpg", camera, setup.empty)
    for number, scene in enumerate(setup.teach, 1):
        _write(folder / "setup" / ("teach.jpg" if number == 1 else f"teach-{number}.jpg"), camera, scene)
    centres = {str(cell): [round(x, 2), round(y, 2)] for cell, (x, y) in camera.centres().items()}
    _write_json(folder / "setup" / "centres.json", centres)
    table = {
        "image": {"width": camera.view.width, "height": camera.view.height},
        "side": camera.art.board.side,
        "clicks": {str(cell): list(click) for cell, click in setup.clicks.items()},
        "fiducials": None,
    }
    _write_json(folder / "table.json", table)
    return camera, setup


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

    The game goes on until it is over, or `most` photographs are taken. Raises OSError where they cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    photos: list[dict[str, str]] = []
    table, rng = SilkRoadTable(camera, seed, players, rules=rules), np.random.default_rng((seed, 43))
    scene = table.cleared()
    for cell, lies in table.dealt().items():
        assert lies.tile is not None
        scene = scene.lay(cell, lies.tile, rng)
    ground = rules.ground(scene.truth())
    assert ground is not None, "the snow was not dealt"
    position = rules.start(ground, players, {})

    def photograph(button: str, expected: Mapping[str, Any]) -> None:
        name = f"{len(photos):03d}.jpg"
        _write(folder / name, camera, scene, {"expected": {**expected, **_standing(position)}})
        photos.append({"photo": name, "button": button})

    def is_full() -> bool:
        return most is not None and len(photos) >= most

    photograph("deal", {"kind": "deal"})
    while not (position.over or is_full()):
        player, plan = position.next, planned_section(position, rng, mistakes)
        tries = [plan.right] if plan.wrong is None else [plan.wrong, put_right(position, plan.wrong, plan.right)]
        for wanted in tries:
            for act in acts(scene, wanted):
                scene = act.done(scene, rng)
            verdict = rules.judge(position, difference(scene.truth(), position.expected()))
            reasons = verdict.reasons if isinstance(verdict, Illegal) else ()
            if isinstance(verdict, Legal):
                assert isinstance(verdict.after, SilkRoadPosition)
                position = verdict.after
            codes = sorted({reason.code for reason in reasons})
            cells = sorted({str(cell) for reason in reasons for cell in reason.cells})
            word = {"kind": "turn", "player": player, "legal": not reasons, "violations": codes}
            photograph("done", {**word, "cells": cells} if reasons else word)
            if is_full():
                break
    game = {
        "rules": rules.name,
        "players": [{"name": player.name, "color": player.color} for player in players],
        "photos": photos,
    }
    _write_json(folder / "game.json", game)
    return len(photos)


def _standing(position: SilkRoadPosition) -> dict[str, Any]:
    return {
        "next": position.next,
        "over": position.over,
        "gold": dict(position.gold()),
        "winners": list(position.winners),
    }


def _write(path: Path, camera: SquareCamera, scene: SquareScene, more: Mapping[str, Any] | None = None) -> None:
    done, data = cv2.imencode(".jpg", camera.picture(scene), [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    if not done:
        raise OSError(f"{path}: OpenCV could not encode the picture as JPEG")
    path.write_bytes(data.tobytes())
    _write_json(path.with_suffix(".json"), {**truth_json(camera.truth(scene)), **(more or {})})


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
