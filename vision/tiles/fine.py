"""A photograph as the learnt nets see it: cells cut out of it finely, in even light, each only if it is asked about.

People lay tiles by hand, a little off the middle of the cell and turned. Both nets compare what is at the same place in
two patches, so a tile that lies an eighth of a cell side off its place looks less like its taught copy than it should,
all the more as that copy does not lie straight either. So a cell in doubt is looked at as if its tile lay elsewhere,
and taken to lie where the embedding finds it most like a taught tile (`poses_of`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from calibration.view import BoardView, FlatMap
from companion.board import HexCell, Tile
from vision.light.flatten import FINE_PX, SIDE_PX, Floats, Image, mapped
from vision.memory import Memory
from vision.tiles.exemplars import Embedded, Exemplars, Told
from vision.tiles.patches import PATCH_CELLS, PATCH_PX, STRAIGHT, Levels, Pose, cut_about, evened, in_tones

#: The patches of no more cells than this are cut faster from the surroundings of each than from a flat picture of all.
#: Pixels farther beyond a patch than the second change nothing in it, or than the third if it is cut at an angle.
_FEW, _AROUND_PX, _AROUND_TURNED_PX = 32, 4, 16
#: Beside the nearest place so far a tile is looked for in six directions, this many cell sides off, and turned both
#: ways by this many degrees; then again, in smaller steps.
_STEPS = ((0.12, 6.0), (0.07, 4.0), (0.04, 2.0))
#: A tile lies straight unless another pose is nearer by the first (as the cosine of an angle). Each further step has to
#: gain the second.
_NEARER, _YET_NEARER = 0.01, 0.002


@dataclass(frozen=True)
class Fine:
    """A photograph as the learnt nets see it, made on demand.

    `made` are the cells asked about so far, `told` what looking at them side by side with others said, `changes` how
    many cubes came and went on them. `poses` are those of tiles that lie askew: their cells are cut accordingly.
    """

    image: Image
    view: BoardView
    extent: float
    gain: Floats
    exemplars: Exemplars
    poses: dict[HexCell, Pose] = field(default_factory=dict)
    made: dict[HexCell, Embedded] = field(default_factory=dict)
    told: dict[HexCell, Told] = field(default_factory=dict)
    changes: dict[HexCell, Floats] = field(default_factory=dict)
    _cut: dict[HexCell, Levels] = field(default_factory=dict)

    def patches(self, cells: Sequence[HexCell]) -> Levels:
        """Return cells, at least one, as patches of levels (n, PATCH_PX, PATCH_PX, 3), each cut only once."""
        new = [cell for cell in dict.fromkeys(cells) if cell not in self._cut]
        for together in [new] if len(new) > _FEW else [[cell] for cell in new]:
            posed = [(cell, self.poses.get(cell, STRAIGHT)) for cell in together]
            self._cut.update(zip(together, self._patches(posed), strict=True))
        return np.array([self._cut[cell] for cell in cells])

    def tried(self, cell: HexCell, poses: Sequence[Pose]) -> Levels:
        """Return the patches of a cell whose tile may lie like this, (poses, PATCH_PX, PATCH_PX, 3)."""
        return self._patches([(cell, pose) for pose in poses])

    def lay(self, cell: HexCell, pose: Pose) -> None:
        """Take a cell's tile to lie like this from now on: whatever was seen of it otherwise is forgotten."""
        self.poses[cell] = pose
        if pose == STRAIGHT:
            del self.poses[cell]
        for known in (self.made, self.told, self.changes, self._cut):
            known.pop(cell, None)

    def of(self, cells: Sequence[HexCell]) -> Embedded:
        """Return some cells, at least one, as the nets see them."""
        new = [cell for cell in cells if cell not in self.made]
        if new:
            embedded = self.exemplars.embedded(in_tones(self.patches(new)))
            self.made.update((cell, embedded[place : place + 1]) for place, cell in enumerate(new))
            if len(new) == len(cells):
                return embedded
        return Embedded.joined([self.made[cell] for cell in cells])

    @cached_property
    def _map(self) -> FlatMap:
        return self.view.flat_map(FINE_PX, -self.extent, -self.extent, self.extent, self.extent)

    def _patches(self, posed: Sequence[tuple[HexCell, Pose]]) -> Levels:
        """Return cells' patches, cut from the part of the board around them, seen from above in even light."""
        middles = np.array([pose.middle(cell) for cell, pose in posed]) * FINE_PX + self.extent * FINE_PX
        reach = PATCH_PX // 2 + (_AROUND_TURNED_PX if any(pose.degrees for _, pose in posed) else _AROUND_PX)
        # The light is SIDE_PX to a cell side: three of its pixels are four fine ones.
        first = (np.floor((middles.min(axis=0) - reach) / 4) * 4).astype(int)
        last = (np.ceil((middles.max(axis=0) + reach) / 4) * 4).astype(int)
        columns, rows = (slice(*ends) for ends in zip(first.tolist(), last.tolist(), strict=True))
        lit = tuple(slice(*(at * SIDE_PX // FINE_PX for at in (one.start, one.stop))) for one in (rows, columns))
        part = evened(mapped(self.image, self._map.part(rows, columns)), self.gain[lit])
        patches = np.empty((len(posed), PATCH_PX, PATCH_PX, 3), np.uint8)
        for (_, pose), (right, down), patch in zip(posed, (middles - first).tolist(), patches, strict=True):
            cut_about(part, (right, down), PATCH_CELLS / PATCH_PX * FINE_PX, pose.degrees / 60, patch)
        return patches


def keep_clean(memory: Memory, fine: Fine) -> None:
    """Keep the looks of tiles without cubes, if they were not seen without cubes before."""
    tiles = {
        cell: tile
        for cell, tile in memory.clean_tiles.items()
        if tile is not None and memory.clean_patches.get(cell, (None,))[0] != tile
    }
    if tiles:
        seen = fine.of(tuple(tiles))
        # Copies, because views would keep all that was seen with them in memory too.
        memory.clean_patches |= {cell: (tile, seen[[place]]) for place, (cell, tile) in enumerate(tiles.items())}


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
