"""What a reader has to say of a deal: what may make this game harder to read than the table that it was taught."""

from __future__ import annotations

from dataclasses import dataclass

from companion.board.components import Color
from companion.board.hexagon import HexCell


@dataclass(frozen=True, slots=True)
class DealRemarks:
    """`is_layout_new`: the board pieces lie otherwise than before; `is_layout_known`: how they lie was made out.

    `stops` is by how many steps of doubled light the picture is brighter than when the pieces were taught, below 0:
    darker. `poor` are settlements and `poor_tracks` day tracks that can only just be told, or not at all.
    """

    is_layout_new: bool = False
    is_layout_known: bool = True
    stops: float = 0.0
    poor: tuple[HexCell, ...] = ()
    poor_tracks: tuple[Color, ...] = ()
