"""A second referee for Silk Road, written from the rules' text alone: plain dicts, every square checked every time.

It shares no code with the first referee, so a fault is unlikely to be in both. It only takes well-formed records.
"""

from typing import Any

ROWS, COLUMNS = "ABCDEF", "123456"
SQUARES = [row + column for row in ROWS for column in COLUMNS]
CORNERS = ["A1", "A6", "F1", "F6"]
INNER = [row + column for row in "BCDE" for column in "2345"]
#: How many rows down and columns to the right each ray leads: east, north-east, north, and on round.
STEPS = {0: (0, 1), 1: (-1, 1), 2: (-1, 0), 3: (-1, -1), 4: (0, -1), 5: (1, -1), 6: (1, 0), 7: (1, 1)}

Json = dict[str, Any]


def step(square: str, ray: int) -> str | None:
    """The square that a ray from this one points at; None beyond the rim."""
    down, right = STEPS[ray]
    row, column = ROWS.index(square[0]) + down, COLUMNS.index(square[1]) + right
    if row in range(6) and column in range(6):
        return ROWS[row] + COLUMNS[column]
    return None


#: Every square's neighbours by the ray that points at them.
BESIDE = {square: {ray: near for ray in STEPS if (near := step(square, ray))} for square in SQUARES}


def set_up_faults(board: Json) -> list[str]:
    """What is wrong with the snow and the mountains."""
    snow, mountains = board["snow"], board["mountains"]
    faults = set()
    if snow not in CORNERS:
        faults.add("snow-corner")
    if len({snow, *mountains}) != 5 or len(mountains) != 4:
        faults.add("mountain-count")
    for mountain in mountains:
        if mountain not in INNER:
            faults.add("mountain-rim")
        for near in BESIDE[mountain].values():
            if near == snow or near in mountains:
                faults.add("mountain-near")
    return sorted(faults)


class Game:
    """One table, changed by every move."""

    def __init__(self, record: Json) -> None:
        self.rules = record["rules"]
        self.lies: dict[str, Any] = dict.fromkeys(record["board"]["mountains"], "mountain")
        self.lies[record["board"]["snow"]] = "snow"
        self.order = [player["color"] for player in record["players"]]
        self.owner: dict[str, str] = {}
        self.shown: dict[str, Json] = {}
        for color, sections in record["sections"].items():
            for section in sections:
                self.owner[section["id"]] = color
                self.shown[section["id"]] = section
        self.used: list[str] = []
        self.out: list[str] = []
        self.player: str | None = self.order[-1]
        self.go_on()

    # turns

    def go_on(self) -> None:
        """Begin the next player's turn: someone who has not passed, has a section left and a square to put it on."""
        assert self.player is not None
        at, places = self.order.index(self.player), self.places()
        for player in self.order[at + 1 :] + self.order[: at + 1]:
            if player not in self.out and self.hand(player) and places:
                self.player = player
                return
        self.player = None

    def hand(self, player: str) -> list[str]:
        return [name for name, owner in self.owner.items() if owner == player and name not in self.used]

    def places(self) -> list[str]:
        ways = self.ways()
        return [square for square in SQUARES if square in ways and square not in self.lies]

    def ways(self) -> set[str | None]:
        """Every square next to the snow, and every square that a ray on the board points at."""
        ways: set[str | None] = set()
        for place, what in self.lies.items():
            if what == "snow":
                ways.update(BESIDE[place].values())
            elif what != "mountain":
                ways.update(BESIDE[place].get((ray + 2 * what["turn"]) % 8) for ray in what["rays"])
        return ways

    def move(self, move: Json) -> Json:
        violations = self.violations(move)
        if not violations:
            if "pass" in move:
                self.out.append(move["player"])
            else:
                self.used.append(move["section"])
                color = self.owner[move["section"]]
                self.lies[move["cell"]] = {**self.shown[move["section"]], "turn": move["turn"], "color": color}
            self.go_on()
        return {"legal": not violations, "violations": violations, "over": self.player is None}

    def violations(self, move: Json) -> list[str]:
        if self.player is None:
            return ["game-over"]
        if move["player"] != self.player:
            return ["not-your-turn"]
        found = []
        if "section" in move:
            if move["cell"] in self.lies:
                found.append("cell-occupied")
            if move["cell"] not in self.ways():
                found.append("no-way")
            if self.owner[move["section"]] != self.player:
                found.append("section-foreign")
            if move["section"] in self.used:
                found.append("section-used")
        return found

    # wealth

    def lines(self) -> list[list[str]]:
        return [[r + c for c in COLUMNS] for r in ROWS] + [[r + c for r in ROWS] for c in COLUMNS]

    def roads(self) -> list[list[Json]]:
        """Every stretch of a row or column that is a road: only sections, dead ends only at its ends, none longer."""
        found = []
        for line in self.lines():
            for first in range(6):
                for last in range(first, 6):
                    if self.is_road(line, first, last):
                        found.append([self.lies[square] for square in line[first : last + 1]])
        return found

    def is_road(self, line: list[str], first: int, last: int) -> bool:
        def section(at: int) -> Any:
            what = self.lies.get(line[at]) if 0 <= at < 6 else None
            return what if isinstance(what, dict) else None

        on_it = [section(at) for at in range(first, last + 1)]
        if None in on_it or any(each["dead_end"] for each in on_it[1:-1]):
            return False
        goes_on_before = section(first - 1) is not None and not on_it[0]["dead_end"]
        goes_on_after = section(last + 1) is not None and not on_it[-1]["dead_end"]
        return not goes_on_before and not goes_on_after

    def wealth(self) -> dict[str, int]:
        wealth = dict.fromkeys(self.order, 0)
        for road in self.roads():
            if len(road) < 4:
                continue
            worth = max(each["number"] for each in road)
            if any(each["horse"] for each in road):
                worth *= 2
            own = {color: [each["number"] for each in road if each["color"] == color] for color in self.order}
            most = max(len(numbers) for numbers in own.values())
            rivals = [color for color in self.order if len(own[color]) == most]
            largest = max(max(own[color]) for color in rivals)
            rivals = [color for color in rivals if max(own[color]) == largest]
            if len(rivals) == 1:
                wealth[rivals[0]] += worth
        return wealth

    def account(self, verdicts: list[Json]) -> Json:
        wealth = self.wealth()
        is_won = self.player is None and self.rules == "competitive"
        return {
            "setup": [],
            "verdicts": verdicts,
            "over": self.player is None,
            "next": self.player,
            "wealth": wealth,
            "total": sum(wealth.values()),
            "winners": [color for color in self.order if is_won and wealth[color] == max(wealth.values())],
        }


def referee(record: Json) -> Json:
    """What a referee prints about a record."""
    faults = set_up_faults(record["board"])
    if faults:
        return {"setup": faults, "verdicts": []}
    game = Game(record)
    return game.account([game.move(move) for move in record["moves"]])
