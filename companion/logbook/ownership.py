"""Root steps down before it works in a folder that is another user's, who may have laid links there."""

from __future__ import annotations

import os
import pwd
from itertools import chain
from pathlib import Path


def become_owner_of(folder: Path) -> None:
    """Where root runs this, and the folder is another user's, or lies in one's, go on as that user for good.

    Raises OSError. Nothing else changes who this is.
    """
    if os.geteuid() != 0:
        return
    owner = _owner_of(folder)
    if owner is None:
        return
    user, group = owner
    try:
        known = pwd.getpwuid(user)
    except KeyError:
        os.setgroups([group])
    else:
        group = known.pw_gid
        os.initgroups(known.pw_name, group)
    os.setgid(group)
    os.setuid(user)


def _owner_of(folder: Path) -> tuple[int, int] | None:
    """Return user and group of the first that is not root's: the folder, what a link to it is, what they lie in."""
    whole = folder.absolute()
    for place in chain.from_iterable((each, Path(os.path.realpath(each))) for each in (whole, *whole.parents)):
        try:
            found = place.lstat()
        except OSError:
            continue  # it is not there yet
        if found.st_uid != 0:
            return found.st_uid, found.st_gid
    return None
