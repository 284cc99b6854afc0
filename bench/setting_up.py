"""A made-up person's whole way through a set-up, from the camera's picture to a table in use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from bench.measuring import seen_empty
from bench.tapper import Person, Pieces
from calibration import TableFolder
from companion.board import CellReading, Color, HexCell, Reading, Terrain, by_hexagon
from vision.light.flatten import Image

#: A day track's end that is this near its place, in cell sides, is on its field.
_ON_FIELD = 0.5
#: A corner that is this near its place is on its cell.
_ON_CELL = 0.6
#: How many wrong cells are worth a swipe, and how many cells a finger goes over at most.
_SWIPED, _FARTHEST = 4, 8
_TERRAINS = tuple(Terrain)

Point = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Known:
    """What the person knows of the table: its photographs, where the corners and day tracks are, and what is there."""

    name: str
    empty: Image
    shown: Image
    corners: Mapping[HexCell, Point]
    ground: Reading
    pieces: Reading
    track_ends_px: Mapping[Color, tuple[Point, Point]]
    side_px: float

    @classmethod
    def of(cls, folder: Path) -> Known:
        """Read it from a table's folder."""
        table = TableFolder.open(folder)
        setup, (empty, ground, view), (shown, pieces) = table.setup, seen_empty(table), table.load_teach()
        corners = by_hexagon(setup.clicks)
        ends = {}
        for color, track in setup.tracks.items():
            (x0, y0), (x1, y1) = view.to_image(np.array(track)).tolist()
            ends[color] = ((x0, y0), (x1, y1))
        return cls(folder.name, empty, shown, corners, ground, pieces, ends, view.side_px)


#: The buttons that swap the names of two terrains.
_SWAPS = (("forest", "hill"), ("plain", "forest"), ("plain", "hill"))


def _swaps(said: Mapping[str, str], truth: Mapping[HexCell, CellReading]) -> Sequence[tuple[str, str]]:
    """Return which terrains to swap, one after another, so that the fewest taps are left."""

    def left(swaps: Sequence[tuple[str, str]]) -> int:
        taps = len(swaps)
        for cell, read in truth.items():
            kind = said[str(cell)]
            for one, other in swaps:
                kind = {one: other, other: one}.get(kind, kind)
            assert read.terrain is not None
            taps += (_TERRAINS.index(read.terrain) - _TERRAINS.index(Terrain(kind))) % len(_TERRAINS)
        return taps

    return min((tuple(tried) for count in range(3) for tried in product(_SWAPS, repeat=count)), key=left)


def _stroke(cell: HexCell, wrong: Mapping[HexCell, Terrain], truth: Mapping[HexCell, CellReading]) -> Sequence[HexCell]:
    """Return a finger's way from a wrong cell over others of its terrain, each next to the last, few of them right.

    It goes over no cell twice.
    """
    way = [cell]
    while len(way) < _FARTHEST:
        ahead = [
            next_one
            for next_one in (way[-1].neighbour(edge) for edge in range(6))
            if next_one in truth and next_one not in way and truth[next_one].terrain is truth[cell].terrain
        ]
        if not ahead:
            break
        beside = [sum(one.neighbour(edge) in wrong.keys() - set(way) for edge in range(6)) for one in ahead]
        way.append(max(zip(ahead, beside, strict=True), key=lambda pair: (pair[0] in wrong, -pair[1]))[0])
    while way[-1] not in wrong:
        way.pop()
    return way


