"""What a network can send to the pages: anything at all, and bodies that are nearly right for each route."""

import json
from typing import Any

from hypothesis import strategies as st

from tests.web.whole import PIN

WORDS = st.sampled_from(
    ["G7", "g7", "Z99", "pause", "done", "correct", "start", "yes", "undo", "lay", "press", "button", "1", "0", "-1",
     "999999999999", "10" * 20, "..", "../../etc/passwd", "base.css", "%00", "a/b", "<script>", "é", "\N{PILE OF POO}",
     "after", "before", "standard", "sheet.pdf", "x" * 3000]
)  # fmt: skip
NAMES = st.sampled_from(
    ["pin", "name", "cell", "contents", "moves", "done", "confirmed", "again", "rules", "players", "options", "on",
     "tile", "color", "day", "kind", "merchants", "edges", "red", "first_days", "corners", "cells", "table"]
)  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | WORDS
    | st.sampled_from(["red", "pink", PIN, "road", "settlement", "city", "plain", "ever"])
)  # fmt: skip
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(max_size=8), inner, max_size=4)
)
BODIES = (
    st.binary(max_size=200)
    | st.dictionaries(NAMES, VALUES, max_size=5).map(lambda value: json.dumps(value).encode())
    | VALUES.map(lambda value: json.dumps(value).encode())
    | st.sampled_from([b"[" * 5000, b'{"a":' * 3000, b"\xff\xfe{", b'{"cell": "G7", "cell": "G8"}', b"NaN", b"1e999"])
)
TYPES = st.sampled_from(
    ["application/json"] * 4 + ["", "text/plain", "multipart/form-data", "application/json; charset=x"]
)
QUERIES = st.dictionaries(
    st.sampled_from(["cell", "are", "with", "page", "rules", "n", "drawn", "move", "language", "q"]),
    WORDS | st.text(max_size=30),
    max_size=3,
)

