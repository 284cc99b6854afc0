"""A photograph as the learnt nets see it: cells cut out of it finely, in even light, each only if it is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from calibration.view import BoardView, FlatMap
from companion.board import HexCell
from vision.light.flatten import FINE_PX, SIDE_PX, Floats, Image, mapped
from vision.memory import Memory
from vision.tiles.exemplars import Embedded, Exemplars, Told
from vision.tiles.patches import PATCH_CELLS, PATCH_PX, STRAIGHT, Levels, Pose, cut_about, evened, in_tones

#: The patches of no more cells than this are cut faster from the surroundings of each than from a flat picture of all.
#: Pixels farther beyond a patch than the second change nothing in it, or than the third if it is cut at an angle.
_FEW, _AROUND_PX, _AROUND_TURNED_PX = 32, 4, 16


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
