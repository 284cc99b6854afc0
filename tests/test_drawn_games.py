"""Whole games of each rule set on the drawn table, judged by the session and answered by its people, without pixels."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from companion.board import Color, Merchants, Reading, Workshop
from companion.commands import Command, Done, StartGame
from companion.events import Event, GameDealt, GameOver, MarkersDiffer, MoveRefused, TurnTaken
from companion.games import score
from companion.games.contract import Player, Position
from companion.games.la_strada import DANGER, STANDARD, TWO_PLAYER, LaStrada, LaStradaPosition
from companion.games.silk_road import COMPETITIVE, COOPERATIVE, SilkRoad, SilkRoadPosition
from companion.session import Session
from companion.wiring.drawn import DrawnTable
from simulator import SilkRoadTable, VirtualTable
from simulator.dealing import tidied
from simulator.played import PlayedTable
from tests.clock import Clock
from tests.simulator.dark import dark_camera, dark_square_camera

Eyes = Callable[[Reading], Reading]
GREEN_AND_BROWN = (Player("Ada", "green"), Player("Bo", "brown"))


def keen(truth: Reading) -> Reading:
    return truth


def short_sighted(truth: Reading) -> Reading:
    """Return the truth with at most five merchants of a colour on a cell, and on a workshop none of its own colour."""

    cells = {}
    for cell, read in truth.cells.items():
        lies = read.contents
        own = lies.tile.color if isinstance(lies.tile, Workshop) else None
        counts = {color: 0 if color is own else min(5, lies.merchants[color]) for color in Color}
        cells[cell] = replace(read, contents=replace(lies, merchants=Merchants.of(counts)))
    return replace(truth, cells=cells)


def no_rest(seconds: float) -> None:
    """Return at once."""


@dataclass
class Evening:
    """The companion without eyes and hands: what the service does, step by step, on a clock of its own."""

    table: PlayedTable[Any]
    time: Clock
    eyes: Eyes = keen
    waiting: deque[Command] = field(default_factory=deque)
    session: Session = field(default_factory=Session)
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.people = DrawnTable(clock=self.time, rest=no_rest)
        self.table.on_press = self.people.pressed
        self.people.attach(self.table)
        self.people.sit_down(self.press, self.waiting.append)

    @classmethod
    def of(cls, rules: LaStrada | SilkRoad, eyes: Eyes = keen) -> "Evening":
        time = Clock(0.0)
        table = (
            VirtualTable(dark_camera(3), 5, rules=rules, clock=time, sleep=no_rest)
            if isinstance(rules, LaStrada)
            else SilkRoadTable(dark_square_camera(3), 5, GREEN_AND_BROWN, rules=rules, clock=time, sleep=no_rest)
        )
        return cls(table, time, eyes)

    def press(self) -> None:
        is_over = self.session.position is None or self.session.position.over
        self.waiting.append(StartGame(self.table.players, self.table.rules.name) if is_over else Done())

    def step(self) -> None:
        self.time.now_s += 0.25
        self.people.frame(0.0)
        if self.waiting:
            self.session.see(self.eyes(self.table.truth()))
        while self.waiting:
            said = self.session.obey(self.waiting.popleft())
            self.events += said
            self.people.witness(said, self.session.position)

    def play(self, most_s: float = 3000.0) -> Position:
        """Play until the second deal; return how the first game ended."""
        ended: Position | None = None
        while sum(isinstance(event, GameDealt) for event in self.events) < 2:
            assert self.time.now_s < most_s, self.events[-5:]
            self.step()
            if ended is None and self.session.position is not None and self.session.position.over:
                ended = self.session.position
                assert not tidied(self.table.scene, ended), "what is held to be true is what lies there"
        assert ended is not None
        return ended


@pytest.mark.long
@pytest.mark.parametrize("eyes", [keen, short_sighted])
@pytest.mark.parametrize("rules", [STANDARD, TWO_PLAYER, DANGER], ids=lambda rules: rules.name)
def test_a_whole_game_is_played_to_its_end_and_the_next_one_dealt(rules: LaStrada, eyes: Eyes) -> None:
    evening = Evening.of(rules, eyes)
    ended = evening.play()
    assert isinstance(ended, LaStradaPosition)
    assert ended.rules.name == rules.name
    assert score(ended).winners
    assert any(isinstance(event, GameOver) for event in evening.events)
    differing = {color for event in evening.events if isinstance(event, MarkersDiffer) for color in event.markers}
    assert differing <= set(ended.colors), "the rounds' marker stands right"
    if rules is DANGER:
        assert ended.turns == 20
        standing = [sum(cubes[color] for cubes in ended.merchants.values()) for color in ended.colors]
        assert standing == [12, 12]
        built = [event for event in evening.events if isinstance(event, TurnTaken) and event.change]
        assert len(built) >= 12


@pytest.mark.long
@pytest.mark.parametrize("rules", [COMPETITIVE, COOPERATIVE], ids=lambda rules: rules.name)
def test_a_whole_game_of_silk_road_is_played_to_its_end_and_the_next_one_dealt(rules: SilkRoad) -> None:
    evening = Evening.of(rules)
    ended = evening.play()
    assert isinstance(ended, SilkRoadPosition)
    assert ended.over
    assert bool(score(ended).winners) is not rules.is_together
    assert any(isinstance(event, MoveRefused) for event in evening.events), "somebody lays where no way leads"
    assert len(ended.laid) > 12
    assert ended.total > 0
