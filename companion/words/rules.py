"""What belongs to a set of rules: its refusals, its rulebook, its name where games are started, its score.

Also the chapter of the rulebook behind each rule, by its name in each language's edition. The texts of La Strada's
rulebook that this project uses have no page numbers, so chapters are named. Nick Danger's game and Silk Road have
sources of their own, which were read in German.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from babel.support import NullTranslations

from companion.games import RULE_SETS
from companion.games.contract import Line, Position, RuleSet
from companion.games.la_strada import STANDARD
from companion.words import la_strada, silk_road, table
from companion.words.catalogues import Message, Refusal, catalogue, say

if TYPE_CHECKING:
    from companion.words.speech import Speech


# NOTE: {chapter} is the name of a chapter of La Strada's rulebook.
LA_STRADA = Message("Rulebook, “{chapter}”")
# NOTE: {chapter} is the name of a chapter.
DANGER = Message("Nick Danger’s rules, “{chapter}”")
# NOTE: {chapter} is the name of a chapter.
SILK_ROAD = Message("Silk Road’s rules, “{chapter}”")
#: For what no text says, and this project fills in.
NOWHERE = Message("No rulebook says so in words: this is how Strada plays it.")

# NOTE: The names of the rulebook's chapters, as the edition in this language has them.
PIECES = Message("Material")
SET_UP = Message("Setting up")
COURSE = Message("Course of play")
TILES = Message("Laying road tiles")
END = Message("The end of the game")
SCORING = Message("Scoring")
FOR_TWO = Message("Changes for two players")
# NOTE: Silk Road: how the end of the game is decided where each plays alone.
WEALTH = Message("Competitive end")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a rule is written: a book, and a chapter of it."""

    book: Message
    chapter: Message


#: The chapter behind a rule, by the code of a reason, verdict or number; None: it is written nowhere.
CHAPTERS: Mapping[str, Message | None] = {
    "already-connected": TILES,
    "built": TILES,
    "cell-occupied": TILES,
    "day-gain": COURSE,
    "days": TILES,
    "dead-end": TILES,
    "deal-count": PIECES,
    "deal-site": SET_UP,
    "end": END,
    "foreign-workshop": TILES,
    "game-over": END,
    "gold": SCORING,
    "joins-road": None,
    "merchant-color": None,
    "merchant-extra": TILES,
    "merchant-missing": TILES,
    "merchant-move": None,
    "merchant-occupied": FOR_TWO,
    "merchant-removed": None,
    "merchant-supply": SET_UP,
    "merchant-total": None,
    "merchant-unconnected": TILES,
    "not-connected": TILES,
    "not-your-turn": COURSE,
    "saved": COURSE,
    "settlement-changed": SET_UP,
    "tile-changed": TILES,
    "tile-color": SET_UP,
    "tile-removed": TILES,
    "tile-supply": SET_UP,
    "tile-terrain": TILES,
    "workshop": SET_UP,
    "workshop-changed": SET_UP,
    "workshop-late": SET_UP,
    "workshop-missing": SET_UP,
    "workshop-terrain": SET_UP,
    "workshop-too-close": SET_UP,
}
#: What the chapter on the game for two covers itself.
_FOR_TWO = ("end", "gold", "merchant-extra", "not-connected")
#: What Nick Danger's rules cover themselves; all else is La Strada's.
_DANGER: Mapping[str, Message] = {
    "already-connected": COURSE,
    "end": END,
    "gold": SCORING,
    "merchant-extra": SET_UP,
    "merchant-missing": SET_UP,
    "merchant-move": COURSE,
    "merchant-total": COURSE,
    "not-connected": COURSE,
}
#: Silk Road's; None: written nowhere.
_SILK_ROAD_CHAPTERS: Mapping[str, Message | None] = {
    "built": SET_UP,
    "cell-occupied": SET_UP,
    "end": WEALTH,
    "game-over": WEALTH,
    "gold": WEALTH,
    "ground-changed": SET_UP,
    "mountain-count": SET_UP,
    "mountain-near": SET_UP,
    "mountain-rim": SET_UP,
    "no-way": SET_UP,
    "not-your-turn": SET_UP,
    "saved": WEALTH,
    "section-foreign": SET_UP,
    "section-many": SET_UP,
    "section-unknown": SET_UP,
    "section-used": SET_UP,
    "snow-corner": SET_UP,
    "tile-changed": None,
    "tile-removed": None,
}


def source_of(rules: str, code: str) -> Source | None:
    """Return where the rule behind a code is written, in that set of rules; None if nowhere, or the code is unknown."""
    if rules in ("competitive", "cooperative"):
        chapter = _SILK_ROAD_CHAPTERS.get(code)
        return None if chapter is None else Source(SILK_ROAD, chapter)
    if rules == "danger" and code in _DANGER:
        return Source(DANGER, _DANGER[code])
    chapter = FOR_TWO if rules == "two-player" and code in _FOR_TWO else CHAPTERS.get(code)
    return None if chapter is None else Source(LA_STRADA, chapter)


