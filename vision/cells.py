"""All cells of one photograph: which changed, and what lies there now.

First *whether* a cell changed, then *what* it is, and only there. A changed cell is first explained by cubes that came
or went on what is known to lie there; only what that leaves unexplained is read anew.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from companion.board import Color, Contents, HexCell, Road, Settlement, Tile, Workshop
from vision.against import Against, against
from vision.changes import Changes
from vision.classify import SETTLEMENT_GAP, Ground, Seen, best_of, classify
from vision.counting import Counting
from vision.crowds import beside_strip, far_from, other_share
from vision.cubes import Cube, evenly, find_cubes, hidden_by, likeness_at, without_shadows
from vision.evidence import Reasons
from vision.flatten import SIDE_PX, Floats, window
from vision.memory import CLEAR, Known, Memory, has_crowd
from vision.naming import doubted, with_cubes
from vision.roads import RoadFit, fit_roads
from vision.roundness import fullness
from vision.samples import SAMPLE_PX, hexagon, sample, tones, unlike
from vision.settlements import Shown as SettlementShown
from vision.settlements import fit_kinds
from vision.shade import Sameness, sameness
from vision.teach import Taught

#: A cell that differs no more than this from the one without cubes has none.
_SAME_FLOOR, _SAME_TIMES = 0.011, 1.25
#: What cubes leave unexplained of a cell that is otherwise as known.
_LEFT_FLOOR, _LEFT_TIMES = 0.024, 2.4
#: How like a cube a place must be, where the cell without cubes is known, and where it is not.
_ENOUGH_KNOWN, _ENOUGH_UNKNOWN = 0.42, 0.6
#: Where the tile without cubes was never seen: how much more like a cube than the tile's own art, or on a settlement
#: halfway from that to what cubes are, but no less than the second.
_ABOVE_ART, _ENOUGH_ON_SETTLEMENT, _AS_CUBES_ARE = 0.08, 0.56, 0.9
#: At a deal nothing but settlements lies on the board: only what is surely a cube is one.
_ENOUGH_AT_DEAL = 0.85
#: On bare cells no road's strip differs by more than 0.03 from what lies beside it, on roads by 0.04 and more; only
#: under a lamp's reflection by as little as 0.014. Above the first figure it counts against a cell that should show
#: none, or the one that it shows already, with this weight.
_STRIP_FAINT, _STRIP_WEIGHT, _STRIP_MOST = 0.022, 2.0, 0.08
#: A cube on a bare cell or a road looks like a piece of a strip: a road must be this much less likely for each.
_STRIP_CUBE = 0.035
#: Settlements and workshops stay where they lie: what was known counts as this much more alike.
_LARGE_KNOWN = 0.05
#: A cell that seems as known though this much is unexplained is not understood: a hand perhaps.
_STRANGE_LEFT = 1.7
#: So full of a colour's mark is the ring about the middle only on its workshop, not where cubes stand on a bare cell;
#: and where cubes cover it no more of it than this is of another colour.
_DISC, _OTHER = 0.6, 0.2
#: A cell that seems to show a road is rather full of cubes where so much beside the strip is of their tone.
_FILLED = 0.5
#: As far from doubt about a cube as where none is.
_NO_CUBE = 0.3
#: Where a hand seems to cover more than this share of a cell, it does.
FULLY = 0.95
#: What is this alike the bare cell is bare.
_GONE = 0.1
#: What cubes leave unexplained counts against a cell being as known: flat grounds correlate with each other anyway.
_LEFT_WEIGHT, _LEFT_MOST = 0.03, 0.05

#: A cell on which nothing lies, as it is known without further reading.
BARE = Known(Contents(None), 1.0, is_clear=True, tile_is_clear=True)


@dataclass(frozen=True)
class Shown:
    """A photograph in even light: the flat picture's tones, and each cell's sample with the one expected."""

    tone: Floats
    samples: Floats
    expected: Floats


@dataclass(frozen=True)
class _Named:
    """How a cell's tile and cubes were named: how sure the tile, the cubes found, how like one each must be."""

    tile_sure: float
    cubes: list[Cube]
    enough: Mapping[Color, float]
    left: float
    strip: float
    is_as_before: bool


