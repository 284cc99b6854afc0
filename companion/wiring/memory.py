"""How much memory the C library keeps for itself of what nobody uses any more."""

from __future__ import annotations

import ctypes
from contextlib import suppress

#: Of mallopt(3), as glibc's malloc.h has them.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8

#: So many heaps: one for the loop with its pictures, one for all the threads of the pages.
ARENAS = 2

#: A block as large as this or larger is asked of the system, and goes back to it as soon as nobody uses it.
LARGE_BYTES = 512 * 1024

#: So much may lie unused at the top of a heap.
TOP_BYTES = 1024 * 1024


def keep_little() -> None:
    """Let the C library keep little; to be called before there are threads. Elsewhere than with glibc it does nothing.

    By default each thread may get a heap of its own, up to eight for a processor, which keeps what the largest picture
    took; and once one large block has been freed, all blocks up to its size lie in the heaps, which become full of
    holes as pictures of many sizes pass through: the companion at its drawn table grew from 400 to 445 MB in 440
    turns, of which it used less and less. With both bounds it has 320 to 350 MB (`make bench-soak`).
    """
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(_ARENA_MAX, ARENAS)
        libc.mallopt(_MMAP_THRESHOLD, LARGE_BYTES)
        libc.mallopt(_TRIM_THRESHOLD, TOP_BYTES)
