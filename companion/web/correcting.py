"""A keeper corrects a cell: what is on it and what may be, likeliest first, from GET /keeper/cells/<name>.

What keepers put together themselves is drawn, and described in words, by GET /keeper/contents?are=<JSON>.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from flask import Flask, Response, jsonify, request

from companion import board, drawing
from companion.board import BARE, Cell, Contents, Reading
from companion.board.notation import contents_to_json
from companion.games.contract import Player
from companion.keeping import proper_contents
from companion.scoreboard import Snapshot
from companion.web.backend import Backend
from companion.web.bodies import plain
from companion.web.languages import _, language
from companion.web.pieces import game_on, looks
from companion.web.sessions import the_keeper
from companion.words import Voice

#: How many answers can be chosen with one tap; all others can be put together.
MOST_ANSWERS = 6

#: Contents in JSON are no longer than this.
MOST_ASKED = 1000


@dataclass(frozen=True, slots=True)
class Answer:
    """What may be on a cell, and why it is offered."""

    contents: Contents
    why: str = ""


def add_correcting(app: Flask, backend: Backend) -> None:
    """Add what is requested when a cell is tapped."""

    @app.get("/keeper/cells/<name>")
    def cell(name: str) -> Response:
        the_keeper(backend.keepers)
        snapshot = backend.scoreboard.latest
        place = snapshot.board.cell(name.upper()[:8])
        voice, found_looks = _voice(snapshot), looks(snapshot.players)
        terrain = snapshot.terrain.get(place)
        now, found_answers = lying_on(place, snapshot, backend.reading())
        return jsonify(
            cell=str(place),
            shape=drawing.shape(place),
            terrain=None if terrain is None else terrain.value,
            now=None
            if now is None
            else {**_shown(Answer(now, _("As it is now")), voice, found_looks), "isLoose": place in snapshot.laid},
            answers=[_shown(answer, voice, found_looks) for answer in found_answers],
            hands=[
                {
                    "name": line.name,
                    "isNext": line.is_next,
                    "tiles": [_shown(Answer(Contents(tile)), voice, found_looks) for tile in line.hand],
                }
                for line in sorted(snapshot.players, key=lambda line: not line.is_next)
                if line.hand
            ],
        )

    @app.get("/keeper/contents")
    def contents() -> Response:
        the_keeper(backend.keepers)
        asked = proper_contents(plain(request.args.get("are", "")[:MOST_ASKED].encode()), "the cell")
        snapshot = backend.scoreboard.latest
        return jsonify(_shown(Answer(asked), _voice(snapshot), looks(snapshot.players)))


def _voice(snapshot: Snapshot) -> Voice:
    return Voice([Player(line.name, line.color) for line in snapshot.players], language())


def lying_on(cell: Cell, snapshot: Snapshot, reading: Reading | None) -> tuple[Contents | None, tuple[Answer, ...]]:
    """Return what is thought to be on the cell now (None: unknown), and what else may be, likeliest first."""
    held = snapshot.contents.get(cell, BARE)
    known = reading if reading is not None and reading.board == snapshot.board else None
    return _BY_GAME[game_on(snapshot.board)](cell, held, snapshot, known)


def _in_la_strada(
    cell: Cell, held: Contents, snapshot: Snapshot, known: Reading | None
) -> tuple[Contents | None, tuple[Answer, ...]]:
    """Return what `lying_on` does: what the books or the camera say, and before a game also the settlements."""
    if known is None:
        return held, _others(_guesses(held, held, snapshot.next), held)
    doubted = cell in known.abstained
    now = snapshot.laid.get(cell, None if doubted else held)
    answers = [*_read(cell, known), Answer(held, _("As it should be"))]
    if snapshot.phase in ("waiting", "over") and known.cells[cell].site:
        answers = [*_read(cell, known), *(Answer(Contents(board.Settlement(kind))) for kind in board.SettlementType)]
    if not doubted:
        answers.append(Answer(known.contents(cell), _("As the camera sees it")))
    return now, _others([*answers, *_guesses(now or held, held, snapshot.next)], now)


def _in_silk_road(
    cell: Cell, held: Contents, snapshot: Snapshot, known: Reading | None
) -> tuple[Contents | None, tuple[Answer, ...]]:
    """Return what `lying_on` does: before a game snow and mountains, during it what the books or the camera say.

    The sections that players have left are offered separately.
    """
    if snapshot.phase == "over" and known is not None:
        held = known.contents(cell)  # the next game's board, while the last one's is still shown
    now = snapshot.laid.get(cell, None if known is not None and cell in known.abstained else held)
    answers = _read(cell, known)
    if snapshot.phase in ("workshop", "turn"):
        answers.append(Answer(held, _("As it should be")))
        if now is not None and isinstance(now.tile, board.LaidSection):
            answers += [Answer(replace(now, tile=turned)) for turned in _turned(now.tile)]
        answers.append(Answer(BARE))
    else:
        likely = [Answer(Contents(tile)) for tile in (board.Mountain(), board.Snow())]
        answers += [*(reversed(likely) if cell in snapshot.board.corners else likely), Answer(BARE)]
        if now not in (None, BARE):
            answers.insert(0, Answer(BARE))  # people who tap what they have placed want to remove it
    return now, _others(answers, now)


#: One row per game.
_BY_GAME = {"la-strada": _in_la_strada, "silk-road": _in_silk_road}


def _read(cell: Cell, known: Reading | None) -> list[Answer]:
    """Return the reader's alternatives."""
    read = None if known is None else known.cells.get(cell)
    return [Answer(other, _("Perhaps this")) for other in (read.alternatives if read else ())]


def _turned(laid: board.LaidSection) -> list[board.LaidSection]:
    """Return the section in each of its other rotations, once each."""
    lies = [replace(laid, turn=(laid.turn + quarters) % 4).least_turned for quarters in (1, 2, 3)]
    return [lie for lie in dict.fromkeys(lies) if lie != laid.least_turned]


def _guesses(now: Contents, held: Contents, mover: board.PlayerColor | None) -> list[Answer]:
    """Return what is often really there: one more merchant of the current player, nothing, a road with another end."""
    guesses = []
    if isinstance(held.tile, board.Settlement) and mover is not None:
        guesses.append(replace(held, merchants=held.merchants + board.Merchants.of({mover: 1})))
    guesses.append(BARE)
    if isinstance(now.tile, board.Road):
        ends = set(now.tile.edges)
        others = [edges for edges in board.EDGE_PAIRS if len(ends & set(edges)) == 1]
        guesses += [replace(now, tile=replace(now.tile, edges=edges)) for edges in others]
    return [Answer(contents) for contents in guesses]


def _others(answers: Iterable[Answer], now: Contents | None) -> tuple[Answer, ...]:
    """Return each answer once, without what is on the cell now."""
    others: dict[Contents, Answer] = {}
    for answer in answers:
        if answer.contents != now:
            others.setdefault(answer.contents, answer)
    return tuple(others.values())[:MOST_ANSWERS]


def _shown(answer: Answer, voice: Voice, styles: drawing.Looks) -> dict[str, object]:
    return {
        "words": voice.contents(answer.contents),
        "why": answer.why,
        "contents": contents_to_json(answer.contents),
        "drawing": drawing.pieces({board.HexCell(0, 0): answer.contents}, styles),
    }
