"""The turn clock's file beside the logbook."""

import json
from pathlib import Path

import pytest

from companion.board import Color
from companion.scoreboard import Kept
from companion.wiring.current_game import FILE, KeptTimes

KEPT = Kept("12ab34cd", {Color.BLACK: 63.5, Color.RED: 0.0})


def test_what_is_kept_is_there_after_a_restart_until_it_is_forgotten(tmp_path: Path) -> None:
    assert KeptTimes(tmp_path).read() is None
    KeptTimes(tmp_path).write(KEPT)
    assert KeptTimes(tmp_path).read() == KEPT
    KeptTimes(tmp_path).write(None)
    assert KeptTimes(tmp_path).read() is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\xff\xfe", b"[]", b"{", b'{"game": "x"}', b'{"game": 1, "totals_s": {}}', b"[" * 4000,
        b'{"game": "x", "totals_s": {"black": -1}}', b'{"game": "x", "totals_s": {"black": 1e99}}',
        b'{"game": "x", "totals_s": {"black": "long"}}', b'{"game": "x", "totals_s": {"black": true}}',
        b'{"game": "x", "totals_s": {"black": NaN}}', b" " * 9000,
    ],
)  # fmt: skip
def test_what_is_damaged_is_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    assert KeptTimes(tmp_path).read() is None


def test_where_nothing_can_be_kept_that_is_said_once_and_the_game_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    times = KeptTimes(tmp_path / "gone")
    times.write(KEPT)
    times.write(KEPT)
    assert len(caplog.records) == 1
    assert "begins the times anew" in caplog.text


def test_the_file_names_nobody(tmp_path: Path) -> None:
    KeptTimes(tmp_path).write(KEPT)
    assert json.loads((tmp_path / FILE).read_text()) == {"game": "12ab34cd", "totals_s": {"black": 63.5, "red": 0.0}}
