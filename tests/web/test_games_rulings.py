"""Show me: a ruling, its pictures cut to its cells, the reading drawn over them, the rule in a sentence."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient
from markupsafe import escape
from numpy.typing import NDArray

from companion.board import Color, HexCell
from companion.commands import Done
from companion.logbook import Logbook
from companion.scoreboard import Notice
from companion.web.games.showme import BusyError, Thumbnails
from companion.web.games.telling import pieces_of
from companion.words import LANGUAGES, Voice
from tests.session.tabletop import at
from tests.web.books import GREEN, Play, centre_px, colour_of, evening, notes_of, played, reader, story, write
from tests.web.playing import game, showing

READER = {"Accept": "text/html"}
WHOLE = (0, 0, 100, 100)

#: A visitor, and the address of a ruling.
Ruling = tuple[FlaskClient, str]


class Opened:
    """A ruling's page."""

    def __init__(self, client: FlaskClient, address: str) -> None:
        answer = client.get(address, headers=READER)
        assert answer.status_code == 200, answer.text
        self.text = answer.text

    def drawing(self, which: str) -> tuple[tuple[int, ...], str]:
        """Return the box and the drawing over the picture before or after."""
        figure = self.text.split("<figure>")[1 if which == "before" else 2]
        (box,) = re.findall(r'class="drawing over" viewBox="([^"]+)"', figure)
        return tuple(int(part) for part in box.split()), figure


def ruled(folder: Path, *moves: str, step: int = -1) -> Opened:
    """Return the page of one step of a game with these moves, by default the last one."""
    client = reader(played(folder, *moves))
    return Opened(client, f"/games/1/rulings/{story(folder).steps[step].number}")


@pytest.fixture
def green(tmp_path: Path) -> Path:
    """A picture that is green all over."""
    path = tmp_path / "green.jpg"
    cv2.imwrite(str(path), np.full((100, 100, 3), GREEN, np.uint8))
    return path


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("refused"), "refused")


@pytest.fixture
def refused(written: Path, tmp_path: Path) -> Ruling:
    """Black laid a road of Red's that leads nowhere."""
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    return reader(tmp_path), f"/games/1/rulings/{story(tmp_path).steps[-1].number}"


