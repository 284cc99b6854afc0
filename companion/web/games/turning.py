"""The turning points of a game: who took the lead from whom, what was put right, the decisive turn, the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.board import PlayerColor
from companion.games import score
from companion.games.contract import Position
from companion.logbook.archive import StoryStep
from companion.web.languages import _

#: Verdicts that refuse what was laid, and those that let it count.
REFUSED, COUNTS = frozenset({"illegal", "unfinished"}), frozenset({"legal", "accepted"})


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """A step worth stopping at: its `index` in the story, its `kind` (lead, right, decisive or end), and its words."""

    index: int
    kind: str
    words: str


def turning_points(steps: Sequence[StoryStep]) -> tuple[TurningPoint, ...]:
    """Return the turning points in the order of play, one a step; what was taken back later is none.

    A player takes the lead where they alone have the most and somebody else was the last to lead alone. A refusal is
    put right by the next verdict on the same player's turn that lets it count.
    """
    found = dict[int, TurningPoint]()
    leader: PlayerColor | None = None
    refused: PlayerColor | None = None
    for index, step in enumerate(steps):
        if step.is_undone:
            continue
        if step.kind in REFUSED:
            refused = step.player
        elif step.kind in COUNTS:
            if refused is not None and step.player == refused:
                found[index] = TurningPoint(index, "right", _("%(name)s puts it right", name=_name(step, refused)))
            refused = None
        alone = leaders(step.position)
        if len(alone) != 1:
            continue
        (now,) = alone
        if leader is not None and leader != now:
            found[index] = TurningPoint(index, "lead", _("%(name)s takes the lead", name=_name(step, now)))
        leader = now
    if (at := decisive(steps)) is not None:
        found[at] = TurningPoint(at, "decisive", _("The decisive turn"))
    if steps[-1].kind == "over":
        found[len(steps) - 1] = TurningPoint(len(steps) - 1, "end", _("The end"))
    return tuple(found[index] for index in sorted(found))


def decisive(steps: Sequence[StoryStep]) -> int | None:
    """Return the step of the decisive turn: the last one that put the winners in front for good.

    From it on, to the end, nobody but the winners had the most. None if the game is not over, if nobody wins (people
    play together), if the winners led from the deal on, or if a tie was broken by anything else than what is earned.
    """
    last = steps[-1]
    winners = frozenset(score(last.position).winners)
    if last.kind != "over" or not winners:
        return None
    found = None
    for index in range(len(steps) - 1, -1, -1):
        if steps[index].is_undone:
            continue
        if not leaders(steps[index].position) <= winners:
            return found
        found = index
    return None


def leaders(position: Position) -> frozenset[PlayerColor]:
    """Return who has the most of what is earned."""
    earned = score(position).gold
    return frozenset(color for color, gold in earned.items() if gold == max(earned.values()))


def _name(step: StoryStep, color: PlayerColor) -> str:
    return next(player.name for player in step.position.players if player.color == color)
