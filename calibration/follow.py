"""From photograph to photograph: the view after the camera was nudged or the board pushed.

The frame round the board is followed as it looks from above. It stays the same while tiles and pieces change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.grid import EdgeLook, clearest_look
from calibration.lens import Points
from calibration.refine import refine
from calibration.seeking import Markers
from calibration.table import Fiducials
from calibration.view import AnyView, PlaneView, Point, homography_between
from companion.board import Color

Gray = NDArray[np.uint8]

#: Half the usual length of a cell's side in a 1640 x 1232 picture: any finer, and noise costs more than the detail is
#: worth.
_SIDE_PX = 18.0
#: How far beyond the frame the flat picture reaches, in cell sides: a pushed board must not leave it.
_MARGIN_CELLS = 1.5
#: At most this many features in each of 14 x 14 fields of the frame.
_FIELDS, _PER_FIELD = 14, 2
#: Two places look alike if evenly lit pixels differ by less than this on average. On the shared tables nearly all frame
#: features that really are the same do (95 of 100 are below 13), and 4 of 5 others do not.
_ALIKE = 16.0
_NO_MAP = np.zeros(0, np.float32)
#: Pixels of the square that a feature is compared over.
_WINDOW_PX = 15


@dataclass(frozen=True, slots=True)
class FlatFrame:
    """The rectangle of the board plane that is looked at: a square that reaches `half_cells` to all sides."""

    half_cells: float

    @property
    def corner_cells(self) -> float:
        """The place of the flat picture's first pixel, right and down alike."""
        return -self.half_cells - _MARGIN_CELLS

    def to_board(self, points_px: NDArray[np.float32]) -> Points:
        """Return flat pixels (N, 2) in cell sides."""
        return np.asarray(np.asarray(points_px, dtype=np.float64) / _SIDE_PX + self.corner_cells)

    def flatten(self, half_image: Gray, view: PlaneView) -> Gray:
        """Return the board from straight above, evenly lit; `half_image` is the picture in grey at half its size."""
        first, last = self.corner_cells, -self.corner_cells
        # The second map is empty: the first holds both, which OpenCV's types do not know.
        flat = cv2.remap(half_image, view.flatten_map(_SIDE_PX, first, first, last, last, 2), _NO_MAP, cv2.INTER_LINEAR)
        return evenly_lit(flat.astype(np.uint8, copy=False))


def half_size(image: NDArray[np.uint8]) -> Gray:
    """Return a picture (H, W, 3) in grey at half its size."""
    height, width = image.shape[:2]
    small = cv2.resize(image, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.uint8, copy=False)


def evenly_lit(gray: Gray) -> Gray:
    """Return the picture without light and shadow: each pixel against the mean and spread of its neighbourhood."""
    size = (31, 31)
    values = gray.astype(np.float32)
    mean = cv2.blur(values, size)
    spread = cv2.sqrt(np.maximum(cv2.blur(values * values, size) - mean * mean, 0))
    # 4 of 255 is about the noise of a dim photograph: anything that varies less is left flat.
    return cv2.convertScaleAbs((values - mean) / (spread + np.float32(4)) * np.float32(40) + np.float32(128)).astype(
        np.uint8, copy=False
    )


def frame_features(flat: Gray, frame: FlatFrame, view: PlaneView) -> NDArray[np.float32]:
    """Return the flat picture's corners (N, 1, 2) that lie on the frame, spread over it."""
    size = flat.shape[0]
    axis = frame.to_board(np.arange(size, dtype=np.float32))
    x, y = np.meshgrid(axis, axis)
    on_frame = view.is_clear_of_cells(x, y) & (np.maximum(np.abs(x), np.abs(y)) < frame.half_cells)
    mask = np.where(on_frame, 255, 0).astype(np.uint8)
    corners = cv2.goodFeaturesToTrack(flat, 1500, 0.02, 5, mask=mask, blockSize=5)
    features = cast("NDArray[np.float32] | None", corners)  # None if there are none: OpenCV's types do not say so
    if features is None:
        return np.zeros((0, 1, 2), np.float32)
    # They come best first: keep the first few of each field.
    numbers = (features[:, 0] * _FIELDS / size).astype(int) @ (1, _FIELDS)
    kept = [index for number in np.unique(numbers) for index in np.flatnonzero(numbers == number)[:_PER_FIELD]]
    return np.ascontiguousarray(features[sorted(kept)], dtype=np.float32)


