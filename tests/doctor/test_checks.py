"""All checks together, on a made-up machine: a Pi at a club, as its service finds it and as a guest on it does."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from companion.doctor import Finding, Surroundings, checks, examine
from companion.doctor.devices import Eye
from companion.doctor.finding import ok
from companion.settings import CameraSettings, LogbookSettings, PanelSettings, Settings, WebSettings
from companion.words.machine import CHECKS
from tests.doctor.machines import Fake


def never(stack: ExitStack) -> Eye:
    pytest.fail("the camera was opened")


def not_learnt() -> None:
    return None


def looked_at(fake: Fake, settings: Settings, folder: Path | None) -> dict[str, Finding]:
    of = Surroundings(
        settings,
        None,
        ok("settings-none"),
        folder,
        never,
        lambda: True,
        lambda: ("10.0.0.7",),
        not_learnt,
        machine=fake.machine,
    )
    return {check.name: finding for check, finding in examine(checks(of))}


def test_a_pi_is_looked_at_whole_while_its_companion_plays(fake: Fake, tmp_path: Path) -> None:
    fake.be_pi()
    fake.write("/run/systemd/timesync/synchronized")
    fake.root.joinpath("run/systemd/system").mkdir()
    fake.says("systemctl", "812\n")
    fake.says("vcgencmd", "throttled=0x50000\n")
    settings = Settings(
        web=WebSettings("0.0.0.0", 0),
        camera=CameraSettings("picamera2"),
        panel=PanelSettings("lgpio"),
        logbook=LogbookSettings(str(tmp_path)),
    )
    found = looked_at(fake, settings, tmp_path)
    assert list(found) == list(CHECKS)
    assert found["camera"].code == "camera-held"
    assert found["table"].code == "table-none"
    assert found["pins"].code == "pins"
    assert found["power"].code == "power-was-low"
    assert found["clock"].code == "clock-kept"
    assert found["network"].facts["address"] == "http://10.0.0.7:0/"


def test_a_drawn_table_that_keeps_nothing_has_no_disk_to_look_at(fake: Fake) -> None:
    found = looked_at(fake, Settings(), None)
    assert set(CHECKS) - set(found) == {"room", "writing", "keeping", "card", "copies"}
    assert found["logbook"].code == "logbook-drawn"
    assert found["table"].code == "table-drawn"
