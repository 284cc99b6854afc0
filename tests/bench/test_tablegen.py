"""Rendered tables: made where they are missing, resumed where they broke off; and crowded ones to learn from."""

import itertools
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.tablegen import Generator, folder_of, has_evening, is_reported, is_whole, rendered, seeds_of
from bench.training.album import CROWDED, refuse_kept_apart
from bench.training.crowded import crowded, main
from companion.board import BadInputError, Color, HexBoard, Settlement, Workshop
from companion.board.notation import contents_from_json
from tests.bench.conftest import Complaint
from vision.tiles.opinion import MOST_COUNTED

#: In place of Blender: writes the files of a table, and notes that it ran.
RENDERER = """
import json, pathlib, sys
seed, out = int(sys.argv[1]), pathlib.Path(sys.argv[2])
if seed == 13:
    sys.exit("seed 13 is bad luck")
plan = json.loads(pathlib.Path(sys.argv[sys.argv.index("--plan") + 1]).read_text()) if "--plan" in sys.argv else None
table = out / f"t{seed:05d}"
photos = int(sys.argv[sys.argv.index("--photos") + 1])
names = {"setup/empty": {}, "setup/teach": {}}
if plan is None:
    names |= {f"games/first/{n:03d}": {} for n in range(photos)}
else:
    names |= {f"games/evening/{n:03d}": photo for n, photo in enumerate(plan["photos"])}
for name, truth in names.items():
    (table / name).parent.mkdir(parents=True, exist_ok=True)
    (table / name).with_suffix(".jpg").write_bytes(b"")
    (table / name).with_suffix(".json").write_text(json.dumps(truth))
for name in ("table.json", "setup/centres.json"):
    (table / name).write_text("{}")
if plan is not None:
    (table / "games/evening/game.json").write_text(json.dumps({"photos": [0] * len(plan["photos"])}))
with open(out / "runs", "a") as runs:
    print(seed, file=runs)
"""


@pytest.fixture
def generator(tmp_path: Path) -> Generator:
    folder = tmp_path / "shared" / "tablegen"
    folder.mkdir(parents=True)
    for name, text in {"make.py": RENDERER, "plan.py": "", "README.md": ""}.items():
        (folder / name).write_text(text)
    return Generator.of(tmp_path / "shared", tmp_path / "tables", sys.executable)


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    return tmp_path / "tables"


def runs(tables: Path) -> list[str]:
    return (tables / "runs").read_text().split()


def plan(*expected: str) -> dict[str, Any]:
    return {"photos": [{"button": "done", "expected": word, "tracks": {}} for word in expected]}


def test_a_table_is_rendered_once_and_one_broken_off_is_taken_up(generator: Generator, tables: Path) -> None:
    assert rendered([7, 8], tables, generator, photos=2) == [7, 8]
    (folder_of(tables, 8) / "games/first/001.json").unlink()
    assert not is_whole(folder_of(tables, 8), photos=2)
    assert rendered([7, 8], tables, generator, photos=2) == [7, 8]
    assert runs(tables) == ["7", "8", "8"]


def test_without_a_generator_only_what_is_there_is_scored(generator: Generator, tables: Path) -> None:
    rendered([7], tables, generator, photos=2)
    assert rendered([7, 9], tables, None, photos=2) == [7]


def test_an_evening_whose_plan_has_changed_is_rendered_again(generator: Generator, tables: Path) -> None:
    for told in (plan("a", "b"), plan("a", "b"), plan("a", "c")):
        assert rendered([30], tables, generator, plan_of=lambda _, seed, told=told: told) == [30]
    assert runs(tables) == ["30", "30"]
    assert json.loads((tables / "plans" / "00030.json").read_text()) == plan("a", "c")
    assert has_evening(folder_of(tables, 30), plan("a", "c"))
    assert not has_evening(folder_of(tables, 31))


def test_a_seed_that_fails_is_named_with_the_renderers_last_line(generator: Generator, tables: Path) -> None:
    with pytest.raises(BadInputError, match="seed 13: the renderer failed, seed 13 is bad luck"):
        rendered([13], tables, generator, photos=2)


def test_a_missing_generator_or_renderer_is_named(generator: Generator, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"elsewhere.tablegen has no make\.py.*SHARED.*--no-render"):
        Generator.of(tmp_path / "elsewhere", tmp_path)
    with pytest.raises(BadInputError, match="the renderer is /nowhere/python, which is not a file"):
        Generator.of(tmp_path / "shared", tmp_path, "/nowhere/python")


