"""Whatever people lay, cover, press and take back: the session never raises and never calls an illegal turn legal."""

from dataclasses import replace

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from companion.board import BARE, Color, Contents, HexCell, Merchants, Reading, Road, Settlement, Terrain, Workshop
from companion.commands import Accept, CorrectCell, Done, Undo
from companion.events import Event, MoveAccepted, TurnTaken, WorkshopPlaced
from companion.games import rule_set
from companion.games.contract import Legal
from companion.session import Session
from companion.session.changes import seen_change
from companion.words import Voice
from tests.session.books import is_untouched
from tests.session.tabletop import BLACK, BOARD, GAME, RED, SITES, Tabletop, at, black_builds, red_builds
from tests.tries import tries

NEAR = [at(q, r) for q in range(-3, 5) for r in (-1, 0, 1)]
COLORS = st.sampled_from([BLACK, RED])
CELLS = st.sampled_from(NEAR)


class TableMachine(RuleBasedStateMachine):
    name = "standard"
    workshops = ((BLACK, at(1)), (RED, at(-2)))

    @initialize()
    def deal(self) -> None:
        self.session, self.table = Session(), Tabletop()
        self.rules = rule_set(self.name)
        self.covered: set[object] = set()
        self.doubted: set[object] = set()
        self.session.see(self.seen())
        self.session.obey(replace(GAME, rules=self.name))

    def seen(self) -> Reading:
        """A true reading but for the cells that it will not speak for; its answers to doubts hold the truth."""
        doubts = {
            cell: (self.table.lies.get(cell, BARE), Contents(Workshop(RED)), Contents(None, Merchants(black=1)))
            for cell in NEAR
            if cell in self.doubted
        }
        return self.table.seen([cell for cell in NEAR if cell in self.covered - self.doubted], doubts)

    @rule()
    def black_builds(self) -> None:
        black_builds(self.table)

    @rule()
    def red_builds(self) -> None:
        red_builds(self.table)

    @rule()
    def workshops_are_placed(self) -> None:
        for color, cell in self.workshops:
            self.table.lay(cell, Workshop(color))
            out = sum(contents.merchants[color] for contents in self.table.lies.values())
            if self.name == "danger" and out <= 6:  # the box has twelve
                self.table.put(cell, color, 6)
            self.press()

    @rule(color=COLORS, goal=st.sampled_from([at(0), at(3)]), count=st.integers(1, 6))
    def merchants_walk(self, color: Color, goal: HexCell, count: int) -> None:
        home = next(cell for owner, cell in self.workshops if owner is color)
        walking = min(count, self.table.lies.get(home, BARE).merchants[color])
        self.table.put(home, color, -walking)
        self.table.put(goal, color, walking)

    @rule(cell=CELLS, color=COLORS, edges=st.sampled_from([(0, 3), (0, 2), (2, 4)]))
    def a_tile_is_laid(self, cell: object, color: object, edges: tuple[int, int]) -> None:
        self.table.lay(cell, Road(color, Terrain.PLAIN, edges))  # type: ignore[arg-type]

    @rule(cell=CELLS)
    def a_tile_is_taken(self, cell: object) -> None:
        self.table.lay(cell, None)  # type: ignore[arg-type]

    @rule()
    def everything_is_put_back(self) -> None:
        position = self.session.position
        self.table.lies = dict(position.expected()) if position else self.table.lies
        self.covered, self.doubted = set(), set()

    @rule(cell=st.sampled_from([cell for cell in SITES if cell in NEAR]), color=COLORS)
    def a_merchant_is_put(self, cell: object, color: object) -> None:
        self.table.put(cell, color)  # type: ignore[arg-type]

    @rule(color=COLORS, field=st.integers(0, 10))
    def a_marker_is_moved(self, color: object, field: int) -> None:
        self.table.tracks[color] = field  # type: ignore[index]

    @rule(cells=st.sets(CELLS, max_size=3))
    def a_hand_covers(self, cells: set[object]) -> None:
        self.covered = cells

    @rule(cells=st.sets(CELLS, max_size=2))
    def cells_are_unclear(self, cells: set[object]) -> None:
        self.doubted = cells

    @rule()
    def press(self) -> None:
        self.session.see(self.seen())
        before, state = self.session.state.unsettled, self.session.state
        asked = {doubt.cell for doubt in state.doubted | state.asked}
        events = self.session.obey(Done())
        self.speak(events)
        moved = [event for event in events if isinstance(event, TurnTaken | WorkshopPlaced)]
        if moved and not before and not self.covered:
            self.must_be_legal(asked)

    def must_be_legal(self, asked: set[HexCell]) -> None:
        """What was called legal is legal by all that truly lies there, but for what is left as it was.

        That is what people said lies there, doubts of earlier presses, which they were `asked` about or which were
        decided then, and doubts about what the turn has no reason to touch: earlier tiles and settlements that lie
        otherwise, merchants of others, and what the rules make impossible, which the session itself holds for misread.
        """
        position, state = self.session.history[-1], self.session.state
        lies = state.corrections.applied(self.table.seen())
        doubted = self.session.reading.unclear
        held = {
            cell for cell in doubted if cell in asked or is_untouched(self.rules, position, cell, lies.contents(cell))
        }
        lies = replace(lies, unclear=lies.unclear | held)
        verdict = self.rules.judge(position, seen_change(lies, position.expected()))
        assert isinstance(verdict, Legal), verdict
        assert verdict.after == self.session.position

    @rule(moves=st.integers(1, 3))
    def moves_are_undone(self, moves: int) -> None:
        history = self.session.history
        events = self.session.obey(Undo(moves))
        self.speak(events)
        if moves <= len(history):
            assert self.session.position == history[-moves]

    @rule(cell=CELLS)
    def a_cell_is_corrected_to_what_lies_there(self, cell: object) -> None:
        if self.session.position is not None:
            self.speak(self.session.obey(CorrectCell(cell, self.table.lies.get(cell, BARE))))  # type: ignore[arg-type, call-overload]

    @rule()
    def the_table_lets_it_stand(self) -> None:
        self.session.see(self.seen())
        events = self.session.obey(Accept())
        self.speak(events)
        if any(isinstance(event, MoveAccepted) for event in events):
            assert self.session.position is not None

    def speak(self, events: tuple[Event, ...]) -> None:
        voice = Voice(GAME.players)
        for event in events:
            assert all("{" not in sentence for sentence in voice.sentences(event))

    @invariant()
    def the_settlements_stay_in_the_books(self) -> None:
        position = getattr(self, "session", None) and self.session.position
        if position:
            kinds = [contents for contents in position.expected().values() if isinstance(contents.tile, Settlement)]
            assert len(kinds) == len(SITES)

    @invariant()
    def the_lamp_has_a_word_for_everything(self) -> None:
        if hasattr(self, "session"):
            standing = self.session.standing(self.seen())
            assert all(cell in BOARD for cell in standing.cells)


class TwoPlayerMachine(TableMachine):
    name = "two-player"
    workshops = ((BLACK, at(1)), (RED, at(-2)), (BLACK, at(4, -1)), (RED, at(-3, 1)))


class DangerMachine(TwoPlayerMachine):
    name = "danger"


TestTheTable = TableMachine.TestCase
TestTheTableOfTwo = TwoPlayerMachine.TestCase
TestTheTableWhereMerchantsWalk = DangerMachine.TestCase
for machine in (TestTheTable, TestTheTableOfTwo, TestTheTableWhereMerchantsWalk):
    machine.settings = settings(max_examples=tries(10), stateful_step_count=25, suppress_health_check=list(HealthCheck))
del machine
