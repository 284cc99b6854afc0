"""Pictures in shared memory: a few slots of one size, each owned by one side at a time.

Only the side that holds a slot's number may touch the slot. The number is passed through a pipe, so a slot is never
read while it is being written, and the receiver of the number sees everything that was written before it was sent.

Parent and child exchange all their other messages over the same pipe.
"""

from __future__ import annotations

from dataclasses import dataclass
from multiprocessing.shared_memory import SharedMemory

import numpy as np

from hardware.camera.frames import Image, Trouble

#: One being written, one waiting, one being copied out.
SLOTS = 3

Size = tuple[int, int]  #: width, height


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a device's pictures are, in pixels: width, height; `small_px` None if it has no small ones."""

    image_px: Size
    small_px: Size | None = None

    @classmethod
    def of(cls, image: Image, small: Image | None) -> Sizes:
        """Return the sizes of those pictures."""
        return cls((image.shape[1], image.shape[0]), None if small is None else (small.shape[1], small.shape[0]))

    @property
    def image_bytes(self) -> int:
        """How many bytes the picture takes."""
        return 3 * self.image_px[0] * self.image_px[1]

    @property
    def slot_bytes(self) -> int:
        """How many bytes the picture and the small one take."""
        small = 0 if self.small_px is None else 3 * self.small_px[0] * self.small_px[1]
        return self.image_bytes + small


class Ring:
    """The slots as one process sees them. Belongs to one thread; `create` in one process, `attach` in the other."""

    def __init__(self, memory: SharedMemory, sizes: Sizes) -> None:
        self._memory: SharedMemory | None = memory
        self._is_named = False
        self.name, self.sizes = memory.name, sizes

    @classmethod
    def create(cls, sizes: Sizes) -> Ring:
        """Return a ring in new shared memory. Raises OSError if there is none left."""
        ring = cls(SharedMemory(create=True, size=SLOTS * sizes.slot_bytes), sizes)
        ring._is_named = True
        return ring

    @classmethod
    def attach(cls, name: str, sizes: Sizes) -> Ring:
        """Return the ring that the other process created."""
        return cls(SharedMemory(name), sizes)

    def write(self, slot: int, image: Image, small: Image | None) -> None:
        """Copy the pictures, which have the ring's sizes, into a slot that this process holds."""
        to_image, to_small = self._views(slot)
        np.copyto(to_image, image)
        if to_small is not None and small is not None:
            np.copyto(to_small, small)

    def read(self, slot: int) -> tuple[Image, Image | None]:
        """Return copies of the pictures in a slot that this process holds."""
        image, small = self._views(slot)
        return image.copy(), None if small is None else small.copy()

    def _views(self, slot: int) -> tuple[Image, Image | None]:
        buffer = None if self._memory is None else self._memory.buf
        assert buffer is not None
        sizes, start = self.sizes, slot * self.sizes.slot_bytes
        image = _view(buffer, start, sizes.image_px)
        small = None if sizes.small_px is None else _view(buffer, start + sizes.image_bytes, sizes.small_px)
        return image, small

    def unname(self) -> None:
        """Remove the memory's name once both processes have it, so that nothing is left behind however they die."""
        if self._is_named and self._memory is not None:
            self._memory.unlink()
            self._is_named = False

    def close(self) -> None:
        """Release the memory. A second call does nothing."""
        self.unname()
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()


def _view(buffer: memoryview, start: int, size_px: Size) -> Image:
    width, height = size_px
    return np.ndarray((height, width, 3), np.uint8, buffer, start)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Everything is imported; the device is being opened."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The device gives pictures of these sizes: make a ring for them."""

    sizes: Sizes


@dataclass(frozen=True, slots=True)
class Attached:
    """The child has the ring."""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The device gives pictures, but is not settled yet."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A picture is in that slot, which now belongs to the parent."""

    slot: int
    taken_s: float


@dataclass(frozen=True, slots=True)
class Lost:
    """There is no picture, for the given reason. The child ends."""

    sentence: str
    trouble: Trouble


@dataclass(frozen=True, slots=True)
class Use:
    """Use the ring of that name from now on. All its slots belong to the child."""

    name: str
    sizes: Sizes


@dataclass(frozen=True, slots=True)
class Free:
    """That slot belongs to the child again."""

    slot: int


@dataclass(frozen=True, slots=True)
class Meter:
    """Meter again."""


@dataclass(frozen=True, slots=True)
class Close:
    """Close the device and end."""
