"""From one position to the next: the start, a move applied, whose turn begins, and whether the game ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from companion.board import BadInputError, Color, HexCell, Merchants
from companion.games.contract import Ground, Player
from companion.games.la_strada.judging import cost
from companion.games.la_strada.position import NOBODY, LaStradaPosition, Move, Placement, Turn
from companion.games.la_strada.roads import BuiltRoad, some_road
from companion.games.la_strada.rules import Options, Rules
from companion.games.la_strada.tracing import trace


def start(rules: Rules, options: Options, ground: Ground, players: Sequence[Player]) -> LaStradaPosition:
    """Return the position before the first workshop; raises BadInputError where the players do not fit."""
    colors = [player.color for player in players]
    if len(players) not in rules.seats:
        seats = " or ".join(str(count) for count in rules.seats)
        raise BadInputError(f"{len(players)} players: {rules.name} is for {seats}")
    if len(set(colors)) < len(colors):
        raise BadInputError(f"the players' colours are {', '.join(colors)}; each player should have his own")
    return LaStradaPosition(
        rules,
        options,
        ground,
        tuple(players),
        next=colors[0],
        days=dict.fromkeys(colors, 0),
        tiles_left={color: dict(rules.tiles) for color in colors},
        connected=dict.fromkeys(colors, frozenset[HexCell]()),
    )


def play(position: LaStradaPosition, move: Move) -> LaStradaPosition:
    """Return the position after a legal move of the player in turn."""
    if isinstance(move, Placement):
        return _set_workshop(position, move)
    if position.rules.walking:
        return _pass_on(_lay(position, move), move.player)
    # All roads of a legal turn hang on places of the player's: what they join is what he has now reached.
    joined = {place for road in trace(position, move.tiles) for place in road.places}
    connected = {**position.connected, move.player: position.connected[move.player] | joined}
    return _pass_on(_lay(position, move, connected), move.player)


def let_stand(position: LaStradaPosition, move: Move) -> LaStradaPosition:
    """Return the position after a move that breaks rules but was accepted by the table.

    Then every player is connected to each settlement where he has a merchant, and to nothing else that is new.
    """
    if isinstance(move, Placement):
        return _set_workshop(position, move)
    after = _lay(position, move)
    if not position.rules.walking:
        connected = {
            color: places
            | {cell for cell, cubes in after.merchants.items() if cubes[color]} & position.ground.settlements.keys()
            for color, places in position.connected.items()
        }
        after = replace(after, connected=connected)
    return _pass_on(after, move.player)


def _set_workshop(position: LaStradaPosition, move: Placement) -> LaStradaPosition:
    workshops = {**position.workshops, move.cell: move.player}
    connected = {**position.connected, move.player: position.connected[move.player] | {move.cell}}
    merchants = dict(position.merchants)
    if position.rules.at_workshop:
        merchants[move.cell] = Merchants.of({move.player: position.rules.at_workshop})
    after = replace(position, workshops=workshops, connected=connected, merchants=merchants)
    if after.phase == "workshop":
        return replace(after, next=_neighbour(after, move.player))
    return _begin_turn(after, after.colors[position.rules.first_turn])


def _lay(
    position: LaStradaPosition, turn: Turn, connected: Mapping[Color, frozenset[HexCell]] | None = None
) -> LaStradaPosition:
    """Put the turn's tiles on free cells and change the cubes; supplies, days and cubes never fall below 0."""
    laid = {cell: tile for cell, tile in turn.tiles.items() if position.is_free(cell)}
    tiles_left = dict(position.tiles_left)
    for (color, terrain), used in Counter((tile.color, tile.terrain) for tile in laid.values()).items():
        if color in tiles_left:
            tiles_left[color] = {**tiles_left[color], terrain: max(0, tiles_left[color][terrain] - used)}
    return replace(
        position,
        roads={**position.roads, **laid},
        merchants=_changed(position, turn),
        days={**position.days, turn.player: max(0, position.days[turn.player] - cost(position, turn))},
        tiles_left=tiles_left,
        connected=position.connected if connected is None else connected,
        turns=position.turns + 1,
    )


def _changed(position: LaStradaPosition, turn: Turn) -> dict[HexCell, Merchants]:
    merchants = dict(position.merchants)
    for cell, change in turn.merchants.items():
        cubes = merchants.pop(cell, NOBODY)
        now = Merchants.of({color: max(0, cubes[color] + change[color]) for color in Color})
        if now:
            merchants[cell] = now
    return merchants


def _neighbour(position: LaStradaPosition, color: Color) -> Color:
    colors = position.colors
    return colors[(colors.index(color) + 1) % len(colors)]


def _pass_on(position: LaStradaPosition, color: Color) -> LaStradaPosition:
    return _begin_turn(position, _neighbour(position, color))


def _begin_turn(position: LaStradaPosition, color: Color) -> LaStradaPosition:
    """Give the next player his days, unless the game is over, at once and before he takes them."""
    days = position.days_next_turn(color)
    possible = _going_on(position, color, days)
    if possible is None:
        return replace(position, next=None)
    return replace(position, next=color, days={**position.days, color: days}, possible=possible)


def _going_on(position: LaStradaPosition, color: Color, days: int) -> Mapping[Color, BuiltRoad] | None:
    """Return roads that are known to be possible; None where the game ends before the colour's turn.

    danger: after ten rounds. two-player: when every settlement has a merchant, or neither can complete a road; who
    cannot while the other can passes. standard: when he can complete no road, even with the most days there are, or,
    where the table plays `end = "now"`, with the days he would have (rules, "End").
    """
    rules = position.rules
    if rules.rounds is not None:
        return position.possible if position.turns < rules.rounds * len(position.players) else None
    asked, counted = [color], days if position.options.end == "now" else rules.most_days
    if rules.room is not None:
        if all(cell in position.merchants for cell in position.ground.settlements):
            return None
        asked, counted = [color, _neighbour(position, color)], rules.most_days
    for each in asked:
        road = some_road(position, each, counted, position.possible.get(each))
        if road is not None:
            return {**position.possible, each: road}
    return None
