"""Root's part: a package that was asked for is installed, if it is signed, for this machine, and newer than what runs.

The request and the package are in a folder of the companion's, and an attacker may have taken the companion over. So no
link there is followed, nothing there is run, and all that root takes from the request is that there is one. The package
is copied to where only root can write, and it is that copy that is checked and installed.
"""

from __future__ import annotations

import os
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from companion.board import BadInputError
from companion.system.news import is_newer
from companion.updates.desk import INSTALL, MOST_BYTES, PACKAGE, READY, SIGNATURE
from companion.updates.looking import pieces
from companion.updates.outcome import NOTE, Outcome, last, write
from companion.updates.release import MOST_SIGNATURE_BYTES, Release, verified

#: How long dpkg may take, with the trial of the new version.
INSTALL_S = 3000.0

#: The command that installs a file and asks nobody. The unit has no network: if a package is missing, nothing is
#: changed.
APT = (
    *("apt-get", "install", "--yes", "--quiet", "--no-install-recommends", "--reinstall"),
    *("--allow-downgrades", "-o", "DPkg::Lock::Timeout=300", "-o", "APT::Sandbox::User=root"),
)


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that ended: its exit status, and what it wrote."""

    status: int
    output: str


def run(command: Sequence[str]) -> Ran:
    """Run a command with nobody to ask."""
    environment = {**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", timeout=INSTALL_S, check=False, env=environment,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout)


@dataclass(frozen=True, slots=True)
class Installer:
    """Installs what is signed for the key in root's settings, over the version `own`, on that kind of processor."""

    key: str
    own: str
    architecture: str
    run: Callable[[Sequence[str]], Ran] = run
    note: Path = NOTE
    scratch: Path = Path("/var/tmp")

    def serve(self, folder: Path) -> Outcome | None:
        """Install what was asked for in that folder; None if nothing was. The outcome is noted; raises OSError."""
        with _opened(folder) as place:
            if place is None or not _is_asked(place):
                return None
            try:
                with _file(place, SIGNATURE) as file:
                    signature = file.read(MOST_SIGNATURE_BYTES + 1)
                with _file(place, PACKAGE) as package:
                    return self._installed(signature, package, may_be_older=False)
            except OSError as error:
                return self._noted(Outcome("refused", why=f"its file cannot be read: {error.strerror or error}"))
            finally:
                for name in (SIGNATURE, PACKAGE):  # they take up room, and are no longer needed
                    with suppress(OSError):
                        os.unlink(name, dir_fd=place)

    def install(self, path: Path, may_be_older: bool) -> Outcome:
        """Install that package, whose signature is beside it; the outcome is noted. Raises OSError."""
        signature = path.with_name(f"{path.name}.sig").read_bytes()[: MOST_SIGNATURE_BYTES + 1]
        with path.open("rb") as package:
            return self._installed(signature, package, may_be_older)

    def _installed(self, signature: bytes, package: BinaryIO, may_be_older: bool) -> Outcome:
        version = ""
        try:
            release = verified(signature, self.key)
            version = release.version
            self._check(release, may_be_older)
            with tempfile.TemporaryDirectory(prefix="strada-update-", dir=self.scratch) as own:
                copy = Path(own) / release.name
                with copy.open("xb") as file:
                    file.writelines(pieces(package, release))
                self._check_package(copy, release)
                return self._hand_over(copy, version)
        except BadInputError as error:
            return self._noted(Outcome("refused", version, why=str(error)))

    def _check(self, release: Release, may_be_older: bool) -> None:
        if release.architecture != self.architecture:
            raise BadInputError(f"it is for {release.architecture}, and this machine is {self.architecture}")
        if not (may_be_older or is_newer(release.version, self.own)):
            raise BadInputError(f"it is not newer than version {self.own}, which runs")

    def _check_package(self, copy: Path, release: Release) -> None:
        said = self.run(["dpkg-deb", "--show", "--showformat=${Package} ${Version} ${Architecture}", str(copy)])
        wanted = f"strada {release.version} {release.architecture}"
        if said.status != 0 or said.output.strip() != wanted:
            raise BadInputError(f"the package says that it is {said.output.strip()[:80]!r}, and not {wanted!r}")

    def _hand_over(self, copy: Path, version: str) -> Outcome:
        self._noted(Outcome("begun", version))
        self.run(["dpkg", "--configure", "--pending"])  # if the power failed the last time, apt would do nothing
        try:
            done = self.run([*APT, str(copy)])
        except subprocess.TimeoutExpired:
            done = Ran(1, f"it was not done after {INSTALL_S:g} s")
        print(done.output, flush=True)
        ended = last(self.note)
        if done.status == 0 and ended is not None and ended.outcome in ("stays", "taken-back"):
            return ended  # the trial noted it
        if done.status == 0:
            return self._noted(Outcome("stays", version))  # without an earlier version there is no trial
        why = next((each for each in reversed(done.output.splitlines()) if each.startswith(("E:", "strada:"))), "")
        return self._noted(Outcome("failed", version, why=why[:200] or f"apt-get ended with {done.status}"))

    def _noted(self, outcome: Outcome) -> Outcome:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        noted = Outcome(outcome.outcome, outcome.version, outcome.database, outcome.why, now)
        write(noted, self.note)
        return noted


@contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    """Yield the folder, which is not root's although those above it are; None if it is missing, or is a link."""
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    try:
        yield place
    finally:
        os.close(place)


def _is_asked(place: int) -> bool:
    """Whether an update was asked for there; the request is deleted, so that it is never done twice."""
    asked = b""
    with suppress(OSError), _file(place, READY) as file:
        asked = file.read(MOST_BYTES)
    with suppress(OSError):
        os.unlink(READY, dir_fd=place)
    return asked.startswith(f"{INSTALL} ".encode())


@contextmanager
def _file(place: int, name: str) -> Iterator[BinaryIO]:
    """Yield a file of the folder, if it is one and no link; raises OSError."""
    opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place)
    with os.fdopen(opened, "rb") as file:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OSError("it is not a file")
        yield file
