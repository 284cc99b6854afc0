"""The turn clock: how long the player in turn has taken so far, and each player in all."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from companion.board import Color
from companion.games.contract import Position
from companion.scoreboard import Kept, Times, TurnClock
from companion.scoreboard.turn_clock import game_of
from tests.scoreboard.test_course import played


@dataclass
class Hand:
    """A clock that moves when it is told to, what was kept, and what was shown."""

    now: float = 5000.0
    kept: Kept | None = None
    shown: list[bool] = field(default_factory=list)

    def read(self) -> Kept | None:
        return self.kept

    def write(self, kept: Kept | None) -> None:
        self.kept = kept

    def clock(self, is_on: bool = True) -> TurnClock:
        return TurnClock(self.shown.append, is_on=is_on, memory=self, clock=lambda: self.now)


@pytest.fixture(scope="module")
def positions() -> list[Position]:
    """A game from its deal to a few turns later."""
    found = played(14)
    assert len(found) > 6
    return found


def follow(clock: TurnClock, positions: Sequence[Position], is_paused: bool = False, is_dealt: bool = False) -> Times:
    *history, position = positions
    times = clock.follow(history, position, is_paused=is_paused, is_dealt=is_dealt)
    assert times is not None
    return times


def dealt(positions: Sequence[Position]) -> tuple[Hand, TurnClock]:
    """Return a clock that has followed a game from its deal to the last of these positions."""
    hand = Hand()
    clock = hand.clock()
    follow(clock, positions, is_dealt=True)
    return hand, clock


def total(times: Times) -> float:
    return sum(times.totals_s.values())


def test_each_turn_begins_at_zero_and_is_added_to_its_players_time(positions: list[Position]) -> None:
    hand, clock = dealt(positions[:1])
    used: dict[object, float] = {}
    for turn, spent in enumerate((12.0, 30.0, 7.5, 60.0), start=1):
        player = positions[turn - 1].next
        used[player] = used.get(player, 0.0) + spent
        hand.now += spent
        times = follow(clock, positions[: turn + 1])
        assert times == Times(0.0, used, clock.now_s(), is_whole=True)


def test_nothing_changes_while_nothing_happens(positions: list[Position]) -> None:
    hand = Hand()
    clock = hand.clock()
    first = follow(clock, positions[:1], is_dealt=True)
    hand.now += 40
    assert follow(clock, positions[:1]) is first, "screens count on by themselves"
    assert clock.now_s() - (first.since_s or 0) == 40


def test_it_stops_while_the_game_is_paused_and_goes_on_in_the_same_turn(positions: list[Position]) -> None:
    hand, clock = dealt(positions[:1])
    hand.now += 20
    assert follow(clock, positions[:1], is_paused=True).since_s is None
    hand.now += 600
    again = follow(clock, positions[:1])
    assert (again.turn_s, total(again), again.since_s) == (20.0, 20.0, clock.now_s())


def test_a_turn_that_is_taken_back_stays_on_the_clock_of_whoever_used_it(positions: list[Position]) -> None:
    hand, clock = dealt(positions[:1])
    hand.now += 10
    follow(clock, positions[:2])
    hand.now += 5
    back = follow(clock, positions[:1])
    assert (back.turn_s, back.totals_s) == (0.0, {positions[0].next: 10.0, positions[1].next: 5.0})


def test_at_the_end_it_stops_and_keeps_nothing(positions: list[Position]) -> None:
    hand, clock = dealt(positions[:4])
    assert hand.kept is not None
    hand.now += 10
    over = replace(positions[4], next=None)  # type: ignore[type-var]
    times = follow(clock, [*positions[:4], over])
    assert (times.since_s, total(times)) == (None, 10.0)
    assert hand.kept is None


def test_after_a_restart_it_goes_on_from_what_was_kept_and_says_that_it_may_be_more(positions: list[Position]) -> None:
    hand, clock = dealt(positions[:3])
    hand.now += 25
    clock.rest()
    hand.now, hand.shown = 3.0, []  # the machine was switched off meanwhile
    again = hand.clock(is_on=False)
    times = follow(again, positions[:3])
    assert (times.totals_s, times.is_whole) == ({positions[2].next: 25.0}, False)
    assert hand.shown == [False, True], "whoever switched it on need not do so again"


def test_after_a_power_cut_it_says_no_more_than_it_knows(positions: list[Position]) -> None:
    hand, clock = dealt(positions[:3])
    hand.now += 25
    follow(clock, positions[:4])
    hand.now += 99
    times = follow(hand.clock(), positions[:4])
    assert (total(times), times.turn_s, times.is_whole) == (25.0, 0.0, False)


def test_another_game_begins_at_zero_even_after_the_same_deal(positions: list[Position]) -> None:
    hand, clock = dealt(positions[:1])
    hand.now += 25
    follow(clock, positions[:2])
    times = follow(clock, positions[:1], is_dealt=True)
    assert (total(times), times.is_whole) == (0.0, True)


def test_times_of_another_game_are_not_taken_for_this_ones(positions: list[Position]) -> None:
    hand = Hand(kept=Kept("0badcafe", {Color.BLACK: 300.0}))
    times = follow(hand.clock(is_on=False), positions[:3])
    assert (total(times), times.is_whole) == (0.0, False)
    assert hand.shown == [False]


def test_what_nobody_sees_is_counted_but_not_kept(positions: list[Position]) -> None:
    hand = Hand()
    clock = hand.clock(is_on=False)
    follow(clock, positions[:1], is_dealt=True)
    hand.now += 25
    times = follow(clock, positions[:2])
    assert hand.kept is None
    clock.switch(True)
    assert hand.kept == Kept(game_of(positions[0]), times.totals_s)
    assert (hand.shown, times.is_whole) == ([False, True], True)
    clock.switch(False)
    assert hand.kept is None


def test_a_game_is_known_again_whatever_its_players_are_called(positions: list[Position]) -> None:
    first = positions[0]
    renamed = replace(first, players=tuple(replace(each, name="Zoé") for each in first.players))  # type: ignore[type-var]
    assert game_of(renamed) == game_of(first)
    assert game_of(played(45)[0]) != game_of(first)


def test_without_a_game_there_are_no_times() -> None:
    assert Hand().clock().follow((), None, is_paused=False, is_dealt=False) is None
