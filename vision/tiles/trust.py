"""How likely each answer for a cell is, from the evidence for it: a small fitted function.

`bench.training` gathers examples (the reading, the evidence, the truth) and fits the weights in vision/trust.json. The
evidence is relative to what a table taught, so that the function holds on tables that it was not fitted on.
`bench.training.fit` measures how well, by leaving out one table after another. No evidence is a colour or a brightness:
it comes from comparing the cell with this table's own taught pieces, and from what else is known of it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from companion.board import BARE, BadInputError, Contents, Merchants, Road, Settlement, Terrain, Tile, Workshop
from vision.light.flatten import Floats, Numbers
from vision.tiles.exemplars import Exemplars
from vision.tiles.opinion import LEAST_LOG, MOST_COUNTED, Opinion
from vision.tiles.strips import Edges, Strip, most_like_road

#: The meaning of the numbers, in order.
FEATURES = (
    "bare",
    "road",
    "workshop",
    "settlement",
    "was clear",
    "as before",
    "tile as before",
    "clean known",
    "other terrain than the board's",
    "off its place",
    "tile known",
    "tile as known",
    "mean change",
    "peak change",
    "picture's noise",
    "under a hand",
    "beside a hand",
    "deal",
    "cubes",
    "colours of cubes",
    "most of a colour",
    "copies taught",
    "hidden when taught",
    "strips asked",
    "strip's way",
    "strip's way, beside its best rival",
    "strip's colour",
    "strip's colour, beside its best rival",
    "strip's terrain",
    "strip's terrain, beside its best rival",
    "compared",
    "nearness",
    "tones apart",
    "tones apart, beside its best rival",
    "likeness",
    "likeness, beside its best rival",
    "side by side",
    "side by side, beside its best rival",
    "probability of the tile",
    "probability of the cubes",
    "probability of its least sure colour",
    "likeliest tile",
    "likeliest cubes",
    "probability",
    "probability, beside its best rival",
)
#: This many photographs of an unchanged cell count together.
MOST_VIEWS = 5
#: A likeness that every tile has at least, and how far a tile without any rival is ahead.
_LEAST_LIKENESS, _ALONE = -4.0, 6.0

#: How many answers of a comparison are weighed, and offered if a cell is in doubt.
PERHAPS = 5
#: How much less likely (a logarithm) an answer is in which one cube went and another came, where cubes stay: the
#: second rather lies on the first. On the eight tables left out of learning and ten of another hand it was the
#: likeliest answer 15 times, on 12 cells, and always wrong; that a cube went and none came was right all nine times,
#: on 4 cells.
_EXCHANGED = 4.0

T = TypeVar("T")


@dataclass(frozen=True)
class Reasons:
    """What is known of a cell besides its look.

    `terrain` and `site` are the board's there (None if the layout is not known), `before` is what was there when it was
    last clear, and `has_clean` is whether its tile was seen without cubes. `tiles` holds the tile that is known to be
    there; nothing if that is not known. `cubes` are those that lie there, seen or not, as far as is known. `mean` and
    `peak` say how much it changed, `noise` how much the picture's cells changed on the whole. `strips` are what is seen
    along the ways of the roads that it may show. `under_hand` is the share of the cell where a hand was found.
    """

    terrain: Terrain | None
    site: bool | None
    before: Contents | None
    has_clean: bool
    mean: float
    peak: float
    noise: float
    is_deal: bool
    tiles: tuple[Tile | None, ...] = ()
    strips: Mapping[Edges, Strip] = field(default_factory=dict)
    under_hand: float = 0.0
    beside_hand: bool = False
    cubes: Merchants = BARE.merchants


@dataclass(frozen=True)
class Views:
    """Why a cell was read as it was, and what each comparison since then said, one for each photograph, newest last."""

    reasons: Reasons
    opinions: tuple[Opinion, ...]

    def with_opinion(self, opinion: Opinion) -> Views:
        """Return the views with one more photograph's opinion."""
        return replace(self, opinions=(*self.opinions, opinion)[-MOST_VIEWS:])


def answers_of(views: Views) -> tuple[Contents, ...]:
    """Return what a cell may show: the answers of comparing it with the taught tiles, and what was there before.

    Cubes that seem to be gone may lie under others.
    """
    newest = views.opinions[-1].ranked
    before = () if views.reasons.before is None else (views.reasons.before,)
    beneath = replace(newest[0], merchants=newest[0].merchants.most(views.reasons.cubes))
    roads = _roads(newest, views.reasons.strips)
    return tuple(
        dict.fromkeys((*newest[:PERHAPS], *(opinion.best for opinion in views.opinions), beneath, *roads, *before))
    )


