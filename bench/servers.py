"""PostgreSQL in a temporary folder, and a cable that can be cut, on free ports here: for tests and benches."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psycopg

#: Where Debian puts each version's programs.
_FOLDERS = Path("/usr/lib/postgresql")

START_S = 60.0


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def found_programs() -> Path | None:
    """Return the folder of the newest PostgreSQL's programs; None if it is not installed."""
    if (path := shutil.which("initdb")) is not None:
        return Path(path).parent
    folders = sorted(_FOLDERS.glob("*/bin/initdb"), key=lambda each: int(each.parts[-3]))
    return folders[-1].parent if folders else None


class PostgreSQL:
    """A private server, from `start` to `stop`; `kill` ends it as a power cut does. It is durable, as by default."""

    def __init__(self, folder: Path, settings: Sequence[str] = ()) -> None:
        programs = found_programs()
        assert programs is not None, "PostgreSQL is not installed"
        self._programs, self._folder, self._settings = programs, folder, settings
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        if os.getuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(folder, "postgres")
        self._do("initdb", "-D", str(folder), "-U", "strada", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")

    @property
    def pid(self) -> int:
        """The server's process."""
        return int((self._folder / "postmaster.pid").read_text().split()[0])

    def url(self, database: str) -> str:
        """Return the URL of one of its databases."""
        return f"postgresql://strada@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        own = ["-p", str(self.port), "-k", "", "-h", "127.0.0.1"]
        words = [str(self._programs / "postgres"), "-D", str(self._folder), *own, *self._settings]
        self._process = subprocess.Popen(self._as_other(words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until_s = time.monotonic() + START_S
        while True:
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=2).close()
                return
            except psycopg.OperationalError:
                assert time.monotonic() < until_s, "PostgreSQL does not answer"
                time.sleep(0.05)

    def create(self, database: str) -> str:
        """Make an empty database; return its URL."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(database)))
        return self.url(database)

    def kill(self) -> None:
        """End it at once, whatever is under way."""
        with suppress(ProcessLookupError, FileNotFoundError):
            os.kill(self.pid, 9)
        if self._process is not None:
            self._process.wait(10)

    def stop(self) -> None:
        """End it."""
        if self._process is not None and self._process.poll() is None:
            with suppress(subprocess.CalledProcessError):
                self._do("pg_ctl", "stop", "-D", str(self._folder), "-m", "immediate")
            self._process.wait(10)

    def _do(self, program: str, *words: str) -> None:
        whole = self._as_other([str(self._programs / program), *words])
        subprocess.run(whole, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _as_other(self, words: list[str]) -> list[str]:
        if os.getuid() != 0:
            return words
        return ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups", *words]


class Cable:
    """A carrier of connections to a port of this machine. Once cut, it lets nobody through until it is mended."""

    def __init__(self, to: int) -> None:
        self._to, self._is_cut = to, False
        self._ends: set[socket.socket] = set()
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._door.getsockname()[1])
        threading.Thread(target=self._run, name="cable", daemon=True).start()

    def cut(self) -> None:
        """Cut it: whoever is connected notices, at once or when they next say something."""
        self._is_cut = True
        for end in list(self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Let new connections through."""
        self._is_cut = False

    def close(self) -> None:
        """Cut it for good."""
        self.cut()
        self._door.close()

    def _run(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._door.accept()
                threading.Thread(target=self._carry, args=(near,), name="cable", daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        with near, suppress(OSError):
            if self._is_cut:
                return
            with socket.create_connection(("127.0.0.1", self._to), 2) as far:
                far.settimeout(None)
                self._ends |= {near, far}
                back = threading.Thread(target=_pour, args=(far, near), name="cable", daemon=True)
                back.start()
                _pour(near, far)
                back.join()
                self._ends -= {near, far}


def _pour(out_of: socket.socket, into: socket.socket) -> None:
    with suppress(OSError):
        while content := out_of.recv(65536):
            into.sendall(content)
    for each in (out_of, into):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
