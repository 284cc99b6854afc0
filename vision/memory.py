"""The memory of the game on the table: how it was when it was last seen, and what it looked like then.

It says which cells of the next photograph are worth a look: those that changed or were not clear.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import (
    BARE,
    Cell,
    CellReading,
    Color,
    Contents,
    HexBoard,
    HexCell,
    Merchants,
    Settlement,
    Terrain,
    Tile,
    Workshop,
)
from vision.board.layout import BoardLook
from vision.light.changes import RATHER, Changes, Sameness, sameness
from vision.light.flatten import SIDE_PX, Floats, corners_of, extent_cells, size_of, tones, window
from vision.tiles.exemplars import Embedded
from vision.tiles.trust import Reasons, Views

#: How much of a cell's new look is taken over when nothing changed: light drifts, noise averages out.
_BLEND = 0.3
#: Below this confidence a cell is unclear.
CLEAR = 0.75
#: A cell in doubt probably still is what it was if that is at least this likely.
_RATHER = 0.8
#: What was read is kept while it is still this likely, even if another answer is likelier.
_RATHER_KEPT = 0.4
#: How likely an answer counts as being if nothing says how likely it is.
_LEAST = 0.002
#: What answers leave unnamed is worth mentioning if it is more than this.
_UNNAMED = 0.3
#: What a clear cell may hold instead is named if it is at least this likely: a game can make it likelier by far.
_LEAST_OF_CLEAR = 1e-5


@dataclass(frozen=True)
class KnownCell:
    """What was last read on a cell: clear as a whole, or perhaps only its tile, with doubt about cubes.

    `alternatives` are other answers, likeliest first. If `contents` are among them, they are only what was there
    before, kept until it is known what is there now, and `confidence` is how likely that is. `shares` says how likely
    answers are; those left out are hardly likely. `is_told`: it was not read, but given when a move was accepted.
    `since`: what the cell was said to hold, if its cubes were counted on from that, and `anew` then what they look like
    by themselves (`CellReading`). `unseen`: how likely a mirrored lamp hides something from it that is not named. `had`
    are the cubes that were there when it was last clear, before.
    """

    contents: Contents = BARE
    confidence: float = 0.0
    alternatives: tuple[Contents, ...] = ()
    is_clear: bool = False
    tile_is_clear: bool = False
    shares: Mapping[Contents, float] = field(default_factory=dict)
    is_told: bool = False
    since: Contents | None = None
    unseen: float = 0.0
    anew: Mapping[Color, tuple[float, ...]] = field(default_factory=dict)
    had: Merchants = BARE.merchants

    @property
    def cubes(self) -> Merchants:
        """The cubes that were there when it was last clear."""
        return self.contents.merchants if self.is_clear else self.had

    @property
    def tiles(self) -> tuple[Tile | None, ...]:
        """Its tile; nothing if that is in doubt."""
        return (self.contents.tile,) if self.tile_is_clear else ()

    @property
    def is_crowd(self) -> bool:
        """Whether its tile is clear, and only the number of cubes on it is not."""
        if self.is_clear or not self.tile_is_clear or len(self.alternatives) < 2:
            return False
        answers = (self.contents, *self.alternatives)
        colors = [color for color in Color if len({answer.merchants[color] for answer in answers}) > 1]
        return len({answer.tile for answer in answers}) == len(colors) == 1

    @property
    def is_read(self) -> bool:
        """Whether it was read clearly, and not given."""
        return self.is_clear and not self.is_told

    @property
    def unnamed(self) -> float:
        """How likely a cell in doubt holds something that its answers do not name; 0 if that is hardly likely."""
        unnamed = 1 - sum(self.shares.values())
        return unnamed if self.shares and not self.is_clear and unnamed > _UNNAMED else 0.0

    def noted(self, views: Views, before: KnownCell) -> KnownCell:
        """Return the cell with what it was counted on from, and the cubes that were there before."""
        since = views.opinions[-1].since
        given, anew = (None, {}) if since is None else (since.contents, since.looks)
        return replace(self, since=given, anew=anew, had=before.cubes)

    def is_rather(self, before: KnownCell | None) -> bool:
        """Whether it is in doubt, but probably still is what it was when it was last clear."""
        if self.is_clear or self.is_crowd or before is None or not before.is_clear:
            return False
        return self.shares.get(before.contents, 0.0) >= _RATHER

    def is_as(self, before: KnownCell | None) -> bool:
        """Whether it is read clearly as it was before."""
        return self.is_clear and before is not None and before.is_clear and self.contents == before.contents

    def reviewed(self, shares: Mapping[Contents, float], enough: float) -> KnownCell:
        """Return the clear cell if one more look makes its answers so likely: another one is clear if it is `enough`.

        If that is neither as it was nor clearly another, it is in doubt.
        """
        best = max(shares, key=lambda answer: shares[answer])
        if best == self.contents or shares[self.contents] >= _RATHER_KEPT:
            return replace(self, confidence=shares[self.contents])
        is_clear = shares[best] >= enough
        return replace(
            self,
            contents=best if is_clear else self.contents,
            confidence=shares[best] if is_clear else shares[self.contents],
            alternatives=(self.contents,) if is_clear else (best, self.contents),
            is_clear=is_clear,
            tile_is_clear=is_clear or best.tile == self.contents.tile,
            shares=shares,
        )

    def trusted(self, share: float, enough: float, before: KnownCell | None = None) -> KnownCell:
        """Return the cell with the confidence `share`, still clear if that is `enough`.

        If it is not, what was known `before` remains: a doubt does not change a tile, and a tile in doubt stays known
        if it was there before.
        """
        if share >= enough:
            return replace(self, confidence=share)
        if before is None or not before.tile_is_clear:
            return replace(self, confidence=share, is_clear=False, tile_is_clear=False)
        if before.contents.tile == self.contents.tile:
            return replace(self, confidence=share, is_clear=False)
        others = tuple(dict.fromkeys((self.contents, *self.alternatives, before.contents)))
        doubt = replace(before, confidence=min(0.5, 1 - share), alternatives=others, is_clear=False, shares=self.shares)
        return replace(doubt, is_told=False)

    @classmethod
    def dazzling(
        cls, shares: Mapping[Contents, float], dazzled: float, before: KnownCell | None, most: int
    ) -> KnownCell:
        """Return a cell in doubt of which the share `dazzled` shows nothing but light: its answers say so much less.

        `most` is how many other answers are given.
        """
        left = {answer: (1 - dazzled) * share for answer, share in shares.items()}
        best, *others = sorted(left, key=lambda answer: -left[answer])
        read = cls(best, left[best], tuple(others[:most]), is_clear=True, tile_is_clear=True, shares=left)
        return read.trusted(left[best], 1.0, before)

    def reading(self, terrain: Terrain | None, site: bool | None) -> CellReading:
        """Return the cell as a reading, on that ground."""
        is_among = self.contents in self.alternatives
        answers = self.alternatives if is_among or not self.alternatives else (self.contents, *self.alternatives)
        answers = () if self.is_clear else answers
        shares = tuple(self.shares.get(answer, _LEAST) for answer in answers) if self.shares else ()
        least = _LEAST_OF_CLEAR if self.is_clear else _LEAST
        named = {self.contents, *answers}
        rest = ((one, share) for one, share in self.shares.items() if one not in named and share > least)
        further = tuple(rest) if answers or self.is_clear else ()
        return CellReading(
            self.contents,
            terrain,
            site,
            self.confidence,
            answers,
            shares,
            further,
            self.is_told,
            self.since,
            self.unseen,
            self.anew,
        )


@dataclass
class Memory:
    """One game's memory. Owned by the reader and its thread.

    `expected` is the flat picture (logarithms, even light) that the table should show. `clean_tiles` are the tiles that
    were seen without cubes when they were last clear, `clean_patches` is how the learnt nets first saw each of them
    like that. `layout_known` says whether the layout of the pieces is certain. `workshops` are those in the books.
    `staying` holds cubes that lie there whether they are seen or not: those in the books, none in a game in which cubes
    walk; None if there are no books.
    """

    look: BoardLook
    layout_known: bool
    expected: Floats
    clean_tiles: dict[HexCell, Tile | None]
    cells: dict[HexCell, KnownCell] = field(default_factory=dict)
    tracks: dict[Color, int | None] = field(default_factory=dict)
    clean_patches: dict[HexCell, tuple[Tile, Embedded]] = field(default_factory=dict)
    workshops: dict[Cell, Workshop] = field(default_factory=dict)
    staying: Mapping[Cell, Contents] | None = None

    @property
    def is_new(self) -> bool:
        """Whether nothing has been seen yet, so that the table should show the bare look."""
        return not self.cells

    @classmethod
    def of(cls, look: BoardLook, layout_known: bool) -> Memory:
        """Return the memory of a game whose board is bare, as far as is known."""
        return cls(look, layout_known, look.logs.copy(), dict.fromkeys(look.board.cells))

    def booked(self, books: Mapping[Cell, Contents], hidden: Collection[Cell], walking: bool) -> None:
        """Note what the books hold after an accepted move, in a game in which cubes walk or stay; `hidden`: unseen.

        The books now know what came and went: it may count only once towards which books are likely. Where the reader
        only repeats what it was given, it was given this.
        """
        for cell, now in self.cells.items():
            contents = books.get(cell, BARE) if now.is_told and cell not in hidden else now.contents
            if now.since is not None or contents != now.contents:
                self.cells[cell] = replace(now, contents=contents, since=None, anew={})
        self.staying = {} if walking else books
        self.workshops = {cell: now.tile for cell, now in books.items() if isinstance(now.tile, Workshop)}

    def lying_on(self, cell: HexCell) -> Settlement | Workshop | None:
        """Return the workshop that the books have on a cell, or the settlement that was dealt to it, if known."""
        if cell in self.workshops:
            return self.workshops[cell]
        known = self.cells.get(cell, _UNKNOWN)
        return tile if known.tile_is_clear and isinstance(tile := known.contents.tile, Settlement) else None

    def cubes_on(self, cell: HexCell) -> Merchants:
        """Return the cubes that lie on a cell, seen or not; if there are no books, those seen when it was last clear.

        A cube that was seen, but in no accepted move, may be taken back or exchanged.
        """
        if self.staying is None:
            return self.cells.get(cell, _UNKNOWN).cubes
        return self.staying.get(cell, BARE).merchants

    def settle(self, logs: Floats, unchanged: set[HexCell], changed: set[HexCell]) -> None:
        """Take over the look of cells that were read clearly, from a flat picture in even light."""
        board = self.look.board
        extent = extent_cells(logs)
        if unchanged:
            cv2.accumulateWeighted(logs, self.expected, _BLEND, mask_of(board, extent, unchanged))
        if changed:
            cv2.copyTo(logs, mask_of(board, extent, changed), self.expected)
        looked = {cell: self.cells[cell] for cell in unchanged | changed}
        bare = {cell for cell, now in looked.items() if now.is_clear and not now.contents.merchants}
        for cell in bare:
            self.clean_tiles[cell] = self.cells[cell].contents.tile


@cache
def _labels(board: HexBoard, extent: float) -> NDArray[np.integer]:
    """Return which cell each flat pixel belongs to, as an index into `board.cells`; the last index: none."""
    kind = np.uint8 if len(board.cells) < 256 else np.int16
    labels = np.full((size_of(extent), size_of(extent)), len(board.cells), kind)
    for index, cell in enumerate(board.cells):
        points = (corners_of(cell) + extent) * SIDE_PX
        cv2.fillConvexPoly(labels, np.round(points * 16).astype(np.int32), index, shift=4)
    return labels


def mask_of(board: HexBoard, extent: float, cells: set[HexCell], step: int = 1) -> NDArray[np.uint8]:
    """Return 1 where these cells are in a flat picture of that extent, or in every second pixel of it, else 0."""
    chosen = np.array([cell in cells for cell in board.cells] + [False], np.uint8)
    labels = _labels(board, extent)[step - 1 :: step, step - 1 :: step]
    # OpenCV looks bytes up much faster than numpy does.
    return np.asarray(cv2.LUT(labels, np.resize(chosen, 256)) if labels.dtype == np.uint8 else chosen[labels])


def as_booked(known: Mapping[HexCell, KnownCell], books: Mapping[HexCell, Contents]) -> dict[HexCell, KnownCell]:
    """Return the cells left open for which the books hold one of the answers."""
    return {
        cell: KnownCell(books[cell], CLEAR, is_clear=True, tile_is_clear=True)
        for cell, now in known.items()
        if cell in books and not now.is_clear and books[cell] in (now.contents, *now.alternatives)
    }


#: A hand that seems to cover more than this share of a cell hides it: the first share at first sight, the second once
#: everything that only looked like a hand is known.
FULLY, HIDDEN = 0.95, 0.1
#: One cell in this many shows how much the cells of a photograph usually differ from what was last seen; a cell that
#: differs by less than this many times as much may be the same. Of the changed cells of 20 rendered tables none differs
#: by less than 2.3 times as much; of those that are the same in another light, half do.
_SAMPLED, _TIMES_USUAL = 8, 2.0
#: A cell with nothing on it, as it is known without further reading.
KNOWN_BARE = KnownCell(Contents(None), 1.0, is_clear=True, tile_is_clear=True)
_UNKNOWN = KnownCell()


class Cells:
    """The cells of one photograph (its tones in even light), compared with a game's memory, which this does not change.

    `hands` are the cells where a hand was found, with the share of each that it seems to cover. `bare` are those seen
    for the first time that show the bare board; `same` are those that look as they did but for the light on them.
    """

    def __init__(self, memory: Memory, tone: Floats, changes: Changes, hands: Mapping[HexCell, float]) -> None:
        board, known = memory.look.board, memory.cells
        self._board, self._memory, self._tone, self._changes, self._hands = board, memory, tone, changes, hands
        self._samenesses: dict[HexCell, Sameness] = {}
        moved = {cell for cell, has_moved in zip(board.cells, changes.has_moved, strict=True) if has_moved}
        self.bare = {cell for cell in board.cells if cell not in known and cell not in moved}
        self.same = {
            cell
            for cell in moved & known.keys()
            if self._is_free(cell)
            and (known[cell].is_clear or known[cell].is_crowd)
            and self.sameness(cell).otherness < self._same_below
        }
        self._moved = moved - self.same

    @cached_property
    def worth_a_look(self) -> tuple[HexCell, ...]:
        """The cells that changed or were not clear. One that a hand seems to hide counts only if it was never clear."""
        return tuple(cell for cell in self._board.cells if self._is_open(cell) and self._is_free(cell))

    def freed(self, hands: Mapping[HexCell, float]) -> tuple[HexCell, ...]:
        """Return the further cells that are worth a look if the hands are only where `hands` has them."""
        return tuple(
            cell
            for cell in self._board.cells
            if self._is_open(cell) and not self._is_free(cell) and hands.get(cell, 0.0) <= HIDDEN
        )

    def sameness(self, cell: HexCell) -> Sameness:
        """Return how a cell compares with what was last seen there, in any shade."""
        if cell not in self._samenesses:
            expected = tones(window(self._memory.expected, cell.centre, SIDE_PX + 1))
            self._samenesses[cell] = sameness(window(self._tone, cell.centre, SIDE_PX), expected)
        return self._samenesses[cell]

    def looks_rather_the_same(self, cell: HexCell) -> bool:
        """Return whether a cell is more likely unchanged, in another shade, than something that is not understood."""
        return self.sameness(cell).otherness < RATHER * self._same_below

    @cached_property
    def _same_below(self) -> float:
        """How much a cell may differ and still be the same: little if this photograph's cells usually differ little.

        On dark ground in dim light a black cube makes no more difference than noise makes elsewhere.
        """
        usual = [self.sameness(cell).otherness for cell in self._board.cells[::_SAMPLED] if self._is_free(cell)]
        return min(1.0, _TIMES_USUAL * float(np.median(usual))) if usual else 1.0

    def reasons(self, cells: Collection[HexCell], is_deal: bool) -> dict[HexCell, Reasons]:
        """Return what is known of cells besides what they look like, as if no hand were there."""
        memory, index = self._memory, {cell: place for place, cell in enumerate(self._board.cells)}
        reasons = {}
        for cell in cells:
            known, place = memory.cells.get(cell, _UNKNOWN), index[cell]
            reasons[cell] = Reasons(
                terrain=memory.look.terrain[cell] if memory.layout_known else None,
                site=cell in memory.look.sites if memory.layout_known else None,
                before=known.contents if known.is_clear else None,
                has_clean=cell in memory.clean_patches,
                mean=float(self._changes.mean[place]),
                peak=float(self._changes.peak[place]),
                noise=self._changes.noise,
                is_deal=is_deal,
                tiles=(lying,) if (lying := memory.lying_on(cell)) else known.tiles,
                cubes=memory.cubes_on(cell),
            )
        return reasons

    def _is_open(self, cell: HexCell) -> bool:
        known = self._memory.cells.get(cell)
        if known is None or cell in self._moved:
            return cell not in self.bare
        return not known.is_clear and not known.is_crowd

    def _is_free(self, cell: HexCell) -> bool:
        """Return whether a cell shows more than a hand, or nothing is clearly known of it."""
        known = self._memory.cells.get(cell)
        return self._hands.get(cell, 0.0) <= FULLY or known is None or not known.is_clear
