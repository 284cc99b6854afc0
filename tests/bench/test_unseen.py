"""The bench of unseen printings: what it counts, what it never says of a seed that is reported, what it refuses."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import unseen
from bench.comparing import Tally, compare
from bench.evening import Tally as Words
from bench.keeping import Kept
from bench.printings import Printing, Printings, Shares, by_printing, each, silence
from bench.tablegen import folder_of, looked_at, not_looked_at
from bench.unseen import EveningFound, evening_bars, look_at, may_be_named
from companion.board import CellReading, Color, HexBoard, Reading
from tests.bench.conftest import Complaint


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
    words: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, complaint: Complaint
) -> None:
    complained = complaint(lambda: run(monkeypatch, f"--shared={tmp_path}", f"--tables={tmp_path}", *words))
    assert why in complained.splitlines()[-1]


def test_looking_at_a_seed_warns_that_it_no_longer_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert looked_at(tmp_path) == set()
    look_at(tmp_path, [2003])
    look_at(tmp_path, [2001, 2003])
    assert looked_at(tmp_path) == {2001, 2003}
    assert capsys.readouterr().out.count("WARNING: seed 2003 is looked at") == 2
    assert not_looked_at([2003, 2002, 1003, 2001], tmp_path) == [2002, 1003]
    assert capsys.readouterr().out == "left out, as somebody looked at them: 2003, 2001\n"


def test_seeds_that_were_looked_at_while_the_reader_was_built_are_left_out_on_every_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not_looked_at(range(2005, 2008), tmp_path) == [2005, 2007]
    assert capsys.readouterr().out == "left out, as somebody looked at them: 2006\n"
    assert len(not_looked_at(range(2000, 2050), tmp_path)) == 48


def test_only_tables_that_may_be_looked_at_have_their_cells_named() -> None:
    names = ["oak", "t00900", "t01999", "t02000", "t02999"]
    assert list(filter(may_be_named, names)) == ["oak", "t00900", "t01999"]


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
    """A drawn table stands in for the rendered one. On any other seed the reader's error would be named."""
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


BOARD = HexBoard(2)
TRUTH = Reading(
    BOARD,
    {cell: CellReading() for cell in BOARD.cells},
    dict.fromkeys(Color),
    occluded=frozenset({BOARD.cell("B2")}),
    occluded_tracks=frozenset({Color.RED}),
)


def printing(name: str, silent: int, abstained: int = 0, tracks_wrong: int = 0, cells: int = 100) -> Printing:
    return Printing(name, Tally(1, 0, cells, silent, abstained, tracks=4, tracks_wrong=tracks_wrong))


@pytest.mark.parametrize(
    ("counts", "of", "percent", "interval"),
    [
        ((10, *[0] * 9), (100,) * 10, 1.0, (0.0, 3.0)),  # binomial, ten tries at one in ten: 97.5 % have at most three
        ((2,) * 8, (200,) * 8, 1.0, (1.0, 1.0)),
        ((0, 1), (0, 100), 1.0, (1.0, 1.0)),
        ((0, 0), (0, 0), 0.0, (0.0, 100.0)),
        ((), (), 0.0, (0.0, 100.0)),
    ],
    ids=["one printing errs", "all err alike", "one is without cells", "all are without cells", "there is none"],
)
def test_an_interval_says_how_often_other_printings_like_these_may_err(
    counts: tuple[int, ...], of: tuple[int, ...], percent: float, interval: tuple[float, float]
) -> None:
    shares = Shares(counts, of)
    assert (shares.percent, *shares.interval_percent) == pytest.approx((percent, *interval))


def test_an_interval_by_printing_is_wider_than_one_by_cell_where_errors_hang_together() -> None:
    together, apart = Shares((20, *[0] * 19), (100,) * 20), Shares((1,) * 20, (100,) * 20)
    assert np.ptp(together.interval_percent) > np.ptp(apart.interval_percent)


def test_a_wrong_day_track_makes_a_printing_one_with_a_silent_error() -> None:
    found = Printings((printing("a", 0), printing("b", 2, 5), printing("c", 0, 7, tracks_wrong=1)))
    assert found.with_silent == 2
    assert (found.silent.counts, found.abstained.counts) == ((0, 2, 0), (0, 5, 7))
    assert found.silent_with_tracks.of == (104, 104, 104)
    assert found.to_json()["by_printing"]["c"]["tracks_wrong"] == 1


def test_a_refused_table_has_every_visible_cell_not_spoken_for() -> None:
    tally = silence(TRUTH)
    blind, _, _ = compare(Reading(BOARD, {}, occluded=frozenset(BOARD.cells), occluded_tracks=frozenset(Color)), TRUTH)
    for name in ("photos", "cells", "silent", "abstained", "hidden", "tracks", "tracks_wrong", "tracks_abstained"):
        assert getattr(tally, name) == getattr(blind, name), name
    assert tally.abstained == len(BOARD.cells) - 1


def test_the_page_has_a_line_a_printing_and_says_which_was_refused() -> None:
    ways = {"with memory": Printings((printing("t02000", 1), Printing("t02001", silence(TRUTH), "no board")))}
    assert by_printing("Unseen", ways).splitlines()[-2:] == [
        "| t02000 | 1 | 100 | 1 (1.00 %) | 0 (0.00 %) |",
        "| t02001 (refused) | 1 | 18 | 0 (0.00 %) | 18 (100.00 %) |",
    ]


def test_items_come_back_in_their_order_however_many_work() -> None:
    assert list(each(abs, [-3, 2, -1], 1)) == list(each(abs, [-3, 2, -1], 2)) == [3, 2, 1]
