"""The program of the camera's own process: open the device and put its pictures into the ring until told to stop.

Nothing here has a time limit merely because the device may block. If it does block, the parent kills the process.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import os
import signal
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Protocol

from hardware.camera import ring
from hardware.camera.frames import Camera, CameraLostError, Frame, Trouble

#: How long the device may take for a picture before it reports the fault itself (the parent waits longer).
FRAME_S = 2.0

#: How long to wait for the parent to return a slot before a picture is dropped.
SLOT_S = 0.5

#: prctl's option: the signal that this process gets when its parent dies (linux/prctl.h).
PR_SET_PDEATHSIG = 1


class Device(Camera, Protocol):
    """A camera as the child opens it."""

    @property
    def is_settled(self) -> bool:
        """Whether exposure, white balance and focus have been held once. Earlier pictures are not shown."""


@dataclass(frozen=True, slots=True)
class Factory:
    """How the child opens its device: `path` is "package.module:name", called with the options."""

    path: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> Callable[[], Device]:
        """Return the function that opens the device. Raises CameraLostError if something it needs is not installed."""
        module, _, name = self.path.partition(":")
        try:
            make: Callable[..., Device] = getattr(importlib.import_module(module), name)
        except ImportError as error:
            sentence = f"what the camera needs is not installed: {error}"
            raise CameraLostError(sentence, Trouble.MISSING) from error
        return functools.partial(make, **self.options)


def run(factory: Factory, pipe: Connection, parent_pid: int) -> None:
    """Send the device's pictures until the parent says Close or is gone."""
    # Ctrl-C goes to every process of a terminal, but the parent decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with(parent_pid)
    with contextlib.suppress(BrokenPipeError, ConnectionResetError, EOFError):  # the parent is gone
        try:
            open_device = factory.load()
            pipe.send(ring.Loaded())
            device = open_device()
        except Exception as error:  # whatever a driver raises, people are told
            pipe.send(_lost(error))
            return
        try:
            _Giver(device, pipe).run()
        except (BrokenPipeError, ConnectionResetError, EOFError):
            raise
        except Exception as error:
            pipe.send(_lost(error))  # before `close`, which may block
        finally:
            device.close()


def _lost(error: Exception) -> ring.Lost:
    if isinstance(error, CameraLostError):
        return ring.Lost(str(error), error.trouble)
    traceback.print_exception(error)
    return ring.Lost(f"its driver says: {error or type(error).__name__}", Trouble.FAULT)


def _die_with(parent_pid: int) -> None:
    """Have the kernel kill this process with its parent, even while the device blocks."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:  # it died before prctl could take effect
        os._exit(1)


class _Giver:
    """Belongs to the child's main thread."""

    def __init__(self, device: Device, pipe: Connection) -> None:
        self._device, self._pipe = device, pipe
        self._ring: ring.Ring | None = None
        self._free: list[int] = []
        self._is_closing = False

    def run(self) -> None:
        try:
            while True:
                frame = self._device.frame(FRAME_S)
                self._hear(0.0)
                if self._is_closing:
                    return
                if self._device.is_settled:
                    self._give(frame)
                else:
                    self._pipe.send(ring.Unsettled())
        finally:
            if self._ring is not None:
                self._ring.close()

    def _give(self, frame: Frame) -> None:
        sizes = ring.Sizes.of(frame.image, frame.small)
        if self._ring is None or self._ring.sizes != sizes:
            self._ask_for_ring(sizes)
        if not self._free:
            self._hear(SLOT_S)
        if self._ring is None or not self._free or self._is_closing:
            return
        slot = self._free.pop()
        self._ring.write(slot, frame.image, frame.small)
        self._pipe.send(ring.Taken(slot, frame.taken_s))

    def _ask_for_ring(self, sizes: ring.Sizes) -> None:
        if self._ring is not None:
            self._ring.close()
            self._ring, self._free = None, []
        self._pipe.send(ring.Opened(sizes))
        while self._ring is None and not self._is_closing:
            if not self._hear(FRAME_S):
                raise CameraLostError("the picture's memory was not made in time")

    def _hear(self, wait_s: float) -> bool:
        """Do what the parent says, waiting at most `wait_s` for its first message. Return whether there was one."""
        heard = False
        while self._pipe.poll(0.0 if heard else wait_s):
            heard = True
            match self._pipe.recv():
                case ring.Use(name=name, sizes=sizes):
                    self._ring, self._free = ring.Ring.attach(name, sizes), list(range(ring.SLOTS))
                    self._pipe.send(ring.Attached())
                case ring.Free(slot=slot):
                    self._free.append(slot)
                case ring.Meter():
                    self._device.meter()
                case ring.Close():
                    self._is_closing = True
        return heard
