"""The same photographs read in two systems, one for this machine's processor and one for another: do they agree?"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bench.roots import Root
from simulator.evening import write_evening
from simulator.setup import write_table

#: The drawn table, and how many photographs of its evening are read.
SEED, PHOTOS = 41001, 6
#: The numbers in a reading are probabilities. Other processors add them up in another order, so numbers no further
#: apart than this count as the same.
STEP = 0.002
#: Where the table and its readings are kept in each system.
DRAWN, _OUT = "root/drawn", "root/readings"
_STRADA = "/opt/strada/.venv/bin/strada"


@dataclass
class Alike:
    """How alike the readings are: figures, and a sentence for each difference."""

    figures: dict[str, Any] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


def read_alike(root: Root, peer: Root) -> Alike:
    """Have the same drawn evening read in both systems, in which Strada is installed, and compare the readings."""
    alike, read = Alike(), list[dict[str, bytes]]()
    drawn = root.folder / DRAWN
    setup = write_table(drawn, SEED)
    write_evening(drawn / "games" / "evening", setup.camera, SEED, most=PHOTOS)
    shutil.copytree(drawn, peer.folder / DRAWN)
    for system in (root, peer):
        done = system.run(_STRADA, "read", f"/{DRAWN}", "--out", f"/{_OUT}")
        if done.returncode:
            alike.wrong.append(f"strada read ended with {done.returncode}: {done.stderr[-300:]}")
            return alike
        read.append({str(path.name): path.read_bytes() for path in sorted((system.folder / _OUT).rglob("*.json"))})
    return compared(*read)


def compared(these: dict[str, bytes], those: dict[str, bytes]) -> Alike:
    """Compare readings by their names; return how alike they are.

    >>> compared({"1.json": b'{"a": 0.501}'}, {"1.json": b'{"a": 0.5}'}).figures["most that a number differs"]
    0.001
    """
    alike, most, same = Alike(), 0.0, 0
    if these.keys() != those.keys() or not these:
        alike.wrong.append(f"{len(these)} readings and {len(those)}: {sorted(these.keys() ^ those.keys())[:5]}")
    for name in sorted(these.keys() & those.keys()):
        same += these[name] == those[name]
        for where, one, other in _differences(json.loads(these[name]), json.loads(those[name])):
            if not isinstance(one, float) or not isinstance(other, float):
                alike.wrong.append(f"{name}{where} is {one!r} in one system and {other!r} in the other")
                continue
            most = max(most, abs(one - other))
            if abs(one - other) > STEP:
                alike.wrong.append(f"{name}{where} is {one} in one system and {other} in the other")
    alike.figures |= {
        "readings": len(these),
        "readings the same byte for byte": same,
        "most that a number differs": round(most, 6),
    }
    return alike


def _differences(one: Any, other: Any, where: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield each place where two JSON values differ."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from _differences(one[key], other[key], f"{where} {key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, pair in enumerate(zip(one, other, strict=True)):
            yield from _differences(*pair, f"{where} {place}")
    elif one != other:
        yield where, one, other
