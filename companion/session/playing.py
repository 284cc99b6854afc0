"""The session: one game at the table, the only mutable game state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from companion import commands, events
from companion.board import BadInputError, Reading
from companion.games import rule_set
from companion.games.contract import Position, RuleSet
from companion.session.deal import begin_late, deal
from companion.session.decisions import accept, correct, end, name, pause, resume, undo
from companion.session.misreading import believed, offer_rereading
from companion.session.presses import Unsettled
from companion.session.state import Outcome, State
from companion.session.turns import done, remind, standing_of, take


class Session:
    """One game at the table. Belongs to the thread that runs the path.

    `see` takes each new reading and decides nothing; `obey` takes commands, judged on the newest reading. A session
    made with the `state` of another goes on where that one stopped, as soon as it has seen the table.
    """

    def __init__(self, find_rules: Callable[[str], RuleSet] = rule_set, state: State | None = None) -> None:
        self._find_rules = find_rules
        self._state = state or State()
        self._seen: Reading | None = None  # the reader's own
        self._reading: Reading | None = None  # with people's corrections
        self._standing = events.Standing(events.Outlook.NO_GAME)

    @property
    def state(self) -> State:
        """Everything that it knows except the newest reading."""
        return self._state

    @property
    def position(self) -> Position | None:
        """The state of the game by the rules; None before the first deal."""
        return self._state.position

    @property
    def reading(self) -> Reading | None:
        """The newest reading, with people's corrections, and with anything impossible in this game put in doubt."""
        return self._reading

    @property
    def history(self) -> tuple[Position, ...]:
        """The positions before each move of this game, oldest first."""
        return tuple(past.position for past in self._state.history)

    @property
    def awaits_done(self) -> bool:
        """Whether done has to be said again once a cell is corrected: it was refused, covered, or came before the game.

        If it was asked about, as a deal may be, it is judged without a new press, once the question is answered.
        """
        state = self._state
        if state.position is None:
            return state.game is not None
        return bool(state.pending) and state.pending[-1].why is not Unsettled.UNCLEAR and not state.refusal

    @property
    def offer(self) -> events.Offered | None:
        """What TakeOffer would say yes to; None if nothing is offered, or the table no longer shows it."""
        state, reading = self._state, self._reading
        if state.offer is None or state.position is None or reading is None or state.is_paused:
            return None
        return state.offer.what if state.offer.is_shown(state.position, reading) else None

    def see(self, reading: Reading) -> tuple[events.Event, ...]:
        """Take a new reading; nothing is decided. Raises BadInputError for a board of another size than the game's."""
        state = self._state
        if state.position is not None and reading.board != state.position.ground.board:
            seen, right = len(reading.board.cells), len(state.position.ground.board.cells)
            raise BadInputError(
                f"the reading is of another board, of {seen} cells; this game's has {right}: start a new one"
            )
        self._seen, self._state = reading, state.seeing(reading)
        self._reading = self._believed(reading)
        self._state = self._state.cleared(self._reading)
        changed = self._restand(may_offer=True)
        if self._standing.outlook not in (events.Outlook.LEGAL, events.Outlook.UNFINISHED, events.Outlook.ILLEGAL):
            return changed
        # The next player lays the first piece of the turn: a marker that has not been moved by now was forgotten.
        self._state, reminders = remind(self._state, self._reading)
        return changed + reminders

    def standing(self, reading: Reading) -> events.Standing:
        """Return what the verdict on the reading would be if done were said now."""
        return self._standing_of(self._corrected(reading))

    def obey(self, command: commands.Command) -> tuple[events.Event, ...]:
        """Carry out the command; raises BadInputError if it names something that does not exist."""
        self._state, happened = self._obeyed(command)
        if self._seen is not None:
            self._reading = self._believed(self._seen)
        return happened + self._restand(may_offer=not isinstance(command, commands.Done))

    def _obeyed(self, command: commands.Command) -> Outcome:
        state, rules, seen, reading = self._state, self._rules, self._seen, self._reading
        match command:
            case commands.NamePlayers(players=players):
                return name(state, players)
            case commands.Undo(moves=moves):
                return undo(state, moves, reading)
            case (
                commands.Accept() | commands.TakeOffer() | commands.Pause() | commands.Resume() | commands.EndGame()
            ) if state.position is None or rules is None:
                return state, (events.CommandRefused("no-game"),)
            case commands.Pause():
                return pause(state)
            case commands.Resume():
                return resume(state)
            case commands.EndGame():
                assert rules is not None
                return end(rules, state)
            case _ if seen is None or reading is None:
                return state, (events.CommandRefused("no-reading"),)
            case commands.StartGame():
                # Contents that are impossible in the current game may be possible in the one that begins.
                return deal(self._find_rules(command.rules), state, command, self._corrected(seen))
            case commands.CorrectCell(cell=cell, contents=contents):
                return correct(rules, state, cell, contents, seen)
            case commands.Done(confirmed=confirmed):
                return self._done(confirmed, self._corrected(seen))
            case commands.Accept():
                assert rules is not None
                return accept(rules, state, reading, seen)
            case commands.TakeOffer():
                assert rules is not None
                return take(rules, state, self._corrected(seen))

    def _done(self, confirmed: bool, reading: Reading) -> Outcome:
        state, rules = self._state, self._rules
        begun: tuple[events.Event, ...] = ()
        if rules is not None and state.position is None:
            state, begun = begin_late(rules, state, reading)
        if rules is None or state.position is None:
            return state, (events.CommandRefused("no-game"),)
        state, happened = done(rules, state, reading, confirmed)
        return state, begun + happened

    @property
    def _rules(self) -> RuleSet | None:
        game = self._state.game
        return None if game is None else self._find_rules(game.rules)

    def _corrected(self, reading: Reading) -> Reading:
        return self._state.corrections.applied(reading)

    def _believed(self, reading: Reading) -> Reading:
        """Return the reader's own reading with people's corrections, and with anything impossible put in doubt."""
        return believed(self._rules, self._state, self._corrected(reading))

    def _restand(self, may_offer: bool) -> tuple[events.Event, ...]:
        """Compare the table with the books again: offers that it no longer shows lapse, and the lamp may change."""
        seen, reading, offered, position = self._seen, self._reading, self._state.offer, self._state.position
        standing = events.Standing(events.Outlook.NO_GAME)
        if seen is not None and reading is not None and position is not None:
            if offered and not offered.is_lasting and not offered.is_shown(position, reading):
                self._state = replace(self._state, offer=None)
            standing = self._standing_of(self._corrected(seen))
        if standing == self._standing:
            return ()
        self._standing = standing
        changed = (events.StandingChanged(standing),)
        if not may_offer or reading is None or self._rules is None:
            return changed
        self._state, offer = offer_rereading(self._rules, self._state, standing, reading)
        return (*changed, offer.what) if offer else changed

    def _standing_of(self, corrected: Reading) -> events.Standing:
        rules = self._rules
        return events.Standing(events.Outlook.NO_GAME) if rules is None else standing_of(rules, self._state, corrected)
