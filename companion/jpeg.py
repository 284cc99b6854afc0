"""Pictures as JPEG."""

from __future__ import annotations

from typing import Any

import cv2

#: At 60 the reader still reads a photograph as it read the camera's own; a third of the room of the best quality.
QUALITY = 85


def jpeg(image: Any, quality: int = QUALITY, most_px: int | None = None) -> bytes:
    """Return the picture (H, W, 3), BGR, so wide at the most, as the bytes of a JPEG.

    Raises ValueError for what is no picture.
    """
    try:
        if most_px is not None and image.shape[1] > most_px:
            scale = most_px / image.shape[1]
            image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        done, encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    except cv2.error as error:
        raise ValueError(f"this is no picture: {error}") from None
    if not done:
        raise ValueError("this picture cannot be made a JPEG")
    return bytes(encoded.tobytes())
