"""What a player at a drawn table is going to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.board import Cell, Contents, PlayerColor

#: What lies on the cells that somebody touches, in the order in which he lays it.
Lying = Mapping[Cell, Contents]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a player is going to do: what will lie on the cells he touches, in the order in which he lays it.

    `wrong`, where not None, is what he lays at first. `marker` is the field his day-track marker goes to; None: it
    stays where it is. An empty `right` is a turn in which he saves his days, or passes.
    """

    player: PlayerColor
    right: Lying
    wrong: Lying | None
    marker: int | None = None
