"""A logbook that is cut off, or damaged at its beginning: nothing that is still on its pages is lost."""

import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bench.made_up import People
from companion.logbook import Logbook
from companion.logbook.opening import FILE, connect
from companion.logbook.salvaging import PAGE_BYTES, leaf_rows, salvage
from companion.logbook.schema import TABLES, migrate
from tests.logbook.playing import Play, played, state_of


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A logbook of some games that is all in its file."""
    folder = tmp_path_factory.mktemp("whole")
    played(folder, 120, Play(People(5)))
    assert (folder / FILE).stat().st_size > 30 * PAGE_BYTES
    return folder


def counts(connection: sqlite3.Connection) -> dict[str, int]:
    return {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES}


def salvaged(path: Path) -> dict[str, int]:
    """Return how many rows of each table are copied from that file."""
    with closing(connect(path.with_name("into.sqlite"))) as into:
        migrate(into)
        salvage(path, into)
        return counts(into)


@pytest.fixture
def before(whole: Path) -> dict[str, int]:
    with closing(connect(whole / FILE)) as connection:
        return counts(connection)


@pytest.fixture
def damaged(whole: Path, tmp_path: Path) -> Callable[[Callable[[bytearray], object]], Path]:
    def make(harm: Callable[[bytearray], object]) -> Path:
        content = bytearray((whole / FILE).read_bytes())
        harm(content)
        path = tmp_path / FILE
        path.write_bytes(content)
        return path

    return make


def flipped(at: int) -> Callable[[bytearray], None]:
    def harm(content: bytearray) -> None:
        content[at] ^= 0x10

    return harm


def cut_off(count: int) -> Callable[[bytearray], None]:
    def harm(content: bytearray) -> None:
        del content[-count:]

    return harm


def without_page(number: int) -> Callable[[bytearray], None]:
    def harm(content: bytearray) -> None:
        content[(number - 1) * PAGE_BYTES : number * PAGE_BYTES] = bytes(PAGE_BYTES)

    return harm


@pytest.mark.parametrize("at", [0, 28, *(pytest.param(at, marks=pytest.mark.long) for at in range(1, 100, 14))])
def test_a_flipped_bit_in_the_header_costs_no_row(
    at: int, damaged: Callable[..., Path], before: dict[str, int]
) -> None:
    assert salvaged(damaged(flipped(at))) == before


def test_a_first_page_that_is_gone_costs_no_row(damaged: Callable[..., Path], before: dict[str, int]) -> None:
    assert salvaged(damaged(without_page(1))) == before


@pytest.mark.parametrize("bytes_cut", [1, PAGE_BYTES, 4 * PAGE_BYTES])
def test_what_is_cut_off_costs_what_lay_there_and_no_more(
    bytes_cut: int, damaged: Callable[..., Path], before: dict[str, int]
) -> None:
    after = salvaged(damaged(cut_off(bytes_cut)))
    pages = -(-bytes_cut // PAGE_BYTES)
    assert after["games"] == before["games"]
    for table in TABLES:
        assert after[table] >= before[table] - 40 * pages, table


@pytest.mark.parametrize("table", ["events", "moves", "positions"])
def test_where_the_root_of_a_table_is_gone_its_rows_are_found_on_their_pages(
    table: str, whole: Path, damaged: Callable[..., Path], before: dict[str, int]
) -> None:
    with closing(connect(whole / FILE)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (root,) = connection.execute(query, (table,)).fetchone()
    assert salvaged(damaged(without_page(root))) == before


@pytest.mark.parametrize(
    "at", [pytest.param(at, marks=() if at in (8, 40, 92) else pytest.mark.long) for at in range(100)]
)
def test_the_game_goes_on_whatever_byte_of_the_header_is_damaged(
    at: int, damaged: Callable[..., Path], before: dict[str, int]
) -> None:
    path = damaged(flipped(at))
    with Logbook(path.parent) as logbook:
        assert state_of(logbook).position is not None
    with closing(connect(path)) as connection:
        assert counts(connection)["events"] >= before["events"]


@pytest.mark.parametrize("bytes_cut", [1, 100, PAGE_BYTES, 3 * PAGE_BYTES])
def test_the_game_goes_on_where_the_end_is_cut_off(
    bytes_cut: int, damaged: Callable[..., Path], before: dict[str, int]
) -> None:
    path = damaged(cut_off(bytes_cut))
    with Logbook(path.parent) as logbook:
        assert logbook.resume() is not None
    with closing(connect(path)) as connection:
        assert counts(connection)["games"] == before["games"]


def test_each_row_of_every_kind_is_found_on_its_page(tmp_path: Path) -> None:
    """SQLite itself wrote them: numbers of every size, text that takes several pages, nothing."""
    path = tmp_path / "x.sqlite"
    values = [
        *(sign * (1 << bits) + more for bits in (0, 7, 15, 23, 31, 47, 62) for sign in (1, -1) for more in (-1, 0, 1)),
        *(0.5, -1e300, "", "Zoë", "x" * 4061, "y" * 4062, "z" * 100_000, b"\x00\xff", None),
    ]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, value)")
        connection.executemany("INSERT INTO t (value) VALUES (?)", [(value,) for value in values])
        connection.commit()
    found = {row.number: row.values[1] for row in leaf_rows(path.read_bytes()) if len(row.values) == 2}
    assert [found[number] for number in range(1, len(values) + 1)] == values


def test_pages_of_nonsense_hold_no_rows_and_raise_nothing(whole: Path) -> None:
    content = bytearray((whole / FILE).read_bytes())
    for at in range(PAGE_BYTES, len(content), 61):
        content[at] = at * 7 % 256
    list(leaf_rows(bytes(content)))
    loop = struct.pack(">I", 2) + bytes(PAGE_BYTES - 4)
    list(leaf_rows(bytes(PAGE_BYTES) + loop))


def test_what_is_damaged_is_left_as_it_is(damaged: Callable[..., Path], whole: Path, tmp_path: Path) -> None:
    path = damaged(flipped(20))
    content = path.read_bytes()
    salvaged(path)
    assert path.read_bytes() == content
    assert sorted(each.name for each in tmp_path.iterdir() if "into" not in each.name) == [FILE]
