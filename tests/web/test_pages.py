import re
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.board import Color
from companion.events import Outlook
from companion.games.contract import Hint
from companion.scoreboard import Eye, Notice, Snapshot
from companion.web import Download, Picture, app
from tests.web.playing import BOARD, ELSEWHERE, OWN, PHONE, Table, game, player
from tests.web.test_keeper import message

HOSTILE = '<script>alert("x")</script><img src=x onerror=alert(1)>'


def test_page_shows_whose_turn_days_gold_merchants_tiles_and_the_verdict(client: FlaskClient) -> None:
    page = client.get("/").text
    for said in ("<bdi>Bo</bdi>", "Their turn: 4 days left", "that move is legal", "it cost 2 days, 4 are left"):
        assert said in page
    words = re.sub(r"<[^>]+>|\s+", " ", page)
    assert re.search(r"Ada\s+17\s+gold\s+4\s+days\s+9\s+merchants left,\s+18\s+plain tiles left", words)


#: For each thing that a table knows, what its page says about it.
SAID = {
    "before the deal what to do": (Snapshot(), "Waiting for a new game"),
    "after the game who won": (
        Snapshot(phase="over", players=(player("Ada", Color.BLACK, has_won=True),)),
        r"<bdi>Ada</bdi>\s*wins",
    ),
    "three rounds left": (replace(game(), rounds_left=3), "days left · 3 rounds left<"),
    "the last round": (replace(game(), rounds_left=1), "days left · last round<"),
    "no rounds where none count": (replace(game(), rounds_left=None), "days left<"),
    "who decided": (
        replace(game(), notice=Notice("ask", "Bo: taken back", by="<b>Ada</b> (192.168.1.20)")),
        r"Decided by &lt;b&gt;Ada&lt;/b&gt; \(192\.168\.1\.20\)",
    ),
    "that it disagrees": (replace(game(), outlook=Outlook.DISAGREES), ">The table and I disagree.</p>"),
    "that it is paused": (replace(game(), outlook=Outlook.PAUSED), '<p class="outlook paused">Paused</p>'),
    "a warning": (replace(game(), warning="The disk is <full>."), 'role="status"><p>The disk is &lt;full&gt;.'),
    "hands": (replace(game(), eye=Eye(picture=7, is_moving=True)), "I read nothing until the table is still"),
    "hands first": (
        replace(game(), eye=Eye(picture=7, is_moving=True), outlook=Outlook.LEGAL),
        '<p class="outlook moving"',
    ),
    **{
        f"always what the companion does: {outlook}": (
            replace(game(), outlook=outlook),
            f'<p class="outlook {outlook}"[^>]*>[^<]+</p>',
        )
        for outlook in Outlook
        if outlook not in (Outlook.NO_GAME, Outlook.OVER)
    },
}


@pytest.mark.parametrize(("snapshot", "said"), SAID.values(), ids=SAID)
def test_the_page_says(client: FlaskClient, table: Table, snapshot: Snapshot, said: str) -> None:
    table.scoreboard.publish(snapshot)
    assert re.search(said, client.get("/").text)


@pytest.mark.parametrize("path", ["/", "/tv"])
def test_hints_are_drawn_and_can_be_switched_on_where_the_table_allows_them(
    client: FlaskClient, table: Table, path: str
) -> None:
    assert re.search(r'id="hint"[^>]*\shidden', client.get(path).text)
    hint = Hint((BOARD.cell("G9"), BOARD.cell("G10"), BOARD.cell("G11")), 2, is_affordable=True)
    table.scoreboard.publish(replace(game(), hints=(hint,)))
    page = client.get(path).text
    assert not re.search(r'id="hint"[^>]*\shidden', page)
    assert re.search(r'<g id="hints" hidden><polyline class="hint"', page)


def test_hostile_names_are_only_text(client: FlaskClient, table: Table) -> None:
    table.scoreboard.publish(game(name=HOSTILE))
    page = client.get("/").text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;" in page


def test_page_loads_nothing_from_elsewhere_and_has_no_inline_script(client: FlaskClient) -> None:
    page = client.get("/").text
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert all(address.startswith(("/", "#")) for address in addresses)
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    assert not re.search(r"\s(style|on\w+)=", page)
    for address in {address for address in addresses if address.startswith("/static")}:
        with client.get(address) as answer:
            assert answer.status_code == 200


