"""What `strada doctor` found, in one language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from babel.numbers import format_decimal
from babel.support import NullTranslations

from companion.wording.catalogues import catalogue
from companion.wording.doctor_messages import ADVICE, ALL_WELL, CHECKS, FOUND, GRADES, SOMETHING
from companion.wording.messages import Message
from companion.wording.speech import say

#: The fact that decides between one and several.
COUNTED = ("games", "aside", "restarts", "errors")


@dataclass(frozen=True, slots=True)
class DoctorVoice:
    """Says findings; raises BadInputError for a language that is not one of `LANGUAGES`."""

    language: str = "en"
    _catalogue: NullTranslations = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_catalogue", catalogue(self.language))

    def check(self, name: str) -> str:
        """Return what the check of that name is called."""
        return say(self._catalogue, CHECKS[name])

    def grade(self, grade: str) -> str:
        """Return the word for that grade."""
        return say(self._catalogue, GRADES[grade])

    def found(self, code: str, facts: Mapping[str, str | int | float]) -> str:
        """Return the sentence that says what is so."""
        return self._said(FOUND[code], facts)

    def advice(self, code: str, facts: Mapping[str, str | int | float]) -> str:
        """Return the sentence that says what to do; "" where there is nothing."""
        return self._said(ADVICE[code], facts) if code in ADVICE else ""

    def sum(self, to_do: int) -> str:
        """Return the last line: how much is to be done."""
        return say(self._catalogue, SOMETHING, to_do) if to_do else say(self._catalogue, ALL_WELL)

    def _said(self, message: Message, facts: Mapping[str, str | int | float]) -> str:
        count = next((int(facts[name]) for name in COUNTED if name in facts), 1)
        said = {name: fact if isinstance(fact, str) else self._number(fact) for name, fact in facts.items()}
        return say(self._catalogue, message, count, **said)

    def _number(self, number: float) -> str:
        return format_decimal(number, "#,##0.#", locale=self.language)
