"""Every number on the scoreboard explains itself: what it is made of, and the rule behind it.

Days and a move's cost, gold settlement by settlement, wealth line by line, merchants, tiles, sections, rounds.

Also the end, as it is counted in front of everybody: place by place, what each brings and what each player then has.
The numbers are the referee's (`account`, Silk Road's roads). Nobody who shows them needs to add anything up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from companion.board import Cell, Contents, HexCell, PlayerColor, Road, Terrain, in_board_order
from companion.games.contract import Line, Position
from companion.games.la_strada import LaidRoad, LaStradaPosition, account, longest_roads
from companion.games.silk_road import SilkRoadPosition
from companion.words import la_strada, pieces, silk_road
from companion.words.catalogues import Message
from companion.words.silk_road import SECTIONS, TOGETHER, WEALTH, lines
from companion.words.speech import Speech

# NOTE: {number} is "8 days", "12 gold", "9 merchants".
OF = Message("{player}: {number}")
#: Days.
# NOTE: {tiles} is "2 forest tiles", {each} is "3 days", {total} is "6 days".
SPENT = Message("{tiles} at {each} each: {total}")
# NOTE: What a player's last turn cost: {days} is "8 days".
COST = Message("Their last turn cost {days}.")
NO_COST = Message("Their last turn cost nothing.")
KEPT = Message("{days} kept from before")
GAINED = Message("{days} for this turn")
# NOTE: {most_days} is "10 days".
LOST = Message("{days} lost, as nobody has more than {most_days}")
# NOTE: What the tiles that lie there before the button is pressed would cost: {days} is "8 days".
LAID = Message("The tiles laid now cost {days}.")
# NOTE: {days} is "2 days": more than the player has.
TOO_MANY = Message("{days} too many")
#: Gold.
# NOTE: {settlement} is "city", {merchants} is "3 merchants", {gold} is "3 gold" for each.
EARNS = Message("{cell}, {settlement} with {merchants}: {gold}")
# NOTE: Nick Danger's game: nobody has more merchants there than the other, or the other has.
NO_MAJORITY = Message("{cell}, {settlement} with {merchants}: {gold}, no majority")
# NOTE: Nick Danger's game: {merchants} is "2 merchants", {gold} is "-2 gold".
STAYED = Message("{merchants} still on a workshop: {gold}")
NO_GOLD = Message("No merchant of theirs is on a settlement yet.")
NO_LINE = Message("They collect from no line yet.")
#: What is left.
# NOTE: {number} is a bare number, {all} is "12 merchants".
LEFT_OF = Message("{number} of {all} left")
# NOTE: {number} is "3 merchants".
ON_BOARD = Message("{number} on the board")
# NOTE: {rounds} is "3 rounds", {all} is "10 rounds"; the round in progress is counted.
ROUNDS_OF = Message("{rounds} left of {all}, this one included")


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a number is made of: its title, a line for each part, and the code of the rule behind it."""

    title: str
    lines: tuple[str, ...]
    behind: str


@dataclass(frozen=True, slots=True)
class Spent:
    """What the last turn cost: whose it was, how many days they had, its tiles by terrain, and what is left.

    There are no tiles if they do not add up to the cost: a table may have accepted tiles on top of others.
    """

    player: PlayerColor
    held: int
    tiles: Mapping[Terrain, int]
    cost: int
    left: int


def explained(speech: Speech, position: Position, before: Position | None) -> Mapping[str, Explanation]:
    """Return what each number means, by its name: "gold-red", "days-red", "merchants-red", "tiles-red", "rounds",
    "cost", or "sections-green" and "together".

    `before` is the position before the last move, if it is known.
    """
    match position:
        case LaStradaPosition():
            return dict(_la_strada(speech, position, before))
        case SilkRoadPosition():
            return dict(_silk_road(speech, position))
        case _:
            return {}


def spent(position: Position, before: Position | None) -> Spent | None:
    """Return what the turn between the two cost; None if there is not exactly one turn between them."""
    if not isinstance(position, LaStradaPosition) or not isinstance(before, LaStradaPosition) or before.next is None:
        return None
    if position.turns != before.turns + 1:
        return None
    player = before.next
    tiles: dict[Terrain, int] = {}
    for cell in position.roads.keys() - before.roads.keys():
        kind = position.ground.terrain[cell]
        tiles[kind] = tiles.get(kind, 0) + 1
    held, left = before.days[player], position.days[player]
    is_whole = sum(position.rules.costs[kind] * number for kind, number in tiles.items()) == held - left
    return Spent(player, held, tiles if is_whole else {}, held - left, left)


