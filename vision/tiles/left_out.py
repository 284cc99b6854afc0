"""Taught tiles, left out one by one and named from those that remain: how surely, and how much too surely.

Each tile is looked at as another photograph would show it: shifted, turned and in slightly different light. Printings
differ in how much alike their settlements look: on some the kinds differ only in how many bars or windows they show.
The nets never saw this printing, so they may take one kind for another there, and be as sure as they ever are. How much
too sure they are shows on the taught copies. So their answers about settlements are flattened by one factor for each
table: temperature scaling (Guo et al. 2017).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import cv2
import numpy as np

from companion.board import HexCell, Road, Settlement, SettlementType, Terrain, Tile
from vision.board.layout import BoardLook
from vision.tiles.exemplars import TURNS, Array, Exemplars, plain_turn
from vision.tiles.opinion import LEAST_LOG, Opinion
from vision.tiles.patches import PATCH_CELLS, PATCH_PX, cut, in_tones

#: A tile was taught under cubes if they hid more of it than this: a single upright one hides about a seventh.
UNDER_CUBES = 0.05
#: How another photograph may show a tile: how far it is shifted (right, down, in cell sides) and turned (degrees), how
#: much brighter and how much warmer it is. Hands lay tiles about this exactly, and about this much of the light is left
#: after it is taken out.
_OTHERWISE = (
    (0.06, 0.03, 3.0, 0.85, 0.06),
    (-0.06, 0.03, -3.0, 1.15, -0.06),
    (0.03, -0.06, 2.0, 1.0, 0.03),
    (-0.03, -0.06, -2.0, 0.95, -0.03),
)

#: The temperatures that are tried; and how much one counts against itself before anything was asked (times the square
#: of its logarithm).
_TEMPERATURES, _ABOUT_ONE = (1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.5, 8.0, 10.0), 1.0

#: A tile, or bare ground by its terrain.
Named = Tile | Terrain


def temperature(exemplars: Exemplars, look: BoardLook) -> float:
    """Return by how much the nets are too sure which settlement they see: the temperature that fits best, 1 or more.

    It fits the copies that were taught without cubes, each left out in turn, or all of a kind if there are none. A kind
    that was taught once says nothing.
    """
    kinds = [Settlement(kind) for kind in SettlementType]
    taught = exemplars.tiles[:: len(TURNS)]
    odds: list[Array] = []
    for kind in kinds:
        all_of = [place for place, tile in enumerate(taught) if tile == kind]
        bare = [place for place in all_of if exemplars.hidden[place * len(TURNS)] <= UNDER_CUBES]
        for place in (bare or all_of) if len(all_of) > 1 else ():
            told = told_from(exemplars, look, place, is_left_out=True)
            odds.append(np.array([[one.get(other, -LEAST_LOG) for other in kinds if other != kind] for one in told]))

    def cost(value: float) -> float:
        wrong = sum(float(np.log1p(np.exp(-one / value).sum(axis=1)).mean()) for one in odds)
        return wrong + _ABOUT_ONE * math.log(value) ** 2

    return min(_TEMPERATURES, key=cost)


def told_from(exemplars: Exemplars, look: BoardLook, place: int, is_left_out: bool) -> list[Mapping[Named, float]]:
    """Return how well a taught tile is told from others (logarithms of odds), for each other way of seeing it.

    `place` is the tile's among those that were taught. Kinds that are not listed are told from it at a glance.
    """
    tile, patch = exemplars.tiles[place * len(TURNS)], in_tones(exemplars.patches[place * len(TURNS)])
    others = exemplars.without(place) if is_left_out else exemplars
    grounds = _grounds(look, tile)
    shown, bare = (others.embedded(patches) for patches in (_otherwise(patch), cut(look.levels, grounds)[:, 0]))
    opinions = others.opinions(shown, bare)
    return [
        _odds_against(opinion, tile, look.terrain[ground]) for opinion, ground in zip(opinions, grounds, strict=True)
    ]


def _odds_against(opinion: Opinion, tile: Tile, ground: Terrain) -> Mapping[Named, float]:
    row = opinion.row(tile)
    own = LEAST_LOG if row is None else float(opinion.logs[row])
    odds: dict[Named, float] = {}
    for other, log in zip(opinion.tiles, opinion.logs, strict=True):
        if other != tile:
            name = ground if other is None else plain_turn(other)
            odds[name] = min(own - float(log), odds.get(name, math.inf))
    return odds


def _grounds(look: BoardLook, tile: Tile) -> list[HexCell]:
    """Return cells, spread over the board, on which such a tile may lie: as many as it is tested on."""
    if isinstance(tile, Road):
        fits = [cell for cell in look.board.cells if look.terrain.get(cell) is tile.terrain]
    else:
        fits = [cell for cell in look.board.cells if (cell in look.sites) == isinstance(tile, Settlement)]
    fits = fits or list(look.board.cells)
    return [fits[k * len(fits) // len(_OTHERWISE)] for k in range(len(_OTHERWISE))]


def _otherwise(patch: Array) -> Array:
    """Return a patch as other photographs would show it, (times, PATCH_PX, PATCH_PX, 3)."""
    middle, pictures = (PATCH_PX - 1) / 2, []
    for right, down, degrees, brighter, warmer in _OTHERWISE:
        moved = np.array(cv2.getRotationMatrix2D((middle, middle), degrees, 1.0), np.float64)
        moved[:, 2] += np.array([right, down]) * (PATCH_PX / PATCH_CELLS)
        image = cv2.warpAffine(patch, moved, (PATCH_PX, PATCH_PX), borderMode=cv2.BORDER_REPLICATE)
        pictures.append(image * (brighter * np.array([1 - warmer, 1.0, 1 + warmer], np.float32)))
    return np.array(pictures, np.float32)
