"""What the companion, which is not root, asks for and is told about updates: files in a folder of its own.

`wanted` is the request: systemd sees it (strada-update.path), lets strada-fetch.service look and fetch, and then lets
strada-update.service install. Once the package is there, as `candidate.deb` and `candidate.deb.sig`, the request is
renamed to `ready`, so that one that comes meanwhile is never taken for it. `offer.json` is what was found the last
time.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from companion.board import BadInputError
from companion.system.durable import contents, write_whole
from companion.system.news import is_newer
from companion.updates.looking import Offer, fetch, look

#: The folder, where the service keeps its data; the units name it.
FOLDER = Path("/var/lib/strada/update")

WANTED, READY, NOTE, PACKAGE = "wanted", "ready", "offer.json", "candidate.deb"
SIGNATURE = f"{PACKAGE}.sig"

#: What a request says: to look, or to install a version.
LOOK, INSTALL = "look", "install"

#: No request and no note is larger.
MOST_BYTES = 4096


@dataclass(frozen=True, slots=True)
class LastLook:
    """The last look: where, when (UTC), the newest version that is signed ("": none), or why that is not known."""

    feed: str = ""
    key: str = ""
    at: str = ""
    version: str = ""
    why: str = ""


class Desk:
    """Takes requests, and does those that need no root. `own` is the running version."""

    def __init__(self, folder: Path, feed: str, key: str, own: str, architecture: str) -> None:
        self.folder, self._feed, self._key, self._own, self._architecture = folder, feed, key, own, architecture

    @property
    def is_waiting(self) -> bool:
        """Whether something was asked for and is not done yet."""
        return (self.folder / WANTED).exists() or (self.folder / READY).exists()

    def last_look(self) -> LastLook:
        """Return what the last look found, if it was at the place and for the key that the settings name now."""
        with suppress(OSError, ValueError, TypeError, RecursionError):
            last = LastLook(**json.loads(contents(self.folder / NOTE, MOST_BYTES)))
            is_of_now = (last.feed, last.key) == (self._feed, self._key)
            if is_of_now and all(isinstance(each, str) for each in asdict(last).values()):
                return last
        return LastLook(self._feed, self._key)

    @property
    def offered(self) -> str:
        """The version that may be installed: signed, and newer than what runs; "" for none."""
        version = self.last_look().version
        return version if version and is_newer(version, self._own) else ""

    def ask_to_look(self) -> None:
        """Ask for a look; raises OSError."""
        self._ask(LOOK)

    def ask_to_install(self, version: str) -> None:
        """Ask for that version, which is on offer; raises OSError, and BadInputError if it is not."""
        if not version or version != self.offered:
            raise BadInputError(f"version {version:.40} is not on offer; look for updates once more")
        self._ask(f"{INSTALL} {version}")

    def _ask(self, what: str) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(self.folder / WANTED, f"{what}\n".encode(), 0o600)

    def look(self, now: datetime) -> LastLook:
        """Look, and note what was found; raises OSError if it cannot be noted."""
        return self._looked(now)[0]

    def serve(self, now: datetime) -> LastLook | None:
        """Do what was asked for, as far as it needs no root; None if nothing was.

        A request to install becomes ready for root if the package is there and is what was signed. Raises OSError if
        nothing can be written.
        """
        try:
            asked = contents(self.folder / WANTED, MOST_BYTES).decode("ascii", "replace").split()
        except FileNotFoundError:
            return None
        last = LastLook()
        (self.folder / READY).unlink(missing_ok=True)  # left over from a power cut
        try:
            last, offer = self._looked(now)
            if offer is not None and asked == [INSTALL, offer.release.version]:
                self._fetch(offer)
                (self.folder / WANTED).rename(self.folder / READY)
            elif asked[:1] == [INSTALL] and not last.why:
                self._note(last, "the version that was asked for is not there any more")
        except (OSError, BadInputError) as error:
            last = self._note(last, (isinstance(error, OSError) and error.strerror) or str(error))
        finally:
            (self.folder / WANTED).unlink(missing_ok=True)
        return last

    def _looked(self, now: datetime) -> tuple[LastLook, Offer | None]:
        last, offer = LastLook(self._feed, self._key, now.astimezone(UTC).isoformat(timespec="seconds")), None
        try:
            offer = look(self._feed, self._key, self._architecture)
        except (OSError, BadInputError) as error:
            return self._note(last, (isinstance(error, OSError) and error.strerror) or str(error)), None
        version = "" if offer is None else offer.release.version
        return self._note(LastLook(last.feed, last.key, last.at, version)), offer

    def _note(self, last: LastLook, why: str = "") -> LastLook:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        noted = LastLook(last.feed, last.key, last.at, last.version, why[:400])
        write_whole(self.folder / NOTE, json.dumps(asdict(noted)).encode(), 0o600)
        return noted

    def _fetch(self, offer: Offer) -> None:
        (self.folder / SIGNATURE).unlink(missing_ok=True)
        fetch(offer, self.folder / PACKAGE)
        write_whole(self.folder / SIGNATURE, offer.signature, 0o600)
