"""A made-up person who sets a table up on a phone: knows what is true, and taps as little as that needs.

The page is driven as people drive it. What it shows is read from the state that it draws; the truth is the person's own
knowledge, and nobody else is told it. A tap is a tap or a drag.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from calibration import TableFolder, align
from companion.board import (
    BARE,
    BadInputError,
    CellReading,
    Color,
    Contents,
    HexCell,
    Reading,
    Road,
    Settlement,
    Terrain,
    Tile,
    Workshop,
    by_hexagon,
)
from companion.board.notation import contents_from_json
from companion.setup.piles import renamed
from vision.light.flatten import Image

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

#: When to give up on a step.
PATIENCE_S = 180.0
#: How often the page is looked at while it works.
_LOOK_MS = 20
#: A day track's end that is this near its place, in cell sides, is on its field.
_ON_FIELD = 0.5
#: Nobody goes on for so many rounds of a correction each.
_MOST_ROUNDS = 150
#: Of piles: their cells, the names to be seen, and those that a tap shows.
_IN_PILES = """all => all.map((pile) => {
    const [near, far] = [[], []];
    for (const one of pile.querySelectorAll("[data-kind]")) (one.checkVisibility() ? near : far).push(one.dataset.kind);
    return [[...pile.querySelectorAll("[data-piece]")].map((one) => one.dataset.piece), near, far];
})"""
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
        setup, (empty, ground), (shown, pieces) = table.setup, table.load_empty(), table.load_teach()
        corners = by_hexagon(setup.clicks)
        view = align(empty, corners, setup.board.rings, setup.tracks, setup.lens, as_clicked=True)
        ends = {}
        for color, track in setup.tracks.items():
            (x0, y0), (x1, y1) = view.to_image(np.array(track)).tolist()
            ends[color] = ((x0, y0), (x1, y1))
        return cls(folder.name, empty, shown, corners, ground, pieces, ends, view.side_px)


class Person:
    """Taps, drags and waits on one page; counts them. Belongs to one thread."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = 0
        self.waited_s = 0.0

    def tap(self, what: Locator | str, then: Callable[[], bool] = lambda: True) -> None:
        """Tap something (a selector: the first that is visible), and wait until the page rests and `then` holds."""
        target = self.page.locator(what).locator("visible=true").first if isinstance(what, str) else what
        target.click()
        self.taps += 1
        self.rest(then)

    def check(self, box: Locator) -> None:
        """Tap a choice, if it is not chosen."""
        if not box.is_checked():
            box.check(force=True)
            self.taps += 1

    def uncheck(self, box: Locator) -> None:
        """Tap a choice that is chosen."""
        if box.is_checked():
            box.uncheck(force=True)
            self.taps += 1

    def press(self, target: Locator) -> None:
        """Tap something small in a drawing."""
        target.dispatch_event("click")
        self.taps += 1
        self.rest()

    def drag(self, handle: str, x: float, y: float) -> None:
        """Drag a ring of a photograph to a place, in the photograph's pixels."""
        ring = self.page.locator(f'[aria-label="{handle}"]').locator("visible=true").first
        ring.scroll_into_view_if_needed()
        places = ring.evaluate(
            """(ring, [x, y]) => {
                const m = ring.ownerSVGElement.getScreenCTM();
                const at = ring.transform.baseVal.consolidate().matrix;
                return [at.e * m.a + m.e, at.f * m.d + m.f, x * m.a + m.e, y * m.d + m.f];
            }""",
            [x, y],
        )
        self.page.mouse.move(*places[:2])
        self.page.mouse.down()
        self.page.mouse.move(*places[2:], steps=3)
        self.page.mouse.up()
        self.taps += 1
        self.rest()

    def rest(self, then: Callable[[], bool] = lambda: True) -> None:
        """Wait until the page has done what was asked of it; the wait is counted."""
        began_s = time.monotonic()
        while self.page.evaluate("document.body.classList.contains('busy')") or not then():
            if time.monotonic() - began_s > PATIENCE_S:
                wrong = self.page.locator("#wrong").text_content()
                raise TimeoutError(f"waited {PATIENCE_S:g} s; the page says {wrong!r}")
            self.page.wait_for_timeout(_LOOK_MS)
        self.waited_s += time.monotonic() - began_s

    def sees(self, selector: str) -> bool:
        """Whether something is there to be seen."""
        return self.page.locator(selector).locator("visible=true").count() > 0

    def state(self) -> dict[str, Any]:
        """Return what the page draws."""
        found: dict[str, Any] = self.page.evaluate("fetch('/setup/state.json').then((heard) => heard.json())")
        return found


