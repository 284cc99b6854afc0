"""Reasons as La Strada's judges make them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.board import Color, HexCell, in_board_order
from companion.games.contract import Reason

#: How likely players err in one certain way, beside a legal move: of dones in the games of ../shared/records a third
#: is refused, for one of some ten reasons, at one of a few cells. Tiles and merchants of another colour lie in front of
#: somebody else; terrain is printed, and merchants too many or too few are so by some number. A merchant to whom no
#: road leads is one in fifty, on any of many cells.
_ANY = 1 / 50
_SELDOM = {
    "tile-terrain": 1 / 100,
    "merchant-total": 1 / 200,
    "merchant-unconnected": 1 / 300,
    "merchant-color": 1 / 500,
    "tile-color": 1 / 1000,
}
#: Who errs so on several cells has erred several times; each further time is so much likelier than alone.
_EACH, _AGAIN = {"merchant-unconnected", "tile-terrain"}, 5


def seldom(wrong: Reason) -> float:
    """Return how likely players err so in one certain way (the `RuleSet` of companion.games.contract)."""
    once = _SELDOM.get(wrong.code, _ANY)
    again = len(wrong.cells[1:]) if wrong.code in _EACH else 0
    return once * (_AGAIN * once) ** again


def reason(
    code: str, cells: Iterable[HexCell] = (), numbers: Mapping[str, int] | None = None, color: Color | None = None
) -> Reason:
    """Return a reason, its cells in board order without repeats."""
    return Reason(code, in_board_order(set(cells)), numbers or {}, color)
