"""A keeper's yes is written down, found and fetched; root does the rest."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from companion.board import BadInputError
from companion.updates.desk import NOTE, PACKAGE, READY, SIGNATURE, WANTED, Desk
from tests.updates.releases import CONTENT, ELSE, KEY, released

NOW = datetime(2027, 3, 1, 20, 0, tzinfo=UTC)


def desk_of(folder: Path, own: str = "1.0.0", feed: str = "") -> Desk:
    return Desk(folder / "update", feed or str(folder / "stick"), KEY, own, "arm64")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The package of version 2.0.0, on a stick."""
    return released(tmp_path / "stick", "2.0.0")


@pytest.fixture
def desk(package: Path, tmp_path: Path) -> Desk:
    return desk_of(tmp_path)


def test_only_what_was_looked_for_is_on_offer_and_only_if_it_is_newer(desk: Desk, tmp_path: Path) -> None:
    assert desk.offered == "", "nobody has looked"
    desk.look(NOW)
    assert desk.offered == "2.0.0"
    assert desk_of(tmp_path, own="2.0.0").offered == ""
    assert desk_of(tmp_path, own="2.0.1").offered == ""
    assert desk_of(tmp_path, feed="/elsewhere").offered == "", "the settings name another place now"


def test_a_look_that_was_asked_for_is_made_and_leaves_nothing_for_root(desk: Desk, tmp_path: Path) -> None:
    desk.ask_to_look()
    assert desk.is_waiting
    assert desk.serve(NOW) is not None
    assert (desk.is_waiting, desk.offered) == (False, "2.0.0")
    assert not (tmp_path / "update" / PACKAGE).exists()


def test_an_update_that_was_asked_for_is_fetched_and_left_for_root(desk: Desk, package: Path, tmp_path: Path) -> None:
    desk.look(NOW)
    desk.ask_to_install("2.0.0")
    desk.serve(NOW)
    folder = tmp_path / "update"
    assert (folder / READY).read_text() == "install 2.0.0\n"
    assert (desk.is_waiting, (folder / WANTED).exists()) == (True, False)
    assert (folder / PACKAGE).read_bytes() == CONTENT
    assert (folder / SIGNATURE).read_bytes() == package.with_name(f"{package.name}.sig").read_bytes()


def test_what_was_ready_when_the_power_failed_is_not_done_for_another_request(desk: Desk, tmp_path: Path) -> None:
    desk.look(NOW)
    desk.ask_to_install("2.0.0")
    desk.serve(NOW)
    desk.ask_to_look()
    desk.serve(NOW)
    assert not (tmp_path / "update" / READY).exists()


def test_without_a_request_nothing_is_done(desk: Desk, tmp_path: Path) -> None:
    assert desk.serve(NOW) is None
    assert not (tmp_path / "update").exists()


def test_what_is_not_on_offer_cannot_be_asked_for(desk: Desk) -> None:
    desk.look(NOW)
    for version in ("", "3.0.0", "../../etc"):
        with pytest.raises(BadInputError, match="is not on offer"):
            desk.ask_to_install(version)
    assert not desk.is_waiting


@pytest.mark.parametrize("gone", ["the stick", "the package", "the version", "what was signed"])
def test_what_cannot_be_fetched_is_told_and_nobody_waits_for_it(
    desk: Desk, package: Path, tmp_path: Path, gone: str
) -> None:
    desk.look(NOW)
    desk.ask_to_install("2.0.0")
    if gone == "the stick":
        (tmp_path / "stick").rename(tmp_path / "away")
    elif gone == "the package":
        package.unlink()
    elif gone == "the version":
        package.with_name(f"{package.name}.sig").unlink()
        released(tmp_path / "stick", "2.1.0")
    else:
        released(tmp_path / "stick", "2.0.0", key=ELSE)
    desk.serve(NOW)
    assert not desk.is_waiting
    assert desk.last_look().why
    assert not (tmp_path / "update" / SIGNATURE).exists(), "root would find something"


def test_a_note_that_is_damaged_offers_nothing(desk: Desk, tmp_path: Path) -> None:
    desk.look(NOW)
    for damage in (b"", b"[]", b'{"version": 7}', b"\xff", b"[" * 4000):
        (tmp_path / "update" / NOTE).write_bytes(damage)
        assert desk.offered == ""
