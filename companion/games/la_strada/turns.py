"""A move judged, every reason against it with its cells and numbers; and the position that it makes.

Codes of reasons: records/FORMAT.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from companion.board import BadInputError, Color, HexCell, Merchants, PlayerColor, Road, Terrain
from companion.games.contract import Player, Reason, reason
from companion.games.la_strada.merchants import merchant_faults
from companion.games.la_strada.position import NOBODY, Ground, LaStradaPosition, Move, Placement, Turn
from companion.games.la_strada.roads import can_build, can_ever_build, trace
from companion.games.la_strada.rules import Options, Rules

#: All reasons against a move, sorted by code, and the settlements that its roads newly connect.
Judged = tuple[tuple[Reason, ...], frozenset[HexCell]]

_NOWHERE: frozenset[HexCell] = frozenset()


def judge(position: LaStradaPosition, move: Move) -> Judged:
    """Return all reasons against the move, none if it is legal, and what it reaches."""
    if position.next is None:
        return (reason("game-over"),), _NOWHERE
    if move.player is not position.next:
        return (reason("not-your-turn", color=position.next),), _NOWHERE
    is_setting_up = position.phase == "workshop"
    if isinstance(move, Turn):
        if is_setting_up:
            return (reason("workshop-missing", move.tiles.keys() | move.merchants),), _NOWHERE
        return _judge_turn(position, move)
    if not is_setting_up:
        return (reason("workshop-late", [move.cell]),), _NOWHERE
    return _in_order(placement_faults(position, move)), _NOWHERE


def placement_faults(position: LaStradaPosition, move: Placement) -> list[Reason]:
    """Return what is wrong with where a workshop is set."""
    cell, workshops = move.cell, position.workshops
    faults: list[Reason] = []
    if not position.is_free(cell):
        faults.append(reason("cell-occupied", [cell]))
    if position.ground.terrain[cell] is not Terrain.PLAIN:
        faults.append(reason("workshop-terrain", [cell]))
    around = position.ground.board.around[cell]
    if near := [beyond for beyond in around if beyond in workshops and workshops[beyond] is not move.player]:
        faults.append(reason("workshop-too-close", [cell, *near]))
    return faults


def _judge_turn(position: LaStradaPosition, turn: Turn) -> Judged:
    """Judge each tile by itself, then the roads they make, then the cubes."""
    if not (turn.tiles or turn.merchants):
        return (), _NOWHERE
    player = turn.player
    own: dict[HexCell, int] = {}
    are_foreign = False
    for cell, cubes in turn.merchants.items():
        if change := cubes[player]:
            own[cell] = change
        are_foreign = are_foreign or cubes.colors > (change != 0)
    occupied, reasons = _tile_faults(position, turn)
    for color in Color if are_foreign else ():
        if color is not player and (cells := [cell for cell, cubes in turn.merchants.items() if cubes[color]]):
            reasons.append(reason("merchant-color", cells, color=color))
    free = turn.tiles
    if occupied:
        free = {cell: tile for cell, tile in free.items() if cell not in occupied}
    roads, open_ends, joins = trace(position, free)
    if open_ends:
        reasons.append(reason("dead-end", open_ends))
    if joins:
        reasons.append(reason("joins-road", joins))
    reached, faults = merchant_faults(position, player, own, None if open_ends or joins else roads)
    reasons += faults
    return _in_order(reasons), reached


def _tile_faults(position: LaStradaPosition, turn: Turn) -> tuple[list[HexCell], list[Reason]]:
    """Return the tiles' cells that are occupied, and what is wrong with the tiles, wherever their roads lead."""
    tiles, player = turn.tiles, turn.player
    settlements, workshops, roads = position.ground.settlements, position.workshops, position.roads
    terrain, costs = position.ground.terrain, position.rules.costs
    occupied: list[HexCell] = []
    wrong: list[HexCell] = []
    foreign: list[HexCell] = []
    days = 0
    for cell, tile in tiles.items():
        if cell in roads or cell in settlements or cell in workshops:
            occupied.append(cell)
        kind = terrain[cell]
        if tile.terrain is not kind:
            wrong.append(cell)
        if tile.color is not player:
            foreign.append(cell)
        days += costs[kind]
    faults: list[Reason] = []
    if occupied:
        faults.append(reason("cell-occupied", occupied))
    for color in Color if foreign else ():
        if cells := [cell for cell in foreign if tiles[cell].color is color]:
            faults.append(reason("tile-color", cells, color=color))
    if wrong:
        faults.append(reason("tile-terrain", wrong))
    left = position.tiles_left[player]
    shown = [tile.terrain for tile in tiles.values()]
    if short := [kind for kind, number in left.items() if number < shown.count(kind)]:
        numbers = {}
        for kind in short:
            numbers[f"{kind}_needed"], numbers[f"{kind}_left"] = shown.count(kind), left[kind]
        faults.append(reason("tile-supply", [cell for cell, tile in tiles.items() if tile.terrain in short], numbers))
    if days > (held := position.days[player]):
        faults.append(reason("days", tiles, {"cost": days, "held": held}))
    return occupied, faults


