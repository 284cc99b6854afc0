"""Silk Road's road sections: what they show, how they lie, and both as JSON (records/FORMAT.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from companion.board.errors import BadInputError
from companion.board.notation import fields, items, whole

#: Directions in which a ray can point: 0 is east, then anticlockwise by 45 degrees; a quarter turn is two of them.
RAYS = range(8)

_FIELDS = {"id", "number", "horse", "rays", "dead_end"}


@dataclass(frozen=True, slots=True)
class Section:
    """A road section as it is printed: its rays as they point unturned, ascending; `number` is 0 where it has none."""

    id: str
    number: int = 0
    has_horse: bool = False
    rays: tuple[int, ...] = ()
    is_dead_end: bool = False

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError(f"section {self.id}: number is {self.number}; it should be 0 (none) or more")
        if not all(ray in RAYS for ray in self.rays) or sorted(set(self.rays)) != list(self.rays):
            raise ValueError(
                f"section {self.id}: rays are {self.rays!r:.60}; they should be different ones from 0 to 7, ascending"
            )


@dataclass(frozen=True, slots=True)
class LaidSection:
    """A section as it lies: whose it is, and by how many quarter turns it was turned anticlockwise, 0 to 3.

    >>> LaidSection(Section("1", rays=(0, 3)), "green", 1).rays
    (2, 5)
    """

    section: Section
    color: str
    turn: int = 0

    def __post_init__(self) -> None:
        if self.turn not in range(4):
            raise ValueError(f"turn is {self.turn!r}; a section is turned by 0 to 3 quarter turns")

    @property
    def rays(self) -> tuple[int, ...]:
        """The directions in which its rays point now: (ray + 2 turn) mod 8, ascending."""
        return tuple(sorted((ray + 2 * self.turn) % len(RAYS) for ray in self.section.rays))

    @property
    def least_turned(self) -> LaidSection:
        """The same with the fewest quarter turns after which its rays point as they do now.

        The rules know a section's lie by its rays alone (rules, Silk Road), and photographs of some show no more.

        >>> LaidSection(Section("1", rays=(0, 4)), "green", 3).least_turned.turn
        1
        """
        return next(lie for turn in range(4) if (lie := replace(self, turn=turn)).rays == self.rays)


def section_from_json(value: object, where: str) -> Section:
    """Return the section; `number` may be left out or null. Raises BadInputError; `where` names the place in it."""
    shown = fields(value, where, _FIELDS, optional={"number"})
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
    """Return the sections of a JSON list; raises BadInputError, also where two have the same id."""
    found = [section_from_json(section, f"{where} {n}") for n, section in enumerate(items(value, where), 1)]
    ids = [section.id for section in found]
    for n, name in enumerate(ids, 1):
        if name in ids[: n - 1]:
            raise BadInputError(f"{where} {n}: id is {name!r:.60} again; each section should have an id of its own")
    return tuple(found)


def section_to_json(section: Section) -> dict[str, Any]:
    """Return the section as game records write it."""
    return {
        "id": section.id,
        "number": section.number,
        "horse": section.has_horse,
        "rays": list(section.rays),
        "dead_end": section.is_dead_end,
    }
