"""Games are deleted, or their pictures: by their keepers, or once they are older than pictures are kept."""

import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from companion.board import BadInputError, NotNowError
from companion.commands import EndGame, StartGame
from companion.games.contract import Player
from companion.logbook import Logbook, writing
from companion.logbook.archive import opened_archive
from companion.logbook.book import Book
from companion.logbook.folder import PICTURES
from companion.logbook.opening import FILE, connect
from companion.logbook.salvaging import salvage
from companion.logbook.schema import migrate
from tests.logbook.playing import Table, listed, resumed, strada
from tests.session.tabletop import BLACK, RED, Tabletop


def clock(days: int) -> Callable[[], datetime]:
    return lambda: datetime(2026, 11, 21, 17, tzinfo=UTC) + timedelta(days=days)


def play(folder: Path, name: str = "Zoë", days: int = 0) -> Table:
    """Let somebody of that name begin a game at a table whose logbook thinks it is that many days later."""
    return begun(Table(folder, clock=clock(days)), name)


def begun(table: Table, name: str) -> Table:
    table.table = Tabletop()
    table.press(StartGame((Player(name, BLACK), Player("Bo", RED)), "standard"))
    return table


def ended(folder: Path, name: str = "Zoë") -> None:
    """Let somebody of that name play a game at a table, and people end it."""
    table = play(folder, name)
    table.press(EndGame())
    table.closed()


@pytest.fixture
def two_games(tmp_path: Path) -> Iterator[Table]:
    """Zoë's game, which people ended, and Ada's, which is still going on."""
    table = play(tmp_path)
    table.press(EndGame())
    yield begun(table, "Ada")
    table.logbook.close()


def numbers(folder: Path) -> list[int]:
    return [game.number for game in listed(folder)]


def pictures(folder: Path, game: int) -> int:
    """Return how many pictures of that game the archive has, and check that exactly these are files."""
    with opened_archive(folder) as archive:
        count = archive.game(str(game)).pictures
    assert len(list((folder / PICTURES).glob(f"game-{game:04d}/*.jpg"))) == count
    return count


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob(f"{FILE}*")))


def test_a_deleted_game_is_gone_with_its_pictures_and_the_next_goes_on(two_games: Table) -> None:
    folder = two_games.folder
    assert pictures(folder, 1)
    assert "Zoë".encode() in bytes_of(folder)
    two_games.logbook.forget(1)
    assert numbers(folder) == [2]
    assert not (folder / PICTURES / "game-0001").exists()
    assert "Zoë".encode() not in bytes_of(folder), "it is overwritten, in the write-ahead log too"
    two_games.press(EndGame())
    begun(two_games, "Cy")
    two_games.logbook.close()
    game = resumed(folder).game
    assert game is not None
    assert game.players[0].name == "Cy"
    assert numbers(folder) == [2, 3]


