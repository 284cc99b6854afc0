"""How tiles lie in their cells: people lay them by hand, a little off the middle and turned.

Both nets compare what is at the same place in two patches, so a tile that lies an eighth of a cell side off its place
looks less like its taught copy than it should; that copy does not lie straight either. So a cell in doubt is looked at
as if its tile lay elsewhere, and taken to lie where the embedding finds it most like any taught tile.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from companion.board import HexCell, Tile
from vision.light.flatten import Floats
from vision.tiles.fine import Fine
from vision.tiles.patches import STRAIGHT, Pose, in_tones

#: Beside the nearest place so far a tile is looked for in six directions, this many cell sides off, and turned both
#: ways by this many degrees; then again, in smaller steps.
_STEPS = ((0.12, 6.0), (0.07, 4.0), (0.04, 2.0))
#: A tile lies straight unless another pose is nearer by the first (as the cosine of an angle). Each further step has to
#: gain the second.
_NEARER, _YET_NEARER = 0.01, 0.002


def poses_of(fine: Fine, wanted: Mapping[HexCell, Tile | None]) -> dict[HexCell, Pose]:
    """Return how tiles on some cells of a photograph lie; those that lie straight are left out.

    `wanted` says which tile is looked for on each cell; None: whichever fits best.
    """
    names, looks = fine.exemplars.tiles, fine.exemplars.looks.points
    if not names or not wanted:
        return {}
    fitting = np.array([[tile is None or name == tile for name in names] for tile in wanted.values()])
    allowed = dict(zip(wanted, fitting, strict=True))

    def nearest(cells: Sequence[HexCell], points: Floats) -> Floats:
        """Return how near points (cells x poses, dimensions) are to a look that is wanted there, (cells, poses)."""
        near = (points @ looks.T).reshape(len(cells), -1, len(looks))
        wanted_looks = np.array([allowed[cell] for cell in cells])[:, None]
        return np.asarray(np.where(wanted_looks, near, -1.0).max(axis=2), np.float32)

    left = list(wanted)
    straight = nearest(left, fine.of(left).points)[:, 0].tolist()
    best = {cell: (near + _NEARER, STRAIGHT) for cell, near in zip(left, straight, strict=True)}
    for cells_off, degrees in _STEPS:
        around = {cell: _around(best[cell][1], cells_off, degrees) for cell in left}
        patches = [fine.tried(cell, poses) for cell, poses in around.items()]
        points = fine.exemplars.embedded(in_tones(np.concatenate(patches))).points
        for (cell, poses), near in zip(around.items(), nearest(left, points).tolist(), strict=True):
            nearness, pose = max(zip(near, poses, strict=True), key=lambda one: one[0])
            if nearness > best[cell][0]:
                best[cell] = nearness + _YET_NEARER, pose
        left = [cell for cell in left if best[cell][1] != STRAIGHT]
        if not left:
            break
    return {cell: best[cell][1] for cell in left}


def _around(pose: Pose, cells_off: float, degrees: float) -> list[Pose]:
    """Return the poses beside one: moved in six directions, and turned both ways."""
    angles = [math.radians(60 * sixth) for sixth in range(6)]
    moved = [
        Pose(pose.right + cells_off * math.cos(angle), pose.down + cells_off * math.sin(angle), pose.degrees)
        for angle in angles
    ]
    return moved + [Pose(pose.right, pose.down, pose.degrees + turn) for turn in (-degrees, degrees)]
