"""What this table's components look like: learnt from photographs that a person confirmed, and during play.

Exemplars that grow during play are tiles known from games, as they look on this table today. They are used alongside
the taught ones, a few of each tile, and may be kept for the next evening.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zipfile import BadZipFile

import cv2
import numpy as np

from calibration.align import align
from calibration.follow import BoardLost, Follower
from calibration.table import TableFolder
from calibration.view import BoardView
from companion.board import BadInputError, Color, HexBoard, Reading, Road, Settlement, Tile, Workshop, by_hexagon
from companion.board.notation import tile_from_json, tile_to_json
from vision.board.layout import BoardLook, in_even_light, teach_look, without_lost
from vision.board.tracks import MarkerLooks, Tracks, teach_markers
from vision.cubes.cubes import CubeColors, Kind, Lookalikes, evenly, find_cubes, likeness, likeness_in_haze, lookalikes
from vision.cubes.teach import teach_cubes
from vision.cubes.tones import Counting
from vision.light.flatten import SIDE_PX, Flat, Floats, Image, extent_of, hexagon, tones, window
from vision.light.gain import logarithm
from vision.light.glare import MirroredLamp
from vision.light.veil import Veil
from vision.tiles.exemplars import TURNS, Embedded, Exemplars, TaughtPicture, plain_turn, turned
from vision.tiles.left_out import temperature
from vision.tiles.patches import PATCH_PX, Levels, cut, finer, in_tones, in_turns

#: This many examples of one tile are kept, however it is turned.
MOST_OF_A_TILE = 3


@dataclass(frozen=True, eq=False)
class Example:
    """A tile that was on the table: `patch` (PATCH_PX, PATCH_PX, 3) shows it as it was, `looks` in all six turns."""

    tile: Tile
    patch: Levels
    looks: Embedded


class Growing:
    """A table's exemplars: those that were taught, and examples of the same tiles from games. One thread owns it."""

    def __init__(self, taught: Exemplars) -> None:
        self.exemplars = self._taught = taught
        self._examples: list[Example] = []

    @property
    def examples(self) -> Sequence[Example]:
        """The examples that are kept, the oldest first."""
        return tuple(self._examples)

    def add(self, tile: Tile, patch: Levels) -> None:
        """Take an example; the newest one of each tile is kept, and of the others those most unlike each other."""
        self._add(tile, patch)
        self.exemplars = with_examples(self._taught, self._examples)

    def to_bytes(self) -> bytes:
        """Return the examples as a file that `read` takes."""
        tiles = json.dumps([tile_to_json(one.tile) for one in self._examples])
        patches = np.array([one.patch for one in self._examples], np.uint8).reshape(-1, PATCH_PX, PATCH_PX, 3)
        file = io.BytesIO()
        np.savez_compressed(file, tiles=tiles, patches=patches, taught=self._taught_by())
        return file.getvalue()

    def read(self, content: bytes) -> None:
        """Take an earlier evening's examples; raises BadInputError if they are from another set-up, or damaged."""
        try:
            with np.load(io.BytesIO(content)) as file:
                tiles, patches, taught = json.loads(str(file["tiles"])), file["patches"], str(file["taught"])
            known = [tile_from_json(one, "an example") for one in tiles]
        except (OSError, EOFError, ValueError, TypeError, KeyError, BadZipFile):
            raise BadInputError("these are not examples of tiles, or damaged ones; the file may be removed") from None
        if taught != self._taught_by():
            raise BadInputError("these examples are of another set-up of the table; the file may be removed")
        if patches.dtype != np.uint8 or patches.shape != (len(known), PATCH_PX, PATCH_PX, 3):
            raise BadInputError(f"examples of shape {patches.shape}; {len(known)} patches were expected")
        for tile, patch in zip(known, patches, strict=True):
            if tile is not None:
                self._add(tile, patch)
        self.exemplars = with_examples(self._taught, self._examples)

    def _add(self, tile: Tile, patch: Levels) -> None:
        new = Example(tile, patch, self._taught.embedded(in_tones(in_turns(patch, TURNS))))
        kept = [*self._examples, new]
        same = [one for one in kept if plain_turn(one.tile) == plain_turn(tile)]
        if len(same) > MOST_OF_A_TILE:
            points = np.array([one.looks.points[0] for one in same])
            likeness = points @ points.T - 2 * np.eye(len(same))
            gone = same[int(likeness[:-1].max(axis=1).argmax())]
            kept = [one for one in kept if one is not gone]
        self._examples = kept

    def _taught_by(self) -> str:
        """Return what distinguishes this set-up's taught tiles from any other's."""
        return hashlib.sha256(self._taught.patches.tobytes()).hexdigest()


def with_examples(taught: Exemplars, examples: Sequence[Example]) -> Exemplars:
    """Return a table's exemplars with examples beside the taught ones."""
    if not examples:
        return taught
    more = np.concatenate([in_turns(one.patch, TURNS) for one in examples])
    grown = replace(
        taught,
        tiles=taught.tiles + tuple(turned(one.tile, turn) for one in examples for turn in TURNS),
        patches=np.concatenate([taught.patches, more]),
        hidden=np.concatenate([taught.hidden, np.zeros(len(more), np.float32)]),
        covers=np.concatenate([taught.covers, np.zeros(more.shape[:3], np.uint8)]),
    )
    # The looks of the taught ones are not computed again, and each was taught as often as before.
    grown.__dict__["looks"] = Embedded.joined([taught.looks, *(one.looks for one in examples)])
    grown.__dict__["copies"] = taught.copies
    return grown


