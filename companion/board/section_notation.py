"""Road sections as JSON, as game records write them (records/FORMAT.md), and back."""

from __future__ import annotations

from typing import Any

from companion.board.errors import BadInputError
from companion.board.fields import fields, items, whole
from companion.board.section import RAYS, Section

_FIELDS = {"id", "number", "horse", "rays", "dead_end"}


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
