"""A drawn evening, read on under disturbances from copies of one reader."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import disturbances
from bench.measuring import Found
from companion.virtual_table import write_evening, write_table

PHOTOS = 4


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of one drawn table with the first photographs of its evening."""
    folder = tmp_path_factory.mktemp("shared")
    path = folder / "tables" / "drawn"
    write_evening(path / "games" / "evening", write_table(path, 5).camera, 5, most=PHOTOS)
    return folder


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
