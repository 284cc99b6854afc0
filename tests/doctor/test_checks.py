"""All checks together, on a made-up machine, a Pi at a club: one after the other, and none holds up the others."""

import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from companion.doctor import Check, Finding, Grade, Surroundings, checks, examine
from companion.doctor.devices import Eye
from companion.doctor.machine import ok, todo
from companion.settings import CameraSettings, LogbookSettings, PanelSettings, Settings, WebSettings
from companion.words.machine import CHECKS
from tests.doctor.machines import Fake


def never(stack: ExitStack) -> Eye:
    pytest.fail("the camera was opened")


def looked_at(fake: Fake, settings: Settings, folder: Path | None) -> dict[str, Finding]:
    read = ok("settings-none")
    of = Surroundings(
        settings, None, read, folder, never, lambda: True, lambda: ("10.0.0.7",), lambda: None, machine=fake.machine
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
    codes = [found[check].code for check in ("camera", "table", "pins", "power", "clock")]
    assert codes == ["camera-held", "table-none", "pins", "power-was-low", "clock-kept"]
    assert found["network"].facts["address"] == "http://10.0.0.7:0/"


def test_a_drawn_table_that_keeps_nothing_has_no_disk_to_look_at(fake: Fake) -> None:
    found = looked_at(fake, Settings(), None)
    assert set(CHECKS) - set(found) == {"room", "writing", "keeping", "card", "copies", "away", "news"}
    assert found["logbook"].code == "logbook-drawn"
    assert found["table"].code == "table-drawn"


def test_checks_are_looked_at_in_order_as_they_are_asked_for() -> None:
    looked: list[str] = []

    def look(name: str) -> Finding:
        looked.append(name)
        return ok(name)

    found = examine([Check("room", lambda: look("room")), Check("clock", lambda: look("clock"))])
    assert next(found)[1] == ok("room")
    assert looked == ["room"]
    assert next(found)[1] == ok("clock")


def test_a_check_that_hangs_is_given_up() -> None:
    never = threading.Event()
    hangs = todo("writing-late", folder="/srv")

    def hang() -> Finding:
        never.wait(60)
        return ok("card-sound")

    three = [
        Check("card", hang, limit_s=0.05),
        Check("writing", hang, limit_s=0.05, late=hangs),
        Check("clock", lambda: ok("clock-kept")),
    ]
    found = [finding for _, finding in examine(three)]
    never.set()
    assert found == [Finding(Grade.UNKNOWN, "late", {"limit": 0.05}), hangs, ok("clock-kept")]


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), OSError(5, "Input/output error")])
def test_a_check_that_fails_itself_cannot_tell(error: Exception) -> None:
    def look() -> Finding:
        raise error

    ((_, finding),) = examine([Check("room", look)])
    assert (finding.grade, finding.code) == ("unknown", "failed")
    assert type(error).__name__ in str(finding.facts["why"])
