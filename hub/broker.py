"""Mosquitto as a child process, with a user and topics of its own for each table, by its dynamic-security plugin.

The database decides. What the plugin reads is rewritten from it whenever the broker is started, and a broker that ends
is restarted. Changes in between go to it over its control topic: revoking a key ends its connection at once. The broker
keeps nothing on disk, because tables send again what the hub has not acknowledged.
"""

from __future__ import annotations

import getpass
import json
import logging
import re
import secrets
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from sqlalchemy.exc import SQLAlchemyError

from companion.board import BadInputError, NotNowError
from companion.system import durable
from hub.messages import TABLE, Journal
from hub.store import Store
from hub.store.tables import Digest, digest_of, enrolled

CONTROL = "$CONTROL/dynamic-security/v1"

#: The largest packet. A table's largest message is a quarter of this, a picture nearly all of it.
MOST_PACKET_BYTES = 1024 * 1024

#: How soon a broker that ended is restarted, how long it may take to listen, and how long to carry out a command.
AGAIN_S, START_S, DONE_S = 0.3, 10.0, 2.0

_LIBRARIES = ("/usr/lib", "/usr/local/lib", "/usr/lib64")
_PLUGIN = "mosquitto_dynamic_security.so"

#: Lines of the log that say who subscribes, and to what; each topic is on a line of its own.
_ASKING, _ASKED = re.compile(r": Received SUBSCRIBE from (\S+)$"), re.compile(r"^\d+: \t(.*) \(QoS [0-2]\)$")

_log = logging.getLogger(__name__)

#: All workers of a hub share its tables' events; each message goes to one of them.
SHARED = "$share/hub/"

KEEPALIVE_S, RETRY_S = 20, (1.0, 5.0)


@dataclass(frozen=True, slots=True)
class Listening:
    """Where the broker listens. With `certificate` and `key`, files in PEM, it uses only TLS.

    `authority` is the file of the certificate that signed these, if machines do not trust it already.
    """

    host: str
    port: int
    certificate: str = ""
    key: str = ""
    authority: str = ""


def found_program() -> str:
    """Return the path of Mosquitto. Raises BadInputError if it, or its plugin, is not installed."""
    program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
    if program is None or found_plugin() is None:
        raise BadInputError("Mosquitto is not installed; apt-get install mosquitto brings it, and its plugin")
    return program


def found_plugin() -> Path | None:
    """Return the path of the dynamic-security plugin; None if it is not installed."""
    folders = map(Path, _LIBRARIES)
    places = (place for folder in folders for place in (folder / _PLUGIN, *folder.glob(f"*/{_PLUGIN}")))
    return next((place for place in places if place.is_file()), None)


def with_us() -> list[str]:
    """Return the words before a command that make the program end with this one; none if that is forbidden.

    A service may not set its capabilities, which setpriv does even when it changes none. There, systemd ends the rest.
    """
    words = [shutil.which("setpriv") or "setpriv", "--pdeathsig", "KILL"]
    with suppress(OSError, subprocess.TimeoutExpired):
        if subprocess.run([*words, "true"], check=False, capture_output=True, timeout=START_S).returncode == 0:
            return words
    return []


