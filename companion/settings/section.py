"""TOML files: a section becomes a frozen dataclass of only known keys, each value of its kind and within its limits."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import Field, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from companion.board import BadInputError
from companion.system.durable import contents

Section = TypeVar("Section")

#: How much of a value a complaint quotes, at most.
_MOST_QUOTED = 200


def a_number(default: Any, least: float, most: float) -> Any:
    """A number from `least` to `most`."""
    return field(default=default, metadata={"least": least, "most": most})


def a_path(default: str = "") -> Any:
    """A file's or folder's name."""
    return field(default=default, metadata={"is_path": True})


def a_word(default: str, *words: str) -> Any:
    """One of those words."""
    return field(default=default, metadata={"words": words})


def a_key() -> Any:
    """The public key of releases, 32 bytes in base64; empty for none."""
    return field(default="", metadata={"read": _release_key})


def _release_key(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"([A-Za-z0-9+/]{43}=)?", value):
        raise BadInputError(
            f"updates.key is {quoted(value)}; it should be the public key of releases, 44 characters as make deb "
            "prints them, or empty for none"
        )
    return value


def with_given(section: Any, **values: Any) -> Any:
    """Return the settings section with those of the values that were given."""
    return replace(section, **{name: value for name, value in values.items() if value is not None})


def choices(kind: type[Any], key: str) -> tuple[str, ...]:
    """Return the words that a key of that section may have."""
    (known,) = (each for each in fields(kind) if each.name == key)
    return tuple(known.metadata["words"])


def section(kind: type[Section], values: object, name: str) -> Section:
    """Return the section of that name as a file has it; what it leaves out has its default."""
    if not isinstance(values, dict):
        raise BadInputError(f"{name} is {quoted(values)}; it should be a section, [{name}]")
    known = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]
    check_known(values, known, f"key of [{name}]")
    return kind(**{key: _value(known[key], value, f"{name}.{key}") for key, value in values.items()})


def check_known(values: Mapping[str, Any], known: Mapping[str, Any], what: str) -> None:
    """Raise BadInputError for a key that is not one of the `known` ones, naming the nearest of them."""
    for key in values:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            remedy = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
            raise BadInputError(f"{quoted(key)} is no {what}; {remedy}")


def quoted(value: object) -> str:
    """Return the value as it is quoted in a complaint: a long one is cut short, and an endless number left out."""
    try:
        shown = repr(value)
    except ValueError:  # Python prints no number of more than 4,300 digits
        return "a number of thousands of digits"
    return shown if len(shown) <= _MOST_QUOTED else f"{shown[:_MOST_QUOTED]}..."


def _value(known: Field[Any], value: Any, where: str) -> Any:
    """Return the value as the field's type, which its default shows, or as the field's own `read` returns it."""
    default, limits = known.default, known.metadata
    if "read" in limits:
        return limits["read"](value)
    if isinstance(default, tuple):
        if not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
            raise BadInputError(f"{where} is {quoted(value)}; it should be a list of words")
        return tuple(value)
    is_number = isinstance(default, int | float) and not isinstance(default, bool)
    is_whole = isinstance(default, float) and type(value) is int
    if not is_whole and type(value) is not type(default):
        names = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
        raise BadInputError(f"{where} is {quoted(value)}; it should be {names[type(default)]}")
    if is_number and not limits["least"] <= value <= limits["most"]:
        raise BadInputError(f"{where} is {quoted(value)}; it should be from {limits['least']} to {limits['most']}")
    if "words" in limits and value not in limits["words"]:
        raise BadInputError(f"{where} is {quoted(value)}; it should be one of {', '.join(limits['words'])}")
    if "is_path" in limits:
        return _place(value, where)
    return float(value) if is_whole else value


def _place(value: str, where: str) -> str:
    """Return a folder's or a file's name, `~` being the home of whoever runs this, or of the user named after it."""
    if "\0" in value:
        raise BadInputError(f"{where} is {quoted(value)}; it should be a name without the character NUL")
    try:
        return str(Path(value).expanduser()) if value.startswith("~") else value
    except RuntimeError:
        raise BadInputError(f"{where} is {quoted(value)}; there is no such user: write the whole name") from None


def loaded(path: Path, read: Callable[[Mapping[str, Any]], Section]) -> Section:
    """Return what `read` makes of a file's values; raises BadInputError naming the file, the key and the remedy."""
    try:
        values = tomllib.loads(contents(path).decode())
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read ({error.strerror}); name a settings file in TOML") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInputError(f"{path}: is not valid TOML ({error}); see https://toml.io") from None
    except ValueError:  # Python reads no number of more than 4,300 digits
        raise BadInputError(f"{path}: a number has thousands of digits; no setting is so large") from None
    try:
        return read(values)
    except BadInputError as error:
        raise BadInputError(f"{path}: {error}") from None
