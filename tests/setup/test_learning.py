"""Whether a table taken into use is the one that the camera sees, what happens to one that cannot be learnt, and which
games are dealt on it."""

import os
import queue
import shutil
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from calibration import TableFolder
from companion.board import Color, HexBoard, Section, Settlement, SquareBoard
from companion.commands import StartGame
from companion.events import GameOver, GamePaused
from companion.games import rule_set
from companion.games.contract import Player, Position
from companion.games.silk_road import Ground
from companion.session import State
from companion.settings import Settings
from companion.setup import UnusableTableError, learning
from companion.setup.finding import StillFits
from companion.setup.learning import (
    EXAMPLES_FILE,
    MOVED,
    FitCheck,
    KeptExamples,
    fitting,
    game_on,
    give_examples,
    learnt,
    lies_on,
)
from companion.wiring.choices import game_of
from companion.wiring.current_game import with_next
from simulator import Setup, write_square_table
from tests.dealing import dealt
from vision.light.flatten import Image
from vision.reader import Reader

PATIENCE_S = 90.0
FITS, LOST = StillFits(True, "", 0.5, 0.1, 0.0), StillFits(False, "The board is not in the picture.")
FAR = StillFits(False, "The camera or the board has been moved a long way.", 0.5, 2.0, 0.0)


@pytest.fixture
def table(drawn_table: tuple[Path, Setup]) -> TableFolder:
    return TableFolder.open(drawn_table[0])


