"""What a taught table says of itself, as English says it, as in `messages`."""

from __future__ import annotations

from companion.wording.messages import Message

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
