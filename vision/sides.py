"""Whether edges have two sides: a shadow's goes all round it or to the picture's end, that of a mere patch stops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.straight import Crests, Edge

Mask = NDArray[np.bool_]

#: How far to each side of an edge, in pixels, its sides are looked up.
_ASIDE_PX = 4
#: An edge has two sides where it has them on this share of its length.
_LEAST_SHARE = 0.5


class Sides:
    """The regions into which edges, and what is not seen, divide a picture."""

    def __init__(self, found: Crests, edges: Sequence[Edge], is_light: Mask, side_px: float, gap_px: int = 1) -> None:
        """`gap_px`: across a gap of up to twice so many pixels an edge still divides."""
        between = np.zeros(is_light.shape, np.uint8)
        between[found.rows, found.columns] = 1
        middle = (np.array(is_light.shape[::-1]) - 1) / 2
        for edge in edges:
            start, end = (np.rint(edge.point(at) * side_px + middle).astype(int) for at in (edge.start, edge.end))
            cv2.line(between, start.tolist(), end.tolist(), 1)
        between = np.where(is_light, cv2.dilate(between, np.ones((2 * gap_px + 1,) * 2, np.uint8)), 1).astype(np.uint8)
        self._regions = cv2.connectedComponents(1 - between, connectivity=4)[1]
        self._middle, self._side_px = middle, side_px

    def of(self, edge: Edge) -> bool:
        """Return whether a straight edge has two."""
        along = np.arange(edge.start, edge.end, 1.5 / self._side_px)
        x, y = edge.point(along[:, None]).T * self._side_px + self._middle[:, None]
        rows, columns = len(self._regions), self._regions.shape[1]
        inside = (x >= 0) & (y >= 0) & (x <= columns - 1) & (y <= rows - 1)
        differ, known = self._differ(y[inside], x[inside], *edge.normal)
        return bool(differ.sum() > _LEAST_SHARE * max(int(known.sum()), 1))

    def of_lines(self, found: Crests, line: NDArray[np.int32], count: int, least_share: float = _LEAST_SHARE) -> Mask:
        """Return which of so many lines have two, on that share of them, given the line to which each crest belongs."""
        differ, known = self._differ(found.rows, found.columns, np.cos(found.angles), np.sin(found.angles))
        most = np.maximum(np.bincount(line, known, count), 1)
        return np.asarray(np.bincount(line, differ, count) > least_share * most)

    def _differ(
        self, rows: NDArray[Any], columns: NDArray[Any], across: ArrayLike, below: ArrayLike
    ) -> tuple[Mask, Mask]:
        """Return where the regions on both sides differ, and where both are known."""
        sides = []
        for aside in (-_ASIDE_PX, _ASIDE_PX):
            row = np.clip(np.rint(rows + aside * np.asarray(below)), 0, len(self._regions) - 1).astype(int)
            column = np.clip(np.rint(columns + aside * np.asarray(across)), 0, self._regions.shape[1] - 1).astype(int)
            sides.append(self._regions[row, column])
        known = (sides[0] > 0) & (sides[1] > 0)
        return known & (sides[0] != sides[1]), known