def laying(speech: Speech, position: Position, laid: Mapping[Cell, Contents]) -> tuple[str, ...]:
    """Return what newly laid, unjudged road tiles cost, terrain by terrain, and what is left.

    `laid` is where the table differs from the position; if there is no tile in it, nothing is said.
    """
    if not isinstance(position, LaStradaPosition) or position.next is None or position.phase != "turn":
        return ()
    tiles: dict[Terrain, int] = {}
    for cell, contents in laid.items():
        if isinstance(contents.tile, Road) and isinstance(cell, HexCell) and position.is_free(cell):
            kind = position.ground.terrain[cell]
            tiles[kind] = tiles.get(kind, 0) + 1
    if not tiles:
        return ()
    cost = sum(position.rules.costs[kind] * number for kind, number in tiles.items())
    held = position.days[position.next]
    turn = Spent(position.next, held, tiles, cost, held - cost)
    return (speech.say(LAID, days=speech.say(pieces.DAYS, cost)), *told_cost(speech, position, turn))


def told_cost(speech: Speech, position: LaStradaPosition, turn: Spent) -> tuple[str, ...]:
    """Return what a turn cost, terrain by terrain, and what is left, or how many days are missing."""
    costs = position.rules.costs
    each = tuple(
        speech.say(
            SPENT,
            tiles=speech.say(pieces.TILES[kind], turn.tiles[kind]),
            each=speech.say(pieces.DAYS, costs[kind]),
            total=speech.say(pieces.DAYS, costs[kind] * turn.tiles[kind]),
        )
        for kind in Terrain
        if kind in turn.tiles
    )
    if turn.left < 0:
        return (*each, speech.say(TOO_MANY, days=speech.say(pieces.DAYS, -turn.left)))
    return (*each, speech.say(pieces.DAYS_LEFT, turn.left))


def _la_strada(
    speech: Speech, position: LaStradaPosition, before: Position | None
) -> Iterator[tuple[str, Explanation]]:
    rules, turn = position.rules, spent(position, before)
    for color in position.colors:
        yield f"gold-{color}", _gold(speech, position, color)
        yield f"days-{color}", _days(speech, position, before, turn, color)
        left = position.merchants_left(color)
        number, all_of = speech.say(pieces.MERCHANTS, left), speech.say(pieces.MERCHANTS, rules.merchants)
        lines_ = (
            speech.say(LEFT_OF, number=left, all=all_of),
            speech.say(ON_BOARD, number=speech.say(pieces.MERCHANTS, rules.merchants - left)),
        )
        yield f"merchants-{color}", Explanation(_title(speech, color, number), lines_, "merchant-supply")
        tiles = tuple(
            speech.say(
                LEFT_OF,
                number=position.tiles_left[color][kind],
                all=speech.say(pieces.TILES[kind], rules.tiles[kind]),
            )
            for kind in Terrain
        )
        yield f"tiles-{color}", Explanation(speech.name(color), tiles, "tile-supply")
    if rules.rounds is not None and position.rounds_left is not None:
        told = speech.say(
            ROUNDS_OF,
            rounds=speech.say(pieces.ROUNDS, position.rounds_left),
            all=speech.say(pieces.ROUNDS, rules.rounds),
        )
        yield "rounds", Explanation(speech.say(pieces.ROUNDS, position.rounds_left), (told,), "end")
    if turn is not None and turn.tiles:
        title = speech.say(OF, player=speech.name(turn.player), number=speech.say(pieces.DAYS, turn.cost))
        yield "cost", Explanation(title, told_cost(speech, position, turn), "built")


def _title(speech: Speech, color: PlayerColor, number: str) -> str:
    return speech.say(OF, player=speech.name(color), number=number)


def _days(
    speech: Speech, position: LaStradaPosition, before: Position | None, turn: Spent | None, color: PlayerColor
) -> Explanation:
    """Return what a player's days are made of: those kept, those gained for this turn, and what the last turn cost."""
    days, told = position.days[color], list[str]()
    if turn is not None and turn.player == color:
        cost = speech.say(pieces.DAYS, turn.cost)
        told.append(speech.say(COST, days=cost) if turn.cost else speech.say(NO_COST))
        told += told_cost(speech, position, turn)
    if isinstance(before, LaStradaPosition) and turn is not None and position.next == color != turn.player:
        kept = before.days[color]
        gain = position.options.first_days.get(position.next, position.rules.day_gain)
        gain = gain if position.turns < len(position.players) else position.rules.day_gain
        told += (
            speech.say(KEPT, days=speech.say(pieces.DAYS, kept)),
            speech.say(GAINED, days=speech.say(pieces.DAYS, gain)),
        )
        if lost := kept + gain - days:
            most = speech.say(pieces.DAYS, position.rules.most_days)
            told.append(speech.say(LOST, days=speech.say(pieces.DAYS, lost), most_days=most))
    return Explanation(_title(speech, color, speech.say(pieces.DAYS, days)), tuple(told), "day-gain")


def _gold(speech: Speech, position: LaStradaPosition, color: PlayerColor) -> Explanation:
    """Return where a player's gold comes from, settlement by settlement, and what merchants still at home cost."""
    counted, told = account(position), list[str]()
    for place in counted.settlements:
        if not place.merchants[color]:
            continue
        has_it = bool(place.scoring[color])
        told.append(
            speech.say(
                EARNS if has_it else NO_MAJORITY,
                cell=place.cell,
                settlement=speech.say(pieces.BOXES[place.type]),
                merchants=speech.say(pieces.MERCHANTS, place.number),
                gold=speech.say(pieces.GOLD, place.each * place.scoring[color]),
            )
        )
    if stayed := counted.stayed[color]:
        told.append(
            speech.say(STAYED, merchants=speech.say(pieces.MERCHANTS, stayed), gold=speech.say(pieces.GOLD, -stayed))
        )
    return Explanation(
        _title(speech, color, speech.say(pieces.GOLD, counted.gold[color])),
        tuple(told or [speech.say(NO_GOLD)]),
        "gold",
    )


