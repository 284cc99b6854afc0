"""La Strada: each refusal beside the rule that it stands on, and the numbers of both, which are those of the rules."""

from __future__ import annotations

from collections.abc import Mapping

from companion.board import SettlementType, Terrain
from companion.games.la_strada import Rules
from companion.words.catalogues import Message, Refusal
from companion.words.pieces import DAYS, MERCHANTS, ROUNDS, SETTLEMENTS, TILES

# NOTE: {plain_cost} is "2 days", {forest_cost} is "3 days", {hill_cost} is "4 days".
COSTS = Message(
    "A plain tile costs {plain_cost}, a forest tile {forest_cost} and a hill tile {hill_cost}; nobody builds on credit."
)

#: By the code of a reason. {owner} is the player whose pieces it is about; the other places are the reason's numbers
#: and those of the rules (`numbers_of`), as phrases. "You" is the player in turn. A refusal's cells are put before it.
REFUSALS: Mapping[str, Refusal] = {
    "already-connected": Refusal(
        Message("the road joins two places that you have joined already; it must reach a new settlement"),
        Message("A road ends at a settlement that its player has not reached yet."),
    ),
    "cell-occupied": Refusal(
        Message("this cell is taken; nothing may be put on top", "these cells are taken; nothing may be put on top"),
        Message("Each piece lies on a free cell; nothing is stacked."),
    ),
    # NOTE: {cost} is "9 days", {left} is "6 left".
    "days": Refusal(Message("this costs {cost}, {left}"), COSTS),
    "dead-end": Refusal(
        Message("the road leads nowhere here; finish it or take it away"),
        Message("Every road is complete at the end of a turn: it ends at a settlement."),
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
        Message("this settlement does not lie on a grey dot", "these settlements do not lie on grey dots"),
        Message("Settlements are dealt on the cells with a grey dot."),
    ),
    "foreign-workshop": Refusal(
        Message("no road may touch another player's workshop"), Message("No road leads to another player’s workshop.")
    ),
    # NOTE: Begins a sentence where no cells stand before it.
    "game-over": Refusal(
        Message("the game has ended; nothing more can be laid"),
        Message("Once the game has ended nothing more is laid."),
    ),
    "joins-road": Refusal(
        Message("the road runs into another road; roads may not join or cross"),
        Message("Roads never cross, join or branch; a settlement is the only way through."),
    ),
    # NOTE: {owner} is a player's name.
    "merchant-color": Refusal(
        Message("leave the merchants of {owner} as they were"), Message("Each player moves his own merchants alone.")
    ),
    "merchant-extra": Refusal(
        Message("only one new merchant may be put here", "only one new merchant may be put on each of these cells"),
        Message("On a settlement that is reached its player puts exactly one merchant."),
    ),
    "merchant-missing": Refusal(
        Message(
            "your road reaches this settlement, so put one of your merchants on it",
            "your roads reach these settlements, so put one of your merchants on each",
        ),
        Message("On a settlement that is reached its player puts exactly one merchant."),
    ),
    "merchant-move": Refusal(
        Message("merchants cannot have walked like this; they only go along a road as it is built"),
        Message("Merchants walk only along a road as it is built, from where it starts to where it ends."),
    ),
    "merchant-occupied": Refusal(
        Message(
            "a merchant stands here already and there is room for only one; take the new one back",
            "merchants stand here already and each settlement has room for only one; take the new ones back",
        ),
        Message("For two, each settlement has room for {room} in all."),
    ),
    "merchant-removed": Refusal(
        Message(
            "a merchant of an earlier turn is missing here; put it back",
            "merchants of earlier turns are missing here; put them back",
        ),
        Message("Merchants of earlier turns stay where they are."),
    ),
    # NOTE: {needed} is "3 merchants", {left} is "1 left".
    "merchant-supply": Refusal(Message("this takes {needed}, {left}"), Message("Each player has {merchants}.")),
    # NOTE: {taken} is "2 set out", {placed} is "3 arrived".
    "merchant-total": Refusal(
        Message("merchants can only walk, none may appear or vanish; {taken}, {placed}"),
        Message("Merchants only walk: as many arrive as set out."),
    ),
    "merchant-unconnected": Refusal(
        Message(
            "no new road leads here; take the merchant back",
            "no new road leads to these cells; take the merchants back",
        ),
        Message("A merchant is put only where a new road ends."),
    ),
    "not-connected": Refusal(
        Message("a road must start at your own workshop or at a settlement that you have reached"),
        Message("A road starts at its player’s workshop, or at a settlement where he has a merchant."),
    ),
    # NOTE: {owner} is a player's name. Begins a sentence where no cells stand before it.
    "not-your-turn": Refusal(
        Message("it is the turn of {owner}"), Message("Players move one after the other, clockwise.")
    ),
    "settlement-changed": Refusal(
        Message("settlements must lie as they were dealt; put everything back"),
        Message("Settlements stay as they were dealt."),
    ),
    "tile-changed": Refusal(
        Message(
            "a road tile of an earlier turn was turned or swapped; put it back as it lay",
            "road tiles of earlier turns were turned or swapped; put them back as they lay",
        ),
        Message("A road that was laid is never taken up, turned or swapped."),
    ),
    # NOTE: {owner} is a player's name.
    "tile-color": Refusal(
        Message("this tile belongs to {owner}; lay one of your own", "these tiles belong to {owner}; lay your own"),
        Message("A road is built of its player’s own tiles alone."),
    ),
    "tile-removed": Refusal(
        Message(
            "a road tile of an earlier turn is missing here; put it back",
            "road tiles of earlier turns are missing here; put them back",
        ),
        Message("A road that was laid is never taken up, turned or swapped."),
    ),
    # NOTE: {supply} is "19 plain tiles (18 left)", or several of these.
    "tile-supply": Refusal(
        Message("this takes {supply}"), Message("Each player has {plain_tiles}, {forest_tiles} and {hill_tiles}.")
    ),
    "tile-terrain": Refusal(
        Message(
            "this tile does not match the ground that it lies on",
            "these tiles do not match the ground that they lie on",
        ),
        Message("Each tile lies on its own terrain: plain, forest or hill."),
    ),
    "workshop-changed": Refusal(
        Message("workshops must stay where they were placed; put everything back"),
        Message("Workshops stay where they were placed."),
    ),
    "workshop-late": Refusal(
        Message("one workshop too many; take it away", "too many workshops; take the extra ones away"),
        Message("Workshops are placed before the first turn, and never later."),
    ),
    # NOTE: Begins a sentence where no cells stand before it.
    "workshop-missing": Refusal(
        Message("first all workshops must be placed"), Message("The first turn begins once all workshops are placed.")
    ),
    "workshop-terrain": Refusal(
        Message("a workshop must lie on plain"), Message("A workshop lies on an empty plain cell.")
    ),
    "workshop-too-close": Refusal(
        Message("a workshop may not lie next to another player's; leave at least one free cell between"),
        Message("Between workshops of different players lies at least one free cell."),
    ),
}