@dataclass(frozen=True, slots=True)
class Words:
    """What is said about one set of rules.

    `refusals`: its own first, then those that it shares with others. `numbers`: what sentences may say about the rules.
    `counted` gives a score in full, `result` its totals, `lines` the lines across the board that earn, if there are
    any.
    """

    name: Message
    about: Message
    refusals: Sequence[Mapping[str, Refusal]]
    verdicts: Mapping[str, Message]
    numbers: Callable[[RuleSet], Mapping[str, tuple[Message, int]]]
    counted: Callable[[Speech, Position], tuple[str, ...]]
    result: Callable[[Speech, Position], tuple[str, ...]]
    events: Mapping[str, Message] = field(default_factory=dict)
    lines: Callable[[Speech, Iterable[Line]], tuple[str, ...]] = lambda speech, earning: ()


_LA_STRADA = Words(
    Message("La Strada"),
    Message("The standard rules."),
    (la_strada.REFUSALS,),
    la_strada.VERDICTS,
    la_strada.numbers_of,
    la_strada.counted,
    la_strada.result,
)
_SILK_ROAD = Words(
    Message("Silk Road"),
    Message("Everyone plays alone. Most wealth wins."),
    (silk_road.REFUSALS,),
    silk_road.VERDICTS,
    silk_road.numbers_of,
    silk_road.counted,
    silk_road.counted,
    silk_road.EVENTS,
    silk_road.lines,
)
#: One row per set of rules.
WORDS: Mapping[str, Words] = {
    "standard": _LA_STRADA,
    "two-player": replace(
        _LA_STRADA,
        name=Message("La Strada for two"),
        about=Message("The official game for two."),
        refusals=(la_strada.TWO_PLAYER, la_strada.REFUSALS),
    ),
    "danger": replace(
        _LA_STRADA,
        name=Message("Nick Danger’s game for two"),
        # NOTE: {rounds} is "10 rounds".
        about=Message("{rounds}, and the merchants walk."),
        refusals=(la_strada.DANGER, la_strada.REFUSALS),
        verdicts=la_strada.DANGER_VERDICTS,
    ),
    "competitive": _SILK_ROAD,
    "cooperative": replace(
        _SILK_ROAD,
        name=Message("Silk Road, all together"),
        about=Message("Add up everyone’s wealth and try to beat your best total."),
    ),
}

#: The rule behind a verdict that gives no reason, whatever game is played.
_VERDICTS: Mapping[str, Message] = {
    "hidden": Message("Nothing is decided while something covers the board."),
    "unclear": Message("I don’t guess what I can’t make out: somebody at the table says what is there."),
}


@dataclass(frozen=True, slots=True)
class Rulebook:
    """A set of rules in one language. Raises BadInputError for a language that is not one of `LANGUAGES`.

    An unknown set of rules, which a later version may have left in a logbook, keeps its code as its name.
    """

    rules: str
    language: str = "en"

    @property
    def name(self) -> str:
        """Its name."""
        return self._say(WORDS[self.rules].name) if self.rules in WORDS else self.rules

    @property
    def about(self) -> str:
        """A few words about it; "" if there are none."""
        return self._say(WORDS[self.rules].about) if self.rules in WORDS else ""

    def behind(self, code: str) -> str:
        """Return the rule behind a reason, by its code, or behind a verdict without one; "" if there is none."""
        words = words_of(self.rules)
        rule = next((book[code].rule for book in words.refusals if code in book), None)
        rule = rule or {**_VERDICTS, **words.verdicts}.get(code)
        return "" if rule is None else self._say(rule)

    def source(self, code: str) -> str:
        """Return where the rule is written: the chapter of the rulebook, or else that no text says it."""
        chapter = source_of(self.rules, code)
        if chapter is None:
            return self._say(NOWHERE)
        spoken = catalogue(self.language)
        return say(spoken, chapter.book, chapter=say(spoken, chapter.chapter))

    def _say(self, message: Message) -> str:
        spoken = catalogue(self.language)
        return say(spoken, message, 1, **phrases(spoken, self.rules))


def words_of(rules: str) -> Words:
    """Return what is said about that set of rules; for an unknown one, what is said about La Strada."""
    return WORDS.get(rules, _LA_STRADA)


def phrases(spoken: NullTranslations, rules: str) -> dict[str, str]:
    """Return what a sentence may say about the rules' numbers, by the placeholder's name: "2 days", "4 cities"."""
    numbers = words_of(rules).numbers(RULE_SETS.get(rules, STANDARD))
    return {name: say(spoken, phrase, number) for name, (phrase, number) in numbers.items()}


def speaking_of(rules: str, codes: Collection[str]) -> str:
    """Return the set of rules whose words have these codes: `rules`, unless it lacks them and another one has them.

    A game with other rules than the last one may be refused before it begins.
    """
    for each in (rules, *WORDS):
        said = {code for book in words_of(each).refusals for code in book}
        if said >= {*codes}:
            return each
    return rules


def refusal(rules: str, code: str) -> Message:
    """Return the sentence of a reason under that set of rules."""
    return next(book[code].says for book in words_of(rules).refusals if code in book)


def event_message(rules: str, code: str) -> Message:
    """Return the sentence of an event under that set of rules."""
    return words_of(rules).events.get(code) or table.EVENTS[code]
