"""A printing of plain drawings in place of tablegen's: spotted grounds, roads as straight bars, discs for the rest.

Yellow and red roads are bright on dark ground. Only red and yellow cubes are warm: redder than they are blue.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.training.drawings import ART_PX, Drawings

#: By tablegen's names.
SIDE, PPM = 20.0, ART_PX
VARIANTS = {"road": 2, "settlement": 3, "workshop": 1}
#: For each piece of the board: left, top, width, height in mm.
BOX = (-SIDE, -2 * SIDE, 14 * SIDE, 13 * SIDE)
_GROUNDS = {"plain": (50, 90, 70), "forest": (30, 70, 45), "hill": (70, 80, 95)}
_ROADS = {"black": (15, 15, 15), "grey": (110, 110, 125), "yellow": (190, 235, 250), "red": (200, 240, 240)}
_DISCS = {"city": (20, 30, 160), "town": (20, 160, 160), "village": (110, 110, 230), "hamlet": (200, 230, 220)}
_CUBES = {"black": (25, 25, 25), "grey": (150, 150, 150), "yellow": (240, 200, 40), "red": (210, 40, 40)}

Picture = NDArray[np.uint8]


class Art:
    """One seed's drawings, in the form in which `bench.training.drawings` gets them from tablegen."""

    st: Mapping[str, Any] = {"cube_mm": 8.0, "cube_bevel": 0.5, "cube": _CUBES, "cube_wear": 0.3}

    def __init__(self, seed: int) -> None:
        self._seed = seed
        corner = [(q, r) for q in range(1, 7) for r in range(6) if q + r <= 6]
        kinds = tuple(_GROUNDS)
        self.design = {
            number: ({cell: kinds[sum(cell) % 3] for cell in [*corner, *[(0, 0)] * (number == 0)]}, corner[:3])
            for number in range(6)
        }

    def tile(self, key: Mapping[str, str], copy: int) -> Picture:
        """Draw a tile; a road leaves by edge 0 (right) and by edge 3 (left) or 2 (upper left)."""
        size = round(2 * (SIDE + 0.4) * PPM)
        middle = size // 2
        if key["kind"] == "road":
            drawn = np.full((size, size, 3), _GROUNDS[key["terrain"]], np.uint8)
            for edge in (0, 3 if key["shape"] == "straight" else 2):
                angle = math.radians(60 * edge)
                end = (round(middle + size * math.cos(angle)), round(middle - size * math.sin(angle)))
                cv2.line(drawn, (middle, middle), end, _ROADS[key["color"]], size // 8)
            return drawn
        drawn = np.full((size, size, 3), (35, 40, 60 + 10 * copy), np.uint8)
        ink = _DISCS[key["type"]] if key["kind"] == "settlement" else _ROADS[key["color"]]
        cv2.circle(drawn, (middle, middle), size // (5 if key["kind"] == "settlement" else 3), ink, -1)
        return drawn

    def piece(self, number: int) -> Picture:
        """Draw dark ground, with different spots on every cell."""
        rng = np.random.default_rng((self._seed, number))
        wide, high = (round(value * PPM) for value in BOX[2:])
        spots = cv2.resize(rng.uniform(-25, 45, (22, 24, 1)).astype(np.float32), (wide, high))
        return np.clip(np.array(_GROUNDS["plain"]) + spots[..., None], 0, 255).astype(np.uint8)


def piece_box(number: int) -> tuple[float, float, float, float]:
    """Return the box of a piece: all pieces' pictures have one size."""
    return BOX


def drop(placed: list[dict[str, Any]], count: int, spec: Mapping[str, float], side: float, r: Random) -> dict[str, Any]:
    """Place the next cube: side by side, the third leaning, the fourth and fifth on top of the first two."""
    number = len(placed)
    angle, away = math.tau * (number % 3) / min(count, 3), 0.0 if count == 1 else 0.75 * side
    tilt, floor = (25 if number == 2 else 0), (side if number > 2 else 0)
    return {
        "x": away * math.cos(angle),
        "y": away * math.sin(angle),
        "z": floor + side * (0.65 if tilt else 0.5),
        "rot": r.uniform(0, 90),
        "tilt": tilt,
        "scale": r.uniform(0.95, 1.04),
        "on": None,
    }


DRAWINGS = Drawings(Art, SIDE, VARIANTS, piece_box, drop)


def write_tablegen(folder: Path) -> None:
    """Write a tablegen that draws like this."""
    folder.mkdir(parents=True)
    for name in ("make.py", "plan.py", "README.md"):
        (folder / name).touch()
    plain = "from tests.bench.plain_printing import"
    (folder / "random_art.py").write_text(f"{plain} SIDE, VARIANTS, Art, piece_box\n", encoding="utf-8")
    (folder / "game.py").write_text(f"{plain} drop\n", encoding="utf-8")
