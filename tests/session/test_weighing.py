"""Where the reader says how likely each answer is, the likeliest verdict is given, and close calls are asked about."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.board import BARE, CellChange, Change, Contents, HexCell, Merchants, Terrain, Workshop
from companion.commands import CorrectCell
from companion.events import Outlook
from companion.games import rule_set
from companion.games.contract import Legal, reason
from companion.session.answers import shares_on
from companion.session.changes import seen_change, with_contents
from companion.session.doubts import OpenCell, Table, open_cells
from companion.session.weighing import agree, reasons_of, remembered, words
from tests.session.conftest import GOAL, HOME, ONE_EACH, REMOTE, ROAD, Play, Shares, asked, codes, movers, read_as, told
from tests.session.tabletop import BLACK, HAMLET, RED, TOWN, at, black_builds, red_builds, road
from tests.session.test_histories import on_and_on
from tests.tries import tries


@pytest.mark.parametrize("answers", [{ROAD: 0.7, BARE: 0.3}, {road(RED): 0.9, ROAD: 0.1}])
def test_a_move_is_taken_that_only_an_unlikely_answer_makes_a_mistake(laid: Play, answers: Shares) -> None:
    """Another player's tile was likelier misread than taken from them."""
    assert told(laid.done(doubted={at(2): answers}))[0] == "TurnTaken"


def test_a_mistake_that_is_far_likelier_is_refused(laid: Play) -> None:
    doubted = {GOAL: {laid.on_goal(): 0.9999, laid.on_goal(black=1): 0.0001}}
    assert codes(laid.done(doubted=doubted)) == ["merchant-missing"]


def test_a_mistake_that_is_no_likelier_than_players_are_right_is_asked_about(laid: Play) -> None:
    doubted = {GOAL: {laid.on_goal(): 0.95, laid.on_goal(black=1): 0.05}}
    assert asked(laid.done(doubted=doubted)) == (GOAL,)


@pytest.mark.parametrize("cell", [at(5, 1), at(2)], ids=["elsewhere", "on the road"])
def test_ground_that_a_mirrored_lamp_hides_is_bare_or_what_continues_the_road(laid: Play, cell: HexCell) -> None:
    """The lamp looks like a hamlet there. If the light were not taken into account, people would be asked."""
    doubted = {cell: {Contents(HAMLET): 0.3}}
    assert told(laid.done(doubted=doubted, unseen={cell: 0.7}))[0] == "TurnTaken"


def test_ground_that_is_seen_but_not_understood_is_asked_about(laid: Play) -> None:
    assert asked(laid.done(doubted={at(2): {Contents(HAMLET): 0.3}})) == (at(2),)


def test_the_marker_tells_two_moves_apart(play: Play) -> None:
    doubted = on_and_on(play)
    play.table.tracks[BLACK] = 4
    assert told(play.done(doubted=doubted))[0] == "TurnTaken"
    assert play.position.expected().get(at(4), BARE) == BARE


def test_what_cannot_be_was_something_else_that_makes_the_move_legal(laid: Play) -> None:
    """Nobody plays grey, so the cube is Black's, who has come here; and so is the road."""
    grey = {laid.on_goal(grey=1): 0.8, laid.on_goal(): 0.1, laid.on_goal(red=1): 0.1}
    assert told(laid.done(doubted={GOAL: grey}))[0] == "TurnTaken"


def test_what_is_wrong_whatever_lies_elsewhere_is_refused_though_more_may_be_wrong(laid: Play) -> None:
    laid.table.lies[at(2)] = road(BLACK, terrain=Terrain.FOREST)
    doubted = {GOAL: {laid.on_goal(black=1): 0.3, laid.on_goal(): 0.7}}
    assert codes(laid.done(doubted=doubted)) == ["tile-terrain"]


def test_where_what_else_is_wrong_is_as_likely_as_not_it_is_asked_about(laid: Play) -> None:
    laid.table.lies[at(2)] = road(BLACK, terrain=Terrain.FOREST)
    doubted = {GOAL: {laid.on_goal(black=1): 0.02, laid.on_goal(): 0.98}}
    assert asked(laid.done(doubted=doubted)) == (GOAL,)


