"""Pictures of a board that was pushed, or under a camera that was nudged, and where its cells then are."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from bench.disturbing import Array, Image, clipped
from calibration import BoardView

#: How far from the board's centre the frame of the shared tables reaches, in cell sides.
FRAME_CELLS = 14.4


def centres(view: BoardView) -> Array:
    """Return the cells' centres (N, 2) in pixels, in board order."""
    return np.array(list(view.centres_px.values()))


def rms(off_px: Array) -> float:
    """Return the root mean square length of vectors (N, 2)."""
    return float(np.sqrt(np.mean(np.sum(off_px**2, axis=1))))


def disturbances(image: Image, view: BoardView, truth: Array) -> Iterator[tuple[str, Image, Array, Array]]:
    """Yield the name of what happened, the picture after it, and where the true and the aligned centres went."""
    height, width = image.shape[:2]
    rng = np.random.default_rng(3)
    outline = view.to_image(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * FRAME_CELLS)
    board = cv2.fillConvexPoly(np.zeros((height, width), np.uint8), np.round(outline).astype(np.int32), 255)
    moves = {
        "pushed 30 px": (turned(view, 0.0, (24.0, -18.0)), True),
        "pushed and turned 3 degrees": (turned(view, 3.0, (15.0, 10.0)), True),
        "turned 3 degrees the other way": (turned(view, -3.0, (0.0, 0.0)), True),
        "camera nudged": (turned(view, 0.6, (9.0, 13.0)), False),
        "camera tilted": (tilted(width, height), False),
    }
    for name, (move, is_push) in moves.items():
        moved = cv2.warpPerspective(image, move, (width, height), borderMode=cv2.BORDER_REPLICATE)
        if is_push:
            where = cv2.warpPerspective(board, move, (width, height))
            moved = np.where(where[..., None] > 127, moved, image)
        true_px, aligned_px = (
            cv2.perspectiveTransform(points[None], move)[0].astype(np.float64) for points in (truth, centres(view))
        )
        noisy = clipped(moved + rng.normal(0, 2, moved.shape))
        yield name, noisy, true_px, aligned_px
        yield f"{name}, under an arm", with_arm(noisy, width, height), true_px, aligned_px
        yield f"{name}, half in shadow, warm", relit(noisy), true_px, aligned_px


def turned(view: BoardView, degrees: float, by_px: tuple[float, float]) -> Array:
    """Return the picture's motion (3, 3): turned about the board's centre, then shifted."""
    x, y = view.to_image([[0.0, 0.0]])[0]
    move = np.vstack([cv2.getRotationMatrix2D((float(x), float(y)), degrees, 1.0), [0, 0, 1]])
    move[:2, 2] += by_px
    return move


def tilted(width: int, height: int) -> Array:
    """Return the picture's motion (3, 3) when the camera tilts by about 1.5 degrees."""
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    after = corners + np.array([[14, -8], [-10, 6], [6, 16], [-12, 4]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(corners, after), np.float64)


def with_arm(image: Image, width: int, height: int) -> Image:
    """Return the picture with a sleeve and a hand over a third of the board."""
    arm = np.array([[0.62, 1.0], [0.42, 0.45], [0.36, 0.3], [0.46, 0.22], [0.58, 0.27], [0.66, 0.45], [0.9, 1.0]])
    drawn = image.copy()
    cv2.fillPoly(drawn, [np.round(arm * [width, height]).astype(np.int32)], (120, 80, 60), cv2.LINE_AA)
    return cv2.ellipse(
        drawn, (int(0.49 * width), int(0.33 * height)), (110, 95), 0, 0, 360, (140, 170, 215), -1
    ).astype(np.uint8, copy=False)


def relit(image: Image) -> Image:
    """Return the picture under a warmer lamp, its left half in a hard shadow."""
    light = image * np.array([0.75, 1.0, 1.2])
    light[:, : image.shape[1] // 2] *= 0.5
    return clipped(light)
