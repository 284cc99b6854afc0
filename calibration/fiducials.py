"""Printed markers on the frame's corners: if most of them are seen, they tell at once where the board is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Generic, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import Points
from calibration.table import Fiducials
from calibration.view import AnyView, homography_between

#: How far from its expected place a marker is looked for, in cell sides. If the board is pushed by 30 px (a side has
#: 36) and turned by 3 degrees, its farthest corner moves by 1.9.
_NEAR_CELLS = 2.5
#: A marker is usually where it was: it is first looked for this near.
_AT_ONCE_CELLS = 0.5
#: The least length of a marker's outline, as a share of the longer side of a picture (OpenCV's own choice), and of the
#: larger or smaller part round one marker, where it is 0.9 or 2.4. Anything smaller there is grain.
_LEAST_OF_PICTURE, _LEAST_OF_PART, _LEAST_AT_ONCE = 0.03, 0.4, 1.05
#: The corners of markers that stayed in place agree with a view within this, in cell sides: 1.8 px of 36.
_AGREE_CELLS = 0.05
#: This many markers must agree: with two, one that was pushed aside would not be noticed.
_ENOUGH = 3


@dataclass(frozen=True)
class Markers(Generic[AnyView]):
    """The markers as they were when the board was aligned: for each number its four corners (4, 2), in cell sides.

    `view` is where the board was then.
    """

    fiducials: Fiducials
    view: AnyView
    corners_cells: Mapping[int, Points]

    @classmethod
    def of(cls, image: NDArray[np.uint8], view: AnyView, fiducials: Fiducials) -> Markers[AnyView]:
        """Return the markers seen in the picture (H, W, 3) of the board in that view."""
        corners_px = find_markers(image, fiducials)
        return cls(fiducials, view, {number: view.to_board(corners) for number, corners in corners_px.items()})

    def seen_near(self, image: NDArray[np.uint8], near: AnyView) -> Mapping[int, Points]:
        """Return the markers seen at or near their places in `near`: by number where their corners are in `view`."""
        corners_px, side_px = {}, near.side_px
        for number, cells in self.corners_cells.items():
            at = near.to_image(cells)
            for reach, least in ((_AT_ONCE_CELLS, _LEAST_AT_ONCE), (_NEAR_CELLS, _LEAST_OF_PART)):
                part, first = _round(image, at, reach * side_px)
                corners = find_markers(part, self.fiducials, least).get(number) if part.size else None
                if corners is not None:
                    corners_px[number] = corners + first
                    break
        if not corners_px:
            return {}
        lie = self.view.to_board(np.concatenate(list(corners_px.values()))).reshape(-1, 4, 2)
        return dict(zip(corners_px, lie, strict=True))

    def pushed(self, lie: Mapping[int, Points]) -> AnyView | None:
        """Return the view of a pushed board, if three markers or more agree on the push.

        All of them must agree, or all but one that was moved on the frame. Only pushes are tried: an arbitrary motion
        of the camera, eight numbers, would explain moved markers too.
        """
        for count in (len(lie), len(lie) - 1):
            for chosen in combinations(lie, count) if count >= _ENOUGH else ():
                before = np.concatenate([self.corners_cells[number] for number in chosen])
                after = np.concatenate([lie[number] for number in chosen])
                push = _rigid(before, after)
                off = before @ push[:2, :2].T + push[:2, 2] - after
                if np.linalg.norm(off, axis=1).max() < _AGREE_CELLS:
                    return self._moved(push)
        return None

    def about(self, lie: Mapping[int, Points]) -> AnyView | None:
        """Return about where the board is, however board and camera moved, from two markers or more; else None."""
        if len(lie) < 2:
            return None
        before = np.concatenate([self.corners_cells[number] for number in lie])
        motion = homography_between(before, np.concatenate(list(lie.values())))
        return None if motion is None else self._moved(motion)

    def seen_anywhere(self, image: NDArray[np.uint8]) -> Mapping[int, Points]:
        """Return like `seen_near` the markers seen anywhere in the picture."""
        # At half its size a picture is searched in an eighth of the time; small markers need the full size.
        for shrunk in (2, 1):
            height, width = image.shape[:2]
            small = cv2.resize(image, (width // shrunk, height // shrunk), interpolation=cv2.INTER_AREA)
            corners_px = find_markers(small.astype(np.uint8, copy=False), self.fiducials)
            lie = {
                number: self.view.to_board((corners + 0.5) * shrunk - 0.5)
                for number, corners in corners_px.items()
                if number in self.corners_cells
            }
            if len(lie) > 1:
                return lie
        return {}

    def _moved(self, motion: NDArray[np.float64]) -> AnyView | None:
        homography = np.asarray(self.view.homography) @ motion
        if abs(homography[2, 2]) < 1e-12:
            return None
        view = self.view.moved(homography)
        return view if view.is_plausible else None


def _rigid(before: Points, after: Points) -> NDArray[np.float64]:
    """Return the turn and shift (3, 3) that bring points (N, 2) nearest to where they are after (least squares)."""
    middle, there = before.mean(axis=0), after.mean(axis=0)
    p, q = before - middle, after - there
    turn = np.arctan2((p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]).sum(), (p * q).sum())
    c, s = np.cos(turn), np.sin(turn)
    motion = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    motion[:2, 2] = there - motion[:2, :2] @ middle
    return motion


def find_markers(
    image: NDArray[np.uint8], fiducials: Fiducials, least: float = _LEAST_OF_PICTURE
) -> Mapping[int, Points]:
    """Return each of the table's markers seen in the picture (H, W, 3): its four corners (4, 2) in pixels.

    `least`: the least length of a marker's outline, as a share of the picture's longer side.
    """
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    corners, seen_numbers, _ = _detector(fiducials.dictionary, least).detectMarkers(gray)
    # OpenCV's types leave out that it returns None for nothing.
    numbers = cast("NDArray[np.int32] | None", seen_numbers)
    if numbers is None:
        return {}
    markers = zip(map(int, numbers.ravel()), corners, strict=True)
    return {number: np.asarray(outline[0], np.float64) for number, outline in markers if number in fiducials.ids}


@cache
def _detector(dictionary: str, least: float) -> cv2.aruco.ArucoDetector:
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    settings.minMarkerPerimeterRate = least
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary)), settings)


def _round(image: NDArray[np.uint8], points_px: Points, reach_px: float) -> tuple[NDArray[np.uint8], Points]:
    """Return the part of a picture within reach of the points (N, 2), and its first pixel's place (right, down)."""
    height, width = image.shape[:2]
    first = np.clip(np.floor(points_px.min(axis=0) - reach_px), 0, (width, height)).astype(int)
    last = np.clip(np.ceil(points_px.max(axis=0) + reach_px) + 1, 0, (width, height)).astype(int)
    part = image[first[1] : last[1], first[0] : last[0]]
    return np.ascontiguousarray(part), first.astype(np.float64)
