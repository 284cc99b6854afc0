"""What is said of Silk Road alone, as English says it, as in `messages`."""

from __future__ import annotations

from collections.abc import Mapping

from companion.wording.messages import EVENTS, REASONS, Message

#: A reason's sentence by its code; {owner} is the player whose section or turn it is. Its squares are put before it.
SILK_ROAD_REASONS: Mapping[str, Message] = {
    # NOTE: Silk Road: the cells are squares.
    "cell-occupied": Message("this square is taken; choose an open one"),
    "game-over": REASONS["game-over"],
    "ground-changed": Message("snow and mountains must stay where they were; put everything back"),
    "mountain-count": Message("there must be four mountains, each on an open square of its own"),
    "mountain-near": Message("no mountain may lie next to the snow or to another mountain, not even diagonally"),
    "mountain-rim": Message("no mountain may lie on the rim of the board"),
    # NOTE: Silk Road: a section's rays are arrows that point at neighbouring squares.
    "no-way": Message("no way leads here: the snow is not next to it, and no ray points at it"),
    "not-your-turn": REASONS["not-your-turn"],
    # NOTE: {owner} is a player's name.
    "section-foreign": Message("this road section belongs to {owner}; lay one of your own"),
    "section-many": Message("only one road section is laid in a turn; take the others back"),
    "section-unknown": Message("nobody was given this road section in this game; take it away"),
    "section-used": Message("this road section lies here already; lay another one"),
    "snow-corner": Message("the snow must lie on a corner of the board"),
    "tile-changed": Message(
        "a road section of an earlier turn was turned or swapped; put it back as it lay",
        "road sections of earlier turns were turned or swapped; put them back as they lay",
    ),
    "tile-removed": Message(
        "a road section of an earlier turn is missing here; put it back",
        "road sections of earlier turns are missing here; put them back",
    ),
}

#: The sentences of events that are others than La Strada's, by their code.
SILK_ROAD_EVENTS: Mapping[str, Message] = {
    # NOTE: Silk Road: {gold} is "12 wealth".
    "account-total": Message("{player}: {gold}"),
    "built": EVENTS["legal"],
    "deal-hidden": Message("Snow and mountains cannot be seen: please take your hands away"),
    "deal-refused": Message("Snow and mountains do not lie right"),
    "deal-unclear": Message("Snow and mountains cannot be made out: please look at {cells}"),
    "no-game": Message("No game has begun yet: lay snow and mountains and start one"),
    # NOTE: Silk Road: whoever passes lays no more road sections in this game.
    "saved": Message("{player} passes, and lays no more"),
    "saving": Message("{player}: nothing was laid. Pass, and lay no more?"),
    "sequence-saving": Message("{player} passes"),
    "suggest-turned": Message("If the road section on {cell} is turned otherwise, it would be right"),
    "turn": Message("{player} lays a road section, or passes"),
}

#: What lies on a square, in a few words. {section} is its number, a horse, arrows where its rays point.
SECTION = Message("road section of {owner}, {section}")
DEAD_END = Message("dead end")
SNOW = Message("snow")
MOUNTAIN = Message("mountain")

WEALTH = Message("{count} wealth")
# NOTE: Silk Road, all players together: {wealth} is "32 wealth".
TOGETHER = Message("Together: {wealth}")

#: What a road is called.
ROW = Message("Row {name}")
COLUMN = Message("Column {name}")
# NOTE: Silk Road: {road} is "Row A" or "Column 2", {wealth} a number.
COLLECTED = Message("{road}: {player} collects {wealth}")
COLLECTED_DOUBLE = Message("{road}: {player} collects {number}, doubled by a horse: {wealth}")
COLLECTED_BY_NOBODY = Message("{road}: a tie, so nobody collects {wealth}")
