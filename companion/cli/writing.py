"""Files that commands write: whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from companion.board import BadInputError


def write_whole(path: Path, text: str) -> None:
    """Write the file by way of another beside it, so that nobody ever finds half of it; raises BadInputError."""
    target = path.resolve()
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise BadInputError(
            f"cannot write {path}: {error.strerror}; name a file in a folder that can be written"
        ) from None
