"""The key that signs the keepers' sessions: kept for the next start, and from everybody else's eyes."""

import errno
from pathlib import Path
from unittest.mock import Mock

import pytest

from companion.web import Keepers
from companion.web.keepers import Session
from companion.wiring import keeper_access
from companion.wiring.keeper_access import KEY, KEY_BYTES, SIGNED_IN, KeptRoster, session_key


def test_the_key_is_kept_for_the_next_start_and_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    key = session_key(folder)
    assert len(key) == KEY_BYTES
    assert session_key(folder) == key
    assert (folder / KEY).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.iterdir()] == [KEY]


def test_each_table_has_its_own(tmp_path: Path) -> None:
    assert session_key(tmp_path / "a") != session_key(tmp_path / "b")


@pytest.mark.parametrize("spoilt", [b"", b"short", b"x" * (KEY_BYTES + 1)])
def test_a_key_that_is_spoilt_is_made_anew(tmp_path: Path, spoilt: bytes) -> None:
    (tmp_path / KEY).write_bytes(spoilt)
    (tmp_path / KEY).chmod(0o600)
    key = session_key(tmp_path)
    assert len(key) == KEY_BYTES
    assert session_key(tmp_path) == key


def test_a_key_that_others_could_read_is_made_anew(tmp_path: Path) -> None:
    key = session_key(tmp_path)
    (tmp_path / KEY).chmod(0o644)
    assert session_key(tmp_path) != key
    assert (tmp_path / KEY).stat().st_mode & 0o777 == 0o600


def test_a_link_to_somewhere_else_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"o" * KEY_BYTES)
    (tmp_path / "other").chmod(0o600)
    (tmp_path / KEY).symlink_to(tmp_path / "other")
    assert session_key(tmp_path) != b"o" * KEY_BYTES


def test_there_is_a_key_even_where_nothing_can_be_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    key = session_key(tmp_path / "file")
    assert len(key) == KEY_BYTES
    assert key != session_key(tmp_path / "file")
    assert "after a restart keepers sign in anew" in caplog.text


def test_a_folder_in_place_of_the_key_is_no_key(tmp_path: Path) -> None:
    (tmp_path / KEY).mkdir()
    assert len(session_key(tmp_path)) == KEY_BYTES


def test_whoever_signed_out_stays_out_after_a_restart(tmp_path: Path) -> None:
    def started() -> Keepers:
        return Keepers("123456", session_key(tmp_path), roster=KeptRoster(tmp_path))

    keepers = started()
    ada, bo = keepers.sign_in("123456", "Ada", "10.0.0.1"), keepers.sign_in("123456", "Bo", "10.0.0.2")
    assert isinstance(ada, Session)
    assert isinstance(bo, Session)
    keepers.sign_out(ada.number)
    again = started()
    assert again.session(ada.token) is None
    assert again.session(bo.token) is not None


@pytest.mark.parametrize(
    "content",
    [b"", b"[", b"{}", b'[{"number": 3}]', b'[{"number": "a", "name": "", "device": "", "since_s": "x"}]', b"[" * 9999],
)
def test_a_damaged_roster_names_nobody_and_the_next_to_sign_in_is_kept(tmp_path: Path, content: bytes) -> None:
    (tmp_path / SIGNED_IN).write_bytes(content)
    (tmp_path / SIGNED_IN).chmod(0o600)
    assert KeptRoster(tmp_path).read() == ()
    Keepers("123456", session_key(tmp_path), roster=KeptRoster(tmp_path)).sign_in("123456", "Ada", "10.0.0.1", "iPad")
    (one,) = KeptRoster(tmp_path).read()
    assert (one.name, one.device) == ("Ada", "iPad")


def test_a_roster_that_others_can_write_is_not_believed(tmp_path: Path) -> None:
    Keepers("123456", session_key(tmp_path), roster=KeptRoster(tmp_path)).sign_in("123456", "Ada", "10.0.0.1")
    assert (tmp_path / SIGNED_IN).stat().st_mode & 0o777 == 0o600
    (tmp_path / SIGNED_IN).chmod(0o666)
    assert KeptRoster(tmp_path).read() == ()


def test_where_it_cannot_be_written_signing_in_still_counts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    keepers = Keepers("123456", b"k" * 32, roster=KeptRoster(tmp_path / "nowhere"))
    ada = keepers.sign_in("123456", "Ada", "10.0.0.1")
    assert isinstance(ada, Session)
    assert keepers.session(ada.token) is not None
    assert "a restart signs everybody out" in caplog.text


def test_whoever_signed_out_while_the_disk_was_full_stays_out_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    full = Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
    keepers = Keepers("123456", b"k" * 32, roster=KeptRoster(tmp_path))
    ada = keepers.sign_in("123456", "Ada", "10.0.0.1")
    assert isinstance(ada, Session)
    monkeypatch.setattr(keeper_access, "write_whole", full)
    keepers.sign_all_out()
    assert Keepers(None, b"k" * 32, roster=KeptRoster(tmp_path)).session(ada.token) is None
    assert "a restart signs everybody out" in caplog.text
    monkeypatch.setattr(Path, "unlink", full)
    keepers.sign_all_out()
    assert "a restart lets those in again who signed out" in caplog.text
