"""A table at which anything is done at random: what the state machines of several tests have in common."""

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from companion.board import BARE, Color, HexCell, Reading, Road, Terrain
from companion.commands import Accept, Command, CorrectCell
from companion.events import Event
from companion.session import Session
from tests.session.conftest import ONE_EACH, TWO_EACH
from tests.session.tabletop import BLACK, BOARD, RED, Tabletop, at
from tests.tries import tries

NEAR = [at(q, r) for q in range(-4, 6) for r in (-2, -1, 0, 1, 2) if at(q, r) in BOARD]
CELLS = st.sampled_from(NEAR)
COLORS = st.sampled_from([BLACK, RED])
EDGES = st.sampled_from([(0, 3), (0, 2), (2, 4), (1, 3), (1, 4)])


class RandomTable(RuleBasedStateMachine):
    """A session and its table; subclasses say what is seen there, and what must be true of what is said."""

    name = "standard"
    workshops: Sequence[tuple[Color, HexCell]] = ONE_EACH
    session: Session
    table: Tabletop
    covered: set[HexCell]

    def seen(self) -> Reading:
        raise NotImplementedError

    def obey(self, command: Command) -> tuple[Event, ...]:
        raise NotImplementedError

    @rule(cell=CELLS, color=COLORS, edges=EDGES)
    def a_tile_is_laid(self, cell: HexCell, color: Color, edges: tuple[int, int]) -> None:
        self.table.lay(cell, Road(color, Terrain.PLAIN, edges))

    @rule(cell=CELLS)
    def a_tile_is_taken(self, cell: HexCell) -> None:
        self.table.lay(cell, None)

    @rule(color=COLORS, number=st.integers(0, 10))
    def a_marker_is_moved(self, color: Color, number: int) -> None:
        self.table.tracks[color] = number

    @rule(cells=st.sets(CELLS, max_size=3))
    def a_hand_covers(self, cells: set[HexCell]) -> None:
        self.covered = cells

    @rule(cell=CELLS)
    def a_cell_is_corrected_to_what_lies_there(self, cell: HexCell) -> None:
        self.obey(CorrectCell(cell, self.table.lies.get(cell, BARE)))

    @rule()
    def the_table_lets_it_stand(self) -> None:
        self.obey(Accept())

    @invariant()
    def the_lamp_has_a_word_and_names_cells_of_the_board(self) -> None:
        if hasattr(self, "session"):
            standing, position = self.session.standing(self.seen()), self.session.position
            assert all(cell in BOARD for cell in standing.cells)
            assert (standing.player is None) is (position is None or position.next is None)


def under_all_rules(
    machine: type[RandomTable], often: int, steps: int, two_each: Sequence[tuple[Color, HexCell]] = TWO_EACH
) -> Iterator[Any]:
    """Yield the machine's test case under the official rules, under those for two, and where merchants walk."""
    for name, workshops in (("standard", ONE_EACH), ("two-player", two_each), ("danger", two_each)):
        case = type(f"{machine.__name__}:{name}", (machine,), {"name": name, "workshops": workshops}).TestCase
        case.settings = settings(
            max_examples=tries(often), stateful_step_count=steps, suppress_health_check=list(HealthCheck)
        )
        yield case