class Broker:
    """Mosquitto, in `folder`, until `close`. Raises BadInputError if it cannot run, NotNowError if a port is taken.

    `password` is the hub's own password at the broker, "" for a new one.
    """

    def __init__(self, store: Store, folder: Path, listening: Listening, journal: Journal, password: str = "") -> None:
        self._store, self._folder, self._listening, self._journal = store, folder, listening, journal
        self._program, self._password = found_program(), password or secrets.token_urlsafe(32)
        here = "127.0.0.1" if listening.host in ("0.0.0.0", "") else "::1" if listening.host == "::" else listening.host
        authority = Path(listening.authority).read_text() if listening.authority else ""
        is_tls = bool(listening.certificate)
        #: How the hub's own parts connect.
        self.access = Access(here, listening.port, "hub", self._password, is_tls, authority)
        self._is_closing = threading.Event()
        self._must_be_free()
        self._write()
        self._process: subprocess.Popen[bytes] | None = None
        self._has_started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="broker", daemon=True)
        self._thread.start()
        if not (self._has_started.wait(START_S) and self._answers()):
            self.close()
            raise NotNowError(f"Mosquitto does not listen at port {listening.port}; see what it said in the journal")
        is_in = threading.Event()
        self._control = self.access.client("hub-control", [f"{CONTROL}/response"], lambda message: None, is_in.set)
        is_in.wait(DONE_S)

    @property
    def pid(self) -> int:
        """The broker's process."""
        return 0 if self._process is None else self._process.pid

    def let_in(self, table: str, key: str) -> None:
        """Let that table in with this key, and no longer with another one."""
        role, client = _role(self._store.hub, table), {"username": table, "clientid": table, "password": key}
        self._tell(
            {"command": "deleteClient", "username": table},
            {"command": "createRole", **role},
            {"command": "createClient", **client, "roles": [{"rolename": table}]},
        )

    def shut_out(self, table: str) -> None:
        """End that table's connection, and let it in no more."""
        self._tell({"command": "deleteClient", "username": table}, {"command": "deleteRole", "rolename": table})

    def renew(self) -> None:
        """Restart it with everybody enrolled meanwhile, which is quicker than letting in hundreds one by one."""
        self._has_started.clear()
        if self._process is not None:
            self._process.terminate()
        if not (self._has_started.wait(START_S) and self._answers()):
            raise NotNowError(f"Mosquitto does not listen at port {self._listening.port} any more")

    def close(self) -> None:
        """End the broker."""
        self._is_closing.set()
        if hasattr(self, "_control"):
            close(self._control)
        if self._process is not None:
            self._process.terminate()
        self._thread.join(5)

    def _tell(self, *commands: dict[str, Any]) -> None:
        """Send the broker commands and wait until they are carried out: a table with a new key connects at once."""
        told = self._control.publish(CONTROL, json.dumps({"commands": commands}), qos=1)
        self._try_to_write()  # else a broker that is restarted at this moment might not know of it
        with suppress(ValueError, RuntimeError):  # it is away, and does this as soon as it is back
            told.wait_for_publish(DONE_S)  # Mosquitto acknowledges commands that it has carried out

    def _run(self) -> None:
        # This thread starts the child, because Linux ends a child together with the thread that started it.
        words = [*with_us(), self._program, "-c", str(self._folder / "mosquitto.conf")]
        while not self._is_closing.is_set():
            self._try_to_write()
            try:
                status = self._serve(words)
            except OSError as error:
                self._journal.once("broker", f"Mosquitto cannot be started, and is tried again ({error.strerror})")
            else:
                if not self._is_closing.is_set():
                    _log.warning("Mosquitto ended (%d) and is started again", status)
            self._is_closing.wait(AGAIN_S)

    def _serve(self, words: list[str]) -> int:
        """Start the broker and return the status that it ended with. Raises OSError."""
        # It gets a session of its own: Ctrl-C or systemd, which end the hub, must not end the broker first.
        self._process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
        with self._process:
            self._has_started.set()
            self._read()
            return self._process.wait()

    def _try_to_write(self) -> None:
        """Write who may do what. If that fails, the old file stays valid, except for what has changed."""
        try:
            self._write()
        except (SQLAlchemyError, OSError) as error:
            self._journal.once("broker", f"who may do what is not written anew ({type(error).__name__})")

    def _read(self) -> None:
        """Report each thing that the broker refuses once, until the broker ends.

        The broker logs much more, several lines per message. Another process filters these, so that the broker never
        waits.
        """
        assert self._process is not None
        wanted = "Denied|not authorised|oversize|Warning|Error|SUBSCRIBE from|QoS [0-2].$"
        words = ["grep", "--line-buffered", "-E", wanted]
        with subprocess.Popen(
            words,
            stdin=self._process.stderr,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
            errors="replace",
        ) as passing:
            assert passing.stdout is not None
            asking = ""
            for line in passing.stdout:
                asking = match[1] if (match := _ASKING.search(line)) is not None else asking
                about, what = refused_in(line, self._store.hub, asking)
                if what:
                    self._journal.once(about, what)

    def _answers(self) -> bool:
        """Wait until the port is open. Return whether it opened in time."""
        for _ in range(int(START_S / 0.05)):
            with suppress(OSError), socket.create_connection((self.access.host, self.access.port), 1):
                return True
            if self._process is not None and self._process.poll() is not None:
                return False
            self._is_closing.wait(0.05)
        return False

    def _must_be_free(self) -> None:
        """Raise NotNowError if another program has the port."""
        host = self._listening.host or "0.0.0.0"
        try:
            with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as door:
                door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                door.bind((host, self._listening.port))
        except OSError as error:
            at = f"port {self._listening.port} of {host}"
            raise NotNowError(f"{at} cannot be used for messages ({error.strerror}); choose another one") from None

    def _write(self) -> None:
        """Write the broker's settings and who may do what, in files that nobody else can read."""
        known = {table.id: table.digest for table in enrolled(self._store) if not table.is_revoked}
        who = json.dumps(rights(self._store.hub, digest_of(self._password), known.items()))
        durable.write_whole(self._folder / "who.json", who.encode(), mode=0o600, mark=secrets.token_hex(4))
        words = settings_of(self._listening, self._folder / "who.json", str(found_plugin()))
        durable.write_whole(self._folder / "mosquitto.conf", words.encode(), mode=0o600, mark=secrets.token_hex(4))