def test_what_somebody_reads_meanwhile_is_overwritten_once_they_are_done(two_games: Table) -> None:
    with closing(sqlite3.connect(two_games.folder / FILE, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchone()
        two_games.logbook.forget(1)
        assert "Zoë".encode() in bytes_of(two_games.folder)
    settled(two_games.logbook)
    assert "Zoë".encode() not in bytes_of(two_games.folder)


def test_pictures_alone_are_deleted_and_the_game_stays(two_games: Table) -> None:
    two_games.logbook.forget(1, pictures_only=True)
    assert numbers(two_games.folder) == [1, 2]
    assert pictures(two_games.folder, 1) == 0
    assert pictures(two_games.folder, 2)


def test_the_newest_game_stays_but_for_its_pictures(two_games: Table) -> None:
    with pytest.raises(BadInputError, match="game 2 is the newest"):
        two_games.logbook.forget(2)
    two_games.logbook.forget(2, pictures_only=True)
    two_games.press(EndGame())
    begun(two_games, "Cy").logbook.close()
    assert (pictures(two_games.folder, 2), pictures(two_games.folder, 3)) == (0, 1), "the next ruling is pictured again"


def test_a_game_that_is_not_there_is_named(two_games: Table) -> None:
    with pytest.raises(BadInputError, match="game 7 is not in the logbook"):
        two_games.logbook.forget(7)


def test_nobody_waits_for_ever_for_a_logbook_that_is_busy(two_games: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "FORGET_S", 0.05)
    two_games.logbook.close()
    with pytest.raises(NotNowError, match="not deleted, as the logbook is busy"):
        two_games.logbook.forget(1)
    assert numbers(two_games.folder) == [1, 2]


def test_a_game_that_is_being_deleted_is_not_said_to_stay(two_games: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    has_begun, going = threading.Event(), threading.Event()

    def slow(book: Book, game: int, *, pictures_only: bool = False) -> None:
        has_begun.set()
        assert going.wait(20)

    monkeypatch.setattr(Book, "forget", slow)
    monkeypatch.setattr(writing, "FORGET_S", 0.2)
    with pytest.raises(NotNowError, match="still being deleted"):
        two_games.logbook.forget(1)
    assert has_begun.is_set()
    going.set()


def test_salvage_brings_nothing_back_that_was_deleted(two_games: Table, tmp_path: Path) -> None:
    folder = two_games.folder
    with closing(sqlite3.connect(folder / FILE)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM games").fetchone()  # so the log still holds the pages as they were
        two_games.logbook.forget(1)
        (tmp_path / "damaged").mkdir()
        for name in (FILE, f"{FILE}-wal"):
            shutil.copy2(folder / name, tmp_path / "damaged" / name)
    with closing(connect(tmp_path / "new.sqlite")) as into:
        migrate(into)
        salvage(tmp_path / "damaged" / FILE, into)
        assert into.execute("SELECT id FROM games").fetchall() == [(2,)]
        assert into.execute("SELECT DISTINCT game FROM events").fetchall() == [(2,)]


@pytest.mark.parametrize(("kept", "later", "stays"), [(30, 31, False), (30, 29, True), (0, 4000, True)])
def test_pictures_are_kept_for_so_many_days_after_the_end(tmp_path: Path, kept: int, later: int, stays: bool) -> None:
    ended(tmp_path)
    play(tmp_path, "Ada", later).logbook.close()
    before = pictures(tmp_path, 2)
    with Logbook(tmp_path, picture_days=kept, clock=clock(later)) as logbook:
        settled(logbook)
    assert (pictures(tmp_path, 1) > 0) == stays
    assert pictures(tmp_path, 2) == before, "the newest game keeps its own"


def test_a_clock_far_ahead_costs_the_pictures_of_one_game_alone(tmp_path: Path) -> None:
    for name in ("Ada", "Bo", "Cy"):
        ended(tmp_path, name)
    with Logbook(tmp_path, picture_days=30, clock=clock(36_500)) as logbook:
        settled(logbook)
        settled(logbook)
    assert [pictures(tmp_path, game) > 0 for game in (1, 2, 3)] == [False, True, True]


def settled(logbook: Logbook) -> None:
    """Wait until its writer has tidied up. A wish to forget what is not there is answered before that, so ask twice."""
    for _ in range(2):
        with pytest.raises(BadInputError):
            logbook.forget(99)


def test_a_game_is_deleted_from_the_command_line_where_no_companion_runs(two_games: Table) -> None:
    folder = two_games.folder
    assert "another Strada" in str(strada("forget", 1, "--yes", "--data", folder).exception)
    two_games.logbook.close()
    assert "Deleted: the pictures of game 1." in strada("forget", 1, "--pictures", "--yes", "--data", folder).output
    assert pictures(folder, 1) == 0
    assert "Deleted: game 1." in strada("forget", 1, "--yes", "--data", folder).output
    assert numbers(folder) == [2]


def test_whoever_does_not_say_yes_deletes_nothing(two_games: Table) -> None:
    two_games.logbook.close()
    asked = strada("forget", 1, "--data", two_games.folder)
    assert "Zoë" in asked.output
    assert asked.exit_code == 1
    assert numbers(two_games.folder) == [1, 2]
