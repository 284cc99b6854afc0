"""Counting on: how many cubes came to a cell, or went, since it was known how many there were.

Nobody can say how many cubes are in a heap, but it is plain to see that one more came. After each accepted move the
books say what is on each settlement and workshop, and how these look then is kept. When such a cell looks different, a
small net compares both looks, and says how many cubes came or went (docs/reader.md). That is weighed against how many
are counted there now.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from companion.board import Contents, HexCell, Settlement, Workshop
from vision.cubes.tilt import renamed
from vision.light.flatten import Floats
from vision.tiles.opinion import COLORS, LEAST_LOG, MORE, MOST, Opinion, Since, log_softmax
from vision.tiles.patches import loaded

NET = Path(__file__).parents[1] / "counting-on.onnx"
#: The net reports changes of no more than the first, and is never told that more cubes than the second were there.
MOST_CHANGED, MOST_HELD = 6, 8
#: How far the net's logarithms are believed, how far those of counting anew, and how much farther the latter for each
#: cube that came or went (a share). Fitted, like those below, to 908 cells of thirteen games to choose by or known by
#: heart.
_CHANGES, _ANEW, _ANEW_EACH = 1.0, 0.3, 0.3
#: How often the net is off by one: for each cube that came or went, and at most.
_OFF, _MOST_OFF = 0.1, 0.6
#: How likely any number is at least, whatever the net says.
_ANY = 0.002
_STEPS = np.arange(-MOST_CHANGED, MOST_CHANGED + 1)


@dataclass(frozen=True, slots=True)
class _Known:
    """What was on a cell, and its features then, (channels, h, w)."""

    contents: Contents
    features: Floats


class CountingOn:
    """What is known of the cubes on a table's settlements and workshops; owned by its reader."""

    def __init__(self) -> None:
        self._known: dict[HexCell, _Known] = {}

    def new_game(self) -> None:
        """Forget all cells."""
        self._known.clear()

    def __contains__(self, cell: HexCell) -> bool:
        return cell in self._known

    def keep(self, cell: HexCell, contents: Contents, features: Floats) -> None:
        """Note that a cell with these features holds this."""
        if isinstance(contents.tile, Settlement | Workshop):
            self._known[cell] = _Known(contents, features.copy())
        else:
            self._known.pop(cell, None)

    def still(self, cell: HexCell, contents: Contents) -> None:
        """Note that a cell that looks as it did holds this: the books now know better what it held then."""
        known = self._known.get(cell)
        if known is not None and known.contents != contents:
            self.keep(cell, contents, known.features)

    def forget(self, cells: Iterable[HexCell]) -> None:
        """Forget cells that may have changed unseen."""
        for cell in cells:
            self._known.pop(cell, None)

    def changes(self, cells: Sequence[HexCell], features: Floats) -> Mapping[HexCell, Floats]:
        """Return the logarithms of how likely each change of each number is, (colours, changes), for known cells.

        `features` (n, channels, h, w) are those of the cells now. Changes are from -MOST_CHANGED to MOST_CHANGED.
        """
        before = np.array([self._known[cell].features for cell in cells])
        held = np.array([_counts(self._known[cell].contents) for cell in cells])
        planes = np.minimum(held, MOST_HELD).astype(np.float32) / MOST_HELD
        planes = np.broadcast_to(planes[:, :, None, None], (*planes.shape, *features.shape[2:]))
        (odds,) = loaded(NET)(np.concatenate([features, before, np.abs(features - before), planes], axis=1))
        odds = odds.reshape(len(cells), len(COLORS), -1)
        # No more cubes go than there were.
        odds[-held[..., None] > _STEPS] = -1e4
        return dict(zip(cells, log_softmax(odds), strict=True))

    def put_right(self, cell: HexCell, changes: Floats, opinion: Opinion, absent: Collection[int] = ()) -> Opinion:
        """Return the opinion of a known cell, with how many cubes came and went since it was known.

        `absent` are the places of the colours that nobody plays.
        """
        known = self._known[cell].contents
        row = opinion.row(known.tile)
        if row is None:
            return opinion
        each = np.exp(changes)
        likely = np.array([_now(*one) for one in zip(_counts(known), each, strict=True)], np.float32) + _ANY
        walked = np.abs(each @ _STEPS)[:, None]
        anew = _ANEW * (1 + _ANEW_EACH * walked) * opinion.numbers_of(row)
        shares = np.exp(log_softmax(_CHANGES * np.log(likely) + anew))
        whole = np.log(np.maximum(renamed(shares[None], absent)[0], np.exp(LEAST_LOG))).astype(np.float32)
        return opinion.counted_on(row, Since(known, whole, opinion.counts[row], anew.astype(np.float32)))


def _now(held: int, changes: Floats) -> Floats:
    """Return how likely each number is now, (MOST + 1,), from how many were there and how likely each change is.

    The largest change stands for itself and for larger ones, as a walk may bring nine at once.
    """
    likely = np.zeros(MOST + 1, np.float32)
    for change, share in zip(_STEPS.tolist(), changes.tolist(), strict=True):
        numbers = [held + change]
        if change == MOST_CHANGED:
            numbers = [*range(held + change, MOST + 1)]
        elif change == -MOST_CHANGED:
            numbers = [*range(held + change, -1, -1)]
        possible = np.array([number for number in numbers if 0 <= number <= MOST], int)
        each = MORE ** np.arange(len(possible))
        of_each, off = share * each / max(each.sum(), 1.0), min(_OFF * abs(change), _MOST_OFF)
        for aside, part in ((0, 1 - off), (-1, off / 2), (1, off / 2)):
            np.add.at(likely, np.clip(possible + aside, 0, MOST), part * of_each)
    return likely


def _counts(contents: Contents) -> list[int]:
    return [contents.merchants[color] for color in COLORS]
