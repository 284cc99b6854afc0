"""A lamp that the board mirrors. Its light is added to that of the print, while all other light is a factor.

Round the place where a glossy board mirrors a lamp, dark print brightens by as much as light print does, so it looks
pale, and its colours and texture fade. What is mirrored falls off from there as GGX's lobe does from its middle (B.
Walter et al., Microfacet models for refraction through rough surfaces, 2007), but sooner, since lamps have a size: it
is down to a half at 0.51 widths. Its place, width and brightness are chosen so that, once it is taken off, the cells'
tones fall most clearly into three heaps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.view import BoardView
from companion.board import HexBoard, HexCell, Reading, Terrain, by_hexagon
from vision.light.flatten import SIDE_PX, Floats, Image, Mask, extent_cells, flatten, levels, linear
from vision.light.gain import patch_centres, patch_darks, patch_medians

Array = NDArray[np.float64]
Heaps = NDArray[np.int64]

#: A lamp is looked for if the brightest cell is this many times as bright as the median cell or, once terrain is known,
#: as the median of its own terrain.
_BRIGHT, _BRIGHT_OF_ITS_OWN = 1.5, 1.7
#: No tone counts as darker than this.
_DARKEST = 1e-4
#: At least this share of a tone is left. Light does not add up exactly where the camera gets nearly all it can take,
#: this share of it or more.
_LEFT, _FULL = 0.15, 0.97
#: How steeply what is mirrored falls off: 2 is GGX's lobe, and a lamp's size makes that nearly a bell, which has no
#: end. Then the widths that are tried first, the shares of the brightest cell's light, and the greatest width, in cell
#: sides.
_FALL, _WIDTHS, _SHARES, _WIDEST = 3, (1.2, 2.4, 4.2), (0.4, 0.8), 8.0
#: The search's first steps: of the place, the width, all light, and each colour of it.
_STEPS = np.array([
    [0.8, 0, 0, 0, 0, 0], [0, 0.8, 0, 0, 0, 0], [0, 0, 0.4, 0, 0, 0], [0, 0, 0.4, -0.5, -0.5, -0.5],
    [0, 0, 0, 0.4, 0.4, 0.4], [0, 0, 0, 0.3, 0, 0], [0, 0, 0, 0, 0.3, 0], [0, 0, 0, 0, 0, 0.3],
])  # fmt: skip
#: How small the steps become. A sweep over all steps that gains less than the second (a logarithm) makes them smaller;
#: no search takes more sweeps than the third.
_SMALLEST, _WORTH, _SWEEPS = 0.05, 0.5, 60
#: Tones are at least this uneven, as logarithms. How far they stray counts as in Student's t distribution with this
#: many degrees of freedom. Light changes over a heap by no more than this.
_UNEVEN, _DEGREES, _MOST_LIGHT = 0.03, 4.0, 0.6
#: Heaps and light are found in turn, this many times. A lamp that gives more light than is seen, even this much farther
#: out, costs this many times the excess (a share), summed over all patches.
_ROUNDS, _BEYOND_CELLS, _TOO_MUCH = 4, 0.8, 1000.0
#: A cell is veiled if at least this share of its light is mirrored.
_VEILED = 0.5
#: A lamp is believed if the tones are likelier with it by this (logarithms); once terrain is known, if they are
#: likelier by the second, and the cells' unevenness falls below this share of what it was. Chosen on tables to choose
#: by.
_BELIEVED, _BELIEVED_KNOWN, _MORE_EVEN = 100.0, 120.0, 0.88
#: The frame's heap, after the three of cells. Light changes up to this far from the middle, in units of the board's
#: reach.
_FRAME, _OUTERMOST = 3, 1.1


@dataclass(frozen=True)
class Glare:
    """What a board mirrors: `centre` and `width` in cell sides, `light` (B, G, R) the linear light in its middle."""

    centre: tuple[float, float]
    width: float
    light: tuple[float, float, float]

    @classmethod
    def seen(cls, flat: Floats, board: HexBoard, heaps: Heaps, *, are_known: bool = False) -> Glare | None:
        """Return what an empty board mirrors, from its flat picture and its cells' heaps, 0 to 2.

        The heaps are those into which cells were sorted at first sight or, if they `are_known`, their terrains.
        """
        field = _Field.of(flat, board, heaps, are_known)
        tones = field.tones[: field.cells]
        usual = _medians_of(tones, heaps)[heaps] if are_known else np.median(tones, axis=0, keepdims=True)
        brighter = tones.mean(axis=1) / usual.mean(axis=1)
        top = int(brighter.argmax())
        if brighter[top] < (_BRIGHT_OF_ITS_OWN if are_known else _BRIGHT):
            return None
        bright = np.maximum(2 * brighter - 1 - brighter[top], 0)
        middle = bright @ field.places[: field.cells] / bright.sum()
        light = np.maximum((tones - usual)[top], 1e-3)
        starts = [
            np.array([*place, math.log(width), *np.log(share * light)])
            for place in ((field.places[top], middle) if are_known else (field.places[top],))
            for width in _WIDTHS
            for share in _SHARES
        ]
        without = field.fit(None, field.heaps)
        lamp, best = min((_searched(field, start) for start in starts), key=lambda found: found[1].cost)
        if without.cost - best.cost < (_BELIEVED_KNOWN if are_known else _BELIEVED):
            return None
        return _glare(lamp) if not are_known or best.uneven < _MORE_EVEN * without.uneven else None

    def at(self, places: Array) -> Array:
        """Return the light that is mirrored at places (n, 2), in cell sides: (n, 3)."""
        away = ((places - self.centre) ** 2).sum(axis=-1, keepdims=True) / self.width**2
        return np.asarray(np.array(self.light) / (1 + away) ** _FALL)

    def veiled(self, flat: Floats, board: HexBoard) -> tuple[HexCell, ...]:
        """Return the cells of a flat picture at least half of whose light is mirrored, the most veiled first."""
        lamp = self.at(patch_centres(board.rings, extent_cells(flat)))
        return _veiled(board, lamp, patch_medians(flat, board.rings).astype(np.float64))

    def taken_off(self, flat: Floats) -> Floats:
        """Return a flat picture in linear light without what is mirrored."""
        across = np.arange(len(flat)) / SIDE_PX - extent_cells(flat)
        return _without(flat, self.at(np.stack(np.meshgrid(across, across), axis=-1)).astype(np.float32))


#: A lamp is taken off photographs if it is narrower than this, in cell sides, and gives a cell at least this share of
#: the lightest terrain's light. Chosen on tables to choose by.
_WIDE, _FAINT = 0.97 * _WIDEST, 0.6
#: A lamp's light is computed at intervals of this many pixels of a photograph, and taken off this many rows at a time.
_COARSE_PX, _STRIP_PX = 8, 64
#: Roughly how much brighter or fainter than it was a lamp may be, relative to all other light, unless the picture
#: clearly says more. How often patches are weighed, and how far they stray at first and at least, as a share.
_AS_BRIGHT, _WEIGHED, _ASTRAY, _LEAST_ASTRAY = 0.25, 20, 0.3, 0.02


@dataclass(frozen=True, eq=False)
class MirroredLamp:
    """A lamp that a board mirrors, as the photographs of its table show it.

    The camera sees it in the same place even if the board is moved: `view` is where the board was when `glare` was
    measured. `tones` (patches, 3) are what the empty board showed without it, in linear light, up to `extent` cell
    sides from the middle: negative where the lamp is believed to be brighter than it is.
    """

    glare: Glare
    view: BoardView
    tones: Array
    extent: float

    @classmethod
    def of(cls, empty: Image, view: BoardView, ground: Reading, extent: float) -> MirroredLamp | None:
        """Return the lamp that an empty board of known terrain mirrors in its photograph; None if it mirrors none.

        One as wide as the search allows does not count, nor does a faint one: for those, evening the light out is
        enough.
        """
        flat, read = flatten(empty, view, extent), by_hexagon(ground.cells)
        heaps = np.array([_TERRAINS.index(terrain) for cell in view.board.cells if (terrain := read[cell].terrain)])
        glare = Glare.seen(flat, view.board, heaps, are_known=True)
        if glare is None or glare.width > _WIDE:
            return None
        lamp = glare.at(patch_centres(view.rings, extent))
        tones = patch_medians(flat, view.rings) - lamp
        lightest = _medians_of(tones[: len(heaps)], heaps).mean(axis=1).max()
        is_faint = lamp[: len(heaps)].mean(axis=1).max() < _FAINT * lightest
        return None if is_faint else cls(glare, view, tones, extent)

    @property
    def veiled(self) -> tuple[HexCell, ...]:
        """The cells that got at least half of their light from it on the empty board, the most veiled first."""
        lamp = self.glare.at(patch_centres(self.view.rings, self.extent))
        return _veiled(self.view.board, lamp, self.tones + lamp)

    def taken_off(
        self, image: Image, view: BoardView, brighter: Floats | None = None, free: Mask | None = None
    ) -> Image:
        """Return a photograph (H, W, 3) of the board in this view with the lamp, as bright as it is there, taken off.

        `brighter` (cells, 3) are logarithms of how much brighter the cells' print is than when the lamp was measured,
        because the pieces lie differently; `free` (cells,) says which cells are bare. None: as bright as it was, and
        all.
        """
        strength = self._strength(image, view, brighter, free)
        return without_light(image, lambda places: self.glare.at(self.view.to_board(places)) * strength)

    def _strength(self, image: Image, view: BoardView, brighter: Floats | None, free: Mask | None) -> Array:
        """Return how bright the lamp is in a photograph compared with how it was, by channel.

        Each free patch of the board and its frame shows its own tone in an even slope of light, plus the lamp. Patches
        that stray from this count little.
        """
        flat, cells = flatten(image, view, self.extent), len(view.board.cells)
        centres = patch_centres(view.rings, self.extent)
        tones, lamp = self.tones.copy(), self.glare.at(self.view.to_board(view.to_image(centres)))
        if brighter is not None:
            tones[:cells] *= np.exp(brighter)
        shown = patch_medians(flat, view.rings).astype(np.float64)
        counted = shown.max(axis=1) < _FULL
        if free is not None:
            counted[:cells] &= free
        if not counted.any():  # nothing says otherwise
            return np.ones(3)
        slope = np.column_stack([np.ones(len(centres)), centres / self.extent])
        shown, tones, lamp, slope = (one[counted] for one in (np.maximum(shown, _DARKEST), tones, lamp, slope))
        light = np.median(shown / np.maximum(tones + lamp, _DARKEST), axis=0)
        weight, astray = np.ones(len(shown)), _ASTRAY
        found = np.tile(light, (4, 1))
        for _ in range(_WEIGHED):
            away = np.zeros(len(shown))
            for channel in range(3):
                share = np.column_stack([slope * tones[:, channel, None], lamp[:, channel]]) / shown[:, channel, None]
                # One more row: relative to the rest, the lamp is probably as bright as it was.
                as_bright = np.array([-1.0, 0, 0, 1]) * astray / (_AS_BRIGHT * light[channel])
                rows = np.vstack([share * np.sqrt(weight)[:, None], as_bright])
                found[:, channel] = np.linalg.lstsq(rows, np.append(np.sqrt(weight), 0), rcond=None)[0]
                away += np.abs(share @ found[:, channel] - 1) / 3
            astray = max(float(np.median(away)), _LEAST_ASTRAY)
            weight = 1 / (1 + (away / astray) ** 2)
        return np.asarray(np.maximum(found[3], 0))


_TERRAINS, _NO_MAP = tuple(Terrain), np.zeros(0, np.float32)


class _Fit(NamedTuple):
    """How a lamp fits: minus the logarithm of how likely all tones are, with which heaps, and how uneven cells are."""

    cost: float
    heaps: Heaps
    uneven: float


@dataclass(frozen=True, eq=False)
class _Field:
    """The patches of an empty board and its frame, the `cells` first.

    `tones` (patches, 3) are in linear light, `darkest` what the darkest parts of each show; `places` are (patches, 2),
    and `smooth` (patches, cells) spreads the cells' light smoothly over all patches. `heaps` are where sorting begins
    or, if they `are_known`, where the cells stay; the frame is a heap of its own.
    """

    tones: Array
    darkest: Array
    places: Array
    smooth: Array
    heaps: Heaps
    cells: int
    are_known: bool

    @classmethod
    def of(cls, flat: Floats, board: HexBoard, heaps: Heaps, are_known: bool) -> _Field:
        """Return the field of a flat picture and the cells' heaps."""
        extent, cells = extent_cells(flat), len(board.cells)
        tones, darkest = (
            np.maximum(of_patches(flat, board.rings).astype(np.float64), _DARKEST)
            for of_patches in (patch_medians, patch_darks)
        )
        sorted_so = np.append(heaps, np.full(len(tones) - cells, _FRAME))
        places, smooth = patch_centres(board.rings, extent), _smoothing(board, extent)
        return cls(tones, darkest, places, smooth, sorted_so, cells, are_known)

    def fit(self, lamp: Array | None, heaps: Heaps) -> _Fit:
        """Return how well it fits that the board mirrors that lamp, or none, with sorting begun from these heaps."""
        even, cost = self.tones, 0.0
        if lamp is not None:
            glare = _glare(lamp)
            if glare.width > _WIDEST:
                return _Fit(math.inf, heaps, math.inf)
            away = self.places - glare.centre
            away *= 1 + _BEYOND_CELLS / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), _BEYOND_CELLS)
            # Nothing is darker than the light that is added to it.
            cost = _TOO_MUCH * float(np.maximum(glare.at(glare.centre + away) / self.darkest - 1, 0).sum())
            even = np.maximum(self.tones - glare.at(self.places), _UNEVEN * self.tones)
        logs = np.log(even)
        light = np.zeros_like(logs)
        for _ in range(_ROUNDS):
            means = _medians_of(logs - light, heaps)
            strayed = np.clip(logs - means[heaps], -_MOST_LIGHT, _MOST_LIGHT)
            light = self.smooth @ strayed[: self.cells]
            light -= light[: self.cells].mean(axis=0)
            if not self.are_known:
                unlike = _opposed((logs - light)[: self.cells, None] - means[:_FRAME])
                heaps = np.append((unlike**2).sum(axis=2).argmin(axis=1), heaps[self.cells :])
        strayed = _opposed(logs - light - means[heaps])
        counted = self.tones.max(axis=1) < _FULL
        # What a frame shows is less even: at first sight, when heaps may be wrong, it has no say.
        for part in (slice(self.cells), slice(self.cells, None))[: 1 + self.are_known]:
            off = strayed[part][counted[part]]
            if len(off):
                spread = np.maximum(1.4826 * np.median(np.abs(off), axis=0), _UNEVEN)
                unlikely = (_DEGREES + 1) / 2 * np.log1p((off / spread) ** 2 / _DEGREES)
                # The likelihood is that of the tones, not of their logarithms, so the slope of the logarithm counts.
                cost += float(len(off) * np.log(spread).sum() + unlikely.sum() + logs[part][counted[part]].sum())
        return _Fit(cost, heaps, float(np.abs(strayed[: self.cells]).mean()))


