"""The end as a ceremony: the count, place by place, everyone's rank, the biggest road, and what is remembered.

The page holds all of it from the first moment, in its final state. Its script reveals it bit by bit (ceremony.js), and
asks for what the logbook remembers of the game (companion.web.games.turning).

Then anybody may say that a player would like to play again: POST /commands/again/<seat>, for the player in that seat,
counted from 1, without a PIN, and once per end. A keeper begins the next game as usual (companion.web.keeper), or POSTs
/keeper/not-again, and then the question is gone.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask, Response

from companion.drawing.overlays import each_line, gains
from companion.games import places
from companion.scoreboard import PlayerLine, Snapshot
from companion.web.backend import Backend
from companion.web.bodies import answered
from companion.web.languages import _, language
from companion.web.pieces import called, looks
from companion.web.sessions import the_keeper
from companion.words.speech import Speech
from companion.words.why import Biggest, Count, biggest, counting

#: If more roads than this are equally big, none stands out.
MOST_ROADS = 2


@dataclass(frozen=True, slots=True)
class Standing:
    """A player at the end: their place (0 if all play together) and their seat.

    `is_decided_by_days`: somebody else has the same amount of gold, but another place.
    """

    player: PlayerLine
    place: int
    seat: int
    is_decided_by_days: bool


@dataclass(frozen=True, slots=True)
class CountStep:
    """One place of the count: what is said, and for each player what they have then, also as a share of 100.

    `shared` is what all of them have together then.
    """

    says: str
    sums: tuple[int, ...]
    shares: tuple[int, ...]
    shared: int


@dataclass(frozen=True, slots=True)
class Ceremony:
    """The end: the standings in order of place, the count, the biggest roads. Another end has another `name`."""

    name: str
    standings: tuple[Standing, ...]
    steps: tuple[CountStep, ...]
    biggest: tuple[Biggest, ...]


class Ceremonies:
    """Renders the end, again only if it is another one. Guarded by the renderer's lock."""

    def __init__(self, app: Flask) -> None:
        self._macros: Any = app.jinja_env.get_template("_ceremony.html").module
        self._kept: dict[str, tuple[tuple[object, ...], Mapping[str, str]]] = {}

    def parts(self, snapshot: Snapshot) -> Mapping[str, str]:
        """Return the parts in the language of the request; they are empty until the game is over."""
        told_of = snapshot.phase, snapshot.position, snapshot.players
        kept = self._kept.get(language())
        if kept is None or kept[0] != told_of:
            kept = self._kept[language()] = (told_of, self._parts(snapshot))
        return kept[1]

    def _parts(self, snapshot: Snapshot) -> Mapping[str, str]:
        position = snapshot.position
        if snapshot.phase != "over" or position is None:
            return dict.fromkeys(("ceremony", "account", "counted", "again"), "")
        speech = Speech(position.players, language(), position.rules_name)
        counts, roads = counting(speech, position), biggest(speech, position)
        roads = roads if len(roads) <= MOST_ROADS else ()
        told = _ceremony(snapshot, counts, roads)
        return {
            "ceremony": str(self._macros.ceremony(snapshot, told)),
            "account": str(self._macros.account(snapshot, told)),
            "counted": _counted(snapshot, counts, roads),
            "again": str(self._macros.again(snapshot)),
        }


def _ceremony(snapshot: Snapshot, counts: tuple[Count, ...], roads: tuple[Biggest, ...]) -> Ceremony:
    assert snapshot.position is not None
    at = places(snapshot.position)
    gold = [player.gold for player in snapshot.players]
    standings = tuple(
        Standing(
            player,
            at.get(player.color, 0),
            seat,
            any(
                other.gold == player.gold and at.get(other.color, 0) != at.get(player.color, 0)
                for other in snapshot.players
            ),
        )
        for seat, player in sorted(enumerate(snapshot.players), key=lambda each: (at.get(each[1].color, 0), each[0]))
    )
    most = max(1, *gold)
    steps = tuple(
        CountStep(count.says, sums, tuple(max(0, round(100 * each / most)) for each in sums), sum(sums))
        for count in counts
        for sums in (tuple(count.sums[each.player.color] for each in standings),)
    )
    # Players may be named afterwards; the end stays the same one.
    name = f"{zlib.crc32(repr((at, gold, [(count.cells, count.sums) for count in counts])).encode()):08x}"
    return Ceremony(name, standings, steps, roads)


def _counted(snapshot: Snapshot, counts: tuple[Count, ...], roads: tuple[Biggest, ...]) -> str:
    """Return what is drawn, hidden at first, over the board for each place counted and around the biggest roads."""
    styles = looks(snapshot.players)
    drawn = iter(each_line([count.line for count in counts if count.line is not None], snapshot.board, styles))
    told = (gains(count.cells, count.gains, styles) if count.line is None else next(drawn) for count in counts)
    shown = "".join(f'<g class="count">{each}</g>' for each in told)
    return f'{shown}<g class="biggest">{"".join(gains(road.cells, {}) for road in roads)}</g>'


def add_wishing(app: Flask, backend: Backend) -> None:
    """Add the routes, and `wishing(snapshot)` for the templates. At a drawn table there are no routes: it plays on."""
    app.jinja_env.globals.update(wishing=wishing, may_wish=backend.table is None)
    if backend.table is not None:
        return

    @app.post("/commands/again/<int:seat>")
    def wish(seat: int) -> Response:
        scoreboard = backend.scoreboard
        players = scoreboard.latest.players
        if not 1 <= seat <= len(players):
            return answered(_("Nobody sits there."), 404)
        if not scoreboard.wish(players[seat - 1].color):
            return answered(_("That cannot be asked now."), 409)
        return answered(_("The keeper is asked."), 202)

    @app.post("/keeper/not-again")
    def decline() -> Response:
        the_keeper(backend.keepers)
        if not backend.scoreboard.decline():
            return answered(_("Nobody is asking any more."), 409)
        return answered(_("Sent: not now."))


def wishing(snapshot: Snapshot) -> str:
    """Return who would like to play again: "Ada and Bo"; "" for nobody."""
    wishes = snapshot.wishes
    names = [called(player) for color in wishes.players for player in snapshot.players if player.color == color]
    return "" if wishes.is_declined or not names else Speech(language=language()).listing(names)
