"""Show me: one ruling, its pictures before and after cut to its cells, with what was read drawn over them.

Its page is /games/<game>/rulings/<event>, and /rulings/latest leads to the newest one. Anyone who comes from the TV's
page, or adds `?tv`, gets it as large as a TV needs it.
"""

from __future__ import annotations

# OpenCV takes as long to load as half the pages, so nobody has to wait for it when the companion starts.
# ruff: noqa: PLC0415
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Flask, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion import drawing
from companion.board import BadInputError, Board, Cell, reading_from_json
from companion.drawing.overlays import Box
from companion.events import DealRefused, MoveAccepted, MoveRefused
from companion.logbook.archive import Archive, LoggedGame, Photo, Ruling, Story, StoryStep, photo_of
from companion.logbook.rows import DamagedError
from companion.web.games.shelf import NUMBER, Shelf
from companion.web.games.telling import TONES, keeper_of, pieces_of, said
from companion.web.languages import _, language
from companion.web.pieces import looks
from companion.words import Voice
from companion.words.rules import Rulebook

if TYPE_CHECKING:
    import cv2

#: More cells than this mean a hand over the board or a deal, so the whole board is shown.
MOST_CELLS = 30

#: No picture of a table is larger than this either way. If cells are said to be beyond it, the data is damaged.
MOST_PX = 12_000

#: How wide the pictures of a replay are.
REPLAY_PX = 820

#: Leads to the ruling that was made last.
LATEST_RULING = "/rulings/latest"

#: Pictures are between this many times as wide as they are high, and this many.
LEAST_WIDE, MOST_WIDE = 1.2, 1.6


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture as a ruling shows it: its part inside the box, and what is drawn over that.

    `read` is the reading, `marked` the outlines of the ruling's cells; both are in the picture's pixels.
    """

    photo: Photo
    box: Box
    read: str = ""
    marked: str = ""


@dataclass(frozen=True, slots=True)
class Why:
    """A reason against a move, the rule behind it ("" for none), and where that rule is written."""

    sentences: tuple[str, ...]
    rule: str
    source: str


def shots_of(ruling: Ruling, step: StoryStep, board: Board) -> tuple[Shot | None, Shot | None]:
    """Return the pictures before and after; None for one that is not kept, or whose board's place is not known."""
    cells = tuple({*ruling.cells, *step.cells}) if len(ruling.cells) <= MOST_CELLS else ()
    about = replace(ruling, cells=cells or board.cells)
    styles = looks(step.position.players)
    mark = "legal" if step.kind == "start" else drawing.VERDICT_MARKS.get(step.kind, "ask")
    return (
        None if ruling.before is None else _shot(about, ruling.before, cells, "", board, styles),
        None if ruling.after is None else _shot(about, ruling.after, cells, mark, board, styles),
    )


def board_box(photo: Photo, board: Board) -> Box | None:
    """Return the part of the picture that shows the whole board with its frame; None if it is not known."""
    return box_of(Ruling(0, None, "", "", None, "", (), board.cells, None, None), photo)


def box_of(ruling: Ruling, photo: Photo) -> Box | None:
    """Return the part of the picture that shows the ruling's cells; None if it is not known."""
    try:
        box = ruling.box_px(photo)
    except (ValueError, OverflowError):  # not a number, or too large for one
        return None
    if box is None:
        return None
    left, top, right, bottom = _shaped(*box)
    if min(left, top) < -MOST_PX or max(right, bottom) > MOST_PX or right - left < 2 or bottom - top < 2:
        return None
    return left, top, right - left, bottom - top


def _shaped(left: int, top: int, right: int, bottom: int) -> Box:
    """Return the box widened to a shape that fits next to another one: left, top, right, bottom."""
    width, height = right - left, bottom - top
    wider = max(0, round(height * LEAST_WIDE) - width) // 2
    higher = max(0, round(width / MOST_WIDE) - height) // 2
    return left - wider, top - higher, right + wider, bottom + higher


def whys_of(step: StoryStep, rules: str) -> tuple[Why, ...]:
    """Return all reasons against a move, each with its rule; for a verdict without reasons, only the rule."""
    voice, book = Voice(step.position.players, language(), rules), Rulebook(rules, language())
    match step.event:
        case MoveRefused() | MoveAccepted() as event:
            position = event.position if isinstance(event, MoveRefused) else event.after
            whys = [
                Why(
                    voice.reasons((reason,), position, event.change), book.behind(reason.code), book.source(reason.code)
                )
                for reason in event.reasons
            ]
        case DealRefused(reasons=reasons):
            whys = [
                Why(voice.reasons((reason,)), book.behind(reason.code), book.source(reason.code)) for reason in reasons
            ]
        case _:
            code = _decided(step)
            rule = book.behind(code)
            # That nothing is guessed, or judged through a hand, is Strada's own rule, and in no rulebook.
            whys = [Why((), rule, book.source(code) if code in ("workshop", "built", "saved") else "")] if rule else []
    return tuple(whys)


