"""`strada backup` and the keepers' link: unpacked, it is the logbook again, to be read and played on in."""

import io
import re
import zipfile
from pathlib import Path

import pytest

from companion.logbook import Logbook
from companion.logbook.backup import packed
from companion.logbook.opening import read_newest
from companion.records.record import referee
from companion.system.pictures import jpeg
from tests.logbook.playing import listed, strada
from tests.web.books import evening, pages

VIEWER = {"REMOTE_ADDR": "192.168.178.77"}


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evening(tmp_path_factory.mktemp("book"))


def unpacked(content: bytes, folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder


def copied(book: Path, folder: Path) -> Path:
    with packed(book) as chunks:
        return unpacked(b"".join(chunks), folder)


def pictures(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in (folder / "pictures").glob("*/*")}


def test_what_is_unpacked_is_the_logbook_with_its_pictures(book: Path, tmp_path: Path) -> None:
    assert strada("backup", tmp_path / "all.zip", "--data", book).output == f"{tmp_path / 'all.zip'}\n"
    again = unpacked((tmp_path / "all.zip").read_bytes(), tmp_path / "again")
    assert pictures(again) == pictures(book) != {}
    assert listed(again) == listed(book) != ()
    assert strada("export", "1", "--data", again).output == strada("export", "1", "--data", book).output
    assert referee(strada("export", "1", "--data", again).output)["over"]
    assert {path.name for path in again.iterdir()} == {"logbook.sqlite", "logbook.newest", "pictures"}


def test_a_companion_goes_on_in_it_and_finds_nothing_damaged(book: Path, tmp_path: Path) -> None:
    again = copied(book, tmp_path / "again")
    assert read_newest(again) == read_newest(book) > 0
    with Logbook(again, "kitchen", encode=jpeg) as logbook:
        assert not logbook.note
    assert not list(again.glob("damaged-*"))


def test_it_is_made_beside_a_companion_that_writes(book: Path, tmp_path: Path) -> None:
    own = copied(book, tmp_path / "own")
    with Logbook(own, "kitchen", encode=jpeg):
        again = copied(own, tmp_path / "again")
    assert listed(again) == listed(book)


def test_a_picture_that_makes_way_meanwhile_is_left_out(book: Path, tmp_path: Path) -> None:
    own = copied(book, tmp_path / "own")
    last = max(pictures(own))
    with packed(own) as chunks:
        first = next(chunks)
        (own / last).unlink()
        again = unpacked(first + b"".join(chunks), tmp_path / "again")
    assert pictures(again).keys() == pictures(book).keys() - {last}


def test_nothing_is_written_over_and_no_half_file_is_left(book: Path, tmp_path: Path) -> None:
    (tmp_path / "all.zip").write_text("mine")
    assert "is there already" in str(strada("backup", tmp_path / "all.zip", "--data", book).exception)
    assert "is a folder" in str(strada("backup", tmp_path, "--data", book).exception)
    assert "holds no logbook" in str(strada("backup", tmp_path / "b.zip", "--data", tmp_path).exception)
    assert [path.name for path in tmp_path.iterdir()] == ["all.zip"]
    assert strada("backup", tmp_path / "all.zip", "--data", book, "--force").exit_code == 0


def test_keepers_download_it_and_viewers_see_nothing_of_it(book: Path, tmp_path: Path) -> None:
    client = pages(book).test_client()
    assert client.get("/games/backup.zip", environ_base=VIEWER).status_code == 403
    assert "backup.zip" not in client.get("/games", environ_base=VIEWER).text
    assert 'href="/games/backup.zip"' in client.get("/games").text
    for _ in range(2):  # the first is closed, so the second need not wait for it
        with client.get("/games/backup.zip") as answer:
            named = answer.headers["Content-Disposition"]
            assert re.fullmatch(r'attachment; filename="strada-\d{4}-\d\d-\d\d\.zip"', named)
            again = unpacked(answer.data, tmp_path / "again")
    assert pictures(again) == pictures(book)


def test_without_a_logbook_there_is_no_backup(tmp_path: Path) -> None:
    assert pages(tmp_path).test_client().get("/games/backup.zip").status_code == 404
