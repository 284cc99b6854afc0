"""How long a photograph takes, against a floor that nobody can beat, and how much memory `strada read` needs.

    python -m bench.speed --shared ../shared [--table willow] [--photos 8] [--rounds 5]

The floor is `cv2.imdecode` to blue-green-red and one linear `cv2.warpPerspective` to 1640 x 1232. The whole read is
`cv2.imdecode` and `Reader.read`: through a game with its memory, and alone, without memory. A game's first photograph,
the deal, has no memory yet and is reported by itself. A quiet frame is what the companion does with a live picture on
which nothing changed but the camera's noise: `Steadier.look`, without decoding. All of it runs in one thread and in the
same run, each photograph's measurements one after another. Processor time is counted: on a machine with other work to
do a read has to wait more often than the short floor, and that says nothing about either. A way's time is the sum over
the photographs of the best of `--rounds`. Its ratio is that sum against the floor's. The peak memory of `strada read`
is that of a process of its own, with memory and `--alone`. Without shared tables a drawn one is used. The last line is
JSON.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # read when numpy is first imported

import argparse  # noqa: E402
import json  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Sequence  # noqa: E402
from contextlib import ExitStack  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import cv2  # noqa: E402
import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from bench.bars import Bar, told  # noqa: E402
from calibration import TableFolder, decode_photo  # noqa: E402
from companion.cli.watch import sequences_of  # noqa: E402
from simulator import write_evening, write_table  # noqa: E402
from vision.hands import STILL_FRAMES, Steadier  # noqa: E402
from vision.reader import Reader  # noqa: E402

#: Issue 4: the most times the floor, and the most MB.
BARS = {"memory": 5.0, "deal": 10.0, "alone": 10.0, "quiet frame": 0.5}
MEMORY_BAR_MB = 350.0
_FLOOR_PX = (1640, 1232)
_DRAWN_SEED = 7001
#: Two pictures of a still table differ by a camera's noise, in grey levels.
_NOISE = 2.0

#: Runs a command in a process of its own and prints its peak in KB: if this process forked, its own memory would count.
_PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""

Image = NDArray[np.uint8]


def main() -> None:
    """Print each way's time, its ratio to the floor, peak memory, and the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--table", default="willow")
    parser.add_argument("--photos", type=int, default=8, help="photographs of the game that are read")
    parser.add_argument("--rounds", type=int, default=5, help="how often the game is read")
    options = parser.parse_args()
    if options.photos < 2:
        parser.error(f"--photos is {options.photos}; a game with a memory has at least 2")
    cv2.setNumThreads(1)
    with ExitStack() as stack:
        folder = options.shared / "tables" / options.table
        if not folder.is_dir():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strada-drawn-"))) / "drawn"
            setup = write_table(folder, _DRAWN_SEED)
            write_evening(folder / "games" / "evening", setup.camera, _DRAWN_SEED, most=options.photos)
        figures = measured(folder, options.photos, options.rounds)
        figures["peak_mb"] = {mode: round(peak_mb(folder, *flags), 1) for mode, flags in _READS.items()}
    for mode, peak in figures["peak_mb"].items():
        print(f"strada read, {mode}: at most {peak:.0f} MB")
    bars = [Bar(f"{way} against the floor", figures[way]["ratio"], most, "times") for way, most in BARS.items()]
    bars.append(Bar("strada read: peak memory", max(figures["peak_mb"].values()), MEMORY_BAR_MB, "MB"))
    print(json.dumps({**figures, "bars": told(bars)}))


_READS: dict[str, tuple[str, ...]] = {"memory": (), "alone": ("--alone",)}


