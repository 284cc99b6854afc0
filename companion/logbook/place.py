"""Where the logbook lies."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from companion.board import BadInputError

#: What names the folder to every command and to the service.
VARIABLE = "STRADA_DATA"


def data_folder(named: Path | None = None, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of the logbook: the one named, else that of STRADA_DATA, else `strada` among the user's data.

    The latter as the XDG base directories say: XDG_DATA_HOME, else ~/.local/share. Raises BadInputError without a home.
    """
    if named is not None:
        return named
    if folder := environment.get(VARIABLE):
        return Path(folder)
    shared = environment.get("XDG_DATA_HOME", "")
    if Path(shared).is_absolute():
        return Path(shared) / "strada"
    home = environment.get("HOME", "")
    if not Path(home).is_absolute():
        raise BadInputError(f"there is no home folder to keep the logbook in; name one with {VARIABLE}")
    return Path(home) / ".local" / "share" / "strada"
