"""Photographs of components: several put together into one, as a table's folder keeps it, and what is hard to read.

Before that, each photograph may be read again by what it teaches itself, comparing no piece with its own example. What
was just taught shows what looks alike, what its reader still misreads, and which merchants can hardly be distinguished
from each other, or from printed art, under this light. For tiles, vision/tiles/selftest.py does this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import BoardView, Follower
from companion.board import BARE, BadInputError, Color, Contents, HexCell, Reading, SettlementType, Terrain, by_hexagon
from companion.board.reading import CellReading
from companion.setup.comparing import Counts
from companion.setup.components import Component, Kind, on_cell
from companion.setup.piles import Piles
from companion.setup.road_colors import RoadGroups
from vision.board.layout import BoardLook
from vision.board.tracks import Tracks
from vision.cubes.cubes import likeness
from vision.light.flatten import SIDE_PX, Floats, Image, extent_cells, flatten, levels, linear
from vision.light.gain import gain_logs, logarithm
from vision.reader import Reader
from vision.tiles.selftest import SelfTest
from vision.tiles.teach import Taught

Points = NDArray[np.float64]

#: A cell is copied this much larger than it is, to take in whatever stands on it and its shadow.
_GROWN = 1.06
#: Half a day track's width, in cell sides.
_TRACK_CELLS = 0.75


@dataclass(frozen=True)
class Lesson:
    """A photograph of components: where the board is in it, and what is on the board, as far as it teaches.

    `corrected` are the cells that a person put right, `named` those whose tile they gave, `told` those whose merchants
    they gave. `piles` are what looks alike on it, `roads` its roads by colour, `counts` what its merchants were counted
    with. `doubts` are what each cell may be, and how likely that is compared with the likeliest (a logarithm).
    """

    image: Image
    view: BoardView
    reading: Reading
    corrected: frozenset[HexCell] = frozenset()
    named: frozenset[HexCell] = frozenset()
    told: frozenset[HexCell] = frozenset()
    piles: Piles | None = None
    roads: RoadGroups | None = None
    counts: Counts | None = None
    doubts: Mapping[HexCell, Mapping[str, float]] = field(default_factory=dict)

    @property
    def lying(self) -> tuple[HexCell, ...]:
        """The cells on which something lies."""
        return tuple(cell for cell, read in by_hexagon(self.reading.cells).items() if read.contents != BARE)


def together(lessons: Sequence[Lesson], look: BoardLook, tracks: Tracks) -> Lesson:
    """Return one lesson that shows all that those do; if two have something on the same cell, one goes to a free cell.

    Nothing goes to a site. Merchants on bare ground go only to a cell of the same terrain, as the ground shows under
    them. Raises BadInputError if there is no such cell left.
    """
    if not lessons:
        raise BadInputError("no photograph shows any component; photograph one to three of them", "nothing-shown")
    whole = lessons[0]
    for lesson in lessons[1:]:
        whole = _joined(whole, lesson, look, tracks)
    return whole


def without(lesson: Lesson, component: Component, empty: Lesson, look: BoardLook, tracks: Tracks) -> Lesson:
    """Return the lesson without a component's samples: the empty board shows where they were."""
    cells = [cell for cell in lesson.lying if component in on_cell(lesson.reading.contents(cell))]
    paste = _Paste(lesson, empty, look)
    read = dict(lesson.reading.cells)
    for cell in cells:
        paste.cell(cell, cell)
        read[cell] = replace(read[cell], contents=BARE)
    fields = dict(lesson.reading.tracks)
    if component.kind is Kind.MARKER:
        color = Color(component.which)
        fields[color] = None
        if color in tracks:
            paste.track(tracks[color])
    return replace(lesson, image=paste.image, reading=replace(lesson.reading, cells=read, tracks=fields))