def measured(folder: Path, photos: int, rounds: int) -> dict[str, Any]:
    """Return the times in ms and their ratios to the floor, on the photographs of a table's first game."""
    table = TableFolder.open(folder)
    contents = [photo.read_bytes() for photo in next(iter(sequences_of(table).values()))[:photos]]
    game, single, steadier = Reader.of(table), Reader.of(table), Steadier()
    width, height = table.setup.size_px
    onto = _from_above(np.asarray(game.view.homography))
    pairs: list[tuple[Image, Image]] = []

    def decode(content: bytes) -> Image:
        return decode_photo(content, folder.name, (width, height))

    def floor(index: int) -> None:
        image = cv2.imdecode(np.frombuffer(contents[index], np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        cv2.warpPerspective(image, onto, _FLOOR_PX, flags=cv2.INTER_LINEAR)

    def with_memory(index: int) -> None:
        game.read(decode(contents[index]))

    def alone(index: int) -> None:
        single.new_game(is_dealt=False)
        single.read(decode(contents[index]))

    def quiet_frame(index: int) -> None:
        motion = steadier.look(pairs[index][1])
        if motion.has_changed or not motion.is_still:
            raise RuntimeError("noise was taken for motion: such a frame would be read")

    rng = np.random.default_rng(9)
    pairs = [(image, _noisy(image, rng)) for image in map(decode, contents)]
    ways: dict[str, Callable[[int], None]] = {
        "floor": floor, "memory": with_memory, "alone": alone, "quiet frame": quiet_frame,
    }  # fmt: skip
    took_ms: dict[str, list[list[float]]] = {name: [[] for _ in contents] for name in ways}
    for turn in range(rounds + 1):
        game.new_game()
        for index in range(len(contents)):
            for _ in range(STILL_FRAMES):
                steadier.look(pairs[index][0])
            steadier.keep()
            for name, way in ways.items():
                began_s = time.thread_time()
                way(index)
                if turn:  # the first round warms caches
                    took_ms[name][index].append(1000 * (time.thread_time() - began_s))
    print(
        f"{folder.name}, {width} x {height}, one thread, {len(contents)} photographs, best of {rounds}, rendered tables"
    )
    figures: dict[str, Any] = {"table": folder.name, "size_px": [width, height], "photos": len(contents), "of": rounds}
    floors, game_ms = took_ms["floor"], took_ms["memory"]
    parts = {
        "floor": (floors, floors),
        "memory": (game_ms[1:], floors[1:]),
        "deal": (game_ms[:1], floors[:1]),
        "alone": (took_ms["alone"], floors),
        "quiet frame": (took_ms["quiet frame"], floors),
    }
    for name, (times, against) in parts.items():
        figures[name] = _figures(times, against)
        print(
            f"{name}: {figures[name]['best_ms']:.2f} ms a photograph, {figures[name]['ratio']:.2f} times the floor"
            f" (slowest photograph {figures[name]['ratio_worst']:.2f})"
        )
    return figures


def _figures(times: Sequence[Sequence[float]], floors: Sequence[Sequence[float]]) -> dict[str, float]:
    best, floor = (np.array([min(of_photo) for of_photo in each]) for each in (times, floors))
    return {
        "best_ms": round(float(best.mean()), 2),
        "median_ms": round(float(np.median(times)), 2),
        "p95_ms": round(float(np.quantile(times, 0.95)), 2),
        "ratio": round(float(best.sum() / floor.sum()), 3),
        "ratio_worst": round(float((best / floor).max()), 3),
    }


def _from_above(homography: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the map from the picture to the board from straight above, filling a picture of the floor's size."""
    width, height = _FLOOR_PX
    side = 2 * 14 / min(width, height)
    return np.linalg.inv(
        homography @ np.array([[side, 0, -side * width / 2], [0, side, -side * height / 2], [0, 0, 1]])
    )


def _noisy(image: Image, rng: np.random.Generator) -> Image:
    noise = rng.normal(0, _NOISE, image.shape)
    return np.clip(np.round(image + noise), 0, 255).astype(np.uint8)


def peak_mb(folder: Path, *flags: str) -> float:
    """Return how much memory `strada read` of that table held at most, in MB (a million bytes)."""
    with tempfile.TemporaryDirectory(prefix="strada-readings-") as out:
        read = [sys.executable, "-m", "companion", "read", str(folder), "--out", out, *flags]
        done = subprocess.run([sys.executable, "-c", _PEAK, *read], capture_output=True, text=True, check=True)
    # macOS counts bytes, all others KiB.
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024) / 1e6


if __name__ == "__main__":
    main()
