"""How well the board is found and followed: cells' centres against the truth, on rendered tables and drawn boards.

python -m bench.align --shared ../shared [--drawn 3]

Alignment starts from a table's own clicks, then from the true centres jittered by up to 8 px. Following is measured on
disturbed copies of `empty.jpg` and on the game photographs. On the copies the truth is known (camera nudged: the whole
picture moves; board pushed: only the inside of the frame moves). For the photographs only steadiness can be measured: a
view followed from the previous photograph must agree with one followed from the set-up's alone. `--drawn N` does the
same on N drawn boards of each size from 2 to 7 rings, with markers on their frames. If there are markers, the same
pictures are followed with and without them, and their times are compared.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.bars import Bar, told
from bench.disturbing import Array, Image
from bench.pushing import centres, disturbances, rms
from calibration import BoardLost, BoardView, Fiducials, Follower, TableFolder, align, load_photo
from companion.board import BadInputError, Color, HexBoard, HexCell, Layout, by_hexagon
from simulator import Nudge, Scene, virtual_camera

#: Issue 4: how far the centres found from clicks may be off, rms.
BAR_PX = 1.2
JITTERS, JITTERS_DRAWN, JITTER_PX = 20, 5, 8.0
RINGS = range(2, 8)
#: The first drawn board's seed.
FIRST_SEED = 7001
#: How many times each picture is followed; the best time counts.
ROUNDS = 3


@dataclass
class Followed:
    """The result of following the same pictures with markers (if there are any) and without."""

    off_px: list[float] = field(default_factory=list)
    drift_px: list[float] = field(default_factory=list)
    with_ms: list[float] = field(default_factory=list)
    without_ms: list[float] = field(default_factory=list)
    lost: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the figures; `markers_time_share` only if there are markers."""
        shown = {"follow_rms_px": round(max(self.off_px), 3), "follow_lost": self.lost}
        if not self.with_ms:
            return shown
        times = {"with_markers_ms": np.median(self.with_ms), "without_markers_ms": np.median(self.without_ms)}
        share = sum(self.with_ms) / sum(self.without_ms)
        return {
            **shown,
            **{name: round(float(ms), 1) for name, ms in times.items()},
            "markers_time_share": round(share, 3),
        }


