"""What is said while a table is set up: what is wrong, why a stored one does not fit, what it would confuse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from companion.board import Contents, Terrain, Tile
from companion.words.catalogues import Message
from companion.words.pieces import AND_MORE, TERRAINS
from companion.words.speech import MOST_NAMED, Speech

#: What can go wrong, by the code of its BadInputError.
COMPLAINTS: Mapping[str, Message] = {
    "again-not-shown": Message("What is taught again is not to be seen yet: photograph it alone on the board."),
    "board-doubtful": Message(
        "The board may lie some cells beside where it was clicked. Set this table up anew, and choose the right grid "
        "there."
    ),
    "board-lost": Message(
        "The board is not found in this picture. Take your hands away, and leave board and camera as they were on the "
        "empty board’s photograph."
    ),
    "corner-outside": Message("The mark of {cell} lies outside the picture; put it on the centre of that cell."),
    "corners": Message("Put the four marks on the board’s four corner cells."),
    "cut-off": Message(
        "Part of the board or of its day tracks lies outside the picture. Move the camera until all of it is seen, and "
        "photograph again."
    ),
    "enough-photographs": Message("There are {count} photographs already; take one back, or go on."),
    "few-colors": Message("Fewer than two colours are in play; choose those that you play with."),
    "no-board": Message(
        "No board is found there. Put the marks on the centres of its corner cells; all of it should be in the "
        "picture, photographed from above."
    ),
    "no-board-yet": Message("The board was not found yet; begin with its photograph and its corners."),
    "no-color": Message("Say whose section it is: choose a colour, or write what you call it."),
    "no-cube": Message("No merchant is shown on a bare cell; lay one of each colour on cells without a tile."),
    "no-photograph": Message("There is no photograph of the empty board yet; take one first."),
    "no-picture": Message("The camera gives no picture. Is its cable plugged in?"),
    "no-road": Message("No road is shown; lay one of each colour on the board."),
    "no-room": Message("There is no room left for what lies on {cell}; lay fewer things, one of each kind is enough."),
    "no-settlement": Message("No settlement and no workshop is shown; lay one of each kind on the board."),
    "no-such-photograph": Message("There is no photograph {number} of pieces."),
    "no-table": Message("This table is not there any more."),
    "not-asked": Message("Only one grid was found. Put the four marks on the corner cells, and look again."),
    "not-shown": Message("Not all pieces were photographed yet: the step Teach names those that are missing."),
    "nothing-shown": Message("No photograph shows any pieces yet; take one to three."),
    "other-size": Message(
        "The photograph has {size} pixels, the empty board’s {right}. Leave the camera’s mode as it is during the "
        "set-up, or begin again."
    ),
    "sections-untold": Message("Not all sections were described yet; the step Teach shows the {count} that are left."),
    "table-damaged": Message("This table’s folder is damaged; choose another one, or set it up anew."),
}

#: Why a stored table is not the one that the camera sees, by companion.setup's `Misfit`.
MISFITS: Mapping[str, Message] = {
    "size": Message("The camera’s pictures have another size than when the table was set up."),
    "lost": Message("The board is not found in the picture."),
    "moved": Message("The camera or the board was moved far."),
    "brighter": Message("The light is much brighter than when the table was set up."),
    "darker": Message("The light is much darker than when the table was set up."),
}

# NOTE: {one} and {other} are tiles, such as "town" or "road of Red, forest →←".
ALIKE = Message("Hard to tell apart: {one} and {other}.")
# NOTE: {tiles} are tiles, with dots between them.
MISSING = Message("Not taught yet: {tiles}.")
UNDER_CUBES = Message("Taught only with merchants on top: {tiles}.")
# NOTE: {pieces} are numbers of tiles, such as "2 × town · 1 × road of Red, forest →←".
PHOTOGRAPH = Message("One more photograph would help most. Lay these on it, without merchants: {pieces}.")
PIECES = Message("{number} × {tile}")
# NOTE: what a tile may be confused with: a cell of that terrain with nothing on it.
GROUND = Message("bare ground, {terrain}")


class TeachingVoice(Speech):
    """Names tiles, and what is to be said of how they were taught; one of `LANGUAGES`, else BadInputError."""

    def sentences(
        self,
        alike: Iterable[tuple[Tile, Tile | Terrain]],
        missing: Sequence[Tile],
        under_cubes: Sequence[Tile],
        photograph: Sequence[tuple[Tile, int]],
    ) -> tuple[str, ...]:
        """Return a sentence for each pair that looks alike, then what was taught poorly, then what would help."""
        said = [self._say(ALIKE, one=self.named(one), other=self.named(other)) for one, other in alike]
        said += [self._say(MISSING, tiles=self.tiles(missing))] if missing else []
        said += [self._say(UNDER_CUBES, tiles=self.tiles(under_cubes))] if under_cubes else []
        said += [self._say(PHOTOGRAPH, pieces=self.pieces(photograph))] if photograph else []
        return tuple(said)

    def named(self, tile: Tile | Terrain) -> str:
        """Return what a tile, or bare ground, is called."""
        if isinstance(tile, Terrain):
            return self._say(GROUND, terrain=self._say(TERRAINS[tile]))
        return self.contents(Contents(tile))

    def pair(self, one: Tile | Terrain, other: Tile | Terrain) -> str:
        """Return the names of two that look alike."""
        return self._all((self.named(one), self.named(other)))

    def tiles(self, tiles: Sequence[Tile]) -> str:
        """Return the tiles' names; of many the first."""
        some = " · ".join(self.named(tile) for tile in tiles[:MOST_NAMED])
        return self._say(AND_MORE, some=some) if len(tiles) > MOST_NAMED else some

    def pieces(self, pieces: Iterable[tuple[Tile, int]]) -> str:
        """Return how many of which tiles are to be laid."""
        return " · ".join(self._say(PIECES, number=number, tile=self.named(tile)) for tile, number in pieces)
