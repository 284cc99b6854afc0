"""A made-up person at a set-up's page on a phone, who knows the truth, and taps as little as possible.

The page is used as people use it. What it shows is read from the state that it draws. Only the person knows the truth.
A drag counts as a tap.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from companion.board import (
    BARE,
    BadInputError,
    Color,
    Contents,
    HexCell,
    Reading,
    Road,
    Settlement,
    Tile,
    Workshop,
    by_hexagon,
)
from companion.board.notation import contents_from_json
from companion.setup.piles import renamed

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

#: When to give up on a step.
PATIENCE_S = 180.0
#: How often the page is looked at while it works.
_LOOK_MS = 20
#: The most rounds, with a correction each, before it is given up.
_MOST_ROUNDS = 150
#: The taps that it takes to give one cell a name: its card, and the name.
_A_NAME = 2
#: A page that is still loading has no body yet.
_IS_BUSY = "document.body?.classList.contains('busy') ?? true"
#: Whether a name is in sight: the names of a pile are side by side, and some are beyond its edge.
_IS_SEEN = "(one) => one.getBoundingClientRect().right <= one.parentElement.getBoundingClientRect().right"
#: For each pile: its cells, the names in sight, and those that a swipe shows.
_IN_PILES = f"""all => all.map((pile) => {{
    const [near, far] = [[], []];
    for (const one of pile.querySelectorAll("[data-kind]")) {{
        (one.checkVisibility() && ({_IS_SEEN})(one) ? near : far).push(one.dataset.kind);
    }}
    return [[...pile.querySelectorAll("[data-piece]")].map((one) => one.dataset.piece), near, far];
}})"""


class Person:
    """Somebody who taps, drags and waits on one page, and counts it. Belongs to one thread."""

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

    def leave(self, what: str, address: str) -> None:
        """Tap something that leads to another page, and wait until that is there."""
        began_s = time.monotonic()
        self.page.locator(what).locator("visible=true").first.click()
        self.taps += 1
        self.page.wait_for_url(lambda url: address in url, timeout=PATIENCE_S * 1000, wait_until="domcontentloaded")
        self.waited_s += time.monotonic() - began_s

    def check(self, box: Locator) -> None:
        """Tap the label of a choice, if it is not chosen yet."""
        if not box.is_checked():
            box.locator("xpath=ancestor::label").click()
            self.taps += 1

    def press(self, target: Locator) -> None:
        """Tap something small in a drawing."""
        target.dispatch_event("click")
        self.taps += 1
        self.rest()

    def drag(self, handle: str, x: float, y: float) -> None:
        """Drag a ring on a photograph to a place, in the photograph's pixels."""
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

    def swipe(self, over: Sequence[str]) -> None:
        """Draw a finger over these, in that order: one tap."""
        places: list[tuple[float, float]] = []
        for target in (self.page.locator(selector) for selector in over):
            if not places:
                target.scroll_into_view_if_needed()
            box = target.bounding_box()
            assert box is not None
            places.append((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
        self.page.mouse.move(*places[0])
        self.page.mouse.down()
        for place in places[1:]:
            self.page.mouse.move(*place, steps=4)
        self.page.mouse.up()
        self.taps += 1
        self.rest()

    def rest(self, then: Callable[[], bool] = lambda: True) -> None:
        """Wait until the page has done what was asked of it; the wait is counted."""
        began_s = time.monotonic()
        while self.page.evaluate(_IS_BUSY) or not then():
            if time.monotonic() - began_s > PATIENCE_S:
                wrong = self.page.locator("#wrong").text_content()
                raise TimeoutError(f"waited {PATIENCE_S:g} s; the page says {wrong!r}")
            self.page.wait_for_timeout(_LOOK_MS)
        self.waited_s += time.monotonic() - began_s

    def sees(self, selector: str) -> bool:
        """Whether something is in sight."""
        return self.page.locator(selector).locator("visible=true").count() > 0

    def state(self) -> dict[str, Any]:
        """Return the state that the page draws."""
        found: dict[str, Any] = self.page.evaluate("fetch('/setup/state.json').then((heard) => heard.json())")
        return found


class Pieces:
    """The step in which pieces are taught: piles are named, a tap each; then single pieces.

    It always ends, as a pile gets the same name only once, and a piece that was put right stays as it is.
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
        """Return the pile and the name on it that put most right for their taps; None if none puts anything right."""
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
            self._person.tap(".clear summary")
        if not name.evaluate(_IS_SEEN):
            self._person.taps += 1  # a swipe along the names
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
        """Name one cell's tile and put merchants on or take them off, in as few taps as possible."""
        held = self._held(cell)
        was = held.tile
        for kind in [] if _by_buttons(held, contents) else _names(was, contents):
            self._named(cell, kind)
        if isinstance(contents.tile, Road) and not isinstance(was, Road):
            said = self._held(cell).tile
            if said == contents.tile and self._person.sees("#picker"):
                self._person.tap("#picker-close")
            for kind in _names(said, contents):
                self._named(cell, kind)
        # Put on first: a cell with nothing left on it has no card.
        for color in sorted(Color, key=lambda color: contents.merchants[color] == 0):
            self._count(cell, color, contents.merchants[color])

    def _count(self, cell: HexCell, color: Color, wanted: int) -> None:
        """Put merchants on a cell, or take them off: a tap on their button does that with one, or with all."""
        said, page = self._held(cell).merchants[color], self._person.page
        if said == wanted:
            return
        if wanted <= 1:
            button = page.locator(f"[data-cube='{cell} {color}']")
            if not button.is_visible():
                self._person.tap(".clear summary")
            for _ in range(2 if said and wanted else 1):
                self._person.tap(button)
            return
        self._open(cell)
        for _ in range(abs(wanted - said)):
            self._person.tap(f"#picker [data-by='{color} {1 if wanted > said else -1}']")
        self._person.tap("#picker-close")

    def _held(self, cell: HexCell) -> Contents:
        return self._said().get(str(cell), BARE)

    def _named(self, cell: HexCell, kind: str) -> None:
        """Give one cell that name, in one tap if its card has it, or its pile if it is alone there."""
        page = self._person.page
        alone = f"[data-pile]:has(li:only-child [data-piece={cell}]) .names [data-kind={kind}]"
        if not page.locator("#picker").is_visible():
            for near in (f"[data-other='{cell} {kind}']", alone):
                name = page.locator(near).locator("visible=true")
                if name.count() and name.first.evaluate(_IS_SEEN):
                    self._person.tap(name.first)
                    return
        self._open(cell)
        self._person.tap(f"#picker [data-kind={kind}]")

    def _open(self, cell: HexCell) -> None:
        person, page = self._person, self._person.page
        if not page.locator("#picker").is_visible():
            card = page.locator(f"[data-piece={cell}], [data-glance={cell}]").locator("visible=true")
            if card.count():
                person.tap(card)
            else:
                person.press(page.locator(f"#lessons .stage [data-cell={cell}]"))


def _called(contents: Contents) -> set[str]:
    """Return the names that a person might give it."""
    match contents.tile:
        case Settlement(type=kind):
            return {f"settlement-{kind}"}
        case Workshop(color=color):
            return {f"workshop-{color}"}
        case Road(color=color, terrain=terrain):
            return {f"color-{color}", f"terrain-{terrain}"}
        case _:
            return {f"{what}-{color}" for color in contents.merchants for what in ("cube", "color")} or {"nothing"}


def _by_buttons(held: Contents, contents: Contents) -> bool:
    """Whether a bare cell's merchants take no more taps by their buttons than by a name, which takes two."""
    if held.tile is not None or contents.tile is not None or held == BARE:
        return False
    return sum(held.merchants[color] != contents.merchants[color] for color in Color) <= _A_NAME


def _names(was: Tile | None, contents: Contents) -> list[str]:
    """Return the names that turn a cell into that, merchants on tiles aside; what is no road yet first becomes one."""
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
    """Return how many things are wrong about what is on a cell."""
    merchants = int(said.merchants != true.merchants)
    if isinstance(said.tile, Road) and isinstance(true.tile, Road):
        pairs = ((said.tile.color, true.tile.color), (said.tile.terrain, true.tile.terrain))
        return merchants + sum(one != other for one, other in (*pairs, (said.tile.edges, true.tile.edges)))
    return merchants + (0 if said.tile == true.tile else 2 if Road in map(type, (said.tile, true.tile)) else 1)


def _only(lies: Mapping[str, Any]) -> dict[str, Any]:
    return {name: lies[name] for name in ("tile", "merchants") if name in lies}
