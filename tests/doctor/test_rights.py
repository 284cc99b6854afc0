"""Whether the companion's user may do what they must, judged by owner, group and mode alone."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from companion.doctor import Account
from companion.doctor.service import devices_of, may, rights
from tests.doctor.machines import ADA, STRADA, Fake

UNIT = "/etc/systemd/system/strada.service"


@pytest.fixture
def owner() -> Account:
    """The owner of this test's files, as if they were an ordinary user."""
    return Account("owner", os.getuid() or 4242, frozenset({os.getegid()}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for the games that its group, to which the fixture `owner` belongs, may use."""
    folder = tmp_path / "games"
    folder.mkdir()
    for above in (tmp_path, *tmp_path.parents):
        if above.stat().st_uid == os.getuid() and above != Path("/") and not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o011)
    folder.chmod(0o770)
    return folder


@pytest.mark.parametrize(
    ("mode", "who", "may_write"),
    [
        (0o700, Account("x", os.getuid() or 1, frozenset()), os.getuid() != 0),
        (0o070, Account("x", os.getuid() + 1, frozenset({os.getegid()})), True),
        (0o707, Account("x", os.getuid() + 1, frozenset({os.getegid()})), False),
        (0o702, Account("x", os.getuid() + 1, frozenset()), True),
        (0o000, Account("root", 0), True),
    ],
)
def test_owner_group_and_others_are_told_apart(tmp_path: Path, mode: int, who: Account, may_write: bool) -> None:
    path = tmp_path / "file"
    path.touch()
    os.chown(path, -1, os.getegid())
    path.chmod(mode)
    assert may(who, path, 2) is may_write


def test_who_may_do_all_is_told_so(fake: Fake, folder: Path, owner: Account) -> None:
    fake.service = owner
    found = rights(fake.machine, folder, None, [])
    assert (found.code, found.facts["user"]) == ("rights", "owner")


def test_a_folder_of_somebody_else_must_be_given_away(fake: Fake, folder: Path) -> None:
    fake.service = STRADA
    found = rights(fake.machine, folder / "new", None, [])
    assert (found.code, found.facts["user"]) == ("rights-folder", "strada")


def test_a_file_that_root_left_in_the_folder_is_named(fake: Fake, folder: Path, owner: Account) -> None:
    fake.service = replace(owner, uid=4242)
    (folder / "logbook.sqlite").touch(mode=0o600)
    (folder / "strada.zip").touch(mode=0o600)
    found = rights(fake.machine, folder, None, [])
    assert (found.code, Path(str(found.facts["file"])).name) == ("rights-file", "logbook.sqlite")


def test_a_folder_that_everybody_may_write_to_is_no_place_for_games(fake: Fake, folder: Path, owner: Account) -> None:
    fake.service = owner
    folder.chmod(0o777)
    assert rights(fake.machine, folder, None, []).code == "rights-open"


def test_a_service_sees_no_home_folder(fake: Fake) -> None:
    fake.write(UNIT, "[Service]\n")
    assert rights(fake.machine, Path("/home/ada/strada"), None, []).code == "rights-home"


def test_settings_must_be_readable_for_the_service(fake: Fake, folder: Path) -> None:
    fake.service = STRADA
    path = folder.parent / "strada.toml"
    path.touch()
    path.chmod(0o600)
    assert rights(fake.machine, None, path, []).code == "rights-settings"
    path.chmod(0o644)
    assert rights(fake.machine, None, path, []).code == "rights"


def test_a_device_is_for_its_group_or_for_one_that_the_unit_adds(fake: Fake) -> None:
    device = fake.write("/dev/gpiochip0")
    device.chmod(0o660)
    fake.caller = ADA
    found = rights(fake.machine, None, None, ["/dev/gpiochip0"])
    assert (found.code, found.facts["device"]) == ("rights-device", "/dev/gpiochip0")
    fake.write(UNIT, f"[Service]\nSupplementaryGroups=video {found.facts['group']}\n")
    assert rights(fake.machine, None, None, ["/dev/gpiochip0"]).code == "rights"


def test_devices_are_those_of_the_settings(fake: Fake) -> None:
    for name in ("gpiochip0", "video0", "video2", "media1", "dma_heap/system"):
        fake.write(f"/dev/{name}")
    assert devices_of(fake.machine, "usb", 2, "auto") == ["/dev/video2"]
    assert devices_of(fake.machine, "usb", 7, "mock") == []
    assert devices_of(fake.machine, "virtual", 0, "lgpio") == ["/dev/gpiochip0"]
    fake.be_pi()
    assert devices_of(fake.machine, "picamera2", 0, "auto") == ["/dev/gpiochip0", "/dev/media1", "/dev/dma_heap/system"]