@cache
def paraboloid(board: HexBoard) -> Array:
    """Return how light may change over a board's cells, (cells, 6): each column is one way."""
    x, y = np.array([cell.centre for cell in board.cells]).T / (board.rings * math.sqrt(3))
    return np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])


@cache
def _smoothing(board: HexBoard, extent: float) -> Array:
    """Return the matrix (patches, cells) that fits a paraboloid to cells' values, and continues it on the frame.

    Farther out than the board's corners it stays what it is there.
    """
    places = patch_centres(board.rings, extent) / (board.rings * math.sqrt(3))
    x, y = (places / np.maximum(np.linalg.norm(places, axis=1, keepdims=True) / _OUTERMOST, 1)).T
    beyond = np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])
    return np.asarray(beyond @ np.linalg.pinv(paraboloid(board)))


def _medians_of(tones: Array, heaps: Heaps) -> Array:
    """Return the median tone of each heap, (4, 3); zeros for an empty one."""
    medians = np.zeros((_FRAME + 1, 3))
    for heap in np.unique(heaps):
        medians[heap] = np.median(tones[heaps == heap], axis=0)
    return medians


def _veiled(board: HexBoard, lamp: Array, shown: Array) -> tuple[HexCell, ...]:
    """Return the veiled cells, from the light of patches (n, 3), cells first: the lamp's and all that is seen."""
    share = (lamp / np.maximum(shown, _DARKEST)).mean(axis=1)[: len(board.cells)]
    order = np.argsort(-share, kind="stable")
    return tuple(board.cells[row] for row in order if share[row] >= _VEILED)