def _decided(step: StoryStep) -> str:
    """Return what was decided without a reason, as a code of `Rulebook.behind`."""
    match step.kind, getattr(step.event, "change", None):
        case "legal", None:
            return "workshop"
        case "legal", change:
            return "built" if change else "saved"
        case kind, _:
            return kind


def _shot(
    about: Ruling, photo: Photo, cells: tuple[Cell, ...], mark: str, board: Board, styles: drawing.Looks
) -> Shot | None:
    box = box_of(about, photo)
    if box is None:  # the picture would show who is at the table, which is not for everybody
        return None
    centres = _centres(photo, board)
    marked = drawing.outlines(cells, mark or "calm", centres, box, named=mark not in ("", "legal"))
    return Shot(photo, box, _read(photo, centres, box, board, styles), marked)


def _read(
    photo: Photo, centres: Mapping[Cell, tuple[float, float]], box: Box, board: Board, styles: drawing.Looks
) -> str:
    """Return what was read in the picture, drawn; nothing if that is lost."""
    try:
        reading = reading_from_json(photo.notes, board)
    except BadInputError:
        return ""
    contents = {cell: read.contents for cell, read in reading.cells.items()}
    return (
        drawing.seen(contents, centres, box, styles)
        + drawing.outlines(reading.unclear, "unclear", centres, box)
        + drawing.outlines(reading.occluded, "hidden", centres, box)
    )


def _centres(photo: Photo, board: Board) -> dict[Cell, tuple[float, float]]:
    known = {str(cell): cell for cell in board.cells}
    return {known[name]: at for name, at in photo.centres_px().items() if name in known}


#: The most pixels that a picture on a page is wide.
WIDTH_PX = 1000

#: The most pixels that a picture on a page is high.
HEIGHT_PX = 900

#: The most times that a small cut-out is enlarged.
MOST_ENLARGED = 3.0

QUALITY = 80

#: No picture of Strada's is larger than this, so a larger file cannot be one.
MOST_BYTES = 48 * 1024**2

#: Beyond the picture's edge.
_DARK = (32, 28, 26)

#: How many bytes are kept in memory, how many pictures are made at once, and how long a page waits for its turn.
KEPT_BYTES, AT_ONCE, WAIT_S = 16 * 1024**2, 2, 5.0


class BusyError(Exception):
    """Too many pictures are requested at once."""


