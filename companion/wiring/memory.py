"""How much memory the C library keeps for itself, and when it gives it back."""

from __future__ import annotations

import ctypes
from contextlib import suppress

#: `M_ARENA_MAX` of mallopt(3), in glibc's malloc.h.
_ARENA_MAX = -8

#: So many heaps: one for the loop with its pictures, one for all the threads of the pages.
ARENAS = 2


def few_arenas() -> None:
    """Let all threads share two heaps; to be called before there are any. Elsewhere than with glibc it does nothing.

    By default each of the server's threads may get a heap of its own, up to eight for a processor, which keeps what
    the largest picture took: from the hundredth turn to the two hundredth the companion grew by 15 %, so by 1 %
    (`make bench-soak`).
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, ARENAS)


def give_back() -> None:
    """Let the C library hand back what it keeps of memory that nobody uses; elsewhere than with glibc do nothing.

    It takes some ten milliseconds. Without it the companion seems to grow by a tenth in a thousand turns, as heaps that
    pictures of many sizes pass through become full of holes (`make bench-soak`).
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