def decoded(content: bytes | None) -> NDArray[np.int32]:
    image = cv2.imdecode(np.frombuffer(content or b"", np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return image.astype(np.int32)


def picture(client: FlaskClient, address: str) -> NDArray[np.int32]:
    answer = client.get(address)
    assert answer.mimetype == "image/jpeg"
    return decoded(answer.data)


def seen_at(image: NDArray[np.int32], box: tuple[int, ...], cell: HexCell) -> NDArray[np.int32]:
    """Return the colour at that cell in a picture that was cut to the box."""
    left, top, width, _ = box
    scale = image.shape[1] / width
    x, y = centre_px(cell)
    colour: NDArray[np.int32] = image[round((y - top) * scale), round((x - left) * scale)]
    return colour


@pytest.mark.long
def test_every_ruling_of_a_game_can_be_opened_with_its_pictures(tmp_path: Path) -> None:
    client = reader(evening(tmp_path))
    for step in story(tmp_path).rulings:
        address = f"/games/1/rulings/{step.number}"
        page = Opened(client, address).text
        for shown in re.findall(r'src="([^"]+jpg)"', page):
            assert client.get(shown).mimetype == "image/jpeg"


def test_the_pictures_are_cut_to_the_cells_and_to_what_lies_round_them(refused: Ruling) -> None:
    client, address = refused
    page = Opened(client, address)
    for which in ("before", "after"):
        box, _ = page.drawing(which)
        image = picture(client, f"{address}/{which}.jpg")
        assert image.shape[1] / image.shape[0] == pytest.approx(box[2] / box[3], rel=0.02)
        assert box[2] < 640
        for cell in (at(2), at(3), at(1)):
            assert np.abs(seen_at(image, box, cell) - colour_of(cell)).max() < 25


def test_beyond_the_pictures_edge_it_is_dark(green: Path) -> None:
    image = decoded(Thumbnails().picture(green, (-50, -50, 100, 100)))
    size = image.shape[0]
    assert image[size // 4, size // 4].max() < 60
    assert np.abs(image[3 * size // 4, 3 * size // 4] - GREEN).max() < 12


def test_a_replays_picture_shows_the_board_and_not_what_is_round_the_table(refused: Ruling, tmp_path: Path) -> None:
    client, _ = refused
    image = picture(client, f"/games/1/pictures/{story(tmp_path).steps[-1].number}.jpg")
    high, wide = image.shape[:2]
    assert wide / high < 640 / 480  # narrower than the photograph, as its left and right are cut off
    assert np.abs(image[high // 2, wide // 2] - colour_of(at(0))).max() < 25


def test_what_was_read_lies_over_the_picture_where_the_cells_are(refused: Ruling) -> None:
    _, after = Opened(*refused).drawing("after")
    x, y = centre_px(at(2))
    road = re.search(rf'<g transform="matrix\([^)]* {x:.1f} {y:.1f}\)">(.*?)</g></g>', after)
    assert road is not None
    assert 'class="road red"' in road[1]
    assert re.search(rf'<g class="mark illegal" transform="matrix\([^)]* {x:.1f} {y:.1f}\)">', after)


def test_what_is_only_unfinished_is_marked_as_on_the_board(tmp_path: Path) -> None:
    play = Play(tmp_path)
    play.begin()
    play.table.road(Color.BLACK, at(2))
    play.press(Done())
    (step,) = story(play.closed()).steps[-1:]
    assert step.kind == "unfinished"
    _, after = Opened(reader(tmp_path), f"/games/1/rulings/{step.number}").drawing("after")
    assert ("mark ask" in after, "mark illegal" in after) == (True, False)
    assert ("mark ask" in pieces_of(step), "mark illegal" in pieces_of(step)) == (True, False)


def test_the_picture_before_shows_what_lay_there_and_marks_the_cells_calmly(refused: Ruling) -> None:
    _, before = Opened(*refused).drawing("before")
    assert 'class="road red"' not in before
    assert 'class="mark calm"' in before
    assert "mark illegal" not in before


def test_the_reading_can_be_switched_off(refused: Ruling) -> None:
    assert '<button type="button" id="reading" aria-pressed="true"' in Opened(*refused).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_reasons_stand_there_each_with_its_rule(refused: Ruling, tmp_path: Path, language: str) -> None:
    client, address = refused
    page = client.get(address, headers={**READER, "Accept-Language": language}).text
    step = story(tmp_path).steps[-1]
    headline, *reasons = Voice(step.position.players, language).sentences(step.event)
    assert len(reasons) >= 2
    assert str(escape(headline)) in page
    assert page.count('class="reason"') == len(reasons) == page.count('class="rule"')
    assert page.count('class="source"') == len(reasons), "and where the rulebook has it"
    assert all(page.count(str(escape(reason))) == 1 for reason in reasons)


def test_a_legal_turn_shows_the_rule_that_it_was_paid_by(tmp_path: Path) -> None:
    page = ruled(tmp_path, "built").text
    assert "It cost 2 days, 4 left" in page
    assert "A plain tile costs 2 days" in page
    assert "Rulebook, “Laying road tiles”" in page


def test_what_was_taken_back_says_so(tmp_path: Path) -> None:
    client = reader(played(tmp_path, "built", "undone"))
    built = story(tmp_path).steps[-2]
    assert "Taken back later." in Opened(client, f"/games/1/rulings/{built.number}").text
    assert client.get(f"/games/1/rulings/{story(tmp_path).steps[-1].number}").status_code == 404


def test_once_the_ring_has_dropped_a_picture_a_sentence_stands_in_its_place(refused: Ruling, tmp_path: Path) -> None:
    client, address = refused
    *_, before, _ = sorted(tmp_path.glob("pictures/*/*.jpg"))
    before.unlink()
    assert client.get(f"{address}/after.jpg").status_code == 200
    for which in ("before", "after"):
        for left in tmp_path.glob("pictures/*/*.jpg"):
            left.unlink()
        answer = client.get(f"{address}/{which}.jpg")
        assert answer.status_code == 404
        assert "deleted to make room for newer ones" in answer.get_json()["message"]
    assert Opened(client, address).text.count("This picture is gone: it was deleted to make room for newer ones") == 2


def test_a_file_that_is_not_a_picture_is_not_shown(refused: Ruling, tmp_path: Path) -> None:
    client, address = refused
    for path in tmp_path.glob("pictures/*/*.jpg"):
        path.write_bytes(b"no picture")
    assert client.get(f"{address}/after.jpg").status_code == 404


def test_no_row_leads_to_a_file_that_is_not_a_picture_of_the_logbook(refused: Ruling, tmp_path: Path) -> None:
    client, address = refused
    aside = next(tmp_path.glob("pictures/*/*.jpg")).rename(tmp_path / "aside.jpg")
    for name in ("../aside.jpg", str(aside), "game-0001/../../aside.jpg"):
        write(tmp_path, "UPDATE pictures SET file = ?", name)
        assert client.get(f"{address}/after.jpg").status_code == 404


@pytest.mark.parametrize("centres", ["{}", '{"G7": [NaN, 1]}', '{"G7": [1e300, 1]}', '{"G9": [9e9, 2]}', "7"])
def test_where_it_is_not_known_what_a_picture_shows_it_is_not_shown(
    refused: Ruling, tmp_path: Path, centres: str
) -> None:
    client, address = refused
    for path in tmp_path.glob("pictures/*/*.jpg"):
        assert "centres" in notes_of(path)
        path.with_suffix(".json").write_text(f'{{"cells": {{}}, "centres": {centres}}}')
    assert Opened(client, address).text.count('class="none"') == 2
    assert client.get(f"{address}/after.jpg").status_code == 404
    assert client.get(address.replace("rulings", "pictures") + ".jpg").status_code == 404


def test_the_newest_ruling_has_an_address_of_its_own(refused: Ruling) -> None:
    client, address = refused
    assert client.get("/rulings/latest").location == address
    assert client.get("/rulings/latest?tv").location == f"{address}?tv=1"
    assert client.get("/rulings/latest", headers={"Referer": "http://localhost/tv"}).location == f"{address}?tv=1"


def test_before_anything_was_ruled_that_is_said(tmp_path: Path) -> None:
    Logbook(tmp_path).close()
    answer = reader(tmp_path).get("/rulings/latest")
    assert (answer.status_code, answer.get_json()["message"]) == (404, "There are no rulings yet.")


def test_on_a_television_nothing_can_be_disputed_or_leafed_through(refused: Ruling) -> None:
    client, address = refused
    page = Opened(client, f"{address}?tv=1").text
    assert 'class="games ruling tv"' in page
    assert 'href="/tv"' in page
    assert "/keeper?cell" not in page


def test_the_scoreboards_notice_leads_to_its_pictures(refused: Ruling) -> None:
    client, _ = refused
    assert 'href="/rulings/latest"' in client.get("/").text


def test_a_refused_deal_leads_to_no_ruling_of_an_earlier_game() -> None:
    table = showing(replace(game(), phase="waiting", notice=Notice("illegal", "The settlements are not dealt")))
    assert "Show me" not in table.client(logbook=lambda: None).get("/").text


def test_a_dispute_leads_to_the_correction_of_the_cell(tmp_path: Path) -> None:
    assert f'href="/keeper?cell={at(2)}"' in ruled(tmp_path, "refused").text


def test_a_game_that_is_over_cannot_be_disputed(tmp_path: Path) -> None:
    page = ruled(tmp_path, "refused", "built", "ended", step=3).text
    assert "/keeper?cell" not in page
    assert "It can no longer be corrected" in page


def test_a_picture_is_made_once_however_often_it_is_asked_for(green: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    thumbnails, made = Thumbnails(), []
    first = thumbnails.picture(green, WHOLE)
    monkeypatch.setattr("companion.web.games.showme.cut_out", lambda *asked: made.append(asked))
    assert thumbnails.picture(green, WHOLE) == first
    assert made == []


def test_pictures_are_kept_up_to_a_bound(green: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.web.games.showme.KEPT_BYTES", 3000)
    thumbnails = Thumbnails()
    for left in range(20):
        assert thumbnails.picture(green, (left, 0, 50, 50)) is not None
        assert thumbnails.kept_bytes <= 3000


def test_too_many_pictures_at_once_are_told_to_come_again(green: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.web.games.showme.WAIT_S", 0.0)
    with pytest.raises(BusyError):
        Thumbnails(at_once=0).picture(green, WHOLE)


def test_the_reading_is_drawn_in_its_owners_colours(tmp_path: Path) -> None:
    _, after = ruled(tmp_path, "built").drawing("after")
    assert f'class="road {Color.BLACK}"' in after
    assert "mark legal" in after
