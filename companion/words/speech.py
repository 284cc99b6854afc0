"""Messages put together in one language: names, numbers and phrases go into sentences unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from babel.support import NullTranslations

from companion.board import (
    Cell,
    Contents,
    LaidSection,
    Mountain,
    PlayerColor,
    Road,
    Settlement,
    Snow,
    Tile,
    Workshop,
)
from companion.games.contract import Player
from companion.words import pieces
from companion.words.catalogues import Message, catalogue, form_of, say
from companion.words.rules import event_message

#: If more cells than this need checking, only this many are named.
MOST_NAMED = 6


#: Arrows towards each edge of a cell.
ARROWS = "→↗↖←↙↘"
#: Arrows where a ray points, by its number.
RAY_ARROWS = "→↗↑↖←↙↓↘"


@dataclass(frozen=True, slots=True)
class Speech:
    """One language, and the players it speaks of. Raises BadInputError for a language not among `LANGUAGES`."""

    players: Sequence[Player] = ()
    language: str = "en"
    rules: str = "standard"
    _catalogue: NullTranslations = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_catalogue", catalogue(self.language))

    @property
    def spoken(self) -> NullTranslations:
        """The language's catalogue."""
        return self._catalogue

    def name(self, color: PlayerColor) -> str:
        """Return the name of the player of that colour, or the colour's own name if nobody plays it."""
        player = next((player for player in self.players if player.color == color), None)
        return self.color(color) if player is None else self.called(player)

    def color(self, color: PlayerColor) -> str:
        """Return a colour's name; one that a table has named itself keeps that name."""
        return self.say(pieces.NAMES[color]) if color in pieces.NAMES else color

    def called(self, player: Player) -> str:
        """Return the player's name. Files call people without one "Black", which is translated."""
        return player.name if player.is_named else self.color(player.color)

    def contents(self, contents: Contents) -> str:
        """Return what is on a cell in a few words; arrows are a road's edges, 0 to the right, then anticlockwise."""
        words = [] if contents.tile is None else [self._tile(contents.tile)]
        for color, count in contents.merchants.counts.items():
            words.append(self.say(pieces.STANDING, merchants=self.say(pieces.MERCHANTS, count), owner=self.name(color)))
        return ", ".join(words) or self.say(pieces.NOTHING)

    def _tile(self, tile: Tile) -> str:
        match tile:
            case Settlement(type=kind):
                return self.say(pieces.BOXES[kind])
            case Workshop(color=color):
                return self.say(pieces.WORKSHOP, owner=self.name(color))
            case Road(color=color, terrain=terrain, edges=edges):
                arrows = "".join(ARROWS[edge] for edge in edges)
                return self.say(
                    pieces.ROAD, owner=self.name(color), terrain=self.say(pieces.TERRAINS[terrain]), edges=arrows
                )
            case LaidSection(color=owner):
                return self.say(pieces.SECTION, owner=self.name(owner), section=self._section(tile))
            case Snow():
                return self.say(pieces.SNOW)
            case Mountain():
                return self.say(pieces.MOUNTAIN)

    def _section(self, laid: LaidSection) -> str:
        """Return what a road section shows: its number, a horse, where its rays point, whether it is a dead end."""
        shown = laid.section
        horse, end = "♞" if shown.has_horse else "", self.say(pieces.DEAD_END) if shown.is_dead_end else ""
        rays = "".join(RAY_ARROWS[ray] for ray in laid.rays)
        return " ".join(filter(None, (str(shown.number or ""), horse, rays, end)))

    def _at(self, cells: Iterable[Cell], sentence: str) -> str:
        return self.say(pieces.AT, cells=listed(cells), sentence=sentence)

    def listing(self, items: Iterable[str]) -> str:
        *some, last = [*items] or [""]
        return self.say(pieces.AND, some=", ".join(some), last=last) if some else last

    def _few(self, cells: Sequence[Cell]) -> str:
        if len(cells) > MOST_NAMED:
            return self.say(pieces.AND_MORE, some=listed(cells[:MOST_NAMED]))
        return self.listing(map(str, cells))

    def event(self, code: str, count: int = 1, **facts: object) -> str:
        return self.say(event_message(self.rules, code), count, **facts)

    def say(self, message: Message, count: int = 1, **facts: object) -> str:
        """Return the message in the voice's language, with its facts put in as they are."""
        return say(self._catalogue, message, count, **facts)

    def _form(self, message: Message, count: int) -> str:
        return form_of(self._catalogue, message, count)


def alone(word: str) -> str:
    """Return a word as it is written on its own, or at the beginning of a sentence."""
    return word[:1].upper() + word[1:]


def listed(cells: Iterable[Cell]) -> str:
    """Return the cells' names, one after another."""
    return ", ".join(str(cell) for cell in cells)
