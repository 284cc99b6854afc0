"""A picture of the logbook, cut and made small for a page."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from companion.drawing.seen import Box
from companion.system.pictures import is_sane, jpeg

#: A picture on a page is so high at the most.
HEIGHT_PX = 900

#: A small cut-out is made so many times larger at the most.
MOST_ENLARGED = 3.0

QUALITY = 80

#: No picture of ours is larger; what is cannot be one.
MOST_BYTES = 48 * 1024**2

#: Beyond the picture's edge.
_DARK = (32, 28, 26)


def cut_out(path: Path, box: Box, width_px: int) -> bytes | None:
    """Return what of the picture lies in the box as JPEG, so wide at the most; None where it cannot be read."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        content = path.read_bytes()
        if not is_sane(content):
            return None
        image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    except (OSError, cv2.error):
        return None
    if image is None:
        return None
    cut = _cut(image, box)
    height, width = cut.shape[:2]
    scale = min(width_px / width, HEIGHT_PX / height, MOST_ENLARGED)
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    shown = cv2.resize(cut, (max(1, round(width * scale)), max(1, round(height * scale))), interpolation=way)
    return jpeg(shown, QUALITY)


def _cut(image: cv2.typing.MatLike, box: Box) -> cv2.typing.MatLike:
    """Return what lies in the box, dark where it reaches beyond the picture."""
    left, top, width, height = box
    high, wide = image.shape[:2]
    shown = np.full((height, width, 3), _DARK, np.uint8)
    a, b, c, d = max(0, left), max(0, top), min(wide, left + width), min(high, top + height)
    if a < c and b < d:
        shown[b - top : d - top, a - left : c - left] = image[b:d, a:c]
    return shown
