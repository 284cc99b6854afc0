"""What is mounted where, as the kernel lists it; and USB sticks, by the label that they were given."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

#: The kernel's list for this process, and where udev names each partition by its label.
MOUNTINFO, BY_LABEL = Path("/proc/self/mountinfo"), Path("/dev/disk/by-label")

#: A setting that begins so names a stick: by its label, or by the folder where it is mounted.
STICK = "stick:"


class MissingError(OSError):
    """A place is not there: `code` is absent (nothing is there) or unmounted (the stick is, but nobody mounted it)."""

    def __init__(self, place: str, code: str) -> None:
        self.place, self.code = place, code
        why = "is not mounted" if code == "unmounted" else "is not there"
        super().__init__(f"{place} {why}")


@dataclass(frozen=True, slots=True)
class Mount:
    """A mounted file system: its mount point, kind, source and options."""

    point: Path
    kind: str
    source: str
    options: tuple[str, ...]


def mounts(mountinfo: str) -> list[Mount]:
    """Return what is mounted, in the order of mounting (proc_pid_mountinfo(5))."""
    mounted = []
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) >= 6 and len(right) >= 2:
            point = left[4].encode().decode("unicode_escape")  # a space is written as \040
            options = (*left[5].split(","), *(right[2].split(",") if len(right) > 2 else ()))
            mounted.append(Mount(Path(point), right[0], right[1], options))
    return mounted


def mount_of(path: Path, among: list[Mount]) -> Mount | None:
    """Return the mount that holds that absolute path: of the deepest mount points, the one mounted last."""
    above = [each for each in among if path == each.point or each.point in path.parents]
    return max(above, key=lambda each: len(each.point.parts), default=None) if above else None


def folder_of(place: str) -> Path:
    """Return the folder that a setting names: a folder, `stick:LABEL`, or `stick:/where/it/is/mounted`.

    Raises MissingError where it is not there. A folder is never made, and a stick that nobody has mounted is not
    written to by its mount point, which is then a folder of the card.
    """
    if not place.startswith(STICK):
        if not Path(place).is_dir():
            raise MissingError(place, "absent")
        return Path(place)
    name = place.removeprefix(STICK)
    if not name.startswith("/"):
        return _by_label(name)
    with suppress(OSError):  # an automount waits for somebody to look
        next(Path(name).iterdir(), None)
    if not any(each.point == Path(name) and each.kind != "autofs" for each in _mounted()):
        # An automount without its stick is a folder that nothing can be asked of.
        raise MissingError(name, "unmounted" if os.path.lexists(name) else "absent")
    return Path(name)


def _by_label(label: str) -> Path:
    # udev writes what is no letter, digit or #+-.:=@_/ as \x20.
    written = "".join(c if c.isalnum() or c in "#+-.:=@_" else f"\\x{ord(c):02x}" for c in label)
    link = BY_LABEL / written
    if not link.exists():
        raise MissingError(label, "absent")
    device = os.path.realpath(link)
    for mount in reversed(_mounted()):
        if os.path.realpath(mount.source) == device and mount.kind != "autofs":
            return mount.point
    raise MissingError(label, "unmounted")


def _mounted() -> list[Mount]:
    return mounts(MOUNTINFO.read_text("utf-8", errors="replace"))
