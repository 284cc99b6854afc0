"""For beginners: what may be done now, step by step; who leads, what comes next, how near the end is.

Each number in a sentence is a phrase from the rules or the position. "You" is the player whose turn it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.board import Cell, HexCell, Terrain
from companion.games import rule_set, score
from companion.games.contract import Advice, Position, Prospect
from companion.games.la_strada import LaStradaPosition
from companion.games.silk_road import SilkRoadPosition
from companion.words.catalogues import Message
from companion.words.pieces import BOXES, DAYS, GOLD, MERCHANTS, ROUNDS, TILES
from companion.words.rules import phrases
from companion.words.silk_road import EARNING, SECTIONS, WEALTH
from companion.words.speech import Speech, listed

#: How many of the places that may be reached are named, the best ones.
MOST_PLACES = 5
#: If there are more cells than this, only their number is said, and the board shows them.
MOST_CELLS = 12

CELLS = Message("{count} cell", "{count} cells")
SQUARES = Message("{count} open square", "{count} open squares")
PLACES = Message("{count} settlement", "{count} settlements")

#: By the code of an advice. {player} is the player that it is about. The other placeholders are its numbers and those
#: of the rules, as phrases.
ADVICE: Mapping[str, Message] = {
    # NOTE: {free} is "23 cells".
    "workshop": Message("Place your workshop on an empty plain cell. There are {free} to choose from."),
    "workshop-near": Message("Not on these cells, which are next to another player’s workshop: {cells}."),
    # NOTE: Nick Danger's game: {at_workshop} is "6 merchants".
    "workshop-merchants": Message("Put {at_workshop} on it. They start from there."),
    "workshop-then": Message("When all workshops are placed, {player} takes the first turn."),
    # NOTE: {held} is "8 days", {plain_cost} is "2 days", and so on.
    "days": Message(
        "You have {held} for roads. A plain tile costs {plain_cost}, a forest tile {forest_cost} and a hill tile "
        "{hill_cost}."
    ),
    "start": Message("Start a road at your workshop or at a settlement with your merchant: {cells}."),
    # NOTE: {tiles} is "18 plain tiles, 8 forest tiles and 5 hill tiles".
    "tiles": Message("You have {tiles} left. Each goes on its own terrain."),
    "reach": Message("Your days are enough for a road to:"),
    # NOTE: {held} is "4 days".
    "nothing": Message("No road can be finished with {held}. End your turn and keep them."),
    "far": Message("Too far with {held}:"),
    "reached": Message("You have reached these settlements, so no second road goes there: {cells}."),
    "strange": Message("No road may lead to another player’s workshop: {cells}."),
    # NOTE: {left} is "9 merchants".
    "merchant": Message("Where your road ends, put one merchant on the settlement. You have {left} left."),
    # NOTE: The official game for two: {room} is "1 merchant".
    "merchant-room": Message(
        "Where your road ends, put a merchant on the settlement if it is empty: it has room for {room}. You have "
        "{left} left."
    ),
    "walk": Message(
        "While you build a road, any number of your merchants may walk along it, from its start to its end. They "
        "cannot move in any other way."
    ),
    # NOTE: {then} is "10 days", and {most_days} too.
    "done": Message(
        "Build as many roads as you can pay for, or none. Finished? Press the button. If you spend nothing, your next "
        "turn starts with {then}. Nobody has more than {most_days}."
    ),
    # NOTE: {settlements} is "4 settlements".
    "near-roads": Message(
        "The game ends when a player begins a turn and can finish no road. {player} can still reach {settlements} at "
        "most."
    ),
    "near-settlements": Message("The game ends when every settlement has a merchant. {settlements} to go."),
    # NOTE: {rounds} is "3 rounds", the one in progress is counted.
    "near-rounds": Message("The game ends after {rounds}, this one included."),
    # NOTE: Silk Road: {sections} is "14 road sections".
    "lay": Message("Lay one of your {sections} on an open square where a way leads: {cells}."),
    "closed": Message("No way leads to these squares yet: {cells}."),
    "turned": Message("You may turn the section as you like. Its rays open ways for everyone."),
    "earning": EARNING,
    "pass": Message("Or pass. Then you lay nothing more in this game."),
    # NOTE: Silk Road: {squares} is "9 open squares", {sections} is "20 road sections".
    "near-ways": Message(
        "The game ends when no way is open, or nobody has sections left. Now: {squares} with a way, {sections} left."
    ),
}
#: Where La Strada's other rule sets differ.
OF_RULES: Mapping[str, Mapping[str, Message]] = {
    "two-player": {
        "start": Message("Start a road at one of your workshops or at a settlement that you have reached: {cells}.")
    },
    "danger": {"start": Message("Start a road where you have a merchant now: {cells}.")},
}
#: The rule behind each advice, by the code of a reason, a verdict or a number.
BEHIND: Mapping[str, str] = {
    "workshop": "workshop-terrain",
    "workshop-near": "workshop-too-close",
    "workshop-merchants": "merchant-missing",
    "workshop-then": "workshop-missing",
    "days": "days",
    "start": "not-connected",
    "tiles": "tile-supply",
    "reach": "dead-end",
    "nothing": "saved",
    "far": "days",
    "reached": "already-connected",
    "strange": "foreign-workshop",
    "merchant": "merchant-missing",
    "merchant-room": "merchant-occupied",
    "walk": "merchant-move",
    "done": "saved",
    "near-roads": "end",
    "near-settlements": "end",
    "near-rounds": "end",
    "lay": "built",
    "closed": "no-way",
    "turned": "built",
    "earning": "gold",
    "pass": "saved",
    "near-ways": "end",
}
#: Advice about what cannot be done.
NOT_TO_DO = frozenset({"workshop-near", "nothing", "far", "reached", "strange", "closed"})
#: By a number's name: its placeholder in the sentence, and its phrase.
_PHRASES: Mapping[str, tuple[str, Message]] = {
    "cells": ("free", CELLS),
    "held": ("held", DAYS),
    "then": ("then", DAYS),
    "left": ("left", MERCHANTS),
    "settlements": ("settlements", PLACES),
    "empty": ("settlements", PLACES),
    "rounds": ("rounds", ROUNDS),
    "sections": ("sections", SECTIONS),
    "squares": ("squares", SQUARES),
    "least": ("least", SECTIONS),
}

# NOTE: A place to build to: {settlement} is "city", {cost} is "4 days", {gold} is "+5 gold".
PLACE = Message("{cell}, {settlement}: {cost}, {gold}")
# NOTE: A workshop to build to: {cost} is "4 days", {gold} is "+2 gold".
HOME = Message("{cell}, your other workshop: {cost}, {gold}")
# NOTE: Silk Road: {wealth} is "+8 wealth".
SQUARE = Message("{cell}: {wealth}")
# NOTE: {gold} is "5 gold" or "8 wealth".
MORE = Message("+{gold}")

# NOTE: {gold} is "12 gold" or "12 wealth".
LEADS = Message("{player} leads with {gold}")
LEVEL = Message("{players} are level with {gold}")
# NOTE: {place} is "G7, city: 4 days, +5 gold".
NEXT = Message("{player} could go to {place}")
# NOTE: Too far for the days that they have: {place} is "G7, city: 8 days, +5 gold".
LATER = Message("too far for {player} yet: {place}")
# NOTE: Silk Road: {square} is "B3: +8 wealth".
LAY_NEXT = Message("{player} could lay on {square}")
#: How near the end is, in a few words.
SHORTLY: Mapping[str, Message] = {
    "near-roads": Message("{settlements} at most for {player}, then the game ends"),
    "near-settlements": Message("{settlements} without a merchant"),
    "near-rounds": Message("{rounds} to the end"),
    "near-ways": Message("{squares}, {sections} left"),
}


@dataclass(frozen=True, slots=True)
class Told:
    """One step of a lesson: a sentence, the `places` that it lists, whether it may be done, and the rule's code."""

    code: str
    sentence: str
    places: tuple[str, ...]
    is_possible: bool
    behind: str


