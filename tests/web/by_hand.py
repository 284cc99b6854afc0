"""A table of Silk Road that is kept by hand: there is no camera, and what lies there is what people say."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from flask import Flask

from companion.board import CellReading, Reading, SquareBoard, SquareCell
from companion.commands import Command, Done, StartGame, TakeOffer
from companion.events import Event, StandingChanged
from companion.games.contract import Player
from companion.logbook import Logbook
from companion.records.record import Recorder, record_to_text
from companion.scoreboard import Scoreboard, Snapshot
from companion.service.display import Display
from companion.session import Session
from companion.web import Backend, Download, Keepers, create_app
from hardware.cues import Cue, Glow

BOARD = SquareBoard()
GAME = StartGame((Player("Ada", "green"), Player("Bo", "brown")), "competitive")


class Dark:
    """A panel without lamps."""

    def show_turn(self, color: object) -> None:
        pass

    def play(self, cue: Cue) -> None:
        pass

    def glow(self, glow: Glow) -> None:
        pass


def as_kept(session: Session) -> Reading:
    """Return what eyes that look into the books would see: all that was taken, or the bare board without a game."""
    position = session.position
    lies = {} if position is None or position.over else position.expected()
    return Reading(BOARD, {cell: CellReading(lies[cell]) if cell in lies else CellReading() for cell in BOARD.cells})


@dataclass
class HandTable:
    """The path from a command to the scoreboard, in one thread: session, logbook, snapshot."""

    folder: Path
    game: StartGame = GAME
    session: Session = field(default_factory=Session)
    scoreboard: Scoreboard = field(default_factory=Scoreboard)
    heard: list[Event] = field(default_factory=list)
    recorder: Recorder = field(default_factory=Recorder)

    def __post_init__(self) -> None:
        self.showing = Display(Dark(), self.scoreboard, self.game, lambda: 0.0)  # type: ignore[arg-type]
        self.logbook = Logbook(self.folder, "kitchen", encode=lambda image: b"")
        self.look()

    @property
    def snapshot(self) -> Snapshot:
        return self.scoreboard.latest

    def look(self) -> None:
        self._tell(self.session.see(as_kept(self.session)), "camera")

    def submit(self, command: Command, by: str = "keeper") -> bool:
        if isinstance(command, StartGame):
            self.game = command
            self.showing._game = command
        self._tell(self.session.obey(command), by)
        self.look()
        return True

    def _tell(self, events: tuple[Event, ...], by: str) -> None:
        self.heard += events
        self.recorder.hear(events)
        told = tuple(event for event in events if not isinstance(event, StandingChanged))
        self.logbook.record(told, self.session.state, None, by)
        session = self.session
        self.showing.tell(events, session.position, session.reading, 1, 0.0, session.offer, by, session.history)

    def record(self) -> Download | None:
        made = self.recorder.record
        return None if made is None else Download("strada.json", record_to_text(made))

    def pages(self, pin: str = "471102") -> Flask:
        """Return the pages of this table; anybody who knows the PIN is its keeper."""
        return create_app(
            Backend(
                self.scoreboard,
                self.submit,
                lambda: None,
                record=self.record,
                keepers=Keepers(pin, b"k" * 32, clock=lambda: 0.0),
                reading=lambda: self.session.reading,
                game=lambda: self.game,
                has_camera=False,
                logbook=lambda: self.folder,
            )
        )

    def passes(self) -> None:
        """Let the player in turn pass: done on an unchanged table, and yes."""
        self.submit(Done(confirmed=False))
        self.submit(TakeOffer())


def square(name: str) -> SquareCell:
    return BOARD.cell(name)


def with_players(*names: str) -> StartGame:
    """Return a game of players with those names, in the order of the made-up colours."""
    return replace(GAME, players=tuple(map(Player, names, ("green", "brown", "blue", "yellow"))))
