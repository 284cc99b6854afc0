"""The set-up: its page, its pictures and its steps. POST /setup/<step> with a small JSON body; for keepers alone.

| step | body | what happens |
| --- | --- | --- |
| board | {"board": "square"} | that kind of board lies there: "hexagon" or "square" |
| photograph | | the live picture is the empty board's photograph |
| colors | {"colors": ["red", ...]} | those are in play |
| corners | {"A1": [x, y], ... the four corner cells} | the board is found, its terrain proposed |
| ground | {"cell": "G7", "terrain": "hill", "site": false} | a cell of the board is put right |
| teach | | the live picture shows components: they are proposed |
| forget | {"photo": 0} | that photograph of components is taken back |
| correct | {"photo": 0, "cell": "G7", "contents": {...}} | what lies there is put right |
| tell | {"photo": 0, "cell": "B3", "piece": {...}} | what lies on a square, as companion.web.setup_squares has it |
| learn | {"photo": 0} | the rest of the photograph is proposed anew by what was put right |
| mark | {"photo": 0, "color": "red", "field": 3} | where a marker stands |
| tracks | {"red": {"0": [x, y], "10": [x, y]}, ...} | where the day tracks lie |
| judge | | what can hardly be told apart |
| save | {"name": "Kitchen"} | the table is kept, and played on |
| again | {"table": "...", "component": "cube-red"} | one component of a saved table is taught again |
| more | {"table": "..."} | a saved table with a board of squares is taught on |
| check, use | {"table": "..."} | whether a saved table still fits; it is played on |
| panel | {"part": "right"} | lamps and buzzer show and play that |

Places are pixels of the photograph. All but `check` answer with the state as GET /setup/state.json has it. Each may
say the `version` of the state that it goes on from: where somebody else has changed it since, nothing is done, and the
answer is 409, with the state as it is now.
"""

from __future__ import annotations

import threading
from typing import Any, Protocol

from flask import Flask, Response, jsonify, render_template, request

from companion.board import BadInputError, Color, Terrain
from companion.board.fields import mapping, whole, word
from companion.board.notation import LAST_FIELD
from companion.setup.components import Component
from companion.setup.state import fit_to_json, state_of
from companion.setup.wizard import Use, Wizard
from companion.web.bodies import answered, complained, flag, not_json, only, plain, text
from companion.web.house import House
from companion.web.keeper import proper_contents
from companion.web.keepers import DIGITS, MOST_NAME
from companion.web.languages import _
from companion.web.misfits import misfit
from companion.web.sessions import keeper_here, the_keeper
from companion.web.setup_pictures import add_pictures
from companion.web.setup_squares import Steps, photo_of, square_steps

_FARTHEST_PX = 100_000
#: How long a step waits for another one, in seconds.
_PATIENCE_S = 20


class PanelTest(Protocol):
    """Lamps, buzzer and button at the table, to be tried one by one."""

    @property
    def parts(self) -> tuple[str, ...]:
        """What can be shown or played: "right", "wrong", ... and "turn-red", ...; empty without a panel."""

    def listen(self) -> int:
        """Return how often the button was pressed so far; whoever presses within the next seconds only tries it."""

    def show(self, part: str) -> None:
        """Show or play one of the parts."""


def add_setup(app: Flask, house: House, wizard: Wizard, panel: PanelTest | None) -> None:
    """Add the page, the pictures and the steps."""
    steps = _steps(wizard, panel)
    #: Steps take seconds of work: one at a time, so that a page that asks often does not tie up all threads.
    busy = threading.Lock()
    add_pictures(app, house, wizard)

    @app.get("/setup")
    def setup() -> str:
        if keeper_here(house.keepers) is None:
            return render_template("door.html", digits=DIGITS, most_name=MOST_NAME, is_drawn=house.table is not None)
        return render_template("setup.html", parts=() if panel is None else panel.parts)

    @app.get("/setup/state.json")
    def setup_state() -> Response:
        the_keeper(house.keepers)
        return jsonify(state_of(wizard))

    @app.get("/setup/live.json")
    def setup_live() -> Response:
        the_keeper(house.keepers)
        presses = {"presses": panel.listen()} if panel is not None and "presses" in request.args else {}
        return jsonify(faults=[fault.value for fault in wizard.faults()], **presses)

    @app.post("/setup/<step>")
    def setup_step(step: str) -> Response:
        the_keeper(house.keepers)
        if step not in steps and step != "check":
            known = ", ".join([*steps, "check"])
            unknown = _("There is no step %(step)r here; there are %(known)s.", step=step[:40], known=known)
            return answered(unknown, 404)
        if (wrong := not_json()) is not None:
            return wrong
        if not busy.acquire(timeout=_PATIENCE_S):
            return answered(_("The set-up is busy with another step; try again."), 503)
        try:
            if step == "check":
                return _checked(wizard)
            fields, obey = steps[step]
            body = plain(request.get_data())
            version = body.pop("version", None)
            if version is not None and whole(version, "version", 0, None) != wizard.now.version:
                stale = _("Somebody else has changed the set-up meanwhile. Look at it, then go on.")
                return answered(stale, 409, **state_of(wizard))
            if fields is not None:
                only(body, fields, step)
            message = obey(body)
        except BadInputError as error:
            return complained(error)
        except OSError as error:
            return answered(_("The table could not be saved: %(why)s.", why=error.strerror or str(error)), 507)
        finally:
            busy.release()
        return answered(message, **state_of(wizard))


