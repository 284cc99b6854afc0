"""Printed markers on the frame's corners: they say at once where a moved board lies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import Points
from calibration.table import Fiducials


def find_markers(image: NDArray[np.uint8], fiducials: Fiducials) -> Mapping[int, Points]:
    """Return each of the table's markers seen in the picture: its four corners (4, 2) in pixels."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, fiducials.dictionary))
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    corners, seen_numbers, _ = cv2.aruco.ArucoDetector(dictionary, settings).detectMarkers(image)
    # OpenCV's types leave out that it returns None for nothing.
    numbers = cast("NDArray[np.int32] | None", seen_numbers)
    if numbers is None:
        return {}
    found = zip(map(int, numbers.ravel()), corners, strict=True)
    return {number: np.asarray(seen[0], np.float64) for number, seen in found if number in fiducials.ids}