def test_a_table_is_learnt_only_once_while_its_photographs_stay_as_they_are(
    table: TableFolder, tmp_path: Path, taught_reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = TableFolder.open(Path(shutil.copytree(table.path, tmp_path / "table")))
    asked: list[Path] = []

    def learn(told: TableFolder) -> tuple[object, object]:
        asked.append(told.path)
        return taught_reader.taught, taught_reader._follower

    monkeypatch.setattr(learning, "learn", learn)
    first, second = learnt(folder).reader, learnt(folder).reader
    assert first is not second, "each game and each set-up has a reader of its own"
    assert len(asked) == 1
    os.utime(folder.teach_photo, (1, 1))
    learnt(folder)
    assert len(asked) == 2


def warnings(table: TableFolder, fits: tuple[StillFits, ...]) -> list[str]:
    """Return what is said if a still camera sees all of that."""
    said: queue.Queue[str] = queue.Queue()
    picture, seen = table.load_empty()[0], iter(fits)
    with FitCheck(table, lambda: picture, said.put, lambda table, image: next(seen), 0.001, 0.001):
        return [said.get(timeout=PATIENCE_S) for _ in fits]


@pytest.mark.parametrize(
    ("fits", "said"),
    [((FAR, FAR, FITS), [MOVED, MOVED, ""]), ((LOST, FAR), ["", MOVED])],
    ids=["warned of until it was put right", "a board that is not found is the loop's to say"],
)
def test_a_table_that_does_not_fit(table: TableFolder, fits: tuple[StillFits, ...], said: list[str]) -> None:
    assert warnings(table, fits) == said


def test_a_moving_picture_is_not_compared(table: TableFolder) -> None:
    compared: queue.Queue[Image] = queue.Queue()
    still = table.load_empty()[0]
    shown = iter([None, still, 255 - still, still, 255 - still, *[still] * 10])

    def fit(table: TableFolder, image: Image) -> StillFits:
        compared.put(image)
        return FITS

    with FitCheck(table, lambda: next(shown), lambda code: None, fit, still_s=0.001):
        assert compared.get(timeout=PATIENCE_S) is still
    assert 6 <= len(list(shown)) <= 8, "three still ones in a row, after those that moved"


@pytest.mark.long
@pytest.mark.parametrize(("light", "code"), [(1.0, ""), (0.2, MOVED)])
def test_another_light_is_noticed_in_the_picture(table: TableFolder, light: float, code: str) -> None:
    said: queue.Queue[str] = queue.Queue()
    seen = np.asarray(table.load_teach()[0] * light, np.uint8)
    with FitCheck(table, lambda: seen, said.put, still_s=0.001, misfit_s=PATIENCE_S):
        assert said.get(timeout=PATIENCE_S) == code


@pytest.mark.parametrize("name", ["empty.jpg", "teach.jpg", "teach.json"])
def test_a_table_whose_set_up_is_damaged_cannot_be_learnt(table: TableFolder, tmp_path: Path, name: str) -> None:
    shutil.copytree(table.path, tmp_path / "table")
    (tmp_path / "table" / "setup" / name).write_bytes(b"")
    with pytest.raises(UnusableTableError, match=name.replace(".", r"\.")):
        learnt(TableFolder.open(tmp_path / "table"))


# Examples of earlier evenings ----------------------------------------------------------------------------------------


@pytest.fixture
def evening(taught_reader: Reader, drawn_table: tuple[Path, Setup], tmp_path: Path) -> KeptExamples:
    """A reader that has seen a deal and keeps its examples in a folder."""
    scene = dealt(drawn_table[1].camera, 21)
    taught_reader.new_game()
    taught_reader.read(drawn_table[1].camera.picture(scene))
    kept = KeptExamples(taught_reader, tmp_path)
    site = next(cell for cell in scene.board.cells if isinstance(scene.contents(cell).tile, Settlement))
    taught_reader.confirmed({site: scene.contents(site)})
    return kept


def file_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.mark.long
def test_examples_are_kept_when_the_game_is_over_and_when_play_ends(
    evening: KeptExamples, taught_reader: Reader, tmp_path: Path
) -> None:
    assert taught_reader.growing.examples
    evening.witness([GamePaused()])
    assert file_in(tmp_path) == []
    over = GameOver((), cast(Position, None))
    evening.witness([over])
    assert file_in(tmp_path) == [EXAMPLES_FILE]
    written = (tmp_path / EXAMPLES_FILE).stat().st_mtime_ns
    evening.keep()
    assert (tmp_path / EXAMPLES_FILE).stat().st_mtime_ns == written, "nothing new, nothing written"


@pytest.mark.long
def test_the_next_evening_begins_with_them(evening: KeptExamples, taught_reader: Reader, tmp_path: Path) -> None:
    evening.keep()
    next_evening = Reader(taught_reader.taught, taught_reader._follower)
    give_examples(next_evening, tmp_path)
    assert [one.tile for one in next_evening.growing.examples] == [one.tile for one in taught_reader.growing.examples]


def test_a_table_with_damaged_examples_is_read_as_it_was_taught(
    taught_reader: Reader, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    give_examples(taught_reader, tmp_path)
    assert not caplog.records, "a first evening has none"
    (tmp_path / EXAMPLES_FILE).write_bytes(b"PK")
    give_examples(taught_reader, tmp_path)
    assert not taught_reader.growing.examples
    assert "the table is read as it was taught" in caplog.text


@pytest.mark.long
def test_where_the_disk_takes_nothing_the_game_goes_on(
    evening: KeptExamples, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / EXAMPLES_FILE).mkdir()
    evening.keep()
    assert "were not kept" in caplog.text


# Games with the pieces that were taught -------------------------------------------------------------------------------

BOARD, HEX = SquareBoard(), HexBoard()
SECTIONS = {"green": (Section("green-1", 4, rays=(0,)),), "teal": (Section("teal-1", rays=(1,)),)}


def test_a_game_of_another_board_gives_way_to_one_of_this_board_in_the_colours_taught() -> None:
    game = game_on(game_of(Settings()), BOARD, SECTIONS)
    assert game.rules == "competitive"
    assert [(player.name, player.color) for player in game.players] == [("Ada", "green"), ("Bo", "teal")]
    position = rule_set(game.rules).start(Ground(BOARD.corners[0], (), BOARD), game.players, game.options)
    assert {color: len(position.hand(color)) for color in SECTIONS} == {"green": 1, "teal": 1}


def test_players_whose_colours_were_taught_keep_them_and_house_rules_stay() -> None:
    asked = StartGame((Player("Cy", "teal"), Player("Bo", "brown")), "cooperative", {"hints": True, "sections": {}})
    game = game_on(asked, BOARD, SECTIONS)
    assert [player.color for player in game.players] == ["teal", "green"]
    assert (game.rules, game.options["hints"], set(game.options)) == ("cooperative", True, {"hints", "sections"})
    assert game_on(game, BOARD, SECTIONS) == game
    alone = game_on(StartGame((Player("Cy", "teal"),), "competitive"), BOARD, SECTIONS)
    assert alone.options["sections"].keys() == SECTIONS.keys(), "the next game may be played in the other colours"


def test_without_sections_a_square_board_has_the_made_up_set() -> None:
    game = game_on(game_of(Settings()), BOARD, {})
    assert ([player.color for player in game.players], game.options) == (["green", "brown", "yellow"], {})
    rule_set(game.rules).check(game.players, game.options)


def test_la_stradas_games_stay_as_they_are_but_for_sections_of_another_table() -> None:
    game = game_of(Settings())
    assert game_on(game, HEX, {}) == game
    silk = game_on(game, BOARD, SECTIONS)
    back = game_on(silk, HEX, {})
    assert (back.rules, [player.color for player in back.players]) == ("standard", [Color.BLACK, Color.GREY])


@pytest.mark.long
def test_a_drawn_tables_sections_are_those_of_its_games(tmp_path: Path) -> None:
    camera, _ = write_square_table(tmp_path, 5)
    table = TableFolder.open(tmp_path)
    state = with_next(State(game=game_of(Settings())), fitting(table))
    assert state.game is not None
    game = state.game
    position = rule_set(game.rules).start(Ground(BOARD.corners[0], (), BOARD), game.players, game.options)
    for player in game.players:
        taught = {section.id for section in camera.art.sets[str(player.color)]}
        assert {tile.section.id for tile in position.hand(player.color)} == taught  # type: ignore[union-attr]
    going_on = State(game=game, position=position)
    assert with_next(going_on, fitting(table)) is going_on
    assert lies_on(table, going_on)
    assert lies_on(None, going_on)
    (tmp_path / "setup" / "teach-2.json").write_text("{")
    with pytest.raises(UnusableTableError, match=r"teach-2\.json is not valid JSON"):
        fitting(table)