class Pieces:
    """The step in which pieces are taught: piles are named, a tap each; then single pieces.

    It ends: the same pile is named the same only once, and a piece that was put right stays as it is.
    """

    def __init__(self, person: Person, truth: Reading) -> None:
        self._person, self._truth = person, truth
        self._true = {str(cell): truth.contents(cell) for cell in by_hexagon(truth.cells)}

    def put_right(self) -> None:
        """Correct what must be corrected on the first photograph; raises RuntimeError if that leads nowhere."""
        named: set[tuple[frozenset[str], str]] = set()
        for _ in range(_MOST_ROUNDS):
            while (best := self._best_name(named)) is not None:
                named.add(self._name(*best))
            wrong = self._wrong()
            if not wrong:
                return
            self.correct(wrong[0], self._truth.contents(wrong[0]))
        raise RuntimeError(f"{len(self._wrong())} cells are still wrong after {_MOST_ROUNDS} rounds")

    def _best_name(self, named: Collection[tuple[frozenset[str], str]]) -> tuple[Locator, Locator] | None:
        """Return the pile and the name on it that put most right for their taps, None where none puts anything."""
        said, best = self._said(), (0, 0)
        found: tuple[Locator, Locator] | None = None
        piles: list[list[list[str]]] = self._person.page.locator("[data-pile]").evaluate_all(_IN_PILES)
        for number, (cells, *kinds) in enumerate(piles):
            for taps, kind in ((taps, kind) for taps, group in enumerate(kinds, 1) for kind in group):
                if (frozenset(cells), kind) in named or not any(kind in _called(self._true[cell]) for cell in cells):
                    continue
                try:
                    gain = sum(self._gained(said[cell], renamed(said[cell], kind), cell) for cell in cells)
                except BadInputError:
                    continue
                if (gain, -taps) > max(best, (0, 0)):
                    pile = self._person.page.locator("[data-pile]").nth(number)
                    best, found = (gain, -taps), (pile, pile.locator(f"[data-kind={kind}]").first)
        return found

    def _gained(self, said: Contents, renamed: Contents, cell: str) -> int:
        return _off(said, self._true[cell]) - _off(renamed, self._true[cell])

    def _name(self, pile: Locator, name: Locator) -> tuple[frozenset[str], str]:
        """Give a pile a name; return its cells and that name."""
        cells: list[str] = pile.locator("[data-piece]").evaluate_all("all => all.map((one) => one.dataset.piece)")
        kind = name.get_attribute("data-kind") or ""
        if not name.is_visible():
            self._person.tap(pile.locator("summary"))
        self._person.tap(name)
        return frozenset(cells), kind

    def _said(self) -> dict[str, Contents]:
        lying = self._person.state()["lessons"][0]["lying"]
        return {name: contents_from_json(_only(lies), name) for name, lies in lying.items()}

    def _wrong(self) -> list[HexCell]:
        """Return the cells that are wrong, those with a card first."""
        lying = self._person.state()["lessons"][0]["lying"]
        said = {name: contents_from_json(_only(lies), name) for name, lies in lying.items()}
        wrong = [
            cell for cell in by_hexagon(self._truth.cells) if said.get(str(cell), BARE) != self._truth.contents(cell)
        ]
        return sorted(wrong, key=lambda cell: (str(cell) not in said, lying.get(str(cell), {}).get("sure", 0)))

    def correct(self, cell: HexCell, contents: Contents) -> None:
        """Name one cell's tile and take merchants on or off, as few taps as there are."""
        was = self._held(cell).tile
        for kind in _names(was, contents):
            self._named(cell, kind)
        if isinstance(contents.tile, Road) and not isinstance(was, Road):
            said = self._held(cell).tile
            if said == contents.tile:
                self._person.tap("#picker-close")
            for kind in _names(said, contents):
                self._named(cell, kind)
        for color in Color:
            self._count(cell, color, contents.merchants[color])

    def _count(self, cell: HexCell, color: Color, wanted: int) -> None:
        """Put merchants on a cell, or take them off: a tap on their button does that with one, or with all."""
        said, page = self._held(cell).merchants[color], self._person.page
        if said == wanted:
            return
        if wanted <= 1:
            for _ in range(2 if said and wanted else 1):
                self._person.tap(page.locator(f"[data-cube='{cell} {color}']"))
            return
        self._open(cell)
        for _ in range(abs(wanted - said)):
            self._person.tap(f"#picker [data-by='{color} {1 if wanted > said else -1}']")
        self._person.tap("#picker-close")

    def _held(self, cell: HexCell) -> Contents:
        return self._said().get(str(cell), BARE)

    def _named(self, cell: HexCell, kind: str) -> None:
        """Give one cell that name."""
        self._open(cell)
        self._person.tap(f"#picker [data-kind={kind}]")

    def _open(self, cell: HexCell) -> None:
        person, page = self._person, self._person.page
        if not page.locator("#picker").is_visible():
            card = page.locator(f"[data-piece={cell}]")
            if card.count():
                person.tap(card)
            else:
                person.press(page.locator(f"#lessons .stage [data-cell={cell}]"))


