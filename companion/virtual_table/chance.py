"""One of several, left to chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Some = TypeVar("Some")


def one_of(some: Sequence[Some], rng: np.random.Generator) -> Some:
    """Return one of them, each as likely; there must be one."""
    return some[int(rng.integers(len(some)))]
