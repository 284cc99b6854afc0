"""La Strada: each refusal with the rule behind it, and the numbers in both, which are those of the rules.

Also the score: settlement by settlement, the totals, and what decided a tie.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from companion.board import PlayerColor, SettlementType, Terrain
from companion.games.contract import Position, RuleSet
from companion.games.la_strada import STANDARD, Account, LaStrada, LaStradaPosition, SettlementAccount, account
from companion.words import pieces
from companion.words.catalogues import Message, Refusal

if TYPE_CHECKING:
    from companion.words.speech import Speech

# NOTE: {plain_cost} is "2 days", {forest_cost} is "3 days", {hill_cost} is "4 days".
COSTS = Message(
    "A plain tile costs {plain_cost}, a forest tile {forest_cost} and a hill tile {hill_cost}. Nobody builds on credit."
)

#: By the code of a reason. {owner} is the player whose pieces it is about. The other placeholders are the reason's
#: numbers and those of the rules (`numbers_of`), as phrases. "You" is the player whose turn it is. A refusal's cells
#: are put before it.
REFUSALS: Mapping[str, Refusal] = {
    "already-connected": Refusal(
        Message("this road joins two places you have already joined, but it must reach a new settlement"),
        Message("A road ends at a settlement that its player has not reached yet."),
    ),
    "cell-occupied": Refusal(
        Message("this cell is taken", "these cells are taken"),
        Message("Each piece goes on a free cell. Nothing is stacked."),
    ),
    # NOTE: {cost} is "9 days", {left} is "6 left".
    "days": Refusal(Message("this costs {cost}, but you have {left}"), COSTS),
    "dead-end": Refusal(
        Message("the road leads nowhere here, so finish it or take it away"),
        Message("At the end of a turn every road is finished: it ends at a settlement."),
    ),
    # NOTE: {city} is "3 cities", and so on.
    "deal-count": Refusal(
        Message(
            "there should be {cities}, {towns}, {villages} and {hamlets}, "
            "but there are {city}, {town}, {village} and {hamlet}"
        ),
        Message("The deal is {cities}, {towns}, {villages} and {hamlets}."),
    ),
    "deal-site": Refusal(
        Message("this settlement is not on a grey dot", "these settlements are not on grey dots"),
        Message("Settlements go on the cells with a grey dot."),
    ),
    "foreign-workshop": Refusal(
        Message("no road may touch another player’s workshop"),
        Message("No road may lead to another player’s workshop."),
    ),
    # NOTE: Begins a sentence where no cells stand before it.
    "game-over": Refusal(
        Message("the game has ended, so nothing more can be laid"),
        Message("Nothing is laid once the game has ended."),
    ),
    "joins-road": Refusal(
        Message("the road runs into another road, but roads may not join or cross"),
        Message("Roads never cross, join or branch. They only meet at a settlement."),
    ),
    # NOTE: {owner} is a player's name.
    "merchant-color": Refusal(
        Message("leave {owner}’s merchants as they were"), Message("Players only move their own merchants.")
    ),
    "merchant-extra": Refusal(
        Message("only one new merchant may go here", "only one new merchant may go on each of these cells"),
        Message("When a road reaches a settlement, its player puts exactly one merchant there."),
    ),
    "merchant-missing": Refusal(
        Message(
            "your road reaches this settlement, so put one of your merchants on it",
            "your roads reach these settlements, so put one of your merchants on each",
        ),
        Message("When a road reaches a settlement, its player puts exactly one merchant there."),
    ),
    "merchant-move": Refusal(
        Message("merchants cannot have walked like this, because they only go along a road while it is built"),
        Message("Merchants only walk along a road while it is built, from its start to its end."),
    ),
    "merchant-occupied": Refusal(
        Message(
            "there is already a merchant here and room for only one, so take the new one back",
            "there are already merchants here and room for only one each, so take the new ones back",
        ),
        Message("With two players, each settlement has room for {room} in all."),
    ),
    "merchant-removed": Refusal(
        Message(
            "a merchant from an earlier turn is missing here, so put it back",
            "merchants from earlier turns are missing here, so put them back",
        ),
        Message("Merchants from earlier turns stay where they are."),
    ),
    # NOTE: {needed} is "3 merchants", {left} is "1 left".
    "merchant-supply": Refusal(
        Message("this takes {needed}, but you have {left}"), Message("Each player has {merchants}.")
    ),
    # NOTE: {taken} is "2 set out", {placed} is "3 arrived".
    "merchant-total": Refusal(
        Message("merchants only walk, so none may appear or vanish: {taken}, {placed}"),
        Message("Merchants only walk: as many arrive as set out."),
    ),
    "merchant-unconnected": Refusal(
        Message(
            "no new road leads here, so take the merchant back",
            "no new road leads to these cells, so take the merchants back",
        ),
        Message("A merchant may only go where a new road ends."),
    ),
    "not-connected": Refusal(
        Message("a road must start at your own workshop or at a settlement you have reached"),
        Message("A road starts at its player’s workshop, or at a settlement where they have a merchant."),
    ),
    # NOTE: {owner} is a player's name. Begins a sentence where no cells stand before it.
    "not-your-turn": Refusal(Message("it is {owner}’s turn"), Message("Players take turns clockwise.")),
    "settlement-changed": Refusal(
        Message("settlements must stay as they were dealt, so put everything back"),
        Message("Settlements stay as they were dealt."),
    ),
    "tile-changed": Refusal(
        Message(
            "a road tile from an earlier turn was turned or swapped, so put it back as it was",
            "road tiles from earlier turns were turned or swapped, so put them back as they were",
        ),
        Message("A road on the board is never taken up, turned or swapped."),
    ),
    # NOTE: {owner} is a player's name.
    "tile-color": Refusal(
        Message("this tile is {owner}’s, so use one of your own", "these tiles are {owner}’s, so use your own"),
        Message("Players only build roads from their own tiles."),
    ),
    "tile-removed": Refusal(
        Message(
            "a road tile from an earlier turn is missing here, so put it back",
            "road tiles from earlier turns are missing here, so put them back",
        ),
        Message("A road on the board is never taken up, turned or swapped."),
    ),
    # NOTE: {supply} is "19 plain tiles (18 left)", or several of these.
    "tile-supply": Refusal(
        Message("this takes {supply}"), Message("Each player has {plain_tiles}, {forest_tiles} and {hill_tiles}.")
    ),
    "tile-terrain": Refusal(
        Message(
            "this tile does not match the terrain of its cell",
            "these tiles do not match the terrain of their cells",
        ),
        Message("Each tile goes on its own terrain: plain, forest or hill."),
    ),
    "workshop-changed": Refusal(
        Message("workshops must stay where they were placed, so put everything back"),
        Message("Workshops stay where they were placed."),
    ),
    "workshop-late": Refusal(
        Message(
            "this is one workshop too many, so take it away",
            "there are too many workshops, so take the extra ones away",
        ),
        Message("All workshops are placed before the first turn."),
    ),
    # NOTE: Begins a sentence where no cells stand before it.
    "workshop-missing": Refusal(
        Message("all workshops must be placed first"), Message("The first turn begins once all workshops are placed.")
    ),
    "workshop-terrain": Refusal(
        Message("a workshop must be on plain"), Message("A workshop goes on an empty plain cell.")
    ),
    "workshop-too-close": Refusal(
        Message("a workshop may not be next to another player’s, so leave at least one free cell between them"),
        Message("There is at least one free cell between the workshops of different players."),
    ),
}

#: Where the official game for two differs.
TWO_PLAYER: Mapping[str, Refusal] = {
    "merchant-extra": Refusal(
        REFUSALS["merchant-extra"].says, Message("With two players, each settlement has room for {room} in all.")
    ),
    "not-connected": Refusal(
        REFUSALS["not-connected"].says,
        Message("A road starts at its player’s workshop, or at a settlement that they have reached."),
    ),
}

#: Where Nick Danger's game differs.
DANGER: Mapping[str, Refusal] = {
    "already-connected": Refusal(
        Message("the road leads back to where it started, but it must end somewhere else"),
        Message("A road must end somewhere other than where it starts."),
    ),
    # NOTE: Nick Danger's game: {at_workshop} is "6 merchants", which are put on a workshop as it is placed.
    "merchant-extra": Refusal(
        Message("exactly {at_workshop} start on a workshop, so take the others away"),
        Message("{at_workshop} start on each workshop."),
    ),
    "merchant-missing": Refusal(
        Message("{at_workshop} start on a workshop, so put yours on it"),
        Message("{at_workshop} start on each workshop."),
    ),
    "not-connected": Refusal(
        Message("a road must start where you have a merchant, and no order of building makes that possible here"),
        Message("A road can only start where its player has a merchant at that moment."),
    ),
}

#: The rule behind a verdict that gives no reason.
VERDICTS: Mapping[str, Message] = {
    "workshop": Message(
        "A workshop goes on an empty plain cell, with a free cell between it and the other players’ workshops."
    ),
    "built": COSTS,
    # NOTE: {most_days} is "10 days".
    "saved": Message("Players who build nothing keep their days, {most_days} at most."),
    # NOTE: {day_gain} is "6 days", {most_days} is "10 days".
    "day-gain": Message("At the start of their turn players get {day_gain}. Nobody has more than {most_days}."),
    "gold": Message("Each merchant earns what its settlement’s box shows for as many merchants as are there."),
}
#: The same for Nick Danger's game.
DANGER_VERDICTS: Mapping[str, Message] = {
    **VERDICTS,
    "gold": Message(
        "Only the player with more merchants on a settlement earns its gold. Merchants still on a workshop cost gold."
    ),
}


def numbers_of(rule_set: RuleSet) -> dict[str, tuple[Message, int]]:
    """Return what a sentence may say about the rules, by the name of its placeholder: a phrase and its number."""
    rules = (rule_set if isinstance(rule_set, LaStrada) else STANDARD).rules
    tiles, settlements = rules.tiles, rules.settlements
    return {
        "plain_cost": (pieces.DAYS, rules.costs[Terrain.PLAIN]),
        "forest_cost": (pieces.DAYS, rules.costs[Terrain.FOREST]),
        "hill_cost": (pieces.DAYS, rules.costs[Terrain.HILL]),
        "plain_tiles": (pieces.TILES[Terrain.PLAIN], tiles[Terrain.PLAIN]),
        "forest_tiles": (pieces.TILES[Terrain.FOREST], tiles[Terrain.FOREST]),
        "hill_tiles": (pieces.TILES[Terrain.HILL], tiles[Terrain.HILL]),
        "cities": (pieces.SETTLEMENTS[SettlementType.CITY], settlements[SettlementType.CITY]),
        "towns": (pieces.SETTLEMENTS[SettlementType.TOWN], settlements[SettlementType.TOWN]),
        "villages": (pieces.SETTLEMENTS[SettlementType.VILLAGE], settlements[SettlementType.VILLAGE]),
        "hamlets": (pieces.SETTLEMENTS[SettlementType.HAMLET], settlements[SettlementType.HAMLET]),
        "most_days": (pieces.DAYS, rules.most_days),
        "day_gain": (pieces.DAYS, rules.day_gain),
        "merchants": (pieces.MERCHANTS, rules.merchants),
        "at_workshop": (pieces.MERCHANTS, rules.at_workshop),
        "room": (pieces.MERCHANTS, rules.room or 0),
        "rounds": (pieces.ROUNDS, rules.rounds or 0),
    }


def counted(speech: Speech, position: Position) -> tuple[str, ...]:
    """Return the score settlement by settlement, as it is counted at the table, then the totals."""
    return tell_account(speech, _account(position))


def result(speech: Speech, position: Position) -> tuple[str, ...]:
    """Return each player's gold and days, and what decided if several have the most gold."""
    counted = _account(position)
    best = max(counted.gold.values())
    level = [color for color, gold in counted.gold.items() if gold == best]
    is_broken = len(counted.leaders) < len(level)
    players, gold = speech.listing(map(speech.name, level)), speech.say(pieces.GOLD, best)
    tie = (speech.event("tie-days", players=players, gold=gold),) if is_broken else ()
    return (*_sums(speech, counted), *tie)


