"""Readings as JSON, and back: the form in which tables, their truths and readings are kept.

```
{"cells": {"G7": {"terrain": "plain", "site": false, "tile": {...} | null, "merchants": {"red": 1},
                  "confidence": 0.98, "alternatives": [{"tile": ..., "merchants": ...}]}},
 "tracks": {"black": 4, "grey": null, ...}, "occluded": [], "occluded_tracks": [], "unclear": [], "unclear_tracks": []}
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from companion.board.any_board import Board, Cell, PlayerColor
from companion.board.components import (
    RAYS,
    Color,
    Contents,
    LaidSection,
    Merchants,
    Mountain,
    Road,
    Section,
    Settlement,
    SettlementType,
    Shape,
    Snow,
    Terrain,
    Tile,
    Workshop,
)
from companion.board.fields import BadInputError, fields, items, mapping, whole, word
from companion.board.hexagon import HexBoard, in_board_order
from companion.board.reading import CellReading, Reading

_SECTION = {"id", "number", "horse", "rays", "dead_end"}
_KINDS = ("settlement", "workshop", "road", "section", "snow", "mountain")

#: The highest field of a day track (rules: never more than 10 travel days).
LAST_FIELD = 10


def tile_to_json(tile: Tile | None) -> dict[str, Any] | None:
    """Return the tile as FORMAT.md writes it."""
    match tile:
        case None:
            return None
        case Settlement(type=kind):
            return {"kind": "settlement", "type": kind.value}
        case Workshop(color=color):
            return {"kind": "workshop", "color": color.value}
        case Road():
            return {"kind": "road", **road_to_json(tile)}
        case LaidSection(section=section, color=name, turn=turn):
            return {"kind": "section", "color": name, "turn": turn, "section": section_to_json(section)}
        case Snow() | Mountain():
            return {"kind": type(tile).__name__.lower()}


def road_to_json(road: Road) -> dict[str, Any]:
    """Return a road tile without its kind, as game records write it."""
    return {
        "color": road.color.value,
        "terrain": road.terrain.value,
        "shape": road.shape.value,
        "edges": list(road.edges),
    }


def contents_to_json(contents: Contents) -> dict[str, Any]:
    """Return tile and merchants."""
    return {
        "tile": tile_to_json(contents.tile),
        "merchants": {color.value: count for color, count in contents.merchants.counts.items()},
    }


def reading_to_json(reading: Reading) -> dict[str, Any]:
    """Return the reading as plain JSON values, cells in board order, lists sorted."""
    cells = {}
    for cell in reading.board.cells:
        if cell in reading.cells:
            read = reading.cells[cell]
            cells[str(cell)] = {
                "terrain": read.terrain.value if read.terrain else None,
                "site": read.site,
                **contents_to_json(read.contents),
                "confidence": round(read.confidence, 4),
            }
            if read.alternatives:
                cells[str(cell)]["alternatives"] = [contents_to_json(other) for other in read.alternatives]
            if read.shares:
                cells[str(cell)]["shares"] = [round(share, 4) for share in read.shares]
            if read.is_told:
                cells[str(cell)]["is_told"] = True
            if read.since is not None:
                cells[str(cell)]["since"] = contents_to_json(read.since)
            if read.anew:
                cells[str(cell)]["anew"] = {
                    color.value: [round(share, 4) for share in row] for color, row in read.anew.items()
                }
            if read.unseen:
                cells[str(cell)]["unseen"] = round(read.unseen, 4)
            if read.further:
                cells[str(cell)]["further"] = [
                    {**contents_to_json(other), "share": round(share, 6)} for other, share in read.further
                ]
    tracked = Color if isinstance(reading.board, HexBoard) else ()  # the colours with a day track beside the board
    return {
        "cells": cells,
        "tracks": {color.value: reading.tracks.get(color) for color in tracked},
        "occluded": _names(reading.occluded),
        "occluded_tracks": sorted(str(color) for color in reading.occluded_tracks),
        "unclear": _names(reading.unclear),
        "unclear_tracks": sorted(str(color) for color in reading.unclear_tracks),
    }


def _names(cells: Iterable[Cell]) -> list[str]:
    return [str(cell) for cell in in_board_order(cells)]


def reading_from_json(value: object, board: Board) -> Reading:
    """Return the reading that the JSON describes; raises BadInputError naming what is wrong and where."""
    top = mapping(value, "a reading")
    cells = {board.cell(name): _cell(read, f"cell {name}") for name, read in mapping(top.get("cells"), "cells").items()}
    tracks: dict[PlayerColor, int | None] = {
        word(Color, name, "tracks"): None if field is None else whole(field, f"track {name}", 0, LAST_FIELD)
        for name, field in mapping(top.get("tracks", {}), "tracks").items()
    }
    return Reading(
        board,
        cells,
        tracks,
        occluded=_listed(top, "occluded", board.cell),
        occluded_tracks=_listed(top, "occluded_tracks", lambda name: word(Color, name, "occluded_tracks")),
        unclear=_listed(top, "unclear", board.cell),
        unclear_tracks=_listed(top, "unclear_tracks", lambda name: word(Color, name, "unclear_tracks")),
    )


Listed = TypeVar("Listed")


def _listed(top: Mapping[str, Any], key: str, parse: Callable[[Any], Listed]) -> frozenset[Listed]:
    names = top.get(key, [])
    if not isinstance(names, list):
        raise BadInputError(f"{key} is {names!r}; it should be a list of names")
    return frozenset(parse(name) for name in names)


def _cell(value: object, where: str) -> CellReading:
    read = mapping(value, where)
    terrain = read.get("terrain")
    site = read.get("site")
    if not (site is None or isinstance(site, bool)):
        raise BadInputError(f"{where}: site is {site!r}; it should be true, false or null")
    confidence = _share(read.get("confidence", 1.0), f"{where}: confidence")
    alternatives = read.get("alternatives", [])
    if not isinstance(alternatives, list):
        raise BadInputError(f"{where}: alternatives is {alternatives!r}; it should be a list")
    shares = read.get("shares", [])
    if not isinstance(shares, list) or len(shares) not in (0, len(alternatives)):
        raise BadInputError(
            f"{where}: shares is {shares!r:.60}; it should be a list, with a number for each alternative"
        )
    further = read.get("further", [])
    if not isinstance(further, list):
        raise BadInputError(f"{where}: further is {further!r:.60}; it should be a list of answers, each with its share")
    return CellReading(
        contents_from_json(read, where),
        None if terrain is None else word(Terrain, terrain, where),
        site,
        confidence,
        tuple(contents_from_json(other, f"{where}, alternatives") for other in alternatives),
        tuple(_share(share, f"{where}: a share") for share in shares),
        tuple(_further(other, f"{where}, further") for other in further),
        read.get("is_told") is True,
        None if read.get("since") is None else contents_from_json(read["since"], f"{where}, since"),
        _share(read.get("unseen", 0.0), f"{where}: unseen"),
        _anew(read.get("anew", {}), f"{where}, anew"),
    )


def _anew(value: object, where: str) -> dict[Color, tuple[float, ...]]:
    rows = {word(Color, color, where): row for color, row in mapping(value, where).items()}
    for color, row in rows.items():
        if not isinstance(row, list) or not row:
            raise BadInputError(f"{where}: {color} is {row!r:.60}; it should be a list of how likely each number looks")
    return {color: tuple(_share(share, f"{where}: a share") for share in row) for color, row in rows.items()}


def _further(value: object, where: str) -> tuple[Contents, float]:
    return contents_from_json(value, where), _share(mapping(value, where).get("share"), f"{where}: share")


def _share(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadInputError(f"{where} is {value!r}; it should be a number from 0 to 1")
    return float(value)


def contents_from_json(value: object, where: str) -> Contents:
    """Return tile and merchants; `where` names the place in an error."""
    read = mapping(value, where)
    return Contents(tile_from_json(read.get("tile"), where), merchants_from_json(read.get("merchants", {}), where))


def merchants_from_json(value: object, where: str, least: int = 0) -> Merchants:
    """Return the merchants that a count by colour describes; `least` is negative for changes."""
    counts = mapping(value, f"{where}: merchants")
    return Merchants.of(
        {
            word(Color, name, where): whole(count, f"{where}: {name} merchants", least, None)
            for name, count in counts.items()
        }
    )


def tile_from_json(value: object, where: str) -> Tile | None:
    """Return the tile, or None for null."""
    if value is None:
        return None
    tile = mapping(value, f"{where}: tile")
    match tile.get("kind"):
        case "settlement":
            return Settlement(word(SettlementType, tile.get("type"), where))
        case "workshop":
            return Workshop(word(Color, tile.get("color"), where))
        case "road":
            return road_from_json(tile, where)
        case "section":
            return _section(tile, where)
        case "snow" | "mountain" as kind:
            fields(tile, f"{where}: tile", {"kind"})
            return Snow() if kind == "snow" else Mountain()
        case kind:
            raise BadInputError(f"{where}: a tile of kind {kind!r:.60}; it should be one of {', '.join(_KINDS)}")


def _section(value: object, where: str) -> LaidSection:
    laid = fields(value, f"{where}: tile", {"kind", "color", "turn", "section"})
    color = laid["color"]
    if not (isinstance(color, str) and color.strip()):
        raise BadInputError(f"{where}: color is {color!r:.60}; it should be the colour of a player")
    section = section_from_json(laid["section"], f"{where}: section")
    return LaidSection(section, color, whole(laid["turn"], f"{where}: turn", 0, 3)).least_turned


def road_from_json(value: object, where: str) -> Road:
    """Return the road tile; raises BadInputError if its edges do not fit its shape."""
    tile = mapping(value, f"{where}: tile")
    edges = tile.get("edges")
    shape = word(Shape, tile.get("shape"), where)
    if not (isinstance(edges, list) and len(edges) == 2 and all(type(edge) is int for edge in edges)):
        raise BadInputError(f"{where}: edges is {edges!r}; it should be two edge numbers from 0 to 5")
    try:
        road = Road(
            word(Color, tile.get("color"), where),
            word(Terrain, tile.get("terrain"), where),
            (edges[0], edges[1]),
        )
    except ValueError as error:
        if isinstance(error, BadInputError):
            raise
        raise BadInputError(f"{where}: {error}") from None
    if road.shape is not shape:
        raise BadInputError(f"{where}: the edges {edges} are those of a {road.shape}, not of a {shape}")
    return road


def section_from_json(value: object, where: str) -> Section:
    """Return the section; `number` may be left out or null. Raises BadInputError; `where` names the place in it."""
    shown = fields(value, where, _SECTION, optional={"number"})
    name, number = shown["id"], shown.get("number")
    if not (isinstance(name, str) and name.strip()):
        raise BadInputError(f"{where}: id is {name!r:.60}; it should be text, and not blank")
    for flag in ("horse", "dead_end"):
        if not isinstance(shown[flag], bool):
            raise BadInputError(f"{where}: {flag} is {shown[flag]!r:.60}; it should be true or false")
    rays = [whole(ray, f"{where}: a ray", RAYS[0], RAYS[-1]) for ray in items(shown["rays"], f"{where}: rays")]
    if len(set(rays)) < len(rays):
        raise BadInputError(f"{where}: rays is {rays!r:.60}; each ray should be named once")
    return Section(
        name,
        0 if number is None else whole(number, f"{where}: number", 0, None),
        shown["horse"],
        tuple(sorted(rays)),
        shown["dead_end"],
    )


def sections_from_json(value: object, where: str) -> tuple[Section, ...]:
    """Return the sections of a JSON list; raises BadInputError, also if two have the same id."""
    sections = [section_from_json(section, f"{where} {n}") for n, section in enumerate(items(value, where), 1)]
    ids = [section.id for section in sections]
    for n, name in enumerate(ids, 1):
        if name in ids[: n - 1]:
            raise BadInputError(f"{where} {n}: id is {name!r:.60} again; each section should have an id of its own")
    return tuple(sections)


def section_to_json(section: Section) -> dict[str, Any]:
    """Return the section as game records write it."""
    return {
        "id": section.id,
        "number": section.number,
        "horse": section.has_horse,
        "rays": list(section.rays),
        "dead_end": section.is_dead_end,
    }
