"""The game at the table and its logbook as pages and button reach them, and what is shown while there is none.

Its times are in a file beside the logbook, so that a restart loses none of them.
"""

from __future__ import annotations

import json
import logging
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.board import BadInputError, NotNowError, Reading, player_color
from companion.board.fields import mapping, text
from companion.commands import Command, NamePlayers, StartGame
from companion.events import Event
from companion.logbook import Logbook
from companion.logbook.archive import opened_archive
from companion.logbook.backup import LastCopy, last_copy
from companion.logbook.people import Note
from companion.logbook.restoring import decide
from companion.records.record import Recorder, record_to_text
from companion.scoreboard import Kept, Notice, Snapshot, Words
from companion.service import Service
from companion.session import State
from companion.settings import Settings
from companion.system.durable import contents, write_whole
from companion.system.notify import Heartbeat
from companion.web import Download, Picture
from companion.wiring.choices import kept_in
from companion.words import LANGUAGES, Voice

if TYPE_CHECKING:
    from calibration import TableFolder
    from companion.wiring.cameras import CameraOverlay


class CurrentGame:
    """How pages and button reach the game at the table while the loop runs. Any thread may call all but `hear`."""

    def __init__(self) -> None:
        self._service: Service | None = None
        self._overlay: CameraOverlay | None = None
        self._recorder = Recorder()

    def begin(self, service: Service, events: Sequence[Event]) -> None:
        """Reach that loop from now on; these events are its game so far."""
        # Vision is loaded only once people see where they were: that takes as long as everything else together.
        from companion.wiring.cameras import CameraOverlay  # noqa: PLC0415

        self.hear(events)
        self._overlay, self._service = self._overlay or CameraOverlay(), service

    def end(self) -> None:
        """Reach no loop any more; its record stays."""
        self._service = None

    @property
    def game(self) -> StartGame | None:
        """The game that the loop would deal next; None without one."""
        return None if self._service is None else self._service.game

    def submit(self, command: Command, by: str) -> bool:
        """Ask for something; False if too much is waiting already, or if there is no loop."""
        return self._service is not None and self._service.submit(command, by)

    def press(self) -> None:
        """Press the table's button."""
        if self._service is not None:
            self._service.press()

    def warn(self, *codes: str) -> None:
        """Say what is wrong elsewhere, by codes of TROUBLES."""
        if self._service is not None:
            self._service.warn(*codes)

    def stop(self) -> None:
        """Ask the loop to end."""
        if self._service is not None:
            self._service.stop()

    def hear(self, events: Sequence[Event]) -> None:
        """Take down what happened."""
        self._recorder.hear(events)

    def record(self) -> Download | None:
        """Return the game so far; None before the first deal."""
        record = self._recorder.record
        if record is None:
            return None
        return Download(f"strada-{record.rule_set.name}-{len(record.moves)}-moves.json", record_to_text(record))

    def reading(self) -> Reading | None:
        """Return what was read last; None before the first."""
        sight = None if self._service is None else self._service.last_read
        return None if sight is None else sight.reading

    def picture(self) -> Picture | None:
        """Return the newest picture with what was read in it; None before the first."""
        service, overlay = self._service, self._overlay
        return None if service is None or overlay is None else overlay.picture(service)


