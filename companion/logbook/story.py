"""A game told step by step: what was said of each move, what held then, and what lay there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.board import BadInputError, Cell, Contents, PlayerColor
from companion.events import CellCorrected, CellReread, Event, GameDealt, GameOver, MoveRefused, MovesUndone
from companion.games.contract import Position
from companion.logbook.archive import Archive, Photo
from companion.logbook.rows import Told
from companion.verdicts import move_of, position_after


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was said of the game: a verdict, or what people decided, or that it is over.

    `kind` is start, legal, illegal, unfinished, accepted, unclear, hidden, undone, corrected, reread or over.
    `position` holds from then on; `laid` lies otherwise than in it, and was refused; `cells` are those that it is
    about; `who` wanted it. `is_ruling`: it can be looked up as one. `is_undone`: it was taken back later.
    """

    event: Event
    number: int
    at: str
    kind: str
    position: Position
    player: PlayerColor | None = None
    laid: Mapping[Cell, Contents] = field(default_factory=dict)
    cells: tuple[Cell, ...] = ()
    is_ruling: bool = False
    is_undone: bool = False
    who: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """The steps of a game, the deal first; `is_whole` is False where later ones are damaged.

    `is_by_hand`: no pictures were taken, people said what lies there. To say so is to lay it, and no step of its own.
    """

    steps: tuple[Step, ...]
    is_whole: bool = True
    is_by_hand: bool = False

    @property
    def rulings(self) -> tuple[Step, ...]:
        """The verdicts alone."""
        return tuple(step for step in self.steps if step.is_ruling)


def story_of(archive: Archive, game: int) -> Story:
    """Return all steps of the game, as far as they can be read."""
    undone, steps = archive.undone(game), list[Step]()
    is_by_hand = not archive.is_photographed(game)
    try:
        for told in archive.events(game):
            held = position_after(told.event) or (steps[-1].position if steps else None)
            step = None if held is None else _step(told, held, told.number in undone)
            if step is not None and not (is_by_hand and step.kind == "corrected"):
                steps.append(step)
    except BadInputError:
        return Story(tuple(steps), False, is_by_hand)
    return Story(tuple(steps), True, is_by_hand)


def photo_of(photos: tuple[Photo, ...], event: int) -> Photo | None:
    """Return the picture that was taken at that event."""
    return next((photo for photo in photos if photo.first <= event <= photo.last), None)


def _step(told: Told, held: Position, is_undone: bool) -> Step | None:
    event = told.event
    if (move := move_of(event)) is not None:
        kind = "start" if isinstance(event, GameDealt) else move.verdict
        laid = {cell: seen.now for cell, seen in event.change.cells.items()} if isinstance(event, MoveRefused) else {}
        cells = tuple({cell: None for reason in move.reasons for cell in reason.cells}) or move.cells
        return Step(event, told.number, told.at, kind, held, move.player, laid, cells, True, is_undone, told.who)
    kind, player, cells = _decided(event)
    return Step(event, told.number, told.at, kind, held, player, cells=cells, who=told.who) if kind else None


def _decided(event: Event) -> tuple[str, PlayerColor | None, tuple[Cell, ...]]:
    """Return the kind, the player and the cells of what is no verdict and is told; kind "" for what is not."""
    match event:
        case MovesUndone(player=player):
            return "undone", player, ()
        case CellReread(cell=cell):
            return "reread", None, (cell,)
        case CellCorrected(cell=cell):
            return "corrected", None, (cell,)
        case GameOver():
            return "over", None, ()
        case _:
            return "", None, ()
