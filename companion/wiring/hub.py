"""The table's link to a hub: begun if the settings or a keeper name one. Without a hub, none of this is loaded."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.board import BadInputError, NotNowError
from companion.commands import Command
from companion.keeping import commands_of
from companion.scoreboard import Snapshot
from companion.settings import HubSettings
from companion.system.durable import contents
from companion.web import OfHub

if TYPE_CHECKING:
    from companion.outbox import Post

#: How soon a hub that does not answer is tried again, and the largest picture that is sent as it is.
AGAIN_S, MOST_PICTURE_BYTES = 30.0, 400_000

#: The width of a picture that had to be shrunk, and the quality of its JPEG.
WIDTH_PX, QUALITY = 1280, 80

#: What a hub may ask of a table that obeys it. Corrections and the game's end are for people who see the table.
OBEYED = frozenset({"done", "yes", "accept", "undo", "pause", "resume"})

_log = logging.getLogger(__name__)


class HubLink:
    """Tells the hub what is kept in that folder, until `close`. Any thread may call it."""

    def __init__(
        self,
        folder: Path,
        settings: HubSettings,
        latest: Callable[[], Snapshot],
        submit: Callable[[Command, str], bool] = lambda command, by: False,
    ) -> None:
        self._folder, self._settings, self._latest, self._submit = folder, settings, latest, submit
        self._lock, self._ending = threading.Lock(), threading.Event()
        self._post: Post | None = None
        self._said: tuple[int, bytes] | None = None
        if settings.address and settings.code:
            threading.Thread(target=self._join_by_settings, name="joining", daemon=True).start()
        elif (folder / "hub.json").exists():
            self._begun()

    def now(self) -> OfHub:
        """Return which hub the table belongs to, and how things stand with it."""
        post = self._post
        membership = None if post is None else post.membership
        if post is None or membership is None:
            return OfHub()
        at = f"{membership.host}:{membership.port}"
        return OfHub(membership.called or membership.hub, at, post.is_connected, post.refusal, post.held)

    def join(self, address: str, code: str) -> OfHub:
        """Join the hub at that address, with its pairing code; raises BadInputError and NotNowError."""
        from companion.outbox.membership import join  # noqa: PLC0415

        post = self._begun()
        self._folder.mkdir(parents=True, exist_ok=True)
        post.belong(join(address, code, self._name(), post.membership))
        return self.now()

    def leave(self) -> None:
        """Belong to no hub any more."""
        if self._post is not None:
            self._post.belong(None)

    def wake(self) -> None:
        """Say that something was written into the logbook."""
        if self._post is not None:
            self._post.wake()

    def close(self) -> None:
        """Say that the table is gone, and end."""
        self._ending.set()
        if self._post is not None:
            self._post.close()

    def _begun(self) -> Post:
        # The code that talks to a broker is loaded only if there is one.
        from companion.outbox import Place, Post  # noqa: PLC0415

        with self._lock:
            if self._post is None:
                obey = self._obey if self._settings.obeys else None
                self._post = Post(Place(self._folder), self._standing, shrunk, obey=obey)
            return self._post

    def _obey(self, what: str, by: str) -> None:
        """Pass on what the hub asks for, if it may ask for that; everybody at the table reads who asked."""
        if what not in OBEYED:
            _log.warning("the hub asks this table for something that it may not: %.40r", what)
            return
        for command in commands_of(what, {}, self._latest().board):
            self._submit(command, by)

    def _standing(self) -> bytes:
        from companion.outbox.letters import standing  # noqa: PLC0415

        latest = self._latest()
        if self._said is None or self._said[0] != latest.number:
            self._said = latest.number, standing(latest, self._name())
        return self._said[1]

    def _name(self) -> str:
        return self._settings.name or os.uname().nodename[:40]

    def _join_by_settings(self) -> None:
        """Join the hub that the settings name, unless the table has joined it with that code already."""
        post = self._begun()
        kept, code = post.membership, "".join(self._settings.code.split()).upper()
        if kept is not None and kept.code == code:
            return
        while not self._ending.is_set():
            try:
                self.join(self._settings.address, code)
                return
            except NotNowError as error:
                _log.info("the hub is tried again: %s", error)
                self._ending.wait(AGAIN_S)
            except BadInputError as error:
                _log.warning("the hub that the settings name is not joined: %s", error)
                return


def shrunk(path: Path) -> bytes:
    """Return a picture as JPEG, made smaller if it is large; raises OSError."""
    content = contents(path)
    if len(content) <= MOST_PICTURE_BYTES:
        return content
    import cv2  # noqa: PLC0415
    import numpy as np  # noqa: PLC0415

    from companion.system.pictures import is_sane, jpeg  # noqa: PLC0415

    image: Any = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR) if is_sane(content) else None
    if image is None:
        return b""
    scale = min(1.0, WIDTH_PX / image.shape[1])
    return jpeg(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), QUALITY)
