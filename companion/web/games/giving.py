"""What a game is given out as: a game record, a ZIP with its pictures, and the final board as a picture."""

from __future__ import annotations

import tempfile
import threading
from contextlib import ExitStack
from datetime import UTC, datetime

from flask import Flask, Response, abort, send_file

from companion.board import BadInputError
from companion.logbook.archive import LoggedGame, Story
from companion.records.giving import name_of, record_of, write_zip
from companion.records.picture import draw_result
from companion.web.games.shelf import DRAWN, NUMBER, Shelf
from companion.web.games.telling import day, outcome, rules_name, said
from companion.web.keepers import Keepers
from companion.web.languages import _, language
from companion.web.sessions import the_keeper
from companion.words.speech import Speech

#: A drawing opened by itself runs nothing and loads nothing; its style stands in it.
DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

#: A ZIP larger than this is written on the disk while it is packed; the next one waits so long for its turn.
IN_MEMORY_BYTES, WAIT_S = 2 * 1024**2, 10.0


def add_giving(app: Flask, shelf: Shelf, keepers: Keepers) -> None:
    """Add what can be downloaded of a game; its whole pictures, which show who sat there, are the keepers' alone."""
    packing = threading.Lock()

    @app.get(f"/games/<{NUMBER}:number>/record.json")
    def game_record(number: int) -> Response:
        with shelf.opened() as archive:
            game = shelf.game(archive, number)
            try:
                text = record_of(archive, game)
            except BadInputError:
                abort(404, _("Part of this game was lost, so there is no complete record of it."))
        return Response(text, mimetype="application/json", headers=_named(f"strada-{name_of(game)}.json"))

    @app.get(f"/games/<{NUMBER}:number>/game.zip")
    def game_zip(number: int) -> Response:
        if not packing.acquire(timeout=WAIT_S):
            abort(503, _("Another game is being packed. Try again in a moment."))
        packed = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115  (closed by who sends it)
        try:
            with shelf.opened() as archive:
                game = shelf.game(archive, number)
                if game.place != DRAWN:
                    the_keeper(keepers)
                try:
                    write_zip(archive, game, packed)
                except BadInputError:
                    abort(404, _("Part of this game was lost, so it cannot be packed."))
        except BaseException:
            packed.close()
            raise
        finally:
            packing.release()
        packed.seek(0)
        name = f"strada-{name_of(game)}.zip"
        return send_file(packed, "application/zip", as_attachment=True, download_name=name)

    @app.get("/games/backup.zip")
    def backup() -> Response:
        the_keeper(keepers)
        if not packing.acquire(timeout=WAIT_S):
            abort(503, _("Another game is being packed. Try again in a moment."))
        with ExitStack() as stack:
            stack.callback(packing.release)
            name = f"strada-{datetime.now(UTC):%Y-%m-%d}.zip"
            answer = Response(shelf.packed(stack), mimetype="application/zip", headers=_named(name))
            answer.call_on_close(stack.pop_all().close)
        return answer

    @app.get(f"/games/<{NUMBER}:number>/board.svg")
    def game_board(number: int) -> Response:
        with shelf.told(number) as (_archive, game, story):
            position = story.steps[-1].position
        picture = draw_result(position, Speech(language=language()), _headline(game, story), note_of(game))
        return Response(picture, mimetype="image/svg+xml", headers={"Content-Security-Policy": DRAWING_POLICY})


def note_of(game: LoggedGame) -> str:
    """Return what stands below the headline of a game's drawings: by which rules it was played, and when."""
    return f"{rules_name(game.rules)} · {day(game.began)}"


def _headline(game: LoggedGame, story: Story) -> str:
    last = story.steps[-1]
    if last.kind == "over":
        return said(last, game.rules)[0]
    return f"{_('Game %(number)s', number=game.number)}: {outcome(game)}"


def _named(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
