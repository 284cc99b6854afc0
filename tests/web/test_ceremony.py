"""The end as a ceremony: what the pages are sent of it, and what the logbook remembers."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from companion.games import RULE_SETS, places, score
from companion.games.contract import Position
from companion.logbook.archive import opened_archive
from companion.scoreboard import Snapshot
from companion.web import Keepers
from companion.web.ceremony import MOST_ROADS
from companion.web.parts import Renderer
from companion.words.speech import Speech
from companion.words.why import biggest
from tests.web.ending import end_of, ended, shown, still_playing
from tests.web.playing import ELSEWHERE, PHONE, Table, showing

each_game = pytest.mark.parametrize("rules", RULE_SETS)
Kitchen = tuple[Table, Position, Path]
PARTS = ("ceremony", "account", "counted", "again")
REMEMBERED = "/games/last/remembered"


def parts(snapshot: Snapshot, language: str = "en") -> dict[str, str]:
    return dict(Renderer(Table().pages()).rendered(replace(snapshot, number=1), language).parts)


@each_game
def test_each_place_of_the_count_has_a_drawing_and_its_sums_end_at_what_is_shown(rules: str) -> None:
    told = parts(shown(end_of(rules)))
    sums = [json.loads(each) for each in re.findall(r'data-sums="([^"]+)"', told["account"])]
    assert sums
    assert told["counted"].count('<g class="count">') == len(sums)
    assert [int(gold) for gold in re.findall(r"</svg><b>(-?\d+)</b>", told["ceremony"])] == sums[-1]


def test_those_who_play_together_are_told_after_each_place_what_all_have() -> None:
    end = end_of("cooperative")
    told = re.findall(
        r'data-sums="([^"]+)" data-shares="[^"]+" data-shared="Together: (\d+)"', parts(shown(end))["account"]
    )
    assert told
    assert all(sum(json.loads(sums)) == int(shared) for sums, shared in told)
    assert int(told[-1][1]) == score(end).together
    assert "data-shared" not in "".join(parts(shown(end_of("competitive"))).values())


@each_game
def test_players_are_in_the_order_of_their_places(rules: str) -> None:
    position = end_of(rules)
    at = re.findall(r'<li class="(\S+) place-(\d)( won)?"', parts(shown(position))["ceremony"])
    assert [int(place) for _, place, _ in at] == sorted(int(place) for _, place, _ in at)
    assert {color: int(place) for color, place, _ in at} == {
        str(color): places(position).get(color, 0) for color in score(position).gold
    }
    assert {color for color, _, won in at if won} == {str(color) for color in score(position).winners}


@each_game
def test_nothing_of_it_is_there_before_the_end_or_once_the_end_is_taken_back(rules: str) -> None:
    renderer, playing = Renderer(Table().pages()), still_playing(end_of(rules))
    for number, snapshot in enumerate((playing, shown(end_of(rules)), playing), start=1):
        told = renderer.rendered(replace(snapshot, number=number)).parts
        assert [bool(told[part]) for part in PARTS] == [snapshot is not playing] * 4


def test_days_that_decided_a_tie_are_said_and_others_are_not() -> None:
    end = end_of("standard")
    first, second, *_ = end.players
    assert "days left" not in parts(shown(end))["ceremony"]
    bare = replace(end, merchants={}, days={**dict.fromkeys(end.days, 0), first.color: 7})  # type: ignore[type-var]
    assert "7 days left" in parts(shown(bare))["ceremony"]
    assert second.name in parts(shown(bare))["ceremony"]


def test_where_many_roads_are_as_long_none_stands_out() -> None:
    end = end_of("two-player")
    assert len(biggest(Speech(end.players), end)) > MOST_ROADS
    told = parts(shown(end))
    assert "longest road" not in told["ceremony"]
    assert told["counted"].endswith('<g class="biggest"></g>')


def test_names_cannot_break_out_of_it() -> None:
    end = end_of("standard")
    evil = replace(end.players[0], name="<script>alert(1)</script>")
    told = parts(shown(replace(end, players=(evil, *end.players[1:]))))  # type: ignore[type-var]
    assert "<script" not in "".join(told.values())
    assert "&lt;script" in told["ceremony"]


@pytest.fixture
def kitchen(tmp_path: Path) -> Kitchen:
    end = ended(tmp_path, "danger")
    return showing(shown(end)), end, tmp_path


def remembered(table: Table, folder: Path | None, address: str = "127.0.0.1") -> str:
    answer = table.client(logbook=lambda: folder).get(REMEMBERED, environ_base={"REMOTE_ADDR": address})
    assert answer.status_code == 200, answer.text
    assert answer.json is not None
    return str(answer.json["markup"])


def test_the_decisive_turn_a_photograph_and_a_picture_of_the_result_are_for_everybody(kitchen: Kitchen) -> None:
    table, end, folder = kitchen
    told = remembered(table, folder, PHONE)
    winners = [player.name for player in end.players if player.color in score(end).winners]
    assert f"From then on, nobody had more than {' and '.join(winners)}." in told
    client = table.client(logbook=lambda: folder)
    for wanted in ("step=", ".jpg", "board.svg"):
        address = next(each for each in re.findall(r'(?:href|src)="([^"]+)"', told) if wanted in each)
        assert client.get(address, environ_base=ELSEWHERE).status_code == 200, address


def test_where_no_picture_is_kept_none_is_shown(kitchen: Kitchen) -> None:
    table, _, folder = kitchen
    with opened_archive(folder) as archive:
        for photo in archive.photos(1):
            photo.path.unlink()
    told = remembered(table, folder)
    assert ".jpg" not in told
    assert "board.svg" in told


def test_nothing_is_remembered_of_another_game_than_the_one_that_is_shown(kitchen: Kitchen) -> None:
    table, end, folder = kitchen
    for other in (still_playing(end), shown(end_of("two-player")), Snapshot()):
        table.scoreboard.publish(other)
        assert remembered(table, folder) == ""


def test_a_logbook_that_is_not_there_yet_says_so(kitchen: Kitchen) -> None:
    table, _, _ = kitchen
    assert table.client(logbook=lambda: None).get(REMEMBERED).status_code == 404


def test_keepers_have_a_button_for_another_game_and_guests_have_none() -> None:
    client = showing(shown(end_of("competitive"))).client(keepers=Keepers("471102"))
    for path in ("/", "/tv"):
        assert "Again with the same people" in client.get(path).text
        assert "Again with the same people" not in client.get(path, environ_base=ELSEWHERE).text
