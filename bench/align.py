"""How well the board is found and followed: cells' centres against `setup/centres.json`, on rendered tables.

python -m bench.align --shared ../shared

Alignment starts from the table's own clicks, then from the true centres jittered by up to 8 px. Following is measured
on disturbed copies of `empty.jpg`, where the truth is known (camera nudged: the whole picture moves; board pushed:
only what lies within the frame), and on the game photographs, where only steadiness is (a view followed from the view
of the photograph before and from the set-up's alone must agree).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.bars import Bar, told
from calibration import BoardLost, BoardView, Follower, TableFolder, align, load_photo
from companion.board import BadInputError

#: Issue 4: how far the centres found from the table's own clicks may be off, rms.
BAR_PX = 1.2
JITTERS, JITTER_PX = 20, 8.0
#: The frame reaches about so far from the board's centre, in cell sides.
FRAME_CELLS = 13.9

Image = NDArray[np.uint8]
Array = NDArray[np.float64]


def main() -> None:
    """Print a line for each table and kind of measurement, then the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    folder = parser.parse_args().shared / "tables"
    cv2.setNumThreads(1)
    figures: dict[str, Any] = {}
    for path in sorted(path.parent for path in folder.glob("*/table.json")):
        figures[path.name] = measured(path)
    total = {
        "rms_px_worst": max(figure["clicks_rms_px"] for figure in figures.values()),
        "jittered_rms_px_worst": max(figure["jittered_rms_px"] for figure in figures.values()),
        "follow_rms_px_worst": max(figure["follow_rms_px"] for figure in figures.values()),
        "follow_ms_median": round(float(np.median([figure["follow_ms"] for figure in figures.values()])), 1),
        "align_ms_median": round(float(np.median([figure["align_ms"] for figure in figures.values()])), 1),
        "lost": sum(figure["lost"] for figure in figures.values()),
    }
    bars = [Bar(f"{name}: centres from clicks", figures[name]["clicks_rms_px"], BAR_PX, "px") for name in figures]
    print(json.dumps({"rendered_tables": figures, "all": total, "bars": told(bars)}))


def measured(path: Path) -> dict[str, Any]:
    """Return one table's figures."""
    table = TableFolder.open(path)
    setup = table.setup
    image, _ = table.load_empty()
    named: dict[str, list[float]] = json.loads((path / "setup" / "centres.json").read_text(encoding="utf-8"))
    truth = np.array([named[str(cell)] for cell in setup.board.cells])
    began_s = time.perf_counter()
    view = align(image, setup.clicks, setup.board.rings, setup.tracks)
    align_ms = 1000 * (time.perf_counter() - began_s)
    rng = np.random.default_rng(20)
    jittered = []
    for _ in range(JITTERS):
        clicks = {}
        for cell in setup.clicks:
            x, y = np.array(named[str(cell)]) + rng.uniform(-JITTER_PX, JITTER_PX, 2)
            clicks[cell] = (float(x), float(y))
        try:
            jittered.append(rms(centres(align(image, clicks, setup.board.rings, setup.tracks)) - truth))
        except BadInputError as error:
            print(f"{path.name}: refused from jittered clicks: {error}")
            jittered.append(float("inf"))
    clicked = np.array(list(setup.clicks.values())) - [named[str(cell)] for cell in setup.clicks]
    print(
        f"{path.name}: clicks off by {rms(clicked):.2f} px; aligned {rms(centres(view) - truth):.3f} px rms, "
        f"worst cell {np.linalg.norm(centres(view) - truth, axis=1).max():.2f} px, residual {view.residual_px:.2f} px; "
        f"{JITTERS} jittered: {min(jittered):.3f} to {max(jittered):.3f} px; {align_ms:.0f} ms"
    )
    follower = Follower.of(image, view, setup.tracks, setup.fiducials)
    off, drift, lost = [], [], 0
    for name, disturbed, true_px, aligned_px in disturbances(image, view, truth):
        found = follower.follow(disturbed)
        if isinstance(found, BoardLost):
            lost += 1
            print(f"{path.name}: {name}: LOST, {found.why}")
            continue
        off.append(rms(centres(found) - true_px))
        drift.append(rms(centres(found) - aligned_px))
        print(f"{path.name}: {name}: {off[-1]:.2f} px rms to the truth, {drift[-1]:.2f} to the aligned view moved")
    games, steadiness, times_ms = followed_games(table, follower)
    lost += games.count(None)
    print(
        f"{path.name}: {len(games)} photographs followed, {games.count(None)} lost; "
        f"by another way {max(steadiness):.2f} px rms at worst; "
        f"{np.median(times_ms):.1f} ms, at most {max(times_ms):.1f}"
    )
    return {
        "clicks_rms_px": round(rms(centres(view) - truth), 3),
        "jittered_rms_px": round(max(jittered), 3),
        "residual_px": round(view.residual_px, 3),
        "align_ms": round(align_ms, 1),
        "follow_rms_px": round(max(off), 3),
        "follow_drift_px": round(max(drift), 3),
        "follow_ms": round(float(np.median(times_ms)), 1),
        "steady_px": round(max(steadiness), 3),
        "lost": lost,
    }


def centres(view: BoardView) -> Array:
    """Return the cells' centres (N, 2) in pixels, in board order."""
    return np.array(list(view.centres_px.values()))


def rms(off_px: Array) -> float:
    """Return the root mean square length of vectors (N, 2)."""
    return float(np.sqrt(np.mean(np.sum(off_px**2, axis=1))))


def disturbances(image: Image, view: BoardView, truth: Array) -> Iterator[tuple[str, Image, Array, Array]]:
    """Yield what happened, the picture after it, and where the true and the aligned centres went."""
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


def clipped(values: NDArray[Any]) -> Image:
    """Return the values as pixels."""
    return np.clip(np.round(values), 0, 255).astype(np.uint8)


def followed_games(table: TableFolder, follower: Follower) -> tuple[list[BoardView | None], list[float], list[float]]:
    """Return each game photograph's view, how far it lies from the one found without the last, and the times in ms."""
    views: list[BoardView | None] = []
    steadiness, times_ms = [0.0], []
    near = follower.view
    for photo in [table.teach_photo, *sorted(table.path.glob("games/*/*.jpg")), *sorted(table.path.glob("clip/*.jpg"))]:
        image = load_photo(photo, table.setup.size_px)
        began_s = time.perf_counter()
        found = follower.follow(image, near)
        times_ms.append(1000 * (time.perf_counter() - began_s))
        if isinstance(found, BoardLost):
            views.append(None)
            print(f"{photo}: LOST, {found.why}")
            continue
        again = follower.follow(image)
        if isinstance(again, BoardView):
            steadiness.append(rms(centres(found) - centres(again)))
        views.append(found)
        near = found
    return views, steadiness, times_ms


if __name__ == "__main__":
    main()
