"""What is said during a table's set-up: what is wrong, why a stored one does not fit, what it would confuse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from companion.board import Contents, Terrain, Tile
from companion.words.catalogues import Message
from companion.words.pieces import AND_MORE, TERRAINS
from companion.words.speech import MOST_NAMED, Speech

#: What can go wrong, by the code of its BadInputError.
COMPLAINTS: Mapping[str, Message] = {
    "again-not-shown": Message("I can’t see the piece to be taught again. Photograph it alone on the board."),
    "board-doubtful": Message(
        "The board may be a few cells away from where you put the corners. Set up this table "
        "again and choose the right grid."
    ),
    "board-lost": Message(
        "I can’t find the board in this picture. Take your hands away. The board and the "
        "camera must be where they were for the photograph of the empty board."
    ),
    "corner-outside": Message("The mark for {cell} is outside the picture. Put it on the centre of that cell."),
    "corners": Message("Put the four marks on the board’s four corner cells."),
    "cut-off": Message(
        "Part of the board or of its day tracks is outside the picture. Move the camera "
        "until you can see all of it, then photograph again."
    ),
    "enough-photographs": Message("There are already {count} photographs. Delete one, or go on."),
    "few-colors": Message("Choose at least two colours."),
    "no-board": Message(
        "I can’t find a board there. Put the marks on the centres of its corner cells. The "
        "whole board should be in the picture, seen from above."
    ),
    "no-board-yet": Message("The board has not been found yet. Begin with its photograph and its corners."),
    "no-color": Message("Say whose section it is: choose a colour, or type your own name for it."),
    "no-cube": Message("I can’t see any merchants on bare cells. Put one of each colour on cells without a tile."),
    "no-photograph": Message("There is no photograph of the empty board yet. Take one first."),
    "no-picture": Message("There is no picture from the camera. Is its cable plugged in?"),
    "no-road": Message("I can’t see any roads. Put one of each colour on the board."),
    "no-room": Message(
        "There is no room left for what is on {cell}. Put down fewer pieces: one of each kind is enough."
    ),
    "no-settlement": Message("I can’t see any settlements or workshops. Put one of each kind on the board."),
    "no-such-photograph": Message("There is no photograph {number} of pieces."),
    "no-table": Message("This table no longer exists."),
    "nothing-corrected": Message("Nothing was corrected that could be taken back."),
    "not-asked": Message("Only one grid was found. Put the four marks on the corner cells and try again."),
    "not-shown": Message("Some pieces have not been photographed yet. The Teach step lists them."),
    "nothing-shown": Message("There are no pieces in any photograph yet. Take one to three photographs."),
    "other-size": Message(
        "The photograph has {size} pixels, but the empty board’s has {right}. Do not change "
        "the camera’s mode during the set-up, or begin again."
    ),
    "photo-damaged": Message("This photograph is damaged. Take it again."),
    "photo-elsewhere": Message(
        "I can’t find this board in that photograph. Hold the phone above the middle of the board. The whole frame "
        "should be in the picture, sharp and in good light."
    ),
    "photo-heic": Message(
        "This photograph is in the HEIC format, which I can’t read. On an iPhone choose Settings, Camera, Formats, "
        "Most Compatible. Then take it again."
    ),
    "photo-kind": Message("This is not a photograph that I can read. Send a JPEG or a PNG file."),
    "photo-large": Message("This photograph is too large. It may have {most} MB at most."),
    "photo-lost": Message("Part of the photograph got lost on the way. Send it again."),
    "photo-pixels": Message("This photograph has too many pixels. It may have {most} million at most."),
    "photo-small": Message("This photograph is too small to read. Each side needs at least {least} pixels."),
    "photograph-not-read": Message("This photograph cannot be read. Go on to another one."),
    "sections-untold": Message(
        "Some sections have not been described yet. The Teach step shows the {count} that are left."
    ),
    "table-damaged": Message("This table’s folder is damaged. Choose another table, or set this one up again."),
}

#: Why a stored table is not the one that the camera sees, by companion.setup's `Misfit`.
MISFITS: Mapping[str, Message] = {
    "size": Message("The camera’s pictures are not the size they were at the set-up."),
    "lost": Message("I can’t find the board in the picture."),
    "moved": Message("The camera or the board has been moved a long way."),
    "brighter": Message("It is much brighter than at the set-up."),
    "darker": Message("It is much darker than at the set-up."),
}

# NOTE: {one} and {other} are tiles, such as "town" or "road of Red, forest →←".
ALIKE = Message("Hard to tell apart: {one} and {other}.")
# NOTE: {tiles} are tiles, with dots between them.
MISSING = Message("Not taught yet: {tiles}.")
UNDER_CUBES = Message("Taught only with merchants on top: {tiles}.")
# NOTE: {pieces} are numbers of tiles, such as "2 × town · 1 × road of Red, forest →←".
PHOTOGRAPH = Message("One more photograph would help most. Put these on the board, without merchants: {pieces}.")
PIECES = Message("{number} × {tile}")
# NOTE: what a tile may be confused with: a cell of that terrain with nothing on it.
GROUND = Message("empty cell, {terrain}")


class TeachingVoice(Speech):
    """Names tiles, and says how well they were taught. Raises BadInputError for a language not among `LANGUAGES`."""

    def sentences(
        self,
        alike: Iterable[tuple[Tile, Tile | Terrain]],
        missing: Sequence[Tile],
        under_cubes: Sequence[Tile],
        photograph: Sequence[tuple[Tile, int]],
    ) -> tuple[str, ...]:
        """Return a sentence for each pair that looks alike, then what was taught poorly, then what would help."""
        said = [self.say(ALIKE, one=self.named(one), other=self.named(other)) for one, other in alike]
        said += [self.say(MISSING, tiles=self.tiles(missing))] if missing else []
        said += [self.say(UNDER_CUBES, tiles=self.tiles(under_cubes))] if under_cubes else []
        said += [self.say(PHOTOGRAPH, pieces=self.pieces(photograph))] if photograph else []
        return tuple(said)

    def named(self, tile: Tile | Terrain) -> str:
        """Return the name of a tile, or of bare ground."""
        if isinstance(tile, Terrain):
            return self.say(GROUND, terrain=self.say(TERRAINS[tile]))
        return self.contents(Contents(tile))

    def pair(self, one: Tile | Terrain, other: Tile | Terrain) -> str:
        """Return the names of two that look alike."""
        return self.listing((self.named(one), self.named(other)))

    def tiles(self, tiles: Sequence[Tile]) -> str:
        """Return the tiles' names; if there are many, only the first."""
        some = " · ".join(self.named(tile) for tile in tiles[:MOST_NAMED])
        return self.say(AND_MORE, some=some) if len(tiles) > MOST_NAMED else some

    def pieces(self, pieces: Iterable[tuple[Tile, int]]) -> str:
        """Return how many of which tiles should be put down."""
        return " · ".join(self.say(PIECES, number=number, tile=self.named(tile)) for tile, number in pieces)
