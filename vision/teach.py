"""What this table's components look like, learnt from photographs that a person confirmed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.board import BadInputError, Color, HexBoard, Reading, Road, Settlement, Tile, Workshop
from vision.crowds import WorkshopArt, teach_workshop_art
from vision.cubes import CubeColors, evenly, find_cubes, likeness, likeness_in_haze, teach_cubes
from vision.exemplars import Exemplars, Lesson
from vision.flatten import SIDE_PX, Floats, window
from vision.grounds import Grounds, teach_grounds
from vision.look import BoardLook, normalised, teach_look
from vision.lookalikes import Lookalikes, teach_lookalikes
from vision.lying import WorkshopFaces, teach_workshop_faces
from vision.masks import hexagon
from vision.patches import cut, levels_of
from vision.roads import RoadLooks, teach_roads
from vision.roundness import Roundness, teach_roundness
from vision.samples import halved, samples, tones
from vision.settlements import SettlementLooks, teach_settlements
from vision.strips import StripLooks, teach_strips
from vision.tiles import Mask, TileLooks, teach_tiles
from vision.tracks import MarkerLooks, Tracks, teach_markers
from vision.usual import Usual, teach_usual
from vision.workshops import WorkshopLooks, teach_workshops

#: A cube and its side faces hide what lies within this distance, in cell sides.
_COVERS_CELLS = 0.36
#: From so far beside a cube, in flat pixels, its place is painted over.
_BESIDE_PX = 4
#: How like its colour a cube's top is, where it is known to lie.
_SURE_LIKE = 0.5


@dataclass(frozen=True)
class Taught:
    """All that the reader knows of a table's components."""

    look: BoardLook
    cubes: CubeColors
    roads: RoadLooks
    strips: StripLooks
    tiles: TileLooks
    settlements: SettlementLooks
    workshops: WorkshopLooks
    markers: MarkerLooks
    lookalikes: Lookalikes
    roundness: Roundness
    workshop_art: WorkshopArt
    workshop_faces: WorkshopFaces
    usual: Usual
    grounds: Grounds
    exemplars: Exemplars

    @property
    def board(self) -> HexBoard:
        """The board that was taught."""
        return self.look.board


@dataclass(frozen=True)
class _Shown:
    """What a photograph of components shows: each cell's tile, sample and mask of what cubes cover, and more."""

    tiles: Sequence[tuple[Tile | None, Floats, Mask]]
    lookalikes: Lookalikes
    lesson: Lesson

    @classmethod
    def of(cls, tone: Floats, truth: Reading, cubes: CubeColors, board: HexBoard) -> _Shown:
        # One after the other: the sums for a whole picture are large.
        like = {color: likeness(tone, CubeColors({color: top}))[color] for color, top in cubes.tones.items()}
        even = {
            color: evenly(likeness_in_haze(tone, CubeColors({color: top})), tone)[color]
            for color, top in cubes.tones.items()
        }
        covering = _covered(tone, like, even, truth)
        covered = samples(halved(covering), board) > 0.3
        patches = samples(halved(tone), board)
        tiles = [
            (truth.contents(cell).tile, patch, mask)
            for cell, patch, mask in zip(board.cells, patches, covered, strict=True)
        ]
        lesson = _lesson(tone, covering, truth, board)
        return cls(tiles, teach_lookalikes(like, even, covering, truth), lesson)


def _lesson(tone: Floats, covering: Floats, truth: Reading, board: HexBoard) -> Lesson:
    """Return the picture as the learnt nets see it; what cubes cover is painted over from what lies beside."""
    levels = cv2.inpaint(levels_of(tone), (covering > 0).astype(np.uint8), _BESIDE_PX, cv2.INPAINT_TELEA)
    tiles = {cell: tile for cell in board.cells if (tile := truth.contents(cell).tile) is not None}
    inside = hexagon(SIDE_PX)
    hidden = {cell: float(window(covering, cell.centre, SIDE_PX)[inside].mean()) for cell in tiles}
    return Lesson(np.asarray(levels, np.uint8), tiles, hidden)


