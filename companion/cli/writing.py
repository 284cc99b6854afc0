"""Files that commands write: whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from companion import durable
from companion.board import BadInputError


def refuse_out(out: Path, force: bool) -> None:
    """Raise BadInputError where the file cannot be written, or would lie over another without `force`."""
    if out.exists() and not out.is_file():
        raise BadInputError(f"{out} is no file; name another for --out")
    if out.exists() and not force:
        raise BadInputError(f"{out} is there already; name another file, or write over it with --force")
    folder = out.absolute().parent
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise BadInputError(f"{out} cannot be written, as there is no folder {folder} to write in; name another file")


def write_whole(path: Path, content: str | bytes | Iterator[bytes]) -> None:
    """Write the file, chunk by chunk where it comes so; raises BadInputError.

    Nobody ever finds half of it, after a power cut neither. Where the path is a link, what it leads to is written.
    """
    whole = content.encode() if isinstance(content, str) else content
    try:
        durable.write_whole(path.resolve(), whole, mark=str(os.getpid()))
    except OSError as error:
        raise BadInputError(
            f"cannot write {path}: {error.strerror}; name a file in a folder that can be written"
        ) from None
