"""What the photographs of a square board teach: the bare board, and each piece's print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from companion.board import BadInputError, LaidSection, Mountain, Reading, Section, Snow, SquareBoard, Tile
from vision.light.flatten import Floats
from vision.square.fitting import AT_REST, PRINT_PX, Print, cut, evened, middle_px, tile_poses


@dataclass(frozen=True, eq=False)
class TaughtSquares:
    """A table's bare board as tones, and its prints: how each piece looks, at each of four turns.

    Pieces that come in more than one print (mountains) have several prints.
    """

    board: SquareBoard
    bare: Floats
    pieces: tuple[Tile, ...]
    prints: tuple[Print, ...]

    @cached_property
    def rough(self) -> Floats:
        """All rough prints as one matrix, (prints, pixels)."""
        return np.stack([one.rough for one in self.prints])

    @cached_property
    def twins(self) -> Mapping[Section, tuple[Section, ...]]:
        """For each section the others of its colour with the same print, if any: no look tells them apart."""
        twins: dict[Section, tuple[Section, ...]] = {}
        taught = {(piece.color, piece.section) for piece in self.pieces if isinstance(piece, LaidSection)}
        for color, section in taught:
            others = [other for its, other in taught if its == color and other != section]
            if alike := tuple(other for other in others if replace(other, id=section.id) == section):
                twins[section] = alike
        return twins

    @cached_property
    def bare_prints(self) -> tuple[Print, ...]:
        """Each cell's own look when nothing is on it, in the board's order."""
        return tuple(Print(cut(self.bare, middle_px(cell), AT_REST, PRINT_PX, 1.0)[0]) for cell in self.board.cells)


def teach_squares(bare: Floats, shown: Sequence[tuple[Floats, Reading]], board: SquareBoard) -> TaughtSquares:
    """Return what the photographs teach: tones of the bare board, and of boards with pieces, with what is on them.

    Raises BadInputError if no snow, no mountain or no section is shown, or one section is shown twice.
    """
    pieces, prints = list[Tile](), list[Print]()
    taught_names = set[tuple[str, Section]]()
    for tones, truth in shown:
        even = evened(tones, bare, board)
        laid = {
            cell: piece for cell in board.cells if (piece := truth.contents(cell).tile) and cell not in truth.abstained
        }
        poses = tile_poses(even, bare, [middle_px(cell) for cell in laid]) if laid else []
        for (cell, piece), pose in zip(laid.items(), poses, strict=True):
            if isinstance(piece, LaidSection):
                name = piece.color, piece.section
                if name in taught_names:
                    raise BadInputError(
                        f"{cell}: the section {piece.section.id} of {piece.color} is shown twice; once is enough"
                    )
                taught_names.add(name)
            taught = cut(even, middle_px(cell), pose[None], PRINT_PX, 1.0)[0]
            for turn in range(4):
                lying, turned = _turned(piece, taught, turn)
                pieces.append(lying)
                prints.append(Print(turned))
    for kind, missing in ((Snow, "snow"), (Mountain, "mountain"), (LaidSection, "section")):
        if not any(isinstance(piece, kind) for piece in pieces):
            raise BadInputError(
                f"no {missing} lies on the photographs that teach the pieces; lay each piece on a square once"
            )
    return TaughtSquares(board, bare, tuple(pieces), tuple(prints))


def _turned(piece: Tile, taught: Floats, turn: int) -> tuple[Tile, Floats]:
    """Return the piece at that turn, and its print: quarter turns are anticlockwise, as in numpy."""
    if isinstance(piece, LaidSection):
        lying = LaidSection(piece.section, piece.color, turn).least_turned
        return lying, np.ascontiguousarray(np.rot90(taught, turn - piece.turn))
    return piece, np.ascontiguousarray(np.rot90(taught, turn))