#: A cube and its side faces hide everything within this distance, in cell sides.
_COVERS_CELLS = 0.36
#: The place of a cube is painted over from what is up to this far around it, in fine flat pixels.
_BESIDE_PX = 5
#: A cube's top is at least this close to its colour at a place where one is known to be.
_SURE_LIKE = 0.5
#: One in this many bare cells without cubes is used to show whether cubes are seen where there are none.
_ONE_IN = 3


@dataclass(frozen=True)
class Taught:
    """Everything that the reader knows of a table's components; `lamp` is what its board mirrors."""

    look: BoardLook
    cubes: CubeColors
    markers: MarkerLooks
    lookalikes: Lookalikes
    exemplars: Exemplars
    lamp: MirroredLamp | None = None

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
    *,
    as_measured: bool = False,
) -> Taught:
    """Return what flat pictures of the empty board and of the components teach.

    `more` are further pictures of tiles, each with what is on it: cubes and markers are learnt from `shown` alone.
    Tones of cubes are those with which what is shown is counted best or, `as_measured`, those that are seen, which is a
    few seconds faster. Raises BadInputError if no road, no settlement or no cube of any colour is shown.
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
    exemplars = Exemplars.of(photographs, cut(look.levels, board.cells), cubes)
    if not as_measured:
        exemplars = _counted_best(exemplars, levels, look, shown_truth)
    return Taught(look, cubes, teach_markers(tone, tones(look.logs), tracks, shown_truth), likest, exemplars)


def _counted_best(exemplars: Exemplars, levels: Levels, look: BoardLook, truth: Reading) -> Exemplars:
    """Return the exemplars as the nets err least on a flat picture of which it is known what it shows.

    These are the tones of cubes and the factors by which they count best, and how sure to be of settlements.
    """
    contents = {cell: truth.contents(cell) for cell in look.board.cells}
    tiles = [cell for cell, lies in contents.items() if lies.tile is not None]
    without = [cell for cell, lies in contents.items() if lies.tile is None]
    others = [cell for k, cell in enumerate(without) if contents[cell].merchants or k % _ONE_IN == 0]
    of_tiles, of_others, bare = (
        cut(one, at)[:, 0] for one, at in ((levels, tiles), (levels, others), (look.levels, others))
    )
    counting = Counting.of(exemplars, of_tiles, of_others, bare)
    known = [contents[cell] for cell in (*tiles, *others)]
    cubes = counting.best_tones(known)
    counted = replace(exemplars, cubes=cubes, factors=counting.factors(cubes, known))
    return replace(counted, temperature=temperature(counted, look))


def _covered(tone: Floats, plain: Mapping[Color, Floats], even: Mapping[Color, Floats], truth: Reading) -> Floats:
    """Return a flat picture that is 1 where a known cube hides the art below; `even` maps find it on settlements."""
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


def learn(folder: TableFolder) -> tuple[Taught, Follower[BoardView]]:
    """Return what a table's set-up photographs teach, and what finds its board in others.

    Raises BadInputError if one is missing or broken, or does not show the board or the components.
    """
    setup = folder.setup
    assert isinstance(setup.board, HexBoard), "a reader of boards of hexagons"
    empty, ground = folder.load_empty()
    try:
        clicks, rings = by_hexagon(setup.clicks), setup.board.rings
        view = align(empty, clicks, rings, setup.tracks, setup.lens, confirmed=setup.confirmed, as_clicked=True)
    except BadInputError as error:
        raise BadInputError(f"{folder.empty_photo}: {error}") from None
    follower = Follower.of(empty, view, setup.tracks, setup.fiducials)
    extent = extent_of(rings, setup.tracks)
    lamp = MirroredLamp.of(empty, view, ground, extent)

    def without_lamp(image: Image, at: BoardView) -> Image:
        return image if lamp is None else lamp.taken_off(image, at)

    def pieces_seen(photo: Path, image: Image) -> Flat:
        at = follower.follow(image)
        if isinstance(at, BoardLost):
            raise BadInputError(f"{photo}: {at.why}; photograph the components on the same board")
        dull = without_lamp(image, at)
        flat = Flat.of(dull, at, extent)
        veil = Veil.seen(logarithm(flat.light), logarithm(bare.light), rings)
        return flat if veil is None else Flat.of(veil.taken_off(dull, at), at, extent)

    bare = Flat.of(without_lamp(empty, view), view, extent)
    photos = zip(folder.teach_photos, folder.load_teaches(), strict=True)
    (shown, pieces), *more = [(pieces_seen(photo, image), truth) for photo, (image, truth) in photos]
    taught = teach(bare, ground, shown, pieces, setup.tracks, more)
    if lamp is not None:
        taught = replace(taught, lamp=lamp, look=without_lost(taught.look, lamp.veiled))
    return taught, follower
