"""Settlements, named together, so that the others and the contents of the box settle what looks alone leave open.

Both are only a help: a table is read as it is.

The settlements on the table are all seen in the same light and, when they are dealt, whole. The taught copies were seen
in another light, and most of them under cubes. So two on the table that are of one kind look more alike than either
looks like its taught copies. How alike that is differs from printing to printing, but it is known how many pairs of
them are of a kind, and so how alike two are that probably are. The nets say how alike, and the pixels do
(`vision.tiles.matching`): on some printings the nets hardly see the difference, and where two of a kind are drawn
differently only the nets see what they have in common.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from companion.board import HexCell, Settlement, SettlementType, Tile
from vision.light.flatten import Floats, Numbers
from vision.tiles.box import chances, chances_together
from vision.tiles.exemplars import BEHIND, TURNS, Embedded, compared
from vision.tiles.fine import Fine
from vision.tiles.left_out import UNDER_CUBES
from vision.tiles.matching import matched
from vision.tiles.opinion import LEAST_LOG, Opinion
from vision.tiles.patches import in_tones, in_turns

#: How many of each settlement the box holds (rules: 4 cities, 5 towns, 5 villages, 5 hamlets).
SETTLEMENTS: Mapping[SettlementType, int] = {
    SettlementType.CITY: 4,
    SettlementType.TOWN: 5,
    SettlementType.VILLAGE: 5,
    SettlementType.HAMLET: 5,
}
KINDS = tuple(Settlement(kind) for kind in SETTLEMENTS)
#: Looks are never so sure that they could not mislead this often.
_MISLED = 1e-4
#: How likely something looks like what it was not compared with.
_NEVER = 1e-30
#: A cell is one of the settlements if all kinds of them together are likelier than this.
_RATHER = 0.5
#: One that is less likely than this, with the help of the box, is looked at beside the others.
_SURE = 0.99
#: The weights of what was said of one by itself, of how like a kind's taught copies it looks on average, those under
#: cubes counting less, and of each likeness to another on the table: by the nets, and by the nets and the pixels.
_BY_ITSELF, _TAUGHT, _TAUGHT_UNDER_CUBES, _OTHERS, _OTHERS_MATCHED = 0.35, 3.0, 1.5, 0.7, 2.2
#: So many likenesses are enough to say what is usual among them.
_ENOUGH = 6


@dataclass(frozen=True)
class Settlements:
    """The settlements on a table: by cell, what each shows by itself, and how many of each kind of the box they may be.

    `likelihoods` (settlements, kinds) are how likely each kind would look like it, without the help of the box. `alike`
    (settlements, settlements) is how much likelier it is, as a logarithm, that two are of one kind; None if not known.
    """

    opinions: Mapping[HexCell, Opinion]
    likelihoods: Numbers
    stock: tuple[int, ...]
    alike: Numbers | None = None

    @classmethod
    def of(cls, opinions: Mapping[HexCell, Opinion], lying: Sequence[Tile | None] = ()) -> Settlements:
        """Return those among the cells with these opinions; `lying` is what certainly lies on other cells.

        If more show settlements than the box has left, only the surest are named together; all, if it has none left.
        """
        stock = tuple(max(number - lying.count(Settlement(kind)), 0) for kind, number in SETTLEMENTS.items())
        rows = {cell: _likelihoods(opinion) for cell, opinion in opinions.items()}
        surest = sorted((cell for cell, row in rows.items() if sum(row) > _RATHER), key=lambda cell: -sum(rows[cell]))
        left = {*surest[: sum(stock) or None]}
        shown = {cell: opinion for cell, opinion in opinions.items() if cell in left}
        likelihoods = np.array([rows[cell] for cell in shown], np.float64).reshape(-1, len(SETTLEMENTS))
        return cls(shown, likelihoods / likelihoods.sum(axis=1, keepdims=True), stock)

    @cached_property
    def shares(self) -> Numbers:
        """How likely each is each kind, (settlements, kinds), knowing the box and how alike they are."""
        looks = self.likelihoods + _MISLED
        if self.alike is None:
            return chances(looks, self.stock)
        # However much others look like it, none is a kind that nobody compared it with.
        return chances_together(np.where(self.likelihoods > 0, looks, _NEVER), self.stock, self.alike)

    @property
    def in_doubt(self) -> list[HexCell]:
        """The cells of which the box does not settle what they are, the surest first."""
        surest = dict(zip(self.opinions, self.shares.max(axis=1).tolist(), strict=True))
        return sorted((cell for cell, share in surest.items() if share < _SURE), key=lambda cell: -surest[cell])

    @property
    def are_too_many(self) -> bool:
        """Whether more of them look like some kind than the box has of it: some are misread, however sure each is."""
        likeliest = np.bincount(self.likelihoods.argmax(axis=1), minlength=len(self.stock))
        return bool((likeliest > self.stock).any())

    def beside(
        self,
        fine: Fine,
        doubtful: Sequence[HexCell],
        known: Mapping[HexCell, tuple[Settlement, Embedded]] = {},
        is_deal: bool = False,
    ) -> Settlements:
        """Return them with the `doubtful` ones looked at beside all others in the photograph, and beside `known` ones.

        The latter are settlements on other cells, each with how it looked without cubes. `is_deal`: nothing lies on
        them in this photograph either.
        """
        if not doubtful:
            return self
        number, rows = len(self.opinions), [list(self.opinions).index(cell) for cell in doubtful]
        by_itself = _BY_ITSELF * np.log(np.maximum(self.likelihoods[rows], math.exp(LEAST_LOG)))
        first = self._with(rows, by_itself + _like_taught(fine, doubtful))
        seen = Embedded.joined([fine.of(list(self.opinions)), *(look for _, look in known.values())])
        held = np.array([[kind == tile for kind in KINDS] for tile, _ in known.values()]).reshape(-1, len(KINDS))
        # Of those that are known from before, no pixels are kept.
        is_matched = is_deal or not known
        alike = _like_others(fine, doubtful, [*self.opinions, *known], seen, is_matched)
        alike *= _OTHERS_MATCHED if is_matched else _OTHERS
        logs = np.log(first.likelihoods[rows]) + alike[:, number:] @ held
        if not is_matched:
            return first._with(rows, logs + alike[:, :number] @ first.shares)
        pairs = np.zeros((number, number))
        pairs[rows] = alike[:, :number]
        asked = np.isin(np.arange(number), rows)
        return replace(first._with(rows, logs), alike=(pairs + pairs.T) / np.where(np.outer(asked, asked), 2, 1))

    def _with(self, rows: Sequence[int], logs: Numbers) -> Settlements:
        """Return them with other logarithms of likelihoods in some rows."""
        likelihoods = self.likelihoods.copy()
        likelihoods[rows] = np.exp(logs - logs.max(axis=1, keepdims=True))
        likelihoods[rows] /= likelihoods[rows].sum(axis=1, keepdims=True)
        return replace(self, likelihoods=likelihoods)

    def named(self) -> dict[HexCell, Opinion]:
        """Return what each cell shows, knowing the box and the others.

        As in any opinion, kinds that are far less likely than the likeliest one are left out.
        """
        renamed = {}
        for (cell, opinion), row in zip(self.opinions.items(), self.shares, strict=True):
            logs, total = opinion.logs.copy(), sum(_likelihoods(opinion))
            for kind, share in zip(KINDS, row, strict=True):
                place = opinion.row(kind)
                if place is not None:
                    logs[place] = max(math.log(max(float(share) * total, 1e-12)), LEAST_LOG)
            kinds = [(tile, log) for tile, log in zip(opinion.tiles, logs.tolist(), strict=True) if tile in KINDS]
            least = max(log for _, log in kinds) - BEHIND
            far = [tile for tile, log in kinds if log < least]
            renamed[cell] = opinion.renamed(logs).without(far)
        return renamed


def _likelihoods(opinion: Opinion) -> list[float]:
    """Return how likely each kind of settlement is by an opinion; 0 for those that it does not name."""
    places = (opinion.row(kind) for kind in KINDS)
    return [0.0 if place is None else math.exp(float(opinion.logs[place])) for place in places]


def _like_taught(fine: Fine, cells: Sequence[HexCell]) -> Floats:
    """Return how much cells look like the taught copies of each kind, beside the other copies, (cells, kinds)."""
    names, hidden = fine.exemplars.tiles[:: len(TURNS)], fine.exemplars.hidden[:: len(TURNS)]
    copies = [place for place, name in enumerate(names) if isinstance(name, Settlement)]
    if not copies:
        return np.zeros((len(cells), len(SETTLEMENTS)), np.float32)
    shown, looks = fine.of(cells), fine.exemplars.looks
    near = (shown.points @ looks.points.T).reshape(len(cells), -1, len(TURNS))
    pairs = [(row, len(TURNS) * copy + near[row, copy].argmax()) for row in range(len(cells)) for copy in copies]
    odds = compared([shown.features[row] for row, _ in pairs], [looks.features[look] for _, look in pairs])[0]
    of_kinds = np.array([[names[copy] == kind for kind in KINDS] for copy in copies], np.float32)
    of_box = np.array(list(SETTLEMENTS.values())) / sum(SETTLEMENTS.values())
    share = float(of_kinds.mean(axis=0) @ of_box)
    weights = np.where(hidden[copies] > UNDER_CUBES, _TAUGHT_UNDER_CUBES, _TAUGHT)
    each = _unusual(odds.reshape(len(cells), -1), share) * weights
    return np.asarray(each @ of_kinds / np.maximum(of_kinds.sum(axis=0), 1), np.float32)


def _like_others(
    fine: Fine, cells: Sequence[HexCell], others: Sequence[HexCell], seen: Embedded, is_matched: bool
) -> Floats:
    """Return how much cells look like others, beside how alike any two are, (cells, others); 0 to themselves.

    `seen` are the others as the nets see them. `is_matched`: their pixels count as much as what the nets say.
    """
    turned = fine.exemplars.embedded(in_tones(np.concatenate([in_turns(one, TURNS) for one in fine.patches(cells)])))
    near = (turned.points @ seen.points.T).reshape(len(cells), len(TURNS), -1)
    pairs = [(row, other) for row, cell in enumerate(cells) for other in range(len(others)) if others[other] != cell]
    alike = np.zeros((len(cells), len(others)), np.float32)
    if len(pairs) < _ENOUGH:
        return alike
    first = [turned.features[row * len(TURNS) + near[row, :, other].argmax()] for row, other in pairs]
    odds = compared(first, [seen.features[other] for _, other in pairs])[0]
    if is_matched:
        places = [others.index(cell) for cell in cells]
        odds = _standard(odds) + _standard(matched(fine.patches(others), [(places[row], at) for row, at in pairs]))
    numbers = np.array(list(SETTLEMENTS.values()))
    share = float(numbers @ (numbers - 1)) / (numbers.sum() * (numbers.sum() - 1))
    alike[tuple(np.transpose(pairs))] = _unusual(odds, share)
    return alike


def _standard(values: Floats) -> Floats:
    return np.asarray((values - values.mean()) / max(float(values.std()), 1e-3), np.float32)


def _unusual(odds: Floats, share: float) -> Floats:
    """Return how far odds are above those that only this share of them exceeds, in their spreads, between -1 and 1."""
    spread = max(float(odds.std()), 1e-3)
    return np.asarray(np.clip((odds - np.quantile(odds, 1 - share)) / spread, -1.0, 1.0), np.float32)
