"""What lies on the board of an unknown printing: a first guess, for a person to put right.

Only the printing's empty board is known. A small net that learnt on other printings says what kind each cell is
(`companion.setup.nets`); colours are recognised by how wood and ink of that name look, roads by the strip that fits
best. The wood of every copy of the game is painted in four colours, but lamps and cameras differ. Markers on the day
tracks are cubes too, and it is known whose they are. The guesses are then taught, and all is read again with that: most
guesses are right, and outvote the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import (
    BARE,
    Cell,
    Color,
    Contents,
    HexCell,
    Merchants,
    Reading,
    Road,
    Settlement,
    SettlementType,
    Tile,
    Workshop,
)
from companion.board.reading import CellReading
from companion.setup.components import Component, Kind
from companion.setup.features import (
    PALETTE,
    Cells,
    ink_of,
    seen_cells,
    strip_color,
    strip_pair,
    wood_distance,
)
from companion.setup.nets import KINDS, log_shares
from companion.setup.piles import LEAST_SURE, Piles, alike, piled
from vision.board.layout import BoardLook, in_even_light, normalised
from vision.cubes.cubes import evenly, find_cubes, likeness
from vision.light.flatten import SIDE_PX, Flat, Floats, disc, hexagon, tones, window

Array = NDArray[np.float64]

#: A disc of this radius, in cell sides, is a cube's top. It differs from the bare cell by at least the second, after
#: twice its unevenness is taken off.
TOP_CELLS, _CUBE_DIFFERS = 0.175, 0.05
#: How much tops of a colour usually differ; and how much it counts against a tone to be unlike its colour's wood.
_TOPS_DIFFER, _UNLIKE_INK = 0.05, 3.0
#: Tops that are no farther apart than this are in one heap (all here are logarithms of tones); and how many heaps there
#: are at most.
_SAME_TOP, _MOST_HEAPS = 0.2, 8
#: How much it counts that a colour's wood is as light as usual, rather than as its marker. A cube's hue is then off by
#: about the second, and its lightness by about the third, apart from what all colours have in common. A top farther
#: than the fourth from all colours is explained by none, and a colour that is none of the heaps costs the last. Chosen
#: on tables 1000 to 1031.
_USUAL, _HUE, _LIGHTNESS, _UNLIKE, _UNSEEN = 0.8, 0.15, 0.3, 0.4, 2.0
#: No tone counts as darker than this.
_DARK = 0.03


def tops_unlike(tops: Sequence[Floats], colors: tuple[Color, ...]) -> dict[Color, Floats]:
    """Return the tones of cubes' tops by colour, from tops of unknown colours alone."""
    found: dict[Color, Floats] = {}
    for color in colors:
        own = [top for top in tops if ink_of(top, colors) is color]
        if own:
            # Take the tone that most of them have, and that is most like the colour.
            near = np.array([[float(np.linalg.norm(a - b)) for b in own] for a in own])
            support = np.exp(-((near / _TOPS_DIFFER) ** 2) / 2).sum(axis=1)
            best = int((support - _UNLIKE_INK * np.array([wood_distance(top, color) for top in own])).argmax())
            alike = [top for top, far in zip(own, near[best], strict=True) if far < 2 * _TOPS_DIFFER]
            found[color] = np.median(alike, axis=0).astype(np.float32)
    return found


