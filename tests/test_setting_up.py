"""A companion without a table waits for its set-up; one that is chosen there is played on when nobody plays."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from calibration import TableFolder
from companion.settings import CameraSettings, LogbookSettings, Settings, TableSettings
from companion.setup.wizard import Use
from companion.virtual_table import Setup
from companion.wiring import Companion
from companion.wiring.eyes import table_of
from companion.wiring.setting_up import Glimpsed, SettingUp

PATIENCE_S = 90.0


@pytest.fixture
def photos(drawn_table: tuple[Path, Setup], tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    shutil.copy(drawn_table[0] / "setup" / "empty.jpg", folder / "000.jpg")
    return folder


@pytest.fixture
def settings(photos: Path, tmp_path: Path) -> Settings:
    settings = Settings(
        camera=CameraSettings(kind="folder", folder=str(photos)), logbook=LogbookSettings(folder=str(tmp_path / "data"))
    )
    return replace(settings, web=replace(settings.web, port=0, streams=4)).checked()


def stored(data: Path, table: Path, name: str) -> Path:
    target = data / "tables" / name
    shutil.copytree(table, target, ignore=shutil.ignore_patterns("games"))
    return target


@pytest.fixture
def running(settings: Settings) -> Iterator[Companion]:
    made = Companion(settings)
    thread = threading.Thread(target=made.run)
    thread.start()
    yield made
    made.close()
    thread.join(timeout=10)
    assert not thread.is_alive()


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def setting_up(companion: Companion) -> SettingUp:
    found = companion._setting_up
    assert found is not None
    return found


def test_a_companion_without_a_table_shows_its_camera_and_plays_on_the_table_chosen_then(
    running: Companion, tmp_path: Path, drawn_table: tuple[Path, Setup]
) -> None:
    setup = setting_up(running)
    until(lambda: setup.wizard.picture() is not None)
    assert setup.in_use is None
    assert setup.wizard.tables == ()
    path = stored(tmp_path / "data", drawn_table[0], "club")
    assert setup.wizard.take("club") is Use.NOW
    until(lambda: setup.in_use == path)
    until(lambda: running._picture() is not None)


def test_the_next_start_takes_the_table_that_was_chosen(
    settings: Settings, tmp_path: Path, drawn_table: tuple[Path, Setup]
) -> None:
    for name in ("attic", "club"):
        stored(tmp_path / "data", drawn_table[0], name)
    setup = SettingUp(settings, tmp_path / "data", lambda: False, lambda table: None)
    setup.wizard.take("attic")
    table = table_of(settings, setup.store)
    assert table is not None
    assert table.path.name == "attic"
    named = replace(settings, table=TableSettings(folder=str(tmp_path / "data" / "tables" / "club")))
    table = table_of(named, setup.store)
    assert table is not None
    assert table.path.name == "club"


def test_a_game_is_played_to_its_end_on_its_own_table(
    settings: Settings, tmp_path: Path, drawn_table: tuple[Path, Setup]
) -> None:
    path, left = stored(tmp_path / "data", drawn_table[0], "club"), list[TableFolder]()
    setup = SettingUp(settings, tmp_path / "data", lambda: True, left.append)
    assert setup.wizard.take("club") is Use.NEXT_START
    setup.in_use = path
    assert setup.wizard.take("club") is Use.NOW
    assert left == []


def test_a_table_that_the_settings_name_stays(
    settings: Settings, tmp_path: Path, drawn_table: tuple[Path, Setup]
) -> None:
    stored(tmp_path / "data", drawn_table[0], "club")
    named = replace(settings, table=TableSettings(folder=str(drawn_table[0])))
    setup = SettingUp(named, tmp_path / "data", lambda: False, pytest.fail)
    assert setup.wizard.take("club") is Use.SETTINGS


def test_the_newest_picture_is_none_once_the_camera_is_gone() -> None:
    frames: list[Any] = [SimpleNamespace(image=np.zeros((2, 2, 3), np.uint8)), OSError("unplugged")]

    class Camera:
        def frame(self, timeout_s: float) -> Any:
            frame = frames.pop(0)
            if isinstance(frame, OSError):
                raise frame
            return frame

    camera = Glimpsed(Camera())
    camera.frame(1.0)
    assert camera.newest is not None
    with pytest.raises(OSError, match="unplugged"):
        camera.frame(1.0)
    assert camera.newest is None


def test_lamps_and_tunes_are_tried_and_presses_counted(settings: Settings, tmp_path: Path) -> None:
    setup = SettingUp(settings, tmp_path, lambda: False, lambda table: None)
    setup.show("legal")  # without a panel nothing happens
    shown: list[str] = []
    panel = SimpleNamespace(play=lambda cue: shown.append(cue.name), show_turn=shown.append)
    setup.panel = panel  # type: ignore[assignment]
    for part in setup.parts:
        setup.show(part)
    assert shown == ["legal", "illegal", "unfinished", "black", "grey", "yellow", "red"]
    setup.pressed()
    assert setup.presses == 1
