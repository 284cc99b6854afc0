"""A live table: people lay, make mistakes, take back, reach over the board and press whatever there is to press.

Whatever they do, the session never raises, never loses a turn that it announced, and never calls legal what is
illegal there. The machine keeps the books from the events alone, and holds the session to them.
"""

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from companion import events
from companion.board import BARE, Color, Contents, HexCell, Merchants, Reading, Road, Terrain, Workshop
from companion.commands import Accept, Command, CorrectCell, Done, EndGame, Pause, Resume, StartGame, TakeOffer, Undo
from companion.games import rule_set
from companion.games.contract import Legal, Position
from companion.games.la_strada import LaStradaPosition, cheapest_roads
from companion.scoreboard import notice_of
from companion.service.display import cue_for
from companion.session import Session
from companion.session.changes import crowds_of, seen_change
from companion.session.doubts import doubt_of
from tests.session.books import Books, is_untouched, lying
from tests.session.conftest import ONE_EACH
from tests.session.random_table import CELLS, COLORS, EDGES, NEAR, RandomTable, under_all_rules
from tests.session.tabletop import BLACK, BOARD, CITY, GAME, RED, SITES, Tabletop, at, road

#: What a reader may take for what lies there.
MISTAKES = st.sampled_from(
    [
        BARE,
        road(BLACK),
        road(RED, (0, 2), Terrain.FOREST),
        Contents(Workshop(RED)),
        Contents(CITY, Merchants(black=1)),
        Contents(None, Merchants(red=1)),
    ]
)


