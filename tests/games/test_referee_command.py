"""`strada referee FILE...` as a person runs it."""

import json
from pathlib import Path

from tests.games.silk_road.random_records import random_silk_road
from tests.games.test_records import LEGAL_TURN, small
from tests.typed import Refused, Strada, process


def test_each_record_of_either_game_becomes_one_line_of_json(tmp_path: Path) -> None:
    la_strada, silk_road = tmp_path / "la-strada.json", tmp_path / "silk-road.json"
    la_strada.write_text(json.dumps(small(LEGAL_TURN)))
    written, said = random_silk_road(8)
    silk_road.write_text(json.dumps(written))
    done = process("referee", silk_road, la_strada)
    assert (done.returncode, done.stderr) == (0, "")
    first, second = map(json.loads, done.stdout.splitlines())
    assert first == said
    assert second == {
        "verdicts": [
            {"legal": True, "violations": [], "days": {"black": 0, "red": 0}, "over": False},
            {"legal": True, "violations": [], "days": {"black": 6, "red": 0}, "over": False},
            {"legal": True, "violations": [], "days": {"black": 4, "red": 6}, "over": False},
        ],
        "over": False,
        "next": "red",
        "gold": {"black": 5, "red": 0},
        "winners": [],
    }


def test_a_broken_record_ends_the_run_with_one_line_and_status_two(strada: Strada, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(small()))
    bad.write_text(json.dumps({**small(), "author": "Ada"}))
    status, printed, complained = strada("referee", good, bad, good)
    assert status == 2
    assert len(printed.splitlines()) == 1
    assert complained.startswith(f"strada: {bad}: the record has an unknown field 'author'")
    assert complained.count("\n") == 1


def test_a_file_that_cannot_be_read_is_named(refused: Refused, tmp_path: Path) -> None:
    image = tmp_path / "photo.jpg"
    image.write_bytes(b"\xff\xd8\xff\xe0")
    complaints = {tmp_path / "none.json": "No such file", tmp_path: "directory", image: "not UTF-8 text"}
    for path, complaint in complaints.items():
        assert complaint in refused("referee", path)
