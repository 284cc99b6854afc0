"""A server under TLS for tests, and a client that trusts only its table."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Flask

from companion.certificates import OwnCertificate
from companion.scoreboard import Scoreboard
from companion.web import Encrypted, Server


@contextmanager
def encrypted(
    app: Flask, scoreboard: Scoreboard, streams: int, folder: Path
) -> Iterator[tuple[Server, ssl.SSLContext]]:
    """Serve the application on both ports; yield the server and a context that trusts only the table's authority."""
    own = OwnCertificate(folder, lambda: ("localhost", "127.0.0.1"), "strada")
    server = Server(app, scoreboard, streams, "127.0.0.1", 0, Encrypted(0, own))
    try:
        yield server, ssl.create_default_context(cadata=own.authority.decode())
    finally:
        server.close()
