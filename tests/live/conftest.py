"""A drawn table under a camera that people pull, freeze, cover and turn; reader and loop are real."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.board import Color, HexCell, Reading, Terrain, Workshop
from companion.commands import StartGame
from companion.logbook import Logbook
from companion.scoreboard import Scoreboard, Snapshot
from companion.service import Eyes, Pace, Service
from companion.session import Session
from companion.system.pictures import jpeg
from hardware.camera import CameraLostError, Frame, WatchedCamera
from hardware.panel import Panel
from hardware.pins import PanelPins, mock_factory
from simulator import Scene, Setup, VirtualCamera
from simulator.dealing import PLAYERS
from tests.dealing import dealt
from vision.hands import Steadier
from vision.reader import Reader

FRAME_S = 0.25
#: A sensor's noise, longer than any picture: each frame takes another part of it.
NOISE = np.random.default_rng(2).normal(0, 2, 8_000_000).astype(np.int8)


@dataclass
class Device:
    """A camera that people do things to; each frame has a sensor's noise."""

    picture: NDArray[np.uint8]
    now_s: float = 0.0
    is_pulled: bool = False
    is_frozen: bool = False
    is_covered: bool = False
    turns: int = 0
    size_px: tuple[int, int] | None = None
    _rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(5))
    _frozen: NDArray[np.uint8] | None = None

    def clock(self) -> float:
        return self.now_s

    def frame(self, timeout_s: float) -> Frame:
        if self.is_pulled:
            self.now_s += timeout_s
            raise CameraLostError("the camera gives no picture any more; check its cable")
        self.now_s += FRAME_S
        if not self.is_frozen or self._frozen is None:
            self._frozen = self._photographed()
        return Frame(self._frozen, self.now_s)

    def _photographed(self) -> NDArray[np.uint8]:
        scene = np.full_like(self.picture, 6) if self.is_covered else np.rot90(self.picture, self.turns)
        if self.size_px is not None:
            scene = cv2.resize(scene, self.size_px, interpolation=cv2.INTER_AREA)
        start = int(self._rng.integers(len(NOISE) - scene.size))
        noise = NOISE[start : start + scene.size].reshape(scene.shape)
        return np.asarray(cv2.add(np.ascontiguousarray(scene), noise, dtype=cv2.CV_8U), np.uint8)

    def meter(self) -> None: ...

    def close(self) -> None: ...


@dataclass
class Silent:
    """A panel that remembers the cues it should play."""

    cues: list[object] = field(default_factory=list)

    def play(self, cue: object) -> None:
        self.cues.append(cue)

    def glow(self, glow: object) -> None: ...

    def show_turn(self, color: str | None) -> None: ...

    def pause(self) -> None: ...

    def resume(self) -> None: ...


@dataclass
class Table:
    """The loop over the drawn table, and what everybody sees of it."""

    device: Device
    service: Service
    scoreboard: Scoreboard
    panel: Panel
    camera: VirtualCamera
    scene: Scene
    reader: Reader
    logbook: Logbook

    @property
    def seen(self) -> Snapshot:
        return self.scoreboard.latest

    @property
    def truth(self) -> Reading:
        return self.camera.truth(self.scene)

    def lay(self, scene: Scene) -> None:
        """Lay the table out like this, and let the camera see it."""
        self.scene = scene
        self.device.picture = self.camera.picture(scene)

    def go_on(self, seconds: float) -> None:
        """Let the loop run for that long on its own clock."""
        until_s = self.device.now_s + seconds
        while self.device.now_s < until_s:
            self.service.step()

    def press(self) -> None:
        """Press the button, and wait for the result."""
        self.service.press()
        self.go_on(1.5)

    def deal(self) -> None:
        """Let the companion see the deal that lies there, and press."""
        self.go_on(1.0)
        self.press()
        assert self.seen.phase == "workshop", self.seen.notice

    def lay_workshop(self, color: Color, beside: int = 0) -> None:
        """Lay a workshop on a free plain cell, as close as there is to that many steps from the middle of the board."""
        middle = HexCell(0, 0)
        free = [
            cell
            for cell, lies in self.truth.cells.items()
            if lies.terrain is Terrain.PLAIN and not lies.site and lies.contents.tile is None
        ]
        cell = min(free, key=lambda cell: (abs(cell.distance(middle) - beside), cell.r, cell.q))
        self.lay(self.scene.lay(cell, Workshop(color), np.random.default_rng(1)))


@pytest.fixture
def table(drawn_table: tuple[Path, Setup], learnt: Reader, tmp_path: Path) -> Iterator[Table]:
    camera, reader = drawn_table[1].camera, Reader(learnt.taught, learnt._follower)
    reader.new_game(is_dealt=False)
    scene = dealt(camera, 3)
    device = Device(camera.picture(scene))
    scoreboard = Scoreboard()
    with Panel(PanelPins(), mock_factory(), clock=device.clock) as panel, Logbook(tmp_path, encode=jpeg) as logbook:
        service = made_service(device, reader, panel, scoreboard, logbook)
        yield Table(device, service, scoreboard, panel, camera, scene, reader, logbook)


def made_service(device: Device, reader: Reader, panel: Panel, scoreboard: Scoreboard, logbook: Logbook) -> Service:
    """Make the loop as `strada run` does, with the logbook's game."""
    resumed = logbook.resume()
    size_px = device.picture.shape[1], device.picture.shape[0]
    return Service(
        Eyes(WatchedCamera(device, size_px), reader, Steadier()),
        panel,
        scoreboard,
        StartGame(PLAYERS),
        session=Session(state=resumed.state) if resumed else None,
        logbook=logbook,
        pace=Pace(period_s=0.0, clock=device.clock),
    )