def _checked(wizard: Wizard) -> Response:
    body = plain(request.get_data())
    only(body, {"table"}, "check")
    fit = wizard.still_fits(text(body, "table", "the key of a saved table", 120))
    return answered("", why=misfit(fit), **fit_to_json(fit))


def _steps(wizard: Wizard, panel: PanelTest | None) -> Steps:
    def photograph(body: dict[str, Any]) -> str:
        wizard.freeze()
        return ""

    def colors(body: dict[str, Any]) -> str:
        named = body.get("colors")
        if not isinstance(named, list) or len(named) > len(Color):
            raise BadInputError(f"colors is {named!r:.60}; it should be a list of colours")
        wizard.begin(tuple(word(Color, name, "colors") for name in named))
        return ""

    def corners(body: dict[str, Any]) -> str:
        only(body, {str(cell) for cell in wizard.board.corners}, "corners")
        if len(body) < len(wizard.board.corners):
            raise BadInputError("corners names too few cells; put all four on the board's corner cells", "corners")
        wizard.find({wizard.board.cell(name): _place(at, name) for name, at in body.items()})
        return ""

    def ground(body: dict[str, Any]) -> str:
        cell = wizard.board.cell(text(body, "cell", "a cell's name"))
        wizard.ground(cell, word(Terrain, body.get("terrain"), "terrain"), flag(body, "site"))
        return ""

    def teach(body: dict[str, Any]) -> str:
        wizard.teach()
        return ""

    def forget(body: dict[str, Any]) -> str:
        wizard.forget(photo_of(body))
        return ""

    def correct(body: dict[str, Any]) -> str:
        cell = wizard.board.cell(text(body, "cell", "a cell's name"))
        wizard.correct(photo_of(body), cell, proper_contents(body.get("contents"), f"cell {cell}"))
        return ""

    def learn(body: dict[str, Any]) -> str:
        wizard.learn(photo_of(body))
        return ""

    def mark(body: dict[str, Any]) -> str:
        field = body.get("field")
        place = None if field is None else whole(field, "field", 0, LAST_FIELD)
        wizard.mark(photo_of(body), word(Color, body.get("color"), "color"), place)
        return ""

    def tracks(body: dict[str, Any]) -> str:
        found = {}
        for name, ends in body.items():
            said = mapping(ends, f"tracks: {name}")
            only(said, {"0", "10"}, f"tracks: {name}")
            found[word(Color, name, "tracks")] = _place(said.get("0"), "field 0"), _place(said.get("10"), "field 10")
        wizard.track(found)
        return ""

    def judge(body: dict[str, Any]) -> str:
        wizard.judge()
        return ""

    def save(body: dict[str, Any]) -> str:
        _stored, use = wizard.save(text({"name": "", **body}, "name", "a name of at most 200 characters", 200))
        return _used(use)

    def again(body: dict[str, Any]) -> str:
        component = Component.named(text(body, "component", "a component's name"))
        wizard.again(text(body, "table", "the key of a saved table", 120), component)
        return ""

    def use(body: dict[str, Any]) -> str:
        return _used(wizard.take(text(body, "table", "the key of a saved table", 120)))

    def show(body: dict[str, Any]) -> str:
        part = text(body, "part", "what to show")
        if panel is None or part not in panel.parts:
            raise BadInputError(f"part is {part!r:.40}; there are {', '.join(panel.parts if panel else ()) or 'none'}")
        panel.show(part)
        return ""

    return {
        **square_steps(wizard),
        "photograph": (frozenset(), photograph),
        "colors": (frozenset({"colors"}), colors),
        "corners": (None, corners),
        "ground": (frozenset({"cell", "terrain", "site"}), ground),
        "teach": (frozenset(), teach),
        "forget": (frozenset({"photo"}), forget),
        "correct": (frozenset({"photo", "cell", "contents"}), correct),
        "learn": (frozenset({"photo"}), learn),
        "mark": (frozenset({"photo", "color", "field"}), mark),
        "tracks": (None, tracks),
        "judge": (frozenset(), judge),
        "save": (frozenset({"name"}), save),
        "again": (frozenset({"table", "component"}), again),
        "use": (frozenset({"table"}), use),
        "panel": (frozenset({"part"}), show),
    }


def _used(use: Use) -> str:
    said = {
        Use.NOW: _("The table is played on from now on."),
        Use.NEXT_START: _("A game is going on: the table is played on when Strada starts next."),
        Use.SETTINGS: _("The settings name another table: take table.folder out of them, and start Strada again."),
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
