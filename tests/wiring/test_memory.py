"""Threads share their heaps, as glibc counts them (malloc_info(3)); memory for pictures goes back to the system."""

import ctypes
import subprocess
import sys

import pytest

from companion.wiring.machine import ARENAS

BEGINNING = """
import ctypes, os, sys, threading
from pathlib import Path
from companion.wiring.machine import keep_little

if sys.argv[1] == "little":
    keep_little()
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fdopen.restype = ctypes.c_void_p
libc.free.argtypes = libc.fflush.argtypes = [ctypes.c_void_p]
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
"""

THREADS = """
held, gate = [], threading.Barrier(9)
def hold():
    held.append(libc.malloc(1000))
    gate.wait(30)
    gate.wait(30)
threads = [threading.Thread(target=hold) for _ in range(8)]
for thread in threads:
    thread.start()
gate.wait(30)
out = libc.fdopen(1, b"w")
libc.malloc_info(0, out)
libc.fflush(out)
gate.wait(30)
"""

#: Pictures come and go, and each leaves something small behind that keeps the heap below it from being given back.
PICTURES = """
def megabytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 10**6
libc.free(libc.malloc(30_000_000))
before = megabytes()
blocks = [libc.malloc(size) for _ in range(30) for size in (2_000_000, 100_000)]
for block in blocks[::2]:
    ctypes.memset(block, 1, 2_000_000)
for block in blocks[::2]:
    libc.free(block)
print(megabytes() - before)
"""

needs_glibc = pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="this is no glibc")


def said(script: str, how: str) -> str:
    """Return what a process prints that keeps little, or as much as it comes."""
    words = [sys.executable, "-c", BEGINNING + script, how]
    return subprocess.run(words, check=True, timeout=60, capture_output=True, text=True).stdout


@pytest.mark.long
@needs_glibc
def test_threads_share_two_heaps_where_each_would_have_its_own() -> None:
    little, more = (said(THREADS, how).count("<heap nr=") for how in ("little", "as it comes"))
    assert 0 < little <= ARENAS < more


@pytest.mark.long
@needs_glibc
def test_what_pictures_took_goes_back_to_the_system_where_the_heap_would_keep_it() -> None:
    little, more = (int(said(PICTURES, how)) for how in ("little", "as it comes"))
    assert little < 10
    assert more > 40