def _joined(whole: Lesson, more: Lesson, look: BoardLook, tracks: Tracks) -> Lesson:
    paste = _Paste(whole, more, look)
    read, fields = dict(whole.reading.cells), dict(whole.reading.tracks)
    taken = {cell for lesson in (whole, more) for cell in lesson.lying}
    for cell in more.lying:
        target = cell if read[cell].contents == BARE else _elsewhere(cell, more.reading.contents(cell), taken, look)
        taken.add(target)
        paste.cell(cell, target)
        read[target] = CellReading(more.reading.contents(cell), look.terrain.get(target), target in look.sites)
    for color, track in tracks.items():
        if (field := more.reading.tracks.get(color)) is not None:
            paste.track(track)
            fields[color] = field
    return replace(whole, image=paste.image, reading=replace(whole.reading, cells=read, tracks=fields))


def _elsewhere(cell: HexCell, contents: Contents, taken: Iterable[HexCell], look: BoardLook) -> HexCell:
    free = [other for other in look.board.cells if other not in set(taken) and other not in look.sites]
    if contents.tile is None:
        free = [other for other in free if look.terrain.get(other) is look.terrain.get(cell)]
    if not free:
        wrong = f"there is no room left for what lies on {cell}; lay fewer things, one of each is enough"
        raise BadInputError(wrong, "no-room", cell=cell)
    return min(free, key=lambda other: (cell.distance(other), str(other)))


