"""A game at its first turn: both workshops stand, Black is in turn with six days."""

from dataclasses import dataclass, field

import pytest

from companion.board import Contents, Merchants, Reading, Workshop
from companion.commands import Command, Done
from companion.events import Event
from companion.session import Session
from tests.session.tabletop import BLACK, GAME, RED, Tabletop, at


@dataclass
class Play:
    """A session and the table that it watches."""

    session: Session = field(default_factory=Session)
    table: Tabletop = field(default_factory=Tabletop)

    def done(self, reading: Reading | None = None) -> tuple[Event, ...]:
        return self.press(Done(), reading)

    def press(self, command: Command, reading: Reading | None = None) -> tuple[Event, ...]:
        self.session.see(reading or self.table.seen())
        return self.session.obey(command)

    def on_goal(self, **cubes: int) -> Contents:
        """Black's next goal with these cubes on it."""
        return Contents(self.table.lies[at(3)].tile, Merchants(**cubes))

    @classmethod
    def begun(cls) -> "Play":
        """A game at its first turn."""
        play = cls()
        play.press(GAME)
        for color, cell in ((BLACK, at(1)), (RED, at(-2))):
            play.table.lay(cell, Workshop(color))
            play.done()
        assert play.session.position is not None
        assert (play.session.position.phase, play.session.position.next) == ("turn", BLACK)
        return play


@pytest.fixture
def play() -> Play:
    return Play.begun()