#: What the official game for two means otherwise.
TWO_PLAYER: Mapping[str, Refusal] = {
    "merchant-extra": Refusal(
        REFUSALS["merchant-extra"].says, Message("For two, each settlement has room for {room} in all.")
    ),
    "not-connected": Refusal(
        REFUSALS["not-connected"].says,
        Message("A road starts at its player’s workshop, or at a settlement that he has reached."),
    ),
}

#: What Nick Danger's game means otherwise.
DANGER: Mapping[str, Refusal] = {
    "already-connected": Refusal(
        Message("the road leads back to where it started; it must end at another place"),
        Message("A road ends at another place than the one it starts from."),
    ),
    # NOTE: Nick Danger's game: {at_workshop} is "6 merchants", which are put on a workshop as it is placed.
    "merchant-extra": Refusal(
        Message("exactly {at_workshop} start on a workshop; take the others away"),
        Message("{at_workshop} start on each workshop."),
    ),
    "merchant-missing": Refusal(
        Message("{at_workshop} start on a workshop; put yours on it"), Message("{at_workshop} start on each workshop.")
    ),
    "not-connected": Refusal(
        Message("a road must start where one of your merchants stands; here no order of building allows that"),
        Message("A road starts only where one of its player’s merchants stands at that moment."),
    ),
}

#: The rule behind a verdict that names no reason.
VERDICTS: Mapping[str, Message] = {
    "workshop": Message(
        "A workshop lies on an empty plain cell, with a free cell between it and those of other players."
    ),
    "built": COSTS,
    # NOTE: {most_days} is "10 days".
    "saved": Message("Whoever builds nothing keeps his days, {most_days} at the most."),
}


def numbers_of(rules: Rules) -> dict[str, tuple[Message, int]]:
    """Return what a sentence may say of the rules, by the name of its place: a phrase and its number."""
    tiles, settlements = rules.tiles, rules.settlements
    return {
        "plain_cost": (DAYS, rules.costs[Terrain.PLAIN]),
        "forest_cost": (DAYS, rules.costs[Terrain.FOREST]),
        "hill_cost": (DAYS, rules.costs[Terrain.HILL]),
        "plain_tiles": (TILES[Terrain.PLAIN], tiles[Terrain.PLAIN]),
        "forest_tiles": (TILES[Terrain.FOREST], tiles[Terrain.FOREST]),
        "hill_tiles": (TILES[Terrain.HILL], tiles[Terrain.HILL]),
        "cities": (SETTLEMENTS[SettlementType.CITY], settlements[SettlementType.CITY]),
        "towns": (SETTLEMENTS[SettlementType.TOWN], settlements[SettlementType.TOWN]),
        "villages": (SETTLEMENTS[SettlementType.VILLAGE], settlements[SettlementType.VILLAGE]),
        "hamlets": (SETTLEMENTS[SettlementType.HAMLET], settlements[SettlementType.HAMLET]),
        "most_days": (DAYS, rules.most_days),
        "merchants": (MERCHANTS, rules.merchants),
        "at_workshop": (MERCHANTS, rules.at_workshop),
        "room": (MERCHANTS, rules.room or 0),
        "rounds": (ROUNDS, rules.rounds or 0),
    }
