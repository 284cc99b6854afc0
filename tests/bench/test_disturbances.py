"""A drawn evening, read on under disturbances from copies of one reader."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import disturbances
from bench.measuring import Found

#: How many the drawn evening has.
PHOTOS = 4


@pytest.fixture
def shared(drawn_evening: Path, tmp_path: Path) -> Path:
    """A folder of one drawn table with the first photographs of its evening."""
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "drawn").symlink_to(drawn_evening.parents[1])
    return tmp_path


@pytest.mark.long
def test_rows_read_on_by_themselves_after_the_deal(
    shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = [f"--row={row}" for row in ("gain 0.5", "forearm")]
    monkeypatch.setattr(sys, "argv", ["disturbances", f"--shared={shared}", "--beginnings=1", *told])
    disturbances.main()
    figures: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    rows = figures["rows"]
    assert {name: row["photos"] for name, row in rows.items()} == dict.fromkeys(
        ["undisturbed", "gain 0.5", "forearm"], PHOTOS - 1
    )
    assert set(figures["bars"]) == {f"{row}: {what}" for row in ("gain 0.5", "forearm")
                                    for what in ("silently wrong", "not spoken for")}  # fmt: skip
    assert rows["forearm"]["silent"]["of"] < rows["gain 0.5"]["silent"]["of"] == rows["undisturbed"]["silent"]["of"]
    # What the rows did to their copies did nothing to the reader that they were copied from.
    found = {disturbances.UNDISTURBED: Found()}
    disturbances.Measurement(shared / "tables" / "drawn", [], False, found).run(1, 1)
    without_rows = found[disturbances.UNDISTURBED].to_json()
    assert without_rows["photos"] == PHOTOS - 1
    for what in ("exact_boards", "silent", "abstained", "tracks", "attributes"):
        assert rows["undisturbed"][what] == without_rows[what]
