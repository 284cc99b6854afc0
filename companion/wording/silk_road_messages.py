"""What is said of Silk Road alone, as English says it, as in `messages`."""

from __future__ import annotations

from collections.abc import Mapping

from companion.wording.messages import REASONS, Message

#: A reason's sentence by its code; {owner} is the player whose section or turn it is. Its squares are put before it.
SILK_ROAD_REASONS: Mapping[str, Message] = {
    # NOTE: Silk Road: the cells are squares.
    "cell-occupied": Message("this square is taken; choose an open one"),
    "game-over": REASONS["game-over"],
    "mountain-count": Message("there must be four mountains, each on an open square of its own"),
    "mountain-near": Message("no mountain may lie next to the snow or to another mountain, not even diagonally"),
    "mountain-rim": Message("no mountain may lie on the rim of the board"),
    # NOTE: Silk Road: a section's rays are arrows that point at neighbouring squares.
    "no-way": Message("no way leads here: the snow is not next to it, and no ray points at it"),
    "not-your-turn": REASONS["not-your-turn"],
    # NOTE: {owner} is a player's name.
    "section-foreign": Message("this road section belongs to {owner}; lay one of your own"),
    "section-used": Message("this road section lies here already; lay another one"),
    "snow-corner": Message("the snow must lie on a corner of the board"),
}

#: What a road is called.
ROW = Message("Row {name}")
COLUMN = Message("Column {name}")
# NOTE: Silk Road: {road} is "Row A" or "Column 2", {wealth} a number.
COLLECTED = Message("{road}: {player} collects {wealth}")
COLLECTED_DOUBLE = Message("{road}: {player} collects {number}, doubled by a horse: {wealth}")
COLLECTED_BY_NOBODY = Message("{road}: a tie, so nobody collects {wealth}")
