"""What the set-up's page looks at: the live picture, the photographs, a tile cut out, and the sheet of markers."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response, abort

from companion.setup.sheet import Paper, sheet_pdf
from companion.setup.square_draft import SquareDraft
from companion.setup.wizard import Wizard
from companion.system.pictures import jpeg
from companion.web.backend import Backend
from companion.web.languages import _
from companion.web.sessions import the_keeper

#: The live picture is that wide at most.
_LIVE_PX, _LIVE_QUALITY, _FROZEN_QUALITY = 1000, 75, 85


def add_pictures(app: Flask, backend: Backend, wizard: Wizard) -> None:
    """Add the pictures; all but the sheet are for keepers alone."""

    @app.get("/setup/live.jpg")
    def setup_live_picture() -> Response:
        the_keeper(backend.keepers)
        return _jpeg(wizard.picture(), _LIVE_QUALITY, _LIVE_PX)

    @app.get("/setup/photo/<int:number>.jpg")
    def setup_photo(number: int) -> Response:
        the_keeper(backend.keepers)
        now = wizard.now
        lessons = () if now.draft is None else now.draft.lessons
        if number == 0:
            return _jpeg(now.frozen, _FROZEN_QUALITY)
        return _jpeg(lessons[number - 1].image if number <= len(lessons) else None, _FROZEN_QUALITY)

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
