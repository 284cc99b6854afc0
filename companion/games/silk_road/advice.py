"""For those who have never played: where a section may go, what it would earn, how near the end is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.board import Contents, LaidSection, SquareCell
from companion.games.contract import Advice, Prospect
from companion.games.silk_road.position import LEAST_SECTIONS, SilkRoadPosition, roads_across


def prospects(position: SilkRoadPosition) -> tuple[Prospect, ...]:
    """Return, for each square where the player in turn may lay, what their best section would earn them there.

    The most wealth comes first. How a section is turned makes no difference: only its rays turn.
    """
    hand = () if position.next is None else position.hand(position.next)
    if not hand:
        return ()
    # Sections that differ only in their rays earn the same.
    kinds = {(each.section.number, each.section.has_horse, each.section.is_dead_end): each for each in hand}
    squares = [_best(position, cell, tuple(kinds.values())) for cell in position.open_ways]
    return tuple(sorted(squares, key=lambda each: -each.earns))


def advice(position: SilkRoadPosition) -> tuple[Advice, ...]:
    """Return what the player in turn may do now and what they cannot do."""
    return () if position.next is None else tuple(_on_turn(position, position.next))


def nearness(position: SilkRoadPosition) -> Advice | None:
    """Return how near the end is: the squares that a way leads to, and the sections of those who still play."""
    if position.next is None:
        return None
    left = sum(len(given) for color, given in position.sections_left.items() if color not in position.passed)
    return Advice("near-ways", numbers={"squares": len(position.open_ways), "sections": left})


def _on_turn(position: SilkRoadPosition, color: str) -> Iterator[Advice]:
    open_ways = position.open_ways
    yield Advice("lay", open_ways, {"sections": len(position.sections_left[color])})
    known = set(open_ways)
    if closed := tuple(cell for cell in position.ground.board.cells if position.is_open(cell) and cell not in known):
        yield Advice("closed", closed)
    yield Advice("turned")
    yield Advice("earning", numbers={"least": LEAST_SECTIONS})
    yield Advice("pass")


def _best(position: SilkRoadPosition, cell: SquareCell, hand: Sequence[LaidSection]) -> Prospect:
    before = _wealth(position, cell, None)
    earned = {each: _wealth(position, cell, each) - before for each in hand}
    best = max(hand, key=lambda each: earned[each])
    return Prospect(cell, (cell,), None, True, earned[best], {cell: Contents(best.least_turned)})


def _wealth(position: SilkRoadPosition, cell: SquareCell, laid: LaidSection | None) -> int:
    """Return what the player in turn, or all who play together, collect in the row and the column of a cell."""
    lies = position.laid if laid is None else {**position.laid, cell: laid}
    return sum(
        road.wealth
        for road in roads_across(position.ground.board, lies, cell)
        if road.collector is not None and (position.is_cooperative or road.collector == position.next)
    )
