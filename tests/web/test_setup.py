"""The set-up's page, pictures and steps, over HTTP."""

import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from calibration import TableFolder, load_photo
from companion.board import Color, HexBoard, Road, Settlement, SettlementType, Terrain
from companion.board.notation import contents_to_json
from companion.scoreboard import Notice
from companion.setup.lessons import Judged
from companion.setup.photos import Roll
from companion.setup.store import Store
from companion.setup.wizard import Use, Wizard
from tests.calibration.rims import Rim, beside, rimmed, tilted_view
from tests.web.conftest import Camera, Steps
from tests.web.playing import ELSEWHERE, OWN, Table, game, showing
from tests.web.whole import Lamps
from vision.light.flatten import Image
from vision.reader import Reader
from vision.tiles.selftest import Confusion, SelfTest, TaughtKind

BOARD = HexBoard(6)


def test_the_page_is_one_of_those_that_every_page_leads_to(setup: FlaskClient) -> None:
    page = setup.get("/").text
    assert '<a href="/setup"' in page
    shown = setup.get("/setup").text
    for name in ("camera", "corners", "terrain", "teach", "tracks", "panel", "save", "start"):
        assert f'data-step="{name}"' in shown


@pytest.mark.parametrize(
    ("language", "letters"), [("en", "B G Y R"), ("de", "S Gr Ge R"), ("fr", "N G J R"), ("it", "N Gr Gi R")]
)
def test_colours_have_letters_of_the_readers_language(setup: FlaskClient, language: str, letters: str) -> None:
    page = setup.get("/setup", headers={"Accept-Language": language}).text
    shown = re.findall(r'name="colors".*?<text[^>]*>(\w+)</text>', page)
    assert shown == letters.split()


@pytest.mark.parametrize("is_to_teach", [True, False])
def test_what_is_read_poorly_at_a_deal_leads_to_the_set_up(tmp_path: Path, is_to_teach: bool) -> None:
    wizard = Wizard(Store(tmp_path), lambda: None, lambda path: Use.NOW, lambda: tmp_path)
    notice = Notice("start", "Dealt.", ("The settlement on F5 can hardly be told.",), is_to_teach=is_to_teach)
    table = showing(replace(game(), notice=notice))
    for there, leads in ((wizard, is_to_teach), (None, False)):
        page = table.client(wizard=there).get("/").text
        assert ('<a class="show" href="/setup#start">Teach it again</a>' in page) is leads


def test_a_viewer_sees_nothing_of_the_camera(setup: FlaskClient, camera: Camera) -> None:
    camera.seen = np.zeros((60, 80, 3), np.uint8)
    for path in ("live.jpg", "live.json", "state.json", "photo/0.jpg"):
        assert setup.get(f"/setup/{path}", environ_base=ELSEWHERE).status_code == 403


def test_without_a_wizard_there_is_no_set_up(client: FlaskClient) -> None:
    assert client.get("/setup").status_code == 404
    assert 'href="/setup"' not in client.get("/").text


