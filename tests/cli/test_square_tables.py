"""A drawn table with a square board, as a folder: the commands find its board, read it and referee its evening."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from calibration import TableFolder
from companion.board import BadInputError, SquareBoard
from companion.cli import align, watch
from companion.games.contract import Player
from companion.games.silk_road.position import made_up_sets
from simulator import write_square_evening, write_square_table
from tests.once import Shelf

PLAYERS = (Player("Ada", "green"), Player("Bo", "brown"))


@pytest.fixture(scope="module")
def table(shelf: Shelf, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("squares")

    def write() -> int:
        camera, _ = write_square_table(folder, 7, made_up_sets(player.color for player in PLAYERS))
        return write_square_evening(folder / "games" / "evening", camera, 7, PLAYERS, most=6, mistakes=0.5)

    assert shelf.written("square-evening-7", folder, write) == 6
    return folder


def test_its_folder_says_that_the_board_is_square(table: Path) -> None:
    folder = TableFolder.open(table)
    assert folder.setup.board == SquareBoard(6)
    assert folder.setup.tracks == {}
    assert len(folder.load_teaches()) == 1


def test_the_board_is_found(table: Path) -> None:
    photo, clicks = table / "setup" / "empty.jpg", table / "table.json"
    done = CliRunner().invoke(align.align_command, [str(photo), "--clicks", str(clicks)], catch_exceptions=False)
    found = json.loads(done.output)["centres"]
    true = json.loads((table / "setup" / "centres.json").read_text())
    assert found.keys() == true.keys()
    assert max(abs(a - b) for name in true for a, b in zip(found[name], true[name], strict=True)) < 3


@pytest.mark.long
def test_its_evening_is_refereed_as_it_was_played(table: Path) -> None:
    evening = table / "games" / "evening"
    done = CliRunner().invoke(watch.command, [str(evening), "--json"], catch_exceptions=False)
    said = [json.loads(line) for line in done.output.splitlines()]
    true = [json.loads(path.read_text())["expected"] for path in sorted(evening.glob("0*.json"))]
    assert [line["next"] for line in said] == [each["next"] for each in true]
    assert [line["gold"] for line in said] == [each["gold"] for each in true]
    assert [line["violations"] for line in said[1:]] == [each["violations"] for each in true[1:]]
    assert any(each["violations"] for each in true[1:]), "somebody lays it wrong first"


@pytest.mark.long
def test_its_readings_are_written_beside_their_drawings(table: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(
        watch.read_command, [str(table), "--out", str(tmp_path), "--overlay"], catch_exceptions=False
    )
    assert json.loads(done.output.splitlines()[-1])["photos"] == 6
    for path in sorted((table / "games" / "evening").glob("0*.json")):
        true = json.loads(path.read_text())["cells"]
        seen = json.loads((tmp_path / "games" / "evening" / path.name).read_text())
        spoken = set(true) - set(seen["unclear"]) - set(seen["occluded"])
        assert {name: seen["cells"][name]["tile"] for name in spoken} == {name: true[name]["tile"] for name in spoken}
        assert (tmp_path / "games" / "evening" / path.name).with_suffix(".png").stat().st_size > 10_000


def test_a_square_board_with_day_tracks_is_refused(table: Path, tmp_path: Path) -> None:
    says = json.loads((table / "table.json").read_text())
    (tmp_path / "table.json").write_text(json.dumps({**says, "tracks": {}}))
    with pytest.raises(BadInputError, match="a square board has no day tracks"):
        TableFolder.open(tmp_path)
