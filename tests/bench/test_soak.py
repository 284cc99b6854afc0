"""What the soak calls a leak; `make bench-soak` itself plays 2,000 turns."""

from dataclasses import replace
from pathlib import Path

from bench.soak import COUNTED_TURNS, GROWTH_PERCENT, Count, count, figures_of

BEFORE = Count(0, 50.0, ("MainThread",), ("/dev/null",), 0, 0, 0, 0, 0)
FIRST = Count(
    100, 400.0, ("MainThread", "logbook", "loop"), ("/dev/null", "/data/logbook.lock"), 2, 1, 10**6, 5 * 10**5, 10**7
)
LAST = replace(FIRST, turns=2000, memory_mb=404.0, written_bytes=10**9, database_bytes=10**7)


def broken(last: Count = LAST, after: Count = BEFORE) -> list[str]:
    bars, _ = figures_of(BEFORE, [FIRST, last], after)
    return [bar.what for bar in bars if not bar.holds]


def test_what_grows_or_is_left_over_breaks_its_bar() -> None:
    assert broken() == []
    more = 400.0 * (1 + (GROWTH_PERCENT + 1) / 100)
    assert broken(replace(LAST, memory_mb=more)) == ["memory after 2000 turns, above that after 100"]
    assert broken(replace(LAST, threads=(*FIRST.threads, "stray"))) == ["threads more than after the first hundred"]
    assert broken(replace(LAST, files=(*FIRST.files, "/tmp/x"))) == ["files more than after the first hundred"]
    assert broken(replace(LAST, written_bytes=10**10)) == ["written in an hour of play"]
    assert broken(replace(LAST, database_bytes=10**8)) == ["the database, by turn"]
    assert broken(replace(LAST, connections=2)) == ["connections more than after the first hundred"]
    assert broken(replace(LAST, descriptors=40)) == [
        "descriptors of the database: the writer's, and readers' at a time"
    ]
    assert broken(replace(LAST, pictures_bytes=10**9)) == ["pictures, of their bound"]
    assert broken(after=replace(BEFORE, threads=("MainThread", "stray"))) == ["threads left over at the end"]
    assert broken(after=replace(BEFORE, files=("/dev/null", "/tmp/x"))) == ["files left over at the end"]
    assert broken(after=replace(BEFORE, connections=1)) == ["connections left over at the end"]


def test_what_was_written_is_told_by_turn_and_by_hour_of_play() -> None:
    _, figures = figures_of(BEFORE, [FIRST, LAST], BEFORE)
    assert figures["database_kb_a_turn"] == 5.0
    assert figures["written_kb_a_turn"] == round((10**9 - 10**6) / (2000 - COUNTED_TURNS) / 1000, 1)
    assert figures["written_mb_an_hour"] == round((10**9 - 10**6) / (2000 - COUNTED_TURNS) * 60 / 1e6, 1)


def test_this_process_is_counted(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "one.jpg").write_bytes(bytes(1000))
    with (tmp_path / "kept").open("w"):
        assert _kept(count(0, tmp_path)) == 1
    found = count(0, tmp_path)
    assert _kept(found) == 0
    assert found.memory_mb > 10
    assert found.pictures_bytes == 1000
    assert "MainThread" in found.threads


def _kept(counted: Count) -> int:
    return sum(file.endswith("/kept") for file in counted.files)
