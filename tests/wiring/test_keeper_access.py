"""The key that signs the keepers' sessions: kept for the next start, for nobody else's eyes."""

from pathlib import Path

import pytest

from companion.web import Keepers
from companion.web.keepers import Session
from companion.wiring.keeper_access import ENDED, KEY, KEY_BYTES, MOST_ENDED, EndedSessions, session_key


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


def test_where_nothing_can_be_kept_there_is_a_key_all_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    key = session_key(tmp_path / "file")
    assert len(key) == KEY_BYTES
    assert key != session_key(tmp_path / "file")
    assert "after a restart keepers sign in anew" in caplog.text


def test_a_folder_in_place_of_the_key_is_no_key(tmp_path: Path) -> None:
    (tmp_path / KEY).mkdir()
    assert len(session_key(tmp_path)) == KEY_BYTES


def test_who_signed_out_stays_out_after_a_restart(tmp_path: Path) -> None:
    def started() -> Keepers:
        return Keepers("123456", session_key(tmp_path), ended=EndedSessions(tmp_path))

    keepers = started()
    ada, bo = keepers.sign_in("123456", "Ada", "10.0.0.1"), keepers.sign_in("123456", "Bo", "10.0.0.2")
    assert isinstance(ada, Session)
    assert isinstance(bo, Session)
    keepers.sign_out(ada.token)
    again = started()
    assert again.session(ada.token) is None
    assert again.session(bo.token) is not None


def test_of_too_many_that_signed_out_the_oldest_are_forgotten(tmp_path: Path) -> None:
    (tmp_path / ENDED).write_text("".join(f"{number}\n" for number in range(MOST_ENDED)))
    ended = EndedSessions(tmp_path)
    ended.add("new")
    kept = (tmp_path / ENDED).read_text().splitlines()
    assert (len(kept), kept[0], kept[-1]) == (MOST_ENDED, "1", "new")
    assert ("0" in ended, "1" in ended, "new" in ended) == (False, True, True)


def test_a_damaged_line_of_who_signed_out_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / ENDED).write_bytes(b"before\n\xff\x00\xff\nafter\n")
    ended = EndedSessions(tmp_path)
    ended.add("new")
    again = EndedSessions(tmp_path)
    assert all(number in again for number in ("before", "after", "new"))


def test_where_it_cannot_be_written_signing_out_still_counts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    ended = EndedSessions(tmp_path / "nowhere")
    ended.add("gone")
    assert "gone" in ended
    assert "a restart forgets who signed out" in caplog.text
