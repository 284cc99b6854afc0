"""What comparing a photograph's cells with the taught tiles says of them, and how likely that makes each answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from calibration.view import BoardView
from companion.board import BARE, Contents, HexCell, Road, Settlement, Tile
from vision.evidence import Reasons, Views, evidence
from vision.exemplars import Embedded, Exemplars
from vision.flatten import FINE_PX, Floats, Image, from_above
from vision.growing import Growing
from vision.look import BoardLook
from vision.memory import Known, Memory
from vision.opinion import Opinion
from vision.patches import Levels, cut, cut_levels, evened
from vision.strips import Edges, Strip
from vision.teach import Taught
from vision.trust import EXPLAINED, Trust

#: So many answers of what comparing says are weighed, and offered where a cell is in doubt.
PERHAPS = 5
_NOTHING: Mapping[HexCell, Known] = {}


def answers_of(views: Views) -> tuple[Contents, ...]:
    """Return what a cell may show: what comparing it with the taught tiles says, and what lay there before."""
    newest = views.opinions[-1].ranked[:PERHAPS]
    before = () if views.reasons.before is None else (views.reasons.before,)
    road = _road(newest, views.reasons.strips)
    return tuple(dict.fromkeys((*newest, *(opinion.best for opinion in views.opinions), *road, *before)))


def _road(answers: Sequence[Contents], strips: Mapping[Edges, Strip]) -> tuple[Contents, ...]:
    """Return the likeliest road of those that are among the answers as its strip shows it, in colour and terrain."""
    for answer in answers:
        if isinstance(answer.tile, Road) and answer.tile.edges in strips:
            strip = strips[answer.tile.edges]
            color = max((one for one in strip.colors if one is not None), key=lambda one: strip.colors[one])
            terrain = max(strip.terrains, key=lambda one: strip.terrains[one])
            return (Contents(Road(color, terrain, answer.tile.edges), answer.merchants),)
    return ()


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
        self, fine: Fine, memory: Memory, reasons: Mapping[HexCell, Reasons], cells: Sequence[HexCell]
    ) -> dict[HexCell, Views]:
        """Return cells as they are seen in this photograph alone."""
        opinions = self.compared(fine, cells, memory)
        strips = self._strips(fine, memory, opinions, reasons)
        return {
            cell: Views(replace(reasons[cell], strips=strips.get(cell, {})), (opinion,))
            for cell, opinion in opinions.items()
        }

    def _strips(
        self, fine: Fine, memory: Memory, opinions: Mapping[HexCell, Opinion], reasons: Mapping[HexCell, Reasons]
    ) -> dict[HexCell, dict[Edges, Strip]]:
        """Return what is seen along the ways of the roads that cells may show, and of those that lay there."""
        taught = self.exemplars.strips
        if taught is None:
            return {}
        asked = [
            (cell, edges)
            for cell, opinion in opinions.items()
            for edges in dict.fromkeys(_ways(opinion, reasons[cell].before))
        ]
        if not asked:
            # The fine picture is not even made.
            return {}
        cells = [cell for cell, _ in asked]
        read = taught.read(
            cut(fine.levels, cells)[:, 0], cut(memory.look.levels, cells)[:, 0], [edges for _, edges in asked]
        )
        found: dict[HexCell, dict[Edges, Strip]] = {}
        for (cell, edges), strip in zip(asked, read, strict=True):
            found.setdefault(cell, {})[edges] = strip
        return found

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


def _ways(opinion: Opinion, before: Contents | None) -> Iterator[Edges]:
    """Return the edges that roads join which a cell may show, the likeliest first."""
    tiles = (*opinion.tiles, None if before is None else before.tile)
    if any(isinstance(tile, Road) for tile in opinion.tiles):
        yield from (tile.edges for tile in tiles if isinstance(tile, Road))
