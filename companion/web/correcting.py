"""A keeper puts a cell right: what lies there and what may, likeliest first, from GET /keeper/cells/<name>.

What he puts together himself is drawn, and said in words, by GET /keeper/contents?are=<JSON>.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from flask import Flask, Response, jsonify, request

from companion import drawing
from companion.board import (
    BARE,
    EDGE_PAIRS,
    BadInputError,
    Color,
    Contents,
    HexCell,
    Merchants,
    Reading,
    Road,
    Settlement,
)
from companion.board.notation import contents_to_json
from companion.games.contract import Player
from companion.scoreboard import Snapshot
from companion.web.bodies import complained, plain
from companion.web.house import House
from companion.web.keeper import proper_contents
from companion.web.languages import _, language
from companion.web.sessions import the_keeper
from companion.wording import Voice

#: So many answers are offered with one tap; all others can be put together.
MOST_ANSWERS = 6

#: Contents in JSON are no longer than this.
MOST_ASKED = 1000


@dataclass(frozen=True, slots=True)
class Answer:
    """What may lie on a cell, and why it is offered."""

    contents: Contents
    why: str


def add_correcting(app: Flask, house: House) -> None:
    """Add what is asked when a cell was tapped."""

    @app.get("/keeper/cells/<name>")
    def cell(name: str) -> Response:
        the_keeper(house.keepers)
        snapshot = house.scoreboard.latest
        try:
            found = snapshot.board.cell(name.upper()[:8])
        except BadInputError as error:
            return complained(error)
        voice = _voice(snapshot)
        terrain = snapshot.terrain.get(found)
        now, found_answers = lying_on(found, snapshot, house.reading())
        return jsonify(
            cell=str(found),
            terrain=None if terrain is None else terrain.value,
            now=None if now is None else _shown(Answer(now, _("So it lies now")), voice),
            answers=[_shown(answer, voice) for answer in found_answers],
        )

    @app.get("/keeper/contents")
    def contents() -> Response:
        the_keeper(house.keepers)
        try:
            found = proper_contents(plain(request.args.get("are", "")[:MOST_ASKED].encode()), "the cell")
        except BadInputError as error:
            return complained(error)
        return jsonify(_shown(Answer(found, ""), _voice(house.scoreboard.latest)))


def _voice(snapshot: Snapshot) -> Voice:
    return Voice([Player(line.name, line.color) for line in snapshot.players], language())


def lying_on(cell: HexCell, snapshot: Snapshot, reading: Reading | None) -> tuple[Contents | None, tuple[Answer, ...]]:
    """Return what is held to lie there now, None for what nobody knows, and what it may be else, likeliest first."""
    held = snapshot.contents.get(cell, BARE)
    if reading is None or reading.board != snapshot.board:
        return held, _others(_guesses(held, held, snapshot.next), held)
    doubted = cell in reading.abstained
    now = snapshot.laid.get(cell, None if doubted else held)
    read = reading.cells.get(cell)
    answers = [Answer(other, _("It could be this")) for other in (read.alternatives if read else ())]
    answers.append(Answer(held, _("So it should be")))
    if not doubted:
        answers.append(Answer(reading.contents(cell), _("So the camera sees it")))
    return now, _others([*answers, *_guesses(now or held, held, snapshot.next)], now)


def _guesses(now: Contents, held: Contents, mover: Color | None) -> list[Answer]:
    """Return what it often is in truth: a merchant more of the player in turn, nothing, the road with another end."""
    found = []
    if isinstance(held.tile, Settlement) and mover is not None:
        found.append(replace(held, merchants=held.merchants + Merchants.of({mover: 1})))
    found.append(BARE)
    if isinstance(now.tile, Road):
        ends = set(now.tile.edges)
        others = [edges for edges in EDGE_PAIRS if len(ends & set(edges)) == 1]
        found += [replace(now, tile=replace(now.tile, edges=edges)) for edges in others]
    return [Answer(contents, "") for contents in found]


def _others(answers: Iterable[Answer], now: Contents | None) -> tuple[Answer, ...]:
    """Return each answer once, without what lies there now anyway."""
    found: dict[Contents, Answer] = {}
    for answer in answers:
        if answer.contents != now:
            found.setdefault(answer.contents, answer)
    return tuple(found.values())[:MOST_ANSWERS]


def _shown(answer: Answer, voice: Voice) -> dict[str, object]:
    return {
        "words": voice.contents(answer.contents),
        "why": answer.why,
        "contents": contents_to_json(answer.contents),
        "drawing": drawing.pieces({HexCell(0, 0): answer.contents}),
    }