def as_cubes_stay(shares: Mapping[Contents, float], cubes: Merchants) -> dict[Contents, float]:
    """Return how likely answers are where these `cubes` lay, in a game in which cubes stay.

    One that came to lie on another may hide it, so that this seems to be gone. What the shares leave to anything else
    stays as likely as it was, beside the answers in which that is not so.
    """
    if not cubes:
        return dict(shares)
    factor = math.exp(-_EXCHANGED)
    each = {
        answer: share * factor if _are_exchanged(cubes, answer.merchants) else share for answer, share in shares.items()
    }
    whole = sum(each.values()) + max(1 - sum(shares.values()), 0.0)
    return {answer: share / whole for answer, share in each.items()}


def _are_exchanged(cubes: Merchants, now: Merchants) -> bool:
    """Return whether some of the cubes are gone, and others have come."""
    left = now.least(cubes)
    return left not in (cubes, now)


def _roads(answers: Sequence[Contents], strips: Mapping[Edges, Strip]) -> Iterator[Contents]:
    """Yield roads, as their strips show them: along the likeliest answer's way, and along the way most like a road."""
    on_roads = [answer for answer in answers if isinstance(answer.tile, Road)]
    ways = [road.edges for answer in on_roads[:1] if isinstance(road := answer.tile, Road)]
    for edges in dict.fromkeys((*ways, *most_like_road(strips))):
        if edges in strips:
            for road in strips[edges].roads(edges):
                same = [answer for answer in answers if answer.tile == road]
                yield Contents(road, next((answer.merchants for answer in (*same, *on_roads)), Merchants()))


def evidence(contents: Contents, views: Views, exemplars: Exemplars) -> Floats:
    """Return the evidence for what may be on a cell, in the order of `FEATURES`.

    The comparisons of several photographs count together.
    """
    tile, reasons = contents.tile, views.reasons
    counts = contents.merchants.counts
    copies, hidden = exemplars.taught_of(tile)
    return np.array(
        [
            tile is None,
            isinstance(tile, Road),
            isinstance(tile, Workshop),
            isinstance(tile, Settlement),
            reasons.before is not None,
            reasons.before == contents,
            reasons.before is not None and reasons.before.tile == tile,
            reasons.has_clean,
            isinstance(tile, Road) and reasons.terrain is not None and tile.terrain is not reasons.terrain,
            # A settlement off a site, or another tile on one.
            reasons.site is not None and tile is not None and isinstance(tile, Settlement) is not reasons.site,
            bool(reasons.tiles),
            tile in reasons.tiles,
            reasons.mean,
            reasons.peak,
            reasons.noise,
            reasons.under_hand,
            reasons.beside_hand,
            reasons.is_deal,
            contents.merchants.total,
            len(counts),
            max(counts.values(), default=0),
            copies,
            hidden,
            *_strip(tile, reasons.strips),
            *_means([_numbers_of(contents, opinion) for opinion in views.opinions]),
        ],
        np.float32,
    )


