"""Pictures as JPEG."""

from __future__ import annotations

from typing import Any

import cv2

#: At 60 the reader still reads a photograph as it read the camera's own; a third of the room of the best quality.
QUALITY = 85


def jpeg(image: Any) -> bytes:
    """Return the picture (H, W, 3), BGR, as the bytes of a JPEG; raises ValueError for what is no picture."""
    try:
        done, encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    except cv2.error as error:
        raise ValueError(f"this is no picture: {error}") from None
    if not done:
        raise ValueError("this picture cannot be made a JPEG")
    return bytes(encoded.tobytes())
