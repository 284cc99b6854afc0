"""A wrong number of merchants passed: what shows it later, and what people say meanwhile, puts the books right."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from companion.board import CellChange, Change, Contents
from companion.commands import CorrectCell, NamePlayers, Undo
from companion.games import rule_set
from companion.games.contract import Player
from companion.session.rivals import carried_on
from companion.session.state import Rival
from tests.session.conftest import GOAL, HOME, Play, Shares, asked, codes, movers, reread
from tests.session.tabletop import BLACK, GAME, RED, at, red_builds, road


def two_taken_for_three(danger: Play) -> tuple[Contents, Shares]:
    """Let two walk to Black's goal and pass for three; return what the books have there, and a heap at home."""
    danger.walk(2)
    two, three = danger.on_goal(black=2), danger.on_goal(black=3)
    heap = {danger.on(HOME, black=number): 0.08 for number in range(1, 13)}
    danger.done(doubted={GOAL: {three: 0.52, two: 0.48}, HOME: heap})
    return three, heap


def test_what_the_reader_only_repeats_of_the_books_speaks_for_them_against_no_other_way(danger: Play) -> None:
    """Two have walked and passed for three, as the reader was then told; now the four at home are plain to see."""
    three, _ = two_taken_for_three(danger)
    assert danger.cubes(GOAL) == 3
    red_builds(danger.table)
    danger.table.put(at(-2), RED, -1)
    assert reread(danger.done(told={GOAL: three})) == {GOAL, HOME}
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (2, 4)


def test_a_person_who_says_how_many_walked_puts_both_ends_right_with_one_tap(danger: Play) -> None:
    two_taken_for_three(danger)
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (3, 3)
    assert movers(danger.session.obey(CorrectCell(GOAL, danger.on_goal(black=2)))) == [BLACK]
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (2, 4)


def red_follows(danger: Play) -> None:
    """Let Red build, with one merchant."""
    red_builds(danger.table)
    danger.table.put(at(-2), RED, -1)


def test_a_person_who_says_later_how_many_walked_has_the_other_end_put_right_at_the_next_press(danger: Play) -> None:
    """Red has begun to build, so Black's turn is not judged once more; but what it may have been is not forgotten."""
    three, heap = two_taken_for_three(danger)
    red_follows(danger)
    danger.look(doubted={HOME: heap}, told={GOAL: three})
    danger.session.obey(CorrectCell(GOAL, danger.on_goal(black=2)))
    events = danger.done(doubted={HOME: heap}, told={GOAL: three})
    assert reread(events) == {GOAL, HOME}
    assert movers(events) == [RED]
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (2, 4)


def test_a_word_that_every_way_has_wrong_leaves_the_books_as_they_are(danger: Play) -> None:
    """The books have three, another way two. A person says five, and Red did not take them there."""
    three, heap = two_taken_for_three(danger)
    red_follows(danger)
    danger.look(doubted={HOME: heap}, told={GOAL: three})
    danger.session.obey(CorrectCell(GOAL, danger.on_goal(black=5)))
    assert not reread(danger.done(doubted={HOME: heap}, told={GOAL: three}))
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (3, 3)


def test_moves_that_are_taken_back_leave_open_how_the_earlier_ones_came_about(danger: Play) -> None:
    """Two have walked and passed for three. Red's turn is taken back; when Red plays again, four are at home."""
    three, heap = two_taken_for_three(danger)
    red_follows(danger)
    assert movers(danger.done(doubted={HOME: heap}, told={GOAL: three})) == [RED]
    danger.press(Undo(1), doubted={HOME: heap}, told={GOAL: three})
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (3, 3)
    events = danger.done(told={GOAL: three})
    assert reread(events) == {GOAL, HOME}
    assert movers(events) == [RED]


def red_asked(danger: Play, heap: Shares, three: Contents) -> None:
    """Let Red build where it is hard to see which way their road goes."""
    red_follows(danger)
    ways = {road(RED): 0.6, road(RED, (0, 2)): 0.4}
    assert at(-1) in asked(danger.done(doubted={HOME: heap, at(-1): ways}, told={GOAL: three}))


