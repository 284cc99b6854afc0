"""Says what the doctor found on this machine, in the messages of `machine`."""

from __future__ import annotations

from collections.abc import Mapping

from babel.numbers import format_decimal

from companion.board import Terrain, Tile
from companion.board.words import contents_from_words
from companion.words.catalogues import Message
from companion.words.machine import ADVICE, ALL_WELL, CHECKS, FOUND, GRADES, SOMETHING
from companion.words.setting_up import TeachingVoice

#: Facts that name tiles in the words of companion.board.words, each translated into the voice's language.
TILES = ("tiles", "pairs", "pieces")
#: The facts that decide between one and several.
COUNTED = ("games", "aside", "restarts", "errors")


class DoctorVoice(TeachingVoice):
    """Says findings. Raises BadInputError for a language that is not one of `LANGUAGES`."""

    def check(self, name: str) -> str:
        """Return the name of the check."""
        return self.say(CHECKS[name])

    def grade(self, grade: str) -> str:
        """Return the word for that grade."""
        return self.say(GRADES[grade])

    def found(self, code: str, facts: Mapping[str, str | int | float]) -> str:
        """Return the sentence that says how things are."""
        return self._said(FOUND[code], facts)

    def advice(self, code: str, facts: Mapping[str, str | int | float]) -> str:
        """Return the sentence that says what to do; "" if there is nothing to do."""
        return self._said(ADVICE[code], facts) if code in ADVICE else ""

    def sum(self, to_do: int) -> str:
        """Return the last line: how much there is to do."""
        return self.say(SOMETHING, to_do) if to_do else self.say(ALL_WELL)

    def _said(self, message: Message, facts: Mapping[str, str | int | float]) -> str:
        count = next((int(facts[name]) for name in COUNTED if name in facts), 1)
        said = {name: self._fact(name, fact) for name, fact in facts.items()}
        return self.say(message, count, **said)

    def _fact(self, name: str, fact: str | int | float) -> str:
        if not isinstance(fact, str):
            return format_decimal(fact, "#,##0.#", locale=self.language)
        return self._tiles(name, fact) if name in TILES else fact

    def _tiles(self, name: str, words: str) -> str:
        """Return "town; city", "town / city" or "2 x town; 1 x city" in this language."""
        parts = words.split("; ")
        if name == "pairs":
            pairs = [part.split(" / ") for part in parts]
            return " · ".join(self.pair(_named(one), _named(other)) for one, other in pairs)
        if name == "pieces":
            pieces = [part.split(" x ") for part in parts]
            return self.pieces((_tile(tile), int(number)) for number, tile in pieces)
        return self.tiles([_tile(part) for part in parts])


def _named(words: str) -> Tile | Terrain:
    return Terrain(words) if words in set(Terrain) else _tile(words)


def _tile(words: str) -> Tile:
    tile = contents_from_words(words).tile
    assert tile is not None, words
    return tile
