"""Pictures as JPEG; and the size of a picture from its first bytes, before it is decoded, because decoding takes as
much memory as the picture claims to need.

A JPEG of a kilobyte may say that it has 65,535 x 65,535 pixels, and decoding it then takes twelve gigabytes.
"""

from __future__ import annotations

import re
from typing import Any

import cv2

#: No camera at a table has more pixels, width times height; larger pictures are not decoded.
MOST_PIXELS = 70_000_000

#: The frame headers of JPEG, which hold height and width (ITU-T T.81, table B.1): SOF0 to SOF15 without DHT, JPG, DAC.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
#: Markers without a length: TEM, RST0 to RST7, SOI.
_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
#: No picture has more markers before it begins.
_MOST_MARKERS = 10_000
#: A marker: any number of fill bytes, and what it is (B.1.1.2). A camera writes one fill byte; some files have 20 MB.
_MARKER = re.compile(rb"\xff+([^\xff])")
_PNG = b"\x89PNG\r\n\x1a\n"


def size_px(content: bytes) -> tuple[int, int] | None:
    """Return the width and height that a JPEG or PNG says it has; None for anything else, or if it does not say.

    >>> size_px(bytes.fromhex("89504e470d0a1a0a 0000000d 49484452 00000280 000001e0"))
    (640, 480)
    """
    if content.startswith(_PNG):
        return _numbers(content, 16, 4) if content[12:16] == b"IHDR" and len(content) >= 24 else None
    return _jpeg_size_px(content) if content.startswith(b"\xff\xd8") else None


def is_sane(content: bytes) -> bool:
    """Whether it is a JPEG or PNG with a sane number of pixels; only decoding tells whether it is complete."""
    size = size_px(content)
    return size is not None and 0 < size[0] * size[1] <= MOST_PIXELS


def _jpeg_size_px(content: bytes) -> tuple[int, int] | None:
    """Return what the largest frame header says: a decoder may go on to a second one, past a damaged part."""
    largest, at = None, 2
    content = content.rstrip(b"\xff")  # so that every run of fill bytes ends in a marker
    for _ in range(_MOST_MARKERS):
        match = _MARKER.search(content, at)
        if match is None or match.end() + 7 > len(content):
            return largest
        marker, at = match[1][0], match.end() - 2
        if marker in _FRAMES:
            height, width = _numbers(content, at + 5, 2)
            if largest is None or width * height > largest[0] * largest[1]:
                largest = width, height
        if marker == 0xDA and largest is not None:
            return largest  # the picture itself begins
        length = int.from_bytes(content[at + 2 : at + 4], "big")
        at += 2 if marker in _BARE or marker == 0x00 else 2 + max(2, length)
    return None


def _numbers(content: bytes, at: int, size: int) -> tuple[int, int]:
    return int.from_bytes(content[at : at + size], "big"), int.from_bytes(content[at + size : at + 2 * size], "big")


#: Even at 60, the reader reads a photograph as it read the camera's own, in a third of the bytes of the best quality.
QUALITY = 85


def jpeg(image: Any, quality: int = QUALITY, most_px: int | None = None) -> bytes:
    """Return the picture (H, W, 3), BGR, shrunk to `most_px` in width if it is wider, as the bytes of a JPEG.

    Raises ValueError for anything but a picture.
    """
    try:
        if most_px is not None and image.shape[1] > most_px:
            scale = most_px / image.shape[1]
            image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        done, encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    except cv2.error as error:
        raise ValueError(f"this is not a picture: {error}") from None
    if not done:
        raise ValueError("this picture cannot be made a JPEG")
    return bytes(encoded.tobytes())