class LiveTableMachine(RandomTable):
    @initialize()
    def deal(self) -> None:
        self.session, self.rules = Session(), rule_set(self.name)
        self.clear()
        self.obey(replace(GAME, rules=self.name))
        for color, cell in self.workshops:
            self.table.lay(cell, Workshop(color))
            self.table.put(cell, color, 6 if self.name == "danger" else 0)
            self.obey(Done())
        assert self.books.position.phase == "turn"

    def clear(self) -> None:
        self.table = Tabletop()
        self.nothing_hides()

    def nothing_hides(self) -> None:
        self.covered = set()
        self.doubted: dict[HexCell, tuple[Contents, ...]] = {}
        self.misread: dict[HexCell, Contents] = {}

    # What people lay -------------------------------------------------------------------------------------------------

    @rule(choices=st.lists(st.integers(0, 5), min_size=1, max_size=3), is_tidy=st.booleans())
    def players_build(self, choices: list[int], is_tidy: bool) -> None:
        """Lay a legal road for the player in turn, perhaps the next player's too before anybody presses."""
        if is_tidy:
            self.everything_is_put_right()
        position = self.books.position
        for choice in choices:
            assert isinstance(position, LaStradaPosition)
            player = position.next
            if player is None or position.phase != "turn":
                return
            legal = [road for road in cheapest_roads(position, player).values() if road.cost <= position.days[player]]
            if not legal:
                return
            road = legal[choice % len(legal)]
            lies = dict(position.expected())
            for cell, tile in road.tiles.items():
                self.table.lay(cell, tile)
            if self.name == "danger":
                self.table.put(road.start, player, -1)
                self.table.put(road.goal, player, 1)
            elif road.sets_merchant:
                self.table.put(road.goal, player, 1)
            lies |= {cell: self.table.lies[cell] for cell in (*road.tiles, road.start, road.goal)}
            verdict = self.rules.judge(position, seen_change(lying(lies), position.expected()))
            if not isinstance(verdict, Legal):
                return
            position = verdict.after

    @rule(cell=st.sampled_from([cell for cell in SITES if cell in NEAR]), color=COLORS, count=st.sampled_from([-1, 1]))
    def a_merchant_comes_or_goes(self, cell: HexCell, color: Color, count: int) -> None:
        if self.table.lies.get(cell, BARE).merchants[color] + count >= 0:
            self.table.put(cell, color, count)

    @rule(number=st.integers(0, 30), edges=EDGES)
    def an_earlier_tile_is_turned(self, number: int, edges: tuple[int, int]) -> None:
        roads = sorted(cell for cell, lies in self.books.position.expected().items() if isinstance(lies.tile, Road))
        if roads:
            self.a_tile_is_laid(roads[number % len(roads)], BLACK, edges)

    @rule()
    def everything_is_put_right(self) -> None:
        self.table.lies = dict(self.books.position.expected())
        self.nothing_hides()

    # What the reader makes of it -------------------------------------------------------------------------------------

    @rule(cell=CELLS, others=st.lists(MISTAKES, max_size=2), is_likeliest=st.booleans())
    def a_cell_is_unclear(self, cell: HexCell, others: list[Contents], is_likeliest: bool) -> None:
        truth = self.table.lies.get(cell, BARE)
        self.doubted = {cell: (truth, *others) if is_likeliest else (*others, truth)}

    @rule(cell=CELLS, span=st.integers(1, 5))
    def a_heap_cannot_be_counted(self, cell: HexCell, span: int) -> None:
        lies = self.table.lies.get(cell, BARE)
        color = next(iter(lies.merchants.counts), BLACK)
        least = max(0, lies.merchants[color] - 2)
        numbers = [Merchants.of({color: number}) for number in range(least, least + span + 2)]
        self.doubted = {cell: tuple(Contents(lies.tile, merchants) for merchants in numbers)}

    @rule(cell=CELLS, seen=MISTAKES)
    def a_cell_is_misread(self, cell: HexCell, seen: Contents) -> None:
        self.misread = {cell: seen}

    def seen(self) -> Reading:
        reading = self.table.seen(self.covered - self.doubted.keys(), self.doubted)
        wrong = {
            cell: replace(reading.cells[cell], contents=contents, confidence=0.6)
            for cell, contents in self.misread.items()
            if cell not in reading.abstained
        }
        return replace(reading, cells={**reading.cells, **wrong})

    # What people say -------------------------------------------------------------------------------------------------

    @rule(confirmed=st.booleans())
    def somebody_presses(self, confirmed: bool) -> None:
        self.obey(Done(confirmed))

    @rule()
    def somebody_presses_and_says_yes(self) -> None:
        self.obey(Done(confirmed=False))
        offer, before = self.session.offer, len(self.books.past)
        happened = self.obey(TakeOffer())
        match offer:
            case None:
                assert any(isinstance(event, events.CommandRefused) for event in happened)
            case events.SequenceOffered(players=players, changes=changes):
                taken = [event for event in happened if isinstance(event, events.WorkshopPlaced | events.TurnTaken)]
                assert tuple(event.player for event in taken) == players
                assert len(self.books.past) == before + len(changes)
            case events.SavingAsked(player=player):
                saved = [event.player for event in happened if isinstance(event, events.TurnTaken) and not event.change]
                assert saved[:1] == [player]

    @rule(choices=st.lists(st.integers(0, 5), min_size=2, max_size=2), spoil=st.none() | CELLS)
    def two_build_before_anybody_presses(self, choices: list[int], spoil: HexCell | None) -> None:
        self.players_build(choices, is_tidy=True)
        if spoil is not None:
            self.table.road(RED, spoil)
        self.somebody_presses_and_says_yes()

    @rule(choice=st.integers(0, 5), cell=CELLS, is_covered=st.booleans())
    def somebody_presses_while_a_piece_too_many_is_not_seen_well(
        self, choice: int, cell: HexCell, is_covered: bool
    ) -> None:
        self.players_build([choice], is_tidy=True)
        self.table.road(RED, cell)
        self.covered = {cell} if is_covered else set()
        self.doubted = {} if is_covered else {cell: (self.table.lies[cell], BARE)}
        self.obey(Done())

    @rule(number=st.integers(0, 30), edges=EDGES)
    def an_earlier_tile_turns_out_otherwise(self, number: int, edges: tuple[int, int]) -> None:
        self.everything_is_put_right()
        self.an_earlier_tile_is_turned(number, edges)
        self.session.see(self.seen())
        self.obey(TakeOffer())

    @rule()
    def yes_is_said_to_whatever_was_offered(self) -> None:
        self.obey(TakeOffer())

    @rule(moves=st.integers(1, 3))
    def moves_are_undone(self, moves: int) -> None:
        happened = self.obey(Undo(moves))
        assert any(isinstance(event, events.MovesUndone | events.CommandRefused) for event in happened)

    @rule()
    def a_suggestion_is_tapped(self) -> None:
        for event in self.obey(Done()):
            if isinstance(event, events.MoveRefused) and event.suggestions:
                first = event.suggestions[0]
                self.obey(CorrectCell(first.cell, first.contents))

    @rule(is_pause=st.booleans())
    def the_game_is_paused_or_ended_and_gone_on_with(self, is_pause: bool) -> None:
        before = self.books.position
        if before.over:
            assert self.obey(EndGame()) == (events.CommandRefused("game-over"),)
        elif is_pause:
            self.obey(Pause())
            for command in (Done(), Done(confirmed=False), Accept(), TakeOffer()):
                assert self.obey(command) == (events.CommandRefused("paused"),)
            self.obey(Resume())
        else:
            self.obey(EndGame())
            assert self.books.position.over
            self.obey(Undo())
        assert self.books.position == before

    @precondition(lambda self: self.books.position.over)
    @rule()
    def the_next_game_begins(self) -> None:
        self.deal()

    # What must hold --------------------------------------------------------------------------------------------------

    def obey(self, command: Command) -> tuple[events.Event, ...]:
        looked = self.session.see(self.seen())
        was_pending, known = self.session.state.unsettled, self.known()
        happened = self.session.obey(command)
        moves = self.write_down(happened)
        assert not isinstance(command, Done | TakeOffer) or not self.session.state.is_paused or not moves
        if moves and isinstance(command, Done | TakeOffer) and not was_pending:
            self.must_lie_so(moves, known)
        self.people_are_told((*looked, *happened))
        return happened

    def known(self) -> set[HexCell]:
        """Return the cells on which only what a legal move explains may lie: read truly, or not to be ignored.

        A covered cell must not be ignored before the player has moved their marker. Nor must a cell in doubt whose
        answers contain the truth, except for what memory answers, for heaps, whose number the player is believed about,
        and for what is kept: where the truth is less likely than the books, impossible, or nothing that the turn has
        reason to touch.
        """
        reading, state, position = self.session.reading, self.session.state, self.session.position
        if reading is None or position is None or position.next is None:
            return set()
        read = {cell for cell in BOARD.cells if cell not in reading.abstained}
        known = {cell for cell in read if reading.contents(cell) == self.table.lies.get(cell, BARE)}
        if position.phase == "turn" and reading.tracks[position.next] == state.marks[position.next]:
            known |= reading.occluded - state.covered
        held = position.expected()
        for cell in reading.unclear - crowds_of(reading, held).keys():
            is_remembered = doubt_of(reading, cell) in state.doubted
            known |= set() if is_remembered or self.is_kept(position, cell) else {cell}
        return known

    def is_kept(self, position: Position, cell: HexCell) -> bool:
        """Whether the truth about a cell in doubt is passed over in favour of what the books hold."""
        held, truth = position.expected().get(cell, BARE), self.table.lies.get(cell, BARE)
        if cell not in self.doubted or is_untouched(self.rules, position, cell, truth):
            return True
        answers = self.doubted[cell]
        return truth not in answers or held in answers[: answers.index(truth) + 1]

    def write_down(self, happened: Iterable[events.Event]) -> list[Position]:
        """Keep the books; return the positions before each move that was announced as legal."""
        moves = []
        for event in happened:
            match event:
                case events.GameDealt(position=position, game=StartGame(players=players)):
                    self.books = Books(position, dict.fromkeys((player.color for player in players), 0))
                case events.WorkshopPlaced(player=player, after=after) | events.TurnTaken(player=player, after=after):
                    assert player is self.books.position.next
                    if isinstance(event, events.TurnTaken):
                        assert self.rules.judge(self.books.position, event.change) == Legal(after)
                    moves.append(self.books.position)
                    self.books.moved(after, player, is_legal=True)
                case events.MoveAccepted(player=player, after=after):
                    assert player is self.books.position.next
                    self.books.moved(after, player)
                case events.GameOver(position=position, early=True):
                    self.books.moved(position, None)
                case events.MovesUndone(moves=number):
                    self.books.undone(number)
                case events.CellReread():
                    self.books = self.books.reread(self.rules, self.session.state, event)
        return moves

    def must_lie_so(self, moves: list[Position], known: set[HexCell]) -> None:
        """Check that the known cells lie as in the books, and legally if all cells are known."""
        after = self.books.position.expected()
        wrong = {str(cell) for cell in known if after.get(cell, BARE) != self.table.lies.get(cell, BARE)}
        assert not wrong, f"{wrong} lie otherwise than in the books"
        if len(moves) == 1 and len(known) == len(BOARD.cells):
            verdict = self.rules.judge(moves[0], seen_change(self.table.seen(), moves[0].expected()))
            assert verdict == Legal(self.books.position)

    def people_are_told(self, happened: tuple[events.Event, ...]) -> None:
        said = [event for event in happened if not isinstance(event, events.StandingChanged)]
        notice = notice_of(said, GAME.players, self.name)
        assert notice is None or all("{" not in sentence for sentence in (notice.title, *notice.sentences))
        cue_for(said)

    @invariant()
    def the_session_has_the_same_books(self) -> None:
        if hasattr(self, "books"):
            assert self.session.position == self.books.position
            assert self.session.history == tuple(position for position, _, _ in self.books.past)
            assert self.session.state.marks == self.books.marks


TestALiveTable, TestALiveTableOfTwo, TestALiveTableWhereMerchantsWalk = under_all_rules(
    LiveTableMachine, 10, 30, (*ONE_EACH, (BLACK, at(2, -1)), (RED, at(-3, 1)))
)