def refused_in(line: str, hub: str = "", asking: str = "") -> tuple[str, str]:
    """Return whom a line of the broker's log is about, and what is wrong; nothing if it does not matter.

    A client's subscriptions are on lines of their own, after the line that says who is `asking`. No line says that one
    is refused, so this is worked out here: a table of this hub only gets its own topics.

    >>> refused_in("1795689560: Client a disconnected due to oversize packet.")
    ('a', 'refused: a message that is too large')
    """
    if (match := re.search(r"Denied PUBLISH from (\S+) .*?, '(.*)', ", line)) is not None:
        return match[1], f"refused: it may not publish to {match[2]}"
    if (match := _ASKED.search(line)) is not None:
        may = {f"strada/{hub}/{asking}/{what}" for what in ("ack", "ask")}
        is_refused = TABLE.fullmatch(asking) is not None and match[1] not in may
        return asking, f"refused: it may not subscribe to {match[1]}" if is_refused else ""
    if (match := re.search(r"Client (\S+) disconnected due to oversize", line)) is not None:
        return match[1], "refused: a message that is too large"
    if "disconnected, not authorised" in line:
        return "broker", "refused: somebody without a key of this hub"
    is_odd = ("Warning" in line or "Error" in line) and "run as root" not in line
    return "broker", line.partition(": ")[2].strip() if is_odd else ""


def settings_of(listening: Listening, who: Path, plugin: str, user: Callable[[], str] = getpass.getuser) -> str:
    """Return Mosquitto's settings."""
    lines = [
        f"user {user()}",  # when root starts it, it would otherwise change to a user who may not read this
        f"listener {listening.port} {listening.host or '0.0.0.0'}",
        "allow_anonymous false",
        f"plugin {plugin}",
        f"plugin_opt_config_file {who}",
        f"max_packet_size {MOST_PACKET_BYTES}",
        "max_keepalive 120",
        "max_inflight_messages 100",
        "max_queued_messages 1000",
        "persistence false",
        "log_dest stderr",
        *(f"log_type {kind}" for kind in ("error", "warning", "notice", "debug")),  # refusals are among the last
    ]
    if listening.certificate:
        lines += [f"certfile {listening.certificate}", f"keyfile {listening.key}", "tls_version tlsv1.2"]
    return "\n".join(lines) + "\n"


