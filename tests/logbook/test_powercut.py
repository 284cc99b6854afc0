"""The power fails, or a process is killed: nothing acknowledged is lost, whatever else is on the disk."""

import random
from pathlib import Path

import pytest

from bench.disk import Create, Disk, Image, MakeFolder, Operation, Rename, Sync, Truncate, Write
from bench.kills import kill
from bench.powercut import cut

PAGE = bytes(range(256)) * 16

#: Limits, which include what opening a logbook, checkpoints and small pictures need.
SYNCS_A_PRESS, BYTES_A_PRESS = 6, 100_000


@pytest.mark.long
@pytest.mark.parametrize(("cuts", "presses"), [(4, 8), (16, 17)])
def test_after_power_cuts_all_that_was_acknowledged_is_there_and_every_game_goes_on(cuts: int, presses: int) -> None:
    found = cut(cuts, seed=7, presses=presses)
    assert found.cuts == cuts
    assert set(found.disks.values()) == {cuts}
    assert found.operations["sync"] > cuts
    assert found.pictures > 3 * cuts
    assert (found.lost, found.damaged, found.astray) == (0, 0, [])
    # Disks wear out: a press waits for few writes, and writes little besides its pictures.
    assert found.operations["sync"] < SYNCS_A_PRESS * 16
    assert found.written_bytes < BYTES_A_PRESS * 16


@pytest.mark.long
def test_on_a_disk_that_forgets_what_it_was_told_to_sync_it_would_be_noticed() -> None:
    found = cut(4, seed=7, presses=5, is_synced=False)
    assert found.lost > 0
    assert found.astray


def disk(*operations: Operation) -> Disk:
    made = Disk()
    for operation in operations:
        made.do(operation)
    return made


def test_what_was_synced_is_there_and_what_was_not_may_be() -> None:
    made = disk(
        Create("a", 1), Write(1, 0, b"one"), Sync(1), Write(1, 3, b"two"), Create("b", 2), Write(2, 0, b"three")
    )
    assert made.synced().files == {"a": b"one"}
    assert made.whole().files == {"a": b"onetwo", "b": b"three"}
    found = {tuple(sorted(made.scattered(random.Random(seed)).files.items())) for seed in range(300)}
    one, more = ("a", b"one"), ("a", b"onetwo")
    assert {(one,), (more,), (one, ("b", b"")), (one, ("b", b"three"))} <= found


def test_a_torn_write_has_some_of_its_sectors() -> None:
    made = disk(Create("a", 1), Write(1, 0, bytes(4096)), Sync(1), Write(1, 0, PAGE))
    found = {made.torn(random.Random(seed)).files["a"] for seed in range(50)}
    assert len(found) > 10
    for content in found:
        sectors = [content[start : start + 512] for start in range(0, 4096, 512)]
        assert all(sector in (bytes(512), PAGE[:512]) for sector in sectors)


def test_names_come_in_the_order_in_which_they_were_given() -> None:
    made = disk(Create("draft", 1), Write(1, 0, b"all"), Sync(1), MakeFolder("f"), Rename("draft", "f/a"))
    assert made.synced() == Image({"draft": b"all"}, frozenset())
    found = [made.scattered(random.Random(seed)) for seed in range(50)]
    assert all(image in (made.synced(), Image({"draft": b"all"}, frozenset({"f"})), made.whole()) for image in found)
    assert made.whole() == Image({"f/a": b"all"}, frozenset({"f"}))


def test_what_is_old_was_written_back() -> None:
    made = disk(Create("a", 1), Write(1, 0, b"one"), Truncate(1, 2), Write(1, 2, b"xyz"))
    made.settle(3)
    assert made.synced().files == {"a": b"on"}
    assert made.whole().files == {"a": b"onxyz"}


def test_an_image_is_laid_as_files(tmp_path: Path) -> None:
    Image({"pictures/game-0001/000001.jpg": b"x"}, frozenset({"pictures/game-0002"})).lay(tmp_path / "cut")
    assert (tmp_path / "cut" / "pictures" / "game-0001" / "000001.jpg").read_bytes() == b"x"
    assert (tmp_path / "cut" / "pictures" / "game-0002").is_dir()


@pytest.mark.long
@pytest.mark.parametrize(("kills", "seed", "presses"), [(3, 5, 30), (20, 7, 60)])
def test_killed_companions_lose_nothing_that_they_announced_and_every_game_goes_on(
    kills: int, seed: int, presses: int
) -> None:
    found = kill(kills, seed=seed, presses=presses)
    assert found.kills == kills
    assert found.announced > 0
    assert found.damaged > 0 or kills < 20
    assert (found.lost, found.astray) == (0, [])
