"""Settings that ran soundly are kept, and gone on with where the file of the settings cannot be used any more.

A file is damaged by a power cut while it was written, or by a slip of whoever changed it; at a table without a keyboard
a game with the settings of last time is better than none. On a terminal, without `--last-good`, it is refused.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from companion.board import BadInputError
from companion.logbook.durable import sync
from companion.settings import Settings, load_settings
from companion.wiring.choices import game_of

#: What people are told while the last good settings are in force: a code of TROUBLES.
DAMAGED = "settings"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The settings in force, what people are warned of (codes of TROUBLES), and what to call once they ran soundly."""

    settings: Settings
    warnings: tuple[str, ...] = ()
    keep: Callable[[], None] = lambda: None


def chosen(path: Path | None, last_good: Path | None, changed: Callable[[Settings], Settings]) -> Chosen:
    """Return the file's settings as `changed` has them; where they cannot be used, those that are kept in `last_good`.

    `changed` puts the command line's options in, and raises BadInputError where the settings do not go together. The
    error is raised again where `last_good` is None, or holds none that can be used either. A file of which a power cut
    left nothing would be one of defaults: it counts as damaged, too, where more was kept.
    """
    if last_good is None:
        return Chosen(changed(load_settings(path)))

    def usable(file: Path) -> Settings:
        settings = changed(load_settings(file))
        try:
            game_of(settings)
        except BadInputError as error:
            raise BadInputError(f"{file}: {error}") from None
        return settings

    if path is None:
        raise BadInputError("--last-good goes with --settings, whose settings it keeps; name that file too")
    try:
        settings, text = usable(path), path.read_bytes()
        if not text.strip() and last_good.is_file() and last_good.read_bytes().strip():
            raise BadInputError(f"{path}: is empty; put the settings back, or delete {last_good} to run without any")
    except BadInputError as error:
        try:
            kept = usable(last_good)
        except BadInputError:
            raise error from None
        _log.warning("%s; the last good settings are in force: %s", error, last_good)
        return Chosen(kept, (DAMAGED,))
    return Chosen(settings, keep=lambda: _keep(text, last_good))


def _keep(text: bytes, last_good: Path) -> None:
    """Keep these settings, whole or not at all; those that are kept already are not written again."""
    draft = last_good.with_name(f".{last_good.name}")
    try:
        if last_good.is_file() and last_good.read_bytes() == text:
            return
        draft.write_bytes(text)
        sync(draft)
        draft.replace(last_good)
    except OSError as error:
        _log.warning("%s cannot be written (%s): these settings are not kept", last_good, error.strerror)
