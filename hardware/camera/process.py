"""A camera whose device runs in a process of its own, which is killed and restarted when it gives nothing.

The cameras over a table, a USB camera or the Raspberry Pi's modules, each run in their own process like this.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess

from hardware.camera import ring
from hardware.camera.child import Factory, run
from hardware.camera.frames import CameraLostError, Frame, Trouble

_log = logging.getLogger(__name__)

#: How often the thread that looks after the child checks whether to stop.
TICK_S = 0.1


@dataclass(frozen=True, slots=True)
class Limits:
    """How long things may take, in seconds."""

    #: From starting the process to the end of its imports: this is long because a Pi that has just booted reads
    #: picamera2 from its card.
    load_s: float = 30.0
    #: From then to the first picture. If the device comes back while opening it blocks, it is in use again after this
    #: long plus `retry_s` and another start: together at most 10 s.
    open_s: float = 5.0
    #: From one picture to the next: longer than the child's own limit (child.FRAME_S), because the child knows better
    #: what is wrong.
    silent_s: float = 3.0
    #: From losing the device to trying again.
    retry_s: float = 1.0
    #: An older picture does not count, because it shows the past.
    stale_s: float = 1.0
    #: For the process to end when asked, and again after it is killed.
    end_s: float = 1.0


LIMITS = Limits()


class ProcessCamera:
    """A camera in a process of its own. `frame`, `meter`, `restart` and `close` may be called by any thread.

    The process is spawned, never forked, and dies with this one. `called` is what messages to people call the camera.
    """

    def __init__(self, factory: Factory, called: str = "the camera", limits: Limits = LIMITS) -> None:
        self._factory, self._called, self._limits = factory, called, limits
        self._arrived = threading.Condition()
        self._child: _Child | None = None
        self._newest: ring.Taken | None = None
        self._fault = CameraLostError(f"{called} is starting", Trouble.STARTING)
        self._closing, self._restarting = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._mind, name="camera", daemon=True)
        self._thread.start()

    def frame(self, timeout_s: float) -> Frame:
        """Return the newest picture that no earlier call has returned."""
        with self._arrived:
            self._arrived.wait_for(lambda: self._is_fresh() or self._closing.is_set(), timeout_s)
            if not self._is_fresh():
                raise CameraLostError(str(self._fault), self._fault.trouble)
            child, taken, self._newest = self._child, self._newest, None
            assert child is not None
            assert child.ring is not None
            assert taken is not None
            image, small = child.ring.read(taken.slot)
            child.say(ring.Free(taken.slot))
        return Frame(image, taken.taken_s, small)

    def meter(self) -> None:
        """Have the device meter again. One that is starting does so anyway."""
        with self._arrived:
            if self._child is not None:
                self._child.say(ring.Meter())

    def restart(self) -> None:
        """Restart the process: for a device that gives pictures, but no good ones."""
        self._restarting.set()

    def close(self) -> None:
        """End the process, within about two seconds, even if the device blocks."""
        self._closing.set()
        with self._arrived:
            self._arrived.notify_all()
        self._thread.join(2 * self._limits.end_s + 1.0)

    @property
    def pid(self) -> int | None:
        """The process that has the device, for those who watch processes; None while there is none."""
        with self._arrived:
            return None if self._child is None else self._child.process.pid

    def _is_fresh(self) -> bool:
        return self._newest is not None and time.monotonic() - self._newest.taken_s <= self._limits.stale_s

    def _mind(self) -> None:
        """Keep a child running. Its parent is this thread: if the thread ends, the kernel ends the child."""
        while not self._closing.is_set():
            self._restarting.clear()
            is_blocked = False
            child = None
            try:
                child = _Child(self._factory)
                with self._arrived:
                    self._child = child
                is_blocked = self._follow(child)
            except Exception as error:  # no process, no memory for the pictures: it tries again all the same
                _log.exception("%s cannot be used", self._called)
                self._lose(f" cannot be used: {error}")
            finally:
                with self._arrived:
                    self._child = self._newest = None
                if child is not None:
                    child.end(0.0 if is_blocked else self._limits.end_s, self._limits.end_s)
            self._closing.wait(self._limits.retry_s)
        self._lose(" was closed")

    def _follow(self, child: _Child) -> bool:
        """Follow the child until it is lost or no longer wanted. Return whether it has to be killed."""
        limits = self._limits
        due_s = time.monotonic() + limits.load_s
        was_heard = False
        while not self._closing.is_set() and not self._restarting.is_set():
            left_s = due_s - time.monotonic()
            if left_s <= 0:
                what = "gives no picture any more" if was_heard else "did not open in time"
                self._lose(f" {what}; check its cable", Trouble.SILENT)
                return True
            ready = wait([child.pipe, child.process.sentinel], min(left_s, TICK_S))
            if child.pipe in ready:
                word = self._hear(child)
                if word is None or isinstance(word, ring.Lost):
                    return False
                was_heard = not isinstance(word, ring.Loaded)
                due_s = time.monotonic() + (limits.silent_s if was_heard else limits.open_s)
            elif ready:
                self._lose(f"'s process ended ({child.ending(limits.end_s)})")
                return False
        return False

    def _hear(self, child: _Child) -> object | None:
        """Read one message of the child's, do what it asks for and return it; return None if the child is gone."""
        try:
            word: object = child.pipe.recv()
        except (EOFError, OSError):
            self._lose(f"'s process ended ({child.ending(self._limits.end_s)})")
            return None
        with self._arrived:
            match word:
                case ring.Opened(sizes=sizes):
                    self._newest = None
                    child.make_ring(sizes)
                case ring.Attached() if child.ring is not None:
                    child.ring.unname()
                case ring.Taken():
                    if self._newest is not None:
                        child.say(ring.Free(self._newest.slot))
                    self._newest = word
                    self._lose(" gives no new picture; check its cable", Trouble.SILENT)
                    self._arrived.notify_all()
                case ring.Unsettled():
                    self._lose(" is starting", Trouble.STARTING)
                case ring.Lost(sentence=sentence, trouble=trouble):
                    self._lose(f": {sentence}", trouble)
        return word

    def _lose(self, what: str, trouble: Trouble = Trouble.FAULT) -> None:
        """Say from now on why there is no picture; `what` follows the camera's name."""
        with self._arrived:
            self._fault = CameraLostError(f"{self._called}{what}", trouble)


