"""What a check found: how grave it is, and a code with facts whose sentences are looked up per language."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

#: Numbers are worded as each language writes them, texts as they are.
Fact = str | int | float


class Grade(enum.StrEnum):
    """How grave it is."""

    OK = "ok"
    NOTE = "note"  #: worth knowing, nothing must be done
    TODO = "todo"  #: something must be done
    UNKNOWN = "unknown"  #: this machine cannot tell


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found; `code` names its sentences in companion.words.machine, `facts` go into them."""

    grade: Grade
    code: str
    facts: Mapping[str, Fact] = field(default_factory=dict)


def ok(code: str, **facts: Fact) -> Finding:
    """Find that nothing is to be done."""
    return Finding(Grade.OK, code, facts)


def note(code: str, **facts: Fact) -> Finding:
    """Find what is worth knowing."""
    return Finding(Grade.NOTE, code, facts)


def todo(code: str, **facts: Fact) -> Finding:
    """Find that something must be done."""
    return Finding(Grade.TODO, code, facts)


def unknown(code: str, **facts: Fact) -> Finding:
    """Find that it cannot be told."""
    return Finding(Grade.UNKNOWN, code, facts)