def test_the_live_picture_says_what_is_wrong_with_it(setup: FlaskClient, camera: Camera) -> None:
    assert setup.get("/setup/live.json").json == {"faults": ["no-picture"], "roll": None}
    assert setup.get("/setup/live.jpg").status_code == 404
    camera.seen = np.zeros((1232, 1640, 3), np.uint8)
    answer = setup.get("/setup/live.json").json
    assert "dark" in answer["faults"]
    assert setup.get("/setup/live.jpg").data.startswith(b"\xff\xd8")


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("turn", {"by": 2}, "by is 2; it should be 1 or -1"),
        ("turn", {"by": True}, "it should be 1 or -1"),
        ("photograph", {"x": 1}, "'x' is not known"),
        ("photograph", {"upload": 5}, "the name of an upload"),
        ("photograph", {"upload": "0123456789abcdef"}, "got lost on the way"),
        ("teach", {"upload": ""}, "got lost on the way"),
        ("photograph", None, "There is no picture from the camera"),
        ("corners", {"A1": [0, 0]}, "the four marks"),
        ("corners", {"Z1": [0, 0]}, "'Z1' is not known"),
        ("corners", {"A1": [1e9, 0], "A7": [1, 1], "M7": [1, 1], "M1": [1, 1]}, "two numbers of pixels"),
        ("corners", {"A1": [0, 0], "A7": [1, 0], "M7": [1, 1], "M1": [0, 1]}, "Take one first"),
        ("ground", {"cell": "Z9", "terrain": "hill"}, "no cell “Z9”"),
        ("ground", {"cell": "G7", "terrain": "sea"}, "one of plain, forest, hill"),
        ("insist", None, "nobody said that something lies on the board"),
        ("swap", {"one": "forest", "other": "sea"}, "one of plain, forest, hill"),
        ("paint", {"cells": ["Z9"], "terrain": "hill"}, "no cell “Z9”"),
        ("paint", {"cells": [], "terrain": "hill"}, "one cell of the board or more"),
        ("paint", {"cells": ["G7"], "terrain": "sea"}, "one of plain, forest, hill"),
        ("paint", {"cells": ["G7"], "terrain": "hill"}, "The board has not been found yet"),
        ("seek", {}, "There is no photograph of the empty board yet"),
        ("seek", {"cell": "G7"}, "seek"),
        ("swap", {"one": "forest", "other": "hill"}, "The board has not been found yet"),
        ("teach", None, "The board has not been found yet"),
        ("forget", {"photo": 0}, "The board has not been found yet"),
        ("correct", {"photo": 0, "cell": "G7", "contents": {"merchants": {"red": 99}}}, "99 red merchants"),
        ("name", {"photo": 0, "cells": ["A1"], "kind": "nothing"}, "The board has not been found yet"),
        ("mark", {"photo": 0, "color": "red", "field": 11}, "from 0 to 10"),
        ("tracks", {"red": {"0": [1, 1], "11": [2, 2]}}, "'11' is not known"),
        ("tracks", {"pink": {"0": [1, 1], "10": [2, 2]}}, "should be one of black"),
        ("colors", {"colors": ["red"]}, "at least two colours"),
        ("colors", {"colors": "red"}, "should be a list of colours"),
        ("judge", None, "The board has not been found yet"),
        ("save", {"name": 5}, "a name of at most"),
        ("save", {"name": "x"}, "The board has not been found yet"),
        ("again", {"table": "x", "component": "cube-pink"}, "is not a component"),
        ("again", {"table": "x", "component": "cube-red"}, "This table no longer exists"),
        ("use", {"table": "../x"}, "This table no longer exists"),
        ("check", {"table": "x"}, "This table no longer exists"),
        ("panel", {"part": "siren"}, "there are legal, illegal, turn-red"),
    ],
)
def test_a_step_that_cannot_be_is_refused_with_a_sentence(step: Steps, name: str, body: object, said: str) -> None:
    assert said in step(name, body, status=400)["message"]


def test_an_unknown_step_is_not_found(step: Steps) -> None:
    step("explode", status=404)


def test_presses_are_listened_to_only_where_the_button_is_tried(setup: FlaskClient, lamps: Lamps) -> None:
    setup.get("/setup/live.json")
    assert lamps.listened == 0
    assert setup.get("/setup/live.json?presses").json["presses"] == 3


def test_a_step_that_starts_from_an_old_state_is_refused_and_told_the_new_one(step: Steps) -> None:
    old = step("colors", {"colors": ["red", "black"]})
    new = step("colors", {"colors": ["red", "grey"], "version": old["version"]})
    late = step("colors", {"colors": ["yellow", "grey"], "version": old["version"]}, status=409)
    assert late == {**new, "message": "Somebody else has changed the set-up in the meantime. Check it, then go on."}
    again = step("colors", {"colors": ["yellow", "grey"], "version": late["version"]})
    assert again["colors"] == ["grey", "yellow"]


def test_the_photographs_of_a_folder_are_turned_by_hand(table: Table, tmp_path: Path) -> None:
    for name in ("0.png", "<1>.png"):
        cv2.imwrite(str(tmp_path / name), np.full((30, 40, 3), 90, np.uint8))
    wizard = Wizard(Store(tmp_path / "tables"), lambda: None, lambda path: Use.NOW, roll=Roll(tmp_path))
    setup = table.client(wizard=wizard)
    assert setup.get("/setup/state.json").json["roll"] == {"number": 1, "count": 2, "name": "0.png"}
    turned = Steps(setup)("turn", {"by": 1})
    assert turned["roll"] == setup.get("/setup/live.json").json["roll"] == {"number": 2, "count": 2, "name": "<1>.png"}
    assert setup.get("/setup/live.jpg").status_code == 200


