"""Who wins how often, as the page says it."""

import re
from pathlib import Path

import pytest

from tests.web.books import Play, reader, write


def won(folder: Path, games: int, place: str = "kitchen") -> Path:
    """Play that many games, each won by the first player."""
    play = Play(folder, place)
    for _ in range(games):
        play.begin()
        play.built()
        play.ended()
    return play.closed()


def mark_over(folder: Path) -> Path:
    """Let the logbook say that these games ended as their rules provide."""
    write(folder, "UPDATE games SET outcome = 'over'")
    return folder


def shown(folder: Path, query: str = "") -> str:
    return reader(folder).get(f"/statistics{query}", headers={"Accept": "text/html"}).text


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mark_over(won(tmp_path_factory.mktemp("many"), 12))


def rows(page: str) -> dict[str, str]:
    found = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', page, re.DOTALL)
    return {name: " ".join(re.sub("<[^>]*>", " ", cells).split()) for name, cells in found}


def test_a_share_stands_with_its_wilson_interval_and_what_it_tells(many: Path) -> None:
    told = rows(shown(many))
    assert told["Bea"].startswith("12 12 100% (76% – 100%) better than chance")
    assert told["Rob"].startswith("12 0 0% (0% – 24%) worse than chance")
    assert told["Seat 1"].startswith("12 12 100%")


@pytest.mark.long
def test_numbers_are_written_as_the_reader_writes_them(tmp_path: Path) -> None:
    folder = mark_over(won(tmp_path, 2))
    write(folder, "UPDATE seats SET gold = 31 WHERE game = 1")
    page = reader(folder).get("/statistics", headers={"Accept-Language": "de"}).text
    assert re.search(r">\d+,5<", page)
    assert "100\N{NO-BREAK SPACE}%" in page


def test_a_few_games_are_too_few_to_tell(tmp_path: Path) -> None:
    told = rows(shown(mark_over(won(tmp_path, 1))))
    assert "too few games to tell" in told["Bea"]
    assert "too few games to tell" in told["Seat 1"]


def test_games_that_people_ended_early_are_not_counted_and_that_is_said(tmp_path: Path) -> None:
    page = shown(won(tmp_path, 2))
    assert "No game has been finished yet." in page
    assert "Not counted: 2 games" in page


def test_the_drawn_tables_games_count_where_there_are_no_others(tmp_path: Path) -> None:
    assert "Bea" in rows(shown(mark_over(won(tmp_path, 1, place=""))))


def test_beside_peoples_games_the_drawn_tables_are_left_out_until_asked_for(tmp_path: Path) -> None:
    won(tmp_path, 1, place="")
    mark_over(won(tmp_path, 2))
    assert rows(shown(tmp_path))["Bea"].startswith("2 ")
    assert "Count the drawn table’s game too" in shown(tmp_path)
    assert rows(shown(tmp_path, "?drawn=1"))["Bea"].startswith("3 ")


def test_each_set_of_rules_can_be_looked_at_alone(tmp_path: Path) -> None:
    play = Play(tmp_path)
    for rules in ("standard", "two-player", "two-player"):
        play.begin(rules=rules)
    mark_over(play.closed())
    write(tmp_path, "UPDATE seats SET gold = 3, won = 0.5")
    assert rows(shown(tmp_path))["Bea"].startswith("3 ")
    assert rows(shown(tmp_path, "?rules=two-player"))["Bea"].startswith("2 ")
    assert rows(shown(tmp_path, "?rules=nonsense")) == {}


def test_people_see_who_is_ahead_of_whom_and_their_streaks_by_rules(many: Path) -> None:
    told = shown(many)
    assert "Head to head" in told
    text = " ".join(re.sub("<[^>]*>", " ", told).split())
    assert "Bea – Rob 12 : 0 0" in text
    assert re.search(r"Bea</bdi></th><td[^>]*>12</td><td[^>]*>12</td>", told)
    assert re.search(r"Rob</bdi></th><td[^>]*>0</td><td[^>]*>0</td>", told)
