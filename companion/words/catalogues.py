"""Messages, the languages that they are said in, and each one's catalogue: gettext, straight from companion/locale."""

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

#: Each language in its own words. English is the language of the source and has no catalogue; each of the others has a
#: folder in companion/locale.
LANGUAGES: Mapping[str, str] = {
    "de": "Deutsch",
    "en": "English",
    "fr": "Français",
    "it": "Italiano",
}


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence or a phrase with named placeholders, said of one; `several` says it of more, if that differs.

    `count` decides which of the two is said: for a reason it is how many cells it has, for a phrase its number. A
    message is looked up as a whole. Only names, numbers and phrases, which are messages themselves, are put into it; no
    word is ever built from parts.
    """

    one: str
    several: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is said against a move, and the rule behind it."""

    says: Message
    rule: Message


@cache
def catalogue(language: str, domain: str = "strada") -> NullTranslations:
    """Return the language's translations. Raises BadInputError for a language that is not spoken.

    The domain "strada" holds what companion.words says, "pages" what is on the pages (companion.web).

    The .po is compiled in memory, in a few milliseconds, so no .mo can be forgotten or out of date.
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
    """Return the message in the catalogue's language, with its facts put in as they are."""
    return form_of(catalogue, message, count).format(count=count, **facts)


def form_of(catalogue: NullTranslations, message: Message, count: int) -> str:
    """Return the message in the catalogue's language, for one or for several, before its facts are put in."""
    if message.several:
        return catalogue.ngettext(message.one, message.several, abs(count))
    return catalogue.gettext(message.one)


def language_of(environment: Mapping[str, str]) -> str:
    """Return the language that LC_ALL, LC_MESSAGES or LANG asks for, whichever is set first; English if not spoken."""
    asked = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environment.get(name))), "")
    language = asked.partition(".")[0].partition("@")[0].partition("_")[0].lower()
    return language if language in LANGUAGES else "en"
