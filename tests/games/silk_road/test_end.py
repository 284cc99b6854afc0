"""Whose turn it is, who is skipped, and when the game ends."""

import pytest

from companion.games import score
from companion.games.silk_road import COMPETITIVE, COOPERATIVE, Pass
from tests.games.silk_road.table import after, begin, codes, drawn, hand, names, passes, place, section

NO_RAYS: list[int] = []


def test_turns_go_round_in_the_order_of_the_players() -> None:
    position = begin({"brown": hand("b", 2), "green": hand("g", 2), "blue": hand("u", 2)})
    seen = [position.next]
    for move in (place("b1", "B2"), place("g1", "A2"), place("u1", "B1"), place("b2", "C1")):
        position = after(position, move)
        seen.append(position.next)
    assert seen == ["brown", "green", "blue", "brown", "green"]


def test_who_passed_is_skipped_for_the_rest_of_the_game() -> None:
    position = after(begin({"green": hand("g", 3), "brown": hand("b", 3)}), Pass("green"), place("b1", "B2"))
    assert position.next == "brown"
    assert after(position, place("b2", "A2")).next == "brown"
    assert codes(position, place("g1", "A2")) == ["not-your-turn"]
    assert position.sections_left["green"] == tuple(hand("g", 3)), "they keep what they did not lay"


def test_the_game_ends_when_all_have_passed() -> None:
    position = after(begin({"green": hand("g", 3), "brown": hand("b", 3)}), *passes("g"))
    assert not position.over
    position = after(position, *passes("b"))
    assert (position.over, position.next, position.phase) == (True, None, "over")
    assert score(position).winners == ("green", "brown"), "nobody has anything: they share"


def test_a_player_without_sections_is_skipped_even_at_the_start() -> None:
    position = begin({"green": [], "brown": hand("b", 2), "blue": []})
    assert position.next == "brown"
    position = after(position, place("b1", "B2"))
    assert position.next == "brown"
    assert after(position, place("b2", "A2")).over


def test_where_nobody_has_sections_the_game_is_over_before_the_first_move() -> None:
    position = begin({"green": [], "brown": []})
    assert (position.over, position.next) == (True, None)
    assert codes(position, Pass("green")) == ["game-over"]


def test_the_game_ends_in_the_middle_of_a_round_when_the_last_section_is_laid() -> None:
    position = after(begin({"green": hand("g", 2), "brown": hand("b", 1)}), place("g1", "B2"), place("b1", "A2"))
    assert position.next == "green", "whoever laid their last is skipped, the other goes on"
    assert after(position, place("g2", "B1")).over


def test_it_also_ends_when_those_who_have_sections_have_passed() -> None:
    position = begin({"green": hand("g", 2), "brown": hand("b", 1)})
    position = after(position, Pass("green"), place("b1", "B2"))
    assert position.over
    assert position.sections_left == {"green": tuple(hand("g", 2)), "brown": ()}


def test_the_game_ends_when_no_way_is_open_whoever_still_has_sections() -> None:
    hands = {"green": hand("g", 9, NO_RAYS), "brown": [*hand("b", 8, NO_RAYS), section("b9", rays=[6])]}
    position = after(begin(hands), place("g1", "A2"), place("b1", "B1"))
    assert names(position.open_ways) == "B2"
    assert after(position, place("g2", "B2")).over
    position = after(begin(hands), place("g1", "A2"), place("b9", "B1"), place("g2", "B2"))
    assert not position.over, "one ray that points at an open square keeps it going"
    assert names(position.open_ways) == "C1"
    assert after(position, place("b2", "C1")).over


def test_rays_that_point_at_taken_squares_and_over_the_rim_keep_nothing_going() -> None:
    hands = {"green": hand("g", 3, [2, 3, 4])}
    position = after(begin(hands), place("g1", "A2"), place("g2", "B1"))
    assert not position.over
    assert after(position, place("g3", "B2")).over


def test_one_player_plays_alone() -> None:
    position = after(begin({"green": hand("g", 2)}), place("g1", "B2"))
    assert position.next == "green"
    assert after(position, Pass("green")).over


#: Green has a road worth 6, and so has brown.
LEVEL = """
.  g6 g  g  g  .
.  .  .  .  .  .
.  M  .  M  .  .
.  .  .  .  .  .
.  M  .  M  .  .
S  .  b6 b  b  b
"""


@pytest.mark.parametrize(
    ("picture", "winners"),
    [(LEVEL, ("green", "brown")), (LEVEL.replace("b6", "b5"), ("green",)), (LEVEL.replace("b6", "b7"), ("brown",))],
)
def test_most_wealth_wins_and_equal_wealth_shares(picture: str, winners: tuple[str, ...]) -> None:
    position = drawn(picture)
    assert score(position).winners == (), "not before the end"
    assert score(COMPETITIVE.end(position)).winners == winners


def test_in_a_cooperative_game_all_wealth_is_added_up_and_nobody_wins() -> None:
    position = COOPERATIVE.end(drawn(LEVEL, COOPERATIVE))
    assert (position.over, position.total, score(position).winners) == (True, 12, ())


def test_a_game_that_is_ended_early_stands_as_it_lies() -> None:
    position = after(begin({"green": hand("g", 3), "brown": hand("b", 3)}), place("g1", "B2"))
    ended = COMPETITIVE.end(position)
    assert (ended.over, ended.laid, ended.open_ways) == (True, position.laid, position.open_ways)
    assert codes(ended, place("b1", "A2")) == ["game-over"]
    assert not position.over
