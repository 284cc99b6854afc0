"""What several commands share: options, one-line complaints, files that are written completely or not at all."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TypeVar

import click

from companion.board import BadInputError
from companion.logbook.folder import VARIABLE, data_folder
from companion.settings import Settings, load_settings
from companion.system import durable
from companion.words import LANGUAGES, language_of

#: The type of arguments and options that name a file or a folder, whether it exists or not.
PATH = click.Path(path_type=Path)

#: The service's settings: commands about the whole machine use them if no others are named.
SETTINGS = Path("/etc/strada/strada.toml")
#: The file in which the service keeps the settings that it last ran soundly with.
LAST_GOOD = Path("/var/lib/strada/settings.last-good.toml")

#: `--lang`: a command's argument `language`, one of LANGUAGES; without it, what the environment asks for.
language_option = click.option(
    "--lang",
    "--language",
    "language",
    type=click.Choice(LANGUAGES),
    default=lambda: language_of(os.environ),
    help="The language to speak; else that of the environment (LC_ALL, LC_MESSAGES, LANG), or English.",
)

#: `--data`: a command's argument `data`, the logbook's folder; for companion.logbook.data_folder, None as well.
data_option = click.option(
    "--data",
    metavar="FOLDER",
    type=PATH,
    help=f"The logbook's folder; else that of {VARIABLE}, else `strada` among your data (~/.local/share).",
)

#: `--settings`: a command's argument `path`, for `own_settings`.
settings_option = click.option(
    "--settings",
    "path",
    type=PATH,
    help=f"The companion's settings file; else {SETTINGS}, where there is one.",
)


#: A complaint has no more characters than this.
MOST_SAID = 1000


def one_line(complaint: str) -> str:
    """Return it as one harmless line for a terminal: names in files may hold control sequences, or be endless."""
    line = "".join(letter if letter.isprintable() else "?" for letter in " ".join(complaint.split()))
    return line if len(line) <= MOST_SAID else f"{line[:MOST_SAID]} ..."


Read = TypeVar("Read")


def in_record(path: Path | str, read: Callable[[str], Read]) -> Read:
    """Return what `read` makes of the text of a game record; raises BadInputError, which names the file."""
    try:
        return read(durable.contents(Path(path)).decode())
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror}; give the path of a game record") from None
    except UnicodeDecodeError:
        raise BadInputError(f"{path}: this is not UTF-8 text; a game record is one JSON object") from None
    except BadInputError as error:
        raise BadInputError(f"{path}: {error}") from None


def question_marks() -> None:
    """Let a character that the terminal cannot show become "?"."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def own_settings(path: Path | None) -> Path | None:
    """Return the settings file of a command about the whole machine: the service's unless another is named."""
    return SETTINGS if path is None and SETTINGS.exists() else path


def settings_in_force(path: Path | None) -> Settings:
    """Return the settings of a command that goes beyond this machine; raises BadInputError if they are damaged.

    The last good ones do not count here: the companion may write them, so whoever took it over could choose where to.
    """
    return load_settings(own_settings(path))


def folder_of(settings: Settings, data: Path | None) -> Path | None:
    """Return the logbook's folder; None for a drawn table, which keeps none."""
    named = data or (Path(settings.logbook.folder) if settings.logbook.folder else None)
    return None if named is None and settings.camera.kind == "virtual" else data_folder(named)


def refuse_out(out: Path, force: bool) -> None:
    """Raise BadInputError if the file cannot be written, or would replace another without `force`."""
    if out.exists() and not out.is_file():
        raise BadInputError(f"{out} is not a file; name another for --out")
    if out.exists() and not force:
        raise BadInputError(f"{out} is there already; name another file, or write over it with --force")
    folder = out.absolute().parent
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise BadInputError(f"{out} cannot be written, as there is no folder {folder} to write in; name another file")


def write_whole(path: Path, content: str | bytes | Iterator[bytes]) -> None:
    """Write the file, chunk by chunk if it comes in chunks; raises BadInputError.

    Nobody ever finds half of it, even after a power cut; half-written drafts of killed processes beside it are deleted.
    If the path is a link, its target is written.
    """
    whole = content.encode() if isinstance(content, str) else content
    target = path.resolve()
    try:
        with suppress(OSError):  # they only take room
            _forget_drafts(target)
        durable.write_whole(target, whole, mark=str(os.getpid()))
    except OSError as error:
        raise BadInputError(
            f"cannot write {path}: {error.strerror}; name a file in a folder that can be written"
        ) from None


def _forget_drafts(target: Path) -> None:
    """Remove the drafts of that file whose processes are gone; raises OSError."""
    draft = re.compile(rf"\.{re.escape(target.name)}\.([1-9]\d{{0,8}})")
    for beside in target.parent.iterdir():
        if (named := draft.fullmatch(beside.name)) and not _is_there(int(named[1])):
            beside.unlink(missing_ok=True)


def _is_there(process: int) -> bool:
    """Whether a process of that number runs, whoever owns it."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
