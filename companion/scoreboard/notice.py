"""The latest notice: events become one notice with its sentences and the cells to mark."""

from __future__ import annotations

from collections.abc import Sequence

from companion import events
from companion.board import Cell
from companion.games.contract import Player
from companion.scoreboard.snapshot import Notice
from companion.words import Voice

#: More marked cells than this mark nothing: a hand over half the board is named in words.
MOST_MARKED = 30

#: The kinds of notices, and what they are about; a move that is not finished is no fault yet.
_KINDS = {
    "start": (events.GameDealt, events.GameResumed, events.GameTakenUp),
    "legal": (events.WorkshopPlaced, events.TurnTaken, events.MoveAccepted),
    "illegal": (events.MoveRefused, events.DealRefused),
    "ask": (
        events.MoveHidden, events.MoveUnclear, events.DealUnclear, events.CommandRefused, events.MovesUndone,
        events.SavingAsked, events.SequenceOffered, events.RereadingOffered, events.GamePaused, events.PressLapsed,
        events.CameraLost, events.CameraBack, events.CameraTurned,
    ),
    "corrected": (events.CellReread,),
    "end": (events.GameOver,),
}  # fmt: skip


def notice_of(
    happened: Sequence[events.Event], players: Sequence[Player], rules: str = "standard", language: str = "en"
) -> Notice | None:
    """Return the notice about these events; None if there is nothing to say.

    The last of several verdicts gives title and kind; earlier ones, the day-track markers and remarks on a
    deal become sentences. A refusal also says what would make it right if a single cell was misread. Corrections of
    cells are named only if no verdict came with them.
    """
    voice = Voice(players, language, rules)
    notice, before, after = None, list[str](), list[str]()
    for event in happened:
        if isinstance(event, events.MarkersDiffer | events.DealRemarked):
            after += voice.sentences(event)
            continue
        kind, sentences = _kind(event), voice.sentences(event)
        if kind is None or not sentences:
            continue
        if notice is not None:
            before.append(notice.title)
        if isinstance(event, events.MoveRefused):
            sentences += voice.suggestions(event)
        if isinstance(event, events.GameOver):
            sentences += voice.result(event.position)
        cells = _cells(event)
        notice = Notice(kind, sentences[0], sentences[1:], cells if len(cells) <= MOST_MARKED else frozenset())
    remarks = [event.remarks for event in happened if isinstance(event, events.DealRemarked)]
    is_to_teach = any(each.poor or each.poor_tracks for each in remarks)  # something can only just be told
    if notice is not None:
        sentences = (*before, *notice.sentences, *after)
        return Notice(notice.kind, notice.title, sentences, notice.cells, is_to_teach=is_to_teach)
    if corrected := sorted({event.cell for event in happened if isinstance(event, events.CellCorrected)}, key=str):
        return Notice("corrected", voice.corrected(corrected), tuple(after), frozenset(corrected))
    return Notice("ask", after[0], tuple(after[1:]), is_to_teach=is_to_teach) if after else None


def _kind(event: events.Event) -> str | None:
    if isinstance(event, events.MoveRefused) and event.is_unfinished:
        return "ask"
    return next((kind for kind, happened in _KINDS.items() if isinstance(event, happened)), None)


def _cells(event: events.Event) -> frozenset[Cell]:
    match event:
        case events.WorkshopPlaced(cell=cell) | events.RereadingOffered(cell=cell) | events.CellReread(cell=cell):
            return frozenset({cell})
        case events.TurnTaken(change=change):
            return frozenset(change.cells)
        case (
            events.MoveRefused(reasons=reasons)
            | events.DealRefused(reasons=reasons)
            | events.MoveAccepted(reasons=reasons)
        ):
            return frozenset(cell for reason in reasons for cell in reason.cells)
        case (
            events.MoveHidden(cells=cells) | events.MoveUnclear(cells=cells) | events.DealUnclear(cells=cells)
            | events.CommandRefused(cells=cells) | events.MovesUndone(clear=cells) | events.PressLapsed(cells=cells)
        ):  # fmt: skip
            return frozenset(cells)
        case events.SequenceOffered(changes=changes):
            return frozenset(cell for change in changes for cell in change.cells)
        case _:
            return frozenset()