def test_what_is_not_a_version_is_named(step: Steps) -> None:
    assert "version" in step("judge", {"version": "x"}, status=400)["message"]


def test_the_state_is_told_while_somebody_elses_step_is_at_work(table: Table, tmp_path: Path) -> None:
    asked, may_go = threading.Event(), threading.Event()

    def picture() -> Image:
        asked.set()
        assert may_go.wait(60)
        return np.zeros((60, 80, 3), np.uint8)

    app = table.pages(wizard=Wizard(Store(tmp_path), picture))
    told: list[TestResponse] = []
    step = threading.Thread(
        target=lambda: app.test_client().post("/setup/photograph", json={}, headers=OWN), daemon=True
    )
    look = threading.Thread(target=lambda: told.append(app.test_client().get("/setup/state.json")), daemon=True)
    step.start()
    assert asked.wait(60)
    look.start()
    look.join(30)
    answers = [answer.json for answer in told]
    may_go.set()
    step.join(60)
    assert [answer and (answer["version"], answer["size"]) for answer in answers] == [(0, None)]
    after = app.test_client().get("/setup/state.json").json
    assert (after["version"], after["size"]) == (1, [80, 60])


def test_lamps_are_tried(step: Steps, lamps: Lamps) -> None:
    step("panel", {"part": "turn-red"})
    assert lamps.shown == ["turn-red"]


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_the_sheet_is_a_pdf_in_the_readers_language(setup: FlaskClient, paper: str) -> None:
    answer = setup.get(f"/setup/sheet-{paper}.pdf")
    assert answer.mimetype == "application/pdf"
    assert answer.data.startswith(b"%PDF-")
    assert setup.get("/setup/sheet-a5.pdf").status_code == 405


@pytest.mark.long
def test_elms_photographs_become_a_table_through_the_routes(
    setup: FlaskClient, step: Steps, camera: Camera, tables: Path
) -> None:
    elm = TableFolder.open(tables / "elm")
    camera.seen, empty_truth = elm.load_empty()
    assert step("photograph")["size"] == [1640, 1232]
    found = step("corners", {str(cell): list(at) for cell, at in elm.setup.clicks.items()})
    assert found["ground"]["fit"] == "good"
    assert found["ground"]["markers"] == 4
    assert found["ground"]["terrain"] == {str(cell): read.terrain for cell, read in empty_truth.cells.items()}
    assert len(found["ground"]["cells"]["G7"]) == 12
    camera.seen, truth = elm.load_teach()
    taught = step("teach")
    lies = taught["lessons"][0]["lying"]
    wrong = [cell for cell in BOARD.cells if not _is_so(lies.get(str(cell)), contents_to_json(truth.contents(cell)))]
    assert len(wrong) < 20
    for cell in wrong:
        step("correct", {"photo": 0, "cell": str(cell), "contents": contents_to_json(truth.contents(cell))})
    assert set(taught["tracks"]) == {"black", "grey", "yellow", "red"}
    assert step("tracks", taught["tracks"])["lessons"][0]["markers"] == dict.fromkeys(taught["tracks"], 0)
    assert setup.get("/setup/photo/1.jpg").data.startswith(b"\xff\xd8")
    assert setup.get("/setup/photo/2.jpg").status_code == 404
    saved = step("save", {"name": "Elm <b>"})
    (shown,) = saved["tables"]
    assert (shown["name"], shown["in_use"]) == ("Elm <b>", True)
    fit = step("check", {"table": shown["key"]})
    assert fit["fits"], fit
    photo = load_photo(sorted((tables / "elm" / "games").glob("*/*.jpg"))[4])
    own, made = Reader.of(elm).read(photo), Reader.of(TableFolder.open(camera.used[0])).read(photo)
    assert sum(own.contents(cell) == made.contents(cell) for cell in BOARD.cells) >= len(BOARD.cells) - 1


def _is_so(proposed: dict[str, Any] | None, true: dict[str, Any]) -> bool:
    said = {"tile": None, "merchants": {}} if proposed is None else proposed
    return all(said[key] == true[key] for key in ("tile", "merchants"))


@pytest.mark.parametrize(
    ("given", "language", "kept"), [(" ", "de", "Tisch"), ("", "it", "Tavolo"), ("Küche", "de", "Küche")]
)
def test_a_table_without_a_name_is_called_so_in_the_readers_language(
    setup: FlaskClient, monkeypatch: pytest.MonkeyPatch, given: str, language: str, kept: str
) -> None:
    names = list[str]()
    monkeypatch.setattr(Wizard, "save", lambda self, name: (names.append(name), Use.NOW))
    answer = setup.post("/setup/save", json={"name": given}, headers={**OWN, "Accept-Language": language})
    assert answer.status_code == 200
    assert names == [kept]