def _called(contents: Contents) -> set[str]:
    """Return what a person would call it."""
    match contents.tile:
        case Settlement(type=kind):
            return {f"settlement-{kind}"}
        case Workshop(color=color):
            return {f"workshop-{color}"}
        case Road(color=color, terrain=terrain):
            return {f"color-{color}", f"terrain-{terrain}"}
        case _:
            return {f"{what}-{color}" for color in contents.merchants for what in ("cube", "color")} or {"nothing"}


def _names(was: Tile | None, contents: Contents) -> list[str]:
    """Return the names that make that of a cell, merchants on tiles aside; of what is no road yet, that it is one."""
    tile = contents.tile
    if isinstance(tile, Settlement):
        return [f"settlement-{tile.type}"] if was != tile else []
    if isinstance(tile, Workshop):
        return [f"workshop-{tile.color}"] if was != tile else []
    if isinstance(tile, Road):
        if not isinstance(was, Road):
            return ["road"]
        told = {"color": tile.color, "terrain": tile.terrain, "way": "".join(map(str, tile.edges))}
        held = {"color": was.color, "terrain": was.terrain, "way": "".join(map(str, was.edges))}
        return [f"{name}-{which}" for name, which in told.items() if which != held[name]]
    first = next((color for color in Color if contents.merchants[color]), None)
    return [] if was is None and first is None else ["nothing" if first is None else f"cube-{first}"]


def _off(said: Contents, true: Contents) -> int:
    """Return how many things of what lies on a cell are off."""
    merchants = int(said.merchants != true.merchants)
    if isinstance(said.tile, Road) and isinstance(true.tile, Road):
        pairs = ((said.tile.color, true.tile.color), (said.tile.terrain, true.tile.terrain))
        return merchants + sum(one != other for one, other in (*pairs, (said.tile.edges, true.tile.edges)))
    return merchants + (0 if said.tile == true.tile else 2 if Road in map(type, (said.tile, true.tile)) else 1)


def _only(lies: Mapping[str, Any]) -> dict[str, Any]:
    return {name: lies[name] for name in ("tile", "merchants") if name in lies}


#: The buttons that swap the names of two terrains.
_SWAPS = (("forest", "hill"), ("plain", "forest"), ("plain", "hill"))


def _swaps(said: Mapping[str, str], truth: Mapping[HexCell, CellReading]) -> Sequence[tuple[str, str]]:
    """Return which terrains to swap, one after the other, so that the fewest taps are left."""

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


