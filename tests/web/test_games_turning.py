"""The turning points of a game, and the player that shows it."""

from dataclasses import replace
from pathlib import Path

from flask.testing import FlaskClient

from companion.games import score
from companion.scoreboard import Notice
from companion.web.games.turning import decisive, leaders
from tests.web.books import played, reader, story
from tests.web.playing import Table, game


def page_of(folder: Path, language: str = "en") -> str:
    return reader(folder).get("/games/1", headers={"Accept": "text/html", "Accept-Language": language}).text


def test_a_refusal_that_is_put_right_is_a_turning_point(tmp_path: Path) -> None:
    assert "<span>Bea puts it right</span>" in page_of(played(tmp_path, "refused", "built"))


def test_whoever_has_no_name_is_called_by_their_colour_in_the_readers_language(tmp_path: Path) -> None:
    page = page_of(played(tmp_path, "refused", "built", names=("Black", "Red")), "de")
    assert "<span>Schwarz berichtigt es</span>" in page
    assert ">Black " not in page


def test_a_move_taken_back_is_not_a_turning_point(tmp_path: Path) -> None:
    assert "puts it right" not in page_of(played(tmp_path, "refused", "built", "undone"))


def test_the_end_is_a_turning_point_and_a_mark_on_the_slider(book: Path) -> None:
    page, last = page_of(book), len(story(book).steps) - 1
    assert f'<option value="{last}" label="The end">' in page
    assert f'data-step="{last}"' in page


def test_a_game_in_progress_has_no_decisive_turn(tmp_path: Path) -> None:
    assert decisive(story(played(tmp_path, "built")).steps) is None


def test_from_the_decisive_turn_on_nobody_else_has_the_most_and_before_it_somebody_had(book: Path) -> None:
    steps = story(book).steps
    winners, at = frozenset(score(steps[-1].position).winners), decisive(steps)
    assert at is not None
    stood = [step for step in steps[at:] if not step.is_undone]
    before = [step for step in steps[:at] if not step.is_undone]
    assert all(leaders(step.position) <= winners for step in stood)
    assert not leaders(before[-1].position) <= winners


def test_the_end_says_each_earning_line_once(client: FlaskClient, table: Table) -> None:
    line = "Road A: 5 for Ada"
    over = replace(game(), phase="over", said_lines=(line,), notice=Notice("end", "Ada wins", (line, "That is all.")))
    table.scoreboard.publish(over)
    for address in ("/", "/tv"):
        page = client.get(address).text
        assert f"<p>{line}</p>" not in page
        assert "<p>That is all.</p>" in page