@given(st.lists(st.floats(0.001, 1), min_size=2, max_size=5), st.booleans(), st.booleans())
def test_what_the_books_hold_is_likelier_where_nothing_changed_but_all_answers_together_are_not(
    parts: list[float], is_heap: bool, is_walking: bool
) -> None:
    answers = [Contents(Workshop(BLACK), Merchants(black=number)) for number in range(len(parts))]
    shares = dict(zip(answers, (part / sum(parts) for part in parts), strict=True))
    cell = OpenCell(GOAL, answers[0], tuple(answers), is_remembered=True, shares=shares)
    weighed = remembered(cell, is_heap, is_walking)
    assert sum(weighed.values()) == pytest.approx(1)
    assert weighed[answers[0]] > shares[answers[0]]
    assert remembered(replace(cell, is_asked=True), is_heap, is_walking) == shares


def test_what_was_asked_about_and_nobody_answered_is_taken_for_what_is_likeliest(laid: Play) -> None:
    doubted = {GOAL: {laid.on_goal(): 0.85, laid.on_goal(black=1): 0.15}}
    assert asked(laid.done(doubted=doubted)) == (GOAL,)
    again = laid.done(doubted=doubted)
    assert told(again)[0] == "TurnTaken", "0.15 against 0.85 / 50"


@pytest.mark.parametrize("shares", [{0: 0.97, 1: 0.03}, {1: 0.05, 0: 0.01}], ids=["likely a mistake", "hardly known"])
def test_the_game_goes_on_meanwhile_and_the_move_asked_about_was_the_likeliest_legal_one(
    laid: Play, shares: Mapping[int, float]
) -> None:
    doubted = {GOAL: {laid.on_goal(black=number): share for number, share in shares.items()}}
    assert asked(laid.done(doubted=doubted)) == (GOAL,)
    red_builds(laid.table)
    assert movers(laid.done(doubted=doubted)) == [BLACK, RED]


@pytest.mark.parametrize("share", [0.02, 0.01])
def test_each_press_settles_the_one_before_and_may_be_asked_about_itself(laid: Play, share: float) -> None:
    """The next player's own doubts are no older ones."""
    black = {GOAL: {laid.on_goal(): 0.97, laid.on_goal(black=1): 0.03}}
    assert asked(laid.done(doubted=black)) == (GOAL,)
    red_builds(laid.table)
    red = {at(0): {laid.on(at(0)): 1 - share, laid.on(at(0), red=1): share}}
    events = laid.done(doubted={**black, **red})
    assert told(events) == ["TurnTaken", "TurnBegan", "MoveUnclear"], "Black's move is told, Red's asked about"
    laid.goes_on()
    assert movers(laid.done(doubted={**black, **red})) == [RED, BLACK]


def test_the_number_of_a_heap_is_one_that_makes_a_move() -> None:
    danger = Play.dealt("danger")
    heap = {Contents(Workshop(BLACK), Merchants(black=number)): 1 / 12 for number in range(1, 13)}
    assert told(danger.done(doubted={HOME: heap}))[0] == "WorkshopPlaced"
    assert danger.cubes(HOME) == 6, "as many as the rules have there"


@pytest.fixture
def walking() -> Play:
    """Nick Danger's game, in which merchants walk: all workshops are placed, and Red is next, at home at (-2, 0)."""
    return Play.begun("danger", (*ONE_EACH, (BLACK, at(1, 3)), (RED, at(-2, -3))))


def test_where_merchants_walk_those_who_arrived_tell_how_many_left_a_heap(walking: Play) -> None:
    red_builds(walking.table)
    heap = {walking.on(at(-2), red=number): 0.08 for number in range(1, 13)}
    arrived = {walking.on(at(0), red=2): 0.999, walking.on(at(0), red=3): 0.001}
    assert told(walking.done(doubted={at(-2): heap, at(0): arrived}))[0] == "TurnTaken"
    assert walking.position.expected()[at(-2)].merchants.red == 4


def test_a_number_that_the_reader_does_not_name_is_weighed_where_merchants_walk(walking: Play) -> None:
    """They were counted as two or three, without certainty; four left home, as is plain to see there."""
    red_builds(walking.table)
    walking.table.put(at(-2), RED, -4)
    counted = {walking.on(at(0), red=3): 0.4, walking.on(at(0), red=2): 0.15}
    walking.done(doubted={at(0): counted})
    assert walking.session.state.rivals[0].position.expected()[at(0)].merchants.red == 4, "asked about, and likeliest"


