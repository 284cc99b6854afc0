"""HTTPS as the settings ask for it: the certificate that is shown, kept up to date while the companion runs."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from companion.board import BadInputError
from companion.settings import WebSettings
from companion.web import Trust

if TYPE_CHECKING:
    from companion.certificates import GivenCertificate, OwnCertificate

#: How often it is looked at: a table that is given another address has a certificate for it so soon.
LOOK_S = 20.0

_log = logging.getLogger(__name__)


def certificate_of(
    web: WebSettings, folder: Path | None, names: Callable[[], Iterable[str]]
) -> OwnCertificate | GivenCertificate | None:
    """Return what is shown; None where HTTPS is off, or where no certificate can be kept. `folder` holds the data.

    Raises BadInputError where none is kept at all, and for files that cannot be used.
    """
    if web.https == "off":
        return None
    # What makes certificates takes its time to load, and most tables have none.
    from companion.certificates import GivenCertificate, OwnCertificate  # noqa: PLC0415

    if web.https == "files":
        return GivenCertificate(Path(web.certificate), Path(web.key))
    if folder is None:
        raise BadInputError('web.https is "own", and a drawn table keeps no certificate; name logbook.folder too')
    try:
        return OwnCertificate(folder, names, socket.gethostname().lower())
    except OSError as error:
        _log.warning("%s keeps no certificate (%s): there is no HTTPS", folder, error.strerror or error)
        return None


def keep_up(certificate: OwnCertificate | GivenCertificate, ending: threading.Event) -> None:
    """Renew it in time, on a thread of its own until `ending`."""

    def look() -> None:
        while not ending.wait(LOOK_S):
            try:
                certificate.renew()
            except Exception:  # there is always a next time, and the old one is good for months
                _log.exception("the certificate cannot be renewed")

    threading.Thread(target=look, name="certificate", daemon=True).start()


def trust_in(certificate: OwnCertificate | GivenCertificate | None, port: int | None) -> Trust | None:
    """Return what phones must trust; None where nothing is shown, or where others vouch for it."""
    from_others = certificate is None or certificate.authority is None
    if certificate is None or port is None or from_others:
        return None
    return Trust(str(certificate.called), certificate.authority or b"", str(certificate.fingerprint), port)
