"""The end, as it is counted before everybody: place by place, what each brings and what each player has by then.

The numbers are the referee's (`account`, Silk Road's roads). Nobody who shows them needs to add anything up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from companion.board import Cell, PlayerColor, in_board_order
from companion.games.contract import Line, Position
from companion.games.la_strada import LaidRoad, LaStradaPosition, account, longest_roads
from companion.games.silk_road import SilkRoadPosition
from companion.words import la_strada, silk_road
from companion.words.catalogues import Message
from companion.words.pieces import AND, DAYS
from companion.words.speech import Speech

ROAD_TILES = Message("{count} road tile", "{count} road tiles")
# NOTE: A road of {player}'s between two places of the board: {tiles} is "5 road tiles", {days} is "12 days".
ROAD_BETWEEN = Message("{player}, between {ends}: {tiles}, {days}")


@dataclass(frozen=True, slots=True)
class Count:
    """One place as it is counted, or a line across the board: its cells, and what is said of it.

    `gains` is what it brings to whom, which may be less than nothing; `sums` what each player has then. `line` is the
    line that it is, if it is one.
    """

    cells: tuple[Cell, ...]
    says: str
    gains: Mapping[PlayerColor, int]
    sums: Mapping[PlayerColor, int]
    line: Line | None = None


@dataclass(frozen=True, slots=True)
class Biggest:
    """The biggest road of a game: whose it is (None: nobody's), its cells, and what is said of it."""

    owner: PlayerColor | None
    cells: tuple[Cell, ...]
    says: str


def counting(speech: Speech, position: Position) -> tuple[Count, ...]:
    """Return each place in the order in which people count, the sums of the last being the score."""
    sums: dict[PlayerColor, int] = dict.fromkeys((player.color for player in position.players), 0)
    told = list[Count]()
    for cells, says, gains, line in _places(speech, position):
        sums = {color: gold + gains.get(color, 0) for color, gold in sums.items()}
        told.append(Count(cells, says, gains, sums, line))
    return tuple(told)


def biggest(speech: Speech, position: Position) -> tuple[Biggest, ...]:
    """Return the longest road between two places, or the line that earns most; several that are as big."""
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
        ends=speech.say(AND, some=one, last=other),
        tiles=speech.say(ROAD_TILES, len(road.cells)),
        days=speech.say(DAYS, road.cost),
    )
    return Biggest(road.color, (one, *road.cells, other), says)
