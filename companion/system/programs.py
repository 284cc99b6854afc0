"""Other programs, run within a time limit, and what they complain about: `age`, which encrypts, and `rclone`.

Both are Debian's, so its security team looks after them, and only those who want to use them need them.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, BinaryIO

#: How much is read of a program's output at a time, and the most that is quoted of its complaint.
CHUNK_BYTES, MOST_SAID = 256 * 1024, 300

#: How long a program may take with the whole of a backup.
WHOLE_S = 3600.0

#: The first bytes of a file that age wrote, and of one that it wrote as text.
AGE_HEADS = (b"age-encryption.org/v1\n", b"-----BEGIN AGE ENCRYPTED FILE-----")

#: What people may be asked to install, by the program's name: Debian calls the packages the same.
AGE, RCLONE = "age", "rclone"

#: The time that rclone writes before each line.
_STAMP = re.compile(r"^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d *")


class ProgramError(OSError):
    """A program failed; `program` names it, `status` is its exit status, None if it is missing or took too long."""

    def __init__(self, program: str, why: str, status: int | None = None, *, is_missing: bool = False) -> None:
        super().__init__(f"{program}: {why}")
        self.program, self.status, self.is_missing = program, status, is_missing


def run(command: Sequence[str], limit_s: float, given: BinaryIO | int = subprocess.DEVNULL) -> str:
    """Return what the command writes; raises ProgramError if it is missing, fails or takes longer."""
    with tempfile.TemporaryFile() as out:
        run_into(command, limit_s, given, out)
        out.seek(0)
        return out.read().decode(errors="replace")


def run_into(command: Sequence[str], limit_s: float, given: BinaryIO | int, out: IO[bytes]) -> None:
    """Let the command write to a file; raises ProgramError as `run` does."""
    try:
        done = subprocess.run(
            command, stdin=given, stdout=out, stderr=subprocess.PIPE, timeout=limit_s, check=False, env=_environment()
        )
    except FileNotFoundError:
        raise _missing(command[0]) from None
    except subprocess.TimeoutExpired:
        raise _late(command[0], limit_s) from None
    if done.returncode:
        raise ProgramError(command[0], _why(done.stderr, done.returncode), done.returncode)


def encrypted(chunks: Iterable[bytes], recipient: str, limit_s: float = WHOLE_S) -> Iterator[bytes]:
    """Yield the chunks as a file that only the recipient's identity opens; raises ProgramError.

    `recipient` is a public key: age1..., or an SSH key's line.
    """
    with ExitStack() as stack:
        complaint = stack.enter_context(tempfile.TemporaryFile())
        try:
            age = stack.enter_context(
                subprocess.Popen(
                    [AGE, "--encrypt", "--recipient", recipient],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaint, env=_environment(),
                )
            )  # fmt: skip
        except FileNotFoundError:
            raise _missing(AGE) from None
        assert age.stdin is not None
        assert age.stdout is not None
        stack.callback(age.kill)
        late = threading.Event()

        def end() -> None:
            late.set()
            age.kill()

        timer = threading.Timer(limit_s, end)
        timer.start()
        stack.callback(timer.cancel)
        failed: list[BaseException] = []
        feeder = threading.Thread(target=_feed, args=(age.stdin, chunks, failed), name="feeding-age", daemon=True)
        feeder.start()
        while chunk := age.stdout.read(CHUNK_BYTES):
            yield chunk
        feeder.join()
        status = age.wait()
        if failed:
            raise failed[0]
        if late.is_set():
            raise _late(AGE, limit_s)
        if status:
            complaint.seek(0)
            raise ProgramError(AGE, _why(complaint.read(), status), status)


def _feed(into: IO[bytes], chunks: Iterable[bytes], failed: list[BaseException]) -> None:
    with suppress(BrokenPipeError):  # it has ended, and says why
        try:
            for chunk in chunks:
                into.write(chunk)
        except BrokenPipeError:
            raise
        except BaseException as error:  # raised where the chunks are asked for
            failed.append(error)
        finally:
            into.close()


def is_encrypted(head: bytes) -> bool:
    """Whether a file that begins like this was encrypted with age."""
    return head.startswith(AGE_HEADS)


def decrypt(content: BinaryIO, identity: Path, to: IO[bytes], limit_s: float = WHOLE_S) -> None:
    """Write what was encrypted to another file; `identity` is the file of the secret key. Raises ProgramError.

    If the key itself is protected by a passphrase, age asks for that on the terminal.
    """
    os.lseek(content.fileno(), 0, os.SEEK_SET)  # age reads the file itself
    run_into([AGE, "--decrypt", "--identity", str(identity)], limit_s, content, to)


def _environment() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C"}


def _missing(program: str) -> ProgramError:
    return ProgramError(program, f"it is not installed; sudo apt install {program}", is_missing=True)


def _late(program: str, limit_s: float) -> ProgramError:
    return ProgramError(program, f"it did not end within {limit_s:g} s")


def _why(complaint: bytes, status: int) -> str:
    """Return the line that says most: the last one that names an error, else the last one."""
    lines = [_STAMP.sub("", line).strip() for line in complaint.decode(errors="replace").splitlines()]
    # age adds how to report unexpected errors.
    lines = [line for line in lines if line and "report unexpected" not in line]
    named = [line for line in lines if re.match(r"age: |Failed|CRITICAL|ERROR|NOTICE: Failed", line)]
    line = (named or lines or [f"it ended with status {status}"])[-1]
    return line.removeprefix("age: ").removeprefix("error: ")[:MOST_SAID]
