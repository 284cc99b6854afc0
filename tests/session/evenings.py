"""The photographed evenings with perfect readings: what the truth files say, in place of a reader."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.board import BadInputError, HexBoard, Reading, reading_from_json
from companion.evening import Evening, Photo, load_evening

BOARD = HexBoard(6)


def known_evenings(tables: Path) -> list[Evening]:
    """Return the evenings whose rules are known."""
    found = []
    for folder in sorted(tables.glob("*/games/evening")):
        try:
            found.append(load_evening(folder))
        except BadInputError as error:
            assert "not known" in str(error)  # noqa: PT017
    return found


def truths(evening: Evening) -> Iterator[tuple[Photo, Reading, dict[str, Any]]]:
    """Yield each photograph with its perfect reading and what the referee should say."""
    for photo in evening.photos:
        truth = json.loads((evening.folder / photo.name).with_suffix(".json").read_text())
        yield photo, reading_from_json(truth, BOARD), truth["expected"]
