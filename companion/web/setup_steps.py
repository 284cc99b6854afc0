"""The set-up's steps for any board, and for a board of hexagons: each takes its body and says what happened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from companion.board import BadInputError, Color, Terrain
from companion.board.fields import flag, mapping, only, text, whole, word
from companion.board.notation import LAST_FIELD
from companion.keeping import proper_contents
from companion.setup.components import Component
from companion.setup.wizard import Use, Wizard
from companion.web.languages import _
from companion.web.setup_squares import Steps, photo_of, square_steps

_FARTHEST_PX = 100_000


class PanelTest(Protocol):
    """Lamps, buzzer and button at the table, to be tried one by one."""

    @property
    def parts(self) -> tuple[str, ...]:
        """What can be shown or played: "right", "wrong", ... and "turn-red", ...; empty without a panel."""

    def listen(self) -> int:
        """Return how often the button was pressed so far; whoever presses within the next seconds only tries it."""

    def show(self, part: str) -> None:
        """Show or play one of the parts."""


def steps_of(wizard: Wizard, panel: PanelTest | None) -> Steps:
    """Return all steps but `check`."""
    return {**square_steps(wizard), **AnySteps(wizard, panel).steps, **HexSteps(wizard).steps}


class AnySteps:
    """The steps of every board; `panel` is tried where there is one."""

    def __init__(self, wizard: Wizard, panel: PanelTest | None) -> None:
        self._wizard, self._panel = wizard, panel

    @property
    def steps(self) -> Steps:
        """By its name, what takes each step."""
        return {
            "photograph": (frozenset(), self.photograph),
            "corners": (None, self.corners),
            "settle": (frozenset({"take"}), self.settle),
            "teach": (frozenset(), self.teach),
            "forget": (frozenset({"photo"}), self.forget),
            "judge": (frozenset(), self.judge),
            "save": (frozenset({"name"}), self.save),
            "use": (frozenset({"table"}), self.use),
            "panel": (frozenset({"part"}), self.show),
        }

    def photograph(self, body: Mapping[str, Any]) -> str:
        """Take the live picture for the empty board's photograph."""
        self._wizard.freeze()
        return ""

    def corners(self, body: Mapping[str, Any]) -> str:
        """Find the board by the places of its corner cells."""
        board = self._wizard.board
        only(body, {str(cell) for cell in board.corners}, "corners")
        if len(body) < len(board.corners):
            raise BadInputError("corners names too few cells; put all four on the board's corner cells", "corners")
        self._wizard.find({board.cell(name): _place(at, name) for name, at in body.items()})
        return ""

    def settle(self, body: Mapping[str, Any]) -> str:
        """Take one of the two grids that are in doubt."""
        take = body.get("take")
        if take not in ("clicked", "beside"):
            raise BadInputError(f"take is {take!r:.40}; it should be clicked or beside")
        self._wizard.settle(take == "beside")
        return ""

    def teach(self, body: Mapping[str, Any]) -> str:
        """Take the live picture for a photograph of components."""
        self._wizard.teach()
        return ""

    def forget(self, body: Mapping[str, Any]) -> str:
        """Take a photograph of components back."""
        self._wizard.forget(photo_of(body))
        return ""

    def judge(self, body: Mapping[str, Any]) -> str:
        """Look through what was taught."""
        self._wizard.judge()
        return ""

    def save(self, body: Mapping[str, Any]) -> str:
        """Keep the table, and play on it."""
        _stored, use = self._wizard.save(text({"name": "", **body}, "name", "a name of at most 200 characters", 200))
        return _used(use)

    def use(self, body: Mapping[str, Any]) -> str:
        """Play on a saved table."""
        return _used(self._wizard.take(_table(body)))

    def show(self, body: Mapping[str, Any]) -> str:
        """Let lamps and buzzer show and play a part."""
        part, panel = text(body, "part", "what to show"), self._panel
        if panel is None or part not in panel.parts:
            raise BadInputError(f"part is {part!r:.40}; there are {', '.join(panel.parts if panel else ()) or 'none'}")
        panel.show(part)
        return ""


