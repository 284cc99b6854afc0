"""Whatever people lay, cover, press and take back: the session never raises and never calls an illegal turn legal."""

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from companion.board import BARE, Color, Contents, HexCell, Merchants, Reading, Settlement, Workshop
from companion.commands import Command, Done, Undo
from companion.events import Event, TurnTaken, WorkshopPlaced
from companion.games import rule_set
from companion.games.contract import Legal
from companion.session import Session
from companion.session.changes import seen_change
from companion.words import Voice
from tests.session.books import is_untouched
from tests.session.random_table import CELLS, COLORS, NEAR, RandomTable, under_all_rules
from tests.session.tabletop import GAME, RED, SITES, Tabletop, at, black_builds, red_builds


class TableMachine(RandomTable):
    @initialize()
    def deal(self) -> None:
        self.session, self.table = Session(), Tabletop()
        self.rules = rule_set(self.name)
        self.covered = set()
        self.doubted: set[HexCell] = set()
        self.session.see(self.seen())
        self.session.obey(replace(GAME, rules=self.name))

    def seen(self) -> Reading:
        """Return a true reading, except for the cells that it is unsure of; its answers to doubts contain the truth."""
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

    @rule()
    def everything_is_put_back(self) -> None:
        position = self.session.position
        self.table.lies = dict(position.expected()) if position else self.table.lies
        self.covered, self.doubted = set(), set()

    @rule(cell=st.sampled_from([cell for cell in SITES if cell in NEAR]), color=COLORS)
    def a_merchant_is_put(self, cell: HexCell, color: Color) -> None:
        self.table.put(cell, color)

    @rule(cells=st.sets(CELLS, max_size=2))
    def cells_are_unclear(self, cells: set[HexCell]) -> None:
        self.doubted = cells

    @rule()
    def press(self) -> None:
        before, state = self.session.state.unsettled, self.session.state
        asked = {doubt.cell for doubt in state.doubted | state.asked}
        moved = [event for event in self.obey(Done()) if isinstance(event, TurnTaken | WorkshopPlaced)]
        if moved and not before and not self.covered:
            self.must_be_legal(asked)

    def must_be_legal(self, asked: set[HexCell]) -> None:
        """Check that what was called legal is legal by all that truly lies there, except for what is left as it was.

        The exceptions are what people said lies there; doubts about earlier presses, which they were `asked` about or
        which were decided then; and doubts about what the turn has no reason to touch: earlier tiles and settlements
        that lie differently, others' merchants, and what the rules make impossible, which the session calls misread.
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
        self.obey(Undo(moves))
        if moves <= len(history):
            assert self.session.position == history[-moves]

    def obey(self, command: Command) -> tuple[Event, ...]:
        self.session.see(self.seen())
        happened = self.session.obey(command)
        self.speak(happened)
        return happened

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


TestTheTable, TestTheTableOfTwo, TestTheTableWhereMerchantsWalk = under_all_rules(TableMachine, 10, 25)
