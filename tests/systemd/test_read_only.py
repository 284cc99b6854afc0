"""A read-only root: the companion writes to its data and to the temporary folder, and nowhere else."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from bench.made_up import People
from companion.logbook import Logbook
from companion.session import Session
from companion.wiring.machine import MOST_FAILED, STARTS_FILE

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0

#: Refuses what Python would write elsewhere, as a file system mounted read-only does, and says what it was.
READ_ONLY = """
import errno, os, sys

MAY_BE_WRITTEN = tuple(f"{os.path.realpath(path)}/" for path in sys.argv[1:3])
# What is kept in memory may be, but what stands there beside those two.
BESIDE, IN_MEMORY = os.path.dirname(MAY_BE_WRITTEN[0][:-1]) + "/", ("/dev/", "/proc/self/")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
NAMING = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.chmod", "os.truncate")

def refuse(event, arguments):
    if event == "open" and not arguments[2] & WRITING or event not in ("open", "sqlite3.connect", *NAMING):
        return
    path = arguments[0]
    if isinstance(path, int) or event == "sqlite3.connect" and (":memory:" in str(path) or "mode=ro" in str(path)):
        return
    # A name in a folder that is open already: the folder is the last argument.
    within = arguments[-1] if event in ("os.remove", "os.rmdir", "os.mkdir", "os.rename") else -1
    above = os.readlink(f"/proc/self/fd/{within}") if within >= 0 else ""
    named = os.fsdecode(path).removeprefix("file://").partition("?")[0]
    spelt = os.path.realpath(os.path.join(above, named))
    place = f"{spelt}/"
    if not place.startswith(MAY_BE_WRITTEN) and (place.startswith(BESIDE) or not place.startswith(IN_MEMORY)):
        os.write(2, f"refused: {event} {spelt}\\n".encode())
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), spelt)

sys.addaudithook(refuse)
sys.argv[1:] = sys.argv[3:]
from companion.cli import main
main()
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A logbook in the middle of a game; the next start is without a camera, the quickest that has everything else."""
    folder, session = tmp_path / "data", Session()
    with Logbook(folder) as logbook:
        for reading, command in People(11, rules=("standard",)).presses(session, 8):
            logbook.record(session.see(reading) + session.obey(command), session.state)
    (folder / STARTS_FILE).write_text(f"{MOST_FAILED}\n")
    return folder


@pytest.mark.long
def test_on_a_root_that_can_only_be_read_the_companion_runs_and_asks_to_write_nowhere_else(
    data: Path, tmp_path: Path
) -> None:
    temporary, settings = tmp_path / "tmp", tmp_path / "strada.toml"
    temporary.mkdir()
    settings.write_text(f'[web]\nport = 0\n[camera]\nkind = "usb"\nindex = 63\n[logbook]\nfolder = "{data}"\n')
    last_good = data / "settings.last-good.toml"
    started = ["run", "--last-good", str(last_good), "--settings", str(settings)]
    with subprocess.Popen(
        [sys.executable, "-c", READ_ONLY, str(data), str(temporary), *started],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        address = re.search(r"http://[^/\s]+/", said)
        try:
            assert address is not None, said
            pages = {
                page: urllib.request.urlopen(address[0] + page, timeout=PATIENCE_S).read()
                for page in ("", "tv", "games", "statistics", "keeper", "setup", "games/1", "games/backup.zip")
            }
        finally:
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=PATIENCE_S)
    assert b"Ada" in pages["games"]
    assert pages["games/backup.zip"].startswith(b"PK")
    refused = [line for line in errors.splitlines() if line.startswith("refused: ")]
    # Python tries to keep what it has compiled, and goes on if it may not.
    assert [line for line in refused if "__pycache__" not in line] == []
    assert {path.name for path in data.iterdir()} >= {"logbook.sqlite", "keeper.key"}
    assert list(temporary.iterdir()) == []


def test_elsewhere_nothing_can_be_written_and_that_is_said(data: Path, tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "elsewhere").mkdir()
    asked = ["backup", str(tmp_path / "elsewhere" / "all.zip"), "--data", str(data)]
    done = subprocess.run(
        [sys.executable, "-c", READ_ONLY, str(data), str(tmp_path / "tmp"), *asked],
        cwd=ROOT, env={**os.environ, "TMPDIR": str(tmp_path / "tmp")}, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "all.zip: Read-only file system; name a file in a folder that can be written" in done.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []
