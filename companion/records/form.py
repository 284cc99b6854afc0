"""A game record as text: JSON, with a line for each part of it and for each move (records/FORMAT.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

FORMAT = "strada-record/1"


def parts_to_text(parts: Mapping[str, Any]) -> str:
    """Return a record's JSON as text, `moves` last: a line for each part of it and for each move."""
    moves = ",\n".join(_line(move) for move in parts["moves"])
    lines = [f"{_line(name)}: {_line(part)}" for name, part in parts.items() if name != "moves"]
    return "{\n" + ",\n".join([*lines, f'"moves": [\n{moves}\n]' if moves else '"moves": []']) + "\n}\n"


def _line(value: object) -> str:
    """Return JSON on one line; a lone surrogate, which a name can hold and UTF-8 cannot, stays an escape."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
