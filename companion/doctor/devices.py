"""Whether the camera gives pictures that show something, whether the pins can be opened, whether the table's
photographs teach it its tiles, and which tiles it would confuse all the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Protocol

from companion.board import BadInputError
from companion.doctor.machine import Finding, Machine, note, ok, todo, unknown
from companion.settings import CameraSettings, PanelSettings

#: How long the first picture may take, with all imports from a slow card, and how long to look then: a camera that
#: sees black, or the same picture for ever, is found out within three seconds.
FIRST_S, LOOK_S = 40.0, 4.0
#: A camera that fails after it has started may come back within this time.
PATIENCE_S = 12.0
FRAME_S = 1.0

#: The code for each trouble of a camera (hardware.camera.Trouble); any other is a "fault".
TROUBLES = {
    "starting": "camera-silent",
    "missing": "camera-missing",
    "busy": "camera-busy",
    "silent": "camera-silent",
    "frozen": "camera-frozen",
    "black": "camera-black",
}


class Eye(Protocol):
    """A camera: gives pictures, or raises OSError with its `trouble`."""

    def frame(self, timeout_s: float) -> Any:
        """Return the next picture, whose `image` is an array of height x width x 3."""


def camera(
    settings: CameraSettings,
    opened: Callable[[ExitStack], Eye],
    process: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Finding:
    """Look at some pictures; `process` is the companion that has the camera, None if none is running."""
    if settings.kind == "virtual":
        return ok("camera-drawn")
    if settings.kind == "none":
        return ok("camera-none")
    if process is not None:
        return unknown("camera-held", process=str(process))
    try:
        with ExitStack() as stack:
            return _looked_at(opened(stack), clock)
    except ImportError as error:
        return todo("camera-library", why=str(error))
    except BadInputError as error:
        return todo("camera-files", why=str(error))


def _looked_at(eye: Eye, clock: Callable[[], float]) -> Finding:
    began_s, first_s, good, why = clock(), None, None, TROUBLES["starting"]
    fault = ""
    while clock() - began_s < FIRST_S and (first_s is None or clock() - first_s < LOOK_S):
        try:
            good = eye.frame(FRAME_S).image.shape[:2]
            first_s = clock() if first_s is None else first_s
        except OSError as error:
            good, trouble = None, str(getattr(error, "trouble", "fault"))
            why, fault = TROUBLES.get(trouble, "camera-fault"), str(error)
            if trouble != "starting" and clock() - began_s > PATIENCE_S:
                break
    if good is None or first_s is None:
        return todo("camera-fault", why=fault) if why == "camera-fault" else todo(why)
    height, width = good
    return ok("camera", width=str(width), height=str(height), seconds=round(first_s - began_s, 1))


def pins(machine: Machine, settings: PanelSettings, opened: Callable[[], bool]) -> Finding:
    """Check whether the pins can be opened; `opened` opens them and says if they are real. None is switched."""
    if settings.pins == "mock" or (settings.pins == "auto" and not machine.pi):
        return ok("pins-simulated")
    try:
        is_real = opened()
    except BadInputError as error:
        if settings.pins == "auto":
            return todo("pins-library", machine=machine.pi)
        return todo("pins-none", why=str(error))
    return ok("pins", machine=machine.pi or "GPIO") if is_real else todo("pins-library", machine=machine.pi)


@dataclass(frozen=True, slots=True)
class TableTest:
    """A table's test of itself. Tiles are in the words of companion.board.words, bare ground in its terrain's.

    `alike` are the pairs that it confuses, worst first; `photograph` says which tiles to photograph, and how many.
    `veiled` are the cells where a lamp that the board mirrored during the set-up shows more than their print does.
    """

    folder: str
    is_square: bool = False
    alike: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()
    under_cubes: tuple[str, ...] = ()
    photograph: tuple[tuple[str, int], ...] = ()
    veiled: tuple[str, ...] = ()


def table(camera: str, tested: Callable[[], TableTest | None]) -> Finding:
    """Check how surely the table tells its tiles apart; `tested` learns it again, or returns None if there is none.

    `camera` is the settings' kind of camera: some need no table.
    """
    if camera in ("virtual", "none"):
        return ok("table-drawn" if camera == "virtual" else "table-by-hand")
    try:
        test = tested()
    except ImportError as error:
        return todo("camera-library", why=str(error))
    except BadInputError as error:
        return todo("table-unfit", why=str(error))
    if test is None:
        return note("table-none")
    if test.is_square:
        return ok("table-square", folder=test.folder)
    folder, pieces = test.folder, "; ".join(f"{number} x {tile}" for tile, number in test.photograph)
    if test.veiled:
        return todo("table-veiled", folder=folder, cells=", ".join(test.veiled))
    if test.alike:
        pairs = "; ".join(" / ".join(pair) for pair in test.alike)
        return todo("table-alike", folder=folder, pairs=pairs, pieces=pieces)
    if test.missing:
        return todo("table-missing", folder=folder, tiles="; ".join(test.missing), pieces=pieces)
    if test.under_cubes:
        return note("table-under-cubes", folder=folder, tiles="; ".join(test.under_cubes), pieces=pieces)
    return ok("table", folder=folder)