def test_a_number_that_the_reader_does_not_name_is_no_likelier_than_those_it_names(walking: Play) -> None:
    """Three have arrived of six who left, and the other heap looks as it did: it did not grow by the three."""
    heap = at(-2, -3)
    red_builds(walking.table)
    walking.table.put(at(0), RED, 2)
    walking.table.put(at(-2), RED, -6)
    named = {walking.on(heap, red=number): 0.9 if number == 6 else 0.014 for number in range(1, 9)}
    reading = walking.table.seen(doubted={heap: named})
    position, rules = walking.position, rule_set("danger")
    change = seen_change(reading, position.expected())
    cells = [replace(each, is_remembered=True) for each in open_cells(rules, position, Table(reading), change)]
    first, *_ = words(rules, position, change, cells, (None, None))
    assert [reason.code for reason in reasons_of(first.verdict)] == ["merchant-total"]
    assert first.share > 0.95


@pytest.mark.parametrize(("left", "is_believed"), [(1, False), (4, True)], ids=["one", "four"])
def test_a_merchant_who_is_missing_at_home_is_overlooked_only_if_many_were_there(
    danger: Play, left: int, is_believed: bool
) -> None:
    """Nobody can count a heap; but whether the last one is still there is plain to see."""
    danger.walk(6 - left)
    danger.done()
    red_builds(danger.table)
    danger.table.put(at(-2), RED, -1)
    danger.done()
    danger.table.road(BLACK, at(4))
    danger.table.road(BLACK, at(5))
    danger.table.put(GOAL, BLACK, -1)
    danger.table.put(at(6), BLACK)
    doubted = {HOME: {danger.on(HOME, black=left - 1): 0.95, danger.on(HOME, black=left): 0.05}}
    assert (movers(danger.done(doubted=doubted, covered_tracks=[BLACK])) == [BLACK]) is is_believed


def test_where_merchants_walk_what_is_wrong_anyhow_is_told_whatever_their_numbers_are(danger: Play) -> None:
    """A tile is for forest. Two merchants came and pass for three, so at home or elsewhere one should be missing."""
    danger.walk(2)
    danger.table.lies[at(2)] = road(BLACK, terrain=Terrain.FOREST)
    counted = {
        HOME: {4: 0.86, 5: 0.08, 3: 0.01},
        GOAL: {3: 0.86, 2: 0.05, 4: 0.05},
        at(4, -1): {6: 0.48, 5: 0.1, 4: 0.1, 7: 0.1, 8: 0.1},
    }
    heaps = {
        cell: {danger.on(cell, black=number): share for number, share in numbers.items()}
        for cell, numbers in counted.items()
    }
    assert codes(danger.done(doubted=heaps)) == ["tile-terrain"]


def test_another_players_merchant_is_taken_from_one_cell_and_put_on_another() -> None:
    """On more cells than two it is more than one mistake, and rather a misreading of earlier moves."""
    rules = rule_set("danger")
    two, four = (reason("merchant-color", [at(number) for number in range(count)]) for count in (2, 4))
    one = reason("merchant-color", [at(0)])
    assert rules.seldom(one) == rules.seldom(two) > 100 * rules.seldom(four)


def test_answers_that_are_not_worth_showing_count_as_well(laid: Play) -> None:
    reading = laid.table.seen(doubted={at(2): {BARE: 0.6}})
    assert laid.session.standing(reading).outlook is not Outlook.LEGAL
    assert told(laid.done(read_as(reading, at(2), further=((ROAD, 0.4),))))[0] == "TurnTaken"


def test_where_a_merchant_may_be_missing_here_or_there_it_is_missing(play: Play) -> None:
    """One merchant is missing, as is plain to see; another one that may be missing makes no other fault of it."""
    play.table.lies |= dict.fromkeys((at(2), at(4), at(5)), ROAD)
    doubted = {at(6): {play.on(at(6)): 0.5, play.on(at(6), black=1): 0.5}}
    assert codes(play.done(doubted=doubted)) == ["merchant-missing"]


def test_where_something_lies_that_the_reader_cannot_name_nothing_is_refused_as_if_nothing_lay_there() -> None:
    """A heap hides the workshop that was to be laid; the reader names bare ground, but at only one third."""
    town = Contents(TOWN, Merchants(black=5))
    assert asked(Play.dealt("danger").done(doubted={HOME: {BARE: 0.36, town: 0.01}})) == (HOME,)


@pytest.mark.parametrize("rules", ["standard", "danger"])
def test_something_new_that_the_reader_cannot_name_is_the_workshop_that_is_due(rules: str) -> None:
    play = Play.dealt(rules)
    assert told(play.done(doubted={HOME: {Contents(Workshop(RED)): 0.02, BARE: 0.01}}))[0] == "WorkshopPlaced"
    assert play.cubes(HOME) == (6 if rules == "danger" else 0)