@pytest.mark.long
def test_a_doubt_about_the_grid_is_settled_by_a_tap(step: Steps, camera: Camera) -> None:
    scene = rimmed(tilted_view(6), Rim(0.8))
    camera.seen = scene.image
    step("photograph")
    body = {str(cell): list(map(float, at)) for cell, at in beside(scene, 0, 1, 3).items()}
    found = step("corners", body)
    assert (found["ground"], found["asked"]["cells"]) == (None, 1)
    settled = step("settle", {"take": "beside"})
    assert settled["asked"] is None
    for name, at in settled["corners"].items():
        assert np.hypot(*np.subtract(scene.view.centres_px[BOARD.cell(name)], at)) < 2


@pytest.mark.parametrize(
    ("body", "why"),
    [({"take": "left"}, "it should be clicked or beside"), ({}, "it should be"), ({"take": "beside"}, "Only one grid")],
)
def test_only_one_of_two_grids_can_be_taken(step: Steps, body: object, why: str) -> None:
    assert why in step("settle", body, status=400)["message"]


def test_what_the_taught_tiles_say_of_themselves_is_said_in_the_readers_language(tmp_path: Path, table: Table) -> None:
    town, city = Settlement(SettlementType.TOWN), Settlement(SettlementType.CITY)
    road = Road(Color.YELLOW, Terrain.FOREST, (0, 3))
    tested = SelfTest(
        kinds=(TaughtKind(town, 3, 1, 0.4), TaughtKind(city, 3, 0, 0.9)),
        confusions=(Confusion(town, city, 0.4),),
        missing=(road,),
        photograph=((town, 2), (city, 2), (road, 1)),
    )
    wizard = Wizard(Store(tmp_path), lambda: None, lambda path: Use.NOW)
    wizard._now = replace(wizard.now, judged=Judged(tested=tested))
    client = table.client(wizard=wizard, panel=Lamps())
    said = client.get("/setup/state.json", headers={"Accept-Language": "de"}).json["judged"]
    assert said["is_confused"] is True
    assert said["tiles"] == [
        "Schwer zu unterscheiden: Wehrdorf und Stadt.",
        "Noch nicht angelernt: Weg von Gelb, Wald →←.",
        "Nur mit Händlersteinen darauf angelernt: Stadt.",
        "Am meisten würde ein weiteres Foto helfen. Legt dafür aus, ohne Händlersteine: "
        "2 × Wehrdorf · 2 × Stadt · 1 × Weg von Gelb, Wald →←.",
    ]
    wizard._now = replace(wizard.now, judged=Judged())
    nothing = {"doubts": [], "misread": [], "tiles": [], "is_confused": False}
    assert client.get("/setup/state.json").json["judged"] == nothing


@pytest.mark.long
def test_a_photograph_that_waits_for_its_corners_is_the_keepers_alone(
    table: Table, tmp_path: Path, tables: Path
) -> None:
    elm = TableFolder.open(tables / "elm")
    wizard = Wizard(Store(tmp_path), lambda: elm.load_empty()[0])
    wizard.freeze()
    wizard.find(elm.setup.clicks)
    wizard.teach(np.zeros((900, 1200, 3), np.uint8))
    setup = table.client(wizard=wizard)
    waits = setup.get("/setup/state.json").get_json()["unplaced"]
    assert (waits["size"], sorted(waits["corners"])) == ([1200, 900], ["A1", "A7", "M1", "M7"])
    assert setup.get("/setup/unplaced.jpg").data.startswith(b"\xff\xd8")
    assert setup.get("/setup/unplaced.jpg", environ_base=ELSEWHERE).status_code == 403
    step = Steps(setup)
    assert "four" in step("place", {"A1": [3, 4]}, status=400)["message"]
    assert "find a board" in step("place", waits["corners"], status=400)["message"]
    assert setup.get("/setup/state.json").get_json()["unplaced"] is not None, "it still waits"
    assert step("put-away")["unplaced"] is None
    assert setup.get("/setup/unplaced.jpg").status_code == 404
    assert "got lost" in step("place", waits["corners"], status=400)["message"]
