"""Records of Silk Road step by step: the referee's verdicts again, as pages, pictures and words."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from companion.board import Contents, LaidSection, Section, Snow, SquareBoard
from companion.games import score
from companion.logbook.archive import LoggedGame, Seat
from companion.logbook.statistics import best_together, statistics_of
from companion.records.picture import draw_pictures
from companion.terminal import SQUARE_SIZES, Canvas, Ink, draw_square_board, square_board_size
from tests.games.silk_road.random_records import random_silk_road
from tests.records.test_replay import page, replay, steps, voice, write

PLAIN = Ink.of({"NO_COLOR": "1", "TERM": "dumb"})
BOARD = SquareBoard()
B2 = BOARD.cell("B2")


@pytest.mark.parametrize("seed", range(20))
def test_each_step_has_the_verdict_that_the_naive_referee_gives(seed: int) -> None:
    record, said = random_silk_road(seed)
    found = steps(record)
    if said["setup"]:
        assert [step.kind for step in found] == ["illegal"]
        return
    kinds = ["legal" if verdict["legal"] else "illegal" for verdict in said["verdicts"]]
    assert [step.kind for step in found] == ["start", *kinds]
    assert score(found[-1].after).gold == said["wealth"]


def test_every_step_is_drawn_with_the_sections_left_of_each_player() -> None:
    record, _ = random_silk_road(8)
    pictures = draw_pictures(steps(record), voice(record, "de"))
    assert len(pictures) == len(steps(record))
    for picture in pictures:
        assert ET.fromstring(picture).tag.endswith("svg")
    assert 'href="#i-section"' in pictures[-1]
    assert '#i-merchant" transform' not in pictures[-1]


def test_a_page_of_the_terminal_shows_the_board_and_what_each_has_left() -> None:
    record, _ = random_silk_road(8)
    for columns, lines in ((100, 30), (80, 24)):
        shown = "\n".join(page(record, len(record["moves"]), columns, lines))
        names = [player["name"] for player in record["players"]]
        assert all(text in shown for text in ("Silk Road · ", "***", "▲▲▲", *names))
    assert "The board needs" in "\n".join(page(record, len(record["moves"]), 30, 12))


def test_a_section_in_the_terminal_has_its_owner_its_number_its_horse_its_end_and_its_arrows() -> None:
    canvas = Canvas(*square_board_size(BOARD, SQUARE_SIZES[0]))
    tile = LaidSection(Section("1", 10, True, (0, 3, 6), True), "brown")
    lies = {B2: Contents(tile), BOARD.cell("A1"): Contents(Snow())}
    draw_square_board(canvas, 0, 0, SQUARE_SIZES[0], BOARD, lies, {})
    shown = canvas.text(PLAIN)
    text = "\n".join(shown)
    assert "Br10♞×" in text
    assert {arrow for arrow in "→↗↑↖←↙↓↘" if arrow in text} == {"→", "↖", "↓"}
    assert re.findall(r"m(\d)\x1b", shown[0]) == [*"123456"]


def test_replay_says_each_move_and_the_roads_that_earn(tmp_path: Path) -> None:
    record = next(record for record, said in map(random_silk_road, range(100)) if said.get("total"))
    result = replay(write(tmp_path, record), "--text", "--svg", tmp_path / "drawn", "--lang", "en")
    assert result.exit_code == 0, result.output
    assert "collect" in result.output
    assert len(list((tmp_path / "drawn").glob("*.svg"))) == len(steps(record))


def game(number: int, names: tuple[str, ...], wealth: tuple[int, ...], rules: str = "cooperative") -> LoggedGame:
    seats = tuple(Seat(name, "green", each, 0.0) for name, each in zip(names, wealth, strict=True))
    return LoggedGame(number, "2026-11-22T10:00:00+00:00", None, "over", "kitchen", rules, seats, 9, 0)


def test_the_best_together_is_that_of_the_same_people_however_they_sat() -> None:
    games = [
        game(1, ("Ada", "Bo"), (10, 4)),
        game(2, ("Bo ", "Ada"), (20, 1)),
        game(3, ("Ada", "Bo", "Cy"), (50, 0, 0)),
        game(4, ("Ada", "Bo"), (90, 9), "competitive"),
    ]
    assert best_together(games, "cooperative", ("Ada", "Bo")) == 21
    assert best_together(games, "cooperative", ("Ada", "Di")) is None
    found = statistics_of(games)
    assert [(group.names, group.games, group.best, group.average) for group in found.together] == [
        (("Ada", "Bo"), 2, 21, 17.5),
        (("Ada", "Bo", "Cy"), 1, 50, 50.0),
    ]
    assert list(found.players) == ["Ada", "Bo"], "of the games in which somebody can win"
    assert found.players["Ada"].games == 1