def lesson(speech: Speech, position: Position, prospects: Sequence[Prospect]) -> tuple[Told, ...]:
    """Return what the current player may do now and why, and when the game ends; nothing once it is over.

    `prospects` are the position's, here and below.
    """
    rules = rule_set(position.rules_name)
    near = rules.nearness(position)
    advice = (*rules.advice(position, prospects), *([near] if near else ()))
    return tuple(_told(speech, position, each, prospects) for each in advice)


def places_ahead(
    speech: Speech, position: Position, prospects: Sequence[Prospect]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return where the current player could go now, and what is too far yet, each with its cost and its worth."""
    say = _square if isinstance(position, SilkRoadPosition) else _place
    now, later = ([each for each in prospects if each.is_affordable is can] for can in (True, False))
    return tuple(say(speech, position, each) for each in now), tuple(say(speech, position, each) for each in later)


def at_a_glance(speech: Speech, position: Position, prospects: Sequence[Prospect]) -> tuple[str, ...]:
    """Return who leads, what comes next and how near the end is, in a few words each; nothing once the game is over."""
    if position.next is None or position.phase == "workshop":
        return ()
    return tuple(
        filter(None, (_leading(speech, position), _next(speech, position, prospects), _near(speech, position)))
    )


def _told(speech: Speech, position: Position, advice: Advice, prospects: Sequence[Prospect]) -> Told:
    code = advice.code
    message = OF_RULES.get(position.rules_name, {}).get(code) or ADVICE[code]
    sentence = speech.say(message, len(advice.cells) or 1, **_facts(speech, position, advice))
    items: tuple[str, ...] = ()
    if code in ("reach", "far"):
        of = [each for each in prospects if each.is_affordable is (code == "reach")]
        items = tuple(_place(speech, position, each) for each in of[:MOST_PLACES])
    elif code == "lay":
        items = tuple(_square(speech, position, each) for each in prospects[:MOST_PLACES] if each.earns)
    return Told(code, sentence, items, code not in NOT_TO_DO, BEHIND[code])


def _facts(speech: Speech, position: Position, advice: Advice) -> dict[str, object]:
    facts: dict[str, object] = dict(phrases(speech.spoken, position.rules_name))
    facts["cells"] = _cells(speech, advice.cells)
    facts["player"] = "" if advice.color is None else speech.name(advice.color)
    for name, number in advice.numbers.items():
        if name in _PHRASES:
            place, phrase = _PHRASES[name]
            facts[place] = speech.say(phrase, number)
    if advice.code == "tiles":
        facts["tiles"] = speech.listing(speech.say(TILES[kind], advice.numbers[f"{kind}_left"]) for kind in Terrain)
    return facts


def _cells(speech: Speech, cells: Sequence[Cell]) -> str:
    return listed(cells) if len(cells) <= MOST_CELLS else speech.say(CELLS, len(cells))


def _place(speech: Speech, position: Position, each: Prospect) -> str:
    assert isinstance(position, LaStradaPosition)
    assert isinstance(each.goal, HexCell)
    kind = position.ground.settlements.get(each.goal)
    cost, gold = speech.say(DAYS, each.cost or 0), _signed(speech, speech.say(GOLD, each.earns), each.earns)
    if kind is None:
        return speech.say(HOME, cell=each.goal, cost=cost, gold=gold)
    return speech.say(PLACE, cell=each.goal, settlement=speech.say(BOXES[kind]), cost=cost, gold=gold)


def _square(speech: Speech, position: Position, each: Prospect) -> str:
    return speech.say(SQUARE, cell=each.goal, wealth=_signed(speech, speech.say(WEALTH, each.earns), each.earns))


def _signed(speech: Speech, amount: str, number: int) -> str:
    return speech.say(MORE, gold=amount) if number > 0 else amount


def _leading(speech: Speech, position: Position) -> str:
    standing, rules = score(position), rule_set(position.rules_name)
    most = max(standing.gold.values())
    if not most or len(standing.gold) < 2 or rules.is_together:
        return ""
    leaders = [speech.name(color) for color, gold in standing.gold.items() if gold == most]
    amount = speech.say(WEALTH if rules.earned == "wealth" else GOLD, most)
    if len(leaders) == 1:
        return speech.say(LEADS, player=leaders[0], gold=amount)
    return speech.say(LEVEL, players=speech.listing(leaders), gold=amount)


def _next(speech: Speech, position: Position, prospects: Sequence[Prospect]) -> str:
    if not prospects or position.next is None:
        return ""
    player, best = speech.name(position.next), prospects[0]
    if best.cost is None:
        return speech.say(LAY_NEXT, player=player, square=_square(speech, position, best)) if best.earns else ""
    return speech.say(NEXT if best.is_affordable else LATER, player=player, place=_place(speech, position, best))


def _near(speech: Speech, position: Position) -> str:
    near = rule_set(position.rules_name).nearness(position)
    return "" if near is None else speech.say(SHORTLY[near.code], 1, **_facts(speech, position, near))
