"""Which hub a table belongs to: kept in `hub.json` among its data, which nobody else may read; and how it joins one.

A pairing code is shown on the hub's screen. Whoever enters it is told where the hub's messages go, as whom, and with
which key.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from companion.board import BadInputError, NotNowError
from companion.board.fields import mapping
from companion.system import durable

FILE = "hub.json"

#: How long a hub may take to answer, and how much it may say.
ANSWER_S, MOST_BYTES = 8.0, 64 * 1024

#: What a pairing code looks like, however people write it down: no letter or digit that could be taken for another one.
CODE = re.compile(r"[2-9A-HJ-NP-Z]{4}-?[2-9A-HJ-NP-Z]{4}")

_ID = re.compile(r"[0-9a-f-]{8,36}")


@dataclass(frozen=True, slots=True)
class Membership:
    """Where a table's messages go, as whom, and with which key; `book` is the story that it tells (outbox.line).

    `authority` is a certificate in PEM that must have signed the broker's; "" for those that the machine trusts.
    `address` is the hub's address that gave this membership.
    """

    hub: str
    called: str
    table: str
    key: str
    host: str
    port: int
    tls: bool = False
    authority: str = ""
    book: int = 1
    code: str = ""
    address: str = ""

    def topic(self, what: str) -> str:
        """Return where this table says or hears that: event, state, ack, ask or picture."""
        return f"strada/{self.hub}/{self.table}/{what}"


@dataclass(frozen=True, slots=True)
class Place:
    """Keeps the membership in a folder. Raises NotNowError if that cannot be written."""

    folder: Path

    def read(self) -> Membership | None:
        """Return the membership; None if the table belongs to no hub, or if what is kept is no membership."""
        try:
            kept = durable.private(self.folder / FILE, MOST_BYTES)
            return None if kept is None else membership_from(json.loads(kept))
        except (OSError, ValueError, RecursionError, BadInputError):
            return None

    def keep(self, membership: Membership) -> None:
        """Keep it; on return it is on the disk."""
        try:
            text = json.dumps(asdict(membership), indent=1).encode()
            durable.write_whole(self.folder / FILE, text, mode=0o600)
        except OSError as error:
            raise NotNowError(f"{self.folder / FILE} cannot be written ({error.strerror})", "hub-not-kept") from None

    def turn_to(self, book: int) -> None:
        """Note that the table tells that story from now on."""
        kept = self.read()
        if kept is not None and kept.book != book:
            self.keep(replace(kept, book=book))

    def leave(self) -> None:
        """Belong to no hub any more."""
        try:
            (self.folder / FILE).unlink(missing_ok=True)
        except OSError as error:
            raise NotNowError(f"{self.folder / FILE} cannot be deleted ({error.strerror})", "hub-not-kept") from None


def membership_from(plain: object) -> Membership:
    """Return the membership in plain JSON values; raises BadInputError for anything else."""
    value = mapping(plain, "a membership")
    wanted = {each.name: each.type for each in fields(Membership)}
    types: Mapping[str, type] = {"str": str, "int": int, "bool": bool}
    for name, kind in wanted.items():
        if name in value and type(value[name]) is not types[str(kind)]:
            raise BadInputError(f"{name} of a membership is {value[name]!r:.40}")
    try:
        membership = Membership(**{name: value[name] for name in wanted if name in value})
    except TypeError as error:
        raise BadInputError(f"what the hub said is not a membership ({error})") from None
    if not (_ID.fullmatch(membership.hub) and _ID.fullmatch(membership.table) and 0 < membership.port < 65536):
        raise BadInputError("what the hub said is not a membership: its names are odd")
    return membership


def join(address: str, code: str, name: str, before: Membership | None = None) -> Membership:
    """Return the membership that the hub at that address gives for its pairing code.

    `before` is the membership that the table had: if that address gave it, the table stays the same one at that hub. No
    other hub is told its key. Raises BadInputError for an invalid address or code, or one that the hub refuses;
    NotNowError if nobody answers.
    """
    scheme, host, port = _address(address)
    asked_at = f"{scheme}://{host}:{port}"
    pairing = "".join(code.split()).upper()
    if not CODE.fullmatch(pairing):
        raise BadInputError("a pairing code has eight letters and digits, such as K7RM-2XQP", "hub-code")
    asked: dict[str, Any] = {"code": pairing, "name": name}
    if before is not None and before.address == asked_at:
        asked |= {"table": before.table, "key": before.key}
    status, said = _asked(scheme, host, port, json.dumps(asked).encode())
    if status != 201:
        raise BadInputError(f"the hub at {address} says: {said.get('message', status)}", "hub-refused")
    broker = mapping(said.get("broker"), "the broker")
    told = {
        "hub": said.get("hub"), "called": said.get("called"), "table": said.get("table"), "key": said.get("key"),
        "host": broker.get("host") or host, "port": broker.get("port"), "tls": broker.get("tls", False),
        "authority": broker.get("authority", ""), "code": pairing, "address": asked_at,
    }  # fmt: skip
    membership = membership_from(told)
    is_same = before is not None and (before.hub, before.table) == (membership.hub, membership.table)
    return replace(membership, book=before.book) if is_same and before is not None else membership


def _address(address: str) -> tuple[str, str, int]:
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        port, host = parts.port, parts.hostname
    except ValueError:
        port, host = None, None
    is_plain = host and parts.path in ("", "/") and not (parts.query or parts.fragment or parts.username)
    if not is_plain or parts.scheme not in ("http", "https") or host is None:
        raise BadInputError(f"{address!r:.80} is not a hub's address, such as http://hub.local:8700", "hub-address")
    return parts.scheme, host, port or (443 if parts.scheme == "https" else 8700)


def _asked(scheme: str, host: str, port: int, body: bytes) -> tuple[int, Mapping[str, Any]]:
    """Ask once, follow no redirects, and read no more than a little."""
    connection: http.client.HTTPConnection
    if scheme == "https":
        connection = http.client.HTTPSConnection(host, port, timeout=ANSWER_S, context=ssl.create_default_context())
    else:
        connection = http.client.HTTPConnection(host, port, timeout=ANSWER_S)
    shown = f"[{host}]" if ":" in host else host
    headers = {"Content-Type": "application/json", "X-Strada": "1", "Origin": f"{scheme}://{shown}:{port}"}
    try:
        connection.request("POST", "/pair", body, headers | {"Host": f"{shown}:{port}"})
        answer = connection.getresponse()
        return answer.status, mapping(json.loads(answer.read(MOST_BYTES)), "the hub's answer")
    except (OSError, http.client.HTTPException, socket.gaierror) as error:
        wrong = getattr(error, "strerror", None) or type(error).__name__
        raise NotNowError(f"no hub answers at {host}, port {port} ({wrong})", "hub-unreachable") from None
    except (ValueError, RecursionError):
        raise BadInputError(f"what answers at {host}, port {port}, is not a hub", "hub-refused") from None
    finally:
        connection.close()
