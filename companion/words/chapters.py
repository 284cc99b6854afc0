"""Where the rulebook says it: the chapter behind each rule, called as the edition of each language calls it.

La Strada's rulebook counts no pages in the texts that this project plays by, so that its chapters are named. Nick
Danger's game and Silk Road have sources of their own, which were read in German.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.words.catalogues import Message

# NOTE: {chapter} is the name of a chapter of La Strada's rulebook.
LA_STRADA = Message("Rulebook, “{chapter}”")
# NOTE: {chapter} is the name of a chapter.
DANGER = Message("Nick Danger’s rules, “{chapter}”")
# NOTE: {chapter} is the name of a chapter.
SILK_ROAD = Message("Silk Road’s rules, “{chapter}”")
#: What no text says, and this project fills in.
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


#: The chapter behind a rule, by the code of the reason, verdict or number that stands on it; None: written nowhere.
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
#: What the game for two has in its own chapter.
_FOR_TWO = ("end", "gold", "merchant-extra", "not-connected")
#: What Nick Danger's rules say themselves; all else is La Strada's.
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
_SILK_ROAD: Mapping[str, Message | None] = {
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
    """Return where that set of rules has what a code stands on; None for what is written nowhere, or is not known."""
    if rules in ("competitive", "cooperative"):
        chapter = _SILK_ROAD.get(code)
        return None if chapter is None else Source(SILK_ROAD, chapter)
    if rules == "danger" and code in _DANGER:
        return Source(DANGER, _DANGER[code])
    chapter = FOR_TWO if rules == "two-player" and code in _FOR_TWO else CHAPTERS.get(code)
    return None if chapter is None else Source(LA_STRADA, chapter)
