"""What lies on the board of an unknown printing: a first guess, for a person to put right.

Nothing of the printing is known but its empty board. Kinds of cell are told by a small net that learnt on other
printings (`companion.setup.kinds`), colours by how wood and ink of those names look, roads by the strip that fits best.
What was guessed is then taught, and read again with that: most guesses are right, and outvote the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

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
from companion.setup.cube_tops import TOP_CELLS, filtered, tops_like, tops_on, tops_unlike
from companion.setup.features import (
    PALETTE,
    Cells,
    seen_cells,
    strip_color,
    strip_pair,
)
from companion.setup.kinds import KINDS, log_shares
from companion.setup.piles import Piles, alike, piled
from vision.board.layout import BoardLook, in_even_light, normalised
from vision.cubes.cubes import evenly, find_cubes, likeness
from vision.light.flatten import SIDE_PX, Flat, Floats, disc, tones, window

Array = NDArray[np.float64]

#: A place is a cube where it is so like one: on a bare cell, whose look is known, and on a tile, whose look is not.
_LIKE_ON_BARE, _LIKE_ON_TILE = 0.45, 0.85
#: So little of a colour on a cell's middle says nothing.
_PALE = 0.03
#: A tone that differs by this over a cube's top is news for sure.
_NEWS = 0.12
#: Most of a bare cell with cubes is as it was.
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

    What a pile is, all its cells are. `woods` are the tones of markers on the frame, if they were seen.
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
    piles = piled(like)
    names: tuple[Tile, ...] = (*(Settlement(kind) for kind in SettlementType), *(Workshop(color) for color in colors))
    discs = [list(PALETTE).index(color) for color in colors]
    scores, otherwise = {}, {}
    for row, cell in zip(rows, places, strict=True):
        inked = np.log(cells.discs[row, discs] + _PALE)
        inked -= np.log(np.exp(inked).sum())
        settled = [shares[row, KINDS.index(kind.value)] for kind in SettlementType]
        other = np.logaddexp.reduce([shares[row, KINDS.index(kind)] for kind in ("bare", "cubes", "road")])
        scores[cell] = np.array([*settled, *(shares[row, workshop] + inked), other])
        found = reading.contents(cell)
        is_built = isinstance(found.tile, Settlement | Workshop)
        otherwise[cell] = replace(found, tile=best_road(cells, row, colors)) if is_built else found
    sorted_out = Piles(tuple(tuple(places[k] for k in pile) for pile in piles), names, scores, otherwise)
    return in_piles(reading, sorted_out, {}), sorted_out, tops


def in_piles(reading: Reading, piles: Piles, said: Mapping[HexCell, Contents]) -> Reading:
    """Return a reading with each cell of a pile named as its pile is; what people said of cells stays."""
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
    """Return the road that fits best what is on a cell of a flat picture in linear light."""
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
    """Return the cubes on a cell that are so like one at least, by how like each colour's the board is."""
    if not like:
        return Merchants()
    cubes = find_cubes({color: window(found, cell.centre, SIDE_PX) for color, found in like.items()}, cell, news)
    return Merchants.of(Counter(cube.color for cube in cubes if cube.likeness > least))


def _news(tone: Floats, look: BoardLook, cell: HexCell) -> Floats:
    off = np.abs(window(tone, cell.centre, SIDE_PX) - window(look.tone, cell.centre, SIDE_PX)).max(axis=2)
    return filtered(np.clip(off / np.float32(_NEWS), 0, 1).astype(np.float32), disc(TOP_CELLS))
