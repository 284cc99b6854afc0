"""Disturbed photographs: other light, a shadow, a veil, a nudge, a blur, a forearm; and the truth about what they show.

Each disturbance is drawn from a seed: the same seed gives the same edge of the shadow, the same direction of the nudge,
the same arm. Factors multiply pixel values, much as a camera's own gain and white balance do. A veil adds linear light.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import BoardView
from companion.board import Color, Reading
from companion.board.notation import LAST_FIELD
from simulator.solids import SPRITE_PX, arm
from vision.light.flatten import levels, linear

Image = NDArray[np.uint8]
Array = NDArray[np.float64]

#: Warm light: less blue, more red; cool light is its inverse.
_WARM = (0.75, 1.0, 1.2)
#: The share of light that is left in a shadow, and over how many cell sides a soft one fades.
_SHADOW, _SOFT_CELLS = 0.55, 3.0
#: How far from the board's centre the shadow's edge may pass, in cell sides: it always crosses the board.
_EDGE_CELLS = 4.0
#: A window that the board mirrors: its light in the middle (B, G, R; white paper in full light is 1), and how wide its
#: bell is, in cell sides. Haze: as much light everywhere.
_WINDOW, _WINDOW_CELLS = (0.154, 0.133, 0.112), 7.0
_HAZE = (0.07, 0.065, 0.06)
_SHIFT_PX, _TURN_DEGREES = 16.0, 3.0
_BLUR_PX, _JPEG_QUALITY = 1.5, 60
#: How far from the board's centre the fingertips may be, in cell sides.
_REACH_CELLS = 6.0
#: A cell counts as hidden if more than this share of it is covered or outside the picture: partly hidden is enough.
HIDDEN_SHARE = 0.01
#: A marker's foot, in cell sides.
_MARKER_CELLS = 0.4
#: Where the arm's mask is above this level it covers: its rim is smoothed.
_COVERS = 100

_HEXAGON = np.array([(math.cos(math.radians(60 * k + 30)), math.sin(math.radians(60 * k + 30))) for k in range(6)])

Tracks = Mapping[Color, tuple[tuple[float, float], tuple[float, float]]]


@dataclass(frozen=True, eq=False)
class Disturbed:
    """A disturbed photograph: where its pixels moved (3, 3), and what was painted over (255 where covered)."""

    image: Image
    motion: Array = field(default_factory=lambda: np.eye(3))
    covered: Image | None = None

    def truth(self, before: Reading, view: BoardView, tracks: Tracks) -> Reading:
        """Return what it shows, given what the photograph showed and where the board was in it.

        Cells and markers stay what they are; those under the arm or moved out of the picture are hidden too. If no
        marker is on a track, the track is hidden as soon as any of its fields is: nobody could know.
        """
        if self.covered is None and np.array_equal(self.motion, np.eye(3)):
            return before
        cells = {cell for cell in before.board.cells if self._hidden_share(view, _HEXAGON + cell.centre) > HIDDEN_SHARE}
        hidden_tracks = set()
        for color, (first, last) in tracks.items():
            marker = before.tracks.get(color)
            fields = range(LAST_FIELD + 1) if marker is None else (marker,)
            places = [np.array(first) + (np.array(last) - first) * (number / LAST_FIELD) for number in fields]
            if any(self._hidden_share(view, _HEXAGON * _MARKER_CELLS + place) > HIDDEN_SHARE for place in places):
                hidden_tracks.add(color)
        return replace(
            before,
            occluded=before.occluded | cells,
            occluded_tracks=before.occluded_tracks | hidden_tracks,
        )

    def _hidden_share(self, view: BoardView, outline_cells: Array) -> float:
        height, width = self.image.shape[:2]
        seen = cv2.perspectiveTransform(view.to_image(outline_cells)[None], self.motion)[0]
        left, top = np.floor(seen.min(axis=0)).astype(int)
        right, bottom = np.ceil(seen.max(axis=0)).astype(int) + 1
        inside = np.zeros((bottom - top, right - left), np.uint8)
        cv2.fillConvexPoly(inside, np.round((seen - (left, top)) * 16).astype(np.int32), 255, shift=4)
        rows, columns = np.nonzero(inside)
        rows, columns = rows + top, columns + left
        is_shown = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        if self.covered is not None:
            is_shown[is_shown] = self.covered[rows[is_shown], columns[is_shown]] <= _COVERS
        return 1 - float(is_shown.mean())


#: Disturbs a photograph, given where the board is in it, and a seed.
Disturb = Callable[[Image, BoardView, int], Disturbed]


@dataclass(frozen=True, slots=True)
class Disturbance:
    """A row of the table. If `is_passing`, each photograph has a new one, as with hands; others last a while."""

    name: str
    disturb: Disturb
    is_passing: bool = False


def gained(image: Image, factors: tuple[float, float, float]) -> Disturbed:
    """Return the photograph with blue, green and red multiplied by their factors."""
    return Disturbed(clipped(image * np.array(factors, np.float32)))


def _gain(gain: float) -> Disturb:
    return lambda image, view, seed: gained(image, (gain, gain, gain))


def shadowed(image: Image, view: BoardView, seed: int, soft_cells: float) -> Disturbed:
    """Return the photograph with everything on one side of an edge through the board in shadow."""
    rng = np.random.default_rng((seed, 51))
    angle, aside_cells = rng.uniform(0, 2 * math.pi), rng.uniform(-_EDGE_CELLS, _EDGE_CELLS)
    x, y = view.to_image([[0.0, 0.0]])[0]
    height, width = image.shape[:2]
    columns, rows = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)[:, None]
    beyond_px = (columns - x) * math.cos(angle) + (rows - y) * math.sin(angle) - aside_cells * view.side_px
    # A hard edge is a pixel wide, as any edge is that was seen through a lens.
    share = np.clip(beyond_px / max(soft_cells * view.side_px, 1.0) + 0.5, 0, 1)
    return Disturbed(clipped(image * (1 - (1 - _SHADOW) * share)[..., None]))


def mirroring(image: Image, view: BoardView, seed: int) -> Disturbed:
    """Return the photograph with a window mirrored somewhere on the board: its light veils what lies there."""
    rng = np.random.default_rng((seed, 55))
    place = rng.uniform(-_EDGE_CELLS, _EDGE_CELLS, 2)
    x, y = view.to_image([place])[0]
    height, width = image.shape[:2]
    columns, rows = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)[:, None]
    away_cells = np.hypot(columns - x, rows - y) / view.side_px
    share = np.exp(-((away_cells / _WINDOW_CELLS) ** 2) / 2)
    return veiled(image, share[..., None] * np.array(_WINDOW))


def veiled(image: Image, light: NDArray[Any]) -> Disturbed:
    """Return the photograph with that linear light added, as much everywhere or pixel by pixel."""
    return Disturbed(levels(np.minimum(linear(image) + np.asarray(light, np.float32), 1)))


def shifted(image: Image, seed: int) -> Disturbed:
    """Return the photograph of a nudged camera: all of it moved by 16 pixels, in a direction that the seed decides."""
    angle = np.random.default_rng((seed, 52)).uniform(0, 2 * math.pi)
    motion = np.eye(3)
    motion[:2, 2] = _SHIFT_PX * math.cos(angle), _SHIFT_PX * math.sin(angle)
    return _moved(image, motion)


def turned(image: Image, view: BoardView, seed: int) -> Disturbed:
    """Return the photograph turned by 3 degrees about the board's centre, in a direction that the seed decides."""
    degrees = _TURN_DEGREES if np.random.default_rng((seed, 53)).random() < 0.5 else -_TURN_DEGREES
    x, y = view.to_image([[0.0, 0.0]])[0]
    motion = np.vstack([cv2.getRotationMatrix2D((float(x), float(y)), degrees, 1.0), [0, 0, 1]])
    return _moved(image, motion)