class SettingUp:
    """One person's whole way through the page, from the camera's picture to a table in use."""

    def __init__(self, person: Person, known: Known, look: Callable[[Image], None]) -> None:
        """`look` points the camera at a picture."""
        self._person, self._known, self._look = person, known, look
        #: Taps by step, in order.
        self.by_step: dict[str, int] = {}

    def go(self) -> None:
        """Set the table up."""
        for step in (
            self._photograph,
            self._corners,
            self._terrain,
            self._sites,
            self._pieces,
            self._tracks,
            self._save,
        ):
            before = self._person.taps
            step()
            self.by_step[step.__name__.strip("_")] = self._person.taps - before

    def _at(self, step: str) -> Callable[[], bool]:
        return lambda: self._person.sees(f"[data-step={step}] h2")

    def _photograph(self) -> None:
        self._look(self._known.empty)
        self._person.rest(lambda: self._person.sees("#faults li"))
        sought = ("#corners-right", "#two-grids", "#not-empty", "#not-sought", "[data-step=terrain] h2")
        self._person.tap("#photograph", lambda: any(map(self._person.sees, sought)))

    def _corners(self) -> None:
        person = self._person
        if not self._is_found:
            if self._at("terrain")():
                person.tap("#sought [data-go=corners]", self._at("corners"))
            for cell, (x, y) in self._known.corners.items():
                person.drag(f"Corner {cell}", x, y)
            person.rest(lambda: any(map(person.sees, ("#corners-right", "#two-grids", "#not-empty"))))
        if person.sees("#two-grids"):  # the corners are where they should be
            person.tap("[data-take=clicked]")
        if person.sees("#not-empty"):
            person.tap("#insist")
        if not self._at("terrain")():
            person.tap("#corners-right", self._at("terrain"))

    @property
    def _is_found(self) -> bool:
        """Whether the board was found by itself, and in the right place."""
        if self._person.sees("#not-sought"):
            return False
        corners = self._person.state()["corners"]
        off = [np.subtract(corners[str(cell)], place) for cell, place in self._known.corners.items()]
        return bool(np.hypot(*np.array(off).T).max() < _ON_CELL * self._known.side_px)

    def _terrain(self) -> None:
        person, truth = self._person, by_hexagon(self._known.ground.cells)
        stage = person.page.locator("#terrain-stage")
        for one, other in _swaps(person.state()["ground"]["terrain"], truth):
            person.tap(f"[data-swap='{one} {other}']")
        while wrong := self._wrong_terrain():
            if self._swiped(dict(wrong)):
                continue
            person.check(person.page.locator("[name=tap][value=terrain]"))
            cell, true = wrong[0]
            for _ in _TERRAINS[1:]:
                person.press(stage.locator(f"[data-cell={cell}]"))
                if person.state()["ground"]["terrain"][str(cell)] == true:
                    break

    def _sites(self) -> None:
        person, stage = self._person, self._person.page.locator("#terrain-stage")
        while not_sites := self._wrong_sites():
            card = next(
                (f"#doubtful [data-cell={cell}]" for cell in not_sites if person.sees(f"#doubtful [data-cell={cell}]")),
                None,
            )
            if card is not None:
                person.tap(card)
                continue
            person.check(person.page.locator("[name=tap][value=site]"))
            person.press(stage.locator(f"[data-cell={not_sites[0]}]"))
        person.tap("[data-step=terrain] [data-go=teach]", self._at("teach"))

    def _swiped(self, wrong: Mapping[HexCell, Terrain]) -> bool:
        """Swipe over wrong cells of one terrain, if there are many next to one another."""
        truth = by_hexagon(self._known.ground.cells)
        strokes = [_stroke(cell, wrong, truth) for cell in wrong]
        best = max(strokes, key=lambda stroke: len(wrong.keys() & set(stroke)))
        if len(wrong.keys() & set(best)) < _SWIPED:
            return False
        kind = truth[best[0]].terrain
        self._person.check(self._person.page.locator(f"[name=tap][value={kind}]"))
        self._person.swipe([f"#terrain-stage [data-cell={cell}]" for cell in best])
        return True

    def _wrong_terrain(self) -> list[tuple[HexCell, Terrain]]:
        """Return the cells whose terrain is wrong, with the right one."""
        said = self._person.state()["ground"]["terrain"]
        true = {cell: read.terrain for cell, read in by_hexagon(self._known.ground.cells).items()}
        return [(cell, kind) for cell, kind in true.items() if kind is not None and kind != said[str(cell)]]

    def _wrong_sites(self) -> list[HexCell]:
        """Return the cells that are wrongly shown as sites or not, first the sites that are not shown."""
        sites, truth = self._person.state()["ground"]["sites"], by_hexagon(self._known.ground.cells)
        wrong = [cell for cell in truth if (str(cell) in sites) != bool(truth[cell].site)]
        return sorted(wrong, key=lambda cell: not truth[cell].site)

    def _pieces(self) -> None:
        person = self._person
        self._look(self._known.shown)
        person.tap("#teach", lambda: bool(person.state()["lessons"]))
        Pieces(person, self._known.pieces).put_right()
        person.tap(
            "[data-step=teach] [data-go=next]",
            lambda: any(map(person.sees, map("[data-step={}] h2".format, ("tracks", "panel", "save")))),
        )

    def _tracks(self) -> None:
        person, wanted = self._person, self._known.track_ends_px
        if not self._at("tracks")():
            if self._are_tracks_right:
                return
            person.tap("#tracks-again [data-go=tracks]", self._at("tracks"))
        for color, ends in wanted.items():
            for field, (x, y) in zip(("0", "10"), ends, strict=True):
                if self._is_end_right(person.state(), color, field, (x, y)):
                    continue
                chosen = person.page.locator(f"[data-track={color.value}]")
                if chosen.get_attribute("aria-pressed") != "true":
                    person.tap(chosen)
                person.drag(f"{color.value.capitalize()} {field}", x, y)
        marked = person.state()["lessons"][0]["markers"]
        for color_name, field in marked.items():
            true = self._known.pieces.tracks[Color(color_name)]
            steps = (-1 if true is None else true) - (-1 if field is None else field)
            for _ in range(abs(steps)):
                person.tap(f"[data-by='0 {color_name} {1 if steps > 0 else -1}']")
        person.tap("[data-step=tracks] .main", lambda: self._at("panel")() or self._at("save")())

    def _is_end_right(self, state: Mapping[str, Any], color: Color, field: str, place: Point) -> bool:
        at = state["tracks"].get(color.value, {}).get(field)
        return at is not None and bool(np.hypot(*np.subtract(at, place)) <= _ON_FIELD * self._known.side_px)

    @property
    def _are_tracks_right(self) -> bool:
        """Whether the day tracks and the markers on them are drawn in the right places."""
        state, marked = self._person.state(), self._known.pieces.tracks
        ends = [
            self._is_end_right(state, color, field, place)
            for color, both in self._known.track_ends_px.items()
            for field, place in zip(("0", "10"), both, strict=True)
        ]
        markers = state["lessons"][0]["markers"]
        return all(ends) and all(markers[color] == marked[Color(color)] for color in markers)

    def _save(self) -> None:
        person = self._person
        if self._at("panel")():
            person.tap("[data-step=panel] .main", self._at("save"))
        person.rest(lambda: person.sees("#judged"))
        person.leave("#save-form [type=submit]", "/keeper")