class _Child:
    """The process, the pipe to it and the ring of its pictures. Guarded by its camera's condition."""

    def __init__(self, factory: Factory) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.pipe, theirs = spawn.Pipe()
        self.ring: ring.Ring | None = None
        self.process: SpawnProcess = spawn.Process(
            target=run, args=(factory, theirs, os.getpid()), name="camera", daemon=True
        )
        try:
            self.process.start()
        except OSError:
            self.pipe.close()
            raise
        finally:
            theirs.close()  # else the pipe would outlive the child

    def say(self, word: object) -> None:
        """Send the child a message. If it is gone, others notice. Messages are few and short, so the pipe has room."""
        with contextlib.suppress(OSError):
            self.pipe.send(word)

    def make_ring(self, sizes: ring.Sizes) -> None:
        """Make new memory for pictures of these sizes and forget the old slots."""
        if self.ring is not None:
            self.ring.close()
        self.ring = ring.Ring.create(sizes)
        self.say(ring.Use(self.ring.name, sizes))

    def ending(self, limit_s: float) -> str:
        """Return how the process ended, waiting at most `limit_s` for it."""
        if not self._has_ended(limit_s):
            return "its pipe is closed"
        code = self.process.exitcode or 0
        return f"signal {-code}" if code < 0 else f"status {code}"

    def end(self, asking_s: float, killing_s: float) -> None:
        """Ask the process to end, kill it if needed, and release everything it used."""
        if asking_s:
            self.say(ring.Close())
        if not self._has_ended(asking_s):
            self.process.kill()
        if self._has_ended(killing_s):
            self.process.close()
        else:  # it hangs in the kernel; multiprocessing waits for it when it starts the next one
            _log.error("the camera's driver hangs: process %s cannot be killed", self.process.pid)
        self.pipe.close()
        if self.ring is not None:
            self.ring.close()

    def _has_ended(self, limit_s: float) -> bool:
        until_s = time.monotonic() + limit_s
        while self.process.exitcode is None and time.monotonic() < until_s:
            self.process.join(until_s - time.monotonic())
            # The process releases its files, which `join` waits for, a moment before it can be reaped.
            time.sleep(0.002)
        return self.process.exitcode is not None


class UsbCamera(ProcessCamera):
    """The USB camera /dev/video`index`; its driver takes the size nearest to the one requested."""

    def __init__(
        self,
        index: int = 0,
        width_px: int = 1640,
        height_px: int = 1232,
        frames_per_s: float = 10.0,
        limits: Limits = LIMITS,
    ) -> None:
        options = {"index": index, "size_px": (width_px, height_px), "frames_per_s": frames_per_s}
        super().__init__(Factory("hardware.camera.usb:UsbDevice", options), f"USB camera {index}", limits)


class PiCamera(ProcessCamera):
    """A Raspberry Pi's camera module. Without a size, its whole sensor is used: 2304 x 1296 for a Camera Module 3."""

    def __init__(
        self,
        index: int = 0,
        size_px: tuple[int, int] | None = None,
        frames_per_s: float = 10.0,
        limits: Limits = LIMITS,
    ) -> None:
        options = {"index": index, "size_px": size_px, "frames_per_s": frames_per_s}
        super().__init__(Factory("hardware.camera.picamera:PicameraDevice", options), f"camera module {index}", limits)
