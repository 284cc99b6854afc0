"""What can lie on a cell: tiles and merchants. The words are the rulebooks' (English editions)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from companion.board.any_board import PlayerColor


class Color(StrEnum):
    """A player's colour."""

    BLACK = "black"
    GREY = "grey"
    YELLOW = "yellow"
    RED = "red"


def player_color(name: str) -> PlayerColor:
    """Return the player's colour of that name: a Color if there is one, else the name itself."""
    return Color(name) if name in Color.__members__.values() else name


#: Going through a tuple is ten times as fast as going through the class, and a name is faster than a member.
_COLORS = tuple(Color)
_BLACK: Final = Color.BLACK
_GREY: Final = Color.GREY
_YELLOW: Final = Color.YELLOW
_RED: Final = Color.RED


class Terrain(StrEnum):
    """What a cell of the board, or a road tile, shows."""

    PLAIN = "plain"
    FOREST = "forest"
    HILL = "hill"


class SettlementType(StrEnum):
    """The four kinds of settlement (Stadt, Wehrdorf, Weiler, Hof)."""

    CITY = "city"
    TOWN = "town"
    VILLAGE = "village"
    HAMLET = "hamlet"


class Shape(StrEnum):
    """A road tile's two faces."""

    STRAIGHT = "straight"
    BEND = "bend"


#: The edge pairs that a road tile can join: three straights, six bends by 60 degrees.
EDGE_PAIRS: tuple[tuple[int, int], ...] = tuple((a, b) for a in range(6) for b in range(a + 2, 6) if b - a != 5)


@dataclass(frozen=True, slots=True)
class Road:
    """A road tile as it lies: the two edges that its road leaves by, the smaller first."""

    color: Color
    terrain: Terrain
    edges: tuple[int, int]

    def __post_init__(self) -> None:
        if self.edges not in EDGE_PAIRS:
            raise ValueError(f"a road tile cannot join the edges {self.edges!r}; it joins one of {EDGE_PAIRS}")

    @property
    def shape(self) -> Shape:
        """Straight if the edges face each other, else a bend."""
        return Shape.STRAIGHT if self.edges[1] - self.edges[0] == 3 else Shape.BEND


@dataclass(frozen=True, slots=True)
class Settlement:
    """A settlement tile."""

    type: SettlementType


@dataclass(frozen=True, slots=True)
class Workshop:
    """A player's workshop tile."""

    color: Color


#: Directions in which a ray can point: 0 is east, then anticlockwise by 45 degrees; a quarter turn is two of them.
RAYS = range(8)


@dataclass(frozen=True, slots=True)
class Section:
    """A road section as it is printed: its rays as they point unturned, ascending; `number` is 0 if it has none."""

    id: str
    number: int = 0
    has_horse: bool = False
    rays: tuple[int, ...] = ()
    is_dead_end: bool = False

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError(f"section {self.id}: number is {self.number}; it should be 0 (none) or more")
        if not all(ray in RAYS for ray in self.rays) or sorted(set(self.rays)) != list(self.rays):
            raise ValueError(
                f"section {self.id}: rays are {self.rays!r:.60}; they should be different ones from 0 to 7, ascending"
            )


@dataclass(frozen=True, slots=True)
class LaidSection:
    """A section as it lies: whose it is, and by how many quarter turns it was turned anticlockwise, 0 to 3.

    >>> LaidSection(Section("1", rays=(0, 3)), "green", 1).rays
    (2, 5)
    """

    section: Section
    color: str
    turn: int = 0

    def __post_init__(self) -> None:
        if self.turn not in range(4):
            raise ValueError(f"turn is {self.turn!r}; a section is turned by 0 to 3 quarter turns")

    @property
    def rays(self) -> tuple[int, ...]:
        """The directions in which its rays point now: (ray + 2 turn) mod 8, ascending."""
        return tuple(sorted((ray + 2 * self.turn) % len(RAYS) for ray in self.section.rays))

    @property
    def least_turned(self) -> LaidSection:
        """The same section, with the fewest quarter turns that make its rays point as they do now.

        The rules go by where a section's rays point (rules, Silk Road), and photographs of some sections show no more.

        >>> LaidSection(Section("1", rays=(0, 4)), "green", 3).least_turned.turn
        1
        """
        return next(lie for turn in range(4) if (lie := replace(self, turn=turn)).rays == self.rays)


