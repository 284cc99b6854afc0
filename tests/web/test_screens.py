"""The TV's page, the page that invites others, and light or dark."""

import re
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.web import Wifi
from companion.web.frame import DARK_FOR
from tests.web.playing import BOARD, Table, game

ADDRESS = "http://192.168.178.42:8000/"


@pytest.fixture
def app(table: Table) -> Flask:
    return table.pages(address=lambda: ADDRESS)


@pytest.mark.parametrize("path", ["/tv", "/join"])
def test_the_address_with_the_ip_is_shown_with_its_code(client: FlaskClient, path: str) -> None:
    page = client.get(path).text
    assert "192.168.178.42:8000</a>" in page
    assert '<svg class="code"' in page


def test_the_code_can_be_asked_for_again_where_the_network_comes_later(table: Table) -> None:
    addresses = ["", ADDRESS]
    client = table.client(address=lambda: addresses[0])
    alone = client.get("/join/code").json["markup"]  # type: ignore[index]
    assert "--host 0.0.0.0" in alone
    assert "<svg" not in alone
    del addresses[0]
    assert "192.168.178.42" in client.get("/join/code").json["markup"]  # type: ignore[index]


def test_the_tables_own_wifi_is_shown_before_the_address_while_it_is_open(table: Table) -> None:
    open_wifi: list[Wifi] = []
    client = table.client(address=lambda: "http://10.42.0.1/", wifi=lambda: open_wifi[0] if open_wifi else None)
    assert client.get("/join").text.count('<svg class="code"') == 1
    open_wifi.append(Wifi("<Strada>-4f2a", "kdm7-2xqa-9dhe"))
    for path in ("/tv", "/join", "/join/code"):
        answer = client.get(path)
        page = answer.json["markup"] if answer.json else answer.text
        assert page.count('<svg class="code"') == 2
        assert page.index("<b>kdm7-2xqa-9dhe</b>") < page.index("10.42.0.1</a>")
        assert "<b>&lt;Strada&gt;-4f2a</b>" in page
    assert "kdm7" not in client.get("/").text


def test_the_television_shows_the_whole_game(client: FlaskClient) -> None:
    page = client.get("/tv").text
    for said in ("<bdi>Bo</bdi>", "Their turn: 4 days left", "that move is legal", 'class="plate city"'):
        assert said in page


def test_the_television_shows_the_pin_while_the_button_is_held(client: FlaskClient, table: Table) -> None:
    assert 'class="pin"' not in client.get("/tv").text
    table.scoreboard.show_pin("482915")
    assert "<b>482&#8239;915</b>" in client.get("/tv").text.replace("\u202f", "&#8239;")
    assert "482&#8239;915" not in client.get("/").text.replace("\u202f", "&#8239;")


@pytest.mark.parametrize(("chosen", "shown"), [("", ""), ("light", "light"), ("dark", "dark"), ('"><script>', "")])
def test_light_or_dark_is_as_the_device_is_unless_somebody_chose(client: FlaskClient, chosen: str, shown: str) -> None:
    client.set_cookie("look", chosen)
    page = client.get("/").text
    assert f'id="dark" media="{DARK_FOR[shown]}"' in page
    assert f'<meta name="color-scheme" content="{shown or "light dark"}">' in page


def test_no_style_of_ours_asks_the_device_whether_it_is_dark(client: FlaskClient) -> None:
    sheets = re.findall(r'rel="stylesheet" href="([^"]+)"', client.get("/").text)
    assert sheets
    for sheet in sheets:
        with client.get(sheet) as answer:
            assert "prefers-color-scheme" not in answer.text, f"{sheet}: dark.css alone holds what is dark"


def test_the_cells_of_the_last_move_stay_marked_under_what_was_said_since(client: FlaskClient, table: Table) -> None:
    moved = frozenset({BOARD.cell("G8"), BOARD.cell("G9")})
    table.scoreboard.publish(replace(game(), changed=moved))
    page = client.get("/").text
    assert page.count('class="mark last"') == 1, "G8 is marked by the verdict itself"
    assert page.count('class="mark legal"') == 1