def _without(light: Floats, added: Floats) -> Floats:
    """Return linear light without what was added, some of it left everywhere."""
    return np.asarray(np.maximum(light - added, _LEFT * light), dtype=np.float32)


def without_light(image: Image, added: Callable[[Array], Array]) -> Image:
    """Return a photograph (H, W, 3) without added light, given as linear light (..., 3) at its pixels (..., 2)."""
    rows, columns = image.shape[:2]
    across, down = (np.arange(0, size + _COARSE_PX, _COARSE_PX) for size in (columns, rows))
    coarse = added(np.stack(np.meshgrid(across, down), axis=-1)).astype(np.float32)
    dull = np.empty_like(image)
    across = np.arange(columns, dtype=np.float32) / _COARSE_PX
    # Strip by strip, because linear light takes four times the room.
    for first in range(0, rows, _STRIP_PX):
        strip = image[first : first + _STRIP_PX]
        down = np.arange(first, first + len(strip), dtype=np.float32) / _COARSE_PX
        fine = np.stack(np.meshgrid(across, down), axis=-1)
        light = cv2.remap(coarse, fine, _NO_MAP, cv2.INTER_LINEAR).astype(np.float32, copy=False)
        dull[first : first + _STRIP_PX] = levels(_without(linear(strip), light))
    return dull


def _opposed(logs: Array) -> Array:
    """Return half the brightness and the two differences of colour of logarithms (..., 3)."""
    return np.stack([logs.mean(axis=-1) / 2, logs[..., 0] - logs[..., 1], logs[..., 2] - logs[..., 1]], axis=-1)


def _glare(lamp: Array) -> Glare:
    """Return the glare with these numbers: its place, and the logarithms of its width and light."""
    x, y, width, *light = lamp.tolist()
    blue, green, red = map(math.exp, light)
    return Glare((x, y), math.exp(width), (blue, green, red))


def _searched(field: _Field, start: Array) -> tuple[Array, _Fit]:
    """Return where ever smaller steps from there lead, and how well that fits (a compass search)."""
    at, best, size = start, field.fit(start, field.heaps), 1.0
    for _ in range(_SWEEPS):
        before = best.cost
        for axis in _STEPS:
            for step in (size * axis, -size * axis):
                fit = field.fit(at + step, best.heaps)
                if fit.cost < best.cost:
                    best, at = fit, at + step
                    break
        if best.cost > before - _WORTH:
            size /= 2
        if size < _SMALLEST:
            break
    return at, best
