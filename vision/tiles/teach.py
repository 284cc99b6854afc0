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
from vision.cubes.cubes import CubeColors, Lookalikes, evenly, find_cubes, likeness, likeness_in_haze, teach_lookalikes
from vision.cubes.teach import teach_cubes
from vision.light.flatten import SIDE_PX, Flat, Floats, window
from vision.light.masks import hexagon
from vision.light.samples import tones
from vision.tiles.exemplars import Exemplars, Lesson
from vision.tiles.patches import Levels, cut, finer

#: A cube and its side faces hide what lies within this distance, in cell sides.
_COVERS_CELLS = 0.36
#: From so far beside a cube, in fine flat pixels, its place is painted over.
_BESIDE_PX = 5
#: How like its colour a cube's top is, where it is known to lie.
_SURE_LIKE = 0.5


@dataclass(frozen=True)
class Taught:
    """All that the reader knows of a table's components."""

    look: BoardLook
    cubes: CubeColors
    markers: MarkerLooks
    lookalikes: Lookalikes
    exemplars: Exemplars

    @property
    def board(self) -> HexBoard:
        """The board that was taught."""
        return self.look.board


@dataclass(frozen=True)
class _Shown:
    """What a photograph of components shows: its tiles as the learnt nets see them, and what on them is like cubes."""

    lookalikes: Lookalikes
    lesson: Lesson

    @classmethod
    def of(cls, tone: Floats, levels: Levels, truth: Reading, cubes: CubeColors, board: HexBoard) -> _Shown:
        # One after the other: the sums for a whole picture are large.
        like = {color: likeness(tone, CubeColors({color: top}))[color] for color, top in cubes.tones.items()}
        even = {
            color: evenly(likeness_in_haze(tone, CubeColors({color: top})), tone)[color]
            for color, top in cubes.tones.items()
        }
        covering = _covered(tone, like, even, truth)
        return cls(teach_lookalikes(like, even, covering, truth), _lesson(levels, covering, truth, board))


def _lesson(levels: Levels, covering: Floats, truth: Reading, board: HexBoard) -> Lesson:
    """Return the picture as the learnt nets see it; what cubes cover is painted over from what lies beside."""
    covers = np.where(finer(covering) > 0, 255, 0).astype(np.uint8)
    painted = cv2.inpaint(levels, covers, _BESIDE_PX, cv2.INPAINT_TELEA)
    tiles = {cell: tile for cell in board.cells if (tile := truth.contents(cell).tile) is not None}
    inside = hexagon(SIDE_PX)
    hidden = {cell: float(window(covering, cell.centre, SIDE_PX)[inside].mean()) for cell in tiles}
    return Lesson(np.asarray(painted, np.uint8), tiles, hidden, covers)


def teach(
    empty: Flat,
    empty_truth: Reading,
    shown: Flat,
    shown_truth: Reading,
    tracks: Tracks,
    more: Sequence[tuple[Flat, Reading]] = (),
) -> Taught:
    """Return what flat pictures of the empty board and of the components teach.

    `more` are further pictures of tiles, each with what lies there: cubes and markers are learnt from `shown` alone.
    Raises BadInputError where no road, no settlement or no cube of any colour is shown.
    """
    look = teach_look(empty.light, empty_truth, empty.fine)
    board = look.board
    tone, levels = in_even_light(shown, look)
    cubes = teach_cubes(tone, tones(look.logs), shown_truth)
    if not cubes.tones:
        wrong = "teaching shows no cube on a bare cell; lay one of each colour on cells without a tile"
        raise BadInputError(wrong, "no-cube")
    pictures = ((tone, levels), *(in_even_light(picture, look) for picture, _ in more))
    truths = (shown_truth, *(truth for _, truth in more))
    shows = [_Shown.of(*picture, truth, cubes, board) for picture, truth in zip(pictures, truths, strict=True)]
    tiles = [tile for show in shows for tile in show.lesson.tiles.values()]
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
        Lookalikes.joined(show.lookalikes for show in shows),
        Exemplars.of([show.lesson for show in shows], cut(look.levels, board.cells), cubes.tones),
    )


def _covered(tone: Floats, plain: Mapping[Color, Floats], even: Mapping[Color, Floats], truth: Reading) -> Floats:
    """Return a flat picture that is 1 where a cube is known to hide what lies below; on settlements by `even` maps."""
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
    """Return flat pictures of teach.jpg, teach-2.jpg and so on, each with what lies there.

    Raises BadInputError where one is missing or broken, or the board is not found in it.
    """
    lessons = []
    for photo, (shown, truth) in zip(folder.teach_photos, folder.load_teaches(), strict=True):
        view = follower.follow(shown)
        if isinstance(view, BoardLost):
            raise BadInputError(f"{photo}: {view.why}; photograph the components on the same board")
        lessons.append((Flat.of(shown, view, extent), truth))
    return lessons
