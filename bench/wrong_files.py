"""Ways in which one kind of file goes wrong: its JSON, what is packed in it, how large it claims to be."""

from __future__ import annotations

import io
import json
import random
import struct
import warnings
import zipfile
import zlib
from pathlib import Path

from bench.mutating import Mutator
from bench.right_files import written

#: How many fill bytes a picture gets.
FILL_BYTES = 20_000_000

#: Names that no ZIP of ours has.
_FOREIGN = (
    "../evil", "/tmp/evil", "pictures/../../evil", "C:\\evil", "pictures/game-0001/../../../evil.jpg", "keeper.key",
    "pictures/game-0001/000001.jpg/x", "logbook.sqlite", "", "\0", "a" * 300, "logbook.sqlite/",
)  # fmt: skip


def wrong_json(rng: random.Random, path: Path) -> bytes:
    """Spoil the values or the bytes of the file's JSON, and return it."""
    mutator, content = Mutator(rng, ("G7", "red", "city", "plain", "cells", "tile", "kind")), path.read_bytes()
    wrong = mutator.text(mutator.tree(json.loads(content))) if rng.random() < 0.75 else mutator.damaged(content)
    written(path, wrong)
    return wrong


def rezipped(rng: random.Random, content: bytes) -> bytes:
    """Return the backup packed again, with something in it that does not belong there."""
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(io.BytesIO(content)) as old:
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(made, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as new:
            for name in old.namelist():
                if rng.random() < 0.9:
                    inside = old.read(name)
                    new.writestr(name, Mutator(rng).damaged(inside) if rng.random() < 0.3 else inside)
            for _ in range(rng.randrange(3)):
                info = zipfile.ZipInfo(rng.choice(_FOREIGN) or "x")
                info.external_attr = rng.choice((0o100644, 0o120777, 0o040755)) << 16
                new.writestr(info, rng.choice((b"", b"evil", b"/etc/passwd", bytes(10_000_000))))
    return made.getvalue()


def swollen(rng: random.Random, content: bytes) -> bytes:
    """Return the picture as one that claims to be far larger than it is."""
    height, width = (rng.choice((0, 1, 8000, 30_000, 65_535, 2**31 - 1)) for _ in range(2))
    if content.startswith(b"\x89PNG"):
        header = struct.pack(">II", width, height) + content[24:29]
        return content[:16] + header + struct.pack(">I", zlib.crc32(b"IHDR" + header)) + content[33:]
    at = content.find(b"\xff\xc0") + 5
    return content[:at] + struct.pack(">HH", height & 0xFFFF, width & 0xFFFF) + content[at + 4 :]


def filled(rng: random.Random, content: bytes) -> bytes:
    """Return the picture with bytes in it that a reader skips one by one, whole or cut off after them."""
    fill = rng.choice((b"\xff", b"\xff\x00", b"\xff\xd0", b"\xff\x01", b"\xff\xfe\x00\x02", b"\0"))
    at = rng.choice((2, 20, len(content) // 2, len(content)))
    filled = content[:at] + fill * (FILL_BYTES // len(fill))
    return filled + (content[at:] if rng.random() < 0.5 else b"")


def wrong_value(rng: random.Random, settings: str) -> bytes:
    """Return the settings with one of their values replaced."""
    lines = settings.strip().splitlines()
    at = rng.choice([number for number, line in enumerate(lines) if "=" in line])
    texts = [json.dumps(Mutator(rng).word()) for _ in range(2)]
    value = rng.choice(
        (
            "9" * 5000, "-" + "9" * 5000, "0x" + "f" * 5000, "1." + "9" * 5000, "1e" + "9" * 400, "nan", "-inf", "true",
            '"a\\u0000b"', '"~"', '"~nobody-is-called-that/x"', '"\\u001b[31m"', '"' + "x" * 5000 + '"', "2026-11-25",
            "[" * 500 + "]" * 500, "{a = {b = 1}}", "[" + "9" * 5000 + "]", *texts,
        )
    )  # fmt: skip
    lines[at] = f"{lines[at].partition('=')[0]}= {value}"
    return "\n".join(lines).encode("utf-8", "surrogatepass")
