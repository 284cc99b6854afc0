"""A file being handed out is cut short: what was there before stays whole, and nobody ever finds half a file."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.board import BadInputError
from companion.cli.options import write_whole

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), RuntimeError("a fault"), OSError(28, "No space left on device")]
)
def test_what_ends_in_the_middle_leaves_the_older_file_whole_and_nothing_beside_it(
    tmp_path: Path, error: BaseException
) -> None:
    path = tmp_path / "strada.zip"
    path.write_bytes(b"the older backup")

    def chunks() -> Iterator[bytes]:
        yield b"half " * 100_000
        raise error

    with pytest.raises(BadInputError if isinstance(error, OSError) else type(error)):
        write_whole(path, chunks())
    assert path.read_bytes() == b"the older backup"
    assert list(tmp_path.iterdir()) == [path]


def test_kill_9_in_the_middle_leaves_the_older_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "strada.zip"
    path.write_bytes(b"the older backup")
    script = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from companion.cli.options import write_whole\n"
        "def chunks():\n"
        "    yield b'half ' * 100_000\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_whole(Path(sys.argv[1]), chunks())\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], timeout=60, check=False, cwd=ROOT)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"the older backup"
    assert len(list(tmp_path.iterdir())) == 2, "kill -9 lets nobody tidy up"
    write_whole(path, b"a whole one")
    assert path.read_bytes() == b"a whole one"
    assert list(tmp_path.iterdir()) == [path]


def test_what_others_write_and_what_is_not_a_draft_stays(tmp_path: Path) -> None:
    others = [f".strada.zip.{os.getppid()}", ".strada.zip.1", ".strada.zip.new", ".strada.zip.0", ".other.zip.99999999"]
    for name in others:
        (tmp_path / name).write_bytes(b"somebody's")
    (tmp_path / ".strada.zip.999999999").write_bytes(b"nobody's any more")
    write_whole(tmp_path / "strada.zip", b"whole")
    assert {path.name for path in tmp_path.iterdir()} == {"strada.zip", *others}


def test_a_disk_that_is_full_is_said_in_a_sentence_and_costs_no_older_file(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(b"the older record")
    script = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from companion.cli.options import write_whole\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "write_whole(Path(sys.argv[1]), b'x' * 5000)\n"
    )
    command = [sys.executable, "-c", script, str(path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert "BadInputError: cannot write" in done.stderr
    assert path.read_bytes() == b"the older record"
