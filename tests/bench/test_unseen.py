"""The bench of unseen printings: what it counts, what it never says of a seed to report, and what it refuses."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import unseen
from bench.evening import Tally as Words
from bench.keeping import Kept
from bench.tablegen import folder_of
from bench.unseen import EveningFound, evening_bars, look_at, looked_at, may_be_named


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr(sys, "argv", ["unseen", *words])
    unseen.main()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--rows=reading,guesses"], "--rows has guesses; rows are reading, shared"),
        (["--jobs=0"], "--jobs is 0"),
        (["--out=figures.txt"], "--out is figures.txt; it should end in .md or .json"),
        (["--seeds=4000"], "seeds are '4000'"),
        (["--rows=reading", "--no-render"], "reading: no table of these seeds is rendered"),
        (["--rows=real"], "case.json cannot be read; SHARED"),
        (["--rows=shared"], "has no tables; SHARED"),
    ],
)
def test_what_cannot_be_measured_is_said_in_a_line(
    words: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        run(monkeypatch, f"--shared={tmp_path}", f"--tables={tmp_path}", *words)
    assert stopped.value.code == 2
    assert why in capsys.readouterr().err.splitlines()[-1]


def test_whoever_looks_at_a_seed_is_told_that_it_counts_no_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert looked_at(tmp_path) == set()
    look_at(tmp_path, [2003])
    look_at(tmp_path, [2001, 2003])
    assert looked_at(tmp_path) == {2001, 2003}
    assert capsys.readouterr().out.count("WARNING: seed 2003 is looked at") == 2


def test_only_tables_that_may_be_looked_at_have_their_cells_named() -> None:
    assert [may_be_named(name) for name in ("oak", "t00900", "t01999", "t02000", "t02999")] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_a_refused_evening_is_neither_right_nor_finished() -> None:
    played = EveningFound("t02100", "standard", Words(done=20, right=19, unclear=1), Kept(20), Kept(20))
    played.kept.taps["cell"] += 3
    lost = EveningFound("t02101", "danger", Words(done=20), Kept(20, stuck_at="000.jpg"), Kept(20), refused="no board")
    figures = {bar.what: bar.figure for bar in evening_bars([played, lost])}
    assert figures == {
        "evenings: words on done not right": pytest.approx(52.5),
        "evenings: words wrong": 0,
        "evenings, with a keeper: taps an evening": 1.5,
        "evenings, with a keeper: not finished": 1,
    }


@pytest.mark.long
def test_a_seed_to_report_is_scored_by_counts_alone(
    drawn_evening: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A drawn table stands for the rendered one; an error of the reader would be named on any other seed."""
    table = folder_of(tmp_path, 2000)
    shutil.copytree(drawn_evening.parents[1], table, ignore=shutil.ignore_patterns("games"))
    (table / "games" / "first").mkdir(parents=True)
    for number, photo in enumerate(sorted(drawn_evening.glob("*.jpg"))[:2]):
        name = table / "games" / "first" / f"{number:03d}.jpg"
        shutil.copy(photo, name)
        truth = json.loads(photo.with_suffix(".json").read_text())
        truth["cells"]["A1"]["merchants"] = {"black": 3}  # so that something is wrong
        name.with_suffix(".json").write_text(json.dumps(truth))
    page = tmp_path / "figures.md"
    told = ["--rows=reading", "--seeds=2000", "--photos=2", "--no-render", f"--out={page}"]
    run(monkeypatch, f"--shared={tmp_path}", f"--tables={tmp_path}", *told)
    *lines, last = capsys.readouterr().out.splitlines()
    figures: dict[str, Any] = json.loads(last)
    for way in ("with memory", "alone"):
        found = figures["reading"][way]
        assert (found["printings"], found["with_silent"], found["by_printing"]["t02000"]["photos"]) == (1, 1, 2)
    assert not any("A1" in line for line in lines)
    assert not figures["bars"]["unseen, with memory: silently wrong"]["holds"]
    assert page.read_text().count("| t02000 |") == 1