def test_an_answer_about_one_heap_leaves_open_how_many_an_earlier_one_has(danger: Play) -> None:
    """Two have walked and passed for three. Red's turn is asked about and answered; then one more walks."""
    three, heap = two_taken_for_three(danger)
    red_asked(danger, heap, three)
    assert movers(danger.session.obey(CorrectCell(at(-1), road(RED)))) == [RED]
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (3, 3)
    danger.table.put(HOME, BLACK, -1)
    danger.table.put(GOAL, BLACK)
    assert reread(danger.done(since={GOAL: (danger.on_goal(black=4), three)})) == {GOAL, HOME}
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (2, 4), "so with the third there are three at each"


def at_goal(ways: Iterable[Rival]) -> list[int]:
    """Return how many of Black's merchants are at their goal in each of these ways."""
    return sorted(way.position.expected()[GOAL].merchants.black for way in ways)


def test_another_way_goes_on_with_a_move_only_if_it_is_legal_there(danger: Play) -> None:
    """The books have three at the goal, other ways two and four. Red builds all the same. Then three vanish there."""
    three, heap = two_taken_for_three(danger)
    before, rules = danger.session.state, rule_set("danger")
    red_follows(danger)
    danger.done(doubted={HOME: heap}, told={GOAL: three})
    begun = danger.session.state
    ways = carried_on(rules, before, begun)
    assert at_goal(ways) == [2, 4]
    vanished = Change({GOAL: CellChange(three, danger.on_goal())})
    accepted = rules.accept_change(begun.now, vanished)
    assert accepted is not None
    assert carried_on(rules, replace(begun, rivals=ways), begun.moved(accepted)) == ()


def three_seen_of_four(danger: Play, others: Shares) -> Contents:
    """Let four walk of whom the reader surely sees three; two are left, which would rather be two than three."""
    danger.walk(4)
    three, left = danger.on_goal(black=3), {danger.on(HOME, black=2): 0.75, danger.on(HOME, black=3): 0.25}
    assert movers(danger.done(surely={GOAL: (three, 0.96, others)}, doubted={HOME: left})) == [BLACK]
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (3, 3), "one of both is wrong, and the heap was the surer"
    return three


def test_a_heap_that_was_surely_counted_is_asked_about_once_others_show_that_one_more_may_be_there(
    danger: Play,
) -> None:
    four = danger.on_goal(black=4)
    three = three_seen_of_four(danger, {four: 0.01})
    red_follows(danger)
    assert asked(danger.done(told={GOAL: three})) == (HOME, GOAL)
    danger.session.obey(CorrectCell(GOAL, four))
    assert movers(danger.done(told={GOAL: three})) == [RED]
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (4, 2)


def test_if_the_reader_names_no_such_number_the_player_is_told_of_the_merchant_that_is_missing(danger: Play) -> None:
    three = three_seen_of_four(danger, {})
    red_follows(danger)
    assert codes(danger.done(told={GOAL: three}))


def test_of_two_merchants_that_are_surely_seen_neither_is_doubted(danger: Play) -> None:
    danger.walk(2)
    two, three = danger.on_goal(black=2), danger.on_goal(black=3)
    danger.done(surely={GOAL: (two, 0.96, {three: 0.03})}, doubted={HOME: {danger.on(HOME, black=4): 0.5}})
    assert three not in [rival.position.expected()[GOAL] for rival in danger.session.state.rivals]


def test_if_the_doubtful_move_itself_is_taken_back_nothing_of_it_stays_open(danger: Play) -> None:
    three, heap = two_taken_for_three(danger)
    red_follows(danger)
    danger.done(doubted={HOME: heap}, told={GOAL: three})
    danger.press(Undo(2), doubted={HOME: heap}, told={GOAL: three})
    assert not danger.session.state.rivals


def test_what_came_since_is_counted_on_from_each_ways_own_number(danger: Play) -> None:
    """Two have walked and passed for three; then one more does, and the three at home are plain to see."""
    three, heap = two_taken_for_three(danger)
    red_builds(danger.table)
    danger.table.put(at(-2), RED, -1)
    assert movers(danger.done(doubted={HOME: heap}, told={GOAL: three})) == [RED]
    danger.table.put(HOME, BLACK, -1)
    danger.table.put(GOAL, BLACK)
    assert reread(danger.done(since={GOAL: (danger.on_goal(black=4), three)})) == {GOAL, HOME}
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (2, 4), "so with the third there are three at each"


