"""The session: position and history of one game at the table, the only mutable game state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from companion.board import BARE, BadInputError, Color, Contents, HexCell, Reading
from companion.commands import Accept, Command, CorrectCell, Done, StartGame, Undo
from companion.events import (
    CellCorrected,
    CommandRefused,
    DealRefused,
    DealUnclear,
    Event,
    GameDealt,
    GameOver,
    MarkersDiffer,
    MoveAccepted,
    MoveHidden,
    MoveRefused,
    MovesUndone,
    MoveUnclear,
    Outlook,
    SavingAsked,
    Standing,
    StandingChanged,
    TurnBegan,
    TurnTaken,
    WorkshopPlaced,
)
from companion.games import rule_set
from companion.games.contract import Ground, Illegal, Legal, Position, RuleSet, Unclear, Unfinished
from companion.session.corrections import Corrections
from companion.session.crowds import crowds_of
from companion.session.deal import (
    Refused,
    Unreadable,
    deal_as_it_lies,
    has_workshop,
    read_deal,
    without_pieces,
)
from companion.session.presses import Move, Press, Unsettled, explain
from companion.session.standing import standing_of, wrong_markers, wrong_round_marker
from companion.session.table import Doubt, Table, Weighed, doubts_of, reasons_of, weigh


@dataclass(frozen=True, slots=True)
class _Past:
    """What held before a move: undo is the one before."""

    position: Position
    marks: Mapping[Color, int]


class Session:
    """One game at the table. Belongs to the thread that runs the path.

    `see` takes each new reading and decides nothing; `obey` takes commands, judged on the newest reading.
    """

    def __init__(self, find_rules: Callable[[str], RuleSet] = rule_set) -> None:
        self._find_rules = find_rules
        self._rules: RuleSet | None = None
        self._game: StartGame | None = None
        self._position: Position | None = None
        self._marks: dict[Color, int] = {}
        self._history: list[_Past] = []
        self._pending: list[Press] = []
        self._seen: Reading | None = None  # the reader's own
        self._reading: Reading | None = None  # with people's corrections
        self._corrections = Corrections()
        self._covered: frozenset[HexCell] = frozenset()
        self._doubted: frozenset[Doubt] = frozenset()
        self._to_clear: dict[HexCell, tuple[Contents, ...]] = {}
        self._standing = Standing(Outlook.NO_GAME)

    @property
    def position(self) -> Position | None:
        """What the rules hold to be true; None before the first deal."""
        return self._position

    @property
    def reading(self) -> Reading | None:
        """The newest reading, people's corrections included."""
        return self._reading

    @property
    def history(self) -> tuple[Position, ...]:
        """The positions before each move of this game, oldest first."""
        return tuple(past.position for past in self._history)

    @property
    def marks(self) -> Mapping[Color, int]:
        """Where each player's day-track marker should stand: what he had left after his last turn."""
        return dict(self._marks)

    @property
    def pending(self) -> int:
        """How many presses could not be decided yet."""
        return sum(press.why is not Unsettled.REFUSED for press in self._pending)

    def see(self, reading: Reading) -> tuple[Event, ...]:
        """Take a new reading; nothing is decided. Raises BadInputError for a board of another size than the game's."""
        if self._position is not None and reading.board != self._position.ground.board:
            rings, right = reading.board.rings, self._position.ground.board.rings
            raise BadInputError(f"the reading is of a board of {rings} rings; this game has {right}: start a new one")
        self._corrections = self._corrections.standing(reading)
        self._seen, self._reading = reading, self._corrections.applied(reading)
        self._covered &= reading.occluded
        self._drop_cleared()
        return self._restand()

    def standing(self, reading: Reading) -> Standing:
        """Return what the verdict on the reading would be, were done said now."""
        return self._standing_of(self._corrections.applied(reading))

    def obey(self, command: Command) -> tuple[Event, ...]:
        """Do what the command wants; raises BadInputError for one that names what does not exist."""
        events: tuple[Event, ...]
        match command:
            case StartGame():
                events = self._deal(command)
            case Done(confirmed=confirmed):
                events = self._done(confirmed)
            case Accept():
                events = self._accept()
            case Undo(moves=moves):
                events = self._undo(moves)
            case CorrectCell(cell=cell, contents=contents):
                events = self._correct(cell, contents)
        return events + self._restand()

    def _deal(self, game: StartGame) -> tuple[Event, ...]:
        if self._reading is None:
            return (CommandRefused("no-reading"),)
        rules = self._find_rules(game.rules)
        dealt = read_deal(rules, self._reading)
        if isinstance(dealt, Ground):
            return self._begin(game, rules, dealt, self._reading)
        if self._position is None or self._position.over:
            self._game, self._position = game, None
        match dealt:
            case Refused(reasons=reasons):
                return (DealRefused(reasons),)
            case Unreadable(cells=cells, hidden=hidden):
                return (DealUnclear(cells, hidden),)

    def _begin(self, game: StartGame, rules: RuleSet, ground: Ground, reading: Reading) -> tuple[Event, ...]:
        position = rules.start(ground, game.players, game.options)
        self._rules, self._game, self._position = rules, game, position
        self._marks = dict.fromkeys((player.color for player in game.players), 0)
        self._history, self._pending, self._to_clear = [], [], {}
        self._covered, self._doubted = reading.occluded, doubts_of(reading)
        return (GameDealt(game, position), *self._next_turn(position), *self._markers_differ(reading))

    def _begin_late(self, game: StartGame, reading: Reading) -> tuple[Event, ...]:
        """Begin a game whose deal was refused or unreadable: as it is read now, or as it lies once people play."""
        rules, bare = self._find_rules(game.rules), without_pieces(reading)
        ground = read_deal(rules, bare)
        if not isinstance(ground, Ground) and has_workshop(reading):
            ground = deal_as_it_lies(bare) or ground
        return self._begin(game, rules, ground, reading) if isinstance(ground, Ground) else ()

    def _done(self, confirmed: bool) -> tuple[Event, ...]:
        if self._reading is None:
            return (CommandRefused("no-reading"),)
        begun: tuple[Event, ...] = ()
        if self._position is None:
            if self._game is not None:
                begun = self._begin_late(self._game, self._reading)
            if self._position is None:
                return (CommandRefused("no-game"),)
        if self._position.over:
            return (CommandRefused("game-over"),)
        if self._to_clear:
            return (CommandRefused("cells-to-clear", tuple(self._to_clear)),)
        moves = explain(self._played, self._position, self._table(self._reading), self._pending)
        if not confirmed and not self.pending and _is_saving(moves[0]):
            return (SavingAsked(moves[0].player),)
        return begun + self._settle(moves, self._reading)

    def _settle(self, moves: Sequence[Move], reading: Reading) -> tuple[Event, ...]:
        """Take the moves that a press was explained by."""
        events: list[Event] = []
        asked = self._asked()
        for move in moves:
            match move.weighed.verdict:
                case Legal(after=after):
                    self._pending = []
                    events += self._take(move.player, move.before, move.weighed, after)
                case Illegal() | Unfinished() as refusal:
                    self._pending = [Press(reading, Unsettled.REFUSED)]
                    is_unfinished = isinstance(refusal, Unfinished)
                    events.append(
                        MoveRefused(move.player, reasons_of(refusal), move.weighed.change, move.before, is_unfinished)
                    )
                case Unclear(cells=cells, hidden=hidden):
                    # After "hidden" the same player says done again: that press takes the place of this one.
                    earlier = [press for press in self._pending if press.why is not Unsettled.HIDDEN]
                    self._pending = [*earlier, Press(reading, Unsettled.HIDDEN if hidden else Unsettled.UNCLEAR)]
                    events.append(_asked_about(move, cells, reading, hidden))
        if not self.pending:
            self._doubted |= doubts_of(reading) | asked
            last = moves[-1]
            events += self._markers_differ(reading, None if last.after else last.player)
        return tuple(events)

    def _take(self, player: Color, before: Position, weighed: Weighed, after: Position) -> list[Event]:
        self._push(player, after)
        taken: Event
        if before.phase == "workshop":
            taken = WorkshopPlaced(player, next(iter(weighed.change.cells)), after)
        else:
            cost = before.days[player] - weighed.left
            taken = TurnTaken(player, weighed.change, cost, weighed.left, after)
        return [taken, *self._next_turn(after)]

    def _push(self, player: Color, after: Position) -> None:
        assert self._position is not None
        before = self._position
        self._history.append(_Past(before, dict(self._marks)))
        self._position = after
        # The six of a turn that begins are not marked before it is done; who sets the last workshop may begin (games
        # for two), and has six by then.
        if before.phase == "turn":
            self._marks[player] = after.days[player]

    def _accept(self) -> tuple[Event, ...]:
        position, reading = self._position, self._reading
        if position is None or reading is None:
            return (CommandRefused("no-game" if position is None else "no-reading"),)
        if position.over or position.next is None:
            return (CommandRefused("game-over"),)
        if self._to_clear:
            return (CommandRefused("cells-to-clear", tuple(self._to_clear)),)
        if hidden := self._table(reading).hidden:
            return (MoveHidden(position.next, tuple(sorted(hidden)), position.phase),)
        # With the numbers that heaps of cubes are taken to have: those who walked away must not stay in the books.
        change = weigh(self._played, position, self._table(reading)).change
        verdict = self._played.judge(position, change)
        if isinstance(verdict, Legal):
            return (CommandRefused("nothing-to-accept"),)
        after = self._played.accept_change(position, change)
        if after is None:
            cells = {cell for reason in reasons_of(verdict) for cell in reason.cells}
            return (CommandRefused("cannot-accept", tuple(sorted(cells))),)
        player = position.next
        self._push(player, after)
        # Nobody tried what cells in doubt may hold: only those that people were asked about are decided.
        self._doubted, self._pending = self._doubted | self._asked(), []
        accepted = MoveAccepted(player, reasons_of(verdict), change, after)
        return (accepted, *self._next_turn(after), *self._markers_differ(reading))

    def _undo(self, moves: int) -> tuple[Event, ...]:
        if self._position is None or moves > len(self._history):
            return (CommandRefused("nothing-to-undo"),)
        undone = [past.position for past in self._history[-moves:]] + [self._position]
        back = self._history[-moves]
        self._history = self._history[:-moves]
        self._position, self._marks, self._pending = back.position, dict(back.marks), []
        kept = [position.expected() for position in undone]
        self._to_clear = {
            cell: (kept[0].get(cell, BARE), kept[1].get(cell, BARE))
            for index in range(moves, 1, -1)
            for cell in sorted(kept[index].keys() | kept[index - 1].keys())
            if kept[index].get(cell) != kept[index - 1].get(cell)
        }
        self._drop_cleared()
        return (MovesUndone(back.position.next, moves, tuple(self._to_clear), back.position),)

    def _correct(self, cell: HexCell, contents: Contents) -> tuple[Event, ...]:
        if self._seen is None:
            return (CommandRefused("no-reading"),)
        if cell not in self._seen.board:
            raise BadInputError(f"{cell} is no cell of this board of {self._seen.board.rings} rings")
        self._corrections = self._corrections.with_word(cell, contents, self._seen)
        self._reading = self._corrections.applied(self._seen)
        self._drop_cleared()
        corrected = (CellCorrected(cell, contents),)
        if not self._pending or self._pending[-1].why is not Unsettled.UNCLEAR or self._position is None:
            return corrected
        # The question is answered: the press that waited for it is judged as it was made.
        reading = self._corrections.applied(self._pending[-1].reading)
        moves = explain(self._played, self._position, self._table(reading), self._pending[:-1])
        if isinstance(moves[-1].weighed.verdict, Unclear):
            self._pending[-1] = Press(reading, Unsettled.UNCLEAR)
            return corrected
        return corrected + self._settle(moves, reading)

    @property
    def _played(self) -> RuleSet:
        assert self._rules is not None, "a game without rules"
        return self._rules

    def _table(self, reading: Reading) -> Table:
        return Table(reading, self._covered, self._doubted, self._asked(), self._marks)

    def _asked(self) -> frozenset[Doubt]:
        """Return the doubts of the presses that a person was asked about."""
        unclear = [press.reading for press in self._pending if press.why is Unsettled.UNCLEAR]
        return frozenset(doubt for reading in unclear for doubt in doubts_of(reading))

    def _next_turn(self, position: Position) -> tuple[Event, ...]:
        if position.next is None:
            return (GameOver(position.winners, position),)
        return (TurnBegan(position.next, position.phase, position.days[position.next]),)

    def _markers_differ(self, reading: Reading, refused: Color | None = None) -> tuple[Event, ...]:
        """Compare the tracks with the books; a refused player has laid nothing yet, and should show what he holds."""
        assert self._position is not None
        right = dict(self._marks)
        if refused is not None:
            right[refused] = self._position.days[refused]
        before = self._history[-1].position if self._history else None
        wrong = {**wrong_markers(right, reading), **wrong_round_marker(self._position, before, reading)}
        return (MarkersDiffer(wrong),) if wrong else ()

    def _drop_cleared(self) -> None:
        reading = self._reading
        if reading is not None:
            self._to_clear = {
                cell: kept
                for cell, kept in self._to_clear.items()
                if cell in reading.abstained or reading.contents(cell) not in kept
            }

    def _restand(self) -> tuple[Event, ...]:
        standing = Standing(Outlook.NO_GAME) if self._reading is None else self._standing_of(self._reading)
        if standing == self._standing:
            return ()
        self._standing = standing
        return (StandingChanged(standing),)

    def _standing_of(self, reading: Reading) -> Standing:
        if self._position is None:
            return Standing(Outlook.NO_GAME)
        return standing_of(self._played, self._position, self._table(reading), self._pending, tuple(self._to_clear))


def _is_saving(move: Move) -> bool:
    """Whether the move is a turn on an unchanged table."""
    return move.before.phase == "turn" and move.after is not None and not move.weighed.change


def _asked_about(move: Move, cells: tuple[HexCell, ...], reading: Reading, hidden: bool) -> MoveHidden | MoveUnclear:
    """Return what is said of a move that cannot be judged for what these cells hold."""
    if hidden:
        return MoveHidden(move.player, cells, move.before.phase)
    return MoveUnclear(move.player, cells, move.before.phase, set(cells) <= crowds_of(reading, {}).keys())
