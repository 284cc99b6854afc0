"""What comparing a photograph's cells with the taught tiles says of them, and how likely that makes each answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from calibration.view import BoardView
from companion.board import BARE, Contents, HexCell, Road, Settlement, Tile
from vision.cells import Shown
from vision.evidence import Reasons, Views, evidence
from vision.exemplars import Embedded, Exemplars
from vision.flatten import FINE_PX, Floats, Image, from_above
from vision.growing import Growing
from vision.look import BoardLook
from vision.memory import Known, Memory
from vision.opinion import Opinion
from vision.patches import Levels, cut, cut_levels, evened
from vision.roads import fit_roads, fitting
from vision.teach import Taught
from vision.trust import EXPLAINED, Trust

#: So many answers of what comparing says are weighed, and offered where a cell is in doubt.
PERHAPS = 5
_NOTHING: Mapping[HexCell, Known] = {}


def answers_of(views: Views) -> tuple[Contents, ...]:
    """Return what a cell may show: what comparing it with the taught tiles says, and what lay there before."""
    newest = views.opinions[-1].ranked[:PERHAPS]
    before = () if views.reasons.before is None else (views.reasons.before,)
    strip = next(iter(views.reasons.roads), None)
    road = () if strip is None or newest[0].tile == strip else (Contents(strip, newest[0].merchants),)
    return tuple(dict.fromkeys((*newest, *(opinion.best for opinion in views.opinions), *road, *before)))


@dataclass(frozen=True)
class Fine:
    """A photograph as the learnt nets see it, made when they ask; `made` are cells that were asked about already."""

    image: Image
    view: BoardView
    extent: float
    gain: Floats
    exemplars: Exemplars
    made: dict[HexCell, Embedded] = field(default_factory=dict)

    @cached_property
    def levels(self) -> Levels:
        """The board from above in even light, finely."""
        return evened(from_above(self.image, self.view, self.extent, FINE_PX), self.gain)

    def of(self, cells: Sequence[HexCell]) -> Embedded:
        """Return some cells, at least one, as the nets see them."""
        new = [cell for cell in cells if cell not in self.made]
        found = self.exemplars.embedded(cut(self.levels, new)[:, 0])
        self.made.update((cell, found[[place]]) for place, cell in enumerate(new))
        return Embedded.joined([self.made[cell] for cell in cells])


def keep_clean(memory: Memory, fine: Fine) -> None:
    """Keep what tiles without cubes look like where they were not seen so before."""
    tiles = {
        cell: tile
        for cell, tile in memory.clean_tiles.items()
        if tile is not None and memory.clean_patches.get(cell, (None,))[0] != tile
    }
    if tiles:
        fine.of(tuple(tiles))
        memory.clean_patches |= {cell: (tile, fine.made[cell]) for cell, tile in tiles.items()}


class Comparing:
    """Compares cells with what a table taught; `trust` says how likely each answer then is. Remembers bare ground."""

    def __init__(self, taught: Taught, trust: Trust) -> None:
        self._taught, self._trust = taught, trust
        self.growing = Growing(taught.exemplars)
        self._places = {cell: place for place, cell in enumerate(taught.board.cells)}
        self._bare: tuple[BoardLook, Embedded] | None = None

    @property
    def exemplars(self) -> Exemplars:
        """What cells are compared with: the taught tiles, and examples of them from games."""
        return self.growing.exemplars

    def grow(self, cell: HexCell, tile: Tile, fine: Fine) -> None:
        """Take a cell of a photograph as an example of the tile that lies there without cubes."""
        self.growing.add(tile, cut_levels(fine.levels, [cell])[0, 0])

    def viewed(
        self,
        fine: Fine,
        shown: Shown,
        memory: Memory,
        reasons: Mapping[HexCell, Reasons],
        cells: Sequence[HexCell],
    ) -> dict[HexCell, Views]:
        """Return cells as they are seen in this photograph alone."""
        opinions = self.compared(fine, cells, memory)
        strips = [cell for cell, one in opinions.items() if any(isinstance(tile, Road) for tile in one.tiles)]
        roads = self._strips(shown, strips)
        return {
            cell: Views(replace(reasons[cell], roads=roads.get(cell, {})), (opinion,))
            for cell, opinion in opinions.items()
        }

    def _strips(self, shown: Shown, cells: Sequence[HexCell]) -> dict[HexCell, Mapping[Road, float]]:
        """Return how ill the likeliest roads' strips fit cells."""
        if not cells:
            return {}
        looks = self._taught.roads
        seen = shown.samples[[self._places[cell] for cell in cells]]
        fit = fit_roads(seen, looks)
        return {cell: fitting(one, costs, fit, looks) for cell, one, costs in zip(cells, seen, fit.costs, strict=True)}

    def compared(
        self, fine: Fine, cells: Sequence[HexCell], memory: Memory, anew: bool = False
    ) -> dict[HexCell, Opinion]:
        """Return what comparing these cells of a photograph with the taught tiles says of each.

        Settlements are dealt before a game and stay: where it is known which lies there, no other one does; but any
        may `anew`.
        """
        if not cells:
            return {}
        ground = self._bare_ground(memory.look, cells)
        dealt = {} if anew else self._dealt(memory, cells)
        opinions = self.exemplars.opinions(fine.of(cells), ground, self._own(memory, cells), dealt)
        return dict(zip(cells, opinions, strict=True))

    def _bare_ground(self, look: BoardLook, cells: Sequence[HexCell]) -> Embedded:
        """Return cells as the nets see them bare, at least one; all are looked at once in a layout."""
        if self._bare is None or self._bare[0] is not look:
            self._bare = look, self.exemplars.embedded(cut(look.levels, self._taught.board.cells)[:, 0])
        return self._bare[1][[self._places[cell] for cell in cells]]

    def _dealt(self, memory: Memory, cells: Sequence[HexCell]) -> dict[int, Settlement]:
        """Return the cells, by place, of which it is known which settlement was dealt there."""
        found = {}
        for place, cell in enumerate(cells):
            known = memory.cells.get(cell)
            if known is not None and known.tile_is_clear and isinstance(known.contents.tile, Settlement):
                found[place] = known.contents.tile
        return found

    def _own(self, memory: Memory, cells: Sequence[HexCell]) -> dict[int, tuple[Tile, Embedded]]:
        """Return the cells, by place, whose tile was seen before without cubes, with what it looked like then."""
        return {place: memory.clean_patches[cell] for place, cell in enumerate(cells) if cell in memory.clean_patches}

    def likely(
        self, views: Mapping[HexCell, Views], known: Mapping[HexCell, Known] = _NOTHING
    ) -> dict[HexCell, dict[Contents, float]]:
        """Return for each cell how likely each answer is: what comparing it says, and what is `known` of it."""
        answers = [
            (cell, answer)
            for cell, at in views.items()
            for answer in dict.fromkeys(answers_of(at) + ((known[cell].contents,) if cell in known else ()))
        ]
        if not answers:
            return {}
        rows = [evidence(answer, views[cell], self.exemplars) for cell, answer in answers]
        places = {cell: place for place, cell in enumerate(views)}
        cells = np.array([places[cell] for cell, _ in answers])
        likely: dict[HexCell, dict[Contents, float]] = {}
        shares = self._trust.probabilities(np.array(rows), cells)
        for (cell, answer), share in zip(answers, shares.tolist(), strict=True):
            likely.setdefault(cell, {})[answer] = share
        return likely

    def explained(self, views: Mapping[HexCell, Views]) -> set[HexCell]:
        """Return the cells, of those where a hand seems to be, that are so well understood that none is there.

        A tile that was not expected there differs as much from the board as a hand does; what lay there does not.
        """
        found = set()
        for cell, shares in self.likely(views).items():
            best, before = max(shares, key=lambda answer: shares[answer]), views[cell].reasons.before
            if shares[best] >= EXPLAINED and best != (before or BARE):
                found.add(cell)
        return found
