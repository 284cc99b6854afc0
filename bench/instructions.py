"""How many instructions a 64-bit Raspberry Pi's processor carries out for a read and for a quiet frame.

They are counted by qemu, which emulates the processor, with a plugin (`counting.c`), while the installed program of an
arm64 system reads a drawn table. That is exact, and the same whatever else the machine does. How long they take on a Pi
is not measured but estimated, at one instruction a cycle, which is about what a Pi's cores manage of such work.
`bench.install --arm64` uses it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bench.roots import Root

#: The emulated core is a Pi 4's; the clocks are those of a Pi 4 and of a Pi 5, in GHz.
PROCESSOR, CLOCKS_GHZ = "cortex-a72", (1.5, 2.4)
#: Instructions that a core carries out in a cycle.
EACH_CYCLE = 1.0
EMULATOR = "qemu-aarch64"
#: How long one program may take under emulation.
_LIMIT_S = 3600.0
#: Each way is measured twice, with few photographs and with more: the difference leaves out the start and the teaching.
_FEW, _MORE = 2, 6

_PROGRAM = """
import sys
from pathlib import Path
import cv2
import numpy as np
from calibration.table import TableFolder, load_photo
from vision.hands import STILL_FRAMES, Steadier
from vision.reader import Reader
cv2.setNumThreads(1)
folder, way, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
table = TableFolder.open(folder)
photos = sorted((folder / "games/evening").glob("*.jpg"))
size = table.setup.size_px
if way == "quiet frame":
    image = load_photo(photos[0], size)
    steadier = Steadier()
    for _ in range(STILL_FRAMES):
        steadier.look(image)
    steadier.keep()
    noisy = np.clip(image + np.random.default_rng(9).normal(0, 2, image.shape).astype(np.float32), 0, 255)
    noisy = noisy.astype(np.uint8)
    for _ in range(times):
        assert not steadier.look(noisy).has_changed
else:
    reader = Reader.of(table)
    for photo in photos[:times]:
        if way == "alone":
            reader.new_game(is_dealt=False)
        reader.read(load_photo(photo, size))
"""
WAYS = ("memory", "alone", "quiet frame")


def missing_here() -> str:
    """Say in a sentence what this machine lacks for counting; "" if nothing is missing."""
    tools = {EMULATOR: "qemu-user", "gcc": "gcc"}
    lacking = [package for tool, package in tools.items() if shutil.which(tool) is None]
    return f"not counted: sudo apt install {' '.join(lacking)}" if lacking else ""


def counted(root: Root, table: str) -> dict[str, float]:
    """Return millions of instructions for a photograph in each way; `table` is a folder in the system, with an evening.

    Raises RuntimeError with the program's last word if it fails, CalledProcessError if the plugin cannot be built.
    """
    with tempfile.TemporaryDirectory(prefix="strada-count-") as place:
        plugin, program = Path(place) / "counting.so", Path(place) / "program.py"
        source = Path(__file__).with_name("counting.c")
        subprocess.run(["gcc", "-shared", "-fPIC", "-O2", str(source), "-o", str(plugin)], check=True, timeout=60)
        program.write_text(_PROGRAM, encoding="utf-8")
        millions = {}
        for way in WAYS:
            few, more = (_run(root, plugin, program, f"{root.folder}/{table}", way, times) for times in (_FEW, _MORE))
            millions[way] = round((more - few) / (_MORE - _FEW) / 1e6, 1)
    return millions


def reckoned(millions: Mapping[str, float]) -> dict[str, list[float]]:
    """Return an estimate of how many seconds each way takes at each of the clocks.

    >>> reckoned({"alone": 3000.0})
    {'alone': [2.0, 1.25]}
    """
    return {
        way: [round(count / 1e3 / EACH_CYCLE / clock, 3) for clock in CLOCKS_GHZ] for way, count in millions.items()
    }


def _run(root: Root, plugin: Path, program: Path, table: str, way: str, times: int) -> int:
    python = (root.folder / "usr/bin/python3").resolve()
    (packages,) = (root.folder / "opt/strada").glob("venv-*/lib/python3*/site-packages")
    environment = {
        **os.environ,
        "PYTHONHOME": str(root.folder / "usr"),
        "PYTHONPATH": f"{packages}:{root.folder}/usr/lib/python3/dist-packages",
        "PYTHONDONTWRITEBYTECODE": "1",
        **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"),
    }
    # Debian's links to these two lead through /etc, which would be this machine's.
    libraries = root.folder / "usr/lib/aarch64-linux-gnu"
    command = [EMULATOR, "-cpu", PROCESSOR, "-L", str(root.folder), "-plugin", str(plugin)]
    command += ["-E", f"LD_LIBRARY_PATH={libraries}/blas:{libraries}/lapack", str(python), str(program)]
    done = subprocess.run(
        [*command, table, way, str(times)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        check=False,
    )
    told = re.search(r"^instructions: (\d+)$", done.stderr, re.MULTILINE)
    if done.returncode or told is None:
        raise RuntimeError(f"{way}: {done.stderr.strip()[-300:]}")
    return int(told[1])