class _Paste:
    """Copies parts of one photograph into a copy of another, in the other's light."""

    def __init__(self, into: Lesson, source: Lesson, look: BoardLook) -> None:
        self.image = into.image.copy()
        self._into, self._source = into, source
        self._extent = extent_cells(look.logs)
        self._light = tuple(
            gain_logs(logarithm(flatten(one.image, one.view, self._extent)), look.logs, look.board.rings)
            for one in (into, source)
        )

    def cell(self, source: HexCell, target: HexCell) -> None:
        """Copy what lies on a cell to another, or the same."""
        hexagon = np.array(HexCell(0, 0).outline) * _GROWN
        self._part(np.array(target.centre) + hexagon, np.subtract(source.centre, target.centre))

    def track(self, ends: tuple[tuple[float, float], tuple[float, float]]) -> None:
        """Copy a day track with what stands on it."""
        first, last = np.array(ends[0]), np.array(ends[1])
        along = (last - first) / max(float(np.linalg.norm(last - first)), 1e-6)
        across = np.array([-along[1], along[0]])
        along, across = along * _TRACK_CELLS, across * _TRACK_CELLS
        corners = [first - along - across, last + along - across, last + along + across, first - along + across]
        self._part(np.array(corners), np.zeros(2))

    def _part(self, outline: Points, shift: Points) -> None:
        """Copy into an outline (N, 2) of the board plane what is `shift` away from it in the source, in cell sides."""
        height, width = self.image.shape[:2]
        corners = self._into.view.to_image(outline)
        left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
        right, bottom = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 1, (width, height))
        if right <= left or bottom <= top:
            return
        x, y = np.meshgrid(np.arange(left, right), np.arange(top, bottom))
        plane = self._into.view.to_board(np.stack([x, y], axis=-1).reshape(-1, 2))
        source = self._source.view.to_image(plane + shift).astype(np.float32).reshape(*x.shape, 2)
        image, none = self._source.image, np.zeros(0, np.float32)
        part = cv2.remap(image, source, none, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        gain = self._at(self._light[0], outline.mean(axis=0)) - self._at(self._light[1], outline.mean(axis=0) + shift)
        light = linear(np.asarray(part, dtype=np.uint8)) * np.exp(gain).astype(np.float32)
        mask = np.zeros(x.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(corners - (left, top)).astype(np.int32), 1)
        np.copyto(self.image[top:bottom, left:right], levels(light), where=mask.astype(bool)[..., None])

    def _at(self, light: NDArray[np.float32], point: Points) -> NDArray[np.float32]:
        half = SIDE_PX // 2
        column, row = (round(float(value + self._extent) * SIDE_PX) for value in point)
        here = light[max(row - half, 0) : row + half, max(column - half, 0) : column + half]
        return np.asarray(here.reshape(-1, 3).mean(axis=0))


#: How like another colour's a cube's top is, or a tile's own art like a cube (both 0 to 1), when they are confused.
_CUBES_ALIKE, _ART_ALIKE = 0.2, 0.75
#: Anything darker than this tone is too dark to show its colour; hues nearer than this (logarithms) are one hue.
_DARK, _ONE_HUE = 0.3, 0.25


class Remedy(StrEnum):
    """What would help."""

    MORE_LIGHT = "more-light"
    WHITER_LAMP = "whiter-lamp"
    OTHER_CUBES = "other-cubes"


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two things that look alike; `alike` is 1 if they can only just be told apart, and more if it is worse.

    `other` is a component, or a terrain.
    """

    one: Component
    other: Component | Terrain
    alike: float
    remedy: Remedy


def doubts(taught: Taught) -> tuple[Doubt, ...]:
    """Return what can hardly be told apart on a table that was taught this way, the worst first."""
    doubted = [*_cubes(taught), *_art(taught)]
    return tuple(sorted(doubted, key=lambda doubt: -doubt.alike))


def _cubes(taught: Taught) -> Iterator[Doubt]:
    side = 2 * SIDE_PX
    for one, other in combinations(taught.cubes, 2):
        tops = taught.cubes[one], taught.cubes[other]
        alike = max(
            float(likeness(np.full((side, side, 3), tops[k], np.float32), {one: tops[1 - k]})[one].max())
            for k in (0, 1)
        )
        if alike > _CUBES_ALIKE:
            remedy = _remedy_for(*tops)
            yield Doubt(_cube(one), _cube(other), alike / _CUBES_ALIKE, remedy)


def _art(taught: Taught) -> Iterator[Doubt]:
    for kind, likest in taught.lookalikes.items():
        for color, alike in likest.items():
            if alike > _ART_ALIKE:
                tile = Kind.SETTLEMENT if isinstance(kind, SettlementType) else Kind.WORKSHOP
                on = kind if isinstance(kind, Terrain) else Component(tile, kind.value)
                dark = float(taught.cubes[color].mean()) < _DARK
                yield Doubt(_cube(color), on, alike / _ART_ALIKE, Remedy.MORE_LIGHT if dark else Remedy.OTHER_CUBES)


def _remedy_for(one: Floats, other: Floats) -> Remedy:
    """Return more light if both are dark, a whiter lamp if they differ only in brightness, else other cubes."""
    if max(float(one.mean()), float(other.mean())) < _DARK:
        return Remedy.MORE_LIGHT
    logs = np.log(np.maximum(one, 0.05)), np.log(np.maximum(other, 0.05))
    hues = [log - log.mean() for log in logs]
    return Remedy.WHITER_LAMP if float(np.linalg.norm(hues[0] - hues[1])) < _ONE_HUE else Remedy.OTHER_CUBES


def _cube(color: Color) -> Component:
    return Component(Kind.CUBE, color.value)


@dataclass(frozen=True, slots=True)
class Judged:
    """What can hardly be told apart, and what the reader misreads although it was just taught it.

    `doubts` are about merchants, `tested` is about tiles.
    """

    doubts: tuple[Doubt, ...] = ()
    tested: SelfTest = field(default_factory=SelfTest)
    misread: tuple[Component, ...] = ()


def misread(whole: Lesson, taught: Taught, follower: Follower[BoardView]) -> tuple[Component, ...]:
    """Return the components that the reader, once taught, mostly reads differently from what people said they are."""
    reader = Reader(taught, follower)
    reader.new_game(is_dealt=False)
    read = reader.read(whole.image)
    shown: Counter[Component] = Counter()
    wrong: Counter[Component] = Counter()
    for cell in whole.lying:
        taught_here = on_cell(whole.reading.contents(cell))
        shown.update(taught_here)
        if read.contents(cell) != whole.reading.contents(cell) and cell not in read.abstained:
            wrong.update(taught_here)
    return tuple(sorted((one for one, times in wrong.items() if 2 * times > shown[one]), key=str))
