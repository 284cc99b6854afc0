"""The game told in one language: events become the snapshot's words.

These are the latest notice, with its sentences and the cells to mark, and the answers that people can give with one
tap: yes to an offer, or what a cell holds that was misread or not understood.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from companion import events
from companion.board import BARE, Cell, CellReading, Color, Contents, Reading, Road, Tile, Workshop
from companion.board.notation import contents_to_json
from companion.commands import StartGame
from companion.games import score
from companion.games.contract import Player, Position
from companion.scoreboard.snapshot import Choice, Notice, Words
from companion.words import Voice

#: How many cells that were not understood get answers, and how many answers each: a phone must show them all at once.
MOST_CELLS, MOST_ANSWERS = 3, 3

#: After these events no earlier suggestion makes sense.
_SETTLED = (
    events.WorkshopPlaced, events.TurnTaken, events.MoveAccepted, events.GameDealt, events.DealRefused,
    events.GameOver, events.MovesUndone, events.GameSetBack, events.CellReread, events.GamePaused,
)  # fmt: skip

#: If there are more cells to mark than this, none are marked: a hand over half the board is put into words.
MOST_MARKED = 30

#: The kinds of notices, and what they are about; a move that is not finished is not wrong yet.
_KINDS = {
    "start": (events.GameDealt, events.GameResumed, events.GameTakenUp),
    "legal": (events.WorkshopPlaced, events.TurnTaken, events.MoveAccepted),
    "illegal": (events.MoveRefused, events.DealRefused),
    "ask": (
        events.MoveHidden, events.MoveUnclear, events.DealUnclear, events.CommandRefused, events.MovesUndone,
        events.GameSetBack, events.SavingAsked, events.SequenceOffered, events.RereadingOffered, events.GamePaused,
        events.PressLapsed, events.PressCrossed, events.CameraLost, events.CameraBack, events.CameraTurned,
    ),
    "corrected": (events.CellReread,),
    "end": (events.GameOver,),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scene:
    """What the words are about: the game, its books and the reading; `laid` is what differs from the books.

    `position` and `reading` are None before a game and while the camera is off; `offer` is what TakeOffer says yes to.
    """

    game: StartGame
    position: Position | None
    reading: Reading | None
    laid: Mapping[Cell, Contents]
    offer: events.Offered | None


class Interpreter:
    """Follows the game in one language, with its offers, suggestions and questions. Belongs to the loop's thread."""

    def __init__(self, language: str = "en") -> None:
        self._language = language
        self._suggested: tuple[Choice, ...] = ()
        self._refused: Mapping[Cell, Contents] = {}
        self._asked: Mapping[Cell, Contents | None] = {}

    def after(self, words: Words, happened: Sequence[events.Event], scene: Scene) -> Words:
        """Return the words after the events; `words` are those before them."""
        players = scene.position.players if scene.position else scene.game.players
        voice = Voice(players, self._language, scene.game.rules)
        for event in happened:
            if isinstance(event, events.StandingChanged):
                words = replace(words, notice=_faded(words.notice, event.standing))
            if isinstance(event, events.GameDealt):
                words = replace(words, notice=None)
            self._hear(event, scene, voice)
        notice = notice_of(happened, players, scene.game.rules, self._language)
        if notice and words.notice and any(isinstance(event, events.PressCrossed) for event in happened):
            notice = _also(words.notice, notice.title)  # the verdict stays: people may not have read it
        earning = score(scene.position).lines if scene.position else ()
        return replace(
            words, notice=notice or words.notice, choices=self._choices(scene, voice), lines=voice.lines(earning)
        )

    def _choices(self, scene: Scene, voice: Voice) -> tuple[Choice, ...]:
        """Return the answers that one tap can give now.

        A suggestion holds as long as the table shows exactly what was refused, apart from covered cells. A cell that
        was asked about stays until the reading understands it, or, if it did all along, reads it differently.
        """
        choices = [] if scene.offer is None else [_yes_to(scene.offer, voice)]
        blind = frozenset() if scene.reading is None else scene.reading.abstained
        if _seen(self._refused, blind) == _seen(scene.laid, blind):
            choices += self._suggested
        if scene.reading is not None:
            for cell in [cell for cell in self._asked if self._is_open(cell, scene.reading)][:MOST_CELLS]:
                held = None if scene.position is None else scene.position.expected().get(cell, BARE)
                choices += _answers(cell, scene.reading, held, voice)
        return tuple(choices)

    def _is_open(self, cell: Cell, reading: Reading) -> bool:
        is_as_asked = cell not in reading.occluded and self._asked[cell] == reading.contents(cell)
        return cell in reading.unclear or is_as_asked

    def _hear(self, event: events.Event, scene: Scene, voice: Voice) -> None:
        match event:
            case events.MoveRefused():
                self._suggested, self._refused, self._asked = _suggested(event, voice), scene.laid, {}
            case events.MoveUnclear(cells=cells) | events.DealUnclear(cells=cells, hidden=False):
                self._suggested, self._asked = (), {cell: _read_surely(cell, scene.reading) for cell in cells}
            case events.CellCorrected(cell=cell):
                self._suggested = ()  # the table has changed
                self._asked = {asked: read for asked, read in self._asked.items() if asked != cell}
            case _ if isinstance(event, _SETTLED):
                self._suggested, self._asked = (), {}


