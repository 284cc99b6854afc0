"""Victories first, then the share of the gold, then the opponents' strength."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from hub.tournament.standings import Played, Seat, standings, won_by_gold


def game(**gold: int) -> Played:
    won = won_by_gold(list(gold.values()))
    return Played(tuple(Seat(ord(name), has, part) for (name, has), part in zip(gold.items(), won, strict=True)))


def order(*games: Played, players: str = "abcdef") -> str:
    return "".join(chr(line.player) for line in standings(map(ord, players), games))


def test_victories_come_first() -> None:
    assert order(game(a=9, b=10), game(a=50, b=1), game(a=1, b=2), players="ab") == "ba"


def test_then_the_share_of_the_gold_so_that_a_rich_table_is_worth_no_more() -> None:
    lines = standings(map(ord, "abcd"), [game(a=6, b=4), game(c=55, d=45)])
    assert [chr(line.player) for line in lines] == ["a", "c", "d", "b"]
    assert lines[0].share == Fraction(3, 5)


def test_then_the_strength_of_the_opponents() -> None:
    # c and d have one victory each with the same share; c beat a, who won their other game.
    games = [game(c=6, a=4), game(d=6, b=4), game(a=6, e=4), game(f=6, b=4)]
    lines = {chr(line.player): line for line in standings(map(ord, "abcdef"), games)}
    assert lines["c"].victories == lines["d"].victories
    assert lines["c"].share == lines["d"].share
    assert lines["c"].strength > lines["d"].strength
    assert lines["c"].place < lines["d"].place


def test_a_tie_shares_the_victory_and_those_who_are_level_share_a_place() -> None:
    lines = standings(map(ord, "ab"), [game(a=7, b=7)])
    assert [(line.place, line.victories) for line in lines] == [(1, Fraction(1, 2)), (1, Fraction(1, 2))]
    assert won_by_gold([7, 7, 3], [2, 5, 9]) == (0, 1, 0)


def test_whoever_sits_out_gets_what_chance_would_have_given() -> None:
    (line,) = standings([1], [], {1: 2}, size=4)
    assert (line.victories, line.share, line.games, line.rested) == (Fraction(1, 2), Fraction(1, 4), 0, 2)


def test_nobody_has_more_of_nothing() -> None:
    assert [line.share for line in standings(map(ord, "ab"), [game(a=0, b=-3)])] == [Fraction(1, 2), Fraction(1, 2)]


@given(st.lists(st.lists(st.integers(-20, 60), min_size=4, max_size=4), max_size=12))
def test_a_game_gives_away_one_victory_and_one_whole_share(golds: list[list[int]]) -> None:
    games = [game(**dict(zip("abcd", gold, strict=True))) for gold in golds]
    lines = standings(map(ord, "abcd"), games)
    assert sum(line.victories for line in lines) == len(games)
    assert sum(line.share * line.games for line in lines) == len(games)
    assert [line.place for line in lines] == sorted(line.place for line in lines)