class SettingUp:
    """The whole way of one person through the page, from the camera's picture to a table that is played on."""

    def __init__(self, person: Person, known: Known, look: Callable[[Image], None]) -> None:
        """`look` points the camera at a picture."""
        self._person, self._known, self._look = person, known, look
        #: Taps by step, in order.
        self.by_step: dict[str, int] = {}

    def go(self) -> None:
        """Set the table up."""
        for step in (self._photograph, self._corners, self._terrain, self._pieces, self._tracks, self._save):
            before = self._person.taps
            step()
            self.by_step[step.__name__.strip("_")] = self._person.taps - before

    def _at(self, step: str) -> Callable[[], bool]:
        return lambda: self._person.sees(f"[data-step={step}] h2")

    def _photograph(self) -> None:
        self._look(self._known.empty)
        self._person.rest(lambda: self._person.sees("#faults li"))
        self._person.tap("#photograph", self._at("corners"))

    def _corners(self) -> None:
        person = self._person
        for cell, (x, y) in self._known.corners.items():
            person.drag(f"Corner {cell}", x, y)
        person.rest(lambda: any(map(person.sees, ("#corners-right", "#two-grids", "#not-empty"))))
        if person.sees("#two-grids"):  # the corners are where they should be
            person.tap("[data-take=clicked]")
        if person.sees("#not-empty"):
            person.tap("#insist")
        person.tap("#corners-right", self._at("terrain"))

    def _terrain(self) -> None:
        person, truth = self._person, by_hexagon(self._known.ground.cells)
        stage = person.page.locator("#terrain-stage")
        for one, other in _swaps(person.state()["ground"]["terrain"], truth):
            person.tap(f"[data-swap='{one} {other}']")
        while wrong := self._wrong_terrain():
            cell, taps = wrong[0]
            for _ in range(taps):
                person.press(stage.locator(f"[data-cell={cell}]"))
        while wrong := self._wrong_sites():
            card = next(
                (f"#doubtful [data-cell={cell}]" for cell in wrong if person.sees(f"#doubtful [data-cell={cell}]")),
                None,
            )
            if card is not None:
                person.tap(card)
                continue
            person.check(person.page.locator("[name=tap][value=site]"))
            person.press(stage.locator(f"[data-cell={wrong[0]}]"))
        person.tap("[data-step=terrain] [data-go=teach]", self._at("teach"))

    def _wrong_terrain(self) -> list[tuple[HexCell, int]]:
        """Return the cells whose terrain is wrong, with the taps that lead to the right one."""
        said = self._person.state()["ground"]["terrain"]
        wrong = []
        for cell, read in by_hexagon(self._known.ground.cells).items():
            assert read.terrain is not None
            taps = (_TERRAINS.index(read.terrain) - _TERRAINS.index(Terrain(said[str(cell)]))) % len(_TERRAINS)
            if taps:
                wrong.append((cell, taps))
        return wrong

    def _wrong_sites(self) -> list[HexCell]:
        """Return the cells whose site is wrong, those first that are one and are not shown as one."""
        sites, truth = self._person.state()["ground"]["sites"], by_hexagon(self._known.ground.cells)
        wrong = [cell for cell in truth if (str(cell) in sites) != bool(truth[cell].site)]
        return sorted(wrong, key=lambda cell: not truth[cell].site)

    def _pieces(self) -> None:
        person = self._person
        self._look(self._known.shown)
        person.tap("#teach", lambda: bool(person.state()["lessons"]))
        Pieces(person, self._known.pieces).put_right()
        person.tap("[data-step=teach] [data-go=next]", self._at("tracks"))

    def _tracks(self) -> None:
        person, wanted = self._person, self._known.track_ends_px
        for color, ends in wanted.items():
            for field, (x, y) in zip(("0", "10"), ends, strict=True):
                at = person.state()["tracks"].get(color.value, {}).get(field)
                if at is not None and np.hypot(at[0] - x, at[1] - y) <= _ON_FIELD * self._known.side_px:
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

    def _save(self) -> None:
        person = self._person
        if self._at("panel")():
            person.tap("[data-step=panel] .main", self._at("save"))
        person.rest(lambda: person.sees("#judged"))
        person.tap("#save-form [type=submit]", lambda: person.sees("#saved"))
        person.tap("#play", lambda: "/keeper" in person.page.url)