def test_every_answer_carries_the_headers_that_keep_others_out(client: FlaskClient) -> None:
    for path in ("/", "/static/scoreboard.js", "/nothing-here", "/camera.jpg", "/record.json", "/static/board.css"):
        with client.get(path) as answer:
            headers = answer.headers
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_camera_picture_is_the_newest_or_missing_with_a_sentence(client: FlaskClient, table: Table) -> None:
    assert "no picture" in message(client.get("/camera.jpg"), 404)
    table.shown = Picture(b"\xff\xd8 a picture", 5)
    found = client.get("/camera.jpg?n=5")
    assert (found.data, found.mimetype) == (b"\xff\xd8 a picture", "image/jpeg")
    assert found.headers["Cache-Control"] == "no-store"


def test_the_camera_is_the_keepers_but_over_a_drawn_table_everybodys(client: FlaskClient, table: Table) -> None:
    table.shown = Picture(b"\xff\xd8 a picture", 5)
    refused = client.get("/camera.jpg", environ_base=ELSEWHERE)
    assert (refused.status_code, b"a picture" in refused.data) == (403, False)
    assert "/camera.jpg" not in client.get("/", environ_base=ELSEWHERE).text
    assert "/camera.jpg" in client.get("/").text
    drawn = table.client(table=table)
    assert drawn.get("/camera.jpg", environ_base=ELSEWHERE).status_code == 200
    assert "/camera.jpg" in drawn.get("/", environ_base=ELSEWHERE).text


def test_camera_trouble_is_told_to_those_who_do_not_see_its_picture_too(client: FlaskClient, table: Table) -> None:
    table.scoreboard.publish(Snapshot(eye=Eye("There is no picture from the camera: no camera 0.")))
    for address in ("127.0.0.1", PHONE):
        page = client.get("/", environ_base={"REMOTE_ADDR": address}).text
        assert "There is no picture from the camera: no camera 0." in page


def test_the_record_is_a_file_or_missing_with_a_sentence(client: FlaskClient, table: Table) -> None:
    assert message(client.get("/record.json"), 404) == "No game has been dealt yet."
    table.game = Download("strada-standard-2-moves.json", '{"name": "Zoë"}')
    found = client.get("/record.json")
    assert (found.text, found.mimetype) == ('{"name": "Zoë"}', "application/json")
    assert found.headers["Content-Disposition"] == 'attachment; filename="strada-standard-2-moves.json"'
    assert found.headers["Cache-Control"] == "no-store"
    assert client.post("/record.json", headers=OWN).status_code == 405


def test_the_page_leads_to_the_record_once_a_game_was_dealt(client: FlaskClient, table: Table) -> None:
    (link,) = re.findall(r'<a id="record"[^>]*>', client.get("/").text)
    assert 'href="/record.json"' in link
    assert "hidden" not in link
    table.scoreboard.publish(Snapshot())
    (link,) = re.findall(r'<a id="record"[^>]*>', client.get("/").text)
    assert "hidden" in link


def test_the_board_has_its_style(client: FlaskClient) -> None:
    (address,) = re.findall(r'href="(/static/board.css[^"]*)"', client.get("/").text)
    with client.get(address) as style:
        assert ".rhythm.red" in style.text
        assert style.mimetype == "text/css"
        assert "max-age" in style.headers["Cache-Control"]


@pytest.mark.parametrize("host", ["evil.example", "strada.evil.example:8000", "127.0.0.1.evil.example"])
def test_a_foreign_host_name_is_refused(client: FlaskClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 400


def test_no_script_waits_for_ever_for_an_answer() -> None:
    scripts = (Path(app.__file__).parent / "static").glob("*.js")
    asking = [line for script in scripts for line in script.read_text().splitlines() if re.search(r"\bfetch\(", line)]
    assert asking
    assert [line for line in asking if "signal: AbortSignal.timeout" not in line] == []


@pytest.mark.parametrize(
    ("language", "nowhere", "wrongly"),
    [
        ("de", "Diese Seite gibt es hier nicht.", "Das kann diese Seite nicht."),
        ("en", "There is no such page.", "This page cannot do that."),
        ("fr", "Cette page n’existe pas.", "Cette page ne peut pas faire cela."),
        ("it", "Questa pagina non esiste.", "Questa pagina non può farlo."),
    ],
)
def test_pages_that_do_not_exist_are_refused_in_the_readers_language(
    client: FlaskClient, language: str, nowhere: str, wrongly: str
) -> None:
    reader = {"Accept": "text/html", "Accept-Language": language}
    assert nowhere in client.get("/nowhere", headers=reader).text
    assert wrongly in client.post("/", headers={**reader, **OWN}).text