COLORS = st.sampled_from(["black", "grey", "yellow", "red"]) | LEAVES
TILES = st.none() | LEAVES | st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["road", "settlement", "workshop"]) | LEAVES,
        "type": st.sampled_from(["city", "hamlet"]) | LEAVES,
        "color": COLORS,
        "terrain": st.sampled_from(["plain", "hill"]) | LEAVES,
        "shape": st.sampled_from(["straight", "bend"]) | LEAVES,
        "edges": st.lists(st.integers(-1, 6), max_size=3) | LEAVES,
    },
)  # fmt: skip
COUNTS = st.integers(-2, 14) | LEAVES
CONTENTS = LEAVES | st.fixed_dictionaries(
    {}, optional={"tile": TILES, "merchants": st.dictionaries(COLORS.map(str), COUNTS, max_size=3) | LEAVES}
)
PLAYERS = st.lists(
    st.fixed_dictionaries({}, optional={"name": st.text(max_size=60) | LEAVES, "color": COLORS}) | LEAVES, max_size=6
)
OPTIONS = LEAVES | st.fixed_dictionaries(
    {},
    optional={
        "end": st.sampled_from(["now", "ever"]) | LEAVES,
        "hints": st.booleans() | LEAVES,
        "first_days": st.dictionaries(COLORS.map(str), COUNTS, max_size=3) | LEAVES,
    },
)
POINTS = st.lists(st.floats(-1e9, 1e9) | st.integers(-(10**9), 10**9) | LEAVES, max_size=3) | LEAVES
CORNERS = dict.fromkeys(("A1", "A7", "M7", "M1"), POINTS)
NAMES = st.text(max_size=300) | LEAVES
LAND = st.sampled_from(["hill", "forest", "sea"]) | LEAVES
#: What a step of a set-up starts from.
VERSION: dict[str, st.SearchStrategy[Any]] = {"version": COUNTS}
UPLOAD: dict[str, st.SearchStrategy[Any]] = {"upload": WORDS | LEAVES, **VERSION}
#: Bodies that are nearly right, for each route that takes one.
NEARLY: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "/keeper/correct": {"cell": WORDS, "contents": CONTENTS, "done": st.booleans() | LEAVES},
    "/keeper/person": {"name": WORDS, "tune": WORDS, "language": WORDS, "color": WORDS},
    "/keeper/rename": {"from": WORDS, "to": WORDS, "join": st.booleans() | LEAVES},
    "/keeper/unrename": {"number": COUNTS},
    "/keeper/install-update": {"version": st.just("9.1.0") | WORDS},
    "/keeper/teach": {"on": st.booleans() | LEAVES},
    "/keeper/clock": {"on": st.booleans() | LEAVES},
    "/keeper/undo": {"moves": COUNTS},
    "/keeper/done": {"confirmed": st.booleans() | LEAVES},
    "/keeper/start": {
        "rules": st.sampled_from(["standard", "two-player", "danger", "silk-road"]) | LEAVES,
        "players": PLAYERS | LEAVES,
        "options": OPTIONS,
        "again": st.booleans() | LEAVES,
    },
    "/keeper/forget": {"game": COUNTS, "pictures": st.booleans() | LEAVES},
    "/keeper/session": {"pin": st.from_regex("[0-9]{6}", fullmatch=True) | LEAVES, "name": NAMES},
    "/table/lay": {"cell": WORDS, "tile": TILES},
    "/table/put": {"cell": WORDS, "color": COLORS},
    "/table/marker": {"color": COLORS, "day": COUNTS},
    "/table/button": {"on": st.booleans() | LEAVES},
    "/setup/board": {"board": st.sampled_from(["hexagon", "square"]) | WORDS | LEAVES, **VERSION},
    "/setup/more": {"table": WORDS | LEAVES, **VERSION},
    "/setup/tell": {
        "photo": COUNTS,
        "cell": WORDS,
        "piece": st.fixed_dictionaries(
            {},
            optional={
                "kind": st.sampled_from(["section", "snow", "mountain", "bare"]) | LEAVES,
                "color": WORDS | LEAVES,
                "number": COUNTS,
                "horse": st.booleans() | LEAVES,
                "dead_end": st.booleans() | LEAVES,
                "rays": st.lists(COUNTS, max_size=9) | LEAVES,
            },
        )
        | LEAVES,
        **VERSION,
    },
    "/setup/turn": {"by": COUNTS, **VERSION},
    "/setup/photograph": UPLOAD,
    "/setup/colors": {"colors": st.lists(COLORS, max_size=5) | LEAVES, **VERSION},
    "/setup/corners": {**CORNERS, **VERSION},
    "/setup/settle": {"take": st.sampled_from(["clicked", "beside", "both"]) | LEAVES, **VERSION},
    "/setup/insist": VERSION,
    "/setup/seek": VERSION,
    "/setup/paint": {"cells": st.lists(WORDS, max_size=4) | LEAVES, "terrain": LAND, **VERSION},
    "/setup/swap": {"one": LAND, "other": LAND, **VERSION},
    "/setup/ground": {"cell": WORDS, "terrain": LAND, "site": LEAVES, **VERSION},
    "/setup/teach": UPLOAD,
    "/setup/place": {**CORNERS, **VERSION},
    "/setup/put-away": VERSION,
    "/setup/forget": {"photo": COUNTS, **VERSION},
    "/setup/name": {"photo": COUNTS, "cells": st.lists(WORDS, max_size=4), "kind": WORDS, **VERSION},
    "/setup/correct": {"photo": COUNTS, "cell": WORDS, "contents": CONTENTS, **VERSION},
    "/setup/mark": {"photo": COUNTS, "color": COLORS, "field": COUNTS, **VERSION},
    "/setup/tracks": {
        **dict.fromkeys(("red", "black"), st.fixed_dictionaries({}, optional={"0": POINTS, "10": POINTS})),
        **VERSION,
    },
    "/setup/undo": VERSION,
    "/setup/judge": VERSION,
    "/setup/save": {"name": NAMES, **VERSION},
    "/setup/again": {
        "table": WORDS | LEAVES,
        "component": st.sampled_from(["cube-red", "road-pink", "settlement-city", "terrain"]) | LEAVES,
        **VERSION,
    },
    "/setup/use": {"table": WORDS | LEAVES, **VERSION},
    "/setup/check": {"table": WORDS | LEAVES},
    "/setup/panel": {"part": WORDS | LEAVES, **VERSION},
}