class CurrentBooks:
    """The logbook as pages reach it. Any thread may call it, except for `opened`, which belongs to the loop's.

    `kept` is the folder where it is kept, None if it is deleted when the companion ends; `folder` is where it is now,
    None before it is first opened. `begin_anew` ends the loop, so that the logbook is opened again.
    """

    def __init__(self, settings: Settings, begin_anew: Callable[[], None]) -> None:
        self.kept = self.folder = kept_in(settings)
        self._settings, self._begin_anew = settings.logbook, begin_anew
        self._logbook: Logbook | None = None

    def opened(self, stack: ExitStack, heart: Heartbeat, table: TableFolder | None) -> Logbook:
        """Open it until the stack is left.

        What happens at a drawn table is kept only for as long as it is drawn, unless the settings name a folder. Raises
        BadInputError for a logbook that another companion writes, or that is not ours.
        """
        self.folder = self.kept or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strada-logbook-")))
        stack.callback(setattr, self, "_logbook", None)
        self._logbook = stack.enter_context(
            Logbook(
                self.folder,
                "" if table is None else str(table.path.resolve()),
                encode=_encoded,
                picture_bytes=self._settings.pictures_mb * 1024**2,
                picture_days=self._settings.pictures_days,
                beat=lambda: heart.beat("writer"),
                progress=lambda: heart.progress("writer"),
            )
        )
        return self._logbook

    def forget(self, game: int, pictures_only: bool) -> None:
        """Delete a game, or only its pictures; raises NotNowError while the logbook is not open."""
        self._open("not-deleted").forget(game, pictures_only=pictures_only)

    def note(self, note: Note, who: str) -> None:
        """Write down a note about people, and who made it; raises NotNowError while the logbook is not open."""
        self._open("not-noted").note_of_people(note, who)

    def last_copy(self) -> LastCopy | None:
        """Return the copy that may hold more, after a loss; None for none."""
        return None if self._logbook is None or self.folder is None else last_copy(self.folder)

    def bring_back(self, copy: LastCopy) -> None:
        """Make that copy the logbook, and go on with it: when the logbook is opened again, the copy takes its place."""
        if self.folder is None or self._logbook is None:
            raise NotNowError("nothing is restored, as Strada is getting ready; try again in a minute", "not-restored")
        try:
            decide(self.folder, copy.path)
        except OSError as error:
            wrong = f"nothing is restored, as {self.folder} cannot be written ({error}); see strada doctor"
            raise NotNowError(wrong, "not-restored") from None
        self._begin_anew()

    def _open(self, code: str) -> Logbook:
        """Return the open logbook; raises NotNowError of that code while there is none."""
        if self._logbook is None:
            raise NotNowError("nothing is changed, as Strada is getting ready; try again in a minute", code)
        return self._logbook


def _encoded(image: Any) -> bytes:
    # OpenCV is loaded with the first picture: people see where they were long before.
    from companion.system.pictures import jpeg  # noqa: PLC0415

    return jpeg(image)


def getting_ready(is_learning: bool = True) -> Snapshot:
    """Return what is shown before a game can go on; `is_learning`: what the pieces look like is learnt meanwhile."""

    def said(voice: Voice) -> Words:
        title, sentence = voice.getting_ready()
        return Words(Notice("start", title, (sentence,) if is_learning else ()))

    return _saying(said)


def without_table(*codes: str) -> Snapshot:
    """Return what is shown while the companion waits for a table; `codes`, of TROUBLES, say what is wrong."""
    return _saying(lambda voice: Words(warning=" · ".join(voice.trouble(code) for code in codes if code)))


def _saying(said: Callable[[Voice], Words]) -> Snapshot:
    words = {language: said(Voice(language=language)) for language in LANGUAGES}
    return Snapshot(words=words).saying(words["en"])


def called_now(folder: Path, state: State) -> NamePlayers | None:
    """Return what gives the players of the logbook's newest game, which goes on from that state, their current names.

    None if they have them already, or if the logbook cannot be read.
    """
    with suppress(BadInputError), opened_archive(folder) as archive:
        if state.game is not None and archive.count():
            players = archive.people.seated(archive.game("last").number, state.game.players)
            return None if players == state.game.players else NamePlayers(players)
    return None


def with_next(state: State, fits: Callable[[StartGame], StartGame]) -> State:
    """Return the state with its next game fitted to this table; a game in progress stays as it was dealt."""
    if state.game is None or not (state.position is None or state.position.over):
        return state
    return replace(state, game=fits(state.game))


#: The name of the file with the times, and how long it is at most.
FILE, MOST_BYTES = "turn-clock.json", 4096

#: Nobody plays for longer: a month.
MOST_S = 31 * 24 * 3600.0

_log = logging.getLogger(__name__)


class KeptTimes:
    """Keeps the times in that folder; if it cannot be written, a restart begins them again."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._has_failed = False

    def read(self) -> Kept | None:
        """Return what was kept; None for nothing, or if it is damaged."""
        try:
            kept = mapping(json.loads(contents(self._path, MOST_BYTES)), FILE)
            totals = mapping(kept.get("totals_s"), "totals_s")
            return Kept(
                text(kept, "game", "a word for a game"),
                {player_color(name): _seconds(each) for name, each in totals.items()},
            )
        except (OSError, ValueError, RecursionError):
            return None

    def write(self, kept: Kept | None) -> None:
        """Keep that; None: forget what was kept."""
        try:
            if kept is None:
                self._path.unlink(missing_ok=True)
                return
            totals = {str(color): round(each, 1) for color, each in kept.totals_s.items()}
            write_whole(self._path, json.dumps({"game": kept.game, "totals_s": totals}).encode())
        except OSError as error:
            if not self._has_failed:
                _log.warning("%s cannot be written (%s): a restart begins the times anew", self._path, error.strerror)
            self._has_failed = True


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_S:
        raise BadInputError(f"{FILE}: {value!r:.40} is not a time that anybody plays")
    return float(value)
