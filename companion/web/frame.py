"""What all pages have, a table's and a hub's: languages, pieces, the look that was chosen, and what protects them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flask import Flask, request
from werkzeug.exceptions import HTTPException
from werkzeug.routing import IntegerConverter

from companion.board import BadInputError
from companion.web.bodies import complained
from companion.web.languages import _, add_languages
from companion.web.pieces import add_pieces
from companion.web.security import MOST_BYTES, refuse_foreign_commands, secure, spare_the_log

#: Browsers keep a file whose address carries its version for a day. Modules that scripts import carry none, so browsers
#: check for newer ones.
STATIC_AGE_S = 24 * 3600

#: The cookie that a page sets when somebody chooses another look than their device has.
LOOK_COOKIE = "look"

#: Which devices get the dark style sheet, by what was chosen ("": nothing).
DARK_FOR = {"": "(prefers-color-scheme: dark)", "light": "not all", "dark": "all"}


class _Number(IntegerConverter):
    """A number in a path. Python refuses to read 5,000 digits, with an error that Flask does not expect."""

    regex = r"\d{1,12}"


def add_frame(app: Flask, trusted_hosts: Iterable[str]) -> None:
    """Add all of it to the application, which is known by these names."""
    app.config.update(TRUSTED_HOSTS=trusted_hosts, MAX_CONTENT_LENGTH=MOST_BYTES, MAX_FORM_MEMORY_SIZE=MOST_BYTES)
    app.url_map.converters["int"] = _Number
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    spare_the_log()
    add_languages(app)
    add_pieces(app)
    app.before_request(refuse_foreign_commands)
    app.after_request(secure)
    app.register_error_handler(BadInputError, complained)

    @app.context_processor
    def looks() -> dict[str, Any]:
        chosen = request.cookies.get(LOOK_COOKIE, "")
        return {"look": chosen if chosen in DARK_FOR else "", "dark_for": DARK_FOR}


def sentence_of(error: HTTPException) -> str:
    """Return what is wrong. Where Flask itself refused, say it in the reader's language instead of Flask's English."""
    if error.description and error.description != type(error).description:
        return error.description
    known = {
        404: _("There is no such page."),
        405: _("This page cannot do that."),
        413: _("That is too large."),
    }
    return known.get(error.code or 500, error.description or error.name)


def reads_pages() -> bool:
    """Return whether whoever asks reads pages rather than JSON."""
    return request.accept_mimetypes.best_match(("application/json", "text/html")) == "text/html"