@dataclass(frozen=True, slots=True)
class Snow:
    """The snow."""


@dataclass(frozen=True, slots=True)
class Mountain:
    """A mountain; it makes no difference which one."""


#: Everything that a cell holds at most one of: La Strada's tiles and Silk Road's. Each game uses its own.
Tile = Road | Settlement | Workshop | LaidSection | Snow | Mountain

#: The tiles that players lay; each has its player's `color`.
PLAYERS_TILES = (Road, Workshop, LaidSection)


@dataclass(frozen=True, slots=True)
class Merchants:
    """How many merchants of each colour are on a cell; negative only as the difference of two counts.

    >>> (Merchants(red=2) - Merchants(red=1, black=1)).counts
    {<Color.BLACK: 'black'>: -1, <Color.RED: 'red'>: 1}
    """

    black: int = 0
    grey: int = 0
    yellow: int = 0
    red: int = 0

    @classmethod
    def of(cls, counts: Mapping[Color, int] | Mapping[PlayerColor, int]) -> Merchants:
        """Return the merchants that a count by colour describes."""
        return cls(**{str(color): count for color, count in counts.items()})

    def __getitem__(self, color: PlayerColor) -> int:
        if color is _BLACK:
            return self.black
        if color is _GREY:
            return self.grey
        if color is _YELLOW:
            return self.yellow
        if color is _RED:
            return self.red
        # A colour given as a plain string, or one of another game, which has no merchants.
        return sum(count for own, count in self.counts.items() if own == color)

    def __iter__(self) -> Iterator[Color]:
        return iter(self.counts)

    def __bool__(self) -> bool:
        return bool(self.black or self.grey or self.yellow or self.red)

    def __add__(self, other: Merchants) -> Merchants:
        return Merchants(
            self.black + other.black, self.grey + other.grey, self.yellow + other.yellow, self.red + other.red
        )

    def __sub__(self, other: Merchants) -> Merchants:
        return Merchants(
            self.black - other.black, self.grey - other.grey, self.yellow - other.yellow, self.red - other.red
        )

    @property
    def counts(self) -> dict[Color, int]:
        """The counts by colour, leaving out colours without merchants."""
        counts = (self.black, self.grey, self.yellow, self.red)
        return {color: count for color, count in zip(_COLORS, counts, strict=True) if count}

    def most(self, other: Merchants, but: PlayerColor | None = None) -> Merchants:
        """Return the greater of the two counts for each colour, but this count for the colour `but`."""
        return Merchants.of({each: self[each] if each == but else max(self[each], other[each]) for each in _COLORS})

    def least(self, other: Merchants, but: PlayerColor | None = None) -> Merchants:
        """Return the smaller of the two counts for each colour, but this count for the colour `but`."""
        return Merchants.of({each: self[each] if each == but else min(self[each], other[each]) for each in _COLORS})

    def where_alike(self, other: Merchants, said: Merchants) -> Merchants:
        """Return for each colour the count in `said` if this count equals the other's, else this count."""
        return Merchants.of({each: said[each] if self[each] == other[each] else self[each] for each in _COLORS})

    @property
    def colors(self) -> int:
        """How many colours have any merchants."""
        return (self.black != 0) + (self.grey != 0) + (self.yellow != 0) + (self.red != 0)

    @property
    def total(self) -> int:
        """All colours together."""
        return self.black + self.grey + self.yellow + self.red


@dataclass(frozen=True, slots=True)
class Contents:
    """What lies on a cell: at most one tile, and merchants."""

    tile: Tile | None = None
    merchants: Merchants = Merchants()


#: A cell with nothing on it.
BARE = Contents()
