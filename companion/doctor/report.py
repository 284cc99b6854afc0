"""What a bug report needs to know about a machine: versions, settings, figures. Nothing in it is anybody's own words.

Text leaves the house without names, addresses, PINs and places; numbers stay as they are. Whatever is known to be
personal is taken out wherever it is, and so is whatever looks personal.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from companion.board import BadInputError
from companion.doctor.machine import Machine
from companion.logbook.backup import pictures, tables
from companion.logbook.opening import FILE, copies, files_of, opened_to_read
from companion.logbook.schema import VERSION
from companion.settings import Settings
from companion.system.durable import contents
from companion.system.news import own_version

#: The packages whose versions matter.
PACKAGES = (
    *("numpy", "opencv-python-headless", "opencv-python", "flask", "flask-babel", "babel", "click", "waitress"),
    *("gpiozero", "lgpio", "rpi-lgpio", "picamera2", "segno"),
)

#: The texts of settings that are one of a few words, and so say nothing about anybody; of the others, it is only told
#: that they are set.
PLAIN_TEXTS = {"rules": ("standard", "two-player", "danger"), "host": ("0.0.0.0", "127.0.0.1", "::", "localhost")}

#: What an identifier of ours looks like; anything else in the logbook's columns is not told.
_OURS = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,40}")

#: How many of the newest pictures are counted.
COUNTED = 200


def versions(machine: Machine) -> dict[str, Any]:
    """Return which program runs on which machine; the machine's name is left out."""
    system = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', machine.read("/etc/os-release") or "", re.MULTILINE))
    memory = re.search(r"MemTotal:\s+(\d+)", machine.read("/proc/meminfo") or "")
    packages = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            packages[name] = version(name)
    return {
        "strada": own_version(),
        "schema": VERSION,
        "python": platform.python_version(),
        "system": system.get("PRETTY_NAME", ""),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "pi": machine.pi,
        "processors": os.cpu_count(),
        "memory_mb": int(memory[1]) // 1024 if memory else None,
        "packages": packages,
    }


def settings_told(settings: Settings) -> dict[str, Any]:
    """Return each setting: numbers, switches and words of a list as they are, of all else only whether it is set."""
    usual = Settings()
    names = [each.name for each in fields(settings)]
    return {name: dict(_told(getattr(settings, name), getattr(usual, name))) for name in names}


def _told(section: Any, usual: Any) -> Iterator[tuple[str, object]]:
    for key in fields(section):
        value = getattr(section, key.name)
        is_plain = isinstance(value, bool | int | float) or "words" in key.metadata
        if is_plain or value in PLAIN_TEXTS.get(key.name, ()):
            yield key.name, value
        elif key.name in ("players", "trusted_hosts", "first_days"):
            yield key.name, len(value)
        else:
            yield key.name, "as usual" if value == getattr(usual, key.name) else "set"


def figures(folder: Path) -> dict[str, Any]:
    """Return what is counted in the logbook and in what was read: no row of it, no text that people wrote."""
    told: dict[str, Any] = {"files": _files(folder)}
    try:
        with opened_to_read(folder) as connection:
            told |= _counted(connection)
    except (BadInputError, sqlite3.Error) as error:
        told["logbook"] = f"cannot be read ({type(error).__name__})"
    told["reading"] = _read(folder)
    return told


def _counted(connection: sqlite3.Connection) -> dict[str, Any]:
    def counts(query: str) -> dict[str, int]:
        counted: Counter[str] = Counter()
        for *names, number in connection.execute(query):
            counted[" ".join(str(each) if _OURS.fullmatch(str(each)) else "other" for each in names)] += number
        return dict(counted)

    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    (undone,) = connection.execute("SELECT count(*) FROM moves WHERE undone_by IS NOT NULL").fetchone()
    (given_up,) = connection.execute("SELECT count(*) FROM pictures WHERE file IS NULL").fetchone()
    reasons: Counter[str] = Counter()
    for (each,) in connection.execute("SELECT reasons FROM moves WHERE reasons <> '[]'"):
        with suppress(ValueError, TypeError, KeyError):
            reasons.update(code if _OURS.fullmatch(code) else "other" for code in (r["code"] for r in json.loads(each)))
    return {
        "schema": schema,
        "games": counts("SELECT rules, outcome, count(*) FROM games GROUP BY 1, 2"),
        "events": counts("SELECT kind, count(*) FROM events GROUP BY 1"),
        "verdicts": counts("SELECT kind, verdict, count(*) FROM moves GROUP BY 1, 2"),
        "reasons": dict(reasons.most_common()),
        "undone": undone,
        "pictures_given_up": given_up,
    }


