"""The languages that are spoken, and the catalogue of each: gettext, straight from companion/locale's .po files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from io import BytesIO

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations

from companion.board import BadInputError

#: German, English, French, Italian. English is what the source says: it has no catalogue.
LANGUAGES = ("de", "en", "fr", "it")


@cache
def catalogue(language: str, domain: str = "strada") -> NullTranslations:
    """Return the language's translations; raises BadInputError for one that is not spoken.

    The domain "strada" holds what is said of games (`messages`), "pages" what stands on the pages (companion.web).

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


def language_of(environment: Mapping[str, str]) -> str:
    """Return the language that LC_ALL, LC_MESSAGES or LANG ask for, the first that is set; English for any other."""
    asked = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environment.get(name))), "")
    language = asked.partition(".")[0].partition("@")[0].partition("_")[0].lower()
    return language if language in LANGUAGES else "en"
