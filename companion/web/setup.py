"""The set-up: its page, its pictures and its steps. POST /setup/<step> with a small JSON body; only for keepers.

| step | body | what happens |
| --- | --- | --- |
| board | {"board": "square"} | the board on the table is of that kind: "hexagon" or "square" |
| turn | {"by": 1} | shows the next of a folder's photographs; -1: the previous one |
| photograph | | the live picture becomes the empty board's photograph; {"upload": "..."}: an uploaded one does |
| colors | {"colors": ["red", ...]} | those are in play |
| corners | {"A1": [x, y], ... the four corner cells} | the board is found, or two grids are asked about |
| seek | | the board is looked for without corners, and found if it can be seen clearly |
| settle | {"take": "clicked"} | of two grids, the one at the corners ("clicked") or next to them ("beside") is right |
| insist | | the board is empty, though it does not look so |
| ground | {"cell": "G7", "terrain": "hill", "site": false} | a cell of the board is corrected |
| paint | {"cells": ["G7", ...], "terrain": "hill"} | the terrain of those cells is corrected |
| swap | {"one": "forest", "other": "hill"} | the two terrains swap their names |
| teach | | the live picture shows components, which are proposed; {"upload": "..."}: an uploaded one does |
| place | {"A1": [x, y], ... the four corner cells} | where they are in an uploaded photograph without a board so far |
| put-away | | that photograph is dropped |
| forget | {"photo": 0} | that photograph of components is removed |
| correct | {"photo": 0, "cell": "G7", "contents": {...}} | what is on the cell is corrected |
| tell | {"photo": 0, "cell": "B3", "piece": {...}} | what is on a square, in the form of companion.web.setup_steps |
| name | {"photo": 0, "cells": ["G7"], "kind": "road"} | what is on those cells, as a kind of companion.setup.piles |
| mark | {"photo": 0, "color": "red", "field": 3} | where a marker is |
| tracks | {"red": {"0": [x, y], "10": [x, y]}, ...} | where the day tracks are |
| undo | | the last correction is undone |
| judge | | finds what can hardly be distinguished |
| save | {"name": "Kitchen"} | the table is saved and used |
| again | {"table": "...", "component": "cube-red"} | one component of a saved table is taught again |
| more | {"table": "..."} | teaching goes on for a saved table with a board of squares |
| check, use | {"table": "..."} | whether a saved table still fits; it is used |
| panel | {"part": "right"} | lamps and buzzer show and play that |

A photograph that was taken with a phone is sent first: POST /setup/upload?of=BYTES&at=0 with its first bytes, then the
others. The pages accept no body larger than `MOST_BYTES`, so that nobody fills memory or disk before it is known who
they are; so a photograph comes in pieces of at most that size. The first answer names the upload. Each further piece
comes with &upload=NAME, and `at` is where it belongs. The step that wants the photograph is given the name.

Places are in pixels of the photograph. All steps but `check` answer with the state, in the form of GET
/setup/state.json. A step may name the `version` of the state that it goes on from: if somebody else has changed the
state since, nothing is done, and the answer is 409, with the current state.
"""

from __future__ import annotations

import secrets
import threading
from typing import Any

from flask import Flask, Response, abort, jsonify, render_template, request

from companion.board import BadInputError
from companion.board.fields import only, whole
from companion.setup.lessons import Judged
from companion.setup.photos import refuse_kind
from companion.setup.sheet import Paper, sheet_pdf
from companion.setup.square_draft import SquareDraft
from companion.setup.state import fit_to_json, roll_of, state_of
from companion.setup.wizard import Use, Wizard
from companion.system.pictures import jpeg
from companion.web.backend import Backend
from companion.web.bodies import answered, sent
from companion.web.keepers import DIGITS, MOST_NAME
from companion.web.languages import _, language, said
from companion.web.sessions import keeper_here, the_keeper
from companion.web.setup_steps import steps_of, table_key
from companion.words.setting_up import MISFITS, TeachingVoice

