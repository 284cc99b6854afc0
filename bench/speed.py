"""How long the whole read of a photograph takes, against the floor below which nobody gets.

    python -m bench.speed --shared ../shared [--table willow] [--photos 8] [--rounds 3]

The floor is `cv2.imdecode` to blue-green-red and one linear `cv2.warpPerspective` to the photograph's size. The whole
read is `cv2.imdecode` and `Reader.read`: over a game, with its memory, and alone, without. One thread, same run, each
photograph's three measurements one after the other. Without shared tables a drawn one is used. The last line is JSON.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # read when numpy is first imported

import argparse  # noqa: E402
import json  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from contextlib import ExitStack  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import cv2  # noqa: E402
import numpy as np  # noqa: E402

from calibration import TableFolder, decode_photo  # noqa: E402
from companion.cli.read import sequences_of  # noqa: E402
from companion.virtual_table import write_evening, write_table  # noqa: E402
from vision.reader import Reader  # noqa: E402

#: Issue 2: at most so many times the floor.
BAR = 12.0
_DRAWN_SEED = 7001


def main() -> None:
    """Print each way's best and median time, its ratio to the floor, and the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--table", default="willow")
    parser.add_argument("--photos", type=int, default=8, help="photographs of the game that are read")
    parser.add_argument("--rounds", type=int, default=3, help="how often the game is read")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    with ExitStack() as stack:
        folder = options.shared / "tables" / options.table
        if not folder.is_dir():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strada-drawn-"))) / "drawn"
            setup = write_table(folder, _DRAWN_SEED)
            write_evening(folder / "games" / "evening", setup.camera, _DRAWN_SEED, most=options.photos)
        figures = measured(folder, options.photos, options.rounds)
    print(json.dumps(figures))


def measured(folder: Path, photos: int, rounds: int) -> dict[str, Any]:
    """Return the times in ms and their ratios to the floor, on the photographs of a table's first game."""
    table = TableFolder.open(folder)
    contents = [photo.read_bytes() for photo in next(iter(sequences_of(table).values()))[:photos]]
    game, single = Reader.of(table), Reader.of(table)
    width, height = table.setup.size_px
    homography = np.asarray(game.view.homography)
    # Board plane to picture: the inverse fills a picture of the same size with the board from above.
    side = 2 * 14 / min(width, height)
    onto = np.linalg.inv(
        homography @ np.array([[side, 0, -side * width / 2], [0, side, -side * height / 2], [0, 0, 1]])
    )

    def decode(content: bytes) -> Any:
        return decode_photo(content, folder.name, (width, height))

    def floor(content: bytes) -> None:
        image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        cv2.warpPerspective(image, onto, (width, height), flags=cv2.INTER_LINEAR)

    def with_memory(content: bytes) -> None:
        game.read(decode(content))

    def alone(content: bytes) -> None:
        single.new_game(is_dealt=False)
        single.read(decode(content))

    ways: dict[str, Callable[[bytes], None]] = {"floor": floor, "memory": with_memory, "alone": alone}
    took_ms: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds + 1):
        game.new_game()
        for content in contents:
            for name, way in ways.items():
                began_s = time.perf_counter()
                way(content)
                if turn:  # the first round warms caches
                    took_ms[name].append(1000 * (time.perf_counter() - began_s))
    figures: dict[str, Any] = {"table": folder.name, "size_px": [width, height], "n": len(took_ms["floor"]), "bar": BAR}
    floors = {"best": min(took_ms["floor"]), "median": float(np.median(took_ms["floor"]))}
    print(f"{folder.name}, {width} x {height}, one thread, {figures['n']} readings of each kind, rendered tables")
    for name, times in took_ms.items():
        best, median = min(times), float(np.median(times))
        figures[name] = {
            "best_ms": round(best, 1),
            "median_ms": round(median, 1),
            "p95_ms": round(float(np.quantile(times, 0.95)), 1),
            "ratio_best": round(best / floors["best"], 2),
            "ratio_median": round(median / floors["median"], 2),
        }
        print(
            f"{name}: best {best:.1f} ms, median {median:.1f} ms;"
            f" {best / floors['best']:.1f} and {median / floors['median']:.1f} times the floor"
        )
    figures["holds"] = figures["memory"]["ratio_median"] <= BAR
    print(f"bar: at most {BAR:g} times the floor: {'holds' if figures['holds'] else 'DOES NOT HOLD'}")
    return figures


if __name__ == "__main__":
    main()
