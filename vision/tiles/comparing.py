"""What a comparison with the taught tiles says of a photograph's cells, and how likely that makes each answer."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.board import BARE, EDGE_PAIRS, Cell, Contents, HexCell, Road, Settlement, Tile, Workshop
from vision.board.layout import BoardLook
from vision.cubes.counting_on import CountingOn
from vision.cubes.tilt import Tilt
from vision.light.flatten import Floats
from vision.memory import KnownCell, Memory
from vision.tiles.exemplars import Embedded, Exemplars
from vision.tiles.fine import Fine, poses_of
from vision.tiles.opinion import Opinion
from vision.tiles.patches import STRAIGHT, Levels, Pose, cut_levels, in_tones
from vision.tiles.settlements import KINDS, Settlements
from vision.tiles.strips import Edges, Strip, is_recognised, most_like_road
from vision.tiles.teach import Growing, Taught
from vision.tiles.trust import ENOUGH, EXPLAINED, Reasons, Trust, Views, answers_of, as_cubes_stay, evidence

#: In each photograph no more cells than this are asked how their tiles lie, and none that looks as it did when it was
#: last asked (the cosine of an angle).
_SOUGHT, _SAME_LOOK = 12, 0.98
#: The comparison names a tile surely if it is this likely (a logarithm).
_SURE = math.log(0.9)
#: Settlements in doubt are looked at beside the others: at a deal all of them, later so many in each photograph. Where
#: the nets are too sure by the second, or more of a kind seem to be there than the box has, those of a deal are that
#: seem clear as well.
_BESIDE, _MISLEADING = 4, 2.0


@dataclass
class _Bare:
    """All cells of a layout bare: as patches of levels, and as the nets see them once they have been asked."""

    look: BoardLook
    patches: Levels
    embedded: Embedded | None = None


class Comparing:
    """Compares cells with what a table taught; `trust` says how likely each answer then is. Remembers bare ground.

    `tilt` puts right how the nets err about this table's cubes.
    """

    def __init__(self, taught: Taught, trust: Trust) -> None:
        self._taught, self._trust = taught, trust
        self.growing = Growing(taught.exemplars)
        self.tilt, self.counting_on = Tilt(), CountingOn()
        # How tiles lie that do not lie straight, and how cells looked when that was last asked of them.
        self.poses: dict[HexCell, Pose] = {}
        self._sought: dict[HexCell, Floats] = {}
        # Cells that were looked at since what is on them was last kept.
        self._looked: set[HexCell] = set()
        self._places = {cell: place for place, cell in enumerate(taught.board.cells)}
        self._bare: _Bare | None = None

    def new_game(self) -> None:
        """Forget what was on which cell."""
        self.tilt.new_game()
        self.counting_on.new_game()
        for known in (self.poses, self._sought, self._looked):
            known.clear()

    @property
    def exemplars(self) -> Exemplars:
        """What cells are compared with: the taught tiles, and examples of them from games."""
        return self.growing.exemplars

    def grow(self, cell: HexCell, tile: Tile, fine: Fine) -> None:
        """Take a cell of a photograph as an example of the tile that is there without cubes."""
        self.growing.add(tile, fine.patches([cell])[0])

    def viewed(
        self, fine: Fine, memory: Memory, reasons: Mapping[HexCell, Reasons], cells: Sequence[HexCell]
    ) -> dict[HexCell, Views]:
        """Return cells as they are seen in this photograph alone."""
        opinions = self.compared(fine, cells, memory)
        strips = self._strips(fine, memory, opinions, reasons)
        along = {
            cell: [road for edges in most_like_road(ways) for road in ways[edges].roads(edges)]
            for cell, ways in strips.items()
        }
        missed = {cell: roads for cell, roads in along.items() if not {*roads} <= {*opinions[cell].tiles}}
        opinions |= self.compared(fine, tuple(missed), memory, too=missed)
        return {
            cell: Views(replace(reasons[cell], strips=strips.get(cell, {})), (opinion,))
            for cell, opinion in opinions.items()
        }

    def straightened(self, fine: Fine, memory: Memory, views: Mapping[HexCell, Views]) -> dict[HexCell, Views]:
        """Return the views of cells in doubt that are clear as soon as their tile, which lies askew, is seen straight.

        If another tile is then the likeliest, but not where the tile that was likeliest before fits best, nobody knows
        which it is, and the cell is left out. So is one that is compared with its own earlier look, or beside a hand.
        """
        free = {
            cell: at
            for cell, at in views.items()
            if not (at.reasons.under_hand or at.reasons.beside_hand)
            and cell not in memory.clean_patches
            and cell not in self.counting_on
        }
        likely = self.likely(free)
        doubtful = [cell for cell, shares in likely.items() if max(shares.values()) < ENOUGH]
        looks = {cell: fine.of([cell]).points[0] for cell in doubtful}
        sought = [cell for cell in doubtful if not self._was_sought(cell, looks[cell])][:_SOUGHT]
        self._sought |= {cell: looks[cell] for cell in sought}
        poses = poses_of(fine, dict.fromkeys(sought))
        clear: dict[HexCell, Views] = {}
        rivals: dict[HexCell, Tile] = {}
        seen = self._in_poses(fine, memory, free, poses)
        for cell, shares in self.likely(seen).items():
            best, before = max(shares, key=lambda answer: shares[answer]), _likeliest_tile(likely[cell])
            if best.tile is not None and shares[best] >= ENOUGH:
                clear[cell] = seen[cell]
                if before is not None and before != best.tile:
                    rivals[cell] = before
        elsewhere = self.likely(self._in_poses(fine, memory, free, poses_of(fine, rivals)))
        for cell, tile in rivals.items():
            if cell not in elsewhere or _likeliest_tile(elsewhere[cell]) == tile:
                del clear[cell]
        for cell in clear:
            fine.lay(cell, poses[cell])
        return clear

    def _in_poses(
        self, fine: Fine, memory: Memory, views: Mapping[HexCell, Views], poses: Mapping[HexCell, Pose]
    ) -> dict[HexCell, Views]:
        """Return the views of cells whose tiles lie like this, which is then forgotten."""
        before = {cell: self.poses.get(cell, STRAIGHT) for cell in poses}
        for cell, pose in poses.items():
            fine.lay(cell, pose)
        seen = self.viewed(fine, memory, {cell: views[cell].reasons for cell in poses}, tuple(poses))
        for cell, pose in before.items():
            fine.lay(cell, pose)
        return seen

    def _was_sought(self, cell: HexCell, look: Floats) -> bool:
        """Return whether a cell looks as it did when it was last asked how its tile lies."""
        return cell in self._sought and float(look @ self._sought[cell]) > _SAME_LOOK

    def named_together(
        self,
        fine: Fine,
        memory: Memory,
        opinions: Mapping[HexCell, Opinion],
        is_deal: bool = False,
        anew: bool = False,
    ) -> dict[HexCell, Opinion]:
        """Return the opinions of cells that show settlements, named together with what is known to lie elsewhere.

        A cell whose settlement is known stays as it is, unless it is looked at `anew`. `is_deal`: this is the game's
        first scene, so that all of them may be in doubt.
        """
        others = {
            cell: now.contents.tile
            for cell, now in memory.cells.items()
            if now.tile_is_clear and isinstance(now.contents.tile, Settlement) and not (anew and cell in opinions)
        }
        shown, lying = {cell: opinion for cell, opinion in opinions.items() if cell not in others}, [*others.values()]
        settlements = Settlements.of(shown, lying)
        doubtful = settlements.in_doubt[: None if is_deal else _BESIDE]
        if is_deal and (self.exemplars.temperature >= _MISLEADING or settlements.are_too_many):
            doubtful = list(settlements.opinions)
        if doubtful:
            asked = self.compared(fine, doubtful, memory, anew, dict.fromkeys(doubtful, KINDS))
            settlements = Settlements.of({**settlements.opinions, **asked}, lying)
            looks = {cell: seen for cell, (_, seen) in memory.clean_patches.items()}
            known = {cell: (tile, looks[cell]) for cell, tile in others.items() if cell in looks}
            left = [cell for cell in doubtful if cell in settlements.opinions]
            settlements = settlements.beside(fine, left, known, is_deal)
        return settlements.named()

    def unexplained(self, fine: Fine, memory: Memory, cells: Sequence[HexCell]) -> set[HexCell]:
        """Return which cells under something like a hand are not worth a closer look: it will not explain them.

        They are like nothing that the table taught, or most like the bare ground that was there before.
        """
        if not cells:
            return set()
        is_strange, is_bare = self.exemplars.glimpsed(fine.of(cells), self._bare_ground(memory.look, cells))
        was_bare = np.array([memory.cells[cell].contents == BARE if cell in memory.cells else True for cell in cells])
        is_vain = (is_strange | is_bare & was_bare).tolist()
        return {cell for cell, vain in zip(cells, is_vain, strict=True) if vain}

    def _strips(
        self, fine: Fine, memory: Memory, opinions: Mapping[HexCell, Opinion], reasons: Mapping[HexCell, Reasons]
    ) -> dict[HexCell, dict[Edges, Strip]]:
        """Return what is seen along the ways of the roads that cells may show, and of those that were there.

        If there is neither a road along any of them nor bare ground, all ways are looked at.
        """
        asked = {cell: ways for cell, opinion in opinions.items() if (ways := _ways(opinion, reasons[cell]))}
        strips_of = self._along(fine, memory, asked)
        others = {
            cell: [edges for edges in EDGE_PAIRS if edges not in strips]
            for cell, strips in strips_of.items()
            if not is_recognised(strips)
        }
        for cell, strips in self._along(fine, memory, others).items():
            strips_of[cell] |= strips
        return strips_of

    def _along(
        self, fine: Fine, memory: Memory, asked: Mapping[HexCell, Sequence[Edges]]
    ) -> dict[HexCell, dict[Edges, Strip]]:
        taught, each = self.exemplars.strips, [(cell, edges) for cell, ways in asked.items() for edges in ways]
        if taught is None or not each:
            # Then no patch is even cut.
            return {}
        # A cell's patch is the same for each of its ways, so it is not copied for these.
        cells = tuple(asked)
        both = fine.patches(cells), self._ground_of(memory.look, cells)
        patches, bare = (
            [tones for tones, ways in zip(in_tones(one), asked.values(), strict=True) for _ in ways] for one in both
        )
        ways = [edges for _, edges in each]
        strips_of: dict[HexCell, dict[Edges, Strip]] = {}
        for (cell, edges), strip in zip(each, taught.read(patches, bare, ways), strict=True):
            strips_of.setdefault(cell, {})[edges] = strip
        return strips_of

    def compared(
        self,
        fine: Fine,
        cells: Sequence[HexCell],
        memory: Memory,
        anew: bool = False,
        too: Mapping[HexCell, Sequence[Tile]] = {},
    ) -> dict[HexCell, Opinion]:
        """Return what comparing these cells of a photograph with the taught tiles says of each.

        Settlements and workshops stay: a cell with a known one can have no other, unless it is looked at `anew`. A cell
        is also compared with its tiles in `too`, however unlike they are.
        """
        if not cells:
            return {}
        ground = self._bare_ground(memory.look, cells)
        lying = {} if anew else {place: tile for place, cell in enumerate(cells) if (tile := memory.lying_on(cell))}
        also = {place: too[cell] for place, cell in enumerate(cells) if cell in too}
        own = {place: memory.clean_patches[cell] for place, cell in enumerate(cells) if cell in memory.clean_patches}
        told = [fine.told.setdefault(cell, {}) for cell in cells]
        opinions = self.exemplars.opinions(fine.of(cells), ground, own, lying, also, told)
        found = dict(zip(cells, map(self.tilt.put_right, opinions), strict=True))
        return found if anew else found | self._counted_on(fine, found)

    def _counted_on(self, fine: Fine, opinions: Mapping[HexCell, Opinion]) -> dict[HexCell, Opinion]:
        """Return the opinions of the cells whose number of cubes was known, counted on from that."""
        known = tuple(cell for cell in opinions if cell in self.counting_on)
        new = tuple(cell for cell in known if cell not in fine.changes)
        if new:
            fine.changes.update(self.counting_on.changes(new, fine.of(new).features))
        self._looked |= opinions.keys()
        absent = self.tilt.absent
        return {cell: self.counting_on.put_right(cell, fine.changes[cell], opinions[cell], absent) for cell in known}

    def told(self, cell: HexCell, contents: Contents, views: Views | None, fine: Fine) -> None:
        """Learn about cubes from a person who says what a cell of a photograph holds."""
        if views is not None:
            self.tilt.learn(cell, views.opinions[-1], contents)
        self.counting_on.keep(cell, contents, fine.of((cell,)).features[0])
        self._looked.discard(cell)

    def booked(
        self,
        books: Mapping[HexCell, Contents],
        views: Mapping[HexCell, Views],
        fine: Fine,
        hidden: Collection[Cell],
    ) -> None:
        """Learn about cubes from the books after a photograph; keep how settlements and workshops look with theirs."""
        for cell in (cell for cell in views if cell not in hidden):
            self.tilt.learn(cell, views[cell].opinions[-1], books.get(cell, BARE))
        lying = {cell: now for cell, now in books.items() if isinstance(now.tile, Settlement | Workshop)}
        self.counting_on.forget(cell for cell in self._looked if cell in hidden)
        visible = [cell for cell in lying if cell not in hidden]
        new = [cell for cell in visible if cell in fine.made or cell in self._looked or cell not in self.counting_on]
        for cell, features in zip(new, fine.of(new).features if new else (), strict=True):
            self.counting_on.keep(cell, lying[cell], features)
        for cell in lying.keys() - {*new}:
            self.counting_on.still(cell, lying[cell])
        self._looked.clear()

    def _at(self, cells: Sequence[HexCell]) -> list[int]:
        return [self._places[cell] for cell in cells]

    def _bare_patches(self, look: BoardLook) -> Levels:
        """Return all cells of a layout bare, as patches of levels; they are cut once."""
        if self._bare is None or self._bare.look is not look:
            self._bare = _Bare(look, cut_levels(look.levels, self._taught.board.cells)[:, 0])
        return self._bare.patches

    def _bare_ground(self, look: BoardLook, cells: Sequence[HexCell]) -> Embedded:
        """Return cells, at least one, as the nets see them bare; all cells of a layout are looked at once."""
        patches = self._bare_patches(look)
        assert self._bare is not None
        if self._bare.embedded is None:
            self._bare.embedded = self.exemplars.embedded(in_tones(patches))
        ground = self._bare.embedded[self._at(cells)]
        posed = [place for place, cell in enumerate(cells) if cell in self.poses]
        if not posed:
            return ground
        askew = self.exemplars.embedded(in_tones(self._ground_of(look, [cells[place] for place in posed])))
        return Embedded.joined([ground, askew])[
            [len(cells) + posed.index(place) if place in posed else place for place in range(len(cells))]
        ]

    def _ground_of(self, look: BoardLook, cells: Sequence[HexCell]) -> Levels:
        """Return cells bare, cut as their tiles lie."""
        patches = self._bare_patches(look)[self._at(cells)]
        posed = [place for place, cell in enumerate(cells) if cell in self.poses]
        patches[posed] = cut_levels(look.levels, [cells[place] for place in posed], poses=self.poses)[:, 0]
        return patches

    def likely(
        self, views: Mapping[HexCell, Views], known: Mapping[HexCell, KnownCell] = {}
    ) -> dict[HexCell, dict[Contents, float]]:
        """Return for each cell how likely each answer is, from the comparison and from what is `known` of the cell."""
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
        return {cell: as_cubes_stay(of_cell, views[cell].reasons.cubes) for cell, of_cell in likely.items()}

    def explained(self, views: Mapping[HexCell, Views]) -> set[HexCell]:
        """Return the cells that seem to be under a hand, but are so well understood that none is there.

        An unexpected tile differs as much from the board as a hand does; what was there before does not.
        """
        explained = set()
        for cell, shares in self.likely(views).items():
            best, before = max(shares, key=lambda answer: shares[answer]), views[cell].reasons.before
            if shares[best] >= EXPLAINED and best != (before or BARE):
                explained.add(cell)
        return explained


def _likeliest_tile(shares: Mapping[Contents, float]) -> Tile | None:
    """Return the tile of the likeliest answer that has one; None if there is none."""
    return max((answer for answer in shares if answer.tile), key=lambda answer: shares[answer], default=BARE).tile


def _ways(opinion: Opinion, reasons: Reasons) -> Sequence[Edges]:
    """Return the edge pairs of the roads that a cell may show, the likeliest first.

    All pairs if the comparison names no road and nothing else surely, or names cubes on bare ground.
    """
    if any(isinstance(tile, Road) for tile in opinion.tiles):
        tiles = (*opinion.tiles, None if reasons.before is None else reasons.before.tile)
        return tuple(dict.fromkeys(tile.edges for tile in tiles if isinstance(tile, Road)))
    is_sure = opinion.logs[0] >= _SURE and (opinion.best.tile is not None or not opinion.best.merchants.total)
    return () if is_sure or reasons.site else EDGE_PAIRS
