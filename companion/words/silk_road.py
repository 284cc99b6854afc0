"""Silk Road: each refusal beside the rule that it stands on, what else is said of it alone, and its wealth."""

from __future__ import annotations

from collections.abc import Mapping

from companion.games.silk_road.judging import MOUNTAINS as HOW_MANY_MOUNTAINS
from companion.words import table
from companion.words.catalogues import Message, Refusal
from companion.words.pieces import MOUNTAINS

WAY = Message("A road section lies on an open square next to the snow, or where a ray of a section beside it points.")
STAYS = Message("A road section that was laid stays as it lies.")

#: By the code of a reason; {owner} is the player whose section or turn it is. A refusal's squares are put before it.
REFUSALS: Mapping[str, Refusal] = {
    # NOTE: Silk Road: the cells are squares.
    "cell-occupied": Refusal(Message("this square is taken; choose an open one"), WAY),
    "game-over": Refusal(
        Message("the game has ended; nothing more can be laid"),
        Message("Once the game has ended nothing more is laid."),
    ),
    "ground-changed": Refusal(
        Message("snow and mountains must stay where they were; put everything back"),
        Message("Snow and mountains stay where they were laid."),
    ),
    "mountain-count": Refusal(
        Message("there must be {mountains}, each on an open square of its own"),
        Message("{mountains} lie on open squares."),
    ),
    "mountain-near": Refusal(
        Message("no mountain may lie next to the snow or to another mountain, not even diagonally"),
        Message("No mountain lies next to the snow or to another mountain, not even diagonally."),
    ),
    "mountain-rim": Refusal(
        Message("no mountain may lie on the rim of the board"), Message("No mountain lies on the rim.")
    ),
    # NOTE: Silk Road: a section's rays are arrows that point at neighbouring squares.
    "no-way": Refusal(Message("no way leads here: the snow is not next to it, and no ray points at it"), WAY),
    "not-your-turn": Refusal(
        Message("it is the turn of {owner}"), Message("Players move one after the other, clockwise.")
    ),
    # NOTE: {owner} is a player's name.
    "section-foreign": Refusal(
        Message("this road section belongs to {owner}; lay one of your own"),
        Message("Each player lays his own road sections."),
    ),
    "section-many": Refusal(
        Message("only one road section is laid in a turn; take the others back"),
        Message("In a turn one road section is laid, or none."),
    ),
    "section-unknown": Refusal(
        Message("nobody was given this road section in this game; take it away"),
        Message("Each player lays his own road sections."),
    ),
    "section-used": Refusal(
        Message("this road section lies here already; lay another one"),
        Message("Each player has each of his road sections once."),
    ),
    "snow-corner": Refusal(
        Message("the snow must lie on a corner of the board"), Message("The snow lies on a corner.")
    ),
    "tile-changed": Refusal(
        Message(
            "a road section of an earlier turn was turned or swapped; put it back as it lay",
            "road sections of earlier turns were turned or swapped; put them back as they lay",
        ),
        STAYS,
    ),
    "tile-removed": Refusal(
        Message(
            "a road section of an earlier turn is missing here; put it back",
            "road sections of earlier turns are missing here; put them back",
        ),
        STAYS,
    ),
}

#: The rule behind a verdict that names no reason.
VERDICTS: Mapping[str, Message] = {
    "built": WAY,
    "saved": Message("Whoever passes lays no more in this game."),
}

#: The sentences of events that are others than La Strada's, by their code.
EVENTS: Mapping[str, Message] = {
    # NOTE: Silk Road: {gold} is "12 wealth".
    "account-total": Message("{player}: {gold}"),
    "built": table.EVENTS["legal"],
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


def numbers() -> dict[str, tuple[Message, int]]:
    """Return what a sentence may say of the rules, by the name of its place: a phrase and its number."""
    return {"mountains": (MOUNTAINS, HOW_MANY_MOUNTAINS)}