def rights(hub: str, own: Digest, known: Iterable[tuple[str, Digest]]) -> dict[str, Any]:
    """Return who may publish and subscribe to what, as the dynamic-security plugin reads it. Anything else is refused.

    A table publishes its own events, state and pictures, and hears its own acknowledgements, but nothing of other
    tables. It can only connect under its own name, because connecting under another's name would disconnect that one.
    """
    known = tuple(known)
    return {
        "defaultACLAccess": {
            "publishClientSend": False, "publishClientReceive": True, "subscribe": False, "unsubscribe": True,
        },
        "clients": [
            _client("hub", own), *({**_client(table, digest), "clientid": table} for table, digest in known),
        ],
        "groups": [],
        "roles": [_hub_role(hub), *(_role(hub, table) for table, _ in known)],
    }  # fmt: skip


def _client(name: str, digest: Digest) -> dict[str, Any]:
    secret = {"password": digest.password, "salt": digest.salt, "iterations": digest.iterations}
    return {"username": name, "roles": [{"rolename": name}], **secret}


def _role(hub: str, table: str) -> dict[str, Any]:
    own = f"strada/{hub}/{table}"
    says = [_may("publishClientSend", f"{own}/{what}") for what in ("event", "state", "picture")]
    return {"rolename": table, "acls": [*says, *(_may("subscribeLiteral", f"{own}/{what}") for what in ("ack", "ask"))]}


def _hub_role(hub: str) -> dict[str, Any]:
    says = [f"strada/{hub}/+/ack", f"strada/{hub}/+/ask", f"strada/{hub}/+/state", CONTROL]
    hears = [f"strada/{hub}/+/state", f"strada/{hub}/+/picture", f"{SHARED}strada/{hub}/+/event", f"{CONTROL}/response"]
    acls = [_may("publishClientSend", topic) for topic in says] + [_may("subscribeLiteral", topic) for topic in hears]
    return {"rolename": "hub", "acls": acls}


def _may(what: str, topic: str) -> dict[str, Any]:
    return {"acltype": what, "topic": topic, "priority": 0, "allow": True}


@dataclass(frozen=True, slots=True)
class Access:
    """Where the broker is, and the hub's own key there; `authority` is a certificate in PEM, or "" for trusted ones.

    `retry_s` is how soon a lost connection is tried again, at first and at most.
    """

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    tls: bool = False
    authority: str = ""
    retry_s: tuple[float, float] = RETRY_S

    def client(
        self, name: str, topics: list[str], hear: Callable[[MQTTMessage], None], begin: Callable[[], None] | None = None
    ) -> Client:
        """Return a client that connects on a thread of its own, now and whenever the connection is lost.

        `begin` is called whenever it has connected, before it hears anything.
        """
        client = Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=MQTTv5)
        client.username_pw_set(self.user, self.password)
        if self.tls:
            context = ssl.create_default_context(cadata=self.authority or None)
            context.check_hostname = False  # it is on this machine, whatever name the certificate has
            client.tls_set_context(context)

        def connected(client: Client, _data: Any, _flags: Any, code: Any, _properties: Any) -> None:
            if not code.is_failure:
                if begin is not None:
                    begin()
                client.subscribe([(topic, 1) for topic in topics])

        client.on_connect = connected
        client.on_message = lambda _client, _data, message: hear(message)
        client.reconnect_delay_set(*self.retry_s)  # type: ignore[arg-type]  # it takes parts of a second, too
        client.max_queued_messages_set(100_000)
        client.connect_async(self.host, self.port, KEEPALIVE_S, clean_start=True)
        client.loop_start()
        return client


def close(client: Client) -> None:
    """Leave the broker and end the client's thread."""
    client.disconnect()
    client.loop_stop()
