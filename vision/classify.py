"""What lies on one cell: the tile that explains its sample best, and how sure that is.

Every kind of thing is compared in the same way, by how unlike (1 less correlation) the sample is to that thing's own
taught look: the bare cell's, the road drawn from its cross-section, workshops and settlements in all turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from companion.board import EDGE_PAIRS, Road, Settlement, SettlementType, Terrain, Tile, Workshop
from vision.flatten import Floats
from vision.roads import RoadFit, compared
from vision.samples import Mask, hexagon, unlike
from vision.teach import Taught
from vision.tiles import LargeTile, by_kind
from vision.workshops import fit_workshops

#: Settlements lie on sites, all else beside them: what lies otherwise must look that much more like it.
_OFF_SITE = 0.1
#: Road tiles lie on their own terrain: another must fit better by this much of a road's cost.
_OFF_TERRAIN = 0.15
#: How much being unlike weighs beside a road's cost, when roads are compared with each other.
_UNLIKE_WEIGHT, _APART_WEIGHT = 2.0, 0.5
_ROADS_COMPARED = 6
#: A gap between two terrains at which the choice is almost certain: sample noise there is an average over the tile.
_GROUND_GAP = 0.035
#: How much the turned look weighs beside the rings' colours, when workshops are compared.
_TURNED_WEIGHT = 1.5
#: What was known to lie there must look this much less like it before it is something else.
_AS_KNOWN = 0.02
#: Gaps at which a choice is even odds less sure than certain: kinds, roads, workshops, settlements.
_KIND_GAP, _ROAD_GAP, WORKSHOP_GAP, SETTLEMENT_GAP = 0.012, 0.05, 0.2, 0.03
#: What is ahead must look at least as much like it as its rival does, but for this.
_AS_GOOD = 0.004
#: A settlement is another one than before only where it looks that much more like it.
_SWAPPED = 0.15
#: What is this unlike everything known is not understood.
_STRANGE = 0.45


@dataclass(frozen=True)
class Ground:
    """What is known of a cell beside its sample.

    `bare` is the bare cell's sample, `terrain` and `site` the board below (None: not known). `clean` is the sample of
    the tile that last lay there without cubes (None: not known), `cubes_hide` where cubes now hide it, and `cubes_cost`
    how much less alike it counts for them. `known_strange` and `bare_strange` are how much less alike that tile and the
    bare cell count for what differs from them whatever the correlation.
    """

    bare: Floats
    terrain: Terrain | None
    site: bool | None
    before: Tile | None = None
    clean: Floats | None = None
    cubes_hide: Mask | None = None
    cubes_cost: float = 0.0
    known_strange: float = 0.0
    bare_strange: float = 0.0


@dataclass(frozen=True)
class Seen:
    """The tile seen, how sure (0 to 1), what else it could be (likeliest first).

    `workshops` is how badly each fits, where one was seen; `is_as_known` tells that the tile is the one that lay there
    before.
    """

    tile: Tile | None
    confidence: float
    others: tuple[Tile | None, ...] = ()
    workshops: Mapping[Workshop, float] | None = None
    is_as_known: bool = False


def certainty(gap: float, scale: float) -> float:
    """Return how sure a choice is whose rival is worse by `gap`; 0.5 at none, 0.88 at the scale, towards 1."""
    return float(1 / (1 + np.exp(-2 * min(gap / scale, 50.0))))


def classify(
    sample: Floats,
    fit: NDArray[np.float32],
    roads: RoadFit,
    tiles: NDArray[np.float32],
    taught: Taught,
    ground: Ground,
) -> Seen:
    """Return what tile a sample shows; `fit` is the cell's row of `roads.costs`, `tiles` its `fit_tiles`."""
    inside = hexagon(0.1)
    road, unlike_road, road_sure, road_others = _best_road(sample, fit, roads, taught, ground.terrain)
    large = by_kind(tiles, taught.tiles)
    settlements = {tile.type: value for tile, value in large.items() if isinstance(tile, Settlement)}
    off, on = {True: (_OFF_SITE, 0.0), False: (0.0, _OFF_SITE), None: (0.0, 0.0)}[ground.site]
    # How unlike each kind is by itself; then with what else is known.
    plain = {
        "bare": unlike(sample, ground.bare, inside) + off / 2,
        "road": unlike_road + off,
        "workshop": min((v for tile, v in large.items() if isinstance(tile, Workshop)), default=np.inf) + off,
        "settlement": min(settlements.values(), default=np.inf) + on,
    }
    if ground.clean is not None:
        seen = inside if ground.cubes_hide is None else inside & ~ground.cubes_hide
        plain["as known"] = unlike(sample, ground.clean, seen) + ground.cubes_cost if seen.sum() > 60 else np.inf
    kinds = dict(plain)
    kinds["bare"] += ground.bare_strange
    if "as known" in kinds:
        kinds["as known"] += ground.known_strange - _AS_KNOWN
    ranked = sorted(kinds, key=lambda kind: kinds[kind])
    kind = ranked[0]
    # Two names for one thing are no rivals.
    same = {"as known", _kind_of(ground.before)} if ground.clean is not None else {kind}
    rival = next(other for other in ranked[1:] if not (kind in same and other in same))
    sure = certainty(kinds[rival] - kinds[kind], _KIND_GAP)
    if kinds[kind] > _STRANGE or plain[kind] > plain[rival] + _AS_GOOD:
        # Strange altogether, or ahead only because something about the rival is strange.
        sure = min(sure, 0.6)
    workshops = _workshop_fits(sample, large, taught) if kind == "workshop" else {}

    def named(name: str) -> tuple[Tile | None, float, tuple[Tile | None, ...]]:
        match name:
            case "as known":
                return ground.before, 1.0, ()
            case "road":
                return road, road_sure, road_others
            case "workshop":
                return best_of(workshops or _workshop_fits(sample, large, taught), WORKSHOP_GAP)
            case "settlement":
                return best_of({Settlement(type_): cost for type_, cost in settlements.items()}, SETTLEMENT_GAP)
        return None, 1.0, ()

    if kind == "settlement" and isinstance(ground.before, Settlement) and _is_blurred(ground.before, settlements):
        kind = "as known"
    tile, within, others = named(kind)
    rivals = others if within < sure else (named(rival)[0], *others)
    return Seen(
        tile,
        sure * within,
        rivals,
        workshops if kind == "workshop" else None,
        kind == "as known",
    )