def _files(folder: Path) -> dict[str, Any]:
    """Return how many files of each kind there are, and how large they are together, in bytes."""
    kinds: Mapping[str, list[Path]] = {
        "database": [folder / name for name in files_of(FILE)],
        "pictures": [path for path, _ in pictures(folder)],
        "tables": [path for path, _ in tables(folder)],
        "nightly": copies(folder),
        "damaged": list(folder.glob("damaged-*/*")),
        "before-restore": list(folder.glob("before-restore-*/*")),
    }
    told = {}
    for kind, paths in kinds.items():
        there = [path for path in paths if path.is_file()]
        told[kind] = {"files": len(there), "bytes": sum(path.stat().st_size for path in there)}
    return told


def _read(folder: Path) -> dict[str, Any]:
    """Return how much was read in the newest pictures, and how much of it the reader did not vouch for."""
    notes = [path for path, _ in pictures(folder) if path.suffix == ".json"]
    counted: Counter[str] = Counter()
    confidence = 0.0
    for path in sorted(notes, key=lambda each: each.stem)[-COUNTED:]:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            noted = json.loads(contents(path).decode())
            cells = noted["cells"]
            confidence += sum(float(cell["confidence"]) for cell in cells.values())
            counted.update(pictures=1, cells=len(cells), unclear=len(noted["unclear"]), hidden=len(noted["occluded"]))
    mean = {"confidence": round(confidence / counted["cells"], 4)} if counted["cells"] else {}
    return {**counted, **mean}


#: What stands where something was taken out.
OUT = "[...]"

#: What looks personal, whoever's it is: web and mail addresses, IPv4, IPv6 and MAC, names of machines in a network,
#: people's own folders, keys.
_LOOKS = re.compile(
    r"""
    \b[a-z][a-z0-9+.-]*://\S+
    | \b[\w.+-]+@[\w.-]+\w
    | \b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b
    | (?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?:%\w+)?(?![\w:])
    | \b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b
    | \b[\w-]+(?:\.[\w-]+)*\.(?:local|lan|home|internal|arpa|box|org|com|net|de|ch|at|fr|it|eu|io)\b
    | (?:/home|/root|/run/user|/media|/mnt|/srv|/run/media|/Users)(?:/[^\s'",;:()]*)?
    | \b(?:AGE-SECRET-KEY-|age1|ssh-(?:rsa|ed25519)\s)\S+
    """,
    re.IGNORECASE | re.VERBOSE,
)

#: Six digits may be a keeper's PIN, with or without a space in their middle.
_PIN = re.compile(r"(?<![\d.])\d{3}[\s\u202f]?\d{3}(?![\d.])")

#: A time of day looks like an IPv6 address, and stays.
_TIME = re.compile(r"\d{1,2}:\d\d(:\d\d)?")

#: Nobody is known by a name with fewer letters, and every sentence would lose words.
LEAST_LETTERS = 2


class Scrubber:
    """Takes known names out of texts, and everything that looks personal."""

    def __init__(self, names: Iterable[str]) -> None:
        """`names`: of players, keepers, tables, machines, networks, users."""
        forms = {form for name in names for form in _forms(name) if len(form) >= LEAST_LETTERS}
        words = "|".join(re.escape(each) for each in sorted(forms, key=len, reverse=True))
        self._known = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) if words else None

    def text(self, text: str, *, may_hold_pins: bool = True) -> str:
        """Return the text without them, in printable characters."""
        known = self._known.sub(OUT, text) if self._known else text
        plain = "".join(c if c.isprintable() or c == "\n" else "?" for c in known)
        plain = _PIN.sub(OUT, plain) if may_hold_pins else plain
        return _LOOKS.sub(lambda match: match[0] if _TIME.fullmatch(match[0]) else OUT, plain)

    def value(self, value: Any) -> Any:
        """Return a value of JSON with each text in it scrubbed; the keys are ours."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self.value(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(each) for each in value]
        return value


def _forms(name: str) -> Iterable[str]:
    """Yield the name as it is written, as a repr has it, and as JSON and a URL escape it."""
    bare = name.strip()
    for form in (bare, unicodedata.normalize("NFC", bare), unicodedata.normalize("NFD", bare)):
        yield form
        yield " ".join(form.split())
        yield repr(form)[1:-1]
        yield json.dumps(form)[1:-1]
        yield quote(form)
