"""Whole games of each rule set on the drawn table, judged by the session, its people answering: no pixels are read."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from companion.board import Color, Merchants, Reading, Workshop
from companion.commands import Command, Done, StartGame
from companion.events import Event, GameDealt, GameOver, MarkersDiffer, TurnTaken
from companion.games.la_strada import DANGER, STANDARD, TWO_PLAYER, LaStrada, LaStradaPosition
from companion.session import Session
from companion.virtual_table import VirtualTable
from companion.virtual_table.dealing import tidied
from companion.wiring.drawn import DrawnTable
from tests.virtual_table.dark import dark_camera

Eyes = Callable[[Reading], Reading]


def keen(truth: Reading) -> Reading:
    return truth


def short_sighted(truth: Reading) -> Reading:
    """Sees no more than five merchants of a colour on a cell, and on a workshop none of its own."""

    cells = {}
    for cell, read in truth.cells.items():
        lies = read.contents
        own = lies.tile.color if isinstance(lies.tile, Workshop) else None
        counts = {color: 0 if color is own else min(5, lies.merchants[color]) for color in Color}
        cells[cell] = replace(read, contents=replace(lies, merchants=Merchants.of(counts)))
    return replace(truth, cells=cells)


@dataclass
class Evening:
    """The companion without eyes and hands: what the service does, step by step, on a clock of its own."""

    rules: LaStrada
    eyes: Eyes
    now_s: float = 0.0
    waiting: deque[Command] = field(default_factory=deque)
    session: Session = field(default_factory=Session)
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.people = DrawnTable(clock=lambda: self.now_s, rest=lambda seconds: None)
        self.table = VirtualTable(
            dark_camera(3),
            5,
            rules=self.rules,
            on_press=self.people.pressed,
            clock=lambda: self.now_s,
            sleep=lambda seconds: None,
        )
        self.people.attach(self.table)
        self.people.sit_down(self.press, self.waiting.append)

    def press(self) -> None:
        is_over = self.session.position is None or self.session.position.over
        self.waiting.append(StartGame(self.table.players, self.rules.name) if is_over else Done())

    def step(self) -> None:
        self.now_s += 0.25
        self.people.frame(0.0)
        if self.waiting:
            self.session.see(self.eyes(self.table.truth()))
        while self.waiting:
            said = self.session.obey(self.waiting.popleft())
            self.events += said
            self.people.witness(said, self.session.position)

    def play(self, most_s: float = 3000.0) -> LaStradaPosition:
        """Play until the second deal; return how the first game ended."""
        ended: LaStradaPosition | None = None
        while sum(isinstance(event, GameDealt) for event in self.events) < 2:
            assert self.now_s < most_s, self.events[-5:]
            self.step()
            if ended is None and self.session.position is not None and self.session.position.over:
                assert isinstance(self.session.position, LaStradaPosition)
                ended = self.session.position
                assert not tidied(self.table.scene, ended), "what is held to be true is what lies there"
        assert ended is not None
        return ended


@pytest.mark.parametrize("eyes", [keen, short_sighted])
@pytest.mark.parametrize("rules", [STANDARD, TWO_PLAYER, DANGER], ids=lambda rules: rules.name)
def test_a_whole_game_is_played_to_its_end_and_the_next_one_dealt(rules: LaStrada, eyes: Eyes) -> None:
    evening = Evening(rules, eyes)
    ended = evening.play()
    assert ended.rules.name == rules.name
    assert ended.winners
    assert any(isinstance(event, GameOver) for event in evening.events)
    differing = {color for event in evening.events if isinstance(event, MarkersDiffer) for color in event.markers}
    assert differing <= set(ended.colors), "the rounds' marker stands right"
    if rules is DANGER:
        assert ended.turns == 20
        standing = [sum(cubes[color] for cubes in ended.merchants.values()) for color in ended.colors]
        assert standing == [12, 12]
        built = [event for event in evening.events if isinstance(event, TurnTaken) and event.change]
        assert len(built) >= 12
