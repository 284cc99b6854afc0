"""Everything that a session knows of one game at the table, as one frozen value, from which a logbook can go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from companion.board import Cell, Contents, PlayerColor, Reading
from companion.commands import StartGame
from companion.events import CommandRefused, Event
from companion.games.contract import Position
from companion.session.answers import Corrections
from companion.session.doubts import Doubt, Table, doubts_of
from companion.session.presses import Offer, Press, Unsettled

#: More refused or unanswered presses than this tell nothing new.
MOST_IN_VAIN = 4


@dataclass(frozen=True, slots=True)
class Past:
    """The state before a move; undo goes back to the latest."""

    position: Position
    marks: Mapping[PlayerColor, int]


@dataclass(frozen=True, slots=True)
class Rival:
    """Another way in which the table may have come about; `share` is its likelihood among the books and all rivals.

    Its `history` may be longer than that of the books, by moves that people were asked about but that were not
    announced.
    """

    share: float
    position: Position
    marks: Mapping[PlayerColor, int]
    history: tuple[Past, ...]

    def at(self, moves: int) -> Position:
        """Return the position after so many moves."""
        return self.history[moves].position if moves < len(self.history) else self.position

    def moved(self, after: Position, share: float) -> Rival:
        """Return this way, as likely as `share`, after a move of the player in turn."""
        state = State(position=self.position, marks=self.marks, history=self.history).moved(after)
        return Rival(share, after, state.marks, state.history)

    def cut(self, moves: int) -> Rival:
        """Return this way without its moves after the first so many."""
        if moves == len(self.history):
            return self
        back = self.history[moves]
        return Rival(self.share, back.position, back.marks, self.history[:moves])


@dataclass(frozen=True, slots=True)
class State:
    """What a session knows between two commands; the newest reading is not part of it.

    `game` is the one requested last; `position` is None until its deal has been read. `marks` is where each player's
    marker should stand. `pending` are presses that made no move. `covered` are the cells covered in every reading since
    the deal, `doubted` the doubts of decided presses. `undone` are the positions made by moves that were taken back
    since the last move, oldest first; `to_clear` are the cells to be cleared of these moves, latest move first, each
    with what may stay there. `offer` is the latest. Three fields are about the time since the last move: people were
    reminded of forgotten markers (`is_reminded`); they were told of other readings, by cell and what is seen there
    (`told`); `in_vain` are the readings at the latest presses that were refused or asked about, at most `MOST_IN_VAIN`.
    `overruled` is what the reader clearly saw at the last move where that left something else, as long as it sees that.
    `rivals` are histories that may be true, until a later press decides (session.histories). `given` is what the reader
    was given last, after how many moves, if the books were put right since; None if that is what the books hold.
    """

    game: StartGame | None = None
    position: Position | None = None
    marks: Mapping[PlayerColor, int] = field(default_factory=dict)
    history: tuple[Past, ...] = ()
    pending: tuple[Press, ...] = ()
    corrections: Corrections = field(default_factory=Corrections)
    covered: frozenset[Cell] = frozenset()
    doubted: frozenset[Doubt] = frozenset()
    to_clear: Mapping[Cell, tuple[Contents, ...]] = field(default_factory=dict)
    undone: tuple[Position, ...] = ()
    is_paused: bool = False
    is_reminded: bool = False
    offer: Offer | None = None
    told: frozenset[tuple[Cell, Contents]] = frozenset()
    rivals: tuple[Rival, ...] = ()
    in_vain: tuple[Reading, ...] = ()
    overruled: Mapping[Cell, Contents] = field(default_factory=dict)
    given: tuple[int, Position] | None = None

    @property
    def now(self) -> Position:
        """The position of the game in progress; there must be one."""
        assert self.position is not None, "no game is on"
        return self.position

    @property
    def refusal(self) -> CommandRefused | None:
        """Why nothing can be judged now; None if the table can be judged."""
        if self.position is None:
            return CommandRefused("no-game")
        if self.position.over:
            return CommandRefused("game-over")
        if self.is_paused:
            return CommandRefused("paused")
        return CommandRefused("cells-to-clear", tuple(self.to_clear)) if self.to_clear else None

    @property
    def unsettled(self) -> int:
        """The number of presses that could not be decided yet; refused ones are decided."""
        return sum(press.why is not Unsettled.REFUSED for press in self.pending)

    @property
    def asked(self) -> frozenset[Doubt]:
        """The doubts of the presses that a person was asked about."""
        unclear = [press.reading for press in self.pending if press.why is Unsettled.UNCLEAR]
        return frozenset(doubt for reading in unclear for doubt in doubts_of(reading))

    def table(self, reading: Reading) -> Table:
        """Return the reading with what this game knows about its blind spots."""
        questions = frozenset(cell for press in self.pending for cell in press.cells)
        return Table(reading, self.covered, self.doubted, self.asked, self.marks, questions)

    def seeing(self, reading: Reading) -> State:
        """Return the state with what still holds now that the reader sees this."""
        return replace(
            self,
            corrections=self.corrections.standing(reading, is_dealt=self.position is not None),
            covered=self.covered & reading.occluded,
            overruled={
                cell: seen
                for cell, seen in self.overruled.items()
                if cell in reading.abstained or reading.contents(cell) == seen
            },
        )

    def moved(self, after: Position) -> State:
        """Return the state after a move of the player in turn."""
        before, player, marks = self.now, self.now.next, self.marks
        # The six days of a turn are not marked before it is done. In games for two, the player who places the last
        # workshop may also begin, and then already has six.
        if before.phase == "turn" and player is not None and player in after.days:
            marks = {**marks, player: after.days[player]}
        return replace(
            self,
            position=after,
            marks=marks,
            history=(*self.history, Past(before, self.marks)),
            undone=(),
            is_reminded=False,
            offer=None,
            told=frozenset(),
            in_vain=(),
            given=None,
        )

    def cleared(self, reading: Reading | None) -> State:
        """Return the state without those cells to clear that the reading shows as they should be."""
        if reading is None or not self.to_clear:
            return self
        left = {
            cell: kept
            for cell, kept in self.to_clear.items()
            if cell in reading.abstained or reading.contents(cell) not in kept
        }
        return replace(self, to_clear=left)


#: What a command does: the new state, and the events.
Outcome = tuple[State, tuple[Event, ...]]