class Thumbnails:
    """Makes and keeps pictures. Any thread may call it."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(at_once)
        self._kept: OrderedDict[tuple[Path, int, Box, int], bytes] = OrderedDict()
        self._bytes = 0

    @property
    def kept_bytes(self) -> int:
        """How many bytes of memory the pictures take."""
        return self._bytes

    def picture(self, path: Path, box: Box, width_px: int = WIDTH_PX) -> bytes | None:
        """Return the part of the picture in the box (left, top, width, height); None if the picture is gone.

        It is at most `width_px` wide. Raises BusyError.
        """
        try:
            key = path, path.stat().st_mtime_ns, box, width_px
        except OSError:
            return None
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        if not self._turns.acquire(timeout=WAIT_S):
            raise BusyError
        try:
            made = cut_out(path, box, width_px)
        finally:
            self._turns.release()
        if made is not None:
            self._keep(key, made)
        return made

    def _keep(self, key: tuple[Path, int, Box, int], made: bytes) -> None:
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self._bytes += len(made)
            while self._bytes > KEPT_BYTES:
                _, old = self._kept.popitem(last=False)
                self._bytes -= len(old)


def cut_out(path: Path, box: Box, width_px: int) -> bytes | None:
    """Return the part of the picture in the box as JPEG, at most `width_px` wide; None if it cannot be read."""
    import cv2
    import numpy as np

    from companion.system.durable import contents
    from companion.system.pictures import is_sane, jpeg

    try:
        content = contents(path, MOST_BYTES)
        if not is_sane(content):
            return None
        image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    except (OSError, cv2.error):
        return None
    if image is None:
        return None
    cut = _cut(image, box)
    height, width = cut.shape[:2]
    scale = min(width_px / width, HEIGHT_PX / height, MOST_ENLARGED)
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    shown = cv2.resize(cut, (max(1, round(width * scale)), max(1, round(height * scale))), interpolation=way)
    return jpeg(shown, QUALITY)


def _cut(image: cv2.typing.MatLike, box: Box) -> cv2.typing.MatLike:
    """Return what is in the box, dark where it reaches beyond the picture."""
    import numpy as np

    left, top, width, height = box
    high, wide = image.shape[:2]
    shown = np.full((height, width, 3), _DARK, np.uint8)
    a, b, c, d = max(0, left), max(0, top), min(wide, left + width), min(high, top + height)
    if a < c and b < d:
        shown[b - top : d - top, a - left : c - left] = image[b:d, a:c]
    return shown


def add_rulings(app: Flask, shelf: Shelf, thumbnails: Thumbnails) -> None:
    """Add the page of a ruling, for people and (`?tv`) for a TV, and the pictures that it shows."""

    @app.get(LATEST_RULING)
    def latest_ruling() -> AnyResponse:
        with shelf.opened() as archive:
            newest = archive.latest_ruling()
        if newest is None:
            abort(404, _("There are no rulings yet."))
        tv = "1" if "tv" in request.args or _came_from() == "/tv" else None
        return redirect(url_for("ruling", number=newest[0], event=newest[1], tv=tv))

    @app.get(f"/games/<{NUMBER}:number>/rulings/<{NUMBER}:event>")
    def ruling(number: int, event: int) -> str:
        with shelf.told(number) as (archive, game, story):
            ruled, step = _ruling(archive, story, game, event)
            board = step.position.ground.board
            before, after = shots_of(ruled, step, board)
            is_last = archive.count() > 0 and archive.game("last").number == number
        title, *others = said(step, game.rules)
        whys = whys_of(step, game.rules)
        return render_template(
            "ruling.html",
            game=game,
            step=step,
            index=story.steps.index(step),
            tone=TONES.get(step.kind, "start"),
            title=title,
            others=others if not any(why.sentences for why in whys) else [],
            whys=whys,
            by=keeper_of(step),
            before=before,
            after=after,
            drawn=_drawn(story, step) if story.is_by_hand else None,
            cells=step.cells,
            is_tv="tv" in request.args,
            can_dispute=is_last and game.outcome == "playing",
            beside=_beside(story, step),
        )

    @app.get(f"/games/<{NUMBER}:number>/rulings/<{NUMBER}:event>/<any(before, after):which>.jpg")
    def ruling_picture(number: int, event: int, which: str) -> Response:
        with shelf.told(number) as (archive, game, story):
            ruled, step = _ruling(archive, story, game, event)
            shot = shots_of(ruled, step, step.position.ground.board)[which == "after"]
        return _thumbnail(thumbnails, shot)

    @app.get(f"/games/<{NUMBER}:number>/pictures/<{NUMBER}:event>.jpg")
    def picture(number: int, event: int) -> Response:
        with shelf.opened() as archive:
            game = shelf.game(archive, number)
            photo = photo_of(archive.photos(game.number), event)
            box = None if photo is None else board_box(photo, archive.ground(game.number).board)
        # A picture shows who is at the table, which is not for everybody: if the board's place is unknown, none is
        # shown.
        shot = None if photo is None or box is None else Shot(photo, box)
        return _thumbnail(thumbnails, shot, REPLAY_PX)


def _came_from() -> str:
    """Return the path of the page that led here; "" if the browser does not say, or sends nonsense."""
    try:
        return urlsplit(request.referrer or "").path
    except ValueError:
        return ""


def _ruling(archive: Archive, story: Story, game: LoggedGame, event: int) -> tuple[Ruling, StoryStep]:
    """Return the ruling at that event of that game, and its step of the game."""
    step = next((step for step in story.rulings if step.number == event), None)
    if step is None:
        abort(404, _("Game %(number)s has no such ruling.", number=game.number))
    try:
        return archive.ruling(event), step
    except DamagedError:
        raise
    except BadInputError:
        abort(404, _("Game %(number)s has no such ruling.", number=game.number))


def _thumbnail(thumbnails: Thumbnails, shot: Shot | None, width_px: int = WIDTH_PX) -> Response:
    try:
        made = None if shot is None else thumbnails.picture(shot.photo.path, shot.box, width_px)
    except BusyError:
        abort(503, _("Too many pictures at once. Try again in a moment."))
    if made is None:
        abort(404, _("This picture is gone: it was deleted to make room for newer ones."))
    return Response(made, mimetype="image/jpeg")


def _drawn(story: Story, step: StoryStep) -> dict[str, str]:
    """Return the board before and after a move that no camera saw, drawn in place of the pictures."""
    at, ground = story.steps.index(step), step.position.ground
    return {
        "view_box": drawing.view_box(ground.board),
        "ground": drawing.ground(ground.board, ground.terrain),
        "before": pieces_of(story.steps[at - 1]) if at else "",
        "after": pieces_of(step),
    }


def _beside(story: Story, step: StoryStep) -> tuple[int | None, int | None]:
    """Return the events of the rulings before and after this one."""
    numbers = [each.number for each in story.rulings]
    at = numbers.index(step.number)
    return numbers[at - 1] if at else None, numbers[at + 1] if at + 1 < len(numbers) else None
