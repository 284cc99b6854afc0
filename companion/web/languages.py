"""The pages' languages, chosen by the browser and changed by a cookie: Flask-Babel over the catalogue "pages"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from babel.support import NullTranslations
from flask import Flask, has_request_context, request
from flask_babel import Babel, Domain, force_locale, get_locale, gettext
from flask_babel import ngettext as _ngettext

from companion.board import BadInputError
from companion.words import LANGUAGES, Voice
from companion.words.catalogues import Message, catalogue, say

#: The sentence in the reader's language, with its %(name)s filled in.
_: Callable[..., str] = gettext

#: The same for a number: (for one, for more, the number, ...).
ngettext: Callable[..., str] = _ngettext

#: The cookie that a page sets when somebody chooses another language than their browser would.
COOKIE = "language"


class _Catalogues(Domain):  # type: ignore[misc]
    """The pages' catalogues, compiled in memory."""

    def get_translations(self) -> NullTranslations:
        return catalogue(language(), "pages")


class _Babel(Babel):  # type: ignore[misc]
    @property
    def domain_instance(self) -> Domain:
        return _Catalogues(domain="pages")


def add_languages(app: Flask) -> None:
    """Let templates use `_()`, `gettext` and `ngettext` in the reader's language."""
    _Babel(app, locale_selector=asked_language)

    @app.context_processor
    def languages() -> dict[str, Any]:
        return {"language": language(), "languages": LANGUAGES}


def asked_language() -> str:
    """Return the language of the request's cookie, else the browser's favourite one, else English."""
    if not has_request_context():
        return "en"
    chosen = request.cookies.get(COOKIE, "")
    return chosen if chosen in LANGUAGES else request.accept_languages.best_match(LANGUAGES, "en")


def language() -> str:
    """Return the language of the moment."""
    return str(get_locale() or "en")


def said(message: Message, count: int = 1, **facts: object) -> str:
    """Return one of companion.words' messages in the language of the moment."""
    return say(catalogue(language()), message, count, **facts)


def complaint(error: BadInputError) -> str:
    """Return what is wrong with a request, as whole sentences.

    Only a program can cause an error without a code. That one gets an introduction, and stays in English.
    """
    sentence = Voice(language=language()).complaint(error)
    return sentence if sentence.endswith((".", "?")) else f"{sentence}."


@contextmanager
def speaking(app: Flask, spoken: str) -> Iterator[None]:
    """Speak that language, one of LANGUAGES, even outside a request."""
    with app.app_context(), force_locale(spoken):
        yield
