"""Which cells of one photograph are worth a look: those that changed, or were not clear."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from companion.board import Contents, HexBoard, HexCell
from vision.changes import Changes
from vision.evidence import Reasons
from vision.flatten import SIDE_PX, Floats, window
from vision.memory import Known, Memory
from vision.samples import tones
from vision.shade import Sameness, sameness

#: A hand that seems to cover more than this share of a cell hides it, at first sight; and at second sight, when what
#: only seemed to be one is known.
FULLY, HIDDEN = 0.95, 0.1
#: A cell on which nothing lies, as it is known without further reading.
BARE = Known(Contents(None), 1.0, is_clear=True, tile_is_clear=True)
_UNKNOWN = Known()


@dataclass(frozen=True)
class Shown:
    """A photograph in even light: the flat picture's tones, and each cell's sample with the one expected."""

    tone: Floats
    samples: Floats
    expected: Floats


class Cells:
    """The cells of one photograph beside a game's memory, which it does not change.

    `hands` are the cells where a hand was found, with the share of each that it seems to cover. `bare` are those that
    are seen first, and show the bare board; `same` those that look as they did but for the light that falls on them.
    """

    def __init__(self, board: HexBoard, memory: Memory, shown: Shown, hands: Mapping[HexCell, float]) -> None:
        self._board, self._memory, self._shown, self._hands = board, memory, shown, hands
        self._changes = Changes.between(shown.samples, shown.expected, board, hands)
        self._samenesses: dict[HexCell, Sameness] = {}
        moved = {cell for cell, has_moved in zip(board.cells, self._changes.has_moved, strict=True) if has_moved}
        known = memory.cells
        self.bare = {cell for cell in board.cells if cell not in known and cell not in moved}
        self.same = {cell for cell in moved & known.keys() if self._is_free(cell) and self._is_same(cell, known[cell])}
        self._moved = moved - self.same

    @cached_property
    def worth_a_look(self) -> tuple[HexCell, ...]:
        """The cells that changed or were not clear; where a hand seems to hide all of one, if it was never clear."""
        return tuple(cell for cell in self._board.cells if self._is_open(cell) and self._is_free(cell))

    def freed(self, hands: Mapping[HexCell, float]) -> tuple[HexCell, ...]:
        """Return the cells worth a look besides, if hands are only there."""
        return tuple(
            cell
            for cell in self._board.cells
            if self._is_open(cell) and not self._is_free(cell) and hands.get(cell, 0.0) <= HIDDEN
        )

    def sameness(self, cell: HexCell) -> Sameness:
        """Return how a cell compares with what was last seen there, in any shade."""
        if cell not in self._samenesses:
            expected = tones(window(self._memory.expected, cell.centre, SIDE_PX + 1))
            self._samenesses[cell] = sameness(window(self._shown.tone, cell.centre, SIDE_PX), expected)
        return self._samenesses[cell]

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
                tiles=(known.contents.tile,) if known.tile_is_clear else (),
            )
        return reasons

    def _is_open(self, cell: HexCell) -> bool:
        known = self._memory.cells.get(cell)
        if known is None or cell in self._moved:
            return cell not in self.bare
        return not known.is_clear and not known.is_crowd

    def _is_free(self, cell: HexCell) -> bool:
        """Return whether more is seen of a cell than a hand, or nothing else is known of it."""
        known = self._memory.cells.get(cell)
        return self._hands.get(cell, 0.0) <= FULLY or known is None or not known.is_clear

    def _is_same(self, cell: HexCell, known: Known) -> bool:
        """Return whether a cell that was understood shows what it did, in another light."""
        return (known.is_clear or known.is_crowd) and self.sameness(cell).otherness < 1
