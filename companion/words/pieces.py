"""The names of pieces, places and amounts, and how several of them are listed."""

from __future__ import annotations

from collections.abc import Mapping

from companion.board import Color, PlayerColor, SettlementType, Terrain
from companion.words.catalogues import Message

#: The names of players who have no other name: their colours.
NAMES: Mapping[PlayerColor, Message] = {
    Color.BLACK: Message("Black"),
    Color.GREY: Message("Grey"),
    Color.YELLOW: Message("Yellow"),
    Color.RED: Message("Red"),
    "green": Message("Green"),
    "brown": Message("Brown"),
    "blue": Message("Blue"),
}
#: A settlement, by the name of its scoring boxes.
BOXES: Mapping[SettlementType, Message] = {
    SettlementType.CITY: Message("city"),
    SettlementType.TOWN: Message("town"),
    SettlementType.VILLAGE: Message("village"),
    SettlementType.HAMLET: Message("hamlet"),
}
TERRAINS: Mapping[Terrain, Message] = {
    Terrain.PLAIN: Message("plain"),
    Terrain.FOREST: Message("forest"),
    Terrain.HILL: Message("hill"),
}
SETTLEMENTS: Mapping[SettlementType, Message] = {
    SettlementType.CITY: Message("{count} city", "{count} cities"),
    SettlementType.TOWN: Message("{count} town", "{count} towns"),
    SettlementType.VILLAGE: Message("{count} village", "{count} villages"),
    SettlementType.HAMLET: Message("{count} hamlet", "{count} hamlets"),
}
TILES: Mapping[Terrain, Message] = {
    Terrain.PLAIN: Message("{count} plain tile", "{count} plain tiles"),
    Terrain.FOREST: Message("{count} forest tile", "{count} forest tiles"),
    Terrain.HILL: Message("{count} hill tile", "{count} hill tiles"),
}
#: A tile on the board: the subject of TILE_LIES, at the beginning of its sentence.
TILE: Mapping[Terrain, Message] = {
    Terrain.PLAIN: Message("a plain tile", "plain tiles"),
    Terrain.FOREST: Message("a forest tile", "forest tiles"),
    Terrain.HILL: Message("a hill tile", "hill tiles"),
}
#: What it is on.
# NOTE: Completes "a forest tile lies ...", of one cell or of several.
ON: Mapping[Terrain, Message] = {
    Terrain.PLAIN: Message("on plain", "on plain"),
    Terrain.FOREST: Message("on forest", "on forest"),
    Terrain.HILL: Message("on hill", "on hill"),
}
#: Said for `tile-terrain` if both are known: "a forest tile is on plain".
# NOTE: {tile} is "a forest tile" or "forest tiles", {ground} is "on plain".
TILE_LIES = Message("{tile} is {ground}", "{tile} are {ground}")
# NOTE: {tiles} is "19 plain tiles", {left} is "18 left".
SUPPLY = Message("{tiles} ({left})")
DAYS = Message("{count} day", "{count} days")
DAYS_LEFT = Message("{count} day left", "{count} days left")
# NOTE: Nick Danger's game lasts ten rounds.
ROUNDS = Message("{count} round", "{count} rounds")
GOLD = Message("{count} gold", "{count} gold")
# NOTE: Follows "9 days", "3 merchants" or "19 plain tiles".
LEFT = Message("{count} left", "{count} left")
MERCHANTS = Message("{count} merchant", "{count} merchants")
# NOTE: Merchants that left a cell, and merchants that came to one.
SET_OUT = Message("{count} set out", "{count} set out")
ARRIVED = Message("{count} arrived", "{count} arrived")
#: What is on a cell, in a few words.
NOTHING = Message("empty")
#: {contents} are the words above.
LIES = Message("{cell}: {contents}")
# NOTE: {edges} are two arrows, towards the edges by which the road leaves its cell.
ROAD = Message("road of {owner}, {terrain} {edges}")
WORKSHOP = Message("workshop of {owner}")
# NOTE: {merchants} is "2 merchants".
STANDING = Message("{merchants} of {owner}")

#: What is on a square, in a few words. {section} is its number, a horse, and arrows where its rays point.
SECTION = Message("road section of {owner}, {section}")
DEAD_END = Message("dead end")
SNOW = Message("snow")
MOUNTAIN = Message("mountain")
MOUNTAINS = Message("{count} mountain", "{count} mountains")

#: A reason with its cells: "G7, G8: ...".
AT = Message("{cells}: {sentence}")
#: Joins the last two of a list, or of a sequence of events; and ends a list that is cut short.
THEN = Message("{some}, then {last}")
AND = Message("{some} and {last}")
AND_MORE = Message("{some} and more")