def test_what_the_readme_does_not_say_is_not_guessed(
    generator: Generator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STRADA_RENDERER", raising=False)
    with pytest.raises(BadInputError, match=r"README\.md has no line with pip install"):
        Generator.of(tmp_path / "shared", tmp_path / "tables")


@pytest.mark.parametrize("told", ["", "0", "3000", "9-7", "seven", "1-", "2000-4000"])
def test_what_is_not_a_list_of_seeds_is_refused(told: str) -> None:
    with pytest.raises(BadInputError, match=r"seeds are .* like 2000-2049,2060"):
        seeds_of(told)


def test_seeds_are_listed_once_and_only_those_from_2000_on_are_not_looked_at() -> None:
    assert seeds_of("2000-2002,5,2001") == [2000, 2001, 2002, 5]
    assert [is_reported(seed) for seed in (999, 1999, 2000, 2999)] == [False, False, True, True]


BOARD = HexBoard(6)
SITES = [str(cell) for cell in BOARD.cells][::7]
PLAIN = {str(cell): "plain" for cell in BOARD.cells}
SKETCH: dict[str, Any] = {"seed": 7, "layout": [], "terrain": PLAIN, "sites": SITES}


def test_the_first_photograph_shows_settlements_alone_where_they_belong() -> None:
    first = crowded(SKETCH)["photos"][0]
    assert first["cells"].keys() == set(SITES)
    assert {cell["tile"]["kind"] for cell in first["cells"].values()} == {"settlement"}
    assert not first["hands"]


def test_the_others_have_all_kinds_of_tiles_and_up_to_five_cubes_on_them_or_a_heap_of_one_colour() -> None:
    photos = crowded(SKETCH, 9)["photos"][1:]
    assert len(photos) == 9
    stay = {*SITES, *workshops(photos)}
    cells = [
        contents_from_json(cell, name) for photo in photos for name, cell in photo["cells"].items() if name not in stay
    ]
    assert {cell.merchants.total for cell in cells} == set(range(7))
    heaps = [cell for cell in cells if cell.merchants.total > MOST_COUNTED]
    assert {len(cell.merchants.counts) for cell in heaps} == {1}
    assert {type(cell.tile) for cell in heaps} == {Settlement}
    kinds = {type(cell.tile).__name__: 0 for cell in cells}
    for cell in cells:
        kinds[type(cell.tile).__name__] += bool(cell.merchants)
    assert kinds.keys() == {"Settlement", "Road", "NoneType"}
    assert all(kinds.values()), "each has cubes now and then"


def test_dealt_settlements_and_workshops_stay_while_cubes_come_and_go() -> None:
    photos = crowded(SKETCH, 9)["photos"]
    stay = {*SITES, *workshops(photos[1:])}
    assert len(stay) == len(SITES) + 12
    changes = set()
    for before, after in itertools.pairwise(photos[1:]):
        for name in stay:
            assert before["cells"][name]["tile"] == after["cells"][name]["tile"]
            was, now = contents(before, name), contents(after, name)
            changes.add(((now - was).total(), (was - now).total()))
    assert {(0, 0), (1, 0), (2, 0), (0, 1), (0, 2), (0, 3), (0, 4)} <= changes
    heaps = [was for photo in photos[1:] for name in stay if (was := contents(photo, name)).total() > MOST_COUNTED]
    assert {len(heap) for heap in heaps} >= {1, 2}, "cubes of another colour come to a heap"
    assert max(heap.total() for heap in heaps) == 8, "as many as the generator lays on a cell"


def workshops(photos: list[dict[str, Any]]) -> set[str]:
    """Return the cells on which a workshop lies in any of these photographs."""
    cells = (item for photo in photos for item in photo["cells"].items())
    return {name for name, cell in cells if isinstance(contents_from_json(cell, name).tile, Workshop)}


def contents(photo: dict[str, Any], name: str) -> Counter[Color]:
    """Return the cubes on a cell of a photograph."""
    return Counter(contents_from_json(photo["cells"][name], name).merchants.counts)


def test_a_seed_is_one_plan_and_another_seed_another() -> None:
    assert crowded(SKETCH) == crowded(SKETCH)
    assert crowded(SKETCH)["photos"] != crowded({**SKETCH, "seed": 8})["photos"]


def test_seeds_that_are_kept_to_measure_with_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, complaint: Complaint
) -> None:
    monkeypatch.setattr("sys.argv", ["crowded", "998-1001", "--tables", str(tmp_path)])
    assert "seed 1001 is kept to measure with" in complaint(main)
    assert seeds_of("998-999") == [998, 999]


def test_a_table_that_the_generator_cannot_lay_is_left_out(
    generator: Generator,
    tables: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(Generator, "sketch", lambda _, seed: {**SKETCH, "seed": seed})
    shared = str(tables.parent / "shared")
    told = ["--shared", shared, "--tables", str(tables), "--renderer", sys.executable]
    monkeypatch.setattr("sys.argv", ["crowded", "12-14", *told])
    main()
    out, err = capsys.readouterr()
    assert "2 of 3 tables are whole" in out
    assert "bench: seed 13: the renderer failed" in err
    assert [has_evening(folder_of(tables, seed)) for seed in (12, 13, 14)] == [True, False, True]
    monkeypatch.setattr("sys.argv", ["crowded", "13", *told])
    with pytest.raises(SystemExit):
        main()


def test_albums_of_crowded_tables_are_known_by_their_name() -> None:
    refuse_kept_apart([f"{CROWDED}t00600"])
