"""Checks of JSON values, and the exceptions that they raise for input that people can put right."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Any, TypeVar

Word = TypeVar("Word", bound=StrEnum)


class BadInputError(ValueError):
    """Input that cannot be used: the message names the thing, its value and what would be right, in English.

    The command line prints it as one line and exits with status 2. Errors that people meet in normal use have a `code`,
    so that companion.words can say them in their language, with the names and numbers in `facts`. It is "" for mistakes
    that only a program makes.
    """

    def __init__(self, message: str, code: str = "", **facts: object) -> None:
        super().__init__(message)
        self.code, self.facts = code, facts


class NotNowError(BadInputError):
    """Input that cannot be used now, but perhaps in a minute: the command line exits with status 75 (EX_TEMPFAIL)."""


def word(words: type[Word], value: object, where: str) -> Word:
    """Return the enumeration's member with that value; raises BadInputError listing the right ones."""
    try:
        return words(str(value))
    except ValueError:
        raise BadInputError(f"{where}: {value!r} should be one of {', '.join(words)}") from None


def whole(value: object, where: str, least: int | None, most: int | None) -> int:
    """Return a whole number within limits (None: no limit); raises BadInputError otherwise."""
    if type(value) is not int or (least is not None and value < least) or (most is not None and value > most):
        limits = " ".join(
            part for part in ("" if least is None else f"from {least}", "" if most is None else f"to {most}") if part
        )
        raise BadInputError(f"{where} is {value!r}; it should be a whole number {limits}".rstrip())
    return value


def mapping(value: object, where: str) -> dict[str, Any]:
    """Return a JSON object; raises BadInputError for anything else."""
    if not isinstance(value, dict):
        raise BadInputError(f"{where} is {value!r:.60}; it should be a JSON object")
    return value


def fields(value: object, where: str, names: Collection[str], optional: Collection[str] = ()) -> dict[str, Any]:
    """Return a JSON object with exactly these fields, or without `optional` ones; raises BadInputError otherwise."""
    given = mapping(value, where)
    for name in given:
        if name not in names:
            raise BadInputError(f"{where} has an unknown field {name!r:.60}; its fields are {', '.join(sorted(names))}")
    for name in sorted(set(names).difference(optional)):
        if name not in given:
            raise BadInputError(f"{where} lacks the field {name!r}")
    return given


def items(value: object, where: str) -> list[Any]:
    """Return a JSON list; raises BadInputError for anything else."""
    if not isinstance(value, list):
        raise BadInputError(f"{where} is {value!r:.60}; it should be a list")
    return value


def only(body: Mapping[str, Any], known: Collection[str], what: str) -> None:
    """Raise BadInputError if the body has a name that is not `known`."""
    if unknown := sorted(body.keys() - set(known)):
        right = ", ".join(sorted(known)) or "nothing"
        raise BadInputError(f"{what}: {unknown[0]!r:.40} is not known; its body may have {right}")


def flag(body: Mapping[str, Any], name: str) -> bool:
    """Return true or false, and false if the name is missing; raises BadInputError for anything else."""
    value = body.get(name, False)
    if not isinstance(value, bool):
        raise BadInputError(f"{name} is {value!r:.40}; it should be true or false")
    return value


def text(body: Mapping[str, Any], name: str, right: str, most: int = 40) -> str:
    """Return a text of at most that many characters; `right` says what it should be. Raises BadInputError."""
    value = body.get(name)
    if not isinstance(value, str) or len(value) > most:
        raise BadInputError(f"{name} is {value!r:.40}; it should be {right}")
    return value
