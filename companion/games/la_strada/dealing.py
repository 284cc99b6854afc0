"""The deal of La Strada: the settlements as they were dealt, taken from a reading."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from companion.board import (
    BARE,
    CellReading,
    Contents,
    HexBoard,
    HexCell,
    Reading,
    Settlement,
    SettlementType,
    by_hexagon,
)
from companion.games.contract import Reason, reason
from companion.games.la_strada.position import Ground
from companion.games.la_strada.rules import Rules


def check_deal(rules: Rules, reading: Reading) -> tuple[Reason, ...]:
    """Return what is wrong with the settlements as dealt.

    `deal-count`: there are more or fewer of a kind than the box holds; its cells are the sites left empty and the
    settlements of kinds with too many, its numbers the count of each kind. `deal-site`: a settlement is not on a site;
    cells are left out if it is not known whether they are sites.
    """
    dealt = _settlements(reading)
    counts = Counter(dealt.values())
    faults = []
    if any(counts[kind] != number for kind, number in rules.settlements.items()):
        cells = [cell for cell, kind in dealt.items() if counts[kind] > rules.settlements[kind]]
        cells += [cell for cell, read in by_hexagon(reading.cells).items() if read.site and cell not in dealt]
        faults.append(reason("deal-count", cells, {kind.value: counts[kind] for kind in rules.settlements}))
    if strays := [cell for cell in dealt if reading.cells[cell].site is False]:
        faults.append(reason("deal-site", strays))
    return tuple(faults)


#: No more than this many ways to share out the remaining settlements among the sites in doubt are followed.
MOST_DEALS = 256

#: If the reader does not say how likely each kind is, each is less likely than the one before it by this factor; a kind
#: that it does not name is this likely.
_LESS, _UNNAMED = 0.5, 0.002


def completed_deals(rules: Rules, reading: Reading) -> tuple[tuple[Reading, float], ...]:
    """Return the reading completed to each right deal that the clear settlements on sites allow, with how likely it is.

    The settlements left in the box are on the sites in doubt, one on each. The likeliest deal comes first. Empty if
    there are not exactly as many left as there are such sites, or if something covers one of these.
    """
    sites = [cell for cell, read in by_hexagon(reading.cells).items() if read.site and cell in reading.abstained]
    strays = {cell: BARE for cell, kind in _settlements(reading).items() if reading.cells[cell].site is False}
    clear = [kind for cell, kind in _settlements(reading).items() if cell not in strays and cell not in sites]
    left = Counter(rules.settlements)
    left.subtract(clear)
    if any(count < 0 for count in left.values()) or left.total() != len(sites) or reading.occluded & set(sites):
        return ()
    # Site by site, the likeliest ways so far.
    shared: list[tuple[float, tuple[SettlementType, ...]]] = [(1.0, ())]
    for cell in sites:
        likely = _kinds(reading.cells[cell])
        shared = [
            (share * likely[kind], (*kinds, kind))
            for share, kinds in shared
            for kind in left
            if left[kind] > kinds.count(kind)
        ]
        shared = sorted(shared, key=lambda one: -one[0])[:MOST_DEALS]
    deals, whole = [], sum(share for share, _ in shared)
    for share, kinds in shared:
        dealt = {**strays, **{cell: Contents(Settlement(kind)) for cell, kind in zip(sites, kinds, strict=True)}}
        cells = dict(reading.cells)
        for cell, contents in dealt.items():
            cells[cell] = replace(cells[cell], contents=contents)
        deals.append((replace(reading, cells=cells), share / whole))
    return tuple(deals)


def _kinds(read: CellReading) -> dict[SettlementType, float]:
    """Return how likely each kind of settlement is on a site in doubt."""
    likely = dict.fromkeys(SettlementType, 0.0)
    shares = read.shares or [_LESS**rank for rank in range(len(read.alternatives))]
    for answer, share in zip(read.alternatives, shares, strict=True):
        if isinstance(answer.tile, Settlement):
            likely[answer.tile.type] += share
    return {kind: max(share, _UNNAMED) for kind, share in likely.items()}


def _settlements(reading: Reading) -> dict[HexCell, SettlementType]:
    return {
        cell: read.contents.tile.type
        for cell, read in by_hexagon(reading.cells).items()
        if isinstance(read.contents.tile, Settlement)
    }


def ground_of(reading: Reading) -> Ground:
    """Return terrain and settlements as they were read; the board must have hexagons."""
    assert isinstance(reading.board, HexBoard), "La Strada on a board of squares"
    terrain = {cell: read.terrain for cell, read in reading.cells.items() if read.terrain is not None}
    return Ground(reading.board, terrain, _settlements(reading))