def _silk_road(speech: Speech, position: SilkRoadPosition) -> Iterator[tuple[str, Explanation]]:
    wealth = position.wealth()
    if position.is_cooperative:
        title = speech.say(TOGETHER, wealth=speech.say(WEALTH, position.total))
        yield "together", Explanation(title, lines(speech, position.roads()), "gold")
    for color in position.colors:
        mine = [road for road in position.roads() if road.collector == color]
        told = lines(speech, mine) or (speech.say(NO_LINE),)
        yield f"gold-{color}", Explanation(_title(speech, color, speech.say(WEALTH, wealth[color])), told, "gold")
        left, given = len(position.sections_left[color]), len(position.sections[color])
        number = speech.say(SECTIONS, left)
        parts = (
            speech.say(LEFT_OF, number=left, all=speech.say(SECTIONS, given)),
            speech.say(ON_BOARD, number=speech.say(SECTIONS, given - left)),
        )
        yield f"sections-{color}", Explanation(_title(speech, color, number), parts, "section-used")


ROAD_TILES = Message("{count} road tile", "{count} road tiles")
# NOTE: A road of {player}'s between two places of the board: {tiles} is "5 road tiles", {days} is "12 days".
ROAD_BETWEEN = Message("{player}, between {ends}: {tiles}, {days}")


@dataclass(frozen=True, slots=True)
class Count:
    """One place as it is counted, or a line across the board: its cells, and what is said about it.

    `gains` is what it brings each player, which may be negative; `sums` is what each player then has. `line` is the
    line, if it is one.
    """

    cells: tuple[Cell, ...]
    says: str
    gains: Mapping[PlayerColor, int]
    sums: Mapping[PlayerColor, int]
    line: Line | None = None


@dataclass(frozen=True, slots=True)
class Biggest:
    """The biggest road of a game: whose it is (None: nobody's), its cells, and what is said about it."""

    owner: PlayerColor | None
    cells: tuple[Cell, ...]
    says: str


def counting(speech: Speech, position: Position) -> tuple[Count, ...]:
    """Return each place in the order in which people count; the sums of the last one are the score."""
    sums: dict[PlayerColor, int] = dict.fromkeys((player.color for player in position.players), 0)
    told = list[Count]()
    for cells, says, gains, line in _places(speech, position):
        sums = {color: gold + gains.get(color, 0) for color, gold in sums.items()}
        told.append(Count(cells, says, gains, sums, line))
    return tuple(told)


def biggest(speech: Speech, position: Position) -> tuple[Biggest, ...]:
    """Return the longest road between two places, or the line that earns most; more than one if they are equal."""
    match position:
        case LaStradaPosition():
            return tuple(_longest(speech, road) for road in longest_roads(position))
        case SilkRoadPosition():
            roads = position.roads()
            most = max((road.wealth for road in roads), default=0)
            best = [road for road in roads if road.wealth == most]
            said = silk_road.lines(speech, best)
            return tuple(Biggest(road.collector, road.cells, says) for road, says in zip(best, said, strict=True))
        case _:
            return ()


def _places(
    speech: Speech, position: Position
) -> Iterator[tuple[tuple[Cell, ...], str, Mapping[PlayerColor, int], Line | None]]:
    match position:
        case LaStradaPosition():
            counted = account(position)
            for place in counted.settlements:
                scoring = place.scoring.counts.items() if place.each else ()
                gains: dict[PlayerColor, int] = {color: place.each * number for color, number in scoring}
                yield (place.cell,), la_strada.tell_place(speech, place), gains, None
            for color, count in counted.stayed.items():
                if count:
                    homes = [cell for cell, owner in position.workshops.items() if owner == color]
                    still = in_board_order(cell for cell in homes if position.merchants.get(cell))
                    yield still, la_strada.tell_stayed(speech, color, count), {color: -count}, None
        case SilkRoadPosition():
            roads = position.roads()
            for road, says in zip(roads, silk_road.lines(speech, roads), strict=True):
                yield road.cells, says, {} if road.collector is None else {road.collector: road.wealth}, road
        case _:
            return


def _longest(speech: Speech, road: LaidRoad) -> Biggest:
    one, other = in_board_order(road.places)
    says = speech.say(
        ROAD_BETWEEN,
        player=speech.name(road.color),
        ends=speech.say(pieces.AND, some=one, last=other),
        tiles=speech.say(ROAD_TILES, len(road.cells)),
        days=speech.say(pieces.DAYS, road.cost),
    )
    return Biggest(road.color, (one, *road.cells, other), says)
