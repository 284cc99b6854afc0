"""Crowded tables to learn from: every kind of tile with cubes, once how the pieces lie was found."""

from pathlib import Path
from typing import Any

import pytest

from bench.tablegen import seeds_of
from bench.training.album import CROWDED, refuse_kept_apart
from bench.training.crowded import crowded, main
from companion.board import HexBoard, Settlement, Workshop
from companion.board.notation import contents_from_json
from vision.tiles.opinion import MOST_COUNTED

BOARD = HexBoard(6)
SITES = [str(cell) for cell in BOARD.cells][::7]
SKETCH: dict[str, Any] = {
    "seed": 7,
    "layout": [],
    "terrain": {str(cell): "plain" for cell in BOARD.cells},
    "sites": SITES,
}


def test_the_first_photograph_shows_settlements_alone_where_they_belong() -> None:
    first = crowded(SKETCH)["photos"][0]
    assert first["cells"].keys() == set(SITES)
    assert {cell["tile"]["kind"] for cell in first["cells"].values()} == {"settlement"}
    assert not first["hands"]


def test_the_others_have_all_kinds_of_tiles_and_up_to_five_cubes_on_them_or_a_heap_of_one_colour() -> None:
    photos = crowded(SKETCH, 9)["photos"][1:]
    assert len(photos) == 9
    cells = [contents_from_json(cell, name) for photo in photos for name, cell in photo["cells"].items()]
    totals = {cell.merchants.total for cell in cells}
    assert totals == set(range(7))
    heaps = [cell for cell in cells if cell.merchants.total > MOST_COUNTED]
    assert {len(cell.merchants.counts) for cell in heaps} == {1}
    assert {type(cell.tile) for cell in heaps} == {Settlement, Workshop}
    assert all(set(cell.merchants.counts) == {cell.tile.color} for cell in heaps if isinstance(cell.tile, Workshop))
    kinds = {type(cell.tile).__name__: 0 for cell in cells}
    for cell in cells:
        kinds[type(cell.tile).__name__] += bool(cell.merchants)
    assert kinds.keys() == {"Settlement", "Workshop", "Road", "NoneType"}
    assert all(kinds.values()), "each has cubes now and then"


def test_a_seed_is_one_plan_and_another_seed_another() -> None:
    assert crowded(SKETCH) == crowded(SKETCH)
    assert crowded(SKETCH)["photos"] != crowded({**SKETCH, "seed": 8})["photos"]


def test_seeds_that_are_kept_to_measure_with_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["crowded", "998-1001", "--tables", str(tmp_path)])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert "seed 1001 is kept to measure with" in capsys.readouterr().err
    assert seeds_of("998-999") == [998, 999]


def test_albums_of_crowded_tables_are_known_by_their_name() -> None:
    refuse_kept_apart([f"{CROWDED}t00600"])