def blurred(image: Image) -> Disturbed:
    """Return the photograph out of focus."""
    return Disturbed(np.asarray(cv2.GaussianBlur(image, (0, 0), _BLUR_PX), np.uint8))


def compressed(image: Image) -> Disturbed:
    """Return the photograph after a JPEG of quality 60."""
    done, content = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    again = cv2.imdecode(content, cv2.IMREAD_COLOR) if done else None
    if again is None:
        raise OSError("OpenCV could not encode a picture as JPEG")
    return Disturbed(again.astype(np.uint8, copy=False))


def with_forearm(image: Image, view: BoardView, seed: int) -> Disturbed:
    """Return the photograph with a hand and sleeve painted over it, from any side of the table, without a shadow."""
    rng = np.random.default_rng((seed, 54))
    look = int(rng.integers(50))
    outward = rng.uniform(0, 2 * math.pi)
    reach, bearing = _REACH_CELLS * math.sqrt(rng.uniform(0, 1)), outward + rng.uniform(-0.6, 0.6)
    return with_arm(image, view, look, (reach * math.cos(bearing), reach * math.sin(bearing)), outward)


def with_arm(image: Image, view: BoardView, look: int, tip_cells: tuple[float, float], outward: float) -> Disturbed:
    """Return the photograph with that arm painted over it: its fingertips at `tip_cells`, its sleeve `outward`."""
    sprite = arm(look)
    # The sprite's fingers point left and its sleeve leaves to the right: `outward` is the direction of its x axis.
    tip_px = view.to_image([tip_cells])[0]
    scale = view.side_px / SPRITE_PX
    across = scale * math.cos(outward), -scale * math.sin(outward)
    down = scale * math.sin(outward), scale * math.cos(outward)
    onto = np.array([[*across, 0.0], [*down, 0.0]])
    onto[:, 2] = tip_px - onto[:, :2] @ np.array(sprite.tip)
    size = image.shape[1], image.shape[0]
    picture = cv2.warpAffine(sprite.image, onto, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = np.asarray(cv2.warpAffine(sprite.mask, onto, size, flags=cv2.INTER_LINEAR), np.uint8)
    left, top, width, height = cv2.boundingRect(mask)
    part = np.s_[top : top + height, left : left + width]
    share = (mask[part].astype(np.float32) / 255)[..., None]
    painted = image.copy()
    painted[part] = clipped(image[part] + (picture[part].astype(np.float32) - image[part]) * share)
    return Disturbed(painted, covered=mask)


def _moved(image: Image, motion: Array) -> Disturbed:
    size = image.shape[1], image.shape[0]
    moved = cv2.warpPerspective(image, motion, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return Disturbed(np.asarray(moved, np.uint8), motion)


def clipped(values: NDArray[Any]) -> Image:
    """Return the values as pixels."""
    return np.clip(np.round(values), 0, 255).astype(np.uint8)


#: The table's rows.
DISTURBANCES = (
    Disturbance("warm light", lambda image, view, seed: gained(image, _WARM)),
    Disturbance("cool light", lambda image, view, seed: gained(image, (1 / _WARM[0], 1.0, 1 / _WARM[2]))),
    *(Disturbance(f"gain {gain:g}", _gain(gain)) for gain in (0.5, 0.7, 1.3)),
    Disturbance("half-board shadow, hard", lambda image, view, seed: shadowed(image, view, seed, 0.0)),
    Disturbance("half-board shadow, soft", lambda image, view, seed: shadowed(image, view, seed, _SOFT_CELLS)),
    Disturbance("a window mirrored", mirroring),
    Disturbance("haze", lambda image, view, seed: veiled(image, np.array(_HAZE))),
    Disturbance("shifted 16 px", lambda image, view, seed: shifted(image, seed)),
    Disturbance("turned 3 degrees", turned),
    Disturbance("blurred", lambda image, view, seed: blurred(image)),
    Disturbance("JPEG 60", lambda image, view, seed: compressed(image)),
    Disturbance("forearm", with_forearm, is_passing=True),
)
