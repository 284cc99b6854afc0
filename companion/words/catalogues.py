"""Messages, the languages that they are said in, and the catalogue of each: gettext, straight from companion/locale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations

from companion.board import BadInputError

#: Each language in its own words. English is what the source says: it has no catalogue, the others a folder each in
#: companion/locale.
LANGUAGES: Mapping[str, str] = {
    "de": "Deutsch",
    "en": "English",
    "fr": "Français",
    "it": "Italiano",
}


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence or a phrase with named placeholders, said of one; `several` says it of more, if that differs.

    Which of the two is said, `count` decides: for a reason how many cells it has, for a phrase its number. A message
    is looked up as a whole. What is put into it are names, numbers and phrases that are messages themselves; no word
    is ever built from pieces.
    """

    one: str
    several: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is said against a move, and the rule that it stands on."""

    says: Message
    rule: Message


@cache
def catalogue(language: str, domain: str = "strada") -> NullTranslations:
    """Return the language's translations; raises BadInputError for one that is not spoken.

    The domain "strada" holds what companion.words says, "pages" what stands on the pages (companion.web).

    The .po is compiled in memory, in a few milliseconds: no .mo can be forgotten or be out of date.
    """
    if language not in LANGUAGES:
        raise BadInputError(f"language {language!r:.60} is not spoken here; there are {', '.join(LANGUAGES)}")
    if language == "en":
        return NullTranslations()
    written = resources.files("companion") / "locale" / language / "LC_MESSAGES" / f"{domain}.po"
    compiled = BytesIO()
    with written.open("rb") as source:
        write_mo(compiled, read_po(source, locale=language, abort_invalid=True))
    compiled.seek(0)
    return Translations(compiled, domain)


def say(catalogue: NullTranslations, message: Message, count: int = 1, **facts: object) -> str:
    """Return the message in the catalogue's language with its facts in place; they are put in as they are."""
    return form_of(catalogue, message, count).format(count=count, **facts)


def form_of(catalogue: NullTranslations, message: Message, count: int) -> str:
    """Return the message in the catalogue's language, of one or of several, its facts not yet in place."""
    if message.several:
        return catalogue.ngettext(message.one, message.several, abs(count))
    return catalogue.gettext(message.one)


def language_of(environment: Mapping[str, str]) -> str:
    """Return the language that LC_ALL, LC_MESSAGES or LANG ask for, the first that is set; English for any other."""
    asked = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environment.get(name))), "")
    language = asked.partition(".")[0].partition("@")[0].partition("_")[0].lower()
    return language if language in LANGUAGES else "en"