def _means(rows: Sequence[tuple[float, ...]]) -> Sequence[float]:
    """Return the mean of each column."""
    return rows[0] if len(rows) == 1 else [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def _strip(tile: Tile | None, strips: Mapping[Edges, Strip]) -> tuple[float, ...]:
    """Return whether there are strips, and how likely they make the tile's way, colour and terrain.

    Each is also compared with its best rival. Bare ground is looked for along the way that is least like it; any other
    piece requires that no way has a road.
    """
    if not strips:
        return (0.0,) * 7
    roads = {edges: strip.road for edges, strip in strips.items()}
    if tile is None:
        bare = min((strip.colors for strip in strips.values()), key=lambda colors: colors[None])
        return (1.0, 0.0, -max(roads.values()), *_beside_rival(bare, None), 0.0, 0.0)
    if not isinstance(tile, Road):
        return (1.0, 0.0, -max(roads.values()), 0.0, 0.0, 0.0, 0.0)
    if tile.edges not in strips:
        return (1.0,) + (LEAST_LOG,) * 6
    strip = strips[tile.edges]
    way, color = _beside_rival(roads, tile.edges), _beside_rival(strip.colors, tile.color)
    return (1.0, *way, *color, *_beside_rival(strip.terrains, tile.terrain))


def _beside_rival(logs: Mapping[T, float], name: T) -> tuple[float, float]:
    """Return a name's logarithm of probability, and how much greater it is than the best other one's."""
    own = logs.get(name, LEAST_LOG)
    return own, own - max((log for other, log in logs.items() if other != name), default=LEAST_LOG)


def _numbers_of(contents: Contents, opinion: Opinion) -> tuple[float, ...]:
    row = opinion.row(contents.tile)
    best_other = opinion.best_but(contents)
    best_other = LEAST_LOG if best_other is None else best_other
    if row is None:
        # A tile that nobody taught cannot be recognised, and one far behind the best was not looked at.
        least = min(float(opinion.likeness.min()), _LEAST_LIKENESS)
        behind = least - float(opinion.likeness.max())
        by_look = (0.0, float(opinion.near.min()), float(opinion.apart.max()), 1.0, least, behind, 0.0, 0.0)
        return (*by_look, *(LEAST_LOG,) * 3, 0.0, 0.0, LEAST_LOG, max(LEAST_LOG - best_other, LEAST_LOG))
    numbers, of_each = opinion.numbers, contents.merchants
    by_color, tile_log = numbers.counts[row], numbers.logs[row]
    counted = (of_each.black, of_each.grey, of_each.yellow, of_each.red)
    of_colors = [logs[min(number, MOST_COUNTED)] for logs, number in zip(by_color, counted, strict=True)]
    of_cubes = sum(of_colors)
    log = max(tile_log + of_cubes, 2 * LEAST_LOG)
    return (
        1.0,
        numbers.near[row],
        *_beside(numbers.apart, row, min, -1.0),
        *_beside(numbers.likeness, row, max, _ALONE),
        *_beside(numbers.same, row, max, _ALONE),
        tile_log,
        max(of_cubes, LEAST_LOG),
        min(of_colors),
        float(row == 0),
        float(of_colors == numbers.most[row]),
        log,
        min(max(log - best_other, LEAST_LOG), -LEAST_LOG),
    )


def _beside(
    values: Sequence[float], row: int, best: Callable[[Sequence[float]], float], alone: float
) -> tuple[float, float]:
    """Return a tile's number, and how far it is from its best rival's; `alone` if it has no rival."""
    rivals = [*values[:row], *values[row + 1 :]]
    return values[row], values[row] - best(rivals) if rivals else alone


WEIGHTS = Path(__file__).parents[1] / "trust.json"
#: A clear reading must be at least this likely, and this likely if a hand seems to cover some of the cell.
ENOUGH, UNDER_HAND = 0.96, 0.995
#: What seems to be a hand is none if the reading without a hand is at least this likely.
EXPLAINED = 0.95
#: Cubes beyond counting are a heap if the answer with the highest count is at least this likely.
COUNTED = 0.6
#: Evidence counts no farther than this from its mean over the examples, in standard deviations.
FARTHEST = 4.0

_PARTS = ("mean", "scale", "hidden", "out", "rest")


@dataclass(frozen=True)
class Trust:
    """A network of one hidden layer: `mean` and `scale` (features,), `hidden` (features + 1, units), `out` (units,).

    The last row of `hidden` is added to the sums. The result is the logarithm of an answer's odds against the other
    answers for its cell; `rest` (1,) is that of everything not among them (McFadden's conditional logit).
    """

    mean: Numbers
    scale: Numbers
    hidden: Numbers
    out: Numbers
    rest: Numbers

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Trust:
        """Return the trust that `to_json` wrote; BadInputError if it was fitted to other evidence."""
        if tuple(value.get("features", ())) != FEATURES:
            raise BadInputError("the weights of trust are of other evidence than this version gathers; fit them anew")
        return cls(*(np.array(value[name], np.float64) for name in _PARTS))

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        parts = {name: np.round(getattr(self, name), 5).tolist() for name in _PARTS}
        return {"features": list(FEATURES), **parts}

    @classmethod
    def read(cls, path: Path) -> Trust:
        """Return the trust written to a file."""
        return cls.from_json(json.loads(path.read_text(encoding="utf-8")))

    def probabilities(self, rows: Floats, cells: NDArray[np.int64]) -> Numbers:
        """Return for each row of evidence, (n, features), how likely that answer is, 0 to 1.

        `cells` (n,) says, by numbers from 0 on, which rows are answers for the same cell. These shares add up to less
        than 1, because the cell may hold something else.
        """
        inputs = np.clip((rows - self.mean) / self.scale, -FARTHEST, FARTHEST)
        odds = np.maximum(inputs @ self.hidden[:-1] + self.hidden[-1], 0) @ self.out
        return shares_of(odds, float(self.rest[0]), cells)


def shares_of(odds: Numbers, rest: float, cells: NDArray[np.int64]) -> Numbers:
    """Return how likely answers with these logarithms of odds are among those for their cell and the rest."""
    most = np.full(int(cells.max()) + 1, rest)
    np.maximum.at(most, cells, odds)
    each = np.exp(odds - most[cells])
    return np.asarray(each / (np.bincount(cells, each) + np.exp(rest - most))[cells], np.float64)


@cache
def shipped() -> Trust:
    """Return the trust that comes with this version."""
    return Trust.read(WEIGHTS)