def test_where_a_workshop_may_not_be_something_new_that_the_reader_cannot_name_is_not_taken_for_one(play: Play) -> None:
    dealt = Play.dealt()
    dealt.place(ONE_EACH[0])
    assert "WorkshopPlaced" not in told(dealt.done(doubted={at(2): {Contents(HAMLET): 0.02}})), "beside another one"


def test_a_merchant_that_cannot_leave_and_is_not_seen_is_hidden_by_another(both_laid: Play) -> None:
    """Black's next merchant came to their goal, and seems to be the only one there."""
    both_laid.done()
    both_laid.goes_on()
    doubted = {GOAL: {both_laid.on_goal(): 0.99, both_laid.on_goal(black=1): 0.005}}
    assert told(both_laid.done(doubted=doubted))[0] == "TurnTaken"


def test_what_is_impossible_has_most_likely_as_many_merchants_as_were_seen() -> None:
    dealt = Play.dealt("danger")
    heap = {Contents(None, Merchants(black=number)): share for number, share in ((6, 0.6), (4, 0.3))}
    read = dealt.table.seen(doubted={HOME: heap}).cells[HOME]
    shares, fit = shares_on(rule_set("danger"), dealt.position, HOME, BARE, read, (), None)
    placed = {contents.merchants.black: share for contents, share in shares.items() if contents.tile == Workshop(BLACK)}
    assert placed[6] > placed[4] > shares[BARE]
    assert fit < 1


def test_what_the_books_hold_is_hardly_likely_where_something_else_is_surely_seen_but_never_impossible(
    laid: Play,
) -> None:
    """Four had come to one place and left another; that none had moved between them was once taken for likely."""
    seen = {laid.on_goal(black=1): 0.9, laid.on_goal(black=2): 0.1}
    read = laid.table.seen(doubted={GOAL: seen}).cells[GOAL]
    shares, _ = shares_on(rule_set("standard"), laid.position, GOAL, laid.on_goal(), read, (), None)
    assert 0 < shares[laid.on_goal()] < 0.005


def test_what_cannot_be_on_bare_ground_is_not_nothing(laid: Play) -> None:
    """A road next to the move is taken for a hamlet, in a lamp's glare: the move may go on there."""
    assert at(4) in asked(laid.done(doubted={at(4): {Contents(HAMLET): 0.87, BARE: 0.03}}))


def test_far_from_the_move_what_nobody_knows_anything_of_is_asked_about_all_the_same(laid: Play) -> None:
    far = at(-5, 4)
    doubted = {far: {}, at(2): {ROAD: 0.97, BARE: 0.03}}
    assert asked(laid.done(doubted=doubted, covered_tracks=[BLACK])) == (far,)


def test_an_earlier_tile_that_is_likely_gone_is_asked_about_beside_a_move_with_doubts_of_its_own(
    both_laid: Play,
) -> None:
    both_laid.done()
    both_laid.goes_on()
    doubted = {at(-1): {BARE: 0.99, road(RED): 0.01}, at(5): {ROAD: 0.97, BARE: 0.03}}
    assert at(-1) in asked(both_laid.done(doubted=doubted))


def test_where_not_all_combinations_can_be_tried_nothing_is_refused_for_certain(walking: Play) -> None:
    """Three heaps that may have any number: few of the combinations make the move, and not the likeliest ones."""
    assert walking.position.next is RED
    red_builds(walking.table)
    heaps = {}
    for cell in (at(-2), at(-2, -3), at(0)):
        heaps[cell] = {walking.on(cell, red=number): 0.085 if number > 6 else 0.081 for number in range(1, 13)}
    assert asked(walking.done(doubted=heaps))


def test_where_merchants_walk_other_numbers_that_were_not_tried_speak_for_the_same_move(walking: Play) -> None:
    """The likeliest numbers of three heaps make the move, and some of the less likely ones are legal, too."""
    red_builds(walking.table)
    walking.table.put(at(0), RED)
    walking.table.put(at(-2), RED, -2)
    counted = {}
    for cell in (at(-2), at(-2, -3), at(0)):
        others = {walking.on(cell, red=number): 0.06 for number in range(1, 13)}
        counted[cell] = others | {walking.table.lies[cell]: 1 - 11 * 0.06}
    position, rules = walking.position, rule_set("danger")
    reading = walking.table.seen(doubted=counted)
    laid = Change({at(-1): CellChange(BARE, walking.table.lies[at(-1)])})
    cells = open_cells(rules, position, Table(reading), laid)
    few, all_of_them = (words(rules, position, laid, cells, (None, None), most=most) for most in (10, 2000))
    assert isinstance(few[0].verdict, Legal)
    assert isinstance(all_of_them[0].verdict, Legal)
    assert few[0].share == pytest.approx(all_of_them[0].share, abs=0.1)


