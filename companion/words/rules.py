"""What belongs to a set of rules: its refusals, its rulebook, what it is called where games are started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from babel.support import NullTranslations

from companion.games import RULE_SETS
from companion.games.la_strada import STANDARD, LaStrada
from companion.games.silk_road import SilkRoad
from companion.words import la_strada, silk_road, table
from companion.words.catalogues import Message, Refusal, catalogue, say

#: What a set of rules is called, and a word on it where games are started.
# NOTE: {rounds} is "10 rounds".
NAMES: Mapping[str, tuple[Message, Message]] = {
    "standard": (Message("La Strada"), Message("The standard rules.")),
    "two-player": (Message("La Strada for two"), Message("The official game for two.")),
    "danger": (Message("Nick Danger’s game for two"), Message("{rounds}, and the merchants walk.")),
    "competitive": (Message("Silk Road"), Message("Everyone plays alone. Most wealth wins.")),
    "cooperative": (
        Message("Silk Road, all together"),
        Message("Add up everyone’s wealth and try to beat your best total."),
    ),
}

#: The refusals of each set of rules, its own before those that it shares with others.
_REFUSALS: Mapping[str, Sequence[Mapping[str, Refusal]]] = {
    "standard": (la_strada.REFUSALS,),
    "two-player": (la_strada.TWO_PLAYER, la_strada.REFUSALS),
    "danger": (la_strada.DANGER, la_strada.REFUSALS),
    "competitive": (silk_road.REFUSALS,),
    "cooperative": (silk_road.REFUSALS,),
}

#: The rule behind a verdict that names no reason, whatever is played.
_VERDICTS: Mapping[str, Message] = {
    "hidden": Message("Nothing is decided while something covers the board."),
    "unclear": Message("I don’t guess what I can’t make out: somebody at the table says what is there."),
}


@dataclass(frozen=True, slots=True)
class Rulebook:
    """A set of rules in one language; raises BadInputError for a language that is not one of `LANGUAGES`.

    A set of rules that is not known here, as a later version may have left it in a logbook, is called by itself.
    """

    rules: str
    language: str = "en"

    @property
    def name(self) -> str:
        """What it is called."""
        return self._say(NAMES[self.rules][0]) if self.rules in NAMES else self.rules

    @property
    def about(self) -> str:
        """A word on it; "" where there is none."""
        return self._say(NAMES[self.rules][1]) if self.rules in NAMES else ""

    def behind(self, code: str) -> str:
        """Return the rule behind a reason, by its code, or a verdict that names none; "" where there is none."""
        found = next((book[code].rule for book in _books(self.rules) if code in book), None)
        if found is None:
            own = silk_road.VERDICTS if _is_silk_road(self.rules) else la_strada.VERDICTS
            found = {**_VERDICTS, **own}.get(code)
        return "" if found is None else self._say(found)

    def _say(self, message: Message) -> str:
        spoken = catalogue(self.language)
        return say(spoken, message, 1, **phrases(spoken, self.rules))


def phrases(spoken: NullTranslations, rules: str) -> dict[str, str]:
    """Return what a sentence may say of the numbers of the rules, by the name of its place: "2 days", "4 cities"."""
    match RULE_SETS.get(rules, STANDARD):
        case LaStrada(rules=numbered):
            found = la_strada.numbers_of(numbered)
        case _:
            found = silk_road.numbers()
    return {name: say(spoken, phrase, number) for name, (phrase, number) in found.items()}


def refusal(rules: str, code: str) -> Message:
    """Return the sentence of a reason under that set of rules."""
    return next(book[code].says for book in _books(rules) if code in book)


def event_message(rules: str, code: str) -> Message:
    """Return the sentence of an event under that set of rules."""
    own = silk_road.EVENTS if _is_silk_road(rules) else {}
    return own.get(code) or table.EVENTS[code]


def _is_silk_road(rules: str) -> bool:
    return isinstance(RULE_SETS.get(rules), SilkRoad)


def _books(rules: str) -> Sequence[Mapping[str, Refusal]]:
    return _REFUSALS.get(rules, (la_strada.REFUSALS,))