def tops_like(tops: Sequence[Floats], woods: Mapping[Color, Floats]) -> dict[Color, Floats]:
    """Return the tones of cubes' tops by colour, from tops (3,) of unknown colours and markers' tones of known ones.

    Markers stand on the frame, which has less light, and not the same light everywhere. So their hues are trusted, but
    hardly whether one is lighter or darker than another. Of all sets of tops, the one that explains most of what was
    seen is taken.
    """
    known = np.log(np.maximum(np.array(list(woods.values()), np.float64), _DARK))
    usual = np.log([PALETTE[color] for color in woods]).mean(axis=1)
    own = known.mean(axis=1)
    known += _USUAL * (usual - usual.mean() - own + own.mean())[:, None]
    logs = np.log(np.maximum(np.array(tops, np.float64).reshape(-1, 3), _DARK))
    heaps = _heaped(logs)
    middles = np.array([heap.mean(axis=0) for heap in heaps]).reshape(-1, 3)
    weights = np.array([len(heap) for heap in heaps], np.float64)
    # Each colour is one of the heaps, or was not seen: then it is like its marker, in the light of the others.
    light = float(np.median(middles.mean(axis=1)) - known.mean()) if len(heaps) else 0.0
    choices = [np.concatenate([middles, [tone + max(light, 0.0)]]) for tone in known]
    best: tuple[float, list[Array]] = (np.inf, [])
    for places in product(range(len(heaps) + 1), repeat=len(known)):
        taken = [place for place in places if place < len(heaps)]
        if len(set(taken)) < len(taken):
            continue
        own = np.array([of[place] for of, place in zip(choices, places, strict=True)])
        off = own - known
        lighter = off.mean(axis=1)
        cost = (((off - lighter[:, None]) / _HUE) ** 2).sum() + (((lighter - lighter.mean()) / _LIGHTNESS) ** 2).sum()
        far = np.linalg.norm(middles[:, None] - own, axis=2).min(axis=1, initial=np.inf)
        cost += (weights * np.minimum(far / _UNLIKE, 1) ** 2).sum() + _UNSEEN * (len(known) - len(taken))
        best = min(best, (float(cost), list(own)), key=lambda one: one[0])
    return {color: np.exp(tone).astype(np.float32) for color, tone in zip(woods, best[1], strict=True)}


def _heaped(seen: Array) -> list[Array]:
    """Return tops (n, 3) in heaps of nearly the same tone, the largest ones."""
    heaps: list[list[Array]] = []
    for top in seen:
        near = [(float(np.linalg.norm(np.mean(heap, axis=0) - top)), heap) for heap in heaps]
        far, heap = min(near, key=lambda one: one[0], default=(np.inf, []))
        if far > _SAME_TOP:
            heaps.append([top])
        else:
            heap.append(top)
    return [np.array(heap) for heap in sorted(heaps, key=len, reverse=True)[:_MOST_HEAPS]]


def tops_on(tone: Floats, look: BoardLook, cells: Iterable[HexCell]) -> list[Floats]:
    """Return the tone (3,) of the clearest cube on each bare cell that seems to have one."""
    return [top for cell in cells if (top := _top_on(tone, look, cell)) is not None]


def filtered(picture: Floats, kernel: Floats) -> Floats:
    """Return a picture's weighted means."""
    return np.asarray(cv2.filter2D(picture, -1, kernel), dtype=np.float32)


def _top_on(tone: Floats, look: BoardLook, cell: HexCell) -> Floats | None:
    """Return the tone (3,) of the disc of a cube's size that differs most evenly from the bare cell, or None."""
    seen, bare = window(tone, cell.centre, SIDE_PX), window(look.tone, cell.centre, SIDE_PX)
    kernel = disc(TOP_CELLS)
    mean = filtered(seen, kernel)
    uneven = np.sqrt(np.maximum(filtered(seen * seen, kernel) - mean * mean, 0).sum(axis=2))
    score = np.linalg.norm(mean - filtered(bare, kernel), axis=2) - 2 * uneven
    score[~hexagon(SIDE_PX, 0.2)] = -1
    row, column = np.unravel_index(int(score.argmax()), score.shape)
    return np.asarray(mean[row, column]) if score[row, column] > _CUBE_DIFFERS else None


#: A place is a cube if it is this like one: on a bare cell, whose look is known, and on a tile, whose look is not.
_LIKE_ON_BARE, _LIKE_ON_TILE = 0.45, 0.85
#: This little of a colour on a cell's middle says nothing.
_PALE = 0.03
#: A tone that differs by this much over a cube's top is certainly news.
_NEWS = 0.12
#: At least this share of a bare cell with cubes on it looks as it did before.
_MOSTLY_BARE = 0.62


def guess(
    shown: Flat,
    look: BoardLook,
    colors: tuple[Color, ...] = tuple(Color),
    *,
    only_roads: bool = False,
) -> Reading:
    """Return what seems to lie on the board; `colors` are those in play.

    Each cell says how sure it is. `only_roads`: whatever lies there is a road tile.
    """
    tone = tones(normalised(shown.light, look))
    shares, cells = log_shares(in_even_light(shown, look)[1], look), seen_cells(tone, look)
    return _guessed(tone, cells, look, colors, shares, _tops(tone, cells, look, colors, shares), only_roads=only_roads)


