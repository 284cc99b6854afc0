"""Copies off the machine that other programs take part in: age encrypts them, rclone carries them to a remote."""

import subprocess
from pathlib import Path

import pytest

from companion.board import BadInputError
from companion.logbook import backup
from companion.logbook.away import Plan, copy_away, last_try
from companion.logbook.opening import FILE, TABLES
from companion.logbook.restoring import restore
from companion.system import programs
from tests.logbook.away import TAUGHT, copied, names, needs_age, needs_rclone, numbers, written
from tests.logbook.playing import strada

# Encrypted.


def identity(folder: Path) -> tuple[Path, str]:
    """Return the file of a new secret key, and its public key."""
    path = folder / "key.txt"
    subprocess.run(["age-keygen", "-o", str(path)], check=True, capture_output=True, timeout=60)
    path.chmod(0o600)
    (public,) = (line.split()[-1] for line in path.read_text().splitlines() if line.startswith("# public key"))
    return path, public


@needs_age
def test_with_a_key_only_its_identity_reads_it_and_brings_it_back(book: Path, away: Path, tmp_path: Path) -> None:
    secret, public = identity(tmp_path)
    copy = copied(book, away, key=public)
    assert copy.name.endswith(".zip.age")
    content = copy.read_bytes()
    assert content.startswith(b"age-encryption.org/v1\n")
    assert b"club-2026" not in content
    assert b"SQLite format 3" not in content
    done = strada("restore", copy, "--data", tmp_path / "new", "--identity", secret)
    assert "now holds 1 game with 6 pictures and 1 table." in done.output
    assert {each: (tmp_path / "new" / each).read_bytes() for each in TAUGHT} == TAUGHT
    assert {path.name for path in (tmp_path / "new").iterdir()} >= {FILE, "pictures", TABLES}
    assert not list((tmp_path / "new").glob("tmp*")), "what was decrypted is gone"


@needs_age
def test_without_its_key_nothing_is_changed(book: Path, away: Path, tmp_path: Path) -> None:
    secret, public = identity(tmp_path)
    copy, cut = copied(book, away, key=public), away / "cut.age"
    cut.write_bytes(copy.read_bytes()[:-1000])
    (tmp_path / "other").mkdir()
    other, _ = identity(tmp_path / "other")
    for file, given, said in (
        (copy, None, "name the file of its secret key"),
        (copy, other, "no identity matched"),
        (copy, tmp_path / "nowhere", "is not a file"),
        (cut, secret, "cannot be decrypted"),
    ):
        with pytest.raises(BadInputError, match=said):
            restore(tmp_path / "new", file, given)
    assert not (tmp_path / "new").exists()


@needs_age
def test_what_fails_while_it_is_encrypted_is_no_copy(
    book: Path, away: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """age would finish a file that was cut short as if it were whole."""

    def torn(*_: object) -> object:
        yield b"the first bytes of a ZIP" * 100_000
        raise OSError(5, "Input/output error")

    _, public = identity(tmp_path)
    monkeypatch.setattr(backup, "_chunks", torn)
    with pytest.raises(BadInputError, match="Input/output error"):
        copy_away(book, Plan(str(away), key=public))
    assert names(away) == []


@needs_age
@pytest.mark.long
def test_a_program_that_never_ends_is_stopped(tmp_path: Path) -> None:
    def endless() -> object:
        while True:
            yield bytes(100_000)

    _, public = identity(tmp_path)
    with pytest.raises(programs.ProgramError, match=r"did not end within 0\.5 s"):
        for _ in programs.encrypted(endless(), public, limit_s=0.5):  # type: ignore[arg-type]
            pass
    with pytest.raises(programs.ProgramError, match=r"did not end within 0\.1 s"):
        programs.run(["sleep", "60"], 0.1)


def test_no_identity_is_taken_for_what_is_not_encrypted(book: Path, tmp_path: Path) -> None:
    assert strada("backup", tmp_path / "all.zip", "--data", book).exit_code == 0
    with pytest.raises(BadInputError, match="is not encrypted; leave --identity out"):
        restore(tmp_path / "new", tmp_path / "all.zip", tmp_path / "key.txt")


@pytest.mark.parametrize("plan", [Plan("rclone:nas:strada"), Plan(".", key=f"age1{'q' * 58}")], ids=["rclone", "age"])
def test_a_missing_program_is_named(book: Path, away: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.chdir(away)
    with pytest.raises(BadInputError, match="is not installed; sudo apt install") as refused:
        copy_away(book, plan)
    assert refused.value.code == "program"
    assert names(away) == []
    assert not [name for name in names(book) if name.startswith(".away")]


# rclone itself, with a folder as its remote.


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder behind the remote "nas"."""
    folder = tmp_path / "nas"
    folder.mkdir()
    (tmp_path / "rclone.conf").write_text(f"[nas]\ntype = alias\nremote = {folder}\n")
    monkeypatch.setenv("RCLONE_CONFIG", str(tmp_path / "rclone.conf"))
    return folder


@needs_rclone
@pytest.mark.long
def test_a_remote_of_rclones_gets_them_and_its_oldest_go(book: Path, remote: Path, tmp_path: Path) -> None:
    plan = Plan("rclone:nas:strada/club", keep=2)
    written(book, {"..away.strada-club-0001-2026-11-22.zip.new": b"the plug was pulled", ".away.x": b"after that"})
    for number in range(3):
        assert copy_away(book, plan) is not None
        assert copy_away(book, plan) is None
        written(book, {"tables/chosen": b"another%d\n" % number})
    there = remote / "strada" / "club"
    assert numbers(there) == ["0002", "0003"]
    assert restore(tmp_path / "new", there / names(there)[-1]).tables == 1
    assert not list(book.glob(".*away.*")), "no draft is left"


@needs_rclone
@pytest.mark.long
@pytest.mark.parametrize(
    ("to", "said"),
    [("rclone:cloud:strada", "didn't find section in config file"), ("rclone:nas:locked/strada", "not a directory")],
    ids=["no such remote", "a folder that cannot be made"],
)
def test_complaints_of_rclone_are_passed_on(book: Path, remote: Path, to: str, said: str) -> None:
    (remote / "locked").write_text("a file in the folder's place")
    with pytest.raises(BadInputError, match=said):
        copy_away(book, Plan(to))
    tried = last_try(book, to)
    assert (tried.code, said in tried.facts["why"]) == ("failed", True)
    assert not [name for name in names(book) if name.startswith(".away")]