def tracked(
    reference: Gray, flat: Gray, features: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return where the features (N, 1, 2) of one flat picture are in another (N, 2), and which look alike there."""
    moved, is_tracked, difference = cv2.calcOpticalFlowPyrLK(
        reference, flat, features, features.copy(), winSize=(_WINDOW_PX, _WINDOW_PX), maxLevel=3
    )
    alike = (is_tracked[:, 0] > 0) & (difference[:, 0] < _ALIKE)
    return np.asarray(moved[:, 0], np.float32), np.asarray(alike)


#: From a day track's middle line to the frame's outer edge, in cell sides (a field's half and the printed border).
_BEYOND_TRACK_CELLS = 1.1

#: A feature agrees with a view within this, in cell sides: 1.8 px of 36.
_AGREE_CELLS = 0.05
#: The first guess may be off by this much.
_START_CELLS = 0.1
#: Fewer features, or a smaller share of all, prove nothing: in pictures without a board the share is 0.05 at most.
_AGREE_LEAST, _AGREE_SHARE = 16, 0.25
#: With this share there is no need to look elsewhere. A frame given a half or a quarter turn, so that its day tracks
#: fall on one another, reaches 0.5. A frame in full view reaches 0.75 or more, one with an arm over it seldom less than
#: 0.6.
_SURE_SHARE = 0.6
#: The features that agree must span this part of the frame's area, or the far side of the board could swing freely.
_SPAN_SHARE = 0.3
#: If nothing moved by more than this, a second look would find the same: 1 px of 36.
_STILL_CELLS = 0.03
#: How far the grid's edges are looked for once the frame is found, in cell sides.
_GRID_REACHES = (0.1, 0.08)


@dataclass(frozen=True, slots=True)
class BoardLost:
    """The board was not found again; `why` in words."""

    why: str


@dataclass(frozen=True, slots=True)
class _MatchedView(Generic[AnyView]):
    """A view, the share of the frame's features that agree with it, and how far the farthest of these has moved."""

    view: AnyView
    share: float
    moved_cells: float


def _share(view: _MatchedView[AnyView] | BoardLost) -> float:
    return view.share if isinstance(view, _MatchedView) else 0.0


@dataclass(frozen=True)
class Follower(Generic[AnyView]):
    """The frame as it looked when the board was aligned, to find the board again in other photographs.

    It has no memory of photographs: every view is judged against the reference, so that errors do not add up.
    """

    view: AnyView
    frame: FlatFrame
    flat: Gray
    half: Gray
    features: NDArray[np.float32]
    markers: Markers[AnyView] | None
    look: EdgeLook

    @classmethod
    def of(
        cls,
        image: NDArray[np.uint8],
        view: AnyView,
        tracks: Mapping[Color, tuple[Point, Point]] | None = None,
        fiducials: Fiducials | None = None,
    ) -> Follower[AnyView]:
        """Return the follower of the board that has this view in this picture (H, W, 3).

        `tracks`, as in TableSetup, say how far the frame reaches; `fiducials` are found faster than the frame's print.
        """
        tracks_reach = float(np.abs(list(tracks.values())).max()) + _BEYOND_TRACK_CELLS if tracks else None
        frame, half = FlatFrame(tracks_reach or view.frame_cells), half_size(image)
        flat = frame.flatten(half, view)
        features = frame_features(flat, frame, view)
        markers = Markers.of(image, view, fiducials) if fiducials else None
        look, _ = clearest_look(image, view)
        return cls(view, frame, flat, half, features, markers, look)

    def follow(self, image: NDArray[np.uint8], near: AnyView | None = None) -> AnyView | BoardLost:
        """Return where the board is in another photograph of the same camera.

        `near`: the last known view, by default the reference's own; the board is looked for there first, then
        everywhere.
        """
        if (image.shape[1], image.shape[0]) != self.view.size_px:
            return BoardLost(f"the photograph has {image.shape[1]} x {image.shape[0]} pixels, not {self.view.size_px}")
        framed = self._framed(image, near or self.view)
        if isinstance(framed, BoardLost):
            return framed
        # The frame and the six pieces in it are separate: the pieces lie a little off in the frame, and a push moves
        # both.
        try:
            return refine(image, framed, self.look, _GRID_REACHES, held=True)
        except np.linalg.LinAlgError:
            return BoardLost("the board's grid is not seen within its frame")

    def _framed(self, image: NDArray[np.uint8], near: AnyView) -> AnyView | BoardLost:
        """Return where the frame is: by its markers, if three agree on a push, or by its print."""
        start = near
        if self.markers:
            lie = self.markers.seen_near(image, near)
            pushed = self.markers.pushed(lie)
            if pushed is not None:
                return pushed
            start = self.markers.about(lie) or near
        half = half_size(image)
        best = self._settled(half, start)
        for elsewhere in self._elsewhere(image, half, start):
            if _share(best) >= _SURE_SHARE:
                break
            best = max(best, self._settled(half, elsewhere), key=_share)
        return best if isinstance(best, BoardLost) else best.view

    def _elsewhere(self, image: NDArray[np.uint8], half: Gray, start: AnyView) -> Iterator[AnyView]:
        """Yield other places for the board: where it was aligned, as its markers show, where anything looks alike."""
        if start != self.view:
            yield self.view
        marked = self.markers.about(self.markers.seen_anywhere(image)) if self.markers else None
        if marked is not None:
            yield marked
        alike = self._looking_alike(half)
        if alike is not None and (alike_view := self.view.moved(alike)).is_plausible:
            yield alike_view

    def _settled(self, half: Gray, view: AnyView) -> _MatchedView[AnyView] | BoardLost:
        """Return the view after two looks, the second from where the first found the board, if that is elsewhere."""
        first = self._matched(half, view)
        if isinstance(first, BoardLost) or first.moved_cells < _STILL_CELLS:
            return first
        return self._matched(half, first.view)

    def _matched(self, half: Gray, view: AnyView) -> _MatchedView[AnyView] | BoardLost:
        if len(self.features) < _AGREE_LEAST:
            return BoardLost("the frame round the board has too little print to be followed")
        moved, alike = tracked(self.flat, self.frame.flatten(half, view), self.features)
        board = self.frame.to_board(self.features[alike, 0])
        lies = self.frame.to_board(moved[alike])
        # Both are in the board plane of the old view: the motion between them is that of the board.
        motion = _motion(board, lies) if len(board) >= _AGREE_LEAST else None
        if motion is None:
            return BoardLost("the frame round the board is not seen, or looks otherwise")
        moved_view = view.moved(np.asarray(view.homography) @ motion)
        if not moved_view.is_plausible:
            return BoardLost("what agrees best is not a view that a camera could have")
        moved_to = cv2.perspectiveTransform(board[None], motion)[0]
        left = np.linalg.norm(moved_to - lies, axis=1)
        agree = left < _AGREE_CELLS
        board, looked_for = board[agree], len(self.features)
        if len(board) < max(_AGREE_LEAST, _AGREE_SHARE * looked_for):
            return BoardLost(f"only {len(board)} of {looked_for} marks of the frame round the board agree on a place")
        span = cv2.contourArea(cv2.convexHull(board.astype(np.float32)))
        if span < _SPAN_SHARE * (2 * self.frame.half_cells) ** 2:
            return BoardLost("only a corner of the frame round the board is seen")
        moved_cells = float(np.linalg.norm(moved_to[agree] - board, axis=1).max())
        return _MatchedView(moved_view, len(board) / looked_for, moved_cells)

    def _looking_alike(self, half: Gray) -> NDArray[np.float64] | None:
        orb = cv2.ORB.create(1500)
        outline = self.view.to_image(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * self.frame.half_cells)
        mask = cv2.fillConvexPoly(np.zeros_like(self.half), np.round(outline / 2).astype(np.int32), 255)
        points, looks = orb.detectAndCompute(self.half, mask)
        others, other_looks = orb.detectAndCompute(half, None)
        if looks is None or other_looks is None or len(points) < _AGREE_LEAST or len(others) < _AGREE_LEAST:
            return None
        pairs = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(looks, other_looks)
        board = self.view.to_board([2 * np.array(points[p.queryIdx].pt) + 0.5 for p in pairs])
        lies = self.view.lens.undistort([2 * np.array(others[p.trainIdx].pt) + 0.5 for p in pairs])
        if len(pairs) < _AGREE_LEAST:
            return None
        return homography_between(board, lies, cv2.RANSAC, 4.0)


def _motion(before: Points, after: Points) -> NDArray[np.float64] | None:
    """Return the homography that takes most points (N, 2) to their later places, or None.

    The first one fits many points roughly. Then comes robust least squares over all points, ever stricter: a homography
    through the few points that agree best would bend away over those that a hand hides.
    """
    start = homography_between(before, after, cv2.RANSAC, _START_CELLS)
    if start is None:
        return None
    motion = start
    # Coordinates are scaled to about 1, so that the eight numbers weigh alike.
    size = float(np.abs(before).max())
    scale = np.diag([size, size, 1.0])
    motion = np.linalg.inv(scale) @ motion @ scale
    p, q = before / size, after / size
    ones, none = np.ones(len(p)), np.zeros((len(p), 3))
    for spread in (0.08, 0.08, 0.05, 0.05, 0.05, 0.05):
        straight = np.column_stack([p, ones]) @ motion.T
        w = straight[:, 2:]
        moved = straight[:, :2] / w
        row = np.column_stack([p, ones]) / w
        jacobian = np.concatenate(
            [
                np.column_stack([row, none, -moved[:, :1] * p / w]),
                np.column_stack([none, row, -moved[:, 1:] * p / w]),
            ]
        )
        residual = (q - moved).T.ravel()
        distance = np.linalg.norm(q - moved, axis=1) * size / spread
        weight = np.tile(1 / (1 + distance**2) ** 2, 2)
        normal = jacobian.T @ (weight[:, None] * jacobian) + 1e-9 * np.eye(8)
        change = np.linalg.solve(normal, jacobian.T @ (weight * residual))
        motion = motion + np.append(change, 0.0).reshape(3, 3)
    return np.asarray(scale @ motion @ np.linalg.inv(scale), np.float64)
