"""From one position to the next: the start, a move applied, whose turn begins, and whether the game ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.board import BadInputError, Color, HexCell, Merchants, bitboard
from companion.games.contract import Player
from companion.games.la_strada.ground import Ground
from companion.games.la_strada.position import NOBODY, LaStradaPosition, Move, Placement, Turn
from companion.games.la_strada.roads import can_build, can_ever_build
from companion.games.la_strada.rules import Options, Rules

_COLORS = tuple(Color)


def start(rules: Rules, options: Options, ground: Ground, players: Sequence[Player]) -> LaStradaPosition:
    """Return the position before the first workshop; raises BadInputError where the players do not fit."""
    colors: list[Color] = [player.color for player in players]
    for color in colors:
        if color not in _COLORS:
            raise BadInputError(f"players: {color!r:.60} should be one of {', '.join(_COLORS)}")
    if len(players) not in rules.seats:
        seats = " or ".join(str(count) for count in rules.seats)
        raise BadInputError(
            f"{len(players)} players: {rules.name} is for {seats}", "seats", players=len(players), seats=rules.seats
        )
    if len(set(colors)) < len(colors):
        raise BadInputError(
            f"the players' colours are {', '.join(colors)}; each player should have his own", "same-color"
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
        workshops={},
        roads={},
        merchants={},
        turns=0,
    )


def play(position: LaStradaPosition, move: Move, reached: frozenset[HexCell]) -> LaStradaPosition:
    """Return the position after a legal move of the player in turn, whose roads connect him to the places `reached`."""
    if isinstance(move, Placement):
        return _set_workshop(position, move)
    connected = position.connected
    if reached:
        connected = {**connected, move.player: connected[move.player] | reached}
    merchants, on_board = _changed(position, move)
    return _lay(position, move, merchants, on_board, connected)


def let_stand(position: LaStradaPosition, move: Move) -> LaStradaPosition:
    """Return the position after a move that breaks rules but was accepted by the table.

    Then every player is connected to each settlement where he has a merchant, and to nothing else that is new.
    """
    if isinstance(move, Placement):
        return _set_workshop(position, move)
    merchants, on_board = _changed(position, move)
    connected = position.connected
    if not position.rules.walking:
        connected = {
            color: places
            | {cell for cell, cubes in merchants.items() if cubes[color]} & position.ground.settlements.keys()
            for color, places in connected.items()
        }
    return _lay(position, move, merchants, on_board, connected)


def _set_workshop(position: LaStradaPosition, move: Placement) -> LaStradaPosition:
    workshops = {**position.workshops, move.cell: move.player}
    connected = {**position.connected, move.player: position.connected[move.player] | {move.cell}}
    merchants, on_board = position.merchants, position.on_board
    if position.rules.at_workshop:
        begin = Merchants.of({move.player: position.rules.at_workshop})
        on_board += begin - merchants.get(move.cell, NOBODY)
        merchants = {**merchants, move.cell: begin}
    held, is_last = position.days, len(workshops) >= position.rules.workshops * len(position.players)
    color = position.players[position.rules.first_turn].color if is_last else _neighbour(position, move.player)
    after = LaStradaPosition(
        position.rules,
        position.options,
        position.ground,
        position.players,
        color,
        _begun(position, held, color, position.turns) if is_last else held,
        position.tiles_left,
        connected,
        workshops,
        position.roads,
        merchants,
        position.turns,
        position.covered | bitboard(position.ground.board, [move.cell]),
        on_board,
    )
    return _unless_over(after, held) if is_last else after


def _lay(
    position: LaStradaPosition,
    turn: Turn,
    merchants: Mapping[HexCell, Merchants],
    on_board: Merchants,
    connected: Mapping[Color, frozenset[HexCell]],
) -> LaStradaPosition:
    """Put the turn's tiles on free cells and begin the next turn; supplies and days never fall below 0."""
    roads, covered, tiles_left, held = position.roads, position.covered, position.tiles_left, position.days
    if turn.tiles:
        ground, costs, cost = position.ground, position.rules.costs, 0
        laid = {cell: tile for cell, tile in turn.tiles.items() if position.is_free(cell)}
        roads, covered = {**roads, **laid}, covered | bitboard(ground.board, laid)
        tiles_left = supplies = {color: dict(left) for color, left in tiles_left.items()}
        for tile in laid.values():
            left = supplies.get(tile.color)
            if left and left[tile.terrain]:
                left[tile.terrain] -= 1
        for cell in turn.tiles:
            cost += costs[ground.terrain[cell]]
        held = {**held, turn.player: max(0, held[turn.player] - cost)}
    color, turns = _neighbour(position, turn.player), position.turns + 1
    after = LaStradaPosition(
        position.rules,
        position.options,
        position.ground,
        position.players,
        color,
        _begun(position, held, color, turns),
        tiles_left,
        connected,
        position.workshops,
        roads,
        merchants,
        turns,
        covered,
        on_board,
    )
    return _unless_over(after, held)


def _changed(position: LaStradaPosition, turn: Turn) -> tuple[Mapping[HexCell, Merchants], Merchants]:
    """Return where merchants stand once the turn's cubes have changed, never fewer than none of a colour, and all."""
    if not turn.merchants:
        return position.merchants, position.on_board
    merchants, on_board = dict(position.merchants), position.on_board
    for cell, change in turn.merchants.items():
        before = merchants.pop(cell, NOBODY)
        now = before + change
        if now.black < 0 or now.grey < 0 or now.yellow < 0 or now.red < 0:
            now = Merchants.of({color: max(0, now[color]) for color in Color})
            on_board += now - before
        else:
            on_board += change
        if now:
            merchants[cell] = now
    return merchants, on_board


def _neighbour(position: LaStradaPosition, color: Color) -> Color:
    """Return the colour that sits next, clockwise."""
    colors: list[Color] = [player.color for player in position.players]
    return colors[colors.index(color) + 1 - len(colors)]


def _begun(position: LaStradaPosition, held: Mapping[Color, int], color: Color, turns: int) -> dict[Color, int]:
    """Return the days of all once the colour's turn begins, `turns` having been done, before which they held `held`."""
    gain = position.rules.day_gain
    if turns < len(position.players):  # each seat's first turn
        gain = position.options.first_days.get(color, gain)
    return {**held, color: min(position.rules.most_days, held[color] + gain)}


def _unless_over(begun: LaStradaPosition, held: Mapping[Color, int]) -> LaStradaPosition:
    """Return the position as a turn begins, or else the end of the game, where nobody takes days."""
    if not _is_over(begun):
        return begun
    return LaStradaPosition(
        begun.rules,
        begun.options,
        begun.ground,
        begun.players,
        None,
        held,
        begun.tiles_left,
        begun.connected,
        begun.workshops,
        begun.roads,
        begun.merchants,
        begun.turns,
        begun.covered,
        begun.on_board,
    )


def _is_over(position: LaStradaPosition) -> bool:
    """Whether the game ends instead of the turn that begins.

    danger: after ten rounds. two-player: when every settlement has a merchant, or neither can complete a road; who
    cannot while the other can passes. standard: when he can complete no road, even with the most days there are, or,
    where the table plays `end = "now"`, with the days he would have (rules, "End").
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
    both = color, _neighbour(position, color)
    return not any(can_ever_build(position, each) for each in both)