def _in_order(reasons: list[Reason]) -> tuple[Reason, ...]:
    """Return the reasons sorted by code, then by colour if a code is given for several colours."""
    return tuple(sorted(reasons, key=_code_and_color) if len(reasons) > 1 else reasons)


def _code_and_color(fault: Reason) -> tuple[str, str]:
    return fault.code, fault.color or ""


def start(rules: Rules, options: Options, ground: Ground, players: Sequence[Player]) -> LaStradaPosition:
    """Return the position before the first workshop; raises BadInputError if the players do not fit."""
    for player in players:
        if player.color not in list(Color):
            raise BadInputError(f"players: {player.color!r:.60} should be one of {', '.join(Color)}")
    colors = [Color(player.color) for player in players]
    if len(players) not in rules.seats:
        seats = " or ".join(str(count) for count in rules.seats)
        raise BadInputError(
            f"{len(players)} players: {rules.name} is for {seats}", "seats", players=len(players), seats=rules.seats
        )
    if len(set(colors)) < len(colors):
        raise BadInputError(
            f"the players' colours are {', '.join(colors)}; each player should have their own", "same-color"
        )
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


def play(position: LaStradaPosition, move: Move, reached: frozenset[HexCell]) -> LaStradaPosition:
    """Return the position after a legal move of the player in turn; the roads connect them to the places `reached`."""
    if isinstance(move, Placement):
        return _set_workshop(position, move)
    connected = position.connected
    if reached:
        connected = {**connected, move.player: connected[move.player] | reached}
    return _lay(position, move, move.tiles, _changed(position, move), connected)


def let_stand(position: LaStradaPosition, move: Move) -> LaStradaPosition:
    """Return the position after a move that breaks rules but was accepted by the table.

    Then every player is connected to each settlement where they have a merchant, and to nothing else new.
    """
    if isinstance(move, Placement):
        return _set_workshop(position, move)
    merchants, connected = _changed(position, move), position.connected
    if not position.rules.walking:
        connected = {
            color: places
            | {cell for cell, cubes in merchants.items() if cubes[color]} & position.ground.settlements.keys()
            for color, places in connected.items()
        }
    laid = {cell: tile for cell, tile in move.tiles.items() if position.is_free(cell)}
    return _lay(position, move, laid, merchants, connected)


def _set_workshop(position: LaStradaPosition, move: Placement) -> LaStradaPosition:
    workshops = {**position.workshops, move.cell: move.player}
    connected = {**position.connected, move.player: position.connected[move.player] | {move.cell}}
    merchants = position.merchants
    if position.rules.at_workshop:
        merchants = {**merchants, move.cell: Merchants.of({move.player: position.rules.at_workshop})}
    is_last = len(workshops) >= position.rules.workshops * len(position.players)
    color = Color(position.players[position.rules.first_turn].color) if is_last else _neighbour(position, move.player)
    held, left, turns = position.days, position.tiles_left, position.turns
    return _begin(position, color, held, left, connected, workshops, position.roads, merchants, turns)