class HexSteps:
    """The steps of a board of hexagons."""

    def __init__(self, wizard: Wizard) -> None:
        self._wizard = wizard

    @property
    def steps(self) -> Steps:
        """By its name, what takes each step."""
        return {
            "colors": (frozenset({"colors"}), self.colors),
            "ground": (frozenset({"cell", "terrain", "site"}), self.ground),
            "correct": (frozenset({"photo", "cell", "contents"}), self.correct),
            "learn": (frozenset({"photo"}), self.learn),
            "mark": (frozenset({"photo", "color", "field"}), self.mark),
            "tracks": (None, self.tracks),
            "again": (frozenset({"table", "component"}), self.again),
        }

    def colors(self, body: Mapping[str, Any]) -> str:
        """Say which colours are in play."""
        named = body.get("colors")
        if not isinstance(named, list) or len(named) > len(Color):
            raise BadInputError(f"colors is {named!r:.60}; it should be a list of colours")
        self._wizard.begin(tuple(word(Color, name, "colors") for name in named))
        return ""

    def ground(self, body: Mapping[str, Any]) -> str:
        """Put a cell of the empty board right."""
        cell = self._wizard.board.cell(text(body, "cell", "a cell's name"))
        self._wizard.ground(cell, word(Terrain, body.get("terrain"), "terrain"), flag(body, "site"))
        return ""

    def correct(self, body: Mapping[str, Any]) -> str:
        """Put right what lies on a cell of a photograph."""
        cell = self._wizard.board.cell(text(body, "cell", "a cell's name"))
        self._wizard.correct(photo_of(body), cell, proper_contents(body.get("contents"), f"cell {cell}"))
        return ""

    def learn(self, body: Mapping[str, Any]) -> str:
        """Read the rest of a photograph by what was put right on it."""
        self._wizard.learn(photo_of(body))
        return ""

    def mark(self, body: Mapping[str, Any]) -> str:
        """Say on which field of its day track a marker stands."""
        field = body.get("field")
        place = None if field is None else whole(field, "field", 0, LAST_FIELD)
        self._wizard.mark(photo_of(body), word(Color, body.get("color"), "color"), place)
        return ""

    def tracks(self, body: Mapping[str, Any]) -> str:
        """Say where the day tracks lie."""
        found = {}
        for name, ends in body.items():
            said = mapping(ends, f"tracks: {name}")
            only(said, {"0", "10"}, f"tracks: {name}")
            found[word(Color, name, "tracks")] = _place(said.get("0"), "field 0"), _place(said.get("10"), "field 10")
        self._wizard.track(found)
        return ""

    def again(self, body: Mapping[str, Any]) -> str:
        """Begin to teach one component of a saved table again."""
        component = Component.named(text(body, "component", "a component's name"))
        self._wizard.again(_table(body), component)
        return ""


def _table(body: Mapping[str, Any]) -> str:
    return text(body, "table", "the key of a saved table", 120)


def _used(use: Use) -> str:
    said = {
        Use.NOW: _("This table is now in use."),
        Use.NEXT_START: _("A game is going on. This table will be used the next time Strada starts."),
        Use.SETTINGS: _("The settings name another table. Remove table.folder from them and start Strada again."),
    }
    return said[use]


def _place(value: object, where: str) -> tuple[float, float]:
    """Return a place in pixels; raises BadInputError for anything but two numbers of sensible size."""
    if (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(part, int | float) and not isinstance(part, bool) for part in value)
        and all(abs(part) < _FARTHEST_PX for part in value)
    ):
        return float(value[0]), float(value[1])
    raise BadInputError(f"{where} is {value!r:.60}; it should be two numbers of pixels, [right, down]")
