"""Why? on the pages: each number has its explanation; the legend; the lesson for one screen or for the whole table."""

import re
from dataclasses import replace
from html import unescape

import pytest
from flask.testing import FlaskClient

from companion import events
from companion.board import BARE, CellChange, Change, Contents
from companion.games.contract import Player, Reason
from companion.games.la_strada import DANGER, STANDARD, TWO_PLAYER, LaStrada, LaStradaPosition
from companion.games.silk_road import COOPERATIVE
from companion.scoreboard import Eye, Snapshot
from companion.scoreboard.interpreter import notice_of
from tests.games.drawing import BLACK, RED, after, begin, ground, save, turn
from tests.games.silk_road import table as silk
from tests.web.playing import Table
from tests.web.test_keeper import ask
from tests.web.test_pages import HOSTILE

FIELD = ground({"D3": "town", "D7": "city", "A4": "hamlet"}, forest="D2", hill="D5")
FIRST = turn(FIELD, BLACK, "D1 D2 D3", cubes="D3")
#: Silk Road, with a row from which green collects 8.
EARNING = "S g8 g1 b2 g4 .\n. . . . . .\n. . M . . .\n. . . . M .\n. M . . . .\n. . . . . ."


def opening(rules: LaStrada = STANDARD, name: str = "Ada") -> LaStradaPosition:
    workshops = {BLACK: "D1", RED: "G1"} if rules is STANDARD else {BLACK: "D1 A2", RED: "G1 G4"}
    return replace(begin(FIELD, workshops, rules=rules), players=(Player(name, BLACK), Player("Bo", RED)))


def explanations(page: str) -> dict[str, str]:
    """Return the words of each explanation that came with the page."""
    found = re.findall(r'<section data-key="([^"]+)">(.*?)</section>', page, re.DOTALL)
    return {unescape(key): " ".join(unescape(re.sub(r"<[^>]+>", " ", markup)).split()) for key, markup in found}


def shown(client: FlaskClient, table: Table, snapshot: Snapshot, path: str = "/") -> str:
    table.scoreboard.publish(snapshot)
    return client.get(path).text


@pytest.mark.parametrize("path", ["/", "/tv"])
@pytest.mark.parametrize("rules", [STANDARD, TWO_PLAYER, DANGER], ids=lambda rules: rules.name)
def test_whatever_can_be_tapped_has_its_explanation(
    client: FlaskClient, table: Table, rules: LaStrada, path: str
) -> None:
    page = shown(client, table, Snapshot().with_position(opening(rules)), path)
    asked = {unescape(each) for each in re.findall(r'data-why="([^"]+)"', page)}
    assert {f"{what}-{color}" for what in ("gold", "days", "merchants", "tiles") for color in (BLACK, RED)} <= asked
    assert ("rounds" in asked) == (rules is DANGER)
    assert asked <= explanations(page).keys()


def test_silk_road_explains_wealth_and_sections(client: FlaskClient, table: Table) -> None:
    position = silk.begin({"green": silk.hand("g", 3), "brown": silk.hand("b", 3)})
    page = shown(client, table, Snapshot().with_position(position))
    asked = set(re.findall(r'data-why="([^"]+)"', page))
    assert {"gold-green", "sections-brown", "next", "legend"} <= asked <= explanations(page).keys()
    assert "Snow" in explanations(page)["legend"]


def test_those_who_play_together_see_what_their_total_is_made_of(client: FlaskClient, table: Table) -> None:
    page = shown(client, table, Snapshot().with_position(silk.drawn(EARNING, COOPERATIVE)))
    assert 'data-why="together"' in page
    assert "Together: 8 wealth Row A: Ada collects 8 The rule:" in explanations(page)["together"]


def test_before_a_game_there_is_a_legend_and_nothing_else_to_ask(client: FlaskClient, table: Table) -> None:
    page = shown(client, table, Snapshot())
    assert set(re.findall(r'data-why="([^"]+)"', page)) == {"legend"} == explanations(page).keys()
    assert '<div id="glance"></div>' in page


def test_the_legend_has_the_numbers_of_the_rules(client: FlaskClient, table: Table) -> None:
    legend = explanations(shown(client, table, Snapshot().with_position(opening())))["legend"]
    assert "Plain 2 days Forest 3 days Hill 4 days" in legend
    assert "City 1: 5 · 2: 4 · 3: 3 · 4: 2" in legend
    alone = explanations(shown(client, table, Snapshot().with_position(opening(TWO_PLAYER))))["legend"]
    assert re.search(r"City 1: 5 \d Town 1: 4 \d", alone), "with two players there is room for one"


def test_a_turn_that_was_accepted_explains_what_it_cost_and_names_the_rulebook(
    client: FlaskClient, table: Table
) -> None:
    first = opening()
    second = after(first, FIRST)
    taken = events.TurnTaken(BLACK, changed(first, second), 3, 3, second)
    snapshot = Snapshot().with_position(first).with_position(second)
    page = shown(client, table, replace(snapshot, notice=notice_of([taken], first.players)))
    assert 'data-why="verdict">Why?</button>' in page
    why = explanations(page)["verdict"]
    assert "1 forest tile at 3 days each: 3 days" in why
    assert "The rule: A plain tile costs 2 days" in why
    assert "Rulebook, “Laying road tiles”" in why