def tell_account(speech: Speech, counted: Account) -> tuple[str, ...]:
    """Return a sentence for each settlement and for merchants that stayed on workshops, then the totals."""
    stayed = (tell_stayed(speech, color, count) for color, count in counted.stayed.items() if count)
    return (*(tell_place(speech, place) for place in counted.settlements), *stayed, *_sums(speech, counted))


def tell_place(speech: Speech, place: SettlementAccount) -> str:
    """Return where the settlement's merchants go and what they earn."""
    counts = place.merchants.counts
    if place.scoring and place.each:
        code = "account" if place.scoring == place.merchants else "account-majority"
    else:
        code = "account-tie" if place.each and len(counts) > 1 else "account-nothing"
    names = {color: speech.name(color) for color in counts}
    return speech.event(
        code,
        place.number,
        cell=place.cell,
        number=place.number,
        settlement=speech.say(pieces.BOXES[place.type]),
        merchants=speech.listing(
            names[color] if count == 1 else f"{names[color]} ({count})" for color, count in counts.items()
        ),
        player=speech.listing(map(speech.name, place.scoring)),
        gold=speech.say(pieces.GOLD, place.each),
    )


def tell_stayed(speech: Speech, color: PlayerColor, count: int) -> str:
    """Return what a player's merchants cost who stayed on workshops."""
    return speech.event("account-stayed", count, player=speech.name(color), gold=speech.say(pieces.GOLD, count))


def _account(position: Position) -> Account:
    assert isinstance(position, LaStradaPosition)
    return account(position)


def _sums(speech: Speech, counted: Account) -> Iterator[str]:
    for color, gold in counted.gold.items():
        days = speech.say(pieces.DAYS_LEFT, counted.days[color])
        yield speech.event("account-total", player=speech.name(color), gold=speech.say(pieces.GOLD, gold), days=days)