#: A photograph may have this many megabytes at most.
MOST_PHOTO_MB = 12
MOST_PHOTO_BYTES = MOST_PHOTO_MB * 1024**2


class Uploads:
    """Holds one photograph while it arrives, until a step takes it or a newer one replaces it.

    Any thread may call it. Methods raise BadInputError for something that is not a photograph, is too large, or is not
    the one that is held.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._name, self._of, self._held = "", 0, bytearray()

    def begin(self, piece: bytes, of: int) -> str:
        """Hold the beginning of a photograph of that many bytes. Return its name."""
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
        """Hold the next piece. A piece that is sent again because its answer was lost is not held twice."""
        with self._lock:
            self._refuse_other(name)
            if at + len(piece) <= len(self._held) and self._held[at : at + len(piece)] == piece:
                return
            if at != len(self._held) or at + len(piece) > self._of:
                raise BadInputError("a piece of the photograph is missing; send it again", "photo-lost")
            self._held += piece

    def take(self, name: str) -> bytes:
        """Return the whole photograph, which is then no longer held."""
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
    """Add the route for sending photographs."""

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


#: The live picture is at most this wide.
_LIVE_PX, _LIVE_QUALITY, _FROZEN_QUALITY = 1000, 75, 85

#: How long a step waits for another one, in seconds.
_PATIENCE_S = 20


def add_setup(app: Flask, backend: Backend, wizard: Wizard) -> None:
    """Add the page, the pictures and the steps."""
    panel = backend.panel
    uploads = Uploads()
    steps = steps_of(wizard, panel, uploads.take)
    #: Steps take seconds of work. They run one at a time, so that a page that asks often does not tie up all threads.
    busy = threading.Lock()
    _add_pictures(app, backend, wizard)
    add_uploads(app, backend, uploads)

    @app.get("/setup")
    def setup() -> str:
        if keeper_here(backend.keepers) is None:
            return render_template("door.html", digits=DIGITS, most_name=MOST_NAME, is_drawn=backend.table is not None)
        return render_template(
            "setup.html",
            parts=() if panel is None else panel.parts,
            play="/keeper#start",
            is_practice=backend.is_practice,
        )

    @app.get("/setup/state.json")
    def setup_state() -> Response:
        the_keeper(backend.keepers)
        return jsonify(_state(wizard))

    @app.get("/setup/live.json")
    def setup_live() -> Response:
        the_keeper(backend.keepers)
        presses = {"presses": panel.listen()} if panel is not None and "presses" in request.args else {}
        return jsonify(faults=[fault.value for fault in wizard.faults()], roll=roll_of(wizard), **presses)

    @app.post("/setup/<step>")
    def setup_step(step: str) -> Response:
        the_keeper(backend.keepers)
        if step not in steps and step != "check":
            known = ", ".join([*steps, "check"])
            unknown = _("There is no step %(step)r here. There are: %(known)s.", step=step[:40], known=known)
            return answered(unknown, 404)
        body = sent()
        if not busy.acquire(timeout=_PATIENCE_S):
            return answered(_("The set-up is busy with another step. Try again."), 503)
        try:
            if step == "check":
                return _checked(wizard, body)
            version = body.pop("version", None)
            if version is not None and whole(version, "version", 0, None) != wizard.now.version:
                stale = _("Somebody else has changed the set-up in the meantime. Check it, then go on.")
                return answered(stale, 409, **_state(wizard))
            fields, take = steps[step]
            if fields is not None:
                only(body, fields, step)
            use = take(body)
        except OSError as error:
            return answered(_("The table could not be saved: %(why)s.", why=error.strerror or str(error)), 507)
        finally:
            busy.release()
        return answered(_used(use) if isinstance(use, Use) else "", **_state(wizard))


def _state(wizard: Wizard) -> dict[str, Any]:
    """Return how far the set-up has got and, in words, how well the taught tiles can be told apart."""
    state, judged = state_of(wizard), wizard.now.judged
    if isinstance(judged, Judged) and state["judged"] is not None:
        tested = judged.tested
        alike = [(confusion.one, confusion.other) for confusion in tested.confusions]
        voice = TeachingVoice(language=language())
        said = voice.sentences(alike, tested.missing, tested.under_cubes, tested.photograph)
        state["judged"] |= {"tiles": said, "is_confused": bool(alike)}
    return state


def _checked(wizard: Wizard, body: dict[str, Any]) -> Response:
    only(body, {"table"}, "check")
    fit = wizard.still_fits(table_key(body))
    return answered("", why="" if fit.misfit is None else said(MISFITS[fit.misfit]), **fit_to_json(fit))


def _used(use: Use) -> str:
    said = {
        Use.NOW: _("This table is now in use."),
        Use.NEXT_START: _("A game is going on. This table will be used the next time Strada starts."),
        Use.HANDHELD: _(
            "The table is saved, but no camera has seen it yet. Put a camera over the board, then choose this table "
            "here: I lay your phone’s photographs over what the camera sees."
        ),
        Use.PRACTICE: _("That was practice, and nothing of it is kept. With a camera it goes just the same."),
        Use.SETTINGS: _("The settings name another table. Remove table.folder from them and start Strada again."),
    }
    return said[use]


def _add_pictures(app: Flask, backend: Backend, wizard: Wizard) -> None:
    """Add the pictures that the page shows; all but the sheet are only for keepers."""

    @app.get("/setup/live.jpg")
    def setup_live_picture() -> Response:
        the_keeper(backend.keepers)
        return _jpeg(wizard.picture(), _LIVE_QUALITY, _LIVE_PX)

    @app.get("/setup/photo/<int:number>.jpg")
    def setup_photo(number: int) -> Response:
        the_keeper(backend.keepers)
        now = wizard.now
        photos = (now.frozen, *(lesson.image for lesson in (now.draft.lessons if now.draft else ())))
        return _jpeg(photos[number] if number < len(photos) else None, _FROZEN_QUALITY)

    @app.get("/setup/unplaced.jpg")
    def setup_unplaced() -> Response:
        the_keeper(backend.keepers)
        return _jpeg(wizard.now.unplaced, _FROZEN_QUALITY)

    @app.get("/setup/photo/<int:number>/<cell>.jpg")
    def setup_cell(number: int, cell: str) -> Response:
        the_keeper(backend.keepers)
        draft = wizard.now.draft
        lessons = draft.lessons if isinstance(draft, SquareDraft) else ()
        if not 0 < number <= len(lessons):
            return _jpeg(None, _FROZEN_QUALITY)
        lesson = lessons[number - 1]
        place = {str(each): each for each in lesson.view.board.cells}.get(cell)
        return _jpeg(None if place is None else lesson.picture(place), _FROZEN_QUALITY)

    @app.get("/setup/sheet-<any(a4, letter):paper>.pdf")
    def setup_sheet(paper: str) -> Response:
        lines = (
            _("Four markers for the corners of the frame"),
            _("Print at 100 % and cut along the dashed lines. Keep the white border."),
            _("Put one flat on each corner of the frame, in any order, and fix it there."),
        )
        pdf = sheet_pdf(Paper(paper), lines, _("This line is 100 mm long. If it is not, print without scaling."))
        name = f"strada-markers-{paper}.pdf"
        return Response(pdf, mimetype="application/pdf", headers={"Content-Disposition": f'inline; filename="{name}"'})


def _jpeg(image: Any, quality: int, most_px: int | None = None) -> Response:
    if image is None:
        abort(404, _("There is no picture from the camera yet."))
    return Response(jpeg(image, quality, most_px), mimetype="image/jpeg")
