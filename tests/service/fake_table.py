"""The loop's fake edge: a camera whose picture is a reading, and what people do at that table."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companion.board import (
    Cell,
    CellReading,
    Color,
    Contents,
    DealRemarks,
    HexBoard,
    HexCell,
    Merchants,
    PlayerColor,
    Reading,
    Settlement,
    SettlementType,
    Terrain,
    Workshop,
)
from companion.commands import Command, StartGame
from companion.events import Event, Loss
from companion.games.contract import Player
from companion.games.la_strada import LaStradaPosition
from companion.scoreboard import Scoreboard
from companion.service import QUIET_S, Eyes, Pace, ReadPicture, Service
from companion.session import State
from hardware.camera import Frame
from hardware.panel import Panel
from tests.games.drawing import ground, path
from tests.session.tabletop import KINDS

BOARD = HexBoard(6)
CITY, HAMLET = SettlementType.CITY, SettlementType.HAMLET
#: The 19 settlements are along the upper rim, except two cities near the middle.
SITES = ["G8", "F5", *(str(cell) for cell in BOARD.cells[:17])]
DEAL = {BOARD.cell(site): Contents(Settlement(kind)) for site, kind in zip(SITES, KINDS, strict=True)}
GAME = StartGame((Player("Ada", Color.BLACK), Player("<Bo>", Color.RED)))

ADAS, BOS = Contents(Workshop(Color.BLACK)), Contents(Workshop(Color.RED))

Lying = Mapping[HexCell, Contents]

#: Ada's road from her workshop on H5 to the city on G8, with her merchant: four days.
ROAD = {
    **{str(cell): Contents(tile) for cell, tile in path(ground({}, rings=6), Color.BLACK, "H5 G6 G7 G8").items()},
    "G8": Contents(Settlement(CITY), Merchants(black=1)),
}


def lying(**things: Contents) -> dict[HexCell, Contents]:
    return {**DEAL, **{BOARD.cell(name): contents for name, contents in things.items()}}


def reading(contents: Lying, occluded: frozenset[HexCell] = frozenset()) -> Reading:
    cells = {
        cell: CellReading(contents.get(cell, Contents()), Terrain.PLAIN, str(cell) in SITES) for cell in BOARD.cells
    }
    return Reading(BOARD, cells, dict.fromkeys(Color, 0), occluded)


@dataclass
class Motion:
    is_still: bool
    has_changed: bool


@dataclass
class Table:
    """The fake edge: a camera whose picture is a reading, and the reader that hands it out."""

    shows: Any = field(default_factory=lambda: reading(DEAL))
    now_s: float = 0.0
    new_games: int = 0
    remembers: Reading | None = None
    books: object = None
    view: str = "view"
    outline: object = None
    is_upside_down: bool = False
    remarks: DealRemarks = field(default_factory=DealRemarks)
    lost: str | None = None
    taken_before_s: float = 0.0
    motion: Motion = field(default_factory=lambda: Motion(is_still=True, has_changed=True))
    reads: int = 0
    told: list[tuple[dict[Cell, Contents], bool]] = field(default_factory=list)
    looked_again: list[bool] = field(default_factory=list)
    colors: Collection[PlayerColor] = ()
    averaged: int | None = None
    was_dark: list[bool] = field(default_factory=list)
    panel: Panel | None = None

    def frame(self, timeout_s: float) -> Frame:
        self.now_s += 0.1
        if self.panel is not None:
            self.was_dark.append(self.panel.dark_since_s is not None)
        if isinstance(self.shows, OSError):
            raise self.shows
        return Frame(self.shows, self.now_s - self.taken_before_s)

    def new_game(self, is_dealt: bool = True, books: object = None) -> None:
        self.new_games += is_dealt
        self.remembers, self.books = None, books

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        self.told.append((dict(cells), by_hand))

    def booked(self, books: Mapping[Cell, Contents], colors: Collection[PlayerColor], walking: bool = False) -> None:
        self.colors = colors

    def read(self, image: Any, is_again: bool = False) -> Reading:
        self.looked_again.append(is_again)
        if isinstance(image, Exception):
            raise image
        assert isinstance(image, Reading)
        return self.remembers or image

    def look(self, image: Any, small: Any = None) -> Motion:
        return self.motion

    def keep(self, outline: object = None) -> None:
        self.reads += 1

    def picture(self, most: int | None = None) -> Any:
        self.averaged = most
        return self.shows

    def clock(self) -> float:
        return self.now_s


@dataclass
class Book:
    """A logbook that remembers who did what, and what was lost when it was opened."""

    note: Loss | None = None
    written: list[tuple[str, str]] = field(default_factory=list)
    trouble: None = None

    def record(self, events: Sequence[Event], state: State, sight: ReadPicture | None = None, who: str = "") -> None:
        self.written += [(type(event).__name__, who) for event in events]


def under_a_hand(things: Lying) -> Reading:
    return reading(things, occluded=frozenset({BOARD.cell("G7"), BOARD.cell("G6"), BOARD.cell("H7")}))


class Loop:
    """The loop at the fake table; panel (on mock pins), scoreboard and session are real."""

    def __init__(self, table: Table, panel: Panel, **more: Any) -> None:
        self.table, self.panel = table, panel
        eyes, more = Eyes(table, table, table), {"pace": Pace(clock=table.clock), **more}
        self.service = Service(eyes, panel, Scoreboard(), GAME, **more)

    @property
    def latest(self) -> Any:
        """What everybody sees."""
        return self.service._display._scoreboard.latest

    def step(self) -> Any:
        self.service.step()
        return self.latest

    def tap(self) -> Any:
        """Press at once, and return what everybody sees then."""
        assert self.service.press()
        return self.step()

    def press(self) -> Any:
        """Press once the last verdict has been heard, and return what everybody sees then."""
        self.table.now_s += QUIET_S + 0.1
        return self.tap()

    def ask(self, command: Command, by: str = "keeper") -> Any:
        """Ask for that, and return what everybody sees then."""
        assert self.service.submit(command, by)
        return self.step()

    def lay(self, **things: Contents) -> None:
        """Lay this on the board with its deal, and nothing else."""
        self.table.shows = reading(lying(**things))

    def played(self) -> dict[str, Contents]:
        """Place both workshops, so that it is Ada's turn; return what was laid."""
        self.press()
        things = {"H5": ADAS}
        self.lay(**things)
        self.press()
        things["K5"] = BOS
        self.lay(**things)
        self.press()
        return things

    def saving_asked(self) -> None:
        """Place both workshops; then Ada presses at a table that nobody has touched."""
        self.played()
        assert "Save the days?" in self.press().notice.title

    def end_the_game(self) -> None:
        state = self.service._session.state
        assert isinstance(state.position, LaStradaPosition)
        self.service._session._state = replace(state, position=replace(state.position, next=None))
