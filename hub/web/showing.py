"""How the pages show a table: its snapshot, how far its game is, and its board as a drawing."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion import drawing
from companion.board import BadInputError
from companion.board.fields import mapping
from companion.games.contract import Position
from companion.games.la_strada import LaStradaPosition
from companion.games.silk_road import SilkRoadPosition
from companion.plain import Forms
from companion.scoreboard import Snapshot
from companion.web.pieces import looks
from hub.room import Standing


@dataclass(frozen=True, slots=True)
class Shown:
    """A table as it is shown. Without a game `snapshot` is a waiting one; `done` is how far the game is, 0 to 1."""

    standing: Standing
    snapshot: Snapshot
    done: float | None = None

    @property
    def view_box(self) -> str:
        """The part of the drawing's plane that the board takes."""
        return drawing.view_box(self.snapshot.board)

    def board(self) -> str:
        """Return the board with its pieces, in the reader's language."""
        snapshot = self.snapshot
        styles = looks(snapshot.players)
        return drawing.ground(snapshot.board, snapshot.terrain) + drawing.pieces(snapshot.contents, styles)


def shown(standing: Standing) -> Shown:
    """Return the table as it is shown. If what it reports makes no sense, no game is shown."""
    position = _position(standing)
    if position is None:
        return Shown(standing, Snapshot())
    try:
        snapshot = replace(Snapshot().with_position(position), position=None, hints=())
    except (BadInputError, ArithmeticError, LookupError, TypeError, ValueError):
        return Shown(standing, Snapshot())
    return Shown(standing, snapshot, done(position))


def done(position: Position) -> float:
    """Return how far a game is, by what it ends with: rounds, merchants, settlements without any, or road sections.

    This is no promise: a standard game ends when nobody can complete another road, which may be sooner.
    """
    if position.over:
        return 1.0
    match position:
        case SilkRoadPosition(sections=sections, laid=laid):
            return _share(len(laid), sum(map(len, sections.values())))
        case LaStradaPosition(rules=rules) if rules.rounds:
            return _share(rules.rounds - (position.rounds_left or 0), rules.rounds)
        case LaStradaPosition(rules=rules, ground=ground) if rules.room is not None:
            taken = sum(1 for cell in ground.settlements if cell in position.merchants)
            return _share(taken, len(ground.settlements))
        case LaStradaPosition(rules=rules):
            left = min(position.merchants_left(player.color) for player in position.players)
            return _share(rules.merchants - left, rules.merchants)
        case _:
            return 0.0


def _share(part: int, whole: int) -> float:
    return min(1.0, max(0.0, part / whole)) if whole else 0.0


def _position(standing: Standing) -> Position | None:
    told = standing.told
    if told is None or "position" not in told:
        return None
    try:
        ground = Forms().read_ground(mapping(told.get("ground"), "a ground"))
        return Forms(ground).read_position(told["position"])
    except (BadInputError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError):
        return None
