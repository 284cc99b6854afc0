"""A companion without a table waits for its set-up; a table chosen there is played on once nobody plays."""

import shutil
import urllib.request
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import cv2
import numpy as np
import pytest

from calibration import TableFolder
from companion.board import BadInputError, Color
from companion.settings import CameraSettings, Settings, TableSettings
from companion.setup import UnusableTableError
from companion.setup.learning import LearntTable
from companion.setup.table_setup import LISTENS_S, SharedCamera, TableSetup
from companion.setup.wizard import Use
from companion.wiring import Companion
from companion.wiring.cameras import table_of
from companion.words import Voice
from simulator import Setup, write_square_table
from simulator.square_camera import square_camera
from tests.clock import Clock
from tests.faults.companions import PATIENCE_S, running, settings_of, until


@pytest.fixture
def photos(drawn_table: tuple[Path, Setup], tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    shutil.copy(drawn_table[0] / "setup" / "empty.jpg", folder / "000.jpg")
    return folder


@pytest.fixture
def settings(photos: Path, tmp_path: Path) -> Settings:
    seen = CameraSettings(kind="folder", folder=str(photos))
    return replace(settings_of(tmp_path / "data"), camera=seen).checked()


def stored(data: Path, table: Path, name: str) -> Path:
    target = data / "tables" / name
    shutil.copytree(table, target, ignore=shutil.ignore_patterns("games"))
    return target


@pytest.fixture
def club(tmp_path: Path, drawn_table: tuple[Path, Setup]) -> Path:
    """A table among the companion's."""
    return stored(tmp_path / "data", drawn_table[0], "club")


def page(companion: Companion, path: str) -> str:
    with urllib.request.urlopen(companion.addresses[0].rstrip("/") + path, timeout=PATIENCE_S) as answer:
        return str(answer.read().decode())


def setting_up(companion: Companion) -> TableSetup:
    found = companion._mode.setup
    assert found is not None
    return found


@pytest.mark.long
def test_a_companion_without_a_table_shows_its_camera_and_plays_on_the_table_chosen_then(
    settings: Settings, tmp_path: Path, drawn_table: tuple[Path, Setup]
) -> None:
    with running(Companion(settings)) as companion:
        setup = setting_up(companion)
        until(lambda: setup.wizard.picture() is not None)
        assert setup.in_use is None
        assert setup.wizard.tables == ()
        assert "No table is set up yet" in page(companion, "/"), "a page that hears of what changes"
        assert "No table is set up yet" in page(companion, "/join"), "a page that does not"
        before = companion._scoreboard.latest.number
        path = stored(tmp_path / "data", drawn_table[0], "club")
        assert setup.wizard.take("club") is Use.NOW
        assert setup.in_use == path, "long before its pictures are read"
        assert companion._scoreboard.latest.number > before, "who watches is told at once"
        for address in ("/", "/join"):
            assert "No table is set up yet" not in page(companion, address)
        until(lambda: companion._current.picture() is not None)


def test_a_folder_of_photographs_waits_for_the_set_up(settings: Settings, photos: Path) -> None:
    shutil.copy(photos / "000.jpg", photos / "001.jpg")
    with closing(Companion(settings)) as companion:
        roll = setting_up(companion).wizard.roll
        assert roll is not None
        assert roll.place == (0, 2, "000.jpg")
        assert setting_up(companion).picture() is None, "what is played on is the camera's, and that is not open yet"


def test_a_companion_with_a_table_never_says_that_there_is_none(settings: Settings, club: Path) -> None:
    with closing(Companion(settings)) as companion:  # it does not run yet, so nothing is learnt
        for address in ("/", "/join"):
            assert "No table is set up yet" not in page(companion, address)


@pytest.mark.long
def test_a_companion_at_a_table_of_squares_offers_the_colours_that_it_has_taught(
    settings: Settings, tmp_path: Path
) -> None:
    camera = square_camera(5)
    sets = {"teal": camera.art.sets["green"], "rust": camera.art.sets["brown"]}
    write_square_table(tmp_path / "silk", 5, sets)
    stored(tmp_path / "data", tmp_path / "silk", "silk")
    with closing(Companion(settings)) as companion:
        game = companion._mode.game
        assert (game.rules, [player.color for player in game.players]) == ("competitive", ["rust", "teal"])
        keeper = page(companion, "/keeper")
        for color in ("teal", "rust"):
            assert f'value="{color}"' in keeper


@pytest.mark.long
@pytest.mark.parametrize("damage", ["no picture", "another picture"])
def test_a_damaged_table_is_neither_chosen_nor_shuts_the_service_out(
    settings: Settings, tmp_path: Path, drawn_table: tuple[Path, Setup], damage: str
) -> None:
    """An empty photograph is noticed before anything is learnt, one that does not show the board only after that."""
    broken, sound = (stored(tmp_path / "data", drawn_table[0], name) for name in ("broken", "sound"))
    (tmp_path / "data" / "tables" / "chosen").write_text("broken\n")
    teach = broken / "setup" / "teach.jpg"
    if damage == "no picture":
        teach.write_bytes(b"")
    else:
        cv2.imwrite(str(teach), np.full((1232, 1640, 3), 90, np.uint8))
    with running(Companion(settings)) as companion:
        setup = setting_up(companion)
        until(lambda: setup.wizard.picture() is not None and companion._scoreboard.latest.warning != "")
        assert companion._scoreboard.latest.in_language("de").warning == Voice(language="de").trouble("unusable")
        assert setup.in_use is None
        with pytest.raises(BadInputError, match=r"teach\.jpg"):
            setup.wizard.take("broken")
        assert setup.wizard.take("sound") is Use.NOW
        until(lambda: companion._current.picture() is not None)
        with pytest.raises(BadInputError, match=r"teach\.jpg"):
            setup.wizard.take("broken")
        assert setup.in_use == sound, "the present table stays"
        assert companion._scoreboard.latest.warning == ""
        current = setup.store.current
        assert current is not None
        assert current.path == sound, "and the next start begins with it"


def test_a_damaged_table_that_the_settings_name_ends_the_start(
    settings: Settings, tmp_path: Path, drawn_table: tuple[Path, Setup]
) -> None:
    broken = stored(tmp_path / "data", drawn_table[0], "broken")
    (broken / "setup" / "teach.jpg").write_bytes(b"")
    with pytest.raises(BadInputError, match=r"teach\.jpg") as caught:
        Companion(replace(settings, table=TableSettings(folder=str(broken))))
    assert not isinstance(caught.value, UnusableTableError)


def test_the_next_start_takes_the_table_that_was_chosen(settings: Settings, tmp_path: Path, club: Path) -> None:
    attic = stored(tmp_path / "data", club, "attic")
    setup = TableSetup(tmp_path / "data", lambda: False, lambda table: None)
    setup.wizard.take("attic")
    named = replace(settings, table=TableSettings(folder=str(club)))
    for says, path in ((settings, attic), (named, club)):
        table = table_of(says, setup.store)
        assert table is not None
        assert table.path == path


@pytest.mark.parametrize(
    ("is_playing", "is_named", "use"),
    [(True, False, Use.NEXT_START), (False, True, Use.SETTINGS)],
    ids=["a game is played to its end on its own table", "a table that the settings name stays"],
)
def test_a_table_that_is_chosen_waits(tmp_path: Path, club: Path, is_playing: bool, is_named: bool, use: Use) -> None:
    left = list[LearntTable]()
    setup = TableSetup(tmp_path / "data", lambda: is_playing, left.append, is_named=is_named)
    assert setup.wizard.take("club") is use
    (tmp_path / "link").symlink_to(club)
    setup.in_use = tmp_path / "link"
    assert setup.wizard.take("club") is Use.NOW, "it is played on already, by whatever name"
    assert left == []


def test_the_newest_picture_is_none_once_the_camera_is_gone() -> None:
    frames = Mock(side_effect=[SimpleNamespace(image=np.zeros((2, 2, 3), np.uint8)), OSError("unplugged")])
    camera = SharedCamera(SimpleNamespace(frame=frames))
    camera.frame(1.0)
    assert camera.newest is not None
    with pytest.raises(OSError, match="unplugged"):
        camera.frame(1.0)
    assert camera.newest is None


def test_lamps_and_tunes_are_tried_and_presses_counted(tmp_path: Path, clock: Clock) -> None:
    setup = TableSetup(tmp_path, lambda: False, lambda table: None, turn=lambda: Color.GREY, clock=clock)
    setup.show("legal")  # without a panel nothing happens
    shown: list[str] = []
    panel = SimpleNamespace(play=lambda cue: shown.append(cue.name), show_turn=shown.append)
    setup.panel = panel  # type: ignore[assignment]
    for part in setup.parts:
        setup.show(part)
    assert shown == ["legal", "illegal", "unfinished", "black", "grey", "yellow", "red"]
    setup.put_back()
    assert shown[-1] == "grey", "whose turn it is"
    assert not setup.pressed(), "nobody tries it: it is the game's"
    assert setup.listen() == 1
    assert setup.pressed()
    assert setup.listen() == 2
    clock.now_s += LISTENS_S
    assert not setup.pressed()


def test_a_turn_lamp_that_is_tried_goes_out_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.setup.table_setup.TRIED_S", 0.01)
    setup = TableSetup(tmp_path, lambda: False, lambda table: None)
    shown: list[str | None] = []
    setup.panel = SimpleNamespace(show_turn=shown.append)  # type: ignore[assignment]
    setup.show("turn-red")
    until(lambda: shown == ["red", None])


def test_a_press_that_is_tried_is_no_press_of_the_game(settings: Settings) -> None:
    pressed = list[str]()
    service = SimpleNamespace(press=lambda: pressed.append("game"), stop=lambda: None)
    with closing(Companion(settings)) as companion:
        companion._current.begin(service, ())  # type: ignore[arg-type]
        companion._press()
        assert setting_up(companion).listen() == 1
        companion._press()
        assert pressed == ["game"]


@pytest.mark.long
def test_a_table_under_another_light_is_warned_of_on_the_scoreboard(
    settings: Settings, photos: Path, club: Path
) -> None:
    photo = photos / "000.jpg"
    cv2.imwrite(str(photo), np.asarray(TableFolder.open(club).load_empty()[0] * 0.2, np.uint8))
    with running(Companion(settings)) as companion:
        until(lambda: companion._scoreboard.latest.warning == Voice().trouble("moved"))


def test_without_real_pins_there_is_no_panel_to_try(settings: Settings) -> None:
    with running(Companion(settings)) as companion:
        assert setting_up(companion).parts == ()
