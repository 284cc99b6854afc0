"""Head to head, streaks and favourites, against a second implementation that naively counts each of them again."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from companion.board import Color, SettlementType
from companion.events import GameOver
from companion.games.la_strada.position import LaStradaPosition
from companion.logbook.archive import LoggedGame, Seat, opened_archive
from companion.logbook.statistics import MOST_PEOPLE, Rivals, Visits, is_person, rivals_of, statistics_of, visits_in
from tests.logbook.playing import change, unpacked

NAMES = ("Ada", "Bo", "Cy", "Dee", "Black", " Ada ")
RULES = ("standard", "danger", "two-player", "cooperative", "forgotten-rules")


@st.composite
def seats(draw: st.DrawFn, names: tuple[str, ...] = NAMES) -> tuple[Seat, ...]:
    count = draw(st.integers(2, 4))
    called = draw(st.lists(st.sampled_from(names), min_size=count, max_size=count, unique_by=str.strip))
    colors = draw(st.permutations(list(Color)))[:count]
    gold = draw(st.lists(st.integers(0, 5), min_size=count, max_size=count))
    winners = draw(st.sets(st.integers(0, count - 1), min_size=1))
    return tuple(
        Seat(name, color, earned, 1 / len(winners) if seat in winners else 0.0)
        for seat, (name, color, earned) in enumerate(zip(called, colors, gold, strict=True))
    )


@st.composite
def games(draw: st.DrawFn) -> tuple[LoggedGame, ...]:
    return tuple(
        LoggedGame(
            number, "", "", draw(st.sampled_from(("over", "over", "over", "early", "left"))), "kitchen",
            draw(st.sampled_from(RULES)), draw(seats()), 30, 0,
        )
        for number in range(1, draw(st.integers(0, 14)) + 1)
    )  # fmt: skip


def counted(games: tuple[LoggedGame, ...], rules: str) -> list[dict[str, Seat]]:
    """Return the games that count, each as its people by name."""
    return [
        {seat.name.strip(): seat for seat in game.seats if seat.name.strip().lower() != str(seat.color)}
        for game in games
        if game.rules == rules and game.outcome == "over"
    ]


def is_ahead(one: Seat, other: Seat) -> bool:
    if one.won != other.won:
        return bool((one.won or 0) > (other.won or 0))
    return bool((one.gold or 0) > (other.gold or 0))


def longest(results: str) -> int:
    return max(len(run) for run in results.split("-"))


@given(games())
def test_head_to_head_and_streaks_are_what_a_second_count_gives(played: tuple[LoggedGame, ...]) -> None:
    for found in rivals_of(played):
        every = counted(played, found.rules)
        assert set(found.names) == {name for game in every for name in game}
        for one in found.names:
            results = "".join("w" if game[one].won else "-" for game in every if one in game)
            assert found.streaks[one].longest == longest(results)
            assert found.streaks[one].current == len(results) - len(results.rstrip("w"))
            for other in found.names:
                met = [game for game in every if one in game and other in game and one != other]
                assert found.have_met(one, other) == bool(met)
                if met:
                    assert found.ahead[one, other] == sum(is_ahead(game[one], game[other]) for game in met)
                    assert found.ahead[one, other] + found.ahead[other, one] + found.level[one, other] == len(met)


@given(games())
def test_each_set_of_rules_stands_alone_and_the_order_of_games_does_not_matter(played: tuple[LoggedGame, ...]) -> None:
    assert rivals_of(reversed(played)) == rivals_of(played)
    for found in rivals_of(played):
        assert rivals_of(game for game in played if game.rules == found.rules) == (found,)


def test_a_seat_that_is_called_by_its_colour_is_no_person() -> None:
    unnamed = (Seat("Black", Color.BLACK, 9, 1.0), Seat("Red", Color.RED, 7, 0.0))
    assert not any(map(is_person, unnamed))
    assert is_person(Seat("Red", Color.BLACK, 9, 1.0))  # somebody who has that name
    game = LoggedGame(1, "", "", "over", "kitchen", "standard", unnamed, 30, 0)
    assert rivals_of([game]) == ()
    assert statistics_of([game]).players == {}
    assert statistics_of([game]).seats["standard", 2][0].wins == 1


def a_game(number: int, winner: str, other: str) -> LoggedGame:
    played = Seat(winner, Color.BLACK, 9, 1.0), Seat(other, Color.RED, 9, 0.0)
    return LoggedGame(number, "", "", "over", "kitchen", "standard", played, 30, 0)


def test_a_favourite_is_the_kind_of_which_they_visit_the_largest_part_whatever_colour_they_play() -> None:
    city, town, village = SettlementType.CITY, SettlementType.TOWN, SettlementType.VILLAGE
    visits: Visits = {
        1: {Color.BLACK: {city: (2, 3), village: (3, 6)}},
        2: {Color.RED: {city: (0, 3), village: (6, 6), town: (0, 5)}},
    }
    (found,) = rivals_of([a_game(1, "Ada", "Bo"), a_game(2, "Bo", "Ada")], visits)
    assert found.visits["Ada"] == {city: (2, 6), village: (9, 12), town: (0, 5)}
    assert found.favourite("Ada") is village
    assert found.favourite("Bo") is None


def test_no_more_people_are_listed_than_fit_a_screen_and_those_who_played_most_are() -> None:
    often = [a_game(number, "Ada", "Bo") for number in (1, 2)]
    (found,) = rivals_of([*often, *(a_game(number, f"Guest {number}", "Cy") for number in range(3, 30))])
    assert isinstance(found, Rivals)
    assert (len(found.names), found.names[:3]) == (MOST_PEOPLE, ("Cy", "Ada", "Bo"))
    assert found.left_out == 27 + 3 - MOST_PEOPLE
    assert set(found.streaks) == set(found.names)
    assert all({one, other} <= set(found.names) for one, other in found.ahead)


def test_what_was_visited_is_what_the_last_position_holds(tmp_path: Path) -> None:
    with opened_archive(unpacked(1, tmp_path)) as archive:
        (end,) = (entry.event for entry in archive.events(1) if isinstance(entry.event, GameOver))
        position = end.position
        assert isinstance(position, LaStradaPosition)
        found = visits_in(archive, archive.games())
    assert set(found) == {1}  # the second game is still going on
    for color in (Color.BLACK, Color.RED):
        for kind in SettlementType:
            places = [cell for cell, lies in position.ground.settlements.items() if lies is kind]
            stood = [
                cell for cell in places if cell in position.merchants and position.merchants[cell].counts.get(color)
            ]
            assert found[1][color][kind] == (len(stood), len(places))


def test_a_damaged_end_leaves_only_that_game_out(tmp_path: Path) -> None:
    change(unpacked(1, tmp_path), "UPDATE positions SET position = '[' WHERE game = 1")
    with opened_archive(tmp_path) as archive:
        assert visits_in(archive, archive.games()) == {}
