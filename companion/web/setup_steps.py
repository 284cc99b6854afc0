"""The set-up's steps: what each one takes from its body, and what it asks of the wizard.

A piece on a board of squares comes as null (nothing is there), {"kind": "snow"}, {"kind": "mountain"}, or a section
with its rays as they point on the photograph: 0 is right, and each step is 45 degrees anticlockwise:

{"kind": "section", "color": "green", "number": 4, "horse": false, "rays": [0, 3], "dead_end": false}
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

from companion.board import BadInputError, Board, Cell, Color, LaidSection, Mountain, Section, Snow, Terrain, Tile
from companion.board.fields import fields, flag, items, mapping, only, text, whole, word
from companion.board.notation import LAST_FIELD
from companion.keeping import proper_contents
from companion.setup.components import Component
from companion.setup.finding import Point
from companion.setup.photos import decoded
from companion.setup.wizard import BOARDS, Wizard
from companion.web.keepers import proper_name
from companion.web.languages import _

Body = Mapping[str, Any]

#: The fields that each step's body may have, by the step's name (None for any), and the function that takes the step,
#: which gives a `Use` if the table is to be used.
Steps = Mapping[str, tuple[Collection[str] | None, Callable[[Body], object]]]

_FARTHEST_PX = 100_000
_MOST_NUMBER, _LONGEST_COLOR = 99, 24


class PanelTest(Protocol):
    """The lamps, buzzer and button at the table, to be tried one by one."""

    @property
    def parts(self) -> tuple[str, ...]:
        """What can be shown or played: "right", "wrong", ... and "turn-red", ...; empty without a panel."""

    def listen(self) -> int:
        """Return how often the button has been pressed. A press within the next seconds only tries the button."""

    def show(self, part: str) -> None:
        """Show or play one of the parts."""


def steps_of(wizard: Wizard, panel: PanelTest | None, sent: Callable[[str], bytes]) -> Steps:
    """Return all steps but `check`. `panel` is tried if there is one; `sent` gives a photograph that was uploaded."""

    def cell(body: Body) -> Cell:
        return wizard.board.cell(text(body, "cell", "a cell's name"))

    def board(body: Body) -> None:
        kind = body.get("board")
        if not isinstance(kind, str) or kind not in BOARDS:
            raise BadInputError(f"board is {kind!r:.40}; it should be one of {', '.join(BOARDS)}")
        wizard.lay(BOARDS[kind])

    def photo(body: Body) -> Any:
        """Return the photograph that was uploaded for this step; None if the live picture is meant."""
        return decoded(sent(text(body, "upload", "the name of an upload", 40))) if "upload" in body else None

    def turn(body: Body) -> None:
        by = body.get("by")
        if type(by) is not int or by not in (-1, 1):
            raise BadInputError(f"by is {by!r:.40}; it should be 1 or -1")
        wizard.turn(by)

    def settle(body: Body) -> None:
        take = body.get("take")
        if take not in ("clicked", "beside"):
            raise BadInputError(f"take is {take!r:.40}; it should be clicked or beside")
        wizard.settle(take == "beside")

    def show(body: Body) -> None:
        part = text(body, "part", "what to show")
        if panel is None or part not in panel.parts:
            raise BadInputError(f"part is {part!r:.40}; there are {', '.join(panel.parts if panel else ()) or 'none'}")
        panel.show(part)

    def ground(body: Body) -> None:
        terrain = word(Terrain, body.get("terrain"), "terrain")
        wizard.ground(cell(body), terrain, flag(body, "site"))

    def paint(body: Body) -> None:
        wizard.paint(cells(body), word(Terrain, body.get("terrain"), "terrain"))

    def swap(body: Body) -> None:
        wizard.swap(*(word(Terrain, body.get(name), name) for name in ("one", "other")))

    def correct(body: Body) -> None:
        place = cell(body)
        wizard.correct(_photo(body), place, proper_contents(body.get("contents"), f"cell {place}"))

    def cells(body: Body) -> set[Cell]:
        named = items(body.get("cells"), "cells")
        if not named or len(named) > len(wizard.board.cells):
            raise BadInputError("cells should name one cell of the board or more, each once")
        return {wizard.board.cell(text({"cell": one}, "cell", "a cell's name")) for one in named}

    def name(body: Body) -> None:
        wizard.name(_photo(body), cells(body), text(body, "kind", "what the pile is", 40))

    def mark(body: Body) -> None:
        field = body.get("field")
        place = None if field is None else whole(field, "field", 0, LAST_FIELD)
        wizard.mark(_photo(body), word(Color, body.get("color"), "color"), place)

    def again(body: Body) -> None:
        component = Component.named(text(body, "component", "a component's name"))
        wizard.again(table_key(body), component)

    any_board: Steps = {
        "board": ({"board"}, board),
        "turn": ({"by"}, turn),
        "photograph": ({"upload"}, lambda body: wizard.freeze(photo(body))),
        "corners": (None, lambda body: wizard.find(_corners(body, wizard.board))),
        "seek": ((), lambda body: wizard.seek()),
        "settle": ({"take"}, settle),
        "insist": ((), lambda body: wizard.insist()),
        "teach": ({"upload"}, lambda body: wizard.teach(photo(body))),
        "place": (None, lambda body: wizard.place(_corners(body, wizard.board))),
        "put-away": ((), lambda body: wizard.put_away()),
        "forget": ({"photo"}, lambda body: wizard.forget(_photo(body))),
        "undo": ((), lambda body: wizard.undo()),
        "judge": ((), lambda body: wizard.judge()),
        "save": ({"name"}, lambda body: wizard.save(_name(body))[1]),
        "use": ({"table"}, lambda body: wizard.take(table_key(body))),
        "panel": ({"part"}, show),
    }
    hexagons: Steps = {
        "colors": ({"colors"}, lambda body: wizard.begin(_colors(body))),
        "ground": ({"cell", "terrain", "site"}, ground),
        "paint": ({"cells", "terrain"}, paint),
        "swap": ({"one", "other"}, swap),
        "correct": ({"photo", "cell", "contents"}, correct),
        "name": ({"photo", "cells", "kind"}, name),
        "mark": ({"photo", "color", "field"}, mark),
        "tracks": (None, lambda body: wizard.track(dict(_track(name, ends) for name, ends in body.items()))),
        "again": ({"table", "component"}, again),
    }
    squares: Steps = {
        "tell": ({"photo", "cell", "piece"}, lambda body: wizard.tell(_photo(body), cell(body), _piece(body))),
        "more": ({"table"}, lambda body: wizard.go_on(table_key(body))),
    }
    return {**any_board, **hexagons, **squares}


def table_key(body: Body) -> str:
    """Return which saved table is meant."""
    return text(body, "table", "the key of a saved table", 120)


def _name(body: Body) -> str:
    """Return the table's name; if none is given, it is the word for a table in the person's language."""
    return text({"name": "", **body}, "name", "a name of at most 200 characters", 200).strip() or _("Table")


def _photo(body: Body) -> int:
    """Return which photograph of pieces is meant, counted from 0."""
    return whole(body.get("photo"), "photo", 0, None)


def _colors(body: Body) -> tuple[Color, ...]:
    named = body.get("colors")
    if not isinstance(named, list) or len(named) > len(Color):
        raise BadInputError(f"colors is {named!r:.60}; it should be a list of colours")
    return tuple(word(Color, name, "colors") for name in named)


def _corners(body: Body, board: Board) -> dict[Cell, Point]:
    only(body, {str(cell) for cell in board.corners}, "corners")
    if len(body) < len(board.corners):
        raise BadInputError("corners names too few cells; put all four on the board's corner cells", "corners")
    return {board.cell(name): _place(at, name) for name, at in body.items()}


def _track(name: str, ends: object) -> tuple[Color, tuple[Point, Point]]:
    said = mapping(ends, f"tracks: {name}")
    only(said, {"0", "10"}, f"tracks: {name}")
    return word(Color, name, "tracks"), (_place(said.get("0"), "field 0"), _place(said.get("10"), "field 10"))


def _place(value: object, where: str) -> Point:
    """Return a place in pixels. Raises BadInputError for anything but two numbers of sensible size."""
    if isinstance(value, list) and len(value) == 2 and all(type(part) in (int, float) for part in value):
        right, down = map(float, value)
        if abs(right) < _FARTHEST_PX and abs(down) < _FARTHEST_PX:
            return right, down
    raise BadInputError(f"{where} is {value!r:.60}; it should be two numbers of pixels, [right, down]")


def _piece(body: Body) -> Tile | None:
    """Return the piece that is said to be there, None for nothing. Raises BadInputError that says what is wrong."""
    if "piece" not in body:
        raise BadInputError("tell lacks the piece; say which lies there, or null for nothing")
    if body["piece"] is None:
        return None
    said = mapping(body["piece"], "piece")
    match said.get("kind"):
        case "snow":
            fields(said, "piece", {"kind"})
            return Snow()
        case "mountain":
            fields(said, "piece", {"kind"})
            return Mountain()
        case "section":
            return _section(fields(said, "piece", {"kind", "color", "number", "horse", "rays", "dead_end"}))
        case kind:
            raise BadInputError(f"piece: kind is {kind!r:.40}; it should be one of snow, mountain, section")


def _section(said: dict[str, object]) -> LaidSection:
    color = proper_name(text(said, "color", f"a colour of at most {_LONGEST_COLOR} characters", _LONGEST_COLOR))
    if not color:
        raise BadInputError("color is blank; say whose section it is", "no-color")
    rays = {whole(ray, "rays: one", 0, 7) for ray in items(said["rays"], "rays")}
    number = whole(said["number"], "number", 0, _MOST_NUMBER)
    section = Section("", number, flag(said, "horse"), tuple(sorted(rays)), flag(said, "dead_end"))
    return LaidSection(section, color)