def test_another_doubt_that_lingers_makes_no_answer_of_a_press(laid: Play) -> None:
    """A far-away cell was in doubt at both presses, and nobody was asked about it."""
    far = {REMOTE: {laid.on(REMOTE): 0.95, laid.on(REMOTE, red=1): 0.05}}
    road = {at(2): {BARE: 0.985, ROAD: 0.015}}
    goal = {GOAL: {laid.on_goal(): 0.9, laid.on_goal(black=1): 0.1}}
    assert asked(laid.done(doubted=road | far, covered_tracks=[BLACK]))
    assert asked(laid.done(doubted=goal | far, covered_tracks=[BLACK])) == (GOAL,)


def test_a_mistake_that_was_asked_about_is_told_when_it_is_seen_again(play: Play) -> None:
    play.table.road(BLACK, at(2))
    doubted = {GOAL: {play.on_goal(): 0.99, play.on_goal(red=1): 0.01}}
    assert asked(play.done(doubted=doubted)) == (GOAL,)
    assert codes(play.done(doubted=doubted)) == ["merchant-missing"]


def test_a_move_of_next_to_no_likelihood_is_not_taken_because_the_next_player_went_on(laid: Play) -> None:
    hardly = {GOAL: {laid.on_goal(): 0.499, laid.on_goal(black=2): 0.5, laid.on_goal(black=1): 1e-6}}
    assert asked(laid.done(doubted=hardly)) == (GOAL,)
    red_builds(laid.table)
    assert "TurnTaken" not in told(laid.done(doubted=hardly))


def test_an_answer_that_leaves_another_question_has_that_asked(laid: Play) -> None:
    doubted = {at(2): {ROAD: 0.02, BARE: 0.98}, GOAL: {laid.on_goal(): 0.995, laid.on_goal(black=1): 0.005}}
    asked(laid.done(doubted=doubted))
    _, question, *_ = laid.session.obey(CorrectCell(at(2), ROAD))
    assert asked((question,)) == (GOAL,)


# The law, and the naive way -----------------------------------------------------------------------------------------

SHARE = st.floats(0.2, 1.0)


@settings(deadline=None, max_examples=tries(60))
@given(road=SHARE, grey=SHARE, merchant=SHARE, none=SHARE)
def test_shares_of_words_sum_up_to_one_and_are_those_of_all_combinations(
    road: float, grey: float, merchant: float, none: float
) -> None:
    play = Play.begun()
    position, rules = play.position, rule_set("standard")
    black_builds(play.table)
    doubted: Mapping[HexCell, Shares] = {
        at(2): {ROAD: road / (road + grey), BARE: grey / (road + grey)},
        GOAL: {play.on_goal(black=1): merchant / (merchant + none), play.on_goal(): none / (merchant + none)},
    }
    reading = play.table.seen(doubted=doubted)
    cells = open_cells(rules, position, Table(reading), Change({}))
    found = words(rules, position, Change({}), cells, (None, None))
    assert sum(word.share for word in found) == pytest.approx(1)
    assert [word.share for word in found] == sorted((word.share for word in found), reverse=True)

    expected, sums = position.expected(), [0.0] * len(found)
    for contents in product(*(each.shares for each in cells)):
        held = {each.cell: one for each, one in zip(cells, contents, strict=True)}
        verdict = rules.judge(position, with_contents(Change({}), held, expected))
        share = prod(each.shares[one] for each, one in zip(cells, contents, strict=True))
        same = [place for place, word in enumerate(found) if agree(word.verdict, verdict)]
        assert len(same) == 1
        sums[same[0]] += share
    legal = [place for place, word in enumerate(found) if isinstance(word.verdict, Legal) and word.change]
    refused = [place for place, word in enumerate(found) if not isinstance(word.verdict, Legal)]
    for one in legal:
        for other in refused:
            beside = found[one].share / found[other].share
            assert beside == pytest.approx(sums[one] / sums[other] / _chance(found[other].verdict))


def _chance(verdict: object) -> float:
    """Return the chance of the mistakes: 1 in 50, 1 in 300 for a merchant off the roads; the next, 5 times likelier."""
    reasons = getattr(verdict, "reasons", ()) or getattr(verdict, "missing", ())
    return prod(1 / 300 if reason.code == "merchant-unconnected" else 1 / 50 for reason in reasons) * 5 ** (
        len(reasons) - 1
    )