class CellReader:
    """Reads the cells of one photograph against a game's memory, which it does not change."""

    def __init__(
        self, taught: Taught, memory: Memory, shown: Shown, hands: Mapping[HexCell, float], is_deal: bool
    ) -> None:
        """`hands` are the cells where a hand was found, with the share of each that it seems to cover.

        `reasons` are as if none were. `same` are the cells that look as they did but for the light that falls on them.
        """
        self.same: set[HexCell] = set()
        self._samenesses: dict[HexCell, Sameness] = {}
        self.reasons: dict[HexCell, Reasons] = {}
        self.settlements: dict[HexCell, SettlementShown] = {}
        self.workshop_fits: dict[HexCell, Mapping[Workshop, float]] = {}
        self._is_deal = is_deal
        self._enough_known = dict.fromkeys(Color, _ENOUGH_AT_DEAL if is_deal else _ENOUGH_KNOWN)
        self._taught, self._memory, self._shown, self._hands = taught, memory, shown, hands
        self._changes = Changes.between(shown.samples, shown.expected, taught.board, hands)
        self._rows: dict[int, int] = {}
        self._counting = Counting(taught, memory, shown.tone)
        self._likenesses: dict[HexCell, Mapping[Color, Floats]] = {}
        self._clean_samples: dict[HexCell, Floats] = {}

    def read(self, only: Collection[HexCell] | None = None) -> dict[HexCell, Known]:
        """Return what is known now of every cell, or of `only` these, that changed or was not clear.

        What a hand seems to hide altogether is left out where it was known: where nothing was, perhaps none is there.
        """
        moved, seen = self._changes.has_moved, self._memory.cells
        cells = [
            (index, cell)
            for index, cell in enumerate(self._taught.board.cells)
            if (only is None or cell in only)
            and (self._hands.get(cell, 0.0) <= FULLY or self._may_be_free(index, cell))
        ]
        # What shows the bare board when it is first seen is bare.
        bare = {cell: BARE for index, cell in cells if cell not in seen and not moved[index]}
        self.same |= {
            cell for index, cell in cells if cell in seen and moved[index] and self._is_same(cell, seen[cell])
        }
        moved = moved & [cell not in self.same for cell in self._taught.board.cells]
        read = [
            (index, cell) for index, cell in cells if cell not in bare and (moved[index] or not seen[cell].is_clear)
        ]
        self._rows = {index: row for row, (index, _) in enumerate(read)}
        self._counting.expect([cell for _, cell in read], self._shown.samples[list(self._rows)])
        found = {cell: self._counted(index, cell, bool(moved[index])) for index, cell in read}
        if not seen and any(has_crowd(now) for cell, now in found.items() if cell not in self._hands):
            # A photograph without a past tells by itself that the game is one of crowds: workshops hide cubes there.
            self._counting.in_crowds = True
            again = [(index, cell) for index, cell in read if isinstance(found[cell].contents.tile, Workshop)]
            found |= {cell: self._counted(index, cell, bool(moved[index])) for index, cell in again}
        return bare | found

    def _is_same(self, cell: HexCell, known: Known) -> bool:
        """Return whether a cell that was understood shows what it did, in another light."""
        return (known.is_clear or known.is_crowd) and self.sameness(cell).otherness < 1

    def sameness(self, cell: HexCell) -> Sameness:
        """Return how a cell compares with what was last seen there, in any shade."""
        if cell not in self._samenesses:
            expected = tones(window(self._memory.expected, cell.centre, SIDE_PX + 1))
            self._samenesses[cell] = sameness(window(self._shown.tone, cell.centre, SIDE_PX), expected)
        return self._samenesses[cell]

    def _may_be_free(self, index: int, cell: HexCell) -> bool:
        """Return whether a cell that a hand seems to hide, and of which nothing is known, could show a tile."""
        known = self._memory.cells.get(cell)
        is_known = known is not None and known.is_clear
        return not is_known and self._taught.grounds.could_show_tile(self._shown.samples[index])

    def _counted(self, index: int, cell: HexCell, has_moved: bool) -> Known:
        """Return what is known of a cell now, with the number of its cubes left open where they are a crowd."""
        before = self._memory.cells.get(cell)
        if before is not None and before.is_crowd and not has_moved:
            return before
        now = self._staying_workshop(index, cell, before) or self._read(index, cell)
        tile = now.contents.tile
        road = tile if now.is_clear and isinstance(tile, Road) else None
        if not now.is_clear or road is not None:
            workshop = self._crowded_workshop(index, cell, before, road)
            if workshop is not None and road is not None:
                # A clear road, but as round as a workshop of its colour: one or the other, and in a game of crowds
                # rather the latter.
                crowd = self._crowd(index, cell, workshop)
                if self._counting.in_crowds and crowd.is_crowd:
                    return crowd
                others = (crowd.contents, *crowd.alternatives)
                return replace(doubted(now), alternatives=others, tile_is_clear=False)
            now = workshop or now
        crowd = self._crowd(index, cell, now)
        is_swapped = (
            before is not None and before.tile_is_clear and before.contents.tile not in (None, now.contents.tile)
        )
        # A heap on another tile than lay there is rather a sleeve.
        return replace(doubted(crowd), tile_is_clear=False) if is_swapped and crowd.is_crowd else crowd

    def _crowd(self, index: int, cell: HexCell, now: Known) -> Known:
        """Return the cell with its cubes counted where they are a crowd, or their number left open."""
        counted = self._counting.counted(cell, self._shown.samples[index], now)
        if cell not in self._counting.told:
            return counted
        # What squares explain was weighed by them, not by how its tile was named.
        self.reasons.pop(cell, None)
        self.workshop_fits.pop(cell, None)
        self.settlements.pop(cell, None)
        return doubted(counted) if cell in self._hands and counted.is_clear else counted

    def _staying_workshop(self, index: int, cell: HexCell, before: Known | None) -> Known | None:
        """Return the workshop of a game of crowds that was known to lie there, until the bare board is seen."""
        if before is None or not isinstance(before.contents.tile, Workshop) or not before.tile_is_clear:
            return None
        if not before.is_crowd and not before.contents.merchants[before.contents.tile.color]:
            return None
        sample, tile = self._shown.samples[index], before.contents.tile
        disc = self._taught.roundness.disc_share(sample, tile.color)
        has_disc = disc is not None and disc >= _DISC / 2
        if not has_disc and unlike(sample, self._bare[index], hexagon(0.1)) <= _GONE:
            return None
        return Known(Contents(tile), CLEAR, is_clear=True, tile_is_clear=True)

    def _crowded_workshop(self, index: int, cell: HexCell, before: Known | None, road: Road | None) -> Known | None:
        """Return a workshop that was placed with cubes of its colour all over it; None where nothing says so.

        Where a `road` is seen clearly, only a workshop of its colour could be taken for it.
        """
        memory, sample = self._memory, self._shown.samples[index]
        if before is not None and (before.contents.tile is not None or not before.tile_is_clear):
            return None
        if not memory.layout_known or cell in memory.look.sites or self._is_deal:
            return None
        found = dict[Color, float]()
        colors = self._taught.cubes.tones if road is None else {road.color} & self._taught.cubes.tones.keys()
        full = fullness(sample)
        for color in colors:
            top = self._taught.cubes.tones[color]
            if road is not None and beside_strip(sample, road, top, self._taught.roads.grounds[road.terrain]) < _FILLED:
                continue
            disc = self._taught.roundness.share_of(full, color)
            if disc is not None and disc >= _DISC and other_share(sample, top) <= _OTHER:
                found[color] = far_from(sample, top)
        if not found:
            return None
        color = min(found, key=lambda one: found[one])
        return Known(Contents(Workshop(color)), CLEAR, is_clear=True, tile_is_clear=True)

    def _read(self, index: int, cell: HexCell) -> Known:
        """Return what is known of a cell now: what lay there with other cubes where that explains it, else anew."""
        known = self._memory.cells.get(cell)
        before = known.contents.tile if known is not None and known.tile_is_clear else None
        has_clean = (known is None or known.tile_is_clear) and self._memory.clean_tiles[cell] == before
        clean = against(self._shown.tone, self._counting.clean(cell), cell)
        nothing = np.zeros((SAMPLE_PX, SAMPLE_PX), dtype=bool)
        if has_clean and clean.left(nothing) <= max(_SAME_FLOOR, _SAME_TIMES * self._changes.noise):
            self._note(index, cell, _Named(1.0, [], self._enough_known, 0.0, 0.0, is_as_before=True))
            return Known(Contents(before), 1.0, is_clear=True, tile_is_clear=True)
        cubes = self._cubes_with_news(cell, clean, before) if has_clean else []
        sure = [cube for cube in cubes if cube.likeness >= self._enough_known[cube.color]]
        # Discs in a row make a strip: only a settlement or a workshop holds more than two.
        is_large = isinstance(before, Settlement | Workshop)
        few = len(sure) <= 2 or is_large
        left = self._left(clean, cell, sure)
        # A faint road is little of a cell, but it lies like one.
        strip = 0.0 if is_large or sure else clean.strip
        if has_clean and left <= 1 and (is_large or not sure) and strip < _STRIP_FAINT:
            self._note(index, cell, _Named(1.0, cubes, self._enough_known, left, strip, is_as_before=True))
            return with_cubes(before, 1.0, cubes, self._enough_known, ())
        ground = Ground(
            self._bare[index],
            self._memory.look.terrain[cell] if self._memory.layout_known else None,
            cell in self._memory.look.sites if self._memory.layout_known else None,
            before,
            self._clean(cell) if has_clean and few else None,
            hidden_by(sure, cell),
            -_LARGE_KNOWN if is_large else _STRIP_CUBE * len(sure),
            _left_cost(left) + _strip_cost(strip),
            _left_cost(self._left(clean, cell, [])) + _strip_cost(strip) if has_clean and before is None else 0.0,
        )
        seen = classify(
            self._shown.samples[index],
            self._roads.costs[self._rows[index]],
            self._roads,
            self._counting.tile_fits(cell, self._shown.samples[index]),
            self._taught,
            ground,
        )
        if seen.is_as_known or (has_clean and seen.tile == before):
            if not (few and has_clean):
                cubes = self._cubes_on(cell, before)
            enough = self._enough_known if has_clean else self._enough(before)
            self._note(index, cell, _Named(seen.confidence, cubes, enough, left, strip, has_clean))
            now = with_cubes(before, seen.confidence, cubes, enough, seen.others)
            return doubted(now) if has_clean and left > _STRANGE_LEFT else now
        if seen.workshops is not None:
            self.workshop_fits[cell] = seen.workshops
        cubes = self._cubes_on(cell, seen.tile)
        if isinstance(seen.tile, Settlement):
            seen = self._settlement_under(cubes, index, cell, seen)
        enough = self._enough(seen.tile)
        self._note(index, cell, _Named(seen.confidence, cubes, enough, left, strip, is_as_before=False))
        now = with_cubes(seen.tile, seen.confidence, cubes, enough, seen.others)
        if cell in self._memory.open_deal and isinstance(seen.tile, Settlement) and known is not None:
            return replace(known, contents=replace(known.contents, merchants=now.contents.merchants))
        return now

    def _note(self, index: int, cell: HexCell, named: _Named) -> None:
        """Keep why a cell's contents were named as they were."""
        sure = [cube for cube in named.cubes if cube.likeness >= named.enough[cube.color]]
        margins = [abs(cube.likeness - named.enough[cube.color]) for cube in named.cubes]
        memory = self._memory
        self.reasons[cell] = Reasons(
            sample=self._shown.samples[index],
            bare=self._bare[index],
            clean=self._clean(cell) if named.is_as_before else None,
            cubes_hide=hidden_by(sure, cell),
            terrain=memory.look.terrain[cell] if memory.layout_known else None,
            site=cell in memory.look.sites if memory.layout_known else None,
            is_as_before=named.is_as_before,
            tile_sure=named.tile_sure,
            cube_margin=min(margins, default=_NO_CUBE),
            weakest_cube=min((cube.likeness for cube in sure), default=1.0),
            left=named.left,
            strip=named.strip,
            mean=float(self._changes.mean[index]),
            peak=float(self._changes.peak[index]),
            noise=self._changes.noise,
            under_hand=0.0,
            beside_hand=False,
            is_deal=self._is_deal,
        )

    def _settlement_under(self, cubes: list[Cube], index: int, cell: HexCell, seen: Seen) -> Seen:
        """Return the settlement named by what its cubes leave to see."""
        enough = self._enough(seen.tile)
        hidden = hidden_by([cube for cube in cubes if cube.likeness >= enough[cube.color]], cell)
        self.settlements[cell] = self._shown.samples[index], hidden
        if not hidden.any():
            return seen
        fits = fit_kinds(self.settlements[cell], self._taught.settlements)
        tile, sure, others = best_of({Settlement(kind): cost for kind, cost in fits.items()}, SETTLEMENT_GAP)
        return replace(seen, tile=tile, confidence=sure, others=others)

    def _left(self, clean: Against, cell: HexCell, cubes: list[Cube]) -> float:
        """Return what cubes leave unexplained, in what may be left: above 1 it is too much."""
        return clean.left(hidden_by(cubes, cell)) / max(_LEFT_FLOOR, _LEFT_TIMES * self._changes.noise)

    def _cubes_on(self, cell: HexCell, tile: Tile | None) -> list[Cube]:
        if tile is None:
            return self._cubes_with_news(cell, against(self._shown.tone, self._memory.look.tone, cell), tile)
        if not isinstance(tile, Settlement):
            return find_cubes(self._likeness(cell, tile), cell, None)
        like = likeness_at(self._shown.tone, cell, self._taught.cubes, in_haze=True)
        return find_cubes(evenly(like, window(self._shown.tone, cell.centre, SIDE_PX)), cell, None)

    def _likeness(self, cell: HexCell, tile: Tile | None) -> Mapping[Color, Floats]:
        """Return the likeness maps of the colours that can be told from the tile: not of a workshop's or road's own."""
        own = tile.color if isinstance(tile, Road | Workshop) else None
        if cell not in self._likenesses:
            self._likenesses[cell] = likeness_at(self._shown.tone, cell, self._taught.cubes)
        like = self._likenesses[cell]
        return {color: found for color, found in like.items() if color is not own}

    def _cubes_with_news(self, cell: HexCell, clean: Against, tile: Tile | None) -> list[Cube]:
        cubes = find_cubes(self._likeness(cell, tile), cell, clean.news)
        return without_shadows(cubes, self._taught.cubes, cell, clean)

    def _enough(self, tile: Tile | None) -> Mapping[Color, float]:
        """Return how like a cube a place on such a tile must be: more than the tile's own art ever is."""
        if tile is None:
            return self._enough_known
        if self._is_deal and isinstance(tile, Settlement):
            return dict.fromkeys(Color, _ENOUGH_AT_DEAL)
        alike = self._taught.lookalikes.on(tile)
        if isinstance(tile, Settlement):
            halfway = {color: (alike.get(color, 0.0) + _AS_CUBES_ARE) / 2 for color in Color}
            return {color: max(_ENOUGH_ON_SETTLEMENT, least) for color, least in halfway.items()}
        return {color: max(_ENOUGH_UNKNOWN, alike.get(color, 0.0) + _ABOVE_ART) for color in Color}

    def _clean(self, cell: HexCell) -> Floats:
        if cell not in self._clean_samples:
            self._clean_samples[cell] = sample(self._counting.clean(cell), cell)
        return self._clean_samples[cell]

    @property
    def _bare(self) -> Floats:
        return self._memory.look.samples

    @cached_property
    def _roads(self) -> RoadFit:
        return fit_roads(self._shown.samples[list(self._rows)], self._taught.roads)


def _strip_cost(strip: float) -> float:
    return min(_STRIP_WEIGHT * max(strip - _STRIP_FAINT, 0.0), _STRIP_MOST)


def _left_cost(left: float) -> float:
    return min(_LEFT_WEIGHT * max(left - 1, 0.0), _LEFT_MOST)
