"""Drawn evenings: whole games in photographs whose expected words are the referee's; merchants side by side."""

import json
import math
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import pytest

from bench.evening import TruthReader, is_right
from companion.board import BadInputError, Color, HexCell, Settlement, SettlementType
from companion.evening import Button, load_evening, referee
from companion.games.la_strada import DANGER, TWO_PLAYER, LaStrada
from companion.session import Session
from simulator import PLAYERS, Scene, Setup, write_evening
from simulator.scene import CUBE_CELLS, Foot, joined
from tests.simulator.dark import dark_camera


@pytest.mark.long
def test_written_evening_tells_the_referees_word(tmp_path: Path, setup: Setup) -> None:
    count = write_evening(tmp_path, setup.camera, 3, most=14, mistakes=0.5)
    game = json.loads((tmp_path / "game.json").read_text())
    assert [photo["photo"] for photo in game["photos"]] == [f"{k:03d}.jpg" for k in range(count)]
    words = [json.loads((tmp_path / f"{k:03d}.json").read_text())["expected"] for k in range(count)]
    assert game["photos"][0]["button"] == words[0]["kind"] == "deal"
    assert [word["kind"] for word in words if word.get("legal")][:3] == ["workshop"] * 3
    refused = [word for word in words if word.get("legal") is False]
    assert refused
    assert all(word["violations"] for word in refused)
    for photo, word in zip(game["photos"], words, strict=True):
        assert (photo["button"] == "look") == (word["kind"] == "look")


@pytest.mark.long
def test_whole_evening_ends_with_winners(tmp_path: Path) -> None:
    count = write_evening(tmp_path, dark_camera(1), 1)
    last = json.loads((tmp_path / f"{count - 1:03d}.json").read_text())["expected"]
    assert last["over"]
    assert last["next"] is None
    assert last["winners"]


@pytest.mark.long
@pytest.mark.parametrize("rules", [TWO_PLAYER, DANGER], ids=lambda rules: rules.name)
@pytest.mark.parametrize("seed", [11, 12])
def test_evening_of_two_names_its_rules_and_agrees_with_the_referee(tmp_path: Path, rules: LaStrada, seed: int) -> None:
    camera, folder = dark_camera(seed), tmp_path / "games" / "evening"
    write_evening(folder, camera, seed, rules=rules, mistakes=0.4)
    evening = load_evening(folder)
    assert evening.game.rules == rules.name
    assert [player.color for player in evening.game.players] == list(camera.art.sides[::2])
    legal, codes = 0, set[str]()
    for line in referee(evening, lambda path: path, TruthReader(camera.art.board), Session()):
        truth = json.loads((folder / line.photo.name).with_suffix(".json").read_text())
        expected, told = truth["expected"], line.to_json()
        for key in ("days", "next", "over", "gold", "winners"):
            assert told[key] == expected[key], line.photo
        if line.photo.button is Button.DONE:
            assert is_right(told, expected), told
            legal += expected["legal"]
            codes.update(expected["violations"])
            if expected["legal"]:
                assert told["markers"] == expected.get("markers", {})
    assert expected["over"]
    assert legal >= 15
    assert len(codes) >= 2


@pytest.mark.long
def test_rounds_are_counted_on_a_track_that_nobody_uses(tmp_path: Path) -> None:
    camera = dark_camera(2)
    count = write_evening(tmp_path, camera, 2, rules=DANGER, mistakes=0)
    truths = [json.loads((tmp_path / f"{k:03d}.json").read_text()) for k in range(count)]
    counted, other = (color for color in Color if color not in camera.art.sides[::2])
    assert {truth["tracks"][other] for truth in truths} == {None}
    fields = [truth["tracks"][counted] for truth in truths if truth["expected"]["kind"] != "look"]
    # The deal, four workshops, and two turns in each round: it goes down after both players' turns.
    assert fields == [10] * 7 + [left for left in range(9, 0, -1) for _ in range(2)]
    assert truths[-1]["expected"]["over"]


def test_evening_with_too_many_players_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    camera = dark_camera(2)
    with pytest.raises(BadInputError, match="3 players: danger is for 2"):
        write_evening(tmp_path / "evening", camera, 2, rules=DANGER, players=PLAYERS)
    assert not (tmp_path / "evening").exists()


CELL = HexCell(0, 0)


def crowd(count: int, seed: int) -> tuple[Foot, ...]:
    rng = np.random.default_rng(seed)
    feet: tuple[Foot, ...] = ()
    for _ in range(count):
        feet = joined(feet, rng)
    return feet


def square(foot: Foot) -> cv2.typing.RotatedRect:
    return (foot[0], foot[1]), (CUBE_CELLS, CUBE_CELLS), math.degrees(foot[2])


def overlap(one: Foot, other: Foot) -> float:
    """Return the area that two cubes' feet share, as OpenCV finds it."""
    kind, corners = cv2.rotatedRectangleIntersection(square(one), square(other))
    return 0.0 if kind == cv2.INTERSECT_NONE else float(cv2.contourArea(cv2.convexHull(corners)))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("count", [2, 4, 6, 9, 12, 24])
def test_no_cube_stands_on_another(count: int, seed: int) -> None:
    feet = crowd(count, seed)
    assert len(feet) == count
    assert max(overlap(one, other) for one, other in combinations(feet, 2)) < 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_six_leave_ground_between_them_to_be_counted_by(seed: int) -> None:
    wider = [(x, y, turn) for x, y, turn in crowd(6, seed)]
    gaps = [math.hypot(a[0] - b[0], a[1] - b[1]) for a, b in combinations(wider, 2)]
    assert min(gaps) > 1.1 * CUBE_CELLS


@pytest.mark.parametrize(("count", "over"), [(6, 0.0), (12, 0.25 * CUBE_CELLS)])
def test_they_stay_on_the_tile_or_stand_over_its_rim_by_less_than_a_quarter(count: int, over: float) -> None:
    for seed in range(8):
        corners = np.vstack([cv2.boxPoints(square(foot)) for foot in crowd(count, seed)])
        rims = [corners @ (math.cos(k * math.pi / 3), math.sin(k * math.pi / 3)) for k in range(6)]
        assert np.max(rims) <= math.sqrt(3) / 2 + over + 0.03, "a little askew they may be"


def test_merchants_who_make_room_keep_their_colour_and_one_who_leaves_disturbs_nobody() -> None:
    rng = np.random.default_rng(2)
    scene = Scene().lay(CELL, Settlement(SettlementType.CITY), rng)
    for color in (Color.RED, Color.BLACK):
        for _ in range(5):
            scene = scene.put(CELL, color, rng)
    assert [cube.color for cube in scene.cubes[CELL]] == [Color.RED] * 5 + [Color.BLACK] * 5
    fewer = scene.remove(CELL, Color.RED)
    assert fewer.contents(CELL).merchants.counts == {Color.RED: 4, Color.BLACK: 5}
    assert set(fewer.cubes[CELL]) < set(scene.cubes[CELL])