def _lay(
    position: LaStradaPosition,
    turn: Turn,
    laid: Mapping[HexCell, Road],
    merchants: Mapping[HexCell, Merchants],
    connected: Mapping[Color, frozenset[HexCell]],
) -> LaStradaPosition:
    """Put down the turn's tiles that are `laid`, all on free cells, and begin the next turn.

    Supplies and days never fall below 0.
    """
    roads, tiles_left, held = position.roads, position.tiles_left, position.days
    if turn.tiles:
        terrain, costs, cost = position.ground.terrain, position.rules.costs, 0
        roads = {**roads, **laid}
        supplies: dict[PlayerColor, dict[Terrain, int]] = {}
        for tile in laid.values():
            color = tile.color
            if color in tiles_left:
                left = supplies.get(color) or supplies.setdefault(color, dict(tiles_left[color]))
                if left[tile.terrain]:
                    left[tile.terrain] -= 1
        tiles_left = {**tiles_left, **supplies}
        for cell in turn.tiles:
            cost += costs[terrain[cell]]
        held = {**held, turn.player: max(0, held[turn.player] - cost)}
    color, turns = _neighbour(position, turn.player), position.turns + 1
    return _begin(position, color, held, tiles_left, connected, position.workshops, roads, merchants, turns)


def _begin(
    position: LaStradaPosition,
    color: Color,
    held: Mapping[PlayerColor, int],
    tiles_left: Mapping[PlayerColor, Mapping[Terrain, int]],
    connected: Mapping[Color, frozenset[HexCell]],
    workshops: Mapping[HexCell, Color],
    roads: Mapping[HexCell, Road],
    merchants: Mapping[HexCell, Merchants],
    turns: int,
) -> LaStradaPosition:
    """Return the position in which the colour moves next, after so many `turns`: it takes its days for a turn.

    If the game ends instead, nobody takes days.
    """
    rules, players, days = position.rules, position.players, held
    is_turn = len(workshops) >= rules.workshops * len(players)
    if is_turn:
        gain = rules.day_gain
        if turns < len(players):  # each seat's first turn
            gain = position.options.first_days.get(color, gain)
        days = {**held, color: min(rules.most_days, held[color] + gain)}
    # Every move makes a position: `replace` would take as long as judging the move.
    after = LaStradaPosition(
        rules, position.options, position.ground, players, color, days,
        tiles_left, connected, workshops, roads, merchants, turns,
    )  # fmt: skip
    return replace(after, next=None, days=held) if is_turn and _is_over(after) else after


def _changed(position: LaStradaPosition, turn: Turn) -> Mapping[HexCell, Merchants]:
    """Return where merchants stand once the turn's cubes have changed, with no count below 0."""
    if not turn.merchants:
        return position.merchants
    merchants = dict(position.merchants)
    for cell, change in turn.merchants.items():
        stood = merchants.pop(cell, None)
        now = stood + change if stood else change
        if now.black < 0 or now.grey < 0 or now.yellow < 0 or now.red < 0:
            now = now.most(NOBODY)
        if now:
            merchants[cell] = now
    return merchants


def _neighbour(position: LaStradaPosition, color: Color) -> Color:
    """Return the colour that sits next, clockwise."""
    colors = position.colors
    return colors[colors.index(color) + 1 - len(colors)]


def _is_over(position: LaStradaPosition) -> bool:
    """Whether the game ends instead of the turn that begins.

    danger: after ten rounds. two-player: when every settlement has a merchant, or neither player can complete a road; a
    player who cannot while the other can passes. standard: when the player can complete no road, even with the most
    days there are, or, if the table plays `end = "now"`, with the days they would have (rules, "End").
    """
    color, rules = position.next, position.rules
    assert color is not None
    if rules.rounds is not None:
        return position.turns >= rules.rounds * len(position.players)
    if rules.room is None:
        if position.options.end == "now":
            return not can_build(position, color, position.days[color])
        return not can_ever_build(position, color)
    if position.ground.settlements.keys() <= position.merchants.keys():
        return True
    return not (can_ever_build(position, color) or can_ever_build(position, _neighbour(position, color)))
