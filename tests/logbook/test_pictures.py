"""Show me: what was ruled, with the pictures before and after, as long as there is room for pictures."""

import errno
import itertools
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from bench.killed import Snap
from bench.made_up import People
from companion.board import BadInputError, Contents, HexCell
from companion.commands import Accept, CorrectCell, Done, Undo
from companion.logbook import Trouble
from companion.logbook.archive import Photo, Ruling, opened_archive
from companion.logbook.folder import RESERVE_BYTES, Album
from tests.logbook.playing import Table
from tests.session.tabletop import BLACK, RED, Tabletop, at, black_builds, red_builds


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A game that was dealt."""
    return Table(tmp_path).deal()


def shot(photo: Photo | None) -> int:
    assert photo is not None
    return int(photo.path.read_bytes())


def rulings(folder: Path) -> tuple[Ruling, ...]:
    with opened_archive(folder) as archive:
        return archive.rulings(1)


def test_a_ruling_shows_the_pictures_before_and_after(table: Table) -> None:
    *_, ruling = rulings(table.built().closed())
    assert (ruling.kind, ruling.player, ruling.verdict) == ("turn", BLACK, "legal")
    assert ruling.cells == (at(2), at(3))
    assert (shot(ruling.before), shot(ruling.after)) == (3, 4)


def test_refused_twice_the_picture_before_is_still_that_of_what_held(table: Table) -> None:
    table.table.road(BLACK, at(2))
    table.press(Done())
    table.table.road(RED, at(4))
    table.press(Done())
    *_, first, second = rulings(table.closed())
    assert (first.verdict, second.verdict) == ("unfinished", "illegal")
    assert "tile-color" in {reason.code for reason in second.reasons}
    assert [(shot(one.before), shot(one.after)) for one in (first, second)] == [(3, 4), (3, 5)]


def test_two_moves_on_one_picture_have_the_same_picture_before(table: Table) -> None:
    black_builds(table.table)
    table.press(Done(), table.table.seen(covered=[at(2)]))
    red_builds(table.table)
    table.press(Done())
    *_, black, red = [ruling for ruling in rulings(table.closed()) if ruling.verdict == "legal"]
    assert (black.player, red.player) == (BLACK, RED)
    assert (shot(black.before), shot(black.after)) == (shot(red.before), shot(red.after)) == (3, 5)


def test_what_was_taken_back_says_so_and_keeps_its_pictures(table: Table) -> None:
    table.built().press(Undo())
    *_, ruling = rulings(table.closed())
    assert ruling.is_undone
    assert (shot(ruling.before), shot(ruling.after)) == (3, 4)


def test_what_people_put_right_or_let_stand_has_a_picture_too(table: Table) -> None:
    table.press(CorrectCell(at(5), Contents()))
    table.table.road(BLACK, at(2))
    table.press(Accept())
    with opened_archive(table.closed()) as archive:
        assert len(archive.photos(1)) == 5


def test_a_deal_has_no_picture_before(table: Table) -> None:
    deal, *_ = rulings(table.closed())
    assert (deal.kind, deal.before, shot(deal.after)) == ("deal", None, 1)


def test_the_box_of_a_ruling_holds_its_cells_and_their_surroundings(table: Table) -> None:
    *_, ruling = rulings(table.closed())
    assert ruling.after is not None
    box = ruling.box_px(ruling.after)
    assert box is not None
    left, top, right, bottom = box
    x, y = at(-2).centre
    assert left < x < right
    assert top < y < bottom


@pytest.mark.long
def test_the_oldest_pictures_make_way_and_never_what_happened(tmp_path: Path) -> None:
    table = Table(tmp_path, picture_bytes=60_000)
    for reading, command in People(2).presses(table.session, 40):
        table.press(command, reading)
    folder = table.closed()
    kept = sorted(path.name for path in (folder / "pictures").glob("*/*.jpg"))
    assert sum(path.stat().st_size for path in (folder / "pictures").glob("*/*")) <= 60_000
    assert len(kept) >= 2
    with opened_archive(folder) as archive:
        found = [photo.number for game in archive.games() for photo in archive.photos(game.number)]
    assert [f"{number:06d}.jpg" for number in sorted(found)] == kept
    assert max(found) - min(found) == len(found) - 1  # the newest ones
    first = rulings(folder)[0]
    assert (first.verdict, first.after) == ("legal", None)


def test_a_picture_that_somebody_deleted_is_no_picture(table: Table) -> None:
    folder = table.closed()
    for path in (folder / "pictures").glob("*/*.jpg"):
        path.unlink()
    assert all(ruling.after is None and ruling.before is None for ruling in rulings(folder))


def test_without_room_for_a_picture_people_are_told_and_the_move_is_written(tmp_path: Path) -> None:
    table = Table(tmp_path, picture_bytes=10).deal()
    table.logbook.close()
    assert table.logbook.trouble == Trouble("pictures")
    assert len(rulings(tmp_path)) == 3


def test_whoever_wants_no_pictures_keeps_none_and_hears_nothing_of_it(tmp_path: Path) -> None:
    table = Table(tmp_path, picture_bytes=0).deal()
    assert len(rulings(table.closed())) == 3
    assert not (tmp_path / "pictures").exists()


def test_a_picture_that_cannot_be_encoded_costs_only_itself(tmp_path: Path) -> None:
    def encode(image: bytes) -> bytes:
        raise ValueError("this is not a picture")

    Table(tmp_path, encode=encode).deal().logbook.close()
    assert len(rulings(tmp_path)) == 3


def album(folder: Path, most_bytes: int, free_bytes: int = 10**12) -> Album:
    return Album(folder, most_bytes, bytes, lambda _: free_bytes)


SNAP = Snap(Tabletop().seen(), b"x" * 1000)


def test_pictures_make_way_while_the_disk_is_nearly_full(tmp_path: Path) -> None:
    roomy = album(tmp_path, 10**6)
    for number in range(1, 6):
        roomy.add(number, 1, SNAP)
    size = roomy.bytes // 5
    tight = album(tmp_path, 10**6, RESERVE_BYTES - size)
    name, given_up = tight.add(6, 1, SNAP)
    assert given_up == [1, 2]
    assert name is None  # the disk still says that it is just as full


def test_an_album_is_taken_up_again_with_what_lies_there(tmp_path: Path) -> None:
    first = album(tmp_path, 10**6)
    for number in range(1, 4):
        first.add(number, 7, SNAP)
    (tmp_path / "pictures" / "notes.txt").write_text("somebody's own")
    (tmp_path / "pictures" / "game-0007" / ".000004.jpg").write_text("half of a pic")
    again = album(tmp_path, first.bytes)
    assert (again.bytes, again.newest) == (first.bytes, 3)
    assert again.add(4, 7, SNAP) == ("game-0007/000004.jpg", [1])
    assert (tmp_path / "pictures" / "notes.txt").exists()
    assert not (tmp_path / "pictures" / "game-0007" / ".000004.jpg").exists()


@pytest.mark.long
def test_pictures_never_take_more_than_their_bound_whatever_happens(tmp_path: Path) -> None:
    """Pictures of all sizes, disks that fail in the middle of one, restarts, and a bound that goes down."""
    rng, most, reading = random.Random(1), 200_000, Tabletop().seen()
    kept = album(tmp_path, most)
    for number in range(1, 200):
        what = rng.random()
        if what < 0.1:  # a restart, now and then with less room
            most = max(60_000, most - rng.choice((0, 0, 20_000)))
            kept = album(tmp_path, most)
        snap = Snap(reading, bytes(rng.randint(1, 90_000)))
        if what > 0.9:
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr("companion.logbook.folder.sync", failing(rng.randint(1, 2)))
                with suppress(OSError):
                    kept.add(number, number // 20, snap)
        else:
            kept.add(number, number // 20, snap)
        there = [path.stat().st_size for path in (tmp_path / "pictures").rglob("*") if path.is_file()]
        assert sum(there) == kept.bytes <= most
    assert kept.newest > 150


def failing(at: int) -> Callable[[Path], None]:
    """Return a function in place of waiting for the disk that fails at that call."""
    calls = itertools.count(1)

    def sync(path: Path) -> None:
        if next(calls) == at:
            raise OSError(errno.EIO, "Input/output error")

    return sync


def test_an_event_that_is_no_ruling_is_bad_input(table: Table) -> None:
    with opened_archive(table.closed()) as archive, pytest.raises(BadInputError, match="999 is not a ruling"):
        archive.ruling(999)


def test_cells_that_lie_nowhere_have_no_box() -> None:
    nowhere = Photo(1, Path("nowhere.jpg"), "", 1, 1)
    ruling = Ruling(1, 1, "", "turn", BLACK, "legal", (), (HexCell(0, 0),), None, nowhere)
    assert ruling.box_px(nowhere) is None