def main() -> None:
    """Print a line for each table and kind of measurement, then the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--drawn", type=int, default=3, metavar="N", help="measure N drawn boards of each size too")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="the first drawn board's seed")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    tables = {path.parent.name: measured(path.parent) for path in sorted(options.shared.glob("tables/*/table.json"))}
    boards = {rings: drawn(rings, range(options.seed, options.seed + options.drawn)) for rings in RINGS}
    boards = {rings: figures for rings, figures in boards.items() if figures}
    every = [*tables.values(), *boards.values()]
    bars = [
        Bar(f"{name}: centres from clicks", figures["clicks_rms_px"], BAR_PX, "px") for name, figures in tables.items()
    ]
    bars += [
        Bar(
            f"drawn, {rings} rings: centres from clicks off by up to {JITTER_PX:g} px",
            figures["jittered_rms_px"],
            BAR_PX,
            "px",
        )
        for rings, figures in boards.items()
    ]
    bars += [
        Bar("boards not found again", sum(f["lost"] for f in every), 0, "pictures"),
        Bar(
            "following with markers, against without", max(f.get("markers_time_share", 0.0) for f in every), 1, "times"
        ),
    ]
    total = {
        "rms_px_worst": max(figures["clicks_rms_px"] for figures in tables.values()),
        "jittered_rms_px_worst": max(figures["jittered_rms_px"] for figures in every),
        "follow_rms_px_worst": max(figures["follow_rms_px"] for figures in every),
        "follow_ms_median": round(float(np.median([figures["follow_ms"] for figures in tables.values()])), 1),
        "align_ms_median": round(float(np.median([figures["align_ms"] for figures in tables.values()])), 1),
        "lost": sum(figures["lost"] for figures in every),
    }
    print(json.dumps({"rendered_tables": tables, "drawn_boards": boards, "all": total, "bars": told(bars)}))


def measured(path: Path) -> dict[str, Any]:
    """Return one table's figures."""
    table = TableFolder.open(path)
    setup = table.setup
    assert isinstance(setup.board, HexBoard), "a board of hexagons"
    image, _ = table.load_empty()
    named: dict[str, list[float]] = json.loads((path / "setup" / "centres.json").read_text(encoding="utf-8"))
    truth = {cell: (named[str(cell)][0], named[str(cell)][1]) for cell in setup.board.cells}
    true_px = np.array(list(truth.values()))
    began_s = time.perf_counter()
    clicked = by_hexagon(setup.clicks)
    view = align(image, clicked, setup.board.rings, setup.tracks, setup.lens)
    align_ms = 1000 * (time.perf_counter() - began_s)
    off_px = centres(view) - true_px
    jittered = [
        aligned_rms(path.name, image, truth, setup.tracks, clicks)
        for clicks in jittered_clicks({cell: truth[cell] for cell in clicked}, JITTERS, 20)
    ]
    clicked_off_px = np.array(list(clicked.values())) - [truth[cell] for cell in clicked]
    print(
        f"{path.name}: clicks off by {rms(clicked_off_px):.2f} px; aligned {rms(off_px):.3f} px rms, "
        f"worst cell {np.linalg.norm(off_px, axis=1).max():.2f} px, residual {view.residual_px:.2f} px; "
        f"{JITTERS} jittered: {min(jittered):.3f} to {max(jittered):.3f} px; {align_ms:.0f} ms"
    )
    followers = [Follower.of(image, view, setup.tracks)]
    if setup.fiducials:
        followers.append(Follower.of(image, view, setup.tracks, setup.fiducials))
    found = Followed()
    for name, disturbed, there_px, aligned_px in disturbances(image, view, true_px):
        follow(f"{path.name}: {name}", followers, disturbed, there_px, found)
        again = followers[-1].follow(disturbed)
        if isinstance(again, BoardView):
            found.drift_px.append(rms(centres(again) - aligned_px))
    games, steadiness, times_ms = followed_games(table, followers[-1])
    print(
        f"{path.name}: {len(games)} photographs followed, {games.count(None)} lost; "
        f"by another way {max(steadiness):.2f} px rms at worst; "
        f"{np.median(times_ms):.1f} ms, at most {max(times_ms):.1f}"
    )
    return {
        "clicks_rms_px": round(rms(off_px), 3),
        "jittered_rms_px": round(max(jittered), 3),
        "residual_px": round(view.residual_px, 3),
        "align_ms": round(align_ms, 1),
        "follow_drift_px": round(max(found.drift_px), 3),
        **found.to_json(),
        "follow_ms": round(float(np.median(times_ms)), 1),
        "steady_px": round(max(steadiness), 3),
        "lost": found.lost + games.count(None),
    }


