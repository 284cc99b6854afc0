"""The latest notice: events become one notice with its sentences and the cells to mark."""

from __future__ import annotations

from collections.abc import Sequence

from companion.board import Cell
from companion.events import (
    CameraBack,
    CameraLost,
    CameraTurned,
    CellCorrected,
    CellReread,
    CommandRefused,
    DealRefused,
    DealRemarked,
    DealUnclear,
    Event,
    GameDealt,
    GameOver,
    GamePaused,
    GameResumed,
    GameTakenUp,
    MarkersDiffer,
    MoveAccepted,
    MoveHidden,
    MoveRefused,
    MovesUndone,
    MoveUnclear,
    PressLapsed,
    RereadingOffered,
    SavingAsked,
    SequenceOffered,
    TurnTaken,
    WorkshopPlaced,
)
from companion.games.contract import Player
from companion.scoreboard.snapshot import Notice
from companion.words import Voice

#: More marked cells than this mark nothing: a hand over half the board is named in words.
MOST_MARKED = 30


def notice_of(
    events: Sequence[Event], players: Sequence[Player], rules: str = "standard", language: str = "en"
) -> Notice | None:
    """Return the notice about these events; None if there is nothing to say.

    The last of several verdicts gives title and kind; earlier ones, the day-track markers and remarks on a
    deal become sentences. A refusal also says what would make it right if a single cell was misread. Corrections of
    cells are named only if no verdict came with them.
    """
    voice = Voice(players, language, rules)
    notice, before, after = None, list[str](), list[str]()
    for event in events:
        if isinstance(event, MarkersDiffer | DealRemarked):
            after += voice.sentences(event)
            continue
        kind, sentences = _kind(event), voice.sentences(event)
        if kind is None or not sentences:
            continue
        if notice is not None:
            before.append(notice.title)
        if isinstance(event, MoveRefused):
            sentences += voice.suggestions(event)
        if isinstance(event, GameOver):
            sentences += voice.result(event.position)
        cells = _cells(event)
        notice = Notice(kind, sentences[0], sentences[1:], cells if len(cells) <= MOST_MARKED else frozenset())
    is_to_teach = any(isinstance(event, DealRemarked) and _is_poor(event) for event in events)
    if notice is not None:
        sentences = (*before, *notice.sentences, *after)
        return Notice(notice.kind, notice.title, sentences, notice.cells, is_to_teach=is_to_teach)
    if corrected := sorted({event.cell for event in events if isinstance(event, CellCorrected)}, key=str):
        return Notice("corrected", voice.corrected(corrected), tuple(after), frozenset(corrected))
    return Notice("ask", after[0], tuple(after[1:]), is_to_teach=is_to_teach) if after else None


def _is_poor(event: DealRemarked) -> bool:
    """Whether something that was dealt can only just be told."""
    return bool(event.remarks.poor or event.remarks.poor_tracks)


def _kind(event: Event) -> str | None:
    match event:
        case GameDealt() | GameResumed() | GameTakenUp():
            return "start"
        case WorkshopPlaced() | TurnTaken() | MoveAccepted():
            return "legal"
        case MoveRefused(is_unfinished=False) | DealRefused():
            return "illegal"
        case (
            MoveRefused() | MoveHidden() | MoveUnclear() | DealUnclear() | CommandRefused() | MovesUndone()
            | SavingAsked() | SequenceOffered() | RereadingOffered()
            | GamePaused() | PressLapsed() | CameraLost() | CameraBack() | CameraTurned()
        ):  # fmt: skip
            return "ask"
        case CellReread():
            return "corrected"
        case GameOver():
            return "end"
        case _:
            return None


def _cells(event: Event) -> frozenset[Cell]:
    match event:
        case WorkshopPlaced(cell=cell):
            return frozenset({cell})
        case TurnTaken(change=change):
            return frozenset(change.cells)
        case MoveRefused(reasons=reasons) | DealRefused(reasons=reasons) | MoveAccepted(reasons=reasons):
            return frozenset(cell for reason in reasons for cell in reason.cells)
        case MoveHidden(cells=cells) | MoveUnclear(cells=cells) | DealUnclear(cells=cells):
            return frozenset(cells)
        case CommandRefused(cells=cells) | MovesUndone(clear=cells) | PressLapsed(cells=cells):
            return frozenset(cells)
        case SequenceOffered(changes=changes):
            return frozenset(cell for change in changes for cell in change.cells)
        case RereadingOffered(cell=cell) | CellReread(cell=cell):
            return frozenset({cell})
        case _:
            return frozenset()
