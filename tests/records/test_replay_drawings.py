"""A replayed game drawn into files, one for each step."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from companion.board import BadInputError, HexBoard
from companion.records.picture import draw_pictures
from tests.games.random_records import RULES
from tests.games.test_records import small
from tests.records.test_replay import HOSTILE, PLAYED, named, replay, steps, voice, write

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return write(tmp_path, PLAYED)


def test_each_step_is_drawn_into_a_file_of_its_own(written: Path, tmp_path: Path) -> None:
    folder = tmp_path / "drawn" / "game"
    assert replay(written, "--svg", folder).output == f"7 drawings in {folder}\n"
    assert [path.name for path in sorted(folder.iterdir())] == [
        "000-start.svg",
        "001-black-workshop.svg",
        "002-red-workshop.svg",
        "003-black-turn.svg",
        "004-black-turn.svg",
        "005-red-turn.svg",
        "006-black-turn.svg",
    ]
    before = (folder / "004-black-turn.svg").read_text()
    assert replay(written, "--svg", folder).exit_code == 0
    assert (folder / "004-black-turn.svg").read_text() == before


def test_a_drawing_has_player_and_verdict_and_marks_the_cells_of_the_move() -> None:
    found = [ET.fromstring(svg) for svg in draw_pictures(steps(PLAYED), voice(PLAYED))]
    titles = [drawn.findtext(f"{SVG}title") for drawn in found]
    assert titles[3:5] == ["Ada: the road is not finished", "Ada: that move is legal. It cost 2 days, 4 left"]
    classes = [[str(group.get("class")) for group in drawn.iter(f"{SVG}g")] for drawn in found]
    marks = [[name for name in names if name.startswith("mark")] for names in classes]
    assert marks == [[], ["mark legal"], ["mark legal"], ["mark illegal"], ["mark legal"] * 2, [], ["mark ask"]]
    assert len({drawn.get("viewBox") for drawn in found}) == 1, "they can be looked through one after the other"


def test_whoever_has_no_name_is_called_by_their_colour_in_the_drawings_language() -> None:
    nobody = {**PLAYED, "players": [{**each, "name": each["color"].capitalize()} for each in PLAYED["players"]]}
    drawn = ET.fromstring(draw_pictures(steps(nobody), voice(nobody, "fr"))[-1])
    names = [text.text for text in drawn.iter(f"{SVG}text") if text.get("class") == "name"]
    assert names == ["Noir", "Rouge"]


@pytest.mark.parametrize("rules", RULES)
def test_drawings_are_well_formed_and_need_nothing_else(records: Path, rules: str) -> None:
    record = named(json.loads((records / f"la-strada-{rules}-5.json").read_text()), HOSTILE)
    for svg in draw_pictures(steps(record), voice(record)):
        drawn = ET.fromstring(svg.encode())
        known = {element.get("id") for element in drawn.iter()}
        assert all(each.get("href", "#hex")[1:] in known for each in drawn.iter())
        assert set(re.findall(r"url\(#([\w-]+)\)", svg)) <= known
        assert not re.search(r"@import|src=|<script|<image|url\((?!#)", svg)
        assert re.findall(r"https?://[^\"]+", svg) == ["http://www.w3.org/2000/svg"]


def test_on_the_smallest_board_there_is_room_for_every_player() -> None:
    crowd = [{"name": f"{name}{'a' * 40}", "color": name} for name in ("black", "grey", "yellow", "red")]
    board = {"rings": 1, "terrain": dict.fromkeys(map(str, HexBoard(1).cells), "plain"), "settlements": {}}
    record = {**small(), "board": board, "players": crowd, "moves": []}
    (svg,) = draw_pictures(steps(record), voice(record))
    left, _, width, _ = map(float, str(ET.fromstring(svg).get("viewBox")).split())
    cards = re.findall(r'translate\((-?[\d.]+) [\d.]+\)"><rect class="card[ a-z]*" width="([\d.]+)"', svg)
    assert len(cards) == 4
    assert all(left <= float(x) and float(x) + float(wide) <= left + width for x, wide in cards)
    assert min(float(wide) for _, wide in cards) >= 100
    assert len(re.findall(r'class="name"[^>]*>\w+…<', svg)) == 4, "long names are cut"


def test_the_drawing_of_a_move_has_all_that_is_said_about_it(records: Path) -> None:
    record = json.loads((records / "la-strada-standard-5.json").read_text())
    for step, svg in zip(steps(record), draw_pictures(steps(record), voice(record)), strict=True):
        shown = " ".join(text.text or "" for text in ET.fromstring(svg).iter(f"{SVG}text"))
        for sentence in (said for event in step.events for said in voice(record).sentences(event)):
            assert sentence in shown


def test_another_file_of_that_name_is_never_written_over(written: Path, tmp_path: Path) -> None:
    folder = tmp_path / "drawn"
    folder.mkdir()
    (folder / "003-black-turn.svg").write_text("<svg/>")
    there = "003-black-turn.svg is there already, and no drawing of a replay; name another folder for --svg"
    with pytest.raises(BadInputError, match=re.escape(there)):
        replay(written, "--svg", folder)
    assert [path.name for path in folder.iterdir()] == ["003-black-turn.svg"], "nothing was drawn"
