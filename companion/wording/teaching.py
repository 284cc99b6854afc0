"""What a taught table says of itself, in one language: what it would confuse, and what to photograph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.board import Contents, Terrain, Tile
from companion.wording.messages import AND_MORE, TERRAINS
from companion.wording.speech import MOST_NAMED, Speech
from companion.wording.teaching_messages import ALIKE, GROUND, MISSING, PHOTOGRAPH, PIECES, UNDER_CUBES


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