def _tops(
    tone: Floats,
    cells: Cells,
    look: BoardLook,
    colors: tuple[Color, ...],
    shares: Floats,
    woods: Mapping[Color, Floats] | None = None,
) -> dict[Color, Floats]:
    """Return the tones of cubes' tops by colour; `woods` are those of markers on the frame."""
    likely = np.flatnonzero(shares.argmax(axis=1) == KINDS.index("cubes"))
    sure = [row for row in likely if cells.same[row] > _MOSTLY_BARE]
    if woods and all(color in woods for color in colors):
        return tops_like(tops_on(tone, look, [look.board.cells[row] for row in sure or likely]), woods)
    each = (
        tops_unlike(tops_on(tone, look, [look.board.cells[row] for row in rows]), colors) for rows in (likely, sure)
    )
    return {color: top for found in each for color, top in found.items()}


def _guessed(
    tone: Floats,
    cells: Cells,
    look: BoardLook,
    colors: tuple[Color, ...],
    shares: Floats,
    tops: Mapping[Color, Floats],
    *,
    only_roads: bool = False,
) -> Reading:
    kinds = [KINDS[int(k)] for k in shares.argmax(axis=1)]
    if only_roads:
        kinds = [kind if kind == "bare" else "road" for kind in kinds]
    board = look.board
    like = likeness(tone, tops)
    even = evenly(like, tone)
    read: dict[Cell, CellReading] = {}
    for row, (cell, kind) in enumerate(zip(board.cells, kinds, strict=True)):
        tile = _tile(kind, cells, row, colors)
        merchants = Merchants()
        if kind == "cubes":
            merchants = _merchants(cell, like, _LIKE_ON_BARE, _news(tone, look, cell))
        elif tile is not None:
            own = tile.color if isinstance(tile, Road | Workshop) else None
            others = {color: found for color, found in even.items() if color is not own}
            merchants = _merchants(cell, others, _LIKE_ON_TILE)
        confidence = float(np.exp(shares[row].max()))
        read[cell] = CellReading(Contents(tile, merchants), look.terrain.get(cell), cell in look.sites, confidence)
    return Reading(board, read)


def guess_in_piles(
    shown: Flat,
    look: BoardLook,
    colors: tuple[Color, ...] = tuple(Color),
    woods: Mapping[Color, Floats] | None = None,
) -> tuple[Reading, Piles, dict[Color, Floats]]:
    """Return what seems to lie on the board, what looks alike there, and the tones of cubes' tops by colour.

    All cells of a pile are the same. `woods` are the tones of markers on the frame, if they were seen.
    """
    levels = in_even_light(shown, look)[1]
    shares = log_shares(levels, look)
    tone, board = tones(normalised(shown.light, look)), look.board
    cells = seen_cells(tone, look)
    tops = _tops(tone, cells, look, colors, shares, woods)
    reading = _guessed(tone, cells, look, colors, shares, tops)
    likeliest = [KINDS[int(k)] for k in shares.argmax(axis=1)]
    rows = [
        row
        for row, kind in enumerate(likeliest)
        if kind not in ("bare", "cubes") or (kind == "cubes" and cells.same[row] <= _MOSTLY_BARE)
    ]
    places = [board.cells[row] for row in rows]
    workshop = KINDS.index("workshop")
    like = alike(levels, look, places)
    # There is one workshop of each colour, however alike they look.
    is_workshop = shares[rows].argmax(axis=1) == workshop
    like[np.outer(is_workshop, is_workshop)] = -np.inf
    piles = [one for pile in piled(like) for one in _apart(pile, shares[rows], workshop)]
    names: tuple[Tile, ...] = (*(Settlement(kind) for kind in SettlementType), *(Workshop(color) for color in colors))
    discs = [list(PALETTE).index(color) for color in colors]
    scores, otherwise = {}, {}
    for row, cell in zip(rows, places, strict=True):
        inked = np.log(cells.discs[row, discs] + _PALE)
        inked -= np.log(np.exp(inked).sum())
        settled = [shares[row, KINDS.index(kind.value)] for kind in SettlementType]
        other = np.logaddexp.reduce([shares[row, KINDS.index(kind)] for kind in ("bare", "cubes", "road")])
        scores[cell] = np.array([*settled, *(shares[row, workshop] + inked), other])
        guessed = reading.contents(cell)
        is_built = isinstance(guessed.tile, Settlement | Workshop)
        otherwise[cell] = replace(guessed, tile=best_road(cells, row, colors)) if is_built else guessed
    sorted_out = Piles(tuple(tuple(places[k] for k in pile) for pile in piles), names, scores, otherwise)
    return in_piles(reading, sorted_out, {}), sorted_out, tops


