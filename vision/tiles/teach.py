"""What this table's components look like, learnt from photographs that a person confirmed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.follow import BoardLost, Follower
from calibration.table import TableFolder
from calibration.view import BoardView
from companion.board import BadInputError, Color, HexBoard, Reading, Road, Settlement, Workshop, by_hexagon
from vision.board.look import BoardLook, in_even_light, teach_look
from vision.board.tracks import MarkerLooks, Tracks, teach_markers
from vision.cubes.cubes import CubeColors, Kind, Lookalikes, evenly, find_cubes, likeness, likeness_in_haze, lookalikes
from vision.cubes.teach import teach_cubes
from vision.light.flatten import SIDE_PX, Flat, Floats, hexagon, window
from vision.light.samples import tones
from vision.tiles.exemplars import Exemplars, TaughtPicture
from vision.tiles.patches import Levels, cut, finer

#: A cube and its side faces hide everything within this distance, in cell sides.
_COVERS_CELLS = 0.36
#: The place of a cube is painted over from this far beside it, in fine flat pixels.
_BESIDE_PX = 5
#: A cube's top is at least this like its colour at a place where one is known to be.
_SURE_LIKE = 0.5


@dataclass(frozen=True)
class Taught:
    """Everything that the reader knows of a table's components."""

    look: BoardLook
    cubes: CubeColors
    markers: MarkerLooks
    lookalikes: Lookalikes
    exemplars: Exemplars

    @property
    def board(self) -> HexBoard:
        """The board that was taught."""
        return self.look.board


def _painted_over(levels: Levels, covering: Floats, truth: Reading, board: HexBoard) -> TaughtPicture:
    """Return the picture as the learnt nets see it; cubes are painted over from their surroundings."""
    covers = np.where(finer(covering) > 0, 255, 0).astype(np.uint8)
    painted = cv2.inpaint(levels, covers, _BESIDE_PX, cv2.INPAINT_TELEA)
    tiles = {cell: tile for cell in board.cells if (tile := truth.contents(cell).tile) is not None}
    inside = hexagon(SIDE_PX)
    hidden = {cell: float(window(covering, cell.centre, SIDE_PX)[inside].mean()) for cell in tiles}
    return TaughtPicture(np.asarray(painted, np.uint8), tiles, hidden, covers)


def teach(
    empty: Flat,
    empty_truth: Reading,
    shown: Flat,
    shown_truth: Reading,
    tracks: Tracks,
    more: Sequence[tuple[Flat, Reading]] = (),
) -> Taught:
    """Return what flat pictures of the empty board and of the components teach.

    `more` are further pictures of tiles, each with what is on it: cubes and markers are learnt from `shown` alone.
    Raises BadInputError if no road, no settlement or no cube of any colour is shown.
    """
    look = teach_look(empty.light, empty_truth, empty.fine)
    board = look.board
    tone, levels = in_even_light(shown, look)
    cubes = teach_cubes(tone, tones(look.logs), shown_truth)
    if not cubes:
        wrong = "teaching shows no cube on a bare cell; lay one of each colour on cells without a tile"
        raise BadInputError(wrong, "no-cube")
    pictures = ((tone, levels), *(in_even_light(picture, look) for picture, _ in more))
    truths = (shown_truth, *(truth for _, truth in more))
    likest: dict[Kind, dict[Color, float]] = {}
    photographs: list[TaughtPicture] = []
    for (shown_tone, shown_levels), truth in zip(pictures, truths, strict=True):
        like, even = dict[Color, Floats](), dict[Color, Floats]()
        # One colour after the other: the sums for a whole picture are large.
        for color, top in cubes.items():
            like |= likeness(shown_tone, {color: top})
            even |= evenly({color: likeness_in_haze(shown_tone, top)}, shown_tone)
        covering = _covered(shown_tone, like, even, truth)
        for ground, color, alike in lookalikes(like, even, covering, truth):
            of_ground = likest.setdefault(ground, {})
            of_ground[color] = max(alike, of_ground.get(color, 0.0))
        photographs.append(_painted_over(shown_levels, covering, truth, board))
    tiles = [tile for one in photographs for tile in one.tiles.values()]
    for kind, code, kinds in (
        ("road tile", "no-road", Road),
        ("settlement or workshop", "no-settlement", Settlement | Workshop),
    ):
        if not any(isinstance(tile, kinds) for tile in tiles):
            raise BadInputError(f"teaching shows no {kind}; lay one of each kind anywhere on the board", code)
    return Taught(
        look,
        cubes,
        teach_markers(tone, tones(look.logs), tracks, shown_truth),
        likest,
        Exemplars.of(photographs, cut(look.levels, board.cells), cubes),
    )


def _covered(tone: Floats, plain: Mapping[Color, Floats], even: Mapping[Color, Floats], truth: Reading) -> Floats:
    """Return a flat picture that is 1 where a known cube hides the art below; on settlements by the `even` maps."""
    covered, middle = np.zeros(tone.shape[:2], np.float32), len(tone) // 2
    for cell in by_hexagon(truth.cells):
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


def load_lessons(folder: TableFolder, follower: Follower[BoardView], extent: float) -> list[tuple[Flat, Reading]]:
    """Return flat pictures of teach.jpg, teach-2.jpg and so on, each with what is on it.

    Raises BadInputError if one is missing or broken, or does not show the board.
    """
    lessons = []
    for photo, (shown, truth) in zip(folder.teach_photos, folder.load_teaches(), strict=True):
        view = follower.follow(shown)
        if isinstance(view, BoardLost):
            raise BadInputError(f"{photo}: {view.why}; photograph the components on the same board")
        lessons.append((Flat.of(shown, view, extent), truth))
    return lessons