def teach(
    empty: Floats,
    empty_truth: Reading,
    shown: Floats,
    shown_truth: Reading,
    tracks: Tracks,
    more: Sequence[tuple[Floats, Reading]] = (),
) -> Taught:
    """Return what flat pictures of the empty board and of the components teach.

    `more` are further pictures of tiles, each with what lies there: cubes and markers are learnt from `shown` alone.
    Raises BadInputError where no road, no settlement or no cube of any colour is shown.
    """
    look = teach_look(empty, empty_truth)
    board = look.board
    tone = tones(normalised(shown, look))
    cubes = teach_cubes(tone, tones(look.logs), shown_truth)
    if not cubes.tones:
        wrong = "teaching shows no cube on a bare cell; lay one of each colour on cells without a tile"
        raise BadInputError(wrong, "no-cube")
    pictures = (tone, *(tones(normalised(picture, look)) for picture, _ in more))
    truths = (shown_truth, *(truth for _, truth in more))
    shows = [_Shown.of(picture, truth, cubes, board) for picture, truth in zip(pictures, truths, strict=True)]
    tiles = [tile for show in shows for tile in show.tiles]
    roads = [(tile, patch, mask) for tile, patch, mask in tiles if isinstance(tile, Road)]
    large = [(tile, patch, mask) for tile, patch, mask in tiles if isinstance(tile, Settlement | Workshop)]
    for kind, code, found in (("road tile", "no-road", roads), ("settlement or workshop", "no-settlement", large)):
        if not found:
            raise BadInputError(f"teaching shows no {kind}; lay one of each kind anywhere on the board", code)
    road_looks, large_looks = teach_roads(roads), teach_tiles(large)
    strips = teach_strips(roads, road_looks)
    settlements = teach_settlements(
        [(tile, patch, mask) for tile, patch, mask in large if isinstance(tile, Settlement)]
    )
    return Taught(
        look,
        cubes,
        road_looks,
        strips,
        large_looks,
        settlements,
        teach_workshops([(tile, patch, mask) for tile, patch, mask in large if isinstance(tile, Workshop)]),
        teach_markers(tone, tones(look.logs), tracks, shown_truth),
        Lookalikes.joined(show.lookalikes for show in shows),
        teach_roundness([(tile, patch) for tile, patch, _ in tiles if tile is not None]),
        teach_workshop_art([(tile, patch) for tile, patch, _ in tiles], cubes),
        teach_workshop_faces(tone, shown_truth),
        teach_usual(roads, strips, large, large_looks),
        teach_grounds(road_looks, settlements),
        Exemplars.of([show.lesson for show in shows], cut(look.levels, board.cells), cubes.tones),
    )


def _covered(tone: Floats, plain: Mapping[Color, Floats], even: Mapping[Color, Floats], truth: Reading) -> Floats:
    """Return a flat picture that is 1 where a cube is known to hide what lies below; on settlements by `even` maps."""
    covered, middle = np.zeros(tone.shape[:2], np.float32), len(tone) // 2
    for cell in truth.cells:
        tile, merchants = truth.contents(cell).tile, truth.contents(cell).merchants
        maps = even if isinstance(tile, Settlement) else plain
        known: dict[Color, Floats] = {
            color: window(maps[color], cell.centre, SIDE_PX) for color in merchants if color in maps
        }
        if not known:
            continue
        left = dict(merchants.counts)
        for cube in find_cubes(known, cell, None):
            if left[cube.color] and cube.likeness > _SURE_LIKE:
                left[cube.color] -= 1
                right, down = cube.place_px
                cv2.circle(covered, (middle + right, middle + down), round(_COVERS_CELLS * SIDE_PX), 1.0, -1)
    return covered
