"""On a television the game so far is shown as a graph between two turns; it takes no room from the board."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from companion.board import Color
from companion.events import Outlook
from companion.scoreboard import Notice, PlayerLine, Snapshot, Stand
from tests.browser.conftest import LANGUAGES, TV, Serve, Visitor, box_of, serious
from tests.browser.test_screens import sticks_out
from tests.web.playing import TILES, Table, game

NAMES = {Color.BLACK: "Maximiliane-Theodora", Color.GREY: "Bo", Color.YELLOW: "Cy", Color.RED: "Dora"}


def between(turns: int = 24) -> Snapshot:
    """Return four people's game after that many turns, with nothing new on the table yet."""
    colors = list(NAMES)
    course = tuple(
        Stand(
            colors[turn % 4] if turn else None,
            {color: turn * (3 + place) // 6 for place, color in enumerate(colors)},
            dict.fromkeys(colors, turn % 10),
        )
        for turn in range(turns)
    )
    players = tuple(
        PlayerLine(name, color, turns % 10, course[-1].gold[color], 9, TILES, is_next=color == Color.RED, has_won=False)
        for color, name in NAMES.items()
    )
    notice = Notice("legal", "Maximiliane-Theodora: that move is legal. It cost 6 days, 1 left")
    return replace(
        game(), players=players, next=Color.RED, laid={}, outlook=Outlook.UNCHANGED, course=course, notice=notice
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_comes_between_two_turns_and_pushes_neither_the_board_nor_anything_off_the_screen(
    visitor: Visitor, serve: Serve, table: Table, language: str
) -> None:
    page = visitor.open(serve(table) + "/tv", TV, language)
    before = box_of(page.locator("#board"))
    expect(page.locator("#course")).to_be_hidden()
    table.scoreboard.publish(between())
    graph = page.locator("#course svg.plot")
    expect(graph).to_be_visible()
    expect(page.locator("#course .days rect")).to_have_count(23)
    assert box_of(page.locator("#board")) == before
    assert sticks_out(page, "main") == []
    box = box_of(graph)
    assert box["height"] > 150
    assert box["width"] > 500
    for player in page.locator("#players .player").all():
        name, gold = (box_of(player.locator(part)) for part in ("h3", ".gold"))
        assert name["width"] > 120
        assert abs(name["y"] + name["height"] / 2 - gold["y"] - gold["height"] / 2) < 12, "each has a line"


def test_it_goes_once_something_lies_there_for_the_next_turn(visitor: Visitor, serve: Serve, table: Table) -> None:
    table.scoreboard.publish(between())
    page = visitor.open(serve(table) + "/tv", TV)
    expect(page.locator("#course svg.plot")).to_be_visible()
    table.scoreboard.publish(replace(between(), outlook=Outlook.UNFINISHED, laid=game().laid))
    expect(page.locator("#course")).to_be_hidden()
    expect(page.locator("#players .track i").nth(4)).to_be_visible()


def test_where_a_verdict_needs_the_room_it_gives_way(visitor: Visitor, serve: Serve, table: Table) -> None:
    long = Notice(
        "legal", "Maximiliane-Theodora: that move is legal", tuple(f"And this, {'and this ' * 9}" for _ in range(6))
    )
    table.scoreboard.publish(replace(between(), notice=long))
    page = visitor.open(serve(table) + "/tv", TV)
    expect(page.locator("#notice")).to_contain_text("And this")
    expect(page.locator("#course")).to_be_hidden()
    assert sticks_out(page, ".now") == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visitor: Visitor, serve: Serve, table: Table, scheme: str) -> None:
    table.scoreboard.publish(between())
    page = visitor.open(serve(table) + "/tv", TV, scheme=scheme)
    expect(page.locator("#course svg.plot")).to_be_visible()
    assert serious(page) == []


def test_a_phone_is_not_sent_it(visitor: Visitor, serve: Serve, table: Table) -> None:
    table.scoreboard.publish(between())
    page = visitor.open(serve(table))
    expect(page.locator("#players .player")).to_have_count(4)
    assert page.locator(".plot").count() == 0


def test_beside_it_names_of_nine_letters_are_whole(visitor: Visitor, serve: Serve, table: Table) -> None:
    names = ("Katharina", "Schwarz", "Friedrich", "Jo")
    players = tuple(
        PlayerLine(name, color, 10, 58, 12, TILES, is_next=name == "Jo", has_won=False)
        for name, color in zip(names, Color, strict=True)
    )
    table.scoreboard.publish(replace(between(), players=players))
    page = visitor.open(serve(table) + "/tv", TV, "de")
    expect(page.locator("#course svg.plot")).to_be_visible()
    expect(page.locator("#players.lines h3 bdi")).to_have_count(4)
    cut = "all => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)"
    assert page.locator("#players h3 bdi").evaluate_all(cut) == []
    assert sticks_out(page, "main") == []
