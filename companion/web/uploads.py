"""A photograph from a phone: POST /setup/upload?of=BYTES&at=0 with its first bytes, then the others; for keepers alone.

No body that the pages take is larger than `MOST_BYTES`, so that nobody fills memory or disk before it is known who they
are: a photograph comes in pieces of that size at most. The first answer names the upload; each further piece comes with
&upload=NAME, and `at` is where it belongs. The step that wants the photograph is told the name (companion.web.setup).
"""

from __future__ import annotations

import secrets
import threading

from flask import Flask, Response, request

from companion.board import BadInputError
from companion.setup.handheld import refuse_kind
from companion.web.backend import Backend
from companion.web.bodies import answered
from companion.web.languages import _
from companion.web.sessions import the_keeper

#: A photograph has no more bytes.
MOST_PHOTO_MB = 12
MOST_PHOTO_BYTES = MOST_PHOTO_MB * 1024**2


class Uploads:
    """Holds one photograph while it arrives, and until a step takes it; a newer one takes its place.

    Any thread may call. Methods raise BadInputError for what is no photograph, is too large, or is not the one that is
    held.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._name, self._of, self._held = "", 0, bytearray()

    def begin(self, piece: bytes, of: int) -> str:
        """Hold the beginning of a photograph of so many bytes; return how it is called."""
        if of > MOST_PHOTO_BYTES:
            wrong = f"the photograph has more than {MOST_PHOTO_MB} MB; send a smaller one"
            raise BadInputError(wrong, "photo-large", most=MOST_PHOTO_MB)
        refuse_kind(piece)
        if len(piece) > of:
            raise BadInputError("the piece has more bytes than the photograph")
        with self._lock:
            self._name, self._of, self._held = secrets.token_hex(8), of, bytearray(piece)
            return self._name

    def go_on(self, name: str, piece: bytes, at: int) -> None:
        """Hold the next piece; one that came before, as its answer was lost, is not held twice."""
        with self._lock:
            self._refuse_other(name)
            if at + len(piece) <= len(self._held) and self._held[at : at + len(piece)] == piece:
                return
            if at != len(self._held) or at + len(piece) > self._of:
                raise BadInputError("a piece of the photograph is missing; send it again", "photo-lost")
            self._held += piece

    def take(self, name: str) -> bytes:
        """Return the whole photograph; it is held no longer."""
        with self._lock:
            self._refuse_other(name)
            if len(self._held) < self._of:
                raise BadInputError("a piece of the photograph is missing; send it again", "photo-lost")
            held = bytes(self._held)
            self._name, self._of, self._held = "", 0, bytearray()
            return held

    def _refuse_other(self, name: str) -> None:
        if not name or name != self._name:
            wrong = "this photograph is not here any more, as another one came; send it again"
            raise BadInputError(wrong, "photo-lost")


def add_uploads(app: Flask, backend: Backend, uploads: Uploads) -> None:
    """Add the route by which photographs come."""

    @app.post("/setup/upload")
    def setup_upload() -> Response:
        the_keeper(backend.keepers)
        at, of, name = (request.args.get(field, "") for field in ("at", "of", "upload"))
        if not (_is_count(at) and (name or _is_count(of))):
            return answered(_("A piece of a photograph needs its place and the photograph’s size."), 400)
        piece = request.get_data()
        if int(at) == 0 and not name:
            name = uploads.begin(piece, int(of))
        else:
            uploads.go_on(name, piece, int(at))
        return answered("", upload=name)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 9
