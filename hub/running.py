"""The hub as it runs: its store, the broker, a worker, the room and its pages, opened in order and closed again.

Also its addresses, and drawn tables to look at if there are no real ones.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from companion.board import BadInputError, NotNowError
from companion.certificates import GivenCertificate
from companion.outbox import Membership, Place
from companion.system import durable
from companion.web import Encrypted, Server
from companion.web.joining import outwards
from hub.broker import Access, Broker, Listening
from hub.home import Home
from hub.messages import Journal
from hub.room import Room
from hub.settings import HubSettings
from hub.store import Store, open_store
from hub.store.opening import FILE, url_in
from hub.store.people import People
from hub.store.tables import enrol, enrolled
from hub.web import Backend, create_app
from hub.worker import Halls, Worker

#: The file that tells further workers on this machine how to reach the broker.
ACCESS = "broker.json"

#: The drawn tables' names.
NAMES = ("By the window", "At the bar", "In the corner", "Upstairs", "The round one", "By the door")


class Hub:
    """A running hub, until `close`. Raises BadInputError or NotNowError if it cannot run."""

    def __init__(self, settings: HubSettings, names: Callable[[], Iterator[str]] = lambda: iter(())) -> None:
        self._closing, self.settings = ExitStack(), settings
        folder = made(settings.folder)
        web, at = settings.web, settings.broker
        try:
            self.store = opened(settings)
            self._closing.callback(self.store.close)
            self.listening = Listening(web.host, at.port, at.certificate, at.key, at.authority)
            journal = Journal()
            self.broker = Broker(self.store, folder, self.listening, journal, kept_password(folder))
            self._closing.callback(self.broker.close)
            keep_access(folder, self.broker.access)
            self.room = Room(self.store, self.broker.access, journal)
            self._closing.callback(self.room.close)
            self.worker = Worker(self.store, self.broker.access, journal)
            self._closing.callback(self.worker.close)
            self.halls = Halls(self.store, journal, self.room.tell)
            self._closing.callback(self.halls.close)
            self.halls.start()
            home = settings.home_assistant
            if home.host:
                self._closing.callback(Home(home, self.store.hub, settings.hub.name, self.room, journal).close)
            self.people = People(self.store)
            hosts = _Names(names, web.trusted_hosts)
            backend = Backend(
                settings.hub.name, self.store, self.room, self.people, self.broker, self.listening, self.halls,
                web.streams, hosts, has_home=bool(home.host),
            )  # fmt: skip
            given = GivenCertificate(Path(web.certificate), Path(web.key)) if web.certificate else None
            encrypted = None if given is None else Encrypted(web.https_port, given)
            self.server = Server(create_app(backend), self.room, web.streams, web.host, web.port, encrypted)
            self._closing.callback(self.server.close)
        except BaseException:
            self._closing.close()
            raise

    @property
    def port(self) -> int:
        """The port of its pages."""
        return self.server.port

    def close(self) -> None:
        """End everything, the pages first."""
        self._closing.close()


def opened(settings: HubSettings) -> Store:
    """Return the hub's store, opened."""
    if settings.database.url:
        return open_store(settings.database.url)
    (made(settings.folder) / FILE).touch(mode=0o600)  # nobody else may read the digests of keys and passwords
    return open_store(url_in(settings.folder))


def work(settings: HubSettings, ending: threading.Event) -> None:
    """Be one more worker of the hub that runs on this machine, until `ending`."""
    store = opened(settings)
    try:
        worker = Worker(store, kept_access(settings.folder), Journal())
        ending.wait()
        worker.close()
    finally:
        store.close()


def keep_access(folder: Path, access: Access) -> None:
    """Store how further workers reach the broker, in a file that nobody else may read."""
    durable.write_whole(folder / ACCESS, json.dumps(asdict(access)).encode(), mode=0o600)


def kept_access(folder: Path) -> Access:
    """Return how the hub on this machine reaches its broker. Raises NotNowError if none runs."""
    try:
        kept = durable.private(folder / ACCESS)
        return Access(**json.loads(kept or b""))
    except (OSError, ValueError, TypeError):
        raise NotNowError(f"no hub has run in {folder}; start strada hub first, or name its settings") from None


def kept_password(folder: Path) -> str:
    """Return the hub's earlier password, which further workers still use; "" if there is none yet."""
    try:
        return kept_access(folder).password
    except NotNowError:
        return ""


def made(folder: Path) -> Path:
    """Return the folder, created if it is missing. Raises BadInputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise BadInputError(f"{folder} cannot be made ({error.strerror}); name another with --data") from None
    return folder


class _Names:
    """The host names that browsers may use for this hub, looked up each time."""

    def __init__(self, names: Callable[[], Iterator[str]], others: tuple[str, ...]) -> None:
        self._names, self._others = names, others

    def __iter__(self) -> Iterator[str]:
        yield from ("localhost", "127.0.0.1", "[::1]", *self._others)
        yield from self._names()


class DrawnTables:
    """A number of drawn tables, until `close`. Their games are kept in the hub's folder, and go on from there."""

    def __init__(self, hub: Hub, folder: Path, count: int, first_port: int) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        known = {table.id for table in enrolled(hub.store) if not table.is_revoked}
        for seed in range(1, count + 1):
            place = Place(folder / f"table-{seed}")
            kept = place.read()
            if kept is None or kept.hub != hub.store.hub or kept.table not in known:
                place.folder.mkdir(parents=True, exist_ok=True)
                table, key = enrol(hub.store, NAMES[(seed - 1) % len(NAMES)], is_open=True)
                hub.broker.let_in(table, key)
                at = hub.broker.access
                called = hub.settings.hub.name
                place.keep(Membership(hub.store.hub, called, table, key, at.host, at.port, at.tls, at.authority))
            words = ["run", "--port", str(first_port and first_port + seed - 1), "--data", str(place.folder)]
            games = ["--seed", str(seed), "--camera", "virtual"]
            command = [sys.executable, "-m", "companion", *words, *games]
            self._processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))
        hub.room.look_again()

    def close(self) -> None:
        """End the tables."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()


def own_names() -> Iterator[str]:
    """Yield the names and the address by which others may reach this machine, looked up each time."""
    name = socket.gethostname().lower()
    yield name
    yield f"{name}.local"
    yield from outwards()


def served_at(host: str, port: int) -> tuple[str, ...]:
    """Return the addresses of what is served there: on this machine and, if others may see it, for them."""
    hosts = ("127.0.0.1", *outwards()) if host == "0.0.0.0" else (host,)
    return tuple(f"http://{each}:{port}/" for each in hosts)
