"""Exemplars that grow during play: tiles known from games, as they look on this table today.

They are used beside the taught ones, a few of each tile, and may be kept for the next evening.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from zipfile import BadZipFile

import numpy as np

from companion.board import BadInputError, Tile
from companion.board.notation import tile_from_json, tile_to_json
from vision.tiles.exemplars import TURNS, Embedded, Exemplars, plain_turn, turned
from vision.tiles.patches import PATCH_PX, Levels, in_tones, in_turns

#: This many examples of one tile are kept, however it is turned.
MOST_OF_A_TILE = 3


@dataclass(frozen=True, eq=False)
class Example:
    """A tile that was on the table: `patch` (PATCH_PX, PATCH_PX, 3) shows it as it was, `looks` in all six turns."""

    tile: Tile
    patch: Levels
    looks: Embedded


class Growing:
    """A table's exemplars: those that were taught, and examples of the same tiles from games. One thread owns it."""

    def __init__(self, taught: Exemplars) -> None:
        self.exemplars = self._taught = taught
        self._examples: list[Example] = []

    @property
    def examples(self) -> Sequence[Example]:
        """The examples that are kept, the oldest first."""
        return tuple(self._examples)

    def add(self, tile: Tile, patch: Levels) -> None:
        """Take an example; the newest one of each tile is kept, and of the others those most unlike each other."""
        self._add(tile, patch)
        self.exemplars = with_examples(self._taught, self._examples)

    def to_bytes(self) -> bytes:
        """Return the examples as a file that `read` takes."""
        tiles = json.dumps([tile_to_json(one.tile) for one in self._examples])
        patches = np.array([one.patch for one in self._examples], np.uint8).reshape(-1, PATCH_PX, PATCH_PX, 3)
        file = io.BytesIO()
        np.savez_compressed(file, tiles=tiles, patches=patches, taught=self._taught_by())
        return file.getvalue()

    def read(self, content: bytes) -> None:
        """Take an earlier evening's examples; raises BadInputError if they are from another set-up, or damaged."""
        try:
            with np.load(io.BytesIO(content)) as file:
                tiles, patches, taught = json.loads(str(file["tiles"])), file["patches"], str(file["taught"])
            known = [tile_from_json(one, "an example") for one in tiles]
        except (OSError, EOFError, ValueError, TypeError, KeyError, BadZipFile):
            raise BadInputError("these are no examples of tiles, or damaged ones; the file may be removed") from None
        if taught != self._taught_by():
            raise BadInputError("these examples are of another set-up of the table; the file may be removed")
        if patches.dtype != np.uint8 or patches.shape != (len(known), PATCH_PX, PATCH_PX, 3):
            raise BadInputError(f"examples of shape {patches.shape}; {len(known)} patches were expected")
        for tile, patch in zip(known, patches, strict=True):
            if tile is not None:
                self._add(tile, patch)
        self.exemplars = with_examples(self._taught, self._examples)

    def _add(self, tile: Tile, patch: Levels) -> None:
        new = Example(tile, patch, self._taught.embedded(in_tones(in_turns(patch, TURNS))))
        kept = [*self._examples, new]
        same = [one for one in kept if plain_turn(one.tile) == plain_turn(tile)]
        if len(same) > MOST_OF_A_TILE:
            points = np.array([one.looks.points[0] for one in same])
            likeness = points @ points.T - 2 * np.eye(len(same))
            gone = same[int(likeness[:-1].max(axis=1).argmax())]
            kept = [one for one in kept if one is not gone]
        self._examples = kept

    def _taught_by(self) -> str:
        """Return what distinguishes this set-up's taught tiles from any other's."""
        return hashlib.sha256(self._taught.patches.tobytes()).hexdigest()


def with_examples(taught: Exemplars, examples: Sequence[Example]) -> Exemplars:
    """Return a table's exemplars with examples beside the taught ones."""
    if not examples:
        return taught
    more = np.concatenate([in_turns(one.patch, TURNS) for one in examples])
    grown = replace(
        taught,
        tiles=taught.tiles + tuple(turned(one.tile, turn) for one in examples for turn in TURNS),
        patches=np.concatenate([taught.patches, more]),
        hidden=np.concatenate([taught.hidden, np.zeros(len(more), np.float32)]),
        covers=np.concatenate([taught.covers, np.zeros(more.shape[:3], np.uint8)]),
    )
    # The looks of the taught ones are not computed again, and each was taught as often as before.
    grown.__dict__["looks"] = Embedded.joined([taught.looks, *(one.looks for one in examples)])
    grown.__dict__["copies"] = taught.copies
    return grown