def _apart(pile: list[int], shares: Floats, workshop: int) -> list[list[int]]:
    """Return a pile as it is, or each of its rows alone if together they look most like workshops."""
    likely = int(np.maximum(shares[pile], LEAST_SURE).sum(axis=0).argmax())
    return [[row] for row in pile] if likely == workshop else [pile]


def in_piles(reading: Reading, piles: Piles, said: Mapping[HexCell, Contents]) -> Reading:
    """Return a reading with each cell of a pile named as its pile is; what people said about cells stays."""
    read = dict(reading.cells)
    for cell, tile in piles.told(said).items():
        if cell in said:
            continue
        now = read[cell].contents
        if tile is not None and now.tile != tile:
            read[cell] = replace(read[cell], contents=replace(now, tile=tile))
        elif tile is None and isinstance(now.tile, Settlement | Workshop):
            read[cell] = replace(read[cell], contents=replace(piles.otherwise[cell], merchants=now.merchants))
    return replace(reading, cells=read)


def road_at(shown: Floats, look: BoardLook, cell: HexCell, colors: tuple[Color, ...]) -> Road:
    """Return the road that best fits what is on a cell of a flat picture in linear light."""
    return best_road(seen_cells(tones(normalised(shown, look)), look), look.board.cells.index(cell), colors)


def guess_alone(component: Component, shown: Flat, look: BoardLook, reading: Reading) -> Reading:
    """Return the reading of a photograph on which nothing lies but one component."""
    colors = (Color(component.which),) if component.kind in (Kind.ROAD, Kind.CUBE, Kind.WORKSHOP) else tuple(Color)
    roads = guess(shown, look, colors, only_roads=True) if component.kind is Kind.ROAD else reading
    lying = {cell: read for cell, read in reading.cells.items() if read.contents != BARE}
    again = {cell: replace(read, contents=_as(component, roads.contents(cell))) for cell, read in lying.items()}
    return replace(reading, cells={**reading.cells, **again})


def _as(component: Component, seen: Contents) -> Contents:
    match component.kind:
        case Kind.CUBE:
            return Contents(None, Merchants.of({Color(component.which): 1}))
        case Kind.WORKSHOP:
            return Contents(Workshop(Color(component.which)))
        case Kind.SETTLEMENT:
            return Contents(Settlement(SettlementType(component.which)))
        case Kind.ROAD:
            return Contents(seen.tile) if isinstance(seen.tile, Road) else BARE
        case Kind.MARKER:
            return BARE


def _tile(kind: str, cells: Cells, row: int, colors: tuple[Color, ...]) -> Tile | None:
    if kind == "road":
        return best_road(cells, row, colors)
    if kind == "workshop":
        return Workshop(max(colors, key=lambda color: cells.discs[row, list(PALETTE).index(color)]))
    return Settlement(SettlementType(kind)) if kind in set(SettlementType) else None


def best_road(cells: Cells, row: int, colors: tuple[Color, ...]) -> Road:
    """Return the road of a colour in play that fits a cell best; its colour is that of the strip's middle."""
    fit, patch = cells.roads, cells.patches[row]
    costs = fit.costs[row, [fit.colors.index(color) for color in colors]]
    edges, aside = strip_pair(patch, costs.min(axis=(0, 2)))
    return Road(strip_color(patch, edges, aside, colors), cells.terrain_beside(row, edges), edges)


def _merchants(cell: HexCell, like: Mapping[Color, Floats], least: float, news: Floats | None = None) -> Merchants:
    """Return the cubes on a cell: places that are more than `least` like a cube; `like` has how like each colour's."""
    if not like:
        return Merchants()
    cubes = find_cubes({color: window(found, cell.centre, SIDE_PX) for color, found in like.items()}, cell, news)
    return Merchants.of(Counter(cube.color for cube in cubes if cube.likeness > least))


def _news(tone: Floats, look: BoardLook, cell: HexCell) -> Floats:
    off = np.abs(window(tone, cell.centre, SIDE_PX) - window(look.tone, cell.centre, SIDE_PX)).max(axis=2)
    return filtered(np.clip(off / np.float32(_NEWS), 0, 1).astype(np.float32), disc(TOP_CELLS))
