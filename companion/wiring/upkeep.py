"""What keepers are told beside the game, in the doctor's own words: the copies off the machine, and newer versions."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from companion.doctor import Grade
from companion.doctor.books import away, newer
from companion.settings import Settings
from companion.system.news import own_version
from companion.web.backend import Found


def upkeep_of(settings: Settings, folder: Path | None) -> list[Found]:
    """Return what the settings asked for: when the last copy off the machine was made, or what went wrong; a newer
    version that is out. Nothing is asked of anybody else: two small files are read.
    """
    if folder is None:
        return []
    found = []
    if settings.backup.to:
        found.append(("away", away(settings.backup.to, folder, datetime.now(UTC))))
    if settings.updates.feed and (news := newer(settings.updates.feed, folder, own_version())).grade is not Grade.OK:
        found.append(("news", news))
    return [Found(check, each.code, each.facts, each.grade is Grade.TODO) for check, each in found]