def changed(before: LaStradaPosition, now: LaStradaPosition) -> Change:
    held, lies = before.expected(), now.expected()
    return Change(
        {cell: CellChange(held.get(cell, BARE), each) for cell, each in lies.items() if each != held.get(cell, BARE)}
    )


def test_a_refusal_names_every_rule_once_with_its_chapter(client: FlaskClient, table: Table) -> None:
    cells = (FIELD.board.cell("D2"),)
    reasons = (Reason("dead-end", cells), Reason("joins-road", cells), Reason("dead-end", cells))
    refused = events.MoveRefused(BLACK, reasons, Change({}), opening())
    snapshot = replace(Snapshot().with_position(opening()), notice=notice_of([refused], opening().players))
    why = explanations(shown(client, table, snapshot))["verdict"]
    assert why.count("The rule:") == 2
    assert "it ends at a settlement. Rulebook, “Laying road tiles”" in why
    assert "No rulebook says so in words" in why


def test_too_few_days_are_explained_tile_by_tile(client: FlaskClient, table: Table) -> None:
    position = replace(opening(), days={BLACK: 2, RED: 0})
    reasons = (Reason("days", tuple(FIRST.tiles), {"cost": 3, "held": 2}),)
    refused = events.MoveRefused(BLACK, reasons, Change({}), position)
    laid = {cell: Contents(tile) for cell, tile in FIRST.tiles.items()}
    snapshot = replace(Snapshot().with_position(position), notice=notice_of([refused], position.players), laid=laid)
    found = explanations(shown(client, table, snapshot))
    for name in ("verdict", "days-black"):
        assert "The tiles laid now cost 3 days. 1 forest tile at 3 days each: 3 days 1 day too many" in found[name]


def test_the_snapshot_keeps_the_position_before_the_last_move_until_the_next() -> None:
    first = opening()
    second = after(first, FIRST)
    snapshot = Snapshot().with_position(first).with_position(second)
    assert snapshot.before is first
    assert snapshot.with_position(second).before is first, "the same position again is not a move"
    third = after(second, save(RED))
    assert snapshot.with_position(third).before is second


def test_the_lesson_says_step_by_step_what_may_be_done_and_where_that_is_written(
    client: FlaskClient, table: Table
) -> None:
    page = shown(client, table, Snapshot().with_position(opening()))
    lesson = page[page.index('id="lesson"') : page.index('id="explained"')]
    assert re.search(r'id="lesson"[^>]*\shidden', page), "each screen switches it on for itself"
    assert "What Ada can do now" in lesson
    assert "D3, town: 3 days, +4 gold" in lesson
    assert "Rulebook, “Laying road tiles”" in lesson
    assert "for-all" not in lesson


def marked(page: str) -> int:
    return page[page.index('<g id="ahead">') : page.index('<g id="lines">')].count("<use")


def test_beside_the_lesson_the_board_shows_where_something_may_be_placed_or_reached(
    client: FlaskClient, table: Table
) -> None:
    position = opening()
    assert marked(shown(client, table, Snapshot().with_position(position))) == 1, "D3 alone is near enough"
    poor = replace(position, days={BLACK: 2, RED: 0})
    assert marked(shown(client, table, Snapshot().with_position(poor))) == 0
    first = replace(position, workshops={}, next=BLACK)
    plain = len(FIELD.board.cells) - len(FIELD.settlements) - 2
    assert marked(shown(client, table, Snapshot().with_position(first))) == plain
    assert marked(shown(client, table, Snapshot())) == 0


def test_a_keeper_switches_the_lesson_on_for_the_whole_table(client: FlaskClient, table: Table) -> None:
    table.scoreboard.publish(Snapshot().with_position(opening()))
    assert ask(client, "teach", {"on": True}).status_code == 200
    assert all('class="for-all"' in client.get(path).text for path in ("/", "/tv"))
    table.scoreboard.publish(Snapshot().with_position(after(opening(), FIRST)))
    assert 'class="for-all"' in client.get("/").text, "it stays on from turn to turn"
    assert ask(client, "teach", {"on": False}).status_code == 200
    assert 'class="for-all"' not in client.get("/").text
    assert table.asked == [], "the game itself is not touched"


def test_a_new_picture_alone_is_no_reason_to_explain_everything_again(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr("companion.web.guide.explained", lambda *about: asked.append(about) or {})
    client = table.client()
    snapshot = Snapshot().with_position(opening())
    for number in range(3):
        shown(client, table, replace(snapshot, eye=Eye(picture=number + 1)))
    assert len(asked) == 1
    shown(client, table, snapshot.with_position(after(opening(), FIRST)))
    assert len(asked) == 2


def test_hostile_names_are_only_text_in_explanations_and_lessons(client: FlaskClient, table: Table) -> None:
    page = shown(client, table, Snapshot().with_position(opening(name=HOSTILE)))
    assert "<script>alert" not in page
    assert "<img src=x" not in page


@pytest.mark.parametrize("language", ["de", "fr", "it"])
def test_it_is_explained_in_the_readers_language(client: FlaskClient, table: Table, language: str) -> None:
    table.scoreboard.publish(Snapshot().with_position(opening()))
    english = explanations(client.get("/").text)
    other = explanations(client.get("/", headers={"Accept-Language": language}).text)
    assert english.keys() == other.keys()
    assert all(other[key] != english[key] for key in english)
