"""The numbers of a rule set, as data. Names and values are the rulebook's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.board import BadInputError, Color, SettlementType, Terrain
from companion.board.fields import mapping, whole, word

#: How "no road that they could complete" is read (rules, "End"): with any number of days, or with the days they would
#: have.
ENDS = ("ever", "now")


@dataclass(frozen=True, slots=True)
class Rules:
    """The numbers of one rule set of La Strada.

    Each player sets this many `workshops`, in seat order, round by round; `first_turn` is the seat that then begins.
    `room` is how many merchants a settlement takes (None: any number). `walking`: merchants only walk along a road as
    it is built, and only the majority on a settlement scores; then `at_workshop` of them start on each workshop. The
    game ends after this many `rounds`; None: when no road can be completed. `values` are the gold of each merchant on a
    settlement that 1, 2, 3, 4 merchants share; if there are more, they get nothing.
    """

    name: str
    seats: tuple[int, ...]
    workshops: int
    first_turn: int
    room: int | None = None
    walking: bool = False
    at_workshop: int = 0
    rounds: int | None = None
    merchants: int = 12
    day_gain: int = 6
    most_days: int = 10
    tiles: Mapping[Terrain, int] = field(
        default_factory=lambda: {Terrain.PLAIN: 18, Terrain.FOREST: 8, Terrain.HILL: 5}
    )
    costs: Mapping[Terrain, int] = field(default_factory=lambda: {Terrain.PLAIN: 2, Terrain.FOREST: 3, Terrain.HILL: 4})
    settlements: Mapping[SettlementType, int] = field(
        default_factory=lambda: {
            SettlementType.CITY: 4,
            SettlementType.TOWN: 5,
            SettlementType.VILLAGE: 5,
            SettlementType.HAMLET: 5,
        }
    )
    values: Mapping[SettlementType, tuple[int, ...]] = field(
        default_factory=lambda: {
            SettlementType.CITY: (5, 4, 3, 2),
            SettlementType.TOWN: (4, 3, 2, 1),
            SettlementType.VILLAGE: (3, 2, 1, 0),
            SettlementType.HAMLET: (2, 1, 0, 0),
        }
    )

    def value(self, kind: SettlementType, merchants: int) -> int:
        """Return the gold of each merchant if this many share a settlement of that kind."""
        values = self.values[kind]
        return values[merchants - 1] if 1 <= merchants <= len(values) else 0


#: 3 or 4 players; 2 are accepted (records/FORMAT.md).
STANDARD_RULES = Rules("standard", seats=(2, 3, 4), workshops=1, first_turn=0)
#: The official game for two.
TWO_PLAYER_RULES = Rules("two-player", seats=(2,), workshops=2, first_turn=1, room=1)
#: Nick Danger's game for two.
DANGER_RULES = Rules("danger", seats=(2,), workshops=2, first_turn=1, walking=True, at_workshop=6, rounds=10)


@dataclass(frozen=True, slots=True)
class Options:
    """What a table may decide for itself: the house rules.

    `end` says how the end of the standard game is read (other rule sets have ends of their own and ignore it),
    `first_days` what a colour gets in its first turn instead of six, `hints` whether possible roads may be shown.
    """

    end: str = "ever"
    first_days: Mapping[Color, int] = field(default_factory=dict)
    hints: bool = False


def options_from(values: Mapping[str, object], rules: Rules) -> Options:
    """Return the options that a record or a setting gives; raises BadInputError for unknown ones."""
    usual = Options()
    for name in values:
        if name not in options_to_json(usual):
            raise BadInputError(f"option {name!r} is unknown; {rules.name} has end, first_days and hints")
    end = values.get("end", usual.end)
    if end not in ENDS:
        raise BadInputError(f"option end is {end!r:.60}; it should be ever or now")
    hints = values.get("hints", usual.hints)
    if not isinstance(hints, bool):
        raise BadInputError(f"option hints is {hints!r:.60}; it should be true or false")
    first_days = mapping(values.get("first_days", {}), "option first_days")
    return Options(
        str(end),
        {
            word(Color, name, "option first_days"): whole(days, f"option first_days, {name}", 0, rules.most_days)
            for name, days in first_days.items()
        },
        hints,
    )


def options_to_json(options: Options) -> dict[str, object]:
    """Return all options by name, as plain JSON values."""
    first_days = {color.value: days for color, days in options.first_days.items()}
    return {"end": options.end, "first_days": first_days, "hints": options.hints}


def in_force(options: Options) -> dict[str, object]:
    """Return the options that differ from the defaults, as a record writes them."""
    usual = options_to_json(Options())
    return {name: value for name, value in options_to_json(options).items() if value != usual[name]}