def _is_blurred(before: Settlement, fits: Mapping[SettlementType, float]) -> bool:
    """Return whether another kind of settlement than before may be cubes' and light's doing: tiles do not change."""
    return fits.get(before.type, np.inf) - min(fits.values()) < _SWAPPED


def _kind_of(tile: Tile | None) -> str:
    return "bare" if tile is None else {Road: "road", Workshop: "workshop", Settlement: "settlement"}[type(tile)]


Named = TypeVar("Named", bound=Tile)


def best_of(costs: Mapping[Named, float], scale: float) -> tuple[Named, float, tuple[Named, ...]]:
    """Return the cheapest, how sure that is, and the others, likeliest first."""
    ranked = sorted(costs, key=lambda tile: costs[tile])
    gap = costs[ranked[1]] - costs[ranked[0]] if len(ranked) > 1 else np.inf
    return ranked[0], certainty(gap, scale), tuple(ranked[1:])


def _workshop_fits(sample: Floats, large: Mapping[LargeTile, float], taught: Taught) -> dict[Workshop, float]:
    rings = fit_workshops(sample, taught.workshops)
    return {tile: cost + _TURNED_WEIGHT * large[tile] for tile, cost in rings.items()}


def _best_road(
    sample: Floats, fit: NDArray[np.float32], roads: RoadFit, taught: Taught, terrain: Terrain | None
) -> tuple[Road | None, float, float, tuple[Road, ...]]:
    """Return the road that fits best, how unlike it the sample is, how sure it is, and the next best.

    Colour and edges come first, each strip beside the terrain that suits it best.
    """
    if not fit.size:
        return None, np.inf, 0.0, ()
    costs = fit.copy()
    if terrain is not None and terrain in roads.terrains:
        other = np.arange(len(roads.terrains)) != roads.terrains.index(terrain)
        costs[:, :, other] += _OFF_TERRAIN
    strips = costs.min(axis=2).ravel()
    # The likeliest colour's roads are all compared, for on pale ones the first glance knows little of where they lead.
    ranks = np.argsort(strips)
    of_color = ranks // costs.shape[1] == ranks[0] // costs.shape[1]
    likely = ranks[of_color | (np.arange(len(ranks)) < _ROADS_COMPARED)]
    terrains = costs.argmin(axis=2).ravel()[likely]
    colors, pairs = likely // costs.shape[1], likely % costs.shape[1]
    unlikes, apart = compared(sample, (colors * costs.shape[2] + terrains) * costs.shape[1] + pairs, taught.roads)
    totals = strips[likely] + _UNLIKE_WEIGHT * unlikes + _APART_WEIGHT * apart

    def road(index: int) -> Road:
        return Road(roads.colors[colors[index]], roads.terrains[terrains[index]], EDGE_PAIRS[pairs[index]])

    found = [
        (float(totals[index]), float(unlikes[index]), road(index)) for index in np.argsort(totals, kind="stable")[:3]
    ]
    _, best_unlike, best = found[0]
    sure = certainty(found[1][0] - found[0][0], _ROAD_GAP)
    others = [road for _, _, road in found[1:3]]
    grounds = np.sort(costs[roads.colors.index(best.color), EDGE_PAIRS.index(best.edges)])
    sure_of_ground = certainty(float(grounds[1] - grounds[0]), _GROUND_GAP) if len(grounds) > 1 else 1.0
    if sure_of_ground < sure:
        row = costs[roads.colors.index(best.color), EDGE_PAIRS.index(best.edges)]
        others.insert(0, Road(best.color, roads.terrains[int(np.argsort(row)[1])], best.edges))
    return best, best_unlike, min(sure, sure_of_ground), tuple(others)