@pytest.mark.parametrize(("looks", "walked"), [((0.01, 0.01, 0.01, 1.0, 0.01), 2), ((0.01, 0.01, 0.01, 0.01, 1.0), 3)])
def test_how_many_merchants_look_to_be_there_tells_ways_apart_that_count_on_from_different_numbers(
    danger: Play, looks: tuple[float, ...], walked: int
) -> None:
    """Two have walked and passed for three; one more does, and now three can be seen there, or as many as four."""
    three, heap = two_taken_for_three(danger)
    red_follows(danger)
    assert movers(danger.done(doubted={HOME: heap}, told={GOAL: three})) == [RED]
    four = danger.on_goal(black=4)
    home = {danger.on(HOME, black=3): 0.5, danger.on(HOME, black=2): 0.5}
    danger.table.put(HOME, BLACK, -1)
    danger.done(
        doubted={HOME: home, GOAL: {four: 0.9, three: 0.1}},
        since={GOAL: (four, three)},
        anew={GOAL: {BLACK: looks}},
    )
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (walked, 6 - walked), "the third is not legal"


def test_what_a_person_says_is_there_is_no_number_to_count_on_from(danger: Play) -> None:
    """Two have walked and passed for three. If it was two, the three that a person sees are not one more."""
    three, heap = two_taken_for_three(danger)
    red_follows(danger)
    danger.look(doubted={HOME: heap}, since={GOAL: (three, three)})
    danger.session.obey(CorrectCell(GOAL, three))
    read = danger.session.reading
    assert read is not None
    assert read.cells[GOAL].since is None


def test_a_doubt_that_looks_the_same_turn_after_turn_speaks_only_once_against_another_way(danger: Play) -> None:
    """Two have walked and passed for three. The four at home look like three, and look the same at each press."""
    three, _ = two_taken_for_three(danger)
    heap = {danger.on(HOME, black=3): 0.9, danger.on(HOME, black=4): 0.02}

    def other_way() -> float:
        return max(rival.share for rival in danger.session.state.rivals if rival.position.expected()[GOAL] != three)

    shares = []
    for _ in range(2):
        danger.done(doubted={HOME: heap}, told={GOAL: three})
        shares.append(other_way())
    assert shares[1] == pytest.approx(shares[0], rel=0.05)


@pytest.mark.parametrize("repeats", ["told", "since"])
def test_what_the_reader_repeats_says_nothing_after_a_refusal_that_put_the_books_right(
    danger: Play, repeats: str
) -> None:
    """Two have walked and passed for three; Red's press shows it, but is refused. Nobody tells the reader."""
    three, _ = two_taken_for_three(danger)
    seen = {"told": {GOAL: three}} if repeats == "told" else {"since": {GOAL: (three, three)}}
    danger.table.road(RED, at(-4))
    refused = danger.done(**seen)
    assert reread(refused) == {GOAL, HOME}
    assert codes(refused)
    danger.table.lies.pop(at(-4))
    red_builds(danger.table)
    danger.table.put(at(-2), RED, -1)
    assert movers(danger.done(**seen)) == [RED]
    assert (danger.cubes(GOAL), danger.cubes(HOME)) == (2, 4)


def test_that_holds_for_players_who_were_named_since_and_after_a_power_cut(danger: Play) -> None:
    three, _ = two_taken_for_three(danger)
    danger.table.road(RED, at(-4))
    danger.done(told={GOAL: three})
    danger.session.obey(NamePlayers((Player("Zoe", BLACK), *GAME.players[1:])))
    given = danger.session.state.given
    assert given is not None
    assert given[1].players == danger.position.players
    resumed = danger.resumed()
    resumed.table.lies.pop(at(-4))
    red_builds(resumed.table)
    resumed.table.put(at(-2), RED, -1)
    assert movers(resumed.done(told={GOAL: three})) == [RED]