def drawn(rings: int, seeds: Iterable[int]) -> dict[str, Any]:
    """Return the worst figures of all drawn boards of that size; nothing if there are no boards."""
    found, jittered = Followed(), []
    for seed in seeds:
        name = f"drawn-{seed}, {rings} rings"
        camera = virtual_camera(seed, rings, fiducials=True)
        board = camera.art.board
        scene = Scene(board, Layout(rings=rings))
        image, truth = camera.picture(scene), by_hexagon(camera.centres())
        tracks = {color: (camera.art.track_field(color, 0), camera.art.track_field(color, 10)) for color in Color}
        off = [
            aligned_rms(name, image, truth, tracks, clicks)
            for clicks in jittered_clicks({cell: truth[cell] for cell in board.corners}, JITTERS_DRAWN, seed)
        ]
        jittered.append(max(off))
        view = align(image, {cell: truth[cell] for cell in board.corners}, rings, tracks)
        print(f"{name}: aligned {min(off):.3f} to {max(off):.3f} px rms, a side is {view.side_px:.0f} px")
        markers = Fiducials("DICT_4X4_50", (0, 1, 2, 3))
        followers = [Follower.of(image, view, tracks), Follower.of(image, view, tracks, markers)]
        for what, nudge in pushes(view).items():
            pushed = Scene(board, Layout(rings=rings), nudge=nudge)
            there_px = np.array(list(camera.centres(nudge).values()))
            follow(f"{name}: {what}", followers, camera.picture(pushed), there_px, found)
        camera.knock(camera.view.nudged(np.random.default_rng(seed), 15.0))
        there_px = np.array(list(camera.centres().values()))
        follow(f"{name}: camera nudged", followers, camera.picture(scene), there_px, found)
    if not jittered:
        return {}
    return {"jittered_rms_px": round(max(jittered), 3), **found.to_json(), "lost": found.lost}


def pushes(view: BoardView) -> dict[str, Nudge]:
    """Return the ways in which a drawn board is pushed, by name."""
    px = 1 / view.side_px
    return {
        "pushed 30 px": Nudge(24 * px, -18 * px),
        "pushed and turned 3 degrees": Nudge(15 * px, 10 * px, np.radians(3)),
        "turned 3 degrees the other way": Nudge(turn=-np.radians(3)),
    }


def jittered_clicks(
    truth: Mapping[HexCell, tuple[float, float]], count: int, seed: int
) -> Iterator[dict[HexCell, tuple[float, float]]]:
    """Yield clicks that are off by up to 8 px in any direction."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        off = {cell: (rng.uniform(0, math.tau), JITTER_PX * math.sqrt(rng.uniform())) for cell in truth}
        yield {
            cell: (x + off[cell][1] * math.cos(off[cell][0]), y + off[cell][1] * math.sin(off[cell][0]))
            for cell, (x, y) in truth.items()
        }


def aligned_rms(
    name: str,
    image: Image,
    truth: Mapping[HexCell, tuple[float, float]],
    tracks: Mapping[Color, tuple[tuple[float, float], tuple[float, float]]],
    clicks: Mapping[HexCell, tuple[float, float]],
) -> float:
    """Return how far the centres found from these clicks are off, rms; infinity if the board is refused."""
    rings = next(iter(clicks)).rings
    try:
        return rms(centres(align(image, clicks, rings, tracks)) - np.array(list(truth.values())))
    except BadInputError as error:
        print(f"{name}: refused from jittered clicks: {error}")
        return math.inf


def follow(name: str, followers: Sequence[Follower[BoardView]], image: Image, there_px: Array, found: Followed) -> None:
    """Follow a picture without markers and, by the second follower, with them; print and note the result."""
    took_ms, views = [math.inf] * len(followers), list[BoardView | BoardLost]()
    # In turn, so that other work on the machine slows both alike.
    for _ in range(ROUNDS):
        views = []
        for index, follower in enumerate(followers):
            began_s = time.perf_counter()
            views.append(follower.follow(image))
            took_ms[index] = min(took_ms[index], 1000 * (time.perf_counter() - began_s))
    shown = []
    for view, ms, times_ms in zip(views, took_ms, (found.without_ms, found.with_ms), strict=False):
        if isinstance(view, BoardLost):
            found.lost += 1
            shown.append(f"LOST, {view.why}")
            continue
        times_ms.append(ms)
        found.off_px.append(rms(centres(view) - there_px))
        shown.append(f"{found.off_px[-1]:.2f} px rms, {ms:.1f} ms")
    print(f"{name}: {'; with markers '.join(shown)}")


def followed_games(
    table: TableFolder, follower: Follower[BoardView]
) -> tuple[list[BoardView | None], list[float], list[float]]:
    """Return each game photograph's view, how far it is from one found without the one before, and times in ms."""
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
