"""Tiles named together, so that the box's count settles what looks alone leave open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import product

from companion.board import Contents, HexCell, Merchants, Settlement, Workshop
from vision.classify import WORKSHOP_GAP, certainty
from vision.crowds import crowded
from vision.evidence import Reasons
from vision.inventory import SETTLEMENTS
from vision.kinds import name_deal
from vision.memory import CLEAR, Known
from vision.naming import cube_certainty
from vision.settlements import SettlementLooks, Shown

#: A settlement that is less likely of a kind is not of it.
_POSSIBLE = 0.01
#: A second workshop of one colour (only games for two have it) must fit better by this much.
_SECOND_WORKSHOP = 0.5
#: More new workshops than this at once are named one by one: the box holds eight.
_MOST_WORKSHOPS = 6


def settle_deal(
    samples: Mapping[HexCell, Shown],
    known: Mapping[HexCell, Known],
    reasons: Mapping[HexCell, Reasons],
    looks: SettlementLooks,
) -> dict[HexCell, Known]:
    """Return the settlements' cells, named by looks and count together; empty where that cannot be done.

    `samples` shows each settlement seen; `known` is what was read of the cells one by one, `reasons` why: how far their
    most doubtful places are from where a cube begins.
    """
    cells = [cell for cell in samples if isinstance(known[cell].contents.tile, Settlement)]
    settled = {}
    for cell, shares in name_deal({cell: samples[cell] for cell in cells}, looks, SETTLEMENTS).items():
        before = known[cell]
        merchants = before.contents.merchants
        (kind, sure), *rivals = shares.items()
        # How sure the kind was by itself counts no longer, how sure its cubes are does.
        confidence = min(sure, cube_certainty(reasons[cell].cube_margin) if merchants else 1.0)
        is_clear = confidence >= CLEAR
        contents = Contents(Settlement(kind), merchants)
        others = [answer for answer in (before.contents, *before.alternatives) if answer.tile == before.contents.tile]
        answers = [Contents(contents.tile, answer.merchants) for answer in others]
        answers += [Contents(Settlement(rival), merchants) for rival, share in rivals if share > _POSSIBLE]
        now = replace(
            before,
            contents=contents,
            confidence=confidence,
            is_clear=is_clear,
            tile_is_clear=sure >= CLEAR,
            alternatives=() if is_clear else tuple(dict.fromkeys([contents, *answers])),
        )
        settled[cell] = crowded(now)
    return settled


def settle_workshops(
    fits: Mapping[HexCell, Mapping[Workshop, float]],
    known: Mapping[HexCell, Known],
    before: Mapping[HexCell, Known],
) -> dict[HexCell, Known]:
    """Return the new workshops' cells, named so that few colours have two; `before` holds what lay there already."""
    cells = [cell for cell in fits if isinstance(known[cell].contents.tile, Workshop)]
    if not cells or len(cells) > _MOST_WORKSHOPS:
        return {}
    lain = Counter(
        old.contents.tile
        for cell, old in before.items()
        if isinstance(old.contents.tile, Workshop) and cell not in fits and cell not in known
    )

    def total(named: tuple[Workshop, ...]) -> float:
        counts = lain + Counter(named)
        seconds = sum(count - 1 for count in counts.values() if count > 1)
        return sum(fits[cell][tile] for cell, tile in zip(cells, named, strict=True)) + _SECOND_WORKSHOP * seconds

    ranked = sorted(product(*(tuple(fits[cell]) for cell in cells)), key=total)
    best = ranked[0]
    settled = {}
    for index, cell in enumerate(cells):
        rival = next((other for other in ranked if other[index] != best[index]), None)
        sure = 1.0 if rival is None else certainty(total(rival) - total(best), WORKSHOP_GAP)
        old = known[cell]
        if old.is_crowd and best[index] == old.contents.tile:
            settled[cell] = old
            continue
        others = sorted((tile for tile in fits[cell] if tile != best[index]), key=lambda tile: fits[cell][tile])
        merchants = old.contents.merchants
        if best[index] != old.contents.tile:
            # What looked like cubes of this colour on another's workshop was the workshop itself.
            merchants = Merchants.of({color: n for color, n in merchants.counts.items() if color != best[index].color})
        settled[cell] = replace(
            old,
            contents=Contents(best[index], merchants),
            confidence=sure,
            is_clear=sure >= CLEAR,
            tile_is_clear=sure >= CLEAR,
            alternatives=() if sure >= CLEAR else tuple(Contents(tile, merchants) for tile in others),
        )
    return settled