def _read_surely(cell: Cell, reading: Reading | None) -> Contents | None:
    """Return what a cell was read as; None if the reader would not speak for it."""
    return None if reading is None or cell in reading.abstained else reading.contents(cell)


def _yes_to(offer: events.Offered, voice: Voice) -> Choice:
    question, *more = voice.sentences(offer)
    if isinstance(offer, events.RereadingOffered):
        more.append(voice.lies(offer.cell, offer.seen))
    return Choice(question, "yes", detail=" · ".join(more))


def _suggested(refused: events.MoveRefused, voice: Voice) -> tuple[Choice, ...]:
    """Return the suggestions that would make the move right: the cell is corrected, and the move judged again."""
    sentences = voice.suggestions(refused)
    return tuple(
        _correction(sentence, each.cell, each.contents, voice.lies(each.cell, each.contents))
        for sentence, each in zip(sentences, refused.suggestions, strict=True)
    )


def _answers(cell: Cell, reading: Reading, held: Contents | None, voice: Voice) -> Iterable[Choice]:
    """Return possible contents of a cell that was not understood; the waiting press is judged without a new one."""
    read = reading.cells.get(cell)
    if cell in reading.abstained:
        answers = list(read.alternatives if read else ())[:MOST_ANSWERS]
        if held is not None and held not in answers:
            answers = [*answers[: MOST_ANSWERS - 1], held]
    else:
        answers = _of_clear(read)[:MOST_ANSWERS]
    return [_correction(voice.lies(cell, each), cell, each) for each in answers]


def _of_clear(read: CellReading | None) -> list[Contents]:
    """Return what a cell that was asked about although it was clear may hold.

    Its colour was in doubt: the same in other colours comes first, then whatever is likelier.
    """
    if read is None:
        return []
    plain = _colorless(read.contents)
    others = sorted(read.further, key=lambda other: (_colorless(other[0]) != plain, -other[1]))
    return [read.contents, *(answer for answer, _ in others)]


def _colorless(contents: Contents) -> tuple[Tile | None, int]:
    """Return the tile as if everything were one player's, and how many merchants there are."""
    tile = contents.tile
    tile = replace(tile, color=Color.BLACK) if isinstance(tile, Road | Workshop) else tile
    return tile, sum(contents.merchants.counts.values())


def _correction(label: str, cell: Cell, contents: Contents, detail: str = "") -> Choice:
    """Return the correction of a cell; with `detail` the move is judged again at once."""
    body: dict[str, object] = {"cell": str(cell), "contents": contents_to_json(contents)}
    return Choice(label, "correct", {**body, "done": True} if detail else body, detail)


def _seen(laid: Mapping[Cell, Contents], blind: frozenset[Cell]) -> dict[Cell, Contents]:
    return {cell: contents for cell, contents in laid.items() if cell not in blind}


def _also(notice: Notice, sentence: str) -> Notice:
    """Return the notice with one more sentence, once."""
    return replace(notice, sentences=tuple(dict.fromkeys((*notice.sentences, sentence))))


def _faded(notice: Notice | None, standing: events.Standing) -> Notice | None:
    """Return the notice without its marks once what it complained of has been corrected."""
    if (
        notice is None
        or notice.kind == "legal"
        or standing.outlook not in (events.Outlook.LEGAL, events.Outlook.UNCHANGED)
    ):
        return notice
    return replace(notice, cells=frozenset())


def notice_of(
    happened: Sequence[events.Event], players: Sequence[Player], rules: str = "standard", language: str = "en"
) -> Notice | None:
    """Return the notice about these events; None if there is nothing to say.

    The last of several verdicts gives title and kind; earlier ones, the day-track markers and remarks on a deal become
    sentences. A refusal also says what would make it right if a single cell was misread. Corrections of cells are
    mentioned only if no verdict came with them.
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
        marked = cells if len(cells) <= MOST_MARKED else frozenset()
        notice = Notice(kind, sentences[0], sentences[1:], marked, codes=_codes(event))
    remarks = [event.remarks for event in happened if isinstance(event, events.DealRemarked)]
    is_to_teach = any(each.poor or each.poor_tracks for each in remarks)  # something can barely be made out
    if notice is not None:
        sentences = (*before, *notice.sentences, *after)
        return replace(notice, sentences=sentences, is_to_teach=is_to_teach)
    if corrected := sorted({event.cell for event in happened if isinstance(event, events.CellCorrected)}, key=str):
        return Notice("corrected", voice.corrected(corrected), tuple(after), frozenset(corrected))
    return Notice("ask", after[0], tuple(after[1:]), is_to_teach=is_to_teach) if after else None


def _kind(event: events.Event) -> str | None:
    if isinstance(event, events.MoveRefused) and event.is_unfinished:
        return "ask"
    return next((kind for kind, happened in _KINDS.items() if isinstance(event, happened)), None)


def _codes(event: events.Event) -> tuple[str, ...]:
    """Return the codes of the rules that a verdict rests on, each once."""
    match event:
        case (
            events.MoveRefused(reasons=reasons)
            | events.DealRefused(reasons=reasons)
            | events.MoveAccepted(reasons=reasons)
        ):
            return tuple(dict.fromkeys(reason.code for reason in reasons))
        case events.WorkshopPlaced():
            return ("workshop",)
        case events.TurnTaken(change=change):
            return ("built" if change else "saved",)
        case _:
            return ()


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
