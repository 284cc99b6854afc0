"""Silk Road: each refusal with the rule behind it, the other sentences that only it needs, and its wealth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from companion.games.contract import Line, Position, RuleSet
from companion.games.silk_road import Road, SilkRoadPosition
from companion.games.silk_road.position import LEAST_SECTIONS
from companion.games.silk_road.turns import MOUNTAINS as HOW_MANY_MOUNTAINS
from companion.words import table
from companion.words.catalogues import Message, Refusal
from companion.words.pieces import MOUNTAINS

if TYPE_CHECKING:
    from companion.words.speech import Speech

WAY = Message(
    "A road section goes on an open square next to the snow, or where a ray of a neighbouring section points."
)
STAYS = Message("A road section on the board stays as it is.")

#: By the code of a reason. {owner} is the player whose section or turn it is. A refusal's squares are put before it.
REFUSALS: Mapping[str, Refusal] = {
    # NOTE: Silk Road: the cells are squares.
    "cell-occupied": Refusal(Message("this square is taken, so choose an open one"), WAY),
    "game-over": Refusal(
        Message("the game has ended, so nothing more can be laid"),
        Message("Nothing is laid once the game has ended."),
    ),
    "ground-changed": Refusal(
        Message("the snow and the mountains must stay where they were, so put everything back"),
        Message("The snow and the mountains stay where they were placed."),
    ),
    "mountain-count": Refusal(
        Message("there must be {mountains}, each on its own open square"),
        Message("{mountains} go on open squares."),
    ),
    "mountain-near": Refusal(
        Message("a mountain may not be next to the snow or another mountain, not even diagonally"),
        Message("No mountain is next to the snow or another mountain, not even diagonally."),
    ),
    "mountain-rim": Refusal(
        Message("a mountain may not be on the edge of the board"), Message("No mountain is on the edge of the board.")
    ),
    # NOTE: Silk Road: a section's rays are arrows that point at neighbouring squares.
    "no-way": Refusal(Message("no way leads here: it is not next to the snow, and no ray points at it"), WAY),
    "not-your-turn": Refusal(Message("it is {owner}’s turn"), Message("Players take turns clockwise.")),
    # NOTE: {owner} is a player's name.
    "section-foreign": Refusal(
        Message("this road section is {owner}’s, so use one of your own"),
        Message("Players only lay their own road sections."),
    ),
    "section-many": Refusal(
        Message("only one road section may be laid in a turn, so take the others back"),
        Message("In a turn, a player lays one road section or none."),
    ),
    "section-unknown": Refusal(
        Message("nobody has this road section in this game, so take it away"),
        Message("Players only lay their own road sections."),
    ),
    "section-used": Refusal(
        Message("this road section is already here, so lay another one"),
        Message("Players have each of their road sections once."),
    ),
    "snow-corner": Refusal(
        Message("the snow must be on a corner of the board"), Message("The snow goes on a corner of the board.")
    ),
    "tile-changed": Refusal(
        Message(
            "a road section from an earlier turn was turned or swapped, so put it back as it was",
            "road sections from earlier turns were turned or swapped, so put them back as they were",
        ),
        STAYS,
    ),
    "tile-removed": Refusal(
        Message(
            "a road section from an earlier turn is missing here, so put it back",
            "road sections from earlier turns are missing here, so put them back",
        ),
        STAYS,
    ),
}

SECTIONS = Message("{count} road section", "{count} road sections")
# NOTE: Silk Road: {least} is "4 road sections".
EARNING = Message(
    "{least} or more in one line, in a row or a column, earn the largest number on them, doubled if there is a horse. "
    "Whoever has most sections in the line collects it."
)

#: The rule behind a verdict that gives no reason.
VERDICTS: Mapping[str, Message] = {
    "built": WAY,
    "saved": Message("Players who pass lay nothing more in this game."),
    "gold": EARNING,
}

#: The sentences of events that differ from La Strada's, by their code.
EVENTS: Mapping[str, Message] = {
    # NOTE: Silk Road: {gold} is "12 wealth".
    "account-total": Message("{player}: {gold}"),
    "built": table.EVENTS["legal"],
    "deal-hidden": Message("I can’t see the snow and the mountains: please take your hands away"),
    "deal-refused": Message("The snow and the mountains are not in the right places"),
    "deal-unclear": Message("I can’t make out the snow and the mountains: please check {cells}"),
    "no-game": Message("No game has begun yet: put down the snow and the mountains and start one"),
    # NOTE: Silk Road: whoever passes lays no more road sections in this game.
    "saved": Message("{player} passes and lays nothing more"),
    "saving": Message("{player}: nothing was laid. Pass for the rest of the game?"),
    "sequence-saving": Message("{player} passes"),
    "suggest-turned": Message("If the road section on {cell} is turned another way, the move is legal"),
    "turn": Message("It is {player}’s turn: lay a road section or pass"),
}

WEALTH = Message("{count} wealth")
# NOTE: Silk Road, all players together: {wealth} is "32 wealth".
TOGETHER = Message("Together: {wealth}")

#: The names of roads.
ROW = Message("Row {name}")
COLUMN = Message("Column {name}")
# NOTE: Silk Road: {road} is "Row A" or "Column 2", {wealth} a number.
COLLECTED = Message("{road}: {player} collects {wealth}")
COLLECTED_DOUBLE = Message("{road}: {player} collects {number}, doubled by a horse: {wealth}")
COLLECTED_BY_NOBODY = Message("{road}: a tie, so nobody collects {wealth}")


def numbers_of(rule_set: RuleSet) -> dict[str, tuple[Message, int]]:
    """Return what a sentence may say about the rules, by the name of its placeholder: a phrase and its number."""
    return {"mountains": (MOUNTAINS, HOW_MANY_MOUNTAINS), "least": (SECTIONS, LEAST_SECTIONS)}


def counted(speech: Speech, position: Position) -> tuple[str, ...]:
    """Return the roads that create wealth, then each player's wealth, or the total if all play together."""
    assert isinstance(position, SilkRoadPosition)
    told = lines(speech, position.roads())
    if position.is_cooperative:
        return (*told, speech.say(TOGETHER, wealth=speech.say(WEALTH, position.total)))
    wealth = ((speech.name(color), speech.say(WEALTH, wealth)) for color, wealth in position.wealth().items())
    return (*told, *(speech.event("account-total", player=name, gold=has) for name, has in wealth))


def lines(speech: Speech, earning: Iterable[Line]) -> tuple[str, ...]:
    """Return a sentence for each road that creates wealth: who collects it, and whether a horse doubles it."""
    return tuple(_road(speech, line) for line in earning if isinstance(line, Road))


def _road(speech: Speech, road: Road) -> str:
    where = speech.say(ROW if road.is_row else COLUMN, name=road.name)
    if road.collector is None:
        return speech.say(COLLECTED_BY_NOBODY, road=where, wealth=road.wealth)
    message = COLLECTED_DOUBLE if road.wealth > road.number else COLLECTED
    collector = speech.name(road.collector)
    return speech.say(message, road=where, player=collector, number=road.number, wealth=road.wealth)
